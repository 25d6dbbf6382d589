"""Reports between the ends of steps satisfy constraints and quaternion norms, and do not change the steps."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import mobod as mb
from mobod.runtime.integrators import METHODS
from tests.analytic.bricard import bricard
from tests.analytic.linkage import bar
from tests.reference.cases import read_cases
from tests.reference.models import build

TRAJECTORIES = Path(__file__).parents[2] / "reference/data/trajectories.json"


def rods_on_balls():
    """Two rods on balls, the end of the second held by a rod from Ground: quaternions, and a constraint."""
    system = mb.MultibodySystem("rods")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -1, 0.1], magnitude=9.81, name="gravity")
    first = mb.Ball(matter.ground, bar(0.5), name="first")
    second = mb.Ball(first, bar(0.7), X_PF=mb.Transform(p=[0.5, 0, 0]), name="second")
    mb.Rod(matter.ground, [0.2, 0.9, 0.3], second, [0.7, 0.1, 0], 1.4, name="rod")
    state = system.realize_topology()
    rng = np.random.default_rng(5)
    for body in (first, second):
        q = np.array([1.0, 0, 0, 0]) + 0.3 * rng.normal(size=4)
        body.set_q(state, q / np.linalg.norm(q))
    state.u = rng.normal(size=len(state.u))
    return SimpleNamespace(system=system, matter=matter, state=mb.Assembler(system, accuracy=1e-10).assemble(state))


@pytest.mark.fast(5)
@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.parametrize("make", [bricard, rods_on_balls])
@pytest.mark.filterwarnings("ignore:Assembler of System:mobod.MobodWarning")  # the loop shares the given speeds
def test_reports_within_steps_satisfy_the_constraints(make, integrator):
    made, accuracy = make(), 1e-4  # long steps, with many reports in each
    simulation = mb.Simulation(made.system, accuracy, integrator=integrator, backend="interpreted")
    plain = simulation.run(made.state, until=1.0)
    results = simulation.run(made.state, until=1.0, report_every=0.005)

    assert len(results.time) == 201 > 2 * results.steps
    state = made.state.copy()
    for time, y in zip(results.time, results.y, strict=True):
        state.time, state.y = time, y
        made.system.realize(state, mb.Stage.VELOCITY)
        # the tolerance is 1e-5; projections reduce errors to round-off, for lengths of 1 m and speeds of 10 rad/s
        assert np.abs(made.matter.constraint_position_errors(state)).max() <= 1e-13
        assert np.abs(made.matter.constraint_velocity_errors(state)).max() <= 1e-13
        for offset in state.layout.quaternions:
            # the end is not a report within a step; its norm is off by the square of its projection's change, up to 1e-6
            assert abs(np.linalg.norm(state.values[offset : offset + 4]) - 1) < (1e-15 if time < 1.0 else 1e-12)

    # reports do not change the steps
    assert results.steps == plain.steps
    assert results.final_state.y.tobytes() == plain.final_state.y.tobytes()


@pytest.mark.fast(1)
@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_quaternions_of_reports_are_normalized_without_constraints(backend):
    system = mb.MultibodySystem("top")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.Ball(matter.ground, bar(0.5), name="body")
    state = system.realize_topology()
    body.set_u(state, [3.0, 2.0, -1.0])
    results = mb.Simulation(system, 1e-3, backend=backend).run(state, until=1.0, report_every=0.01)
    assert results.steps < 50
    np.testing.assert_allclose(np.linalg.norm(results["body.q"], axis=1), 1, rtol=0, atol=1e-15)


def test_a_report_that_a_projection_would_move_far_is_interpolated_with_a_warning():
    """A crank's motion has a bump of 1 ms within a step. A projected report there would move the other bodies far."""
    system = mb.MultibodySystem("bump")
    matter = mb.MatterSubsystem(system)
    crank = mb.Pin(matter.ground, bar(0.5), name="crank")
    coupler = mb.Pin(crank, bar(1.2), X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar(0.5), X_PF=mb.Transform(p=[1.2, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [1.2, 0, 0], rocker, [0.5, 0, 0], name="loop")
    bump = mb.functions.Spline(PchipInterpolator([0.0, 0.5, 0.5005, 0.501, 1.0], [1.1, 1.1, 1.2, 1.1, 1.1]))
    mb.PrescribedMotion(matter, bump, crank, 0, name="cam")
    state = system.realize_topology()
    for body, angle in ((crank, 1.1), (coupler, -1.1), (rocker, 1.1)):
        body.set_q(state, angle)
    simulation = mb.Simulation(system, 1e-4, backend="interpreted")
    plain = simulation.run(state, until=0.9)

    with pytest.warns(mb.MobodWarning, match=r"^3 reports between the ends of steps, the first at 0\.50025 s"):
        results = simulation.run(state, until=0.9, report_every=2.5e-4)

    assert results.steps == plain.steps < 20
    assert len(results.warnings) == 1
    np.testing.assert_allclose(results["rocker.q"], 1.1, rtol=0, atol=1e-4)


def loop_with_an_inaccurate_report():
    """(system, its start) a loop of four bars. The interpolant of a step is 700 accuracies off at 1.6 s, while its ends are accurate."""
    case = next(each for each in read_cases(TRAJECTORIES) if each["name"] == "four_bar")
    model = build(case)
    return model.system, model.state(case["states"][0])


# found error: the report was that of the interpolant, off the constraints by 4.5e-10 rad/s
def test_a_report_that_the_interpolant_misses_is_the_end_of_a_shorter_step():
    system, start = loop_with_an_inaccurate_report()
    results = mb.Simulation(system, 1e-12, backend="interpreted").run(start, until=1.65, report_every=0.05)
    plain = mb.Simulation(system, 1e-12, backend="interpreted").run(start, until=1.65)
    exact = mb.Simulation(system, 1e-12, backend="interpreted", integrator="RK45").run(start, until=1.6)

    assert not results.warnings
    assert results.final_state.y.tobytes() == plain.final_state.y.tobytes()
    np.testing.assert_allclose(results.y[np.searchsorted(results.time, 1.6 - 1e-9)], exact.final_state.y, rtol=0, atol=2e-11)


@pytest.mark.slow
def test_runs_side_by_side_have_the_same_reports_of_shorter_steps():
    system, start = loop_with_an_inaccurate_report()
    names = [f"{body.name}.u" for body in system.matter.bodies]
    alone = mb.Simulation(system, 1e-12).run(start, until=1.65, report_every=0.05)
    results = mb.Ensemble(system, start, n=9, outputs=names, accuracy=1e-12).run(until=1.65, report_every=0.05)
    for name in names:
        for row in results[name]:
            assert row.tobytes() == alone[name].tobytes()
