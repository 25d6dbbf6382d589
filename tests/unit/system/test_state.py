"""Continuous variables of States, and copies."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError, StageError
from mobod.system import Stage, State


@pytest.fixture
def state(system, continuous):
    return system.realize_topology()


def test_continuous_variables_start_with_their_allocated_values(state):
    assert_array_equal(state.q, [0.3, -0.4])
    assert_array_equal(state.u, [1.7])
    assert_array_equal(state.z, [0.1, 0.2, 0.3])
    assert_array_equal(state.y, [0.3, -0.4, 1.7, 0.1, 0.2, 0.3])
    assert state.time == 0


def test_each_subsystem_has_its_part(system, make, continuous):
    second = make({"MODEL": lambda self, state: state.allocate_q(self, [7.0, 8.0, 9.0])}, name="second")
    state = system.realize_topology()
    assert_array_equal(state.q, [0.3, -0.4, 7, 8, 9])
    assert_array_equal(state.view(state.layout.part("q", second.index)), [7, 8, 9])
    assert_array_equal(state.view(state.layout.part("u", continuous.index)), [1.7])
    assert state.view(state.layout.part("u", second.index)).shape == (0,)


def test_variables_are_set_by_assignment(state):
    state.time, state.q, state.u, state.z = 2.5, [1.5, -2.5], 0.25, np.array([4, 5, 6])
    assert state.time == 2.5
    assert_array_equal(state.y, [1.5, -2.5, 0.25, 4, 5, 6])


@pytest.mark.parametrize("name", ["q", "u", "z", "y"])
def test_read_arrays_are_read_only(state, name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(state, name)[0] = 1.0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("q", [1.0], r"'q' has shape \(2,\), but a value of shape \(1,\) was given"),
        ("q", [[1.0, 2.0]], r"'q' has shape \(2,\), but a value of shape \(1, 2\)"),
        ("z", 1.0, r"'z' has shape \(3,\), but a value of shape \(\)"),
        ("u", [np.nan], "'u' cannot be .*nan.*: not a finite number"),
        ("q", [0.0, np.inf], "'q' cannot be .*inf.*: not a finite number"),
        ("time", np.nan, "'time' cannot be nan: not a finite number"),
        ("q", "high", "'q' takes numbers, not 'high'"),
        ("q", [1.0, None], "'q'"),
        ("q", [1.0 + 2.0j, 0.0], "'q' takes numbers"),
    ],
)
def test_invalid_values_are_refused_without_changes(system, state, name, value, message):
    system.realize(state, Stage.REPORT)
    before = state.values.copy()
    with pytest.raises(InputError, match=message):
        setattr(state, name, value)
    assert_array_equal(state.values, before)
    assert state.stage == Stage.REPORT


@pytest.mark.parametrize(
    ("name", "stage"), [("q_dot", "VELOCITY"), ("u_dot", "ACCELERATION"), ("z_dot", "ACCELERATION"), ("y_dot", "ACCELERATION")]
)
def test_a_rate_before_its_stage_is_refused_with_both_stages(system, state, name, stage):
    system.realize(state, Stage[stage].previous())
    with pytest.raises(StageError, match=rf"{name} needs a State realized to {stage}; this one is at {Stage[stage].previous().name}"):
        getattr(state, name)
    system.realize(state, Stage[stage])
    getattr(state, name)


def test_a_bare_state_has_no_variables(system):
    with pytest.raises(StageError, match=r"exist from MODEL on.*Use the State that realize_topology\(\) returns"):
        _ = State(system).q


@pytest.mark.parametrize("copied", [State.copy, copy.copy], ids=["copy()", "copy.copy"])
def test_a_copy_has_the_variables_and_is_independent(system, state, copied):
    state.time, state.y = 1.25, np.arange(6.0)
    system.realize(state, Stage.REPORT)
    other = copied(state)
    assert (other.time, other.y.tolist()) == (1.25, [0, 1, 2, 3, 4, 5])
    assert other.stage == Stage.MODEL

    other.time, other.y = 9.5, -np.ones(6)
    assert (state.time, state.y.tolist()) == (1.25, [0, 1, 2, 3, 4, 5])
    assert state.stage == Stage.REPORT
