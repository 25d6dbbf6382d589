"""The correction of coordinates of fixed steps moves no shape into another one that was open."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import MobodWarning

HALF, RADIUS, TOLERANCE = 0.5, 0.05, 1e-4  # m
DEPTH, GAP = 9 * TOLERANCE, TOLERANCE  # a start may be ten tolerances deep; the correction leaves one


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


def corrected(walls):
    """Distances, m, at the start of a run; walls as above."""
    system, _ = bar_on(walls)
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted")
    return distances_of(len(walls), simulation.run(system.realize_topology(), 1e-3))


def test_an_end_that_is_lifted_does_not_press_the_other_one_into_the_floor():
    lifted, other = corrected([(-1, DEPTH - RADIUS, False), (1, -GAP - RADIUS, False)])  # it would end at -3 tolerances

    assert lifted == pytest.approx(-TOLERANCE, abs=1e-2 * TOLERANCE)
    assert other == pytest.approx(-TOLERANCE, abs=1e-2 * TOLERANCE)


def test_an_open_contact_that_stays_open_takes_no_part():
    lifted, other = corrected([(-1, DEPTH - RADIUS, False), (1, -9 * GAP - RADIUS, False)])

    assert lifted == pytest.approx(-TOLERANCE, abs=1e-2 * TOLERANCE)
    assert 4 * GAP < other < 7 * GAP  # about half of the lift of the other end


def test_a_step_of_bounded_work_corrects_once_more():
    """Its bounds hold after the first step: the bar is set down then."""
    walls = [(-1, DEPTH - RADIUS, False), (1, -GAP - RADIUS, False)]
    system, bar = bar_on(walls)
    state = system.realize_topology()
    bar.set_q(state, [1, 0, 0, 0, 0, 0, 1.0])
    options = {"integrator": "velocity_level", "step": 1e-3, "backend": "interpreted"}
    with mb.Simulation(system, bounded=True, **options).start(state) as run:
        run.step(1e-3)
        run.set("bar.q", [1, 0, 0, 0, 0, 0, 0])
        with pytest.warns(MobodWarning, match="the state that was set"):
            run.step(1e-3)
        found, overruns = distances_of(2, run), run.leftovers.overrun

    np.testing.assert_allclose(found, -TOLERANCE, atol=1e-2 * TOLERANCE)
    assert overruns == 0
