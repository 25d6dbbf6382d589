"""Closed loops over long times: constraints and energy are kept, also with redundant rows."""

import re
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import IntegrationError, MobodError
from mobod.matter.equations.motion_equations import Level
from mobod.scalar import where
from tests.analytic.linkage import bar, linkage


def run_and_check(seconds, accuracy):
    """Checks that constraint errors are below the tolerance at each report; returns the change of the energy, relative to the kinetic
    energy.
    """
    made = linkage()
    system, matter, start = made.system, made.matter, made.state
    tolerance = accuracy / 10
    results = mb.Simulation(system, accuracy).run(start, until=seconds)
    state, energies, kinetic = start.copy(), [], []
    for time, y in list(zip(results.time, results.y, strict=True))[:: max(1, len(results.time) // 200)]:
        state.time, state.y = time, y
        system.realize(state, mb.Stage.ACCELERATION)
        assert np.abs(matter.constraint_position_errors(state)).max() <= tolerance, time
        assert np.abs(matter.constraint_velocity_errors(state)).max() <= tolerance, time
        energies.append(system.energy(state))
        kinetic.append(system.kinetic_energy(state))
    assert len(energies) > 40
    return np.abs(np.array(energies) - energies[0]).max() / max(kinetic)


def test_a_redundant_parallelogram_stays_closed_and_keeps_its_energy():
    # some 100 steps a second, each with an error of 1e-9 of coordinates and speeds of size 1
    assert run_and_check(5.0, 1e-9) < 1e-6


@pytest.mark.slow
def test_a_redundant_parallelogram_stays_closed_for_100_s():
    assert run_and_check(100.0, 1e-8) < 1e-4


def test_a_linkage_follows_a_crank_locked_at_a_speed():
    """Only that crank's coordinate is not projected; the others follow."""
    made = linkage()
    made.cranks[1].lock_at(made.state, 0.9, "velocity")
    final = mb.Simulation(made.system, 1e-8).run(made.state, until=0.5).final_state
    assert_allclose([crank.q(final)[0] for crank in made.cranks], -2.0 + 0.5 * 0.9, atol=1e-8)
    assert_allclose([crank.u(final)[0] for crank in made.cranks], 0.9, atol=1e-8)


@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the projection is what is tested
def test_compiled_and_interpreted_rates_match_after_projections():
    """Loops on two branches: the workspace of one projection must not be used for a row of the other."""
    system = mb.MultibodySystem("branches")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -1, 0.1], magnitude=9.81, name="gravity")
    tips = []
    for branch in range(3):
        first = mb.Ball(matter.ground, bar(0.5), X_PF=mb.Transform(p=[branch, 0, 0]), name=f"first{branch}")
        tips.append(mb.Ball(first, bar(0.7), X_PF=mb.Transform(p=[0.5, 0, 0]), name=f"second{branch}"))
    mb.Rod(tips[0], [0.7, 0, 0], tips[1], [0.7, 0, 0], 1.0, name="between")
    mb.Rod(matter.ground, [1.9, 0.3, 0.2], tips[2], [0.7, 0.1, 0], 1.4, name="held")
    state = system.realize_topology()
    rng = np.random.default_rng(3)
    for body in matter.bodies:  # bent, because a straight arm cannot change its length
        q = np.array([1.0, 0, 0, 0]) + 0.3 * rng.normal(size=4)
        body.set_q(state, q / np.linalg.norm(q))
    state.u = 0.5 * rng.normal(size=len(state.u))
    final = mb.Simulation(system, 1e-10).run(state, until=0.5).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    assert np.abs(matter.constraint_position_errors(final)).max() <= 1e-11


def contradicting_at(time):
    """A locked coordinate, and a motion that contradicts the lock after a given time."""
    system = mb.MultibodySystem("pins")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, bar(0.5), name="pin")
    mb.ConstantCoordinate(pin, 0, 0.0, name="still")
    mb.PrescribedMotion(matter, mb.functions.Step(0.0, 0.4, time, 1.0), pin, 0, name="swing")
    return SimpleNamespace(system=system, state=system.realize_topology())


def test_a_contradiction_stops_the_run_where_it_begins():
    made = contradicting_at(0.3)
    with pytest.raises(IntegrationError, match=r"stopped at 0\.3\d* s.*(still|swing)") as raised:
        mb.Simulation(made.system, 1e-8).run(made.state, until=1.0)
    assert isinstance(raised.value, MobodError)


@dataclass(frozen=True)
class Jump(mb.MotionEquations):
    """A coordinate of 1.5 m, and of 2.5 m from 0.35 s on."""

    level: Level = "position"

    def value(self, t):
        return np.array([where(t < 0.35, 1.5, 2.5)])


