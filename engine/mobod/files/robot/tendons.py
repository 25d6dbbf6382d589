"""Fixed tendons of a robot: linear combinations of joint coordinates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mobod.errors import ModelFileError
from mobod.files.robot.parts import RobotParts
from mobod.forces import FixedTendon
from mobod.graph.builder import LimitsMode


@final
@dataclass(frozen=True, kw_only=True)
class TendonRange:
    """Of a length, m or rad.

    stiffness, damping  N/m or N m/rad, and N s/m or N m s/rad, of the elastic stops at its ends
    """

    lower: float
    upper: float
    stiffness: float
    damping: float


@final
@dataclass(frozen=True, kw_only=True)
class RobotTendon:
    """Length sum c q of joints with one coordinate.

    joints, coefficients  of the terms
    unit                  of the length: "m" or "rad"
    stiffness, damping    N/m or N m/rad and their rates, of the spring that is slack from rest_low to rest_high
    range                 of the length
    """

    name: str
    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    unit: str = "m"
    stiffness: float = 0.0
    damping: float = 0.0
    rest_low: float = 0.0
    rest_high: float = 0.0
    range: TendonRange | None = None
    line: int = 0


def add_tendons(
    parts: RobotParts, tendons: Iterable[RobotTendon], limits: LimitsMode, stop_stiffness: float | None
) -> dict[str, FixedTendon]:
    """Add a FixedTendon for each, by name; one whose joints all are fixed is left out, with a finding.

    limits          what the ranges of their lengths become, as those of coordinates
    stop_stiffness  of all elastic stops; default: that of the range
    """
    made = {}
    for tendon in tendons:
        terms = [(joint, c) for joint, c in zip(tendon.joints, tendon.coefficients, strict=True) if parts.moves(joint)]
        if not terms:
            parts.findings.note("tendon", f"tendon '{tendon.name}' is left out: its joints have no coordinates.", tendon.line)
            continue
        made[tendon.name] = FixedTendon(
            parts.forces,
            [parts.body_of_joint(joint) for joint, _ in terms],
            [0] * len(terms),
            [c for _, c in terms],
            unit=tendon.unit,
            stiffness=tendon.stiffness,
            damping=tendon.damping,
            rest_low=tendon.rest_low,
            rest_high=tendon.rest_high,
            name=parts.free(tendon.name),
        )
        if tendon.range is not None:
            _limit(parts, tendon, tendon.range, made[tendon.name], limits, stop_stiffness)
    return made


def _limit(
    parts: RobotParts, tendon: RobotTendon, of_file: TendonRange, made: FixedTendon, limits: LimitsMode, stop_stiffness: float | None
) -> None:
    """Give a tendon its range; a rigid one in which it does not begin is left out, with a finding."""
    lower, upper = of_file.lower, of_file.upper
    if limits == "stops":
        made.set_limits(lower, upper, compliance=1 / (stop_stiffness or of_file.stiffness), damping=of_file.damping)
    if limits != "rigid":
        return
    start = sum(c * float(body.default_q[at]) for c, body, at in zip(made.coefficients, made.bodies, made.coordinates, strict=True))
    if lower <= start <= upper:
        made.set_limits(lower, upper)
        return
    message = (
        f"tendon '{tendon.name}' begins with the length {start:g} {tendon.unit}, outside of its range, from {lower:g} to {upper:g} "
        f"{tendon.unit}, which is left out. Give another start, or elastic stops by limits='stops'."
    )
    if parts.findings.strict:
        raise ModelFileError(f"{parts.findings.path}: {message}")
    parts.findings.note("tendon", message, tendon.line)
