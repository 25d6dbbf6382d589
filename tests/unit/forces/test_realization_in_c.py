"""One call of the C runtime realizes a State of a mechanism, with the stages, versions and errors of single steps."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import SingularMechanismError, StageError
from mobod.system import realization


@pytest.fixture
def pendulum():
    """A System, its State, the body and gravity."""
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    gravity = mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.7, 0]), name="rod")
    mb.MobilityLinearSpring(forces, body, stiffness=2.0, name="spring")
    state = system.realize_topology()
    body.set_q(state, 0.4)
    body.set_u(state, -1.1)
    return system, state, body, gravity


@pytest.fixture
def calls(monkeypatch):
    """The number of sweeps run by each call of the C runtime."""
    made = []

    class Counted:
        def __init__(self, library):
            self.library = library

        def __getattr__(self, name):
            return getattr(self.library, name)

        def mobod_realize(self, realization, *arguments):
            made.append(realization.n_calls)
            return self.library.mobod_realize(realization, *arguments)

    library = realization.runtime()
    monkeypatch.setattr(realization, "runtime", lambda: Counted(library))
    return made


def test_all_stages_are_realized_in_one_call(pendulum, calls):
    system, state, _, _ = pendulum
    system.realize(state, mb.Stage.ACCELERATION)
    assert calls == [7]  # gravity's field, matter at INSTANCE and from POSITION on, forces at DYNAMICS


def test_a_lazy_value_that_is_up_to_date_is_not_computed(pendulum, calls):
    system, state, body, gravity = pendulum
    system.realize(state, mb.Stage.ACCELERATION)
    body.set_u(state, 2.3)
    system.realize(state, mb.Stage.ACCELERATION)
    assert calls[1] == 4
    assert gravity.num_evaluations == 1


def test_a_lazy_value_that_nothing_reads_is_not_computed(pendulum, calls):
    system, state, _, gravity = pendulum
    gravity.disable(state)
    system.realize(state, mb.Stage.ACCELERATION)
    assert calls == [6]
    assert gravity.num_evaluations == 0


def test_realizing_stage_by_stage_gives_the_same_numbers(pendulum):
    system, state, _, _ = pendulum
    at_once = state.copy()
    system.realize(at_once, mb.Stage.REPORT)
    for stage in list(mb.Stage)[mb.Stage.INSTANCE :]:
        system.realize(state, stage)
    np.testing.assert_array_equal(state.values, at_once.values)


def test_copies_have_numbers_of_their_own(pendulum):
    system, state, body, _ = pendulum
    system.realize(state, mb.Stage.ACCELERATION)
    before, other = body.u_dot(state).copy(), state.copy()
    body.set_q(other, 1.2)
    system.realize(other, mb.Stage.ACCELERATION)
    assert body.u_dot(other) != before
    np.testing.assert_array_equal(body.u_dot(state), before)


def test_values_that_are_not_finite_are_explained_at_the_previous_stage(pendulum):
    system, state, body, _ = pendulum
    body.set_u(state, 1e200)  # its square is infinite
    body.set_q(state, 1e308)
    with pytest.raises(SingularMechanismError, match="not finite"):
        system.realize(state, mb.Stage.REPORT)
    assert state.stage == mb.Stage.DYNAMICS
    with pytest.raises(StageError, match="rod"):
        body.u_dot(state)
    body.set_q(state, 0.4)
    body.set_u(state, -1.1)
    system.realize(state, mb.Stage.REPORT)
    assert np.isfinite(body.u_dot(state)).all()


@pytest.mark.parametrize("value", [0.3, np.float64(0.3), 3, [0.3], np.array([0.3]), np.array(0.3), np.array([0.3], dtype=np.float32), True])
def test_a_coordinate_accepts_any_kind_of_number(pendulum, value):
    _, state, body, _ = pendulum
    body.set_q(state, value)
    np.testing.assert_array_equal(body.q(state), np.ravel(value).astype(float))


@pytest.mark.parametrize("value", [np.nan, -np.inf, np.array([np.inf]), [np.nan]])
def test_infinite_coordinates_are_refused(pendulum, value):
    _, state, body, _ = pendulum
    with pytest.raises(mb.errors.InputError, match=r"rod\.q cannot be .*: not a finite number"):
        body.set_q(state, value)
    np.testing.assert_array_equal(body.q(state), [0.4])
