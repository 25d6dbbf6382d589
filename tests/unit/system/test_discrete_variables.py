"""Discrete variables of any type, with any invalidated stage from MODEL on."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError, StageError
from mobod.system import Stage

FROM_MODEL = [Stage(number) for number in range(Stage.MODEL, Stage.REPORT + 1)]
VALUES = [2.5, np.array([1.5, -2.0, 3.25]), np.array([[1.0, 2.0], [3.0, 4.5]]), True, "two pistons", ["a", {"b": 2}], 3, None]
OTHERS = [-1.5, np.array([0.5, 0.25, 0.0]), np.array([[0.0, 1.0], [0.5, 2.0]]), False, "three", [], -4, (1, 2)]


@pytest.fixture
def variable_of(system, make):
    """variable_of(value, stage, at) makes a System's State with one discrete variable: (state, handle, subsystem)."""

    def create(value, stage, at="TOPOLOGY"):
        def allocate(subsystem, state):
            subsystem.handle = state.allocate_discrete_variable(subsystem, "cylinders", value, stage)

        subsystem = make({at: allocate})
        state = system.realize_topology()
        return state, subsystem.handle, subsystem

    return create


@pytest.mark.parametrize("at", ["TOPOLOGY", "MODEL"])
@pytest.mark.parametrize(("value", "other"), list(zip(VALUES, OTHERS, strict=True)), ids=lambda value: type(value).__name__)
def test_a_variable_of_any_type_has_its_start_value_and_can_be_set(variable_of, value, other, at):
    state, handle, _ = variable_of(value, Stage.DYNAMICS, at)
    assert_array_equal(state.get(handle), value)
    assert type(state.get(handle)) is type(value)
    state.set(handle, other)
    assert_array_equal(state.get(handle), other)


@pytest.mark.parametrize("value", [2.5, "text"], ids=["number", "object"])
@pytest.mark.parametrize("stage", FROM_MODEL[1:])
def test_setting_a_variable_invalidates_its_stage(system, variable_of, stage, value):
    state, handle, subsystem = variable_of(value, stage)
    system.realize(state, Stage.REPORT)
    subsystem.log.clear()
    state.set(handle, value)
    assert state.stage == stage.previous()
    system.realize(state, Stage.REPORT)
    assert [each for _, each in subsystem.log] == [each for each in FROM_MODEL if each >= stage]


@pytest.mark.parametrize("stage", [Stage.EMPTY, Stage.TOPOLOGY])
def test_variables_do_not_exist_before_model(variable_of, stage):
    with pytest.raises(
        InputError, match=f"discrete variable 'cylinders': it cannot invalidate {stage.name}, since variables exist from MODEL on"
    ):
        variable_of(1.0, stage)


@pytest.mark.parametrize("stage", FROM_MODEL[1:])
def test_allocating_after_model_is_refused_by_name(system, make, stage):
    make({stage.name: lambda self, state: state.allocate_discrete_variable(self, "late", 1.0, Stage.DYNAMICS)})
    with pytest.raises(StageError, match=r"'late' is allocated too late.*realize_topology or realize_model"):
        system.realize(system.realize_topology(), stage)


def test_allocating_outside_hooks_is_refused(system, make):
    subsystem = make()
    state = system.realize_topology()
    with pytest.raises(StageError, match="'late' is allocated too late"):
        state.allocate_discrete_variable(subsystem, "late", 1.0, Stage.DYNAMICS)
    with pytest.raises(StageError, match="'late' is allocated too late"):
        state.allocate_cache_entry(subsystem, "late", Stage.DYNAMICS, shape=())
    for allocate in (state.allocate_q, state.allocate_u, state.allocate_z):
        with pytest.raises(StageError, match="allocated too late"):
            allocate(subsystem, [1.0])


def test_continuous_variables_must_be_allocated_at_model(system, make):
    make({"TOPOLOGY": lambda self, state: state.allocate_u(self, [1.0])}, name="early")
    with pytest.raises(StageError, match="subsystem 'early' allocates u outside realize_model"):
        system.realize_topology()


@pytest.mark.parametrize(
    ("value", "wrong", "message"),
    [
        (2.5, np.nan, "'cylinders' cannot be nan"),
        (2.5, [1.0, 2.0], r"'cylinders' has shape \(\), but a value of shape \(2,\)"),
        (np.ones(3), np.ones(4), r"'cylinders' has shape \(3,\), but a value of shape \(4,\)"),
        (2.5, "many", "'cylinders' takes numbers, not 'many'"),
    ],
)
def test_numeric_variables_accept_only_finite_numbers_of_their_shape(variable_of, value, wrong, message):
    state, handle, _ = variable_of(value, Stage.DYNAMICS)
    with pytest.raises(InputError, match=message):
        state.set(handle, wrong)
    assert_array_equal(state.get(handle), value)


@pytest.mark.parametrize("value", [2.5, "text"], ids=["number", "object"])
def test_a_copy_has_discrete_variables_of_its_own(variable_of, value):
    state, handle, _ = variable_of(value, Stage.DYNAMICS)
    copy = state.copy()
    copy.set(handle, 7.25)
    assert (state.get(handle), copy.get(handle)) == (value, 7.25)


# MODEL-stage variables determine which variables exist


