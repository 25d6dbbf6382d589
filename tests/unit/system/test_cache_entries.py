"""Cache entries: computed at a stage or when they are read, and never older than the values they depend on."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError, StageError
from mobod.scalar.sweep import Sweep
from mobod.system import Stage, Subsystem, System


@pytest.fixture
def entry_of(system, make):
    """entry_of(earliest, **options) makes a State with one cache entry: (state, entry, subsystem)."""

    def create(earliest, script=None, **options):
        def allocate(subsystem, state):
            subsystem.entry = state.allocate_cache_entry(subsystem, "heat", earliest, **options)

        subsystem = make({"TOPOLOGY": allocate, **(script or {})})
        state = system.realize_topology()
        return state, subsystem.entry, subsystem

    return create


@pytest.mark.parametrize(("shape", "value"), [((), 2.5), ((2, 2), np.array([[1.0, 2.0], [3.0, 4.0]])), (None, {"any": "object"})])
def test_an_entry_has_the_value_computed_by_its_stage(system, entry_of, shape, value):
    script = {"DYNAMICS": lambda self, state: state.set_cached(self.entry, value)}
    state, entry, _ = entry_of(Stage.VELOCITY, script, shape=shape, computed_by=Stage.DYNAMICS)
    system.realize(state, Stage.DYNAMICS)
    assert_array_equal(state.cached(entry), value)
    assert state.is_valid(entry)


def test_an_entry_before_its_stage_is_refused_with_its_name_and_both_stages(system, entry_of):
    state, entry, _ = entry_of(Stage.VELOCITY, shape=(), computed_by=Stage.DYNAMICS)
    system.realize(state, Stage.VELOCITY)
    with pytest.raises(StageError, match="'heat' needs a State realized to DYNAMICS; this one is at VELOCITY"):
        state.cached(entry)
    assert not state.is_valid(entry)


def test_cached_arrays_are_read_only(system, entry_of):
    script = {"TIME": lambda self, state: state.set_cached(self.entry, [1.0, 2.0])}
    state, entry, _ = entry_of(Stage.TIME, script, shape=(2,), computed_by=Stage.TIME)
    system.realize(state, Stage.TIME)
    with pytest.raises(ValueError, match="read-only"):
        state.cached(entry)[0] = 5.0


def test_an_entry_cannot_be_computed_before_what_it_depends_on(entry_of):
    with pytest.raises(InputError, match="cache entry 'heat': it is computed at POSITION, but depends on VELOCITY, which is a later stage"):
        entry_of(Stage.VELOCITY, shape=(), computed_by=Stage.POSITION)


def counted(value_of):
    calls = []

    def compute(state):
        calls.append(state.stage)
        return value_of(state)

    return compute, calls


def test_a_lazy_entry_is_computed_on_first_read_and_then_kept(system, continuous, entry_of):
    compute, calls = counted(lambda state: 2 * state.q)
    state, entry, _ = entry_of(Stage.POSITION, shape=(2,), compute=compute)
    system.realize(state, Stage.REPORT)
    assert calls == []
    for _ in range(3):
        assert_array_equal(state.cached(entry), [0.6, -0.8])
    assert len(calls) == 1


@pytest.mark.parametrize("shape", [(2,), None], ids=["numbers", "object"])
def test_a_lazy_entry_is_computed_again_only_after_a_dependency_changed(system, continuous, entry_of, shape):
    compute, calls = counted(lambda state: 2 * state.q)
    state, entry, _ = entry_of(Stage.POSITION, shape=shape, compute=compute)
    system.realize(state, Stage.REPORT)
    state.cached(entry)
    state.u = [3.0]
    system.realize(state, Stage.REPORT)
    assert_array_equal(state.cached(entry), [0.6, -0.8])
    assert len(calls) == 1

    state.q = [1.5, 2.5]
    system.realize(state, Stage.POSITION)
    assert not state.is_valid(entry)
    assert_array_equal(state.cached(entry), [3, 5])
    state.time = 1.0  # TIME comes before POSITION
    system.realize(state, Stage.POSITION)
    state.cached(entry)
    assert len(calls) == 3


def test_a_lazy_entry_before_its_stage_is_refused(system, entry_of):
    state, entry, _ = entry_of(Stage.POSITION, shape=(), compute=lambda state: 1.0)
    system.realize(state, Stage.TIME)
    with pytest.raises(StageError, match="'heat' needs a State realized to POSITION; this one is at TIME"):
        state.cached(entry)


def test_a_lazy_entry_without_computation_is_an_error(system, entry_of):
    state, entry, _ = entry_of(Stage.POSITION, shape=())
    system.realize(state, Stage.POSITION)
    with pytest.raises(StageError, match="'heat' is a lazy value without a function or sweep that computes it"):
        state.cached(entry)


def test_a_value_that_was_set_holds_until_it_is_marked_invalid(system, entry_of):
    compute, calls = counted(lambda state: 1.5)
    state, entry, _ = entry_of(Stage.POSITION, shape=(), compute=compute)
    system.realize(state, Stage.POSITION)
    state.set_cached(entry, 7.5)
    assert state.cached(entry) == 7.5
    state.mark_invalid(entry)
    assert state.cached(entry) == 1.5
    assert len(calls) == 1


@pytest.fixture
def chain(system, make):
    """force = gain * length, energy = force^2; the gain is a DYNAMICS-stage variable, the length a coordinate."""
    calls = []

    def topology(subsystem, state):
        subsystem.gain = state.allocate_discrete_variable(subsystem, "gain", 3.0, Stage.DYNAMICS)
        subsystem.force = state.allocate_cache_entry(
            subsystem, "force", Stage.POSITION, shape=(), prerequisites=[subsystem.gain], compute=subsystem.compute_force
        )
        subsystem.energy = state.allocate_cache_entry(
            subsystem, "energy", Stage.POSITION, shape=(), prerequisites=[subsystem.force], compute=subsystem.compute_energy
        )

    subsystem = make({"TOPOLOGY": topology, "MODEL": lambda self, state: state.allocate_q(self, [2.0])}, name="chain")
    subsystem.calls = calls

    def compute_force(state):
        calls.append("force")
        return state.get(subsystem.gain) * state.q[0]

    def compute_energy(state):
        calls.append("energy")
        return state.cached(subsystem.force) ** 2

    subsystem.compute_force, subsystem.compute_energy = compute_force, compute_energy
    return subsystem


def test_a_prerequisite_of_any_stage_invalidates_a_lazy_entry(system, chain):
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    assert state.cached(chain.force) == 6
    state.set(chain.gain, 5.0)
    assert state.stage == Stage.VELOCITY
    assert not state.is_valid(chain.force)
    assert state.cached(chain.force) == 10


def test_an_entry_follows_the_entries_that_it_depends_on(system, chain):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    assert state.cached(chain.energy) == 36
    assert chain.calls == ["force", "energy"]

    state.set(chain.gain, 0.5)
    assert not state.is_valid(chain.energy)
    assert state.cached(chain.energy) == 1
    state.q = [4.0]
    system.realize(state, Stage.POSITION)
    assert state.cached(chain.energy) == 4
    assert chain.calls == ["force", "energy"] * 3


def test_an_entry_detects_that_its_prerequisite_was_read_before(system, chain):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    state.cached(chain.energy)
    state.set(chain.gain, 0.5)
    assert state.cached(chain.force) == 1  # valid again, but not the value from which the energy was computed
    assert state.cached(chain.energy) == 1


def test_a_lazy_entry_follows_a_prerequisite_that_a_stage_computes(system, continuous, make):
    def topology(subsystem, state):
        subsystem.power = state.allocate_cache_entry(subsystem, "power", Stage.POSITION, shape=(), computed_by=Stage.DYNAMICS)
        subsystem.heat = state.allocate_cache_entry(
            subsystem, "heat", Stage.POSITION, shape=(), prerequisites=[subsystem.power], compute=lambda s: 2 * s.cached(subsystem.power)
        )

    subsystem = make({"TOPOLOGY": topology, "DYNAMICS": lambda self, state: state.set_cached(self.power, state.u[0] + state.z[0])})
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    assert state.cached(subsystem.heat) == pytest.approx(2 * 1.8)

    state.z = [1.1, 0.0, 0.0]
    with pytest.raises(StageError, match="'power' needs a State realized to DYNAMICS"):
        state.cached(subsystem.heat)
    system.realize(state, Stage.REPORT)
    assert state.cached(subsystem.heat) == pytest.approx(2 * 2.8)


def test_a_copy_computes_its_own_values(system, chain):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    state.cached(chain.energy)
    copy = state.copy()
    copy.set(chain.gain, 1.0)
    system.realize(copy, Stage.POSITION)
    assert (copy.cached(chain.energy), state.cached(chain.energy)) == (4, 36)


class Recorded(Subsystem):
    """Computes twice its coordinate at POSITION and, lazily, the square of that, by sweeps instead of hooks."""

    def __init__(self, system):
        super().__init__(system, "recorded")

    def realize_topology(self, state):
        self.double = state.allocate_cache_entry(self, "double", Stage.POSITION, shape=(1,), computed_by=Stage.POSITION)
        self.square = state.allocate_cache_entry(self, "square", Stage.POSITION, shape=(1,))

    def realize_model(self, state):
        state.allocate_q(self, [1.5])

    def tabulate(self, layout):
        self._sweep(layout, Stage.POSITION).add(lambda q: 2 * q, [layout.part("q", self.index)], [layout.slots[self.double]])
        lazy = layout.lazy_sweeps[self.square] = Sweep("square")
        lazy.add(lambda double: double * double, [layout.slots[self.double]], [layout.slots[self.square]])


@pytest.mark.parametrize("as_text", [False, True], ids=["recorded", "as text"])
def test_lazy_sweeps_compute_their_entries(as_text):
    system = System("doubling")
    subsystem = Recorded(system)
    system.as_text = as_text
    state = system.realize_topology()
    for q, double, square in ((1.5, 3, 9), (-2.0, -4, 16)):
        state.q = q
        system.realize(state, Stage.POSITION)
        assert state.cached(subsystem.double) == double
        assert state.cached(subsystem.square) == square
    assert not subsystem.why_not_recordable()
