"""mobod compared with the exactly known rigid motion of a parallelogram: data/couplings/exact_four_bar.json."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.reference.stops import parallelogram, read


@pytest.mark.fast(1)
@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_a_parallelogram_with_redundant_rows_matches_its_equation_of_motion(backend):
    exact = read("exact_four_bar")
    system = parallelogram(exact["I"], exact["G"], exact["c"])
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    analysis = system.matter.analyze_constraints(state)

    results = mb.Simulation(system, accuracy=1e-10, backend=backend).run(state, until=exact["t"][-1], report_every=0.01)

    assert (len(analysis.rows), analysis.rank) == (8, 2)
    assert_allclose(results.time, exact["t"], atol=1e-12)
    assert_allclose(-results["upper.q"], exact["phi"], atol=1e-8)
    assert_allclose(-results["upper.u"], exact["phid"], atol=1e-8)  # speeds of some 5 rad/s


def test_redundant_multipliers_have_the_right_sum():
    """The force of each of the eight rows is not unique, but the hinges on the ground together carry weight and inertia forces."""
    exact = read("exact_four_bar")
    system = parallelogram(exact["I"], exact["G"], exact["c"], phi=0.6)
    state = system.realize_topology()
    for name, sign in (("upper", -1), ("lower", -1), ("coupler", 1)):
        system.matter.body(name).set_u(state, sign * 0.8)
    system.realize(state, mb.Stage.ACCELERATION)
    bodies = [system.matter.body(name) for name in ("upper", "lower", "coupler")]

    of_ground = sum(body.reaction_on_body_at_M(state)[3:] for body in bodies[:2])

    momentum_rate = np.zeros(3)
    for body in bodies:
        properties = body.body.mass_properties
        w, alpha, r = body.V_GB(state)[:3], body.A_GB(state)[:3], body.X_GB(state).R @ properties.com
        momentum_rate += properties.mass * (body.A_GB(state)[3:] + np.cross(alpha, r) + np.cross(w, np.cross(w, r)))
    weight = sum(body.body.mass_properties.mass for body in bodies) * np.array([0, -9.8, 0])
    assert_allclose(of_ground, momentum_rate - weight, rtol=0, atol=1e-9 * np.linalg.norm(weight))
    # the acceleration matches the equation of motion
    assert_allclose(-bodies[0].u_dot(state), (exact["G"] * np.cos(0.6) - exact["c"] * 0.8) / exact["I"], rtol=1e-10)
