"""States whose constraints contradict each other."""

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InconsistentConstraintsError


def parallelogram():
    """Six rows of rank two; where the cranks point along the coupler, or across it, some are small. Its drive may be switched on."""
    system = mb.MultibodySystem("parallelogram")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)

    def bar(length):
        return mb.MassProperties(1.3, [length / 2, 0, 0], np.diag([0.01, 0.2, 0.2]) + 1.3 * length**2 / 4 * np.diag([0, 1, 1]))

    left = mb.Pin(matter.ground, bar(0.5), name="left")
    coupler = mb.Pin(left, bar(1.2), X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    right = mb.Pin(matter.ground, bar(0.5), X_PF=mb.Transform(p=[1.2, 0, 0]), name="right")
    mb.BallConstraint(coupler, [1.2, 0, 0], right, [0.5, 0, 0], name="loop")
    mb.ConstantOrientation(matter.ground, np.eye(3), coupler, np.eye(3), name="upright")
    mb.ConstantAcceleration(left, 0, 0.7, name="drive", disabled=True)
    mb.ConstantAcceleration(right, 0, 1.5, name="push", disabled=True)
    return system


ANGLES = {"anywhere": (-3.0, 3.0), "nearly across": (np.pi / 2 - 1e-3, np.pi / 2 + 1e-3), "nearly along": (-1e-3, 1e-3)}


@pytest.mark.parametrize("angles", ANGLES)
def test_redundant_rows_are_no_contradiction_but_two_drives_of_one_freedom_are(angles):
    """Also off the manifold, by `error`. Near their turning points two drives may agree by chance."""
    rng = np.random.default_rng(17)
    system = parallelogram()
    state = system.realize_topology()
    for error in (0.0, 1e-14, 1e-11, 1e-8, 1e-5, 1e-2):
        for is_driven in (False, True) * 8:
            angle, rate = rng.uniform(*ANGLES[angles]), rng.uniform(-5, 5)
            for constraint in system.matter.constraints:
                if constraint.name in ("drive", "push"):
                    constraint.enable(state) if is_driven else constraint.disable(state)
            state.q = angle * np.array([1, -1, 1]) + error * rng.standard_normal(3)
            state.u = rate * np.array([1, -1, 1]) + error * rng.standard_normal(3)
            try:
                system.realize(state, mb.Stage.ACCELERATION)
                is_told = False
            except InconsistentConstraintsError:
                is_told = True
            if not is_driven:
                assert not is_told, (error, angle, rate)
            elif error <= 1e-11 and angles == "anywhere":
                assert is_told, (error, angle, rate)


def test_speeds_of_round_off_do_not_explain_a_known_acceleration_that_a_constraint_excludes():
    """A pin that a point of it fixes. Its speed is round-off, so all of it violates the constraint."""
    system = mb.MultibodySystem("fixed pin")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties(1.3, [0.2, 0, 0], np.diag([0.1, 0.2, 0.3])), name="pin")
    mb.InputMotion(pin, u_dot=[-0.58], level="acceleration")
    mb.BallConstraint(pin, [0.7, 0.2, 0.1], system.matter.ground, [0.7, 0.2, 0.1], name="held")
    state = system.realize_topology()
    for speed in (0.0, -1.1e-16, 3e-13):
        state.u = [speed]
        with pytest.raises(InconsistentConstraintsError, match="'held'"):
            system.realize(state, mb.Stage.ACCELERATION)
