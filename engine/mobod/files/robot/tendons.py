"""Fixed tendons of a robot: linear combinations of joint coordinates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mobod.files.robot.parts import RobotParts
from mobod.forces import FixedTendon


@final
@dataclass(frozen=True, kw_only=True)
class RobotTendon:
    """Length sum c q of joints with one coordinate.

    joints, coefficients  of the terms
    unit                  of the length: "m" or "rad"
    stiffness, damping    N/m or N m/rad and their rates, of the spring that is slack from rest_low to rest_high
    """

    name: str
    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    unit: str = "m"
    stiffness: float = 0.0
    damping: float = 0.0
    rest_low: float = 0.0
    rest_high: float = 0.0
    line: int = 0


def add_tendons(parts: RobotParts, tendons: Iterable[RobotTendon]) -> dict[str, FixedTendon]:
    """Add a FixedTendon for each, by name; one whose joints all are fixed is left out, with a finding."""
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
    return made
