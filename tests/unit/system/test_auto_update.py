"""Auto-update discrete variables: their next value is computed during a step and becomes current at the start of the next step."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError, StageError
from mobod.system import Stage


@pytest.fixture
def memory(make):
    """memory(value, next_value, invalidates) adds a subsystem whose variable becomes next_value(state, variable)."""

    def add(value, next_value, *, invalidates=Stage.ACCELERATION, depends_on=Stage.POSITION, name="memory"):
        def topology(subsystem, state):
            subsystem.best = state.allocate_auto_update_discrete_variable(
                subsystem, "best", value, invalidates, update_depends_on=depends_on
            )

        def position(subsystem, state):
            state.set_cached(subsystem.best.update, next_value(state, subsystem.best))

        return make({"TOPOLOGY": topology, "POSITION": position}, name=name)

    return add


@pytest.fixture
def largest(continuous, memory):
    """The largest first coordinate so far."""
    return memory(-1e9, lambda state, best: max(state.get(best), state.q[0]))


def test_the_next_value_becomes_current_only_at_the_update(system, largest):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    assert state.get(largest.best) == -1e9
    assert state.next_value(largest.best) == 0.3
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == 0.3


def test_a_next_value_is_used_only_once(system, largest):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    system.auto_update_discrete_variables(state)
    assert not state.is_valid(largest.best.update)
    with pytest.raises(StageError, match="'update of best'"):
        state.next_value(largest.best)
    state.set(largest.best, 0.1)
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == 0.1


def test_without_a_valid_next_value_the_variable_keeps_its_value(system, largest):
    state = system.realize_topology()
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == -1e9
    system.realize(state, Stage.POSITION)
    state.q = [7.0, 0.0]  # discards the next value, which was computed from the old q
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == -1e9


def test_setting_the_variable_discards_its_next_value(system, largest):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    state.set(largest.best, 5.0)  # the discarded update was the larger of 0.3 and the old value
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == 5


def test_only_a_changed_variable_invalidates_its_stage(system, largest):
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    system.auto_update_discrete_variables(state)
    assert state.stage == Stage.DYNAMICS

    state.q = [0.2, 0.0]
    system.realize(state, Stage.REPORT)
    system.auto_update_discrete_variables(state)
    assert state.get(largest.best) == 0.3
    assert state.stage == Stage.REPORT


@pytest.mark.parametrize(
    ("value", "following"),
    [(1.5, 2.5), (False, True), (np.array([1.0, 2.0]), np.array([3.0, 4.0])), ("left", "right"), ({"hits": 0}, {"hits": 1})],
    ids=["number", "boolean", "array", "text", "object"],
)
def test_a_variable_of_any_type_can_update_itself(system, memory, value, following):
    subsystem = memory(value, lambda state, best: following)
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    system.auto_update_discrete_variables(state)
    assert_array_equal(state.get(subsystem.best), following)
    assert type(state.get(subsystem.best)) is type(value)


def test_all_next_values_belong_to_the_state_before_the_update(system, continuous, memory):
    first = memory(1.0, lambda state, best: state.get(second.best), invalidates=Stage.POSITION, name="first")
    second = memory(2.0, lambda state, best: state.get(first.best), invalidates=Stage.POSITION, name="second")
    state = system.realize_topology()
    for expected in ((2, 1), (1, 2)):
        system.realize(state, Stage.POSITION)
        system.auto_update_discrete_variables(state)
        assert (state.get(first.best), state.get(second.best)) == expected


def test_a_lazy_value_follows_an_update(system, continuous, make, memory):
    best = memory(0.0, lambda state, best: state.q[0], invalidates=Stage.REPORT)

    def topology(subsystem, state):
        subsystem.double = state.allocate_cache_entry(
            subsystem, "double", Stage.INSTANCE, shape=(), prerequisites=[best.best], compute=lambda s: 2 * s.get(best.best)
        )

    subsystem = make({"TOPOLOGY": topology}, name="double")
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    assert state.cached(subsystem.double) == 0
    system.auto_update_discrete_variables(state)
    assert state.cached(subsystem.double) == 0.6


@pytest.mark.parametrize("stage", [Stage.TOPOLOGY, Stage.MODEL])
def test_an_auto_update_variable_cannot_invalidate_model(system, memory, stage):
    memory(1.0, lambda state, best: 2.0, invalidates=stage)
    with pytest.raises(InputError, match=f"'best' cannot invalidate {stage.name}: it changes during a run"):
        system.realize_topology()


def test_copies_and_bytes_contain_the_variable_without_next_value(system, largest):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    system.auto_update_discrete_variables(state)
    system.realize(state, Stage.REPORT)
    for other in (state.copy(), type(state).from_bytes(system, state.to_bytes())):
        assert other.get(largest.best) == 0.3
        assert not other.is_valid(largest.best.update)
