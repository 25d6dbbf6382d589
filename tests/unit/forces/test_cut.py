"""A rigid body cut by a port and two input motions: both halves move as the whole mechanism, if each has what the other one gives."""

import numpy as np
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from tests.laws.mechanisms import random_frame, random_mass

MASSLESS = mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3)))
GRAVITY = {"down": [0.2, -1, 0.1], "magnitude": 9.8}


class Halves:
    """A hull and an arm; a hand, rigidly on the arm in the whole mechanism, and a finger."""

    def __init__(self):
        rng = np.random.default_rng(11)
        self.masses = {name: random_mass(rng) for name in ("hull", "arm", "hand", "finger")}
        self.frames = {name: random_frame(rng) for name in ("hull", "arm", "cut", "finger")}

    def world(self, name):
        matter = mb.MatterSubsystem(mb.MultibodySystem(name))
        mb.Gravity(mb.ForceSubsystem(matter.system), matter, **GRAVITY)
        return matter

    def upper(self, name="upper"):
        matter = self.world(name)
        hull = mb.Free(matter.ground, self.masses["hull"], self.frames["hull"], name="hull")
        arm = mb.Gimbal(hull, self.masses["arm"], self.frames["arm"], name="arm")
        mb.Port(arm, self.frames["cut"], name="cut")
        return matter

    def whole(self):
        matter = self.upper("whole")
        hand = mb.Weld(matter.body("arm"), self.masses["hand"], self.frames["cut"], name="hand")
        mb.Pin(hand, self.masses["finger"], self.frames["finger"], name="finger")
        return matter

    def lower(self):
        matter = self.world("lower")
        point = mb.Translation(matter.ground, MASSLESS, name="point")
        hand = mb.Ball(point, self.masses["hand"], name="hand")
        mb.Pin(hand, self.masses["finger"], self.frames["finger"], name="finger")
        mb.InputMotion(point)
        mb.InputMotion(hand)
        return matter


def test_both_halves_of_a_body_move_as_the_whole_one():
    halves, rng = Halves(), np.random.default_rng(8)
    whole, upper, lower = halves.whole(), halves.upper(), halves.lower()
    state = whole.system.realize_topology()
    state.q, state.u = rng.normal(size=len(state.q)), rng.normal(size=len(state.u))
    whole.system.realize(state, Stage.ACCELERATION)

    # the lower half follows the motion at the cut
    below = lower.system.realize_topology()
    for motion, names in (("point", ("p_GF", "v_GF", "a_GF")), ("hand", ("quaternion_GF", "w_GF", "alpha_GF"))):
        for to, name in zip(("q", "u", "u_dot"), names, strict=True):
            lower.system.set_value(below, f"{motion}.motion.{to}", whole.system.value(state, f"cut.{name}"))
    finger = lower.body("finger")
    finger.set_q(below, whole.body("finger").q(state))
    finger.set_u(below, whole.body("finger").u(state))
    lower.system.realize(below, Stage.ACCELERATION)

    # and the upper half takes the load
    above = upper.system.realize_topology()
    for name in ("hull", "arm"):
        upper.body(name).set_q(above, whole.body(name).q(state))
        upper.body(name).set_u(above, whole.body(name).u(state))
    upper.system.set_value(above, "cut.force", lower.system.value(below, "point.motion.load"))
    upper.system.set_value(above, "cut.torque", lower.system.value(below, "hand.motion.load"))
    upper.system.realize(above, Stage.ACCELERATION)

    for half, of in ((upper, above), (lower, below)):
        for body in half.bodies:
            if body.name != "point":
                twin = whole.body(body.name)
                assert body.X_GB(of).isclose(twin.X_GB(state), atol=1e-13)
                assert_allclose(body.V_GB(of), twin.V_GB(state), atol=1e-12)
                # round-off times the condition of the mass matrix
                assert_allclose(body.A_GB(of), twin.A_GB(state), atol=1e-11 * np.abs(twin.A_GB(state)).max())
    loads = np.concatenate([lower.system.value(below, f"{name}.motion.load") for name in ("hand", "point")])
    assert np.abs(loads).min() > 0.1
    # what the arm does to the hand in the whole mechanism, about the hand's origin
    reaction = whole.body("hand").reaction_on_body_at_origin(state)
    assert_allclose(loads, -reaction, atol=1e-11 * np.abs(reaction).max())