@pytest.fixture
def spinner(make):
    """Three or four coordinates, by a MODEL-stage variable; also a discrete variable and an object."""

    def topology(subsystem, state):
        subsystem.is_quaternion = state.allocate_discrete_variable(subsystem, "is_quaternion", True, Stage.MODEL)
        subsystem.gain = state.allocate_discrete_variable(subsystem, "gain", 1.5, Stage.DYNAMICS)
        subsystem.label = state.allocate_discrete_variable(subsystem, "label", "new", Stage.INSTANCE)

    def model(subsystem, state):
        state.allocate_q(subsystem, [1.0, 0, 0, 0] if state.get(subsystem.is_quaternion) else [0.1, 0.2, 0.3])
        if not state.get(subsystem.is_quaternion):
            state.allocate_discrete_variable(subsystem, "order", np.array([0.0, 1.0, 2.0]), Stage.POSITION)

    return make({"TOPOLOGY": topology, "MODEL": model}, name="spinner")


def test_setting_a_model_variable_makes_a_new_layout(system, spinner):
    state = system.realize_topology()
    assert state.q.shape == (4,)
    state.set(spinner.is_quaternion, False)
    assert state.stage == Stage.TOPOLOGY

    system.realize_model(state)
    assert state.stage == Stage.MODEL
    assert_array_equal(state.q, [0.1, 0.2, 0.3])
    assert state.get(spinner.is_quaternion) is False

    state.set(spinner.is_quaternion, True)
    system.realize(state, Stage.POSITION)  # realizes the model, too
    assert_array_equal(state.q, [1, 0, 0, 0])


def test_other_discrete_variables_keep_their_values_when_the_model_changes(system, spinner):
    state = system.realize_topology()
    state.set(spinner.gain, 4.5)
    state.set(spinner.label, "used")
    state.set(spinner.is_quaternion, False)
    assert (state.get(spinner.gain), state.get(spinner.label)) == (4.5, "used")

    system.realize(state, Stage.REPORT)
    assert (state.get(spinner.gain), state.get(spinner.label)) == (4.5, "used")


def test_after_a_model_variable_changed_there_are_no_variables_until_realization(system, spinner):
    state = system.realize_topology()
    state.set(spinner.is_quaternion, False)
    with pytest.raises(StageError, match="exist from MODEL on; this one is at TOPOLOGY"):
        _ = state.q
    with pytest.raises(StageError, match="exist from MODEL on"):
        state.copy()


def test_states_of_two_structures_can_coexist(system, spinner):
    quaternion, angles = system.realize_topology(), system.realize_topology()
    angles.set(spinner.is_quaternion, False)
    system.realize(angles, Stage.REPORT)
    system.realize(quaternion, Stage.REPORT)
    assert (quaternion.q.shape, angles.q.shape) == ((4,), (3,))


def test_several_model_variables_can_be_set_before_the_model_is_realized(system, make):
    def topology(subsystem, state):
        subsystem.count = state.allocate_discrete_variable(subsystem, "count", 1.0, Stage.MODEL)
        subsystem.starts = state.allocate_discrete_variable(subsystem, "starts", np.array([1.0, 2.0]), Stage.MODEL)

    def model(subsystem, state):
        state.allocate_q(subsystem, [state.get(subsystem.starts)[1]] * int(state.get(subsystem.count)))

    subsystem = make({"TOPOLOGY": topology, "MODEL": model})
    state = system.realize_topology()
    state.set(subsystem.count, 3)
    state.set(subsystem.starts, [5.0, 7.0])
    with pytest.raises(InputError, match=r"'starts' has shape \(2,\)"):
        state.set(subsystem.starts, [5.0])
    assert_array_equal(state.get(subsystem.starts), [5, 7])
    with pytest.raises(ValueError, match="read-only"):
        state.get(subsystem.starts)[0] = 1.0
    system.realize_model(state)
    assert_array_equal(state.q, [7, 7, 7])


def test_long_options_with_equal_text_are_distinguished(system, make):
    def topology(subsystem, state):
        subsystem.flags = state.allocate_discrete_variable(subsystem, "flags", np.zeros(2000, dtype=int), Stage.MODEL)

    def model(subsystem, state):
        state.allocate_q(subsystem, [0.0])

    layouts = []
    subsystem = make({"TOPOLOGY": topology, "MODEL": model})
    subsystem.tabulate = layouts.append
    state = system.realize_topology()
    flags = np.zeros(2000, dtype=int)
    flags[1000] = 1  # NumPy prints only a few entries, not this one
    state.set(subsystem.flags, flags)
    system.realize_model(state)
    assert len(layouts) == 2


def test_a_model_variable_must_be_allocated_at_topology(system, make):
    make({"MODEL": lambda self, state: state.allocate_discrete_variable(self, "order", 1.0, Stage.MODEL)})
    with pytest.raises(StageError, match="'order' invalidates MODEL, and so would delete itself"):
        system.realize_topology()


def test_a_model_variable_cannot_be_set_during_a_run_and_can_after_it(system, spinner):
    state = system.realize_topology()
    state.is_running = True
    with pytest.raises(StageError, match="'is_quaternion' cannot be set during a run"):
        state.set(spinner.is_quaternion, False)
    assert state.get(spinner.is_quaternion) is True
    state.set(spinner.gain, 2.5)
    state.copy().set(spinner.is_quaternion, False)
    state.is_running = False
    state.set(spinner.is_quaternion, False)
