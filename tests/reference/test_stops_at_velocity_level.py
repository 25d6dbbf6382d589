"""Fixed steps at velocity level compared with exactly known motions with stops, and with steps of ArtiSynth's kind."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.reference.stops import hinge_with_stop, read, slotted_hinge

# largest errors of a coordinate up to 2.9 s in another implementation of the two rules, in joint coordinates
KNOWN = {("artisynth", 0.01): 1.6e-1, ("artisynth", 0.002): 3.0e-2, ("artisynth", 0.0005): 7.9e-3}
KNOWN |= {("predictive", 0.01): 1.4e-1, ("predictive", 0.002): 2.6e-2, ("predictive", 0.0005): 6.1e-3}
PASSED = 1e-4  # rad or m: allowed penetration of a limit at the end of a step


def run(system, until, step, rule, constraints_at=None, **options):
    simulation = mb.Simulation(system, integrator="velocity_level", step=step, engagement=rule, constraints_at=constraints_at)
    return simulation.run(system.realize_topology(), until, **options)


@pytest.mark.parametrize(
    ("rule", "step"), [pytest.param(*case, marks=pytest.mark.slow) if case[1] < 0.001 else case for case in KNOWN], ids=str
)
def test_a_slotted_hinge_converges_to_the_exact_motion_with_first_order(rule, step):
    exact = read("exact_custom_joint_demo_e0")
    system, _ = slotted_hinge(exact["params"])
    known = np.array([state[:2] for time, state, _, _ in exact["steps"] if time < 2.905])

    q, at_middle = [run(system, 2.9, step, rule, place, report_every=0.01)["hinge.q"] for place in ("begin", "middle")]

    error = np.abs(q - known).max()
    assert error == pytest.approx(KNOWN[rule, step], rel=0.25)  # the implementations differ in details
    assert np.abs(at_middle - known).max() < 0.8 * error  # of first order, too, by the impacts
    assert np.abs(q[:, 0]).max() <= exact["params"]["x_range"][1] + (PASSED if rule == "artisynth" else 1e-12)


@pytest.mark.fast(1)
@pytest.mark.parametrize("rule", ["artisynth", "predictive"])
def test_the_impact_time_of_a_hinge_converges_with_first_order(rule):
    exact = read("exact_hinge_stop")

    errors = []
    for step in (0.02, 0.005, 0.00125):
        system, _ = hinge_with_stop(exact["params"])
        q = run(system, 0.5, step, rule, "begin")["hinge.q"]
        times = np.arange(len(q)) * step
        adaptive = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(system.realize_topology(), 0.5, report_every=step)
        assert_allclose(adaptive.time, times, atol=1e-12)
        errors.append(np.abs(q - adaptive["hinge.q"]).max())

    assert errors[0] < 0.12
    assert errors[1] < 0.35 * errors[0]  # 0.25 of it, and an error that depends on the time of the impact within a step
    assert errors[2] < 0.4 * errors[1]


def test_a_hinge_with_rows_at_the_middle_stops_at_the_time_of_its_impact():
    """Its bodies move with the speeds before the impact until the distance is zero."""
    system, _ = hinge_with_stop(read("exact_hinge_stop")["params"])
    exact = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(system.realize_topology(), 0.5, report_every=0.01)
    errors = [np.abs(run(system, 0.5, step, "predictive", report_every=0.01)["hinge.q"] - exact["hinge.q"]).max() for step in (0.01, 0.005)]
    assert errors[0] < 1e-7
    assert errors[1] < 0.3 * errors[0]


@pytest.mark.slow
def test_maximal_coordinates_give_the_same_motion_within_the_order_of_the_step():
    """The hinge has six constraint rows in maximal coordinates, and one coordinate here. Both rest one tolerance below the stop."""
    exact = read("exact_hinge_stop")
    params, step = exact["params"], 0.005
    system, pin = hinge_with_stop(params)
    results = run(system, 1.0, step, "artisynth")

    axial, com = params["I_pivot"] / 100, np.array([params["com_dist"], 0, 0])
    rod = mb.maximal.MaximalBody(mb.MassProperties(params["mass"], com, np.diag([axial, params["I_pivot"], params["I_pivot"]])))
    coupling = mb.HingeCoupling((-1.0, params["theta_max"]))
    joint = mb.maximal.MaximalJoint(coupling, rod, X_WD=mb.Transform())
    simulation = mb.maximal.MaximalCoordinateSimulation([rod], [joint], step=step, gravity=[0, params["g"], 0], rotary_tolerance=1e-4)
    angles = []
    for _ in range(round(1.0 / step)):
        angles.append(coupling.coordinate(0).value)
        simulation.step()

    assert_allclose(results["hinge.q"][:-1], angles, atol=5 * step)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    assert_allclose(pin.q(results.final_state), coupling.coordinate(0).value, atol=1e-9)
    assert_allclose(-pin.limit_force(results.final_state), coupling.constraint(5).multiplier, rtol=1e-9)
