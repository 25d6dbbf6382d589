"""Random mechanisms with closed loops, for the tests of the laws of constraints. A new constraint needs one line in the table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from mobod import functions
from tests.laws.mechanisms import Mechanism, random_frame, random_mechanism
from tests.reference.seed_elements import DistanceEquations

Make = Callable[[mb.MatterSubsystem, np.random.Generator], mb.Constraint]


def _two(matter: mb.MatterSubsystem, rng: np.random.Generator) -> list[Any]:
    """Two different bodies, or one and Ground, that can move relative to each other with all motions and locks active."""
    while True:
        bodies = [matter.body(int(i)) for i in rng.choice(matter.n_bodies, size=2, replace=False)]
        if _carrier(bodies[0]) is not _carrier(bodies[1]):
            return bodies


def _carrier(body: Any) -> Any:
    """The body, or its nearest ancestor that is neither welded to its parent nor may have a prescribed motion."""
    while isinstance(body, mb.Weld) or (isinstance(body, mb.MobilizedBody) and _may_be_known(body)):
        body = body.parent
    return body


def _may_be_known(body: mb.MobilizedBody) -> bool:
    return body.motion is not None or body.is_lockable_by_default


def _point(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(scale=0.5, size=3)


def _place(matter: mb.MatterSubsystem, rng: np.random.Generator, kind: str, *, known: bool = False) -> tuple[mb.MobilizedBody, int]:
    """A body, and one of its coordinates or speeds ('nq', 'nu'); one that motions or locks can prescribe, or one that they cannot."""
    bodies = [body for body in matter.bodies if body.nu and _may_be_known(body) == known]
    body = bodies[rng.integers(len(bodies))]
    return body, int(rng.integers(getattr(body, kind)))


def _rod(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.Rod(body1, _point(rng), body2, _point(rng), rng.uniform(0.5, 2))


def _ball(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.BallConstraint(body1, _point(rng), body2, _point(rng))


def _weld(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.WeldConstraint(body1, random_frame(rng), body2, random_frame(rng))


def _point_in_plane(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.PointInPlane(body1, _point(rng), rng.normal(), body2, _point(rng))


def _point_on_line(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.PointOnLine(body1, _point(rng), _point(rng), body2, _point(rng))


def _constant_angle(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.ConstantAngle(body1, _point(rng), body2, _point(rng), rng.uniform(0.5, 2.5))


def _constant_orientation(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.ConstantOrientation(body1, random_frame(rng).R, body2, random_frame(rng).R)


def _no_slip(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    case = matter.body(int(rng.integers(matter.n_bodies)))
    return mb.NoSlip1D(case, _point(rng), _point(rng), body1, body2)


def _constant_coordinate(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    return mb.ConstantCoordinate(*_place(matter, rng, "nq"), rng.normal())


def _constant_speed(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    return mb.ConstantSpeed(*_place(matter, rng, "nu"), rng.normal())


def _constant_acceleration(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    return mb.ConstantAcceleration(*_place(matter, rng, "nu"), rng.normal())


def _coordinate_coupler(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    bodies, numbers = zip(*(_place(matter, rng, "nq", known=known) for known in (False, True, False)), strict=True)
    terms = [(1.3, [1, 0, 0]), (-0.7, [0, 1, 1]), (0.4, [2, 0, 1]), (0.2, [0, 0, 0])]
    return mb.CoordinateCoupler(matter, functions.MultiPoly(3, terms), bodies, numbers)


def _speed_coupler(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    speed_bodies, speeds = zip(*(_place(matter, rng, "nu", known=known) for known in (False, True)), strict=True)
    body, coordinate = _place(matter, rng, "nq")
    terms = [(1.1, [1, 0, 1]), (-0.6, [0, 2, 0]), (0.9, [0, 1, 0]), (0.3, [0, 0, 2])]
    return mb.SpeedCoupler(matter, functions.MultiPoly(3, terms), speed_bodies, speeds, [body], [coordinate])


def _prescribed_motion(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    return mb.PrescribedMotion(matter, functions.Sinusoid(0.7, 1.9, 0.4), *_place(matter, rng, "nq"))


def _custom(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    """A user's constraint: a distance between origins."""
    return mb.CustomConstraint(DistanceEquations(rng.uniform(0.5, 2)), _two(matter, rng))


def _point_on_plane(matter: mb.MatterSubsystem, rng: np.random.Generator) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.PointOnPlaneContact(body1, random_frame(rng), body2, _point(rng))


def _sphere_on_plane(matter: mb.MatterSubsystem, rng: np.random.Generator, *, rolling: bool) -> mb.Constraint:
    body1, body2 = _two(matter, rng)
    return mb.SphereOnPlaneContact(body1, random_frame(rng), body2, _point(rng), rng.uniform(0.2, 0.8), rolling)


# name, which begins with that of the class -> what makes one with random parameters on random bodies
CONSTRAINTS: dict[str, Make] = {
    "BallConstraint": _ball,
    "ConstantAcceleration": _constant_acceleration,
    "ConstantAngle": _constant_angle,
    "ConstantCoordinate": _constant_coordinate,
    "ConstantOrientation": _constant_orientation,
    "ConstantSpeed": _constant_speed,
    "CoordinateCoupler": _coordinate_coupler,
    "CustomConstraint": _custom,
    "NoSlip1D": _no_slip,
    "PointInPlane": _point_in_plane,
    "PointOnLine": _point_on_line,
    "PointOnPlaneContact": _point_on_plane,
    "PrescribedMotion": _prescribed_motion,
    "Rod": _rod,
    "SpeedCoupler": _speed_coupler,
    "SphereOnPlaneContact that rolls": partial(_sphere_on_plane, rolling=True),
    "SphereOnPlaneContact that slides": partial(_sphere_on_plane, rolling=False),
    "WeldConstraint": _weld,
}


N_BODIES = 32  # enough that rows of all constraints can be independent while motions and locks are on


@dataclass(frozen=True)
class Loops:
    """A mechanism with one constraint of each kind, by the names of CONSTRAINTS."""

    mechanism: Mechanism
    constraints: dict[str, mb.Constraint]

    @property
    def system(self) -> mb.MultibodySystem:
        return self.mechanism.system

    @property
    def matter(self) -> mb.MatterSubsystem:
        return self.mechanism.matter

    def state_with(self, rng: np.random.Generator, *names: str, moved: bool = False) -> mb.State:
        """A random State in which only these constraints are enabled, realized to ACCELERATION."""
        state = self.mechanism.random_state(rng, moved=moved)
        for name, constraint in self.constraints.items():
            if name not in names:
                constraint.disable(state)
        self.system.realize(state, mb.Stage.ACCELERATION)
        return state


def random_loops(seed: int, *, n_bodies: int = N_BODIES) -> Loops:
    mechanism = random_mechanism(seed, n_bodies=n_bodies)
    # separate random numbers for each, so that a new constraint does not change the others
    return Loops(
        mechanism, {name: make(mechanism.matter, np.random.default_rng([seed, *name.encode()])) for name, make in CONSTRAINTS.items()}
    )


def turning(constraint: mb.Constraint, state: mb.State, rows: np.ndarray) -> np.ndarray:
    """w x each of the rows' vectors, 0 elsewhere: w is the angular velocity of the base in the ancestor, in the ancestor's frame."""
    w = constraint.ancestor.X_GB(state).R.T @ (constraint.base.V_GB(state) - constraint.ancestor.V_GB(state))[:3]
    turned = np.zeros(len(rows))
    for at in constraint.equations.vectors_at:
        turned[at : at + 3] = np.cross(w, rows[at : at + 3])
    return turned
