"""Equality of States and of values."""

import numpy as np
import pytest

from mobod.system import Stage
from mobod.system.state.equality import same_value

nan = float("nan")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.5, 1.5),
        (nan, float("nan")),
        (np.array([1.0, nan]), np.array([1.0, nan])),
        (np.array([[1, 2]]), np.array([[1, 2]])),
        (np.array(["a"]), np.array(["a"])),
        (np.array([None, [nan]], dtype=object), np.array([None, [float("nan")]], dtype=object)),
        ({"a": [nan, (1, "b")]}, {"a": [float("nan"), (1, "b")]}),
        (None, None),
    ],
)
def test_equal_values_are_the_same_including_nan(a, b):
    assert same_value(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, True),
        ("1", 1),
        ([1], (1,)),
        ([1, 2], [1]),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 2}),
        (nan, 1.0),
        (np.array([1.0, nan]), np.array([nan, 1.0])),
        (np.ones(2), np.ones((2, 1))),
        (np.ones(2), np.ones(2, dtype=np.float32)),
        (np.ones(2), [1.0, 1.0]),
        (np.array([None], dtype=object), np.array([0], dtype=object)),
    ],
)
def test_values_of_different_type_shape_or_content_are_not_the_same(a, b):
    assert not same_value(a, b)
    assert not same_value(b, a)


@pytest.fixture
def piston(make):
    """Variables of every kind."""

    def topology(subsystem, state):
        subsystem.is_long = state.allocate_discrete_variable(subsystem, "is_long", False, Stage.MODEL)
        subsystem.gain = state.allocate_discrete_variable(subsystem, "gain", 1.5, Stage.DYNAMICS)
        subsystem.table = state.allocate_discrete_variable(subsystem, "table", np.array([1.0, 2.0]), Stage.INSTANCE)
        subsystem.notes = state.allocate_discrete_variable(subsystem, "notes", {"knots": np.array([0.5, nan])}, Stage.REPORT)
        subsystem.heat = state.allocate_cache_entry(subsystem, "heat", Stage.POSITION, shape=(), compute=lambda state: state.q[0])

    def model(subsystem, state):
        state.allocate_q(subsystem, [0.3] * (3 if state.get(subsystem.is_long) else 2))
        state.allocate_u(subsystem, [0.7])
        state.allocate_z(subsystem, [0.1])

    return make({"TOPOLOGY": topology, "MODEL": model}, name="piston")


def test_states_with_equal_variables_are_equal_regardless_of_computed_values(system, piston):
    state, other = system.realize_topology(), system.realize_topology()
    assert state == other == state.copy()
    system.realize(state, Stage.REPORT)
    state.cached(piston.heat)
    assert state == other
    other.set(piston.notes, {"knots": np.array([0.5, nan])})
    assert state == other


@pytest.mark.parametrize(
    "change",
    [
        lambda state, piston: setattr(state, "time", 0.5),
        lambda state, piston: setattr(state, "q", [0.3, 0.4]),
        lambda state, piston: setattr(state, "u", [0.8]),
        lambda state, piston: setattr(state, "z", [0.2]),
        lambda state, piston: state.set(piston.gain, 1.25),
        lambda state, piston: state.set(piston.table, [1.0, 2.5]),
        lambda state, piston: state.set(piston.notes, {"knots": np.array([0.75, nan])}),
        lambda state, piston: state.set(piston.is_long, True),
    ],
    ids=["time", "q", "u", "z", "number", "array", "object", "model"],
)
def test_states_that_differ_in_one_variable_are_not_equal(system, piston, change):
    state, other = system.realize_topology(), system.realize_topology()
    change(other, piston)
    assert state != other
    system.realize_model(other)
    assert state != other
    change(state, piston)
    system.realize_model(state)
    assert state == other


def test_states_of_two_systems_or_of_two_topologies_are_not_equal(system, make, piston):
    state, other = system.realize_topology(), type(system)(system.name).realize_topology()
    assert state != other
    piston.invalidate_topology()
    assert state != system.realize_topology()
    assert state == state.copy()


def test_a_state_is_not_hashable_and_equals_no_other_object(system, piston):
    state = system.realize_topology()
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)
    assert state != "state"
