"""Saved states of Python FMUs and of Systems with random changes and valid checksums: refused with an error, or harmless."""

import hashlib
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import mobod as mb
from mobod.errors import FmuError, MobodError, StateError
from mobod.fmu.python.memory import memory_from_bytes, memory_to_bytes
from mobod.matter.unilateral.contact_events import RAISED, Contact
from mobod.simulate.delays import delay_rows
from mobod.system.events.table import NEXT, SIDE, TERMINATED
from tests.fmu.python_instances import begun, instance_of
from tests.native.sealing import FIRST_NUMBER, sealed, with_number
from tests.native.test_flipped_states import everything

HEADER_OF_STATE = 12 + 4 + 8 + 32  # name of the format, its version, length, hash


@pytest.fixture(scope="module")
def stepped():
    """An instance after some steps, its System, and the value references of its variables."""
    instance, references = begun(*everything(), outputs=["angle late.value"])
    instance.do_step(0.0, 0.3)
    return instance, instance.state.system, references


def sealed_state(data):
    """The bytes of a State with a valid hash."""
    return data[: HEADER_OF_STATE - 32] + hashlib.sha256(data[HEADER_OF_STATE:]).digest() + data[HEADER_OF_STATE:]


def with_numbers(state, slot, index, value):
    """The bytes of a State with one number replaced."""
    changed = state.copy()
    changed.values[slot.offset + index] = value
    return changed.to_bytes()


@pytest.mark.fast("1", "2", "3", "4")
@pytest.mark.parametrize("index", range(5))
def test_an_index_count_or_flag_out_of_range_is_refused_by_name(stepped, index):
    instance, system, _ = stepped
    state, layout = instance.state, instance.state.layout
    table = system.events.table(layout)
    triggered = next(row for row in table.rows if row.event.name == "turn")
    contact = next(row for row in table.rows if isinstance(row.event, Contact))
    memory, shared, past = triggered.memory, table.shared, delay_rows(system, state)[0].memory
    slot, at, values, name = [
        (shared, TERMINATED, (-1.0, 1e300, len(table.rows) + 1.0, 0.5, np.nan), "memory of events"),
        (memory, SIDE, (2.0, 0.5, np.nan), "turn.memory"),
        (contact.memory, RAISED, (1e300, -1.0, np.inf), f"{contact.event.name}.memory"),
        (memory, NEXT, (-5.0, 0.0, np.nan), "turn.memory"),
        (past, 0, (-1.0, 65.0, 1.5, np.nan), "angle late.memory"),
    ][index]
    for value in values:
        with pytest.raises(StateError, match=rf"are damaged: '{name}' holds .*, which it cannot be"):
            mb.State.from_bytes(system, with_numbers(state, slot, at, value))


def values(instance, references):
    return instance.get([references[name] for name in ("time", "upper.q", "lower.u", "ball.q[1]", "'angle late'.value")], "real")


def test_a_serialised_state_continues_bit_for_bit(stepped):
    instance, system, references = stepped
    saved = instance.save()
    data = memory_to_bytes(saved)
    restored = memory_from_bytes(data, system)
    assert memory_to_bytes(restored) == data
    ends = []
    for each in (saved, restored):
        instance.restore(each)
        instance.do_step(0.3, 0.2)
        ends.append(values(instance, references))
    instance.restore(saved)
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("number", "value"),
    [(1, 3.0), (1, 1e300), (3, 2.0), (15, np.nan), (17, 1e-320), (21, -0.1)],
    ids=["two modes", "no mode", "flag", "stop time", "tolerance", "step size"],
)
def test_impossible_numbers_are_refused_and_change_nothing(stepped, number, value):
    instance, _, references = stepped
    saved, before = instance.save(), values(instance, references)
    with pytest.raises(FmuError, match="fmi2SetFMUstate: the state cannot be used: it is damaged"):
        instance.restore(replace(saved, numbers=with_number(saved.numbers, FIRST_NUMBER + number, value)))
    assert values(instance, references) == before


@pytest.mark.slow
def test_a_state_of_another_fmu_is_refused(stepped):
    instance, _, _ = stepped
    other, _ = instance_of(*everything(), outputs=["upper.q"])
    with pytest.raises(FmuError, match="it is a state of another FMU"):
        other.restore(replace(instance.save(), state=other.state))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:20], "too short"),
        (lambda data: b"x" + data[1:], "not a state"),
        (lambda data: data[:16] + b"\x09" + data[17:], "it has format 9"),
        (lambda data: data[:-1], "it is damaged"),
        (lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:], "it is damaged"),
    ],
)
def test_bytes_that_are_not_a_state_are_refused(stepped, change, message):
    instance, system, _ = stepped
    with pytest.raises(StateError, match=message):
        memory_from_bytes(change(memory_to_bytes(instance.save())), system)


@pytest.mark.slow
@pytest.mark.parametrize("n", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_changes_are_refused_or_harmless(stepped, n):
    instance, system, references = stepped
    good = instance.save()
    data = good.state.to_bytes()
    generator, taken, refused = np.random.default_rng(5), 0, 0
    for k in range(n):
        changed = bytearray(good.numbers if k % 2 else data)
        changed[generator.integers(HEADER_OF_STATE, len(changed))] ^= 1 << int(generator.integers(8))
        try:
            if k % 2:
                saved = replace(good, numbers=sealed(bytes(changed)))
            else:
                saved = replace(good, state=mb.State.from_bytes(system, sealed_state(bytes(changed))))
            instance.restore(memory_from_bytes(memory_to_bytes(saved), system))
        except MobodError:
            refused += 1
            continue
        taken += 1
        with suppress(MobodError):
            instance.do_step(instance.get([references["time"]], "real")[0], 1e-9)
    instance.restore(good)
    assert instance.do_step(0.3, 0.01)
    instance.restore(good)
    assert taken > 0
    assert refused > 0
    assert struct.calcsize("<12sIQ32s") == HEADER_OF_STATE
