"""Random constraints of every kind, which hold at the start."""

from collections.abc import Callable

import numpy as np

import mobod as mb
from mobod.spatial.rotation import to_quaternion
from tests.meetings.draft import Draft, NothingToDrawError, force_unit, needs
from tests.meetings.mechanism import Element, Quantity, frame, quantity

DrawElement = Callable[[Draft, str], Element]
FRAME = "mb.Transform(from_quaternion({%s_R}), {%s_p})"


def _points(draft: Draft) -> tuple[int, np.ndarray, int, np.ndarray]:
    """Two bodies with a station each."""
    one, other = draft.two()
    return one, draft.normal(0.5, 3), other, draft.normal(0.5, 3)


def _rod(draft: Draft, name: str) -> Element:
    one, p, other, s = _points(draft)
    length = float(np.linalg.norm(draft.X_GB(one).apply(p) - draft.X_GB(other).apply(s)))
    numbers = {"p": quantity(p, "m"), "s": quantity(s, "m"), "length": quantity(length, "m")}
    return Element("Rod", name, f'mb.Rod(body{one}, {{p}}, body{other}, {{s}}, {{length}}, name="{name}")', numbers, needs(one, other))


def _same_place(draft: Draft, one: int, p: np.ndarray, other: int) -> np.ndarray:
    """The station of the other body that is now where a station of the one is."""
    return draft.X_GB(other).inverse().apply(draft.X_GB(one).apply(p))


def _ball(draft: Draft, name: str) -> Element:
    one, p, other, _ = _points(draft)
    numbers = {"p": quantity(p, "m"), "s": quantity(_same_place(draft, one, p, other), "m")}
    text = f'mb.BallConstraint(body{one}, {{p}}, body{other}, {{s}}, name="{name}")'
    return Element("BallConstraint", name, text, numbers, needs(one, other))


