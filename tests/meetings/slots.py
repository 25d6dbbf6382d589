"""Random contacts of two convex shapes, whose points the runtime decides once a step: boxes, capsules, hulls and others on each other."""

from collections.abc import Callable

import numpy as np

import mobod as mb
from tests.meetings.contacts import FRAME, GAPS, DrawElement, box, capsule, cylinder, ellipsoid, over_plane
from tests.meetings.draft import Draft, NothingToDrawError, needs
from tests.meetings.events import EVENTS
from tests.meetings.mechanism import Element, Quantity, frame, quantity

KIND = "RigidContact with slots"
IN_FIXED_STEPS = frozenset([KIND, "ContactPool", "Terrain"])  # kinds that touch at velocity level alone
WITH_EVENTS = frozenset([*EVENTS, "Maximum", "MinAbs", "Delay"])  # velocity_level supports no events and no delays
Drawn = tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]


def _hull(draft: Draft) -> Drawn:
    """Vertices on an ellipsoid, in opposite pairs."""
    radii = draft.uniform(0.15, 0.4, 3)
    half = np.eye(3) if draft.is_neat else draft.rng.normal(size=(5, 3))
    half = np.round(radii * half / np.linalg.norm(half, axis=1, keepdims=True), 3)
    vertices = np.concatenate([half, -half])
    return "contact.ConvexMesh({vertices})", {"vertices": quantity(vertices, "m")}, lambda n: float((vertices @ n).max())


def _rounded_box(draft: Draft) -> Drawn:
    half, r = draft.uniform(0.1, 0.3, 3), draft.uniform(0.02, 0.1)
    numbers = {"half": quantity(half, "m"), "radius": quantity(r, "m")}
    return "contact.RoundedBox({half}, {radius})", numbers, lambda n: float(np.abs(n) @ half) + r


def _cone(draft: Draft) -> Drawn:
    r, h = draft.uniform(0.1, 0.4), draft.uniform(0.1, 0.3)
    return "contact.Cone({radius}, {half})", {"radius": quantity(r, "m"), "half": quantity(h, "m")}, lambda n: float(np.hypot(r, h))


SHAPES = (box, box, capsule, _hull, _hull, cylinder, ellipsoid, _rounded_box, _cone)


def laws(draft: Draft) -> tuple[str, dict[str, Quantity]]:
    """Friction, its moments and restitution, as arguments, with their numbers."""
    mu = draft.pick([0.0, 0.2, 0.7])
    friction = f"static_friction={mu + 0.2:.1f}, dynamic_friction={mu}" if mu else ""
    moments = "torsional_friction={torsional}, rolling_friction={rolling}" if mu == 0.7 and draft.rng.random() < 0.5 else ""
    restitution = draft.pick([0.0, 0.0, 0.0, 0.4])
    text = ", ".join(filter(None, [friction, moments, f"restitution={restitution}" if restitution else "", "in_fixed_steps=True"]))
    return text, {"torsional": quantity(0.02, "m"), "rolling": quantity(0.01, "m")} if moments else {}


def check_without_events(draft: Draft) -> None:
    """Raises NothingToDrawError after an event: velocity_level has none."""
    if not WITH_EVENTS.isdisjoint(draft.mechanism.kinds):
        raise NothingToDrawError


def _two_shapes(draft: Draft, name: str) -> Element:
    """Shapes of two bodies, one of which may be Ground, that touch at the start or do not yet."""
    one, other = draft.two()
    if not other:
        one, other = other, one
    shapes = [draft.pick(SHAPES)(draft), draft.pick(SHAPES)(draft)]
    X_BT = draft.frame(0.2)
    X_GT, n = draft.X_GB(other) @ X_BT, draft.direction()
    n = n / np.linalg.norm(n)
    R_GS = draft.rotation()
    apart = shapes[0][2](R_GS.T @ n) + shapes[1][2](X_GT.R.T @ -n) + draft.pick(GAPS)
    X_BS = draft.X_GB(one).inverse() @ mb.Transform(R_GS, X_GT.p - apart * n)
    numbers = {**frame("S", X_BS), **frame("T", X_BT)}
    texts = []
    for number, (text, its, _) in zip("12", shapes, strict=True):
        for key in its:
            text = text.replace(f"{{{key}}}", f"{{{key}{number}}}")
        numbers |= {f"{key}{number}": value for key, value in its.items()}
        texts.append(text)
    text = (
        f"mb.RigidContact(body{one}, {texts[0]}, body{other}, {texts[1]},\n    X_B1S1={FRAME % ('S', 'S')},\n"
        f"    X_B2S2={FRAME % ('T', 'T')}, {{laws}})"
    )
    return _element(draft, name, text, numbers, one, other)


def _on_plane(draft: Draft, name: str) -> Element:
    """A shape above a half-space of Ground."""
    body, shape, numbers = over_plane(draft, SHAPES)
    text = (
        f"mb.RigidContact(body0, contact.HalfSpace(), body{body}, {shape},\n    X_B1S1={FRAME % ('P', 'P')},\n"
        f"    X_B2S2={FRAME % ('S', 'S')}, {{laws}})"
    )
    return _element(draft, name, text, numbers, body)


def _element(draft: Draft, name: str, text: str, numbers: dict[str, Quantity], *bodies: int) -> Element:
    check_without_events(draft)
    given, more = laws(draft)
    return Element(KIND, name, text.replace("{laws}", f'{given}, name="{name}"'), numbers | more, needs(*bodies))


SLOTS: dict[str, DrawElement] = {"two shapes": _two_shapes, "two shapes again": _two_shapes, "on a plane": _on_plane}
