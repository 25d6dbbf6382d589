"""Limits of joints: arcs for angles, stops for translations."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mobod.forces import MobilityLinearStop
from mobod.forces.subsystem import forces_of
from mobod.matter import MatterSubsystem
from mobod.matter.bodies.decorations import Arc, Box, Line, Triple
from mobod.matter.unilateral.limits import CoordinateLimitConstraint
from mobod.scene.joint_motion import SpeedMotion
from mobod.scene.joint_symbols import BLOCK, PlacedInFrame, Range
from mobod.scene.placing import across, perpendicular_to, triple, with_y_along, with_z_along
from mobod.spatial import Transform
from mobod.system import State, System
from mobod.system.elements import NO_BOUND

OF_LIMITS: Triple = (0.86, 0.38, 0.24)
_ONE_SIDED = 0.4  # rad: of the arc at a single limit


def ranges_of_joints(system: System, matter: MatterSubsystem, state: State) -> dict[int, dict[int, Range]]:
    """Number of a body -> number of a speed -> how far its coordinate is from the lower and the upper limit, the lower at most 0 as a rule;
    in the unit of the coordinate; infinite without a limit.
    """
    found: dict[int, dict[int, Range]] = {}
    bounds = [
        (each.body, each.coordinate, *each.bounds(state))
        for each in matter.constraints
        if isinstance(each, CoordinateLimitConstraint) and not each.is_disabled(state)
    ]
    for force in forces_of(system):
        if isinstance(force, MobilityLinearStop) and not force.is_disabled(state):
            bounds.append((force.body, force.coordinate, force.q_low(state), force.q_high(state)))
    for body, coordinate, lower, upper in bounds:
        speed, q = body.equations.speed_of[coordinate], float(body.q(state)[coordinate])
        if speed is not None and (lower > -NO_BOUND or upper < NO_BOUND):
            room = lower - q if lower > -NO_BOUND else -np.inf, upper - q if upper < NO_BOUND else np.inf
            found.setdefault(body.index, {})[speed] = room
    return found


def without_far_stops(motions: Sequence[SpeedMotion], ranges: Mapping[int, Range], reach: float) -> dict[int, Range]:
    """The ranges, infinite where a stop of a translation is farther away than `reach`, m: there it would not be seen."""
    found: dict[int, Range] = {}
    for speed, (low, high) in ranges.items():
        motion = motions[speed]
        far = reach / motion.rate if motion.kind == "slide" and motion.rate else np.inf
        found[speed] = low if low > -far else -np.inf, high if high < far else np.inf
    return found


def limit_shapes(
    motions: Sequence[SpeedMotion], X_FM: Transform, thickness: float, ranges: Mapping[int, Range], ends: Sequence[np.ndarray]
) -> Iterator[PlacedInFrame]:
    """Shapes of limits about axes and along directions that are fixed on the parent. Angles of a turn or more have none.

    ends  points of the body, in F; the arcs show where the farthest one may go
    """
    for speed, room in ranges.items():
        motion = motions[speed]
        if motion.rate is None or not motion.is_on_parent:
            continue
        low, high = (motion.rate * each for each in room)
        if motion.is_about_axis:
            yield from _arc(motion, X_FM, thickness, low, high, ends)
        elif motion.kind == "slide":
            for bound, side in ((low, -1.0), (high, 1.0)):
                if np.isfinite(bound):
                    place = motion.point + (bound + side * (BLOCK + 0.4) * thickness) * motion.direction
                    stop = Box((2 * thickness, 0.4 * thickness, 2 * thickness), color=OF_LIMITS)
                    yield PlacedInFrame("F", with_y_along(motion.direction, place), stop)


def _arc(
    motion: SpeedMotion, X_FM: Transform, thickness: float, low: float, high: float, ends: Sequence[np.ndarray]
) -> Iterator[PlacedInFrame]:
    low, high = low if np.isfinite(low) else high - _ONE_SIDED, high if np.isfinite(high) else low + _ONE_SIDED
    if not 0 < high - low < 2 * np.pi:
        return
    pointer, length = _pointer(motion, X_FM, thickness, ends)
    radius = min(max(0.4 * length, 5 * thickness), 9 * thickness)
    arc = Arc(radius, 1.2 * thickness, low, high, color=OF_LIMITS, opacity=0.75)
    yield PlacedInFrame("F", with_z_along(motion.direction, motion.point, pointer), arc)
    if motion.is_on_body:
        inner, outer = (
            X_FM.inverse().apply(motion.point + each * pointer) for each in (radius - 1.6 * thickness, radius + 0.4 * thickness)
        )
        yield PlacedInFrame("M", Transform(), Line(triple(inner), triple(outer), color=OF_LIMITS))


def _pointer(motion: SpeedMotion, X_FM: Transform, thickness: float, ends: Sequence[np.ndarray]) -> tuple[np.ndarray, float]:
    """The direction in F, at right angles to the axis, of the end that is farthest from the axis; and its distance, m."""
    offsets = [across(motion.direction, end - motion.point) for end in ends]
    farthest = max(offsets, key=lambda offset: float(offset @ offset), default=np.zeros(3))
    length = float(np.linalg.norm(farthest))
    if length > 0.5 * thickness:
        return farthest / length, length
    of_body = [across(motion.direction, X_FM.R[:, i]) for i in (0, 1)]
    longer = max(of_body, key=lambda each: float(each @ each))
    norm = float(np.linalg.norm(longer))
    return (longer / norm if norm > 1e-6 else perpendicular_to(motion.direction)), 0.0
