"""The correction of coordinates of fixed steps: how far rows rise, and that it moves no shape into another one that was open."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import MobodWarning

HALF, RADIUS, TOLERANCE = 0.5, 0.05, 1e-4  # m
DEPTH, GAP = 9 * TOLERANCE, TOLERANCE  # a start may be ten tolerances deep; see end_of for what the correction leaves
each_rule = pytest.mark.parametrize("rule", ["artisynth", "predictive"])


def end_of(rule):
    """m: where rows end that were below their tolerance."""
    return -TOLERANCE if rule == "artisynth" else -0.25 * TOLERANCE


def bar_on(walls):
    """A System and its body, a bar along x with balls at its ends, between smooth walls.

    walls: (-1 or 1: the end that touches it, height, whether it is above the bar)
    """
    system = mb.MultibodySystem("bar")
    matter = mb.MatterSubsystem(system)
    bar = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[2 * HALF, 0.1, 0.1])), name="bar")
    for i, (end, height, is_above) in enumerate(walls):
        wall = mb.Transform(np.diag([1, -1, -1]) if is_above else np.eye(3), [0, 0, height])
        shapes = (matter.ground, mb.contact.HalfSpace(), bar, mb.contact.Sphere(RADIUS))
        mb.RigidContact(*shapes, X_B1S1=wall, X_B2S2=mb.Transform(p=[end * HALF, 0, 0]), name=f"wall{i}").tolerance = TOLERANCE
    return system, bar


def distances_of(names, values):
    return np.array([values[f"wall{i}.distance"][0] for i in range(names)])


def corrected(walls, rule, tolerance_of_last=TOLERANCE):
    """Distances, m, at the start of a run; walls as above, and the tolerance of the last one, m."""
    system, _ = bar_on(walls)
    system.matter.constraints[-1].tolerance = tolerance_of_last
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, engagement=rule, backend="interpreted")
    return distances_of(len(walls), simulation.run(system.realize_topology(), 1e-3))


@each_rule
def test_an_end_that_is_lifted_does_not_press_the_other_one_into_the_floor(rule):
    lifted, other = corrected([(-1, DEPTH - RADIUS, False), (1, -GAP - RADIUS, False)], rule)  # it would end at -3 tolerances

    assert lifted == pytest.approx(end_of(rule), abs=1e-2 * TOLERANCE)
    assert other == pytest.approx(-TOLERANCE, abs=1e-2 * TOLERANCE)


@each_rule
def test_an_open_contact_that_stays_open_takes_no_part(rule):
    lifted, other = corrected([(-1, DEPTH - RADIUS, False), (1, -9 * GAP - RADIUS, False)], rule)

    assert lifted == pytest.approx(end_of(rule), abs=1e-2 * TOLERANCE)
    assert 4 * GAP < other < 7 * GAP  # about half of the lift of the other end


def test_rows_of_one_body_rise_together():
    ends = corrected([(-1, DEPTH - RADIUS, False), (1, 0.9 * TOLERANCE - RADIUS, False)], "predictive")

    np.testing.assert_allclose(ends, -0.25 * TOLERANCE, rtol=0, atol=1e-2 * TOLERANCE)


def test_an_end_without_room_rises_to_its_tolerance():
    """By 2 tolerances. By 2.75 it would be 0.55 tolerances deep in the wall above, which allows 0.1."""
    walls = [(1, 3 * TOLERANCE - RADIUS, False), (1, 2.2 * TOLERANCE + RADIUS, True)]
    ends = corrected(walls, "predictive", tolerance_of_last=0.1 * TOLERANCE)

    np.testing.assert_allclose(ends, [-TOLERANCE, 0.2 * TOLERANCE], rtol=0, atol=1e-2 * TOLERANCE)


@pytest.mark.parametrize("options", [{}, {"slots": 4}], ids=["own slots", "shared slots"])
def test_a_body_within_its_tolerance_stays_where_it_is_while_another_one_rises(options):
    system = mb.MultibodySystem("balls")
    matter = mb.MatterSubsystem(system)
    system.penetration_tol = TOLERANCE
    contacts = mb.ContactSet(matter)
    contacts.add(matter.ground, mb.contact.Box([2, 1, 1]), mb.Transform(p=[0, 0, -1]))
    mass = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=RADIUS))
    balls = [mb.Free(matter.ground, mass, name=f"ball{k}") for k in range(2)]
    for ball in balls:
        contacts.add(ball, mb.contact.Sphere(RADIUS))
    contacts.rigid(static_friction=0.5, **options)
    state = system.realize_topology()
    for k, depth in enumerate((0.9 * TOLERANCE, DEPTH)):
        balls[k].set_q(state, [1, 0, 0, 0, k, 0, RADIUS - depth])
    final = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").run(state, 1e-3).final_state

    depths = [RADIUS - ball.q(final)[6] for ball in balls]
    np.testing.assert_allclose(depths, [0.9 * TOLERANCE, 0.25 * TOLERANCE], rtol=0, atol=1e-2 * TOLERANCE)


@each_rule
def test_a_step_of_bounded_work_corrects_once_more(rule):
    """Its bounds hold after the first step: the bar is set down then."""
    walls = [(-1, DEPTH - RADIUS, False), (1, -GAP - RADIUS, False)]
    system, bar = bar_on(walls)
    state = system.realize_topology()
    bar.set_q(state, [1, 0, 0, 0, 0, 0, 1.0])
    options = {"integrator": "velocity_level", "step": 1e-3, "engagement": rule, "backend": "interpreted"}
    with mb.Simulation(system, bounded=True, **options).start(state) as run:
        run.step(1e-3)
        run.set("bar.q", [1, 0, 0, 0, 0, 0, 0])
        with pytest.warns(MobodWarning, match="the state that was set"):
            run.step(1e-3)
        found, overruns = distances_of(2, run), run.leftovers.overrun

    np.testing.assert_allclose(found, [end_of(rule), -TOLERANCE], rtol=0, atol=1e-2 * TOLERANCE)
    assert overruns == 0
