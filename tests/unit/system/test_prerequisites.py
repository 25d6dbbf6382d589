"""Lazy values that depend on continuous variables: invalidated when these change, and kept otherwise."""

import pytest

from mobod.errors import StageError
from mobod.system import Continuous, Stage

WRITES = {
    "time": lambda state: setattr(state, "time", state.time + 1),
    "q": lambda state: setattr(state, "q", state.q + 1),
    "u": lambda state: setattr(state, "u", state.u + 1),
    "z": lambda state: setattr(state, "z", state.z + 1),
    "y": lambda state: setattr(state, "y", state.y + 1),
    "part of q": lambda state: state.write(state.layout.q[1], 2.5, "second", Stage.POSITION),
    "part of z": lambda state: state.write(state.layout.z[2], 2.5, "third", Stage.DYNAMICS),
    "move_to": lambda state: state.move_to(state.time + 1, state.y + 1),
}
CHANGED = {
    "time": {Continuous.T},
    "q": {Continuous.Q},
    "u": {Continuous.U},
    "z": {Continuous.Z},
    "y": {Continuous.Q, Continuous.U, Continuous.Z},
    "part of q": {Continuous.Q},
    "part of z": {Continuous.Z},
    "move_to": set(Continuous),
}
VALUE = {
    Continuous.T: lambda state: 10 + state.time,
    Continuous.Q: lambda state: 20 + state.q.sum(),
    Continuous.U: lambda state: 30 + state.u.sum(),
    Continuous.Z: lambda state: 40 + state.z.sum(),
}


@pytest.fixture
def watch(system, continuous, make):
    """watch(prerequisites, value) allocates a lazy entry of earliest stage INSTANCE: (state, entry, list of evaluations)."""

    def create(prerequisites, value):
        calls = []

        def compute(state):
            calls.append(state.stage)
            return value(state)

        def topology(subsystem, state):
            subsystem.weight = state.allocate_discrete_variable(subsystem, "weight", 2.0, Stage.REPORT)
            wanted = [subsystem.weight if each == "weight" else each for each in prerequisites]
            subsystem.entry = state.allocate_cache_entry(
                subsystem, "entry", Stage.INSTANCE, shape=(), prerequisites=wanted, compute=compute
            )

        subsystem = make({"TOPOLOGY": topology}, name="watching")
        state = system.realize_topology()
        system.realize(state, Stage.INSTANCE)
        return state, subsystem, calls

    return create


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("variable", Continuous)
def test_a_lazy_value_follows_its_variable_and_survives_changes_of_others(watch, variable, name):
    state, subsystem, calls = watch([variable], VALUE[variable])
    assert state.cached(subsystem.entry) == VALUE[variable](state)
    WRITES[name](state)
    assert state.is_valid(subsystem.entry) == (variable not in CHANGED[name])
    for _ in range(2):
        assert state.cached(subsystem.entry) == VALUE[variable](state)
    assert len(calls) == (2 if variable in CHANGED[name] else 1)


def test_several_kinds_of_prerequisites_can_be_combined(watch):
    state, subsystem, calls = watch([Continuous.Q, "weight"], lambda state: state.get(subsystem.weight) * state.q[0])
    assert state.cached(subsystem.entry) == 0.6
    state.u, state.time = 3.0, 2.0
    assert state.cached(subsystem.entry) == 0.6
    assert len(calls) == 1
    state.set(subsystem.weight, 5.0)
    assert state.cached(subsystem.entry) == 1.5
    state.q = [2.0, 0.0]
    assert state.cached(subsystem.entry) == 10
    assert len(calls) == 3


def test_the_earliest_stage_also_invalidates(watch, system):
    state, subsystem, calls = watch([Continuous.Q], VALUE[Continuous.Q])
    state.cached(subsystem.entry)
    state.invalidate(Stage.INSTANCE)
    with pytest.raises(StageError, match="'entry' needs a State realized to INSTANCE; this one is at MODEL"):
        state.cached(subsystem.entry)
    system.realize(state, Stage.INSTANCE)
    state.cached(subsystem.entry)
    assert len(calls) == 2


def test_an_entry_follows_a_variable_through_another_entry(system, continuous, make):
    calls = []

    def count(name, value):
        calls.append(name)
        return value

    def topology(subsystem, state):
        subsystem.length = state.allocate_cache_entry(
            subsystem, "length", Stage.INSTANCE, shape=(), prerequisites=[Continuous.Q], compute=lambda s: count("length", s.q[0])
        )
        subsystem.area = state.allocate_cache_entry(
            subsystem,
            "area",
            Stage.INSTANCE,
            shape=(),
            prerequisites=[subsystem.length],
            compute=lambda s: count("area", s.cached(subsystem.length) ** 2),
        )

    subsystem = make({"TOPOLOGY": topology}, name="square")
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    assert state.cached(subsystem.area) == pytest.approx(0.09)
    state.u = 9.0
    state.cached(subsystem.area)
    assert calls == ["length", "area"]
    state.q = [3.0, 0.0]
    assert not state.is_valid(subsystem.area)
    assert state.cached(subsystem.area) == 9
    assert calls == ["length", "area"] * 2


@pytest.mark.parametrize("variable", Continuous)
def test_without_the_cache_every_read_computes(watch, system, variable):
    state, subsystem, calls = watch([variable], VALUE[variable])
    system.uses_cache = False
    for _ in range(3):
        assert state.cached(subsystem.entry) == VALUE[variable](state)
    assert len(calls) == 3


def test_without_the_cache_each_realization_starts_at_instance(system, continuous):
    state = system.realize_topology()
    system.realize(state, Stage.DYNAMICS)
    system.uses_cache = False
    continuous.log.clear()
    system.realize(state, Stage.POSITION)
    assert state.stage == Stage.DYNAMICS
    assert [stage for _, stage in continuous.log] == [Stage(number) for number in range(Stage.INSTANCE, Stage.DYNAMICS + 1)]
