"""Saved states of Python FMUs and of Systems with random changes and hashes that fit: refused with a StateError, or harmless."""

import hashlib
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import mobod as mb
from mobod.errors import MobodError, StateError
from mobod.fmu.python_instance import Mode, PythonInstance
from mobod.fmu.python_memory import memory_from_bytes, memory_to_bytes
from mobod.simulate.delays import delay_rows
from mobod.system.event_table import NEXT, RAISED, SIDE, TERMINATED
from tests.native.test_flipped_states import everything

TOKEN = "{a token}"
HEADER_OF_STATE = 12 + 4 + 8 + 32  # name of the format, its version, length, hash


@pytest.fixture(scope="module")
def stepped():
    """An instance that has gone some steps, and its System."""
    system, state = everything()
    instance = PythonInstance(system, state.copy(), [], 1e-6)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    instance.exit_initialization()
    with np.errstate(all="ignore"):
        instance.do_step(0.0, 0.3)
    return instance, system


def sealed_state(data):
    """The bytes of a State with the hash that they should have."""
    return data[: HEADER_OF_STATE - 32] + hashlib.sha256(data[HEADER_OF_STATE:]).digest() + data[HEADER_OF_STATE:]


def with_numbers(state, slot, index, value):
    """The bytes of a State in which one number is another."""
    changed = state.copy()
    changed.values[slot.offset + index] = value
    return changed.to_bytes()


def test_what_is_written_comes_back(stepped):
    instance, system = stepped
    memory = instance.remember()
    data = memory_to_bytes(memory, TOKEN)
    assert memory_to_bytes(memory_from_bytes(data, system, TOKEN), TOKEN) == data


@pytest.mark.parametrize("index", range(5))
def test_an_index_a_count_or_a_flag_out_of_its_range_is_refused_by_its_name(stepped, index):
    instance, system = stepped
    state, layout = instance.state, instance.state.layout
    table = system.events.table(layout)
    triggered = next(row for row in table.rows if row.event.name == "turn")
    memory, shared, past = triggered.memory, table.shared, delay_rows(system, state)[0].memory
    slot, at, values, name = [
        (shared, TERMINATED, (-1.0, 1e300, len(table.rows) + 1.0, 0.5, np.nan), "memory of events"),
        (memory, SIDE, (2.0, 0.5, np.nan), "turn.memory"),
        (memory, RAISED, (1e300, -1.0, np.inf), "turn.memory"),
        (memory, NEXT, (-5.0, 0.0, np.nan), "turn.memory"),
        (past, 0, (-1.0, 65.0, 1.5, np.nan), "angle late.memory"),
    ][index]
    for value in values:
        with pytest.raises(StateError, match=rf"were changed: '{name}' holds .*, which it cannot be"):
            mb.State.from_bytes(system, with_numbers(state, slot, at, value))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mode": 3}, "There is no mode 3"),
        ({"mode": 1e300}, "There is no mode"),
        ({"has_start": 2}, "flags"),
        ({"stop_time": np.nan}, "the stop time"),
        ({"tolerance": 1e-320}, "the tolerance"),
        ({"tolerance": "1e-6"}, "the tolerance"),
        ({"y_start": np.zeros(3)}, "the initial conditions"),
        ({"stepper": (-0.1, np.zeros(10))}, "the integrator"),
        ({"stepper": (0.1, np.full(10, np.nan))}, "the integrator"),
    ],
)
def test_what_no_instance_remembers_is_refused(stepped, changes, message):
    instance, system = stepped
    data = memory_to_bytes(replace(instance.remember(), **changes), TOKEN)
    with pytest.raises(StateError, match=message):
        memory_from_bytes(data, system, TOKEN)


def test_a_memory_with_a_number_that_is_not_finite_is_refused(stepped):
    instance, system = stepped
    spoilt = instance.remember()
    spoilt.state.values[1] = np.nan
    with pytest.raises(StateError, match="'q' holds nan"):
        memory_from_bytes(memory_to_bytes(spoilt, TOKEN), system, TOKEN)


@pytest.mark.parametrize("n", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_changes_are_refused_or_harmless(stepped, n):
    instance, system = stepped
    good, data = instance.remember(), instance.state.to_bytes()
    generator, taken, refused = np.random.default_rng(5), 0, 0
    for k in range(n):
        changed = bytearray(data)
        changed[generator.integers(HEADER_OF_STATE if k % 3 else 0, len(data))] ^= 1 << int(generator.integers(8))
        if k % 3 == 0:
            with pytest.raises(StateError):
                mb.State.from_bytes(system, bytes(changed))
            continue
        try:
            state = mb.State.from_bytes(system, sealed_state(bytes(changed)))
            memory = memory_from_bytes(memory_to_bytes(replace(good, state=state), TOKEN), system, TOKEN)
        except StateError:
            refused += 1
            continue
        taken += 1
        instance.recall(memory)
        with np.errstate(all="ignore"), suppress(MobodError):
            instance.do_step(instance.state.time, 1e-9)
    instance.recall(good)
    assert instance.mode is Mode.STEP
    assert taken > 0
    assert refused > 0
    assert struct.calcsize("<12sIQ32s") == HEADER_OF_STATE