def _weld(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    F = draft.frame()
    numbers = {**frame("F", F), **frame("M", draft.X_GB(other).inverse() @ draft.X_GB(one) @ F)}
    text = f'mb.WeldConstraint(body{one}, {FRAME % ("F", "F")}, body{other}, {FRAME % ("M", "M")}, name="{name}")'
    return Element("WeldConstraint", name, text, numbers, needs(one, other))


def _point_in_plane(draft: Draft, name: str) -> Element:
    one, _, other, s = _points(draft)
    n = draft.direction()
    n = n / np.linalg.norm(n)
    height = float(n @ draft.X_GB(one).inverse().apply(draft.X_GB(other).apply(s)))
    numbers = {"n": quantity(n, "1"), "height": quantity(height, "m"), "s": quantity(s, "m")}
    text = f'mb.PointInPlane(body{one}, {{n}}, {{height}}, body{other}, {{s}}, name="{name}")'
    return Element("PointInPlane", name, text, numbers, needs(one, other))


def _point_on_line(draft: Draft, name: str) -> Element:
    one, _, other, s = _points(draft)
    n = draft.direction()
    numbers = {"n": quantity(n, "1"), "s": quantity(s, "m"), "p": quantity(_same_place(draft, other, s, one), "m")}
    text = f'mb.PointOnLine(body{one}, {{n}}, {{p}}, body{other}, {{s}}, name="{name}")'
    return Element("PointOnLine", name, text, numbers, needs(one, other))


def _constant_angle(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    a, b = (each / np.linalg.norm(each) for each in (draft.direction(), draft.direction()))
    angle = float(np.arccos((draft.X_GB(one).R @ a) @ (draft.X_GB(other).R @ b)))
    if not 0.3 < angle < 2.8:
        raise NothingToDrawError
    numbers = {"a": quantity(a, "1"), "b": quantity(b, "1"), "angle": quantity(angle, "rad")}
    text = f'mb.ConstantAngle(body{one}, {{a}}, body{other}, {{b}}, {{angle}}, name="{name}")'
    return Element("ConstantAngle", name, text, numbers, needs(one, other))


def _constant_orientation(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    R = draft.X_GB(other).R.T @ draft.X_GB(one).R
    text = f'mb.ConstantOrientation(body{one}, np.eye(3), body{other}, from_quaternion({{R}}), name="{name}")'
    return Element("ConstantOrientation", name, text, {"R": quantity(to_quaternion(R), "1")}, needs(one, other))


def _constant_coordinate(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    value = quantity(draft.start_of(body)[0][coordinate], unit)
    text = f'mb.ConstantCoordinate(joint{body}, {coordinate}, {{value}}, name="{name}")'
    return Element("ConstantCoordinate", name, text, {"value": value}, needs(body))


def _constant_speed(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    value = quantity(draft.start_of(body)[1][coordinate], f"{unit}/s")
    return Element(
        "ConstantSpeed", name, f'mb.ConstantSpeed(joint{body}, {coordinate}, {{value}}, name="{name}")', {"value": value}, needs(body)
    )


def _constant_acceleration(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    value = quantity(draft.normal(), f"{unit}/s2")
    text = f'mb.ConstantAcceleration(joint{body}, {coordinate}, {{value}}, name="{name}")'
    return Element("ConstantAcceleration", name, text, {"value": value}, needs(body))


def _coupled(draft: Draft) -> tuple[int, int, str, int, int, str]:
    (body, coordinate, unit), (other, its, of) = draft.coordinate(), draft.coordinate()
    if body == other:
        raise NothingToDrawError
    return body, coordinate, unit, other, its, of


def _coordinate_coupler(draft: Draft, name: str) -> Element:
    body, coordinate, unit, other, its, of = _coupled(draft)
    ratio = draft.uniform(0.5, 2)
    constant = -ratio * draft.start_of(body)[0][coordinate] - draft.start_of(other)[0][its]
    gear = quantity([ratio, 1.0, constant], (_ratio(of, unit), "1", of))
    text = f'mb.CoordinateCoupler(matter, functions.Linear({{gear}}), [joint{body}, joint{other}], [{coordinate}, {its}], name="{name}")'
    return Element("CoordinateCoupler", name, text, {"gear": gear}, needs(body, other))


def _ratio(of: str, unit: str) -> str:
    return "1" if of == unit else f"{of}/{unit}"


def _speed_coupler(draft: Draft, name: str) -> Element:
    body, coordinate, unit, other, its, of = _coupled(draft)
    gear = quantity([draft.uniform(0.5, 2), 1.0, 0.0], (_ratio(of, unit), "1", of))
    text = f'mb.SpeedCoupler(matter, functions.Linear({{gear}}), [joint{body}, joint{other}], [{coordinate}, {its}], name="{name}")'
    return Element("SpeedCoupler", name, text, {"gear": gear}, needs(body, other))


def _prescribed(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    amplitude, rate = draft.uniform(0.2, 0.8), draft.uniform(1, 4)
    ratio = draft.start_of(body)[0][coordinate] / amplitude
    if abs(ratio) > 0.95:
        raise NothingToDrawError
    numbers = {"amplitude": quantity(amplitude, unit), "rate": quantity(rate, "rad/s"), "phase": quantity(float(np.arcsin(ratio)), "rad")}
    text = f'mb.PrescribedMotion(matter, functions.Sinusoid({{amplitude}}, {{rate}}, {{phase}}), joint{body}, {coordinate}, name="{name}")'
    return Element("PrescribedMotion", name, text, numbers, needs(body))


def _own_distance(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    distance = float(np.linalg.norm(draft.X_GB(one).p - draft.X_GB(other).p))
    if distance < 0.1:
        raise NothingToDrawError
    text = f'mb.CustomConstraint(OwnDistance({{distance}}), [body{one}, body{other}], name="{name}")'
    return Element("CustomConstraint", name, text, {"distance": quantity(distance, "m")}, needs(one, other))


def _no_slip(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    case = int(draft.rng.integers(1 + draft.n_bodies))
    numbers = {"p": quantity(draft.normal(0.5, 3), "m"), "n": quantity(draft.direction(), "1")}
    text = f'mb.NoSlip1D(body{case}, {{p}}, {{n}}, body{one}, body{other}, name="{name}")'
    return Element("NoSlip1D", name, text, numbers, needs(case, one, other))


def _sphere_on_plane(draft: Draft, name: str) -> Element:
    """The plane lies below the ball, at a random attitude."""
    one, other = draft.two()
    radius, center, R_GF = draft.uniform(0.2, 0.6), draft.normal(0.3, 3), draft.frame().R
    p_G = draft.X_GB(other).apply(center) - radius * R_GF[:, 2]
    F = draft.X_GB(one).inverse() @ mb.Transform(R_GF, p_G)
    numbers = {**frame("F", F), "center": quantity(center, "m"), "radius": quantity(radius, "m")}
    rolling = bool(draft.rng.integers(2))
    text = (
        f'mb.SphereOnPlaneContact(body{one}, {FRAME % ("F", "F")}, body{other}, {{center}}, {{radius}}, rolling={rolling}, name="{name}")'
    )
    return Element("SphereOnPlaneContact", name, text, numbers, needs(one, other))


def _coupling_loop(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    if not one:
        one, other = other, one
    F = draft.frame()
    numbers = {**frame("C", F), **frame("D", draft.X_GB(other).inverse() @ draft.X_GB(one) @ F)}
    coupling = draft.pick(("HingeCoupling", "SphericalCoupling", "UniversalCoupling", "CylindricalCoupling", "PlanarCoupling"))
    text = f'mb.CouplingJoint(mb.{coupling}(), body{one}, body{other}, X_AC={FRAME % ("C", "C")}, X_BD={FRAME % ("D", "D")}, name="{name}")'
    return Element("CouplingLoop", name, text, numbers, needs(one, other))


CONSTRAINTS: dict[str, DrawElement] = {
    "Rod": _rod,
    "BallConstraint": _ball,
    "WeldConstraint": _weld,
    "PointInPlane": _point_in_plane,
    "PointOnLine": _point_on_line,
    "ConstantAngle": _constant_angle,
    "ConstantOrientation": _constant_orientation,
    "ConstantCoordinate": _constant_coordinate,
    "ConstantSpeed": _constant_speed,
    "ConstantAcceleration": _constant_acceleration,
    "CoordinateCoupler": _coordinate_coupler,
    "SpeedCoupler": _speed_coupler,
    "PrescribedMotion": _prescribed,
    "CustomConstraint": _own_distance,
    "NoSlip1D": _no_slip,
    "SphereOnPlaneContact": _sphere_on_plane,
    "CouplingLoop": _coupling_loop,
}
__all__ = ["CONSTRAINTS", "FRAME", "DrawElement", "Quantity", "force_unit"]
