"""Random terrain below bodies, and shapes that share the slots of a pool."""

from collections.abc import Callable

import numpy as np

import mobod as mb
from mobod import contact
from tests.meetings.contacts import FRAME, GAPS, DrawElement, direction_of_gravity, over_plane, sphere
from tests.meetings.draft import Draft, NothingToDrawError, needs
from tests.meetings.mechanism import Element, Quantity, frame, quantity
from tests.meetings.slots import SHAPES, check_without_events, laws

POOL, TERRAIN = "ContactPool", "Terrain"
_N, _SPACING = 7, 0.3  # points along each axis, and their distance in m
_LEAST = 0.06  # m, radius of the ball around a shape of a pool
_Drawn = tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]


def _heights(draft: Draft, amplitude: float) -> np.ndarray:
    """Hills whose highest point is at 0."""
    if draft.is_neat:
        heights = amplitude * draft.rng.integers(-1, 1, size=(_N, _N))
    else:
        heights = np.round(draft.rng.uniform(-amplitude, 0.0, size=(_N, _N)), 3)
    return heights - heights.max()


def _terrain(draft: Draft, name: str) -> Element:
    """A convex shape above triangles."""
    check_without_events(draft)
    body, shape, numbers = over_plane(draft, SHAPES)
    numbers |= {"heights": quantity(_heights(draft, draft.pick([0.0, 0.05, 0.15])), "m"), "spacing": quantity(_SPACING, "m")}
    ground = draft.pick(["contact.HeightField({heights}, {spacing})", "height_mesh({heights}, {spacing})"])
    text, more = laws(draft)
    text = f'mb.RigidContact(body0, {ground}, body{body}, {shape},\n    {_frames()}, {text}, name="{name}")'
    return Element(TERRAIN, name, text, numbers | more, needs(body))


def _frames() -> str:
    return f"X_B1S1={FRAME % ('P', 'P')},\n    X_B2S2={FRAME % ('S', 'S')}"


def _smooth(draft: Draft) -> tuple[int, str, dict[str, Quantity]]:
    """A ball above a spline whose valleys are wider than it."""
    body, shape, numbers = over_plane(draft, (sphere,))
    numbers |= {"heights": quantity(_heights(draft, 0.05), "m"), "spacing": quantity(_SPACING, "m")}
    return body, shape, numbers


def _smooth_rigid(draft: Draft, name: str) -> Element:
    body, shape, numbers = _smooth(draft)
    friction = draft.pick(
        ["", "static_friction=0.6, dynamic_friction=0.4, ", "static_friction=0.6, dynamic_friction=0.4, restitution=0.3, "]
    )
    text = (
        f"mb.RigidContact(body0, contact.HeightField({{heights}}, {{spacing}}, smooth=True), body{body}, {shape},\n    {_frames()},\n"
        f'    {friction}name="{name}")'
    )
    return Element("RigidContact on a spline", name, text, numbers, needs(body))


def _smooth_compliant(draft: Draft, name: str) -> Element:
    body, shape, numbers = _smooth(draft)
    numbers |= {"stiffness": quantity(draft.uniform(5e3, 2e4), "N/m"), "dissipation": quantity(draft.uniform(0.1, 0.5), "s/m")}
    numbers |= {"transition": quantity(0.05, "m/s")}
    text = (
        f"{name}_material = mb.ContactMaterial({{stiffness}}, {{dissipation}}, 0.7, 0.5)\n"
        f"mb.CompliantContact(forces, body0, contact.HeightField({{heights}}, {{spacing}}, smooth=True), body{body}, {shape},\n"
        f"    material1={name}_material, {_frames()},\n"
        f'    normal="linear", transition_speed={{transition}}, name="{name}")'
    )
    return Element("CompliantContact on a spline", name, text, numbers, needs(body))


def _pool(draft: Draft, name: str) -> Element:
    """Shapes on all bodies, which do not overlap at the start, above a plane or terrain of Ground."""
    check_without_events(draft)
    places = [draft.X_GB(number).p for number in range(1, 1 + draft.n_bodies)]
    down = direction_of_gravity(draft)
    numbers: dict[str, Quantity] = {}
    lines, used, lowest = [f"{name}_set = mb.ContactSet(matter)"], [], -np.inf
    for i, p in enumerate(places):
        near = min((float(np.linalg.norm(p - q)) for k, q in enumerate(places) if k != i), default=1.0)
        radius = min(0.3, 0.45 * near)
        if radius < _LEAST:
            continue
        shape, its = _within(draft, radius)
        for key, value in its.items():
            shape = shape.replace(f"{{{key}}}", f"{{{key}{i}}}")
            numbers[f"{key}{i}"] = value
        numbers |= frame(f"S{i}", mb.Transform(draft.rotation(), [0, 0, 0]))
        lines.append(f"{name}_set.add(body{i + 1}, {shape}, {FRAME % (f'S{i}', f'S{i}')}, friction={draft.pick([0.0, 0.3, 0.8])})")
        used.append(i + 1)
        lowest = max(lowest, float(down @ p) + radius)
    if not used:
        raise NothingToDrawError
    point = draft.X_GB(used[0]).p
    point = point + down * (lowest - float(down @ point) + draft.pick(GAPS))
    numbers |= frame("P", contact.HalfSpace.frame(-down, point))
    ground = "contact.HalfSpace()"
    if draft.rng.random() < 0.4:
        numbers |= {"heights": quantity(_heights(draft, 0.1), "m"), "spacing": quantity(_SPACING, "m")}
        ground = "contact.HeightField({heights}, {spacing})"
    lines.append(f"{name}_set.add(body0, {ground}, {FRAME % ('P', 'P')}, friction=0.5)")
    more = draft.pick(["", "", "restitution=0.3, ", "torsional_friction={torsional}, rolling_friction={rolling}, "])
    if "{torsional}" in more:
        numbers |= {"torsional": quantity(0.02, "m"), "rolling": quantity(0.01, "m")}
    lines.append(f"{name} = {name}_set.rigid({more}slots={8 * (len(used) + 1)})[-1]")
    return Element(POOL, name, "\n".join(lines), numbers, needs(*used))


def _within(draft: Draft, radius: float) -> tuple[str, dict[str, Quantity]]:
    """A convex shape within a ball about its origin."""
    shape, numbers, _ = draft.pick([sphere, *SHAPES])(draft)
    extent = _reach(shape, numbers)
    scale = radius / extent
    return shape, {key: quantity(scale * np.array(value.numbers), value.unit) for key, value in numbers.items()}


def _reach(shape: str, numbers: dict[str, Quantity]) -> float:
    """m, the distance of the farthest point of a shape from its origin, at most."""
    of = {key: np.array(value.numbers) for key, value in numbers.items()}
    if "vertices" in of:
        return float(np.linalg.norm(of["vertices"], axis=1).max())
    if "Ellipsoid" in shape:
        return float(of["radii"].max())
    if "Cylinder" in shape or "Cone" in shape:
        return float(np.hypot(of["radius"], of["half"]))
    return float(np.linalg.norm(of.get("half", 0.0)) + of.get("radius", 0.0))


SMOOTH: dict[str, DrawElement] = {"RigidContact on a spline": _smooth_rigid, "CompliantContact on a spline": _smooth_compliant}
ON_GROUND: dict[str, DrawElement] = {TERRAIN: _terrain, POOL: _pool}