def test_a_loop_that_a_jump_opens_stops_the_run_where_no_step_can_close_it():
    """A rod of 1.37 m from a crank of 1 m to a slider that jumps out of its reach: at rest on both sides, so that accelerations are
    finite, but no configuration satisfies the rod after the jump.
    """
    system = mb.MultibodySystem("crank")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    slider = mb.Slider(matter.ground, bar(0.5), name="slider")
    mb.CustomMotion(slider, Jump())
    crank = mb.Pin(matter.ground, bar(1.0), name="crank")
    slider.set_default_q([1.5])
    crank.set_default_q([1.1])
    mb.Rod(slider, [0, 0, 0], crank, [1, 0, 0], float(np.hypot(1.5 - np.cos(1.1), np.sin(1.1))), name="rod")
    state = system.realize_topology()

    with pytest.raises(IntegrationError, match=r"at 0\.35 s: constraint 'rod' is not satisfied, even with the smallest step"):
        mb.Simulation(system, backend="interpreted").run(state, until=1.0)
    with pytest.raises(IntegrationError, match=r"constraint 'rod' is not satisfied: .* use shorter steps"):
        mb.Simulation(system, integrator="RK4", step=0.01, backend="interpreted").run(state, until=1.0)


def parallelogram(gravity):
    """Two cranks and a coupler. At angles 0 and pi they are aligned, and the loop could continue as an antiparallelogram."""
    system = mb.MultibodySystem("parallelogram")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=gravity, name="gravity")
    left = mb.Pin(matter.ground, bar(0.5), name="left")
    coupler = mb.Pin(left, bar(1.2), X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    right = mb.Pin(matter.ground, bar(0.5), X_PF=mb.Transform(p=[1.2, 0, 0]), name="right")
    mb.BallConstraint(coupler, [1.2, 0, 0], right, [0.5, 0, 0], name="loop")
    return SimpleNamespace(system=system, matter=matter, bodies=(left, coupler, right))


def turning(made, angle, rate):
    state = made.system.realize_topology()
    for body, sign in zip(made.bodies, (1, -1, 1), strict=True):
        body.set_q(state, sign * angle)
        body.set_u(state, sign * rate)
    made.system.realize(state, mb.Stage.VELOCITY)
    return state


CHANGE_POINT = r"constraint 'loop' changes '(left|coupler|right)\.[qu]' by .* a closed loop can continue in several ways"


@contextmanager
def may_stop(kind, message):
    """A context that accepts no exception, or the expected one."""
    try:
        yield
    except kind as error:
        if not re.search(message, str(error)):
            raise


@pytest.mark.parametrize("accuracy", [1e-4, 1e-6])
def test_a_parallelogram_passes_its_change_points(accuracy):
    """Steps of ordinary size pass the change points: inertia keeps the parallelogram, and without gravity its rate is constant."""
    made = parallelogram(0.0)
    angle, rate, seconds = -2.0, 1.7, 6.0  # past 0, pi and 2 pi
    final = mb.Simulation(made.system, accuracy).run(turning(made, angle, rate), until=seconds).final_state
    assert_allclose(final.q, np.array([1, -1, 1]) * (angle + rate * seconds), atol=100 * accuracy)
    assert_allclose(final.u, np.array([1, -1, 1]) * rate, atol=100 * accuracy)


@pytest.mark.fast(7)
@pytest.mark.parametrize("accuracy", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_at_a_change_point_a_loop_keeps_its_branch_or_stops_with_an_error(accuracy, gravity):
    """The run stops if a projection near the change point would change the speeds. Errors within the tolerance may decide the
    branch, but the loop never jumps: energy and constraint errors stay within their bounds.
    """
    made = parallelogram(gravity)
    state = turning(made, -2.0, 9.0)
    energy = made.system.energy(state)
    with may_stop(IntegrationError, CHANGE_POINT):
        final = mb.Simulation(made.system, accuracy).run(state, until=1.5).final_state
        made.system.realize(final, mb.Stage.VELOCITY)
        assert np.abs(made.matter.constraint_position_errors(final)).max() <= accuracy / 10
        assert_allclose(made.system.energy(final), energy, rtol=1000 * accuracy)  # of some hundred steps


def test_a_loop_with_all_bars_in_line_has_one_more_degree_of_freedom():
    made = parallelogram(9.81)
    degrees = []
    for angle in (1e-3, 0.0):
        state = turning(made, angle, 0.0)
        made.system.realize(state, mb.Stage.DYNAMICS)
        degrees.append(made.matter.analyze_constraints(state).degrees_of_freedom)
    assert degrees == [1, 2]
