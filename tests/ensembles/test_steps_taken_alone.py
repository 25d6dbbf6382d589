"""Steps that vectors try, and that a run then takes alone: at singular configurations, and where constraints fail."""

from dataclasses import dataclass

import numpy as np
import pytest

import mobod as mb
from mobod.runtime.simd import available_simd
from mobod.scalar import where
from tests.analytic.test_change_points import curved_linkage
from tests.ensembles.mechanisms_with_events import Runs
from tests.ensembles.models import four_bar
from tests.ensembles.test_widths import assert_same_bits, results_of

COUNT = 9  # runs, more than there are lanes
WIDTHS = [each.name for each in available_simd()]  # the widest first
pytestmark = [
    pytest.mark.skipif(not WIDTHS, reason="the processor has no vectors that mobod knows"),
    pytest.mark.filterwarnings("ignore::mobod.MobodWarning"),  # of starts that are projected
]


def with_speeds(state, factors):
    """The State with other speeds."""
    states = [state.copy() for _ in factors]
    for each, factor in zip(states, factors, strict=True):
        each.u = np.array(state.u) * factor
    return states


def assert_same_in_vectors(runs, until):
    """The widest vectors give the bits, steps and messages of runs one after another. Returns the results."""
    expected, _ = results_of(runs, until, "none", "interpreted")
    results, (in_lanes, alone) = results_of(runs, until, WIDTHS[0], "interpreted")
    assert_same_bits(results, expected)
    assert in_lanes > COUNT
    assert alone > 0
    return expected


@pytest.mark.fast(1)
@pytest.mark.parametrize("accuracy", [1e-4, 1e-8], ids=["moved far by the projection", "near a singular configuration"])
def test_linkages_pass_their_change_points(accuracy):
    """With four different lengths, all bars in line: from there two motions are possible."""
    made = curved_linkage(0.5, 1.2, 0.9, 1.6)
    states = with_speeds(made.state, np.linspace(0.5, 2.0, COUNT))
    assert_same_in_vectors(Runs(made.system, states, {"accuracy": accuracy}), 1.2)


def test_a_loop_that_cannot_follow_its_drive_fails():
    """The rocker is driven beyond the angle at which crank and coupler are in line, at another speed in each run: rows of some lanes depend
    on each other, and those of others do not.
    """
    system, assembled = four_bar()
    drive = mb.SteadyMotion(system.matter.body("rocker"), -1.0)
    first = system.realize_topology()
    first.y = assembled.y
    states = [first.copy() for _ in range(COUNT)]
    for state, speed in zip(states, np.linspace(-0.6, -1.4, COUNT), strict=True):
        drive.set_parameter(state, "rate_of_u", [speed])
    results = assert_same_in_vectors(Runs(system, states, {"accuracy": 1e-5}), 3.0)
    assert [number for number, _ in results.failed] == list(range(COUNT))


@dataclass(frozen=True)
class Bent(mb.ConstraintEquations):
    """Acceleration error: the rate of the speed less 1 rad/s2, and after 0.7 s less more than that."""

    acceleration_units = ("rad/s2",)

    def acceleration_errors(self, motion):
        return np.array([motion.u_dot[0][0] - 1.0 - where(motion.t > 0.7, motion.t - 0.7, 0.0)])


def test_rows_that_begin_to_contradict_each_other_end_a_run():
    """Two constraints want different accelerations of one pin, from some time on."""
    system = mb.MultibodySystem("contradiction")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    link = mb.MassProperties(1.0, [0.5, 0, 0], np.diag([1e-3, 1 / 3, 1 / 3]))
    upper = mb.Pin(matter.ground, link, name="upper")
    mb.Pin(upper, link, X_PF=mb.Transform(p=[1, 0, 0]), name="lower")
    mb.ConstantAcceleration(upper, 0, 1.0, name="steady")
    mb.CustomConstraint(Bent(), mobilizers=[upper], name="bent")
    state = system.realize_topology()
    state.u = [0.4, 1.3]
    results = assert_same_in_vectors(Runs(system, with_speeds(state, np.linspace(0.5, 3.0, COUNT)), {"accuracy": 1e-6}), 2.0)
    assert [number for number, _ in results.failed] == list(range(COUNT))
    assert all("constraints contradict each other" in message for _, message in results.failed)
    assert (results.end_times > 0.7).all()
