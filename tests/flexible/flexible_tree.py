"""A tree of flexible and rigid bodies with general frames, and its positions by mass points."""

from functools import partial

import numpy as np

import mobod as mb
from tests.flexible.bodies import general_mass, random_frame, random_modal, random_points
from tests.flexible.mass_points import Points, points_of, rotation

GRAVITY = np.array([0.7, -9.3, 2.1])


class Tree:
    """A flexible body on a pin; on its interfaces a rigid body on a slider, and a second flexible body on a pin, with a rigid body welded.

    sign     -1: the pin of the base is reversed
    between  called with the tree before it has a State
    points   None: constant inertia; else by mass points, 'straight' with linear shapes, 'curved' with those of second order, 'turning' with
             rotary inertia too
    """

    def __init__(self, seed, sign=1, between=None, points=None):
        rng = np.random.default_rng(seed)
        self.system = system = mb.MultibodySystem("tree")
        self.matter = matter = mb.MatterSubsystem(system)
        self.sign = sign
        self.gravity = mb.Gravity(mb.ForceSubsystem(system), matter, vector=GRAVITY)
        make = (
            partial(random_modal, rng)
            if points is None
            else partial(random_points, rng, curved=points != "straight", rotary=points == "turning")
        )
        self.modal, inertia = [make(3, ["one", "other"]), make(2, ["end"])], "core" if points is None else "full"
        self.frames = [random_frame(rng) for _ in range(5)]
        self.masses = [general_mass(rng), general_mass(rng)]
        X, (first, second) = self.frames, self.modal
        self.base = mb.Pin(
            matter.ground, mb.FlexibleBody(first, damping_ratio=[0.1, 0.02, 0.3], inertia=inertia), X[0], name="base", reversed=sign < 0
        )
        self.slider = mb.Slider(self.base.interface("one"), self.masses[0], X[1], X[2], name="slider")
        self.arm = mb.Pin(self.base.interface("other"), mb.FlexibleBody(second, inertia=inertia), X[3], name="arm")
        self.tip = mb.Weld(self.arm.interface("end"), self.masses[1], X[4], name="tip")
        if between is not None:
            between(self)
        self.state = system.realize_topology()
        self.state.q = 0.3 * rng.normal(size=self.state.q.size)
        self.state.u = rng.normal(size=self.state.u.size)

    def positions(self, q):
        """In the order of the coordinates: base, its modes, slider, arm, its modes."""
        X_base = compose(of(self.frames[0]), (rotation([0, 0, self.sign * q[0]]), np.zeros(3)))
        one, core = self.frames_on(self.modal[0], X_base, q[1:4])
        X_slider = compose(one["one"], of(self.frames[1]), (np.eye(3), np.array([q[4], 0, 0])), of(self.frames[2].inverse()))
        X_arm = compose(one["other"], of(self.frames[3]), (rotation([0, 0, q[5]]), np.zeros(3)))
        other, arm_core = self.frames_on(self.modal[1], X_arm, q[6:8])
        X_tip = compose(other["end"], of(self.frames[4]))
        self.poses = {"base.one": one["one"], "base.other": one["other"], "arm.end": other["end"]}
        result = []
        for X, mass, inertia in (*core, *arm_core):
            p, m = points_of(mass, np.zeros(3), inertia)
            result.append((X[1] + p @ X[0].T, m))
        for X, mass in ((X_slider, self.masses[0]), (X_tip, self.masses[1])):
            central = mass.inertia - mass.mass * (mass.com @ mass.com * np.eye(3) - np.outer(mass.com, mass.com))
            p, m = points_of(mass.mass, mass.com, central)
            result.append((X[1] + p @ X[0].T, m))
        return result

    @staticmethod
    def frames_on(modal, X_GM, eta):
        """(pose of each interface; pose, mass and inertia of each frame with mass); M has the pose of the inboard interface."""
        X_GB = compose(X_GM, of(modal.interfaces["root"].X.inverse()))
        frames = {name: compose(X_GB, moved(of(each.X), each.shapes, eta, each.second)) for name, each in modal.interfaces.items()}
        if not modal.points:
            X = compose(X_GB, moved((np.eye(3), modal.mass_properties.com), modal.core_shapes, eta))
            return frames, [(X, modal.mass_properties.mass, modal.central_inertia)]
        X_of = [compose(X_GB, moved((np.eye(3), each.p), each.shapes, eta, each.second)) for each in modal.points]
        return frames, [(X, each.mass, each.inertia) for X, each in zip(X_of, modal.points, strict=True)]

    def points(self):
        nu = 8
        mass, stiffness, damping = (np.zeros((nu, nu)) for _ in range(3))
        for modal, at in zip(self.modal, (slice(1, 4), slice(6, 8)), strict=True):
            mass[at, at] = 0 if modal.points else modal.mass
            stiffness[at, at], damping[at, at] = np.diag(modal.stiffness), modal.damping
        damping[1:4, 1:4] += np.diag(2 * np.array([0.1, 0.02, 0.3]) * np.sqrt(self.modal[0].stiffness))
        return Points(self.positions, mass, stiffness, damping, GRAVITY)


def of(X):
    return X.R, X.p


def moved(X, shapes, eta, second=None):
    p = X[1] + shapes[3:] @ eta
    return rotation(shapes[:3] @ eta) @ X[0], p if second is None else p + (second @ eta) @ eta / 2


def compose(*poses):
    R, p = np.eye(3), np.zeros(3)
    for R_next, p_next in poses:
        R, p = R @ R_next, p + R @ p_next
    return R, p
