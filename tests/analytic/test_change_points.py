"""Loops that inertia carries through change points, where two motions are possible: benchmark A02 of IFToMM, N four-bars.

Source: http://lim.ii.udc.es/mbsbenchmark/dist/A02/A02_specification.xml
"""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import IntegrationError
from tests.analytic.linkage import bar


def four_bars(n):
    """n four-bars in a row: n + 1 upright cranks of 1 m at distances of 1 m, joined by n couplers; the ends of the cranks move at 1 m/s."""
    system = mb.MultibodySystem("four_bars")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    link = mb.MassProperties(1.0, [0.5, 0, 0], np.diag([1e-4, 1 / 3, 1 / 3]))
    cranks = [mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[float(i), 0, 0]), name=f"crank{i}") for i in range(n + 1)]
    couplers = [mb.Pin(cranks[i], link, X_PF=mb.Transform(p=[1, 0, 0]), name=f"coupler{i}") for i in range(n)]
    for i in range(n):
        mb.BallConstraint(couplers[i], [1, 0, 0], cranks[i + 1], [1, 0, 0], name=f"loop{i}")
    state = system.realize_topology()
    for bodies, sign in ((cranks, 1), (couplers, -1)):
        for body in bodies:
            body.set_q(state, sign * np.pi / 2)
            body.set_u(state, -sign)
    system.realize(state, mb.Stage.VELOCITY)
    return SimpleNamespace(system=system, matter=matter, n=n, state=state)


def run_and_check(made, accuracy, seconds):
    """Checks that the bars stay parallelograms, and that the energy is kept to the accuracy."""
    results = mb.Simulation(made.system, accuracy, backend="interpreted").run(made.state, until=seconds)
    cranks = np.array([results[f"crank{i}.q"] for i in range(made.n + 1)])
    couplers = np.array([results[f"coupler{i}.q"] for i in range(made.n)])
    assert_allclose(cranks, np.broadcast_to(cranks[0], cranks.shape), atol=100 * accuracy)
    assert_allclose(couplers, np.broadcast_to(-cranks[0], couplers.shape), atol=100 * accuracy)
    # some hundred steps, each with this error of angles and speeds; the energy of 2 n + 1 bars changes by some 10 J per unit of them
    assert_allclose(results["energy"], made.system.energy(made.state), rtol=0, atol=300 * accuracy * (2 * made.n + 1))
    return results


@pytest.mark.parametrize("accuracy", [1e-5, 1e-8, 1e-10])
@pytest.mark.parametrize("n", [1, 2])
def test_four_bars_keep_their_branch_through_change_points(n, accuracy):
    results = run_and_check(four_bars(n), accuracy, 3.0)
    assert results["crank0.q"][-1] < -2 * np.pi  # past three points where all bars are in line


def completed(n):
    """At which of six accuracies the benchmark runs to its end."""
    made, done = four_bars(n), []
    for accuracy in (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10):
        try:
            run_and_check(made, accuracy, 10.0)
        except IntegrationError:
            continue
        done.append(accuracy)
    return done


@pytest.mark.slow
@pytest.mark.parametrize(("n", "least"), [(1, 6), (2, 6), (5, 6), (10, 6), (40, 5)])
def test_the_benchmark_of_many_four_bars_completes(n, least):
    """Runs at other accuracies stop with an error: near a change point round-off decides the speeds."""
    assert len(completed(n)) >= least


def curved_linkage(crank, coupler, rocker, base):
    """A four-bar with four lengths: the two branches from the aligned position also have different curvatures. The crank turns
    clockwise.
    """
    system = mb.MultibodySystem("linkage")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=1.0, name="gravity")
    left = mb.Pin(matter.ground, bar(crank), name="left")
    middle = mb.Pin(left, bar(coupler), X_PF=mb.Transform(p=[crank, 0, 0]), name="middle")
    right = mb.Pin(matter.ground, bar(rocker), X_PF=mb.Transform(p=[base, 0, 0]), name="right")
    mb.BallConstraint(middle, [coupler, 0, 0], right, [rocker, 0, 0], name="loop")
    state = system.realize_topology()
    left.set_q(state, 1.3)
    middle.set_q(state, -0.9)
    right.set_q(state, 1.5)
    assembler = mb.Assembler(system, accuracy=1e-10)
    assembler.lock_q(left)
    state = assembler.assemble(state)
    left.set_u(state, -12.0)  # the projection of the start reduces it
    return SimpleNamespace(system=system, matter=matter, left=left, state=state)


@pytest.mark.parametrize("bars", [(0.5, 1.2, 0.9, 1.6), (0.5, 1.3, 0.6, 1.4)])
@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the loop shares the given speed
def test_a_linkage_with_curved_branches_passes_its_change_point(bars):
    made = curved_linkage(*bars)

    results = mb.Simulation(made.system, 1e-7, backend="interpreted").run(made.state, until=2.0)

    assert made.left.q(results.final_state)[0] < -2 * np.pi  # past 0 and -2 pi, where all bars are in line
    assert_allclose(results["energy"], results["energy"][0], atol=1e-4)  # 1000 times the accuracy
