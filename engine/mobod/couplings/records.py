"""What a coupling consists of: constraints, each along a wrench (force, moment), and coordinates.

Six numbers of a coupling have the linear part first, as ArtiSynth's have; all others in mobod have the angular part first.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Annotated, Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, RecordingError
from mobod.scalar import Array, Scalar
from mobod.spatial.checked import checked_array, checked_floats, checked_size


@final
class ConstraintFlag(IntFlag):
    """What kind of constraint it is; of LINEAR and ROTARY both if it restricts translation and rotation together.

    BILATERAL  an equation, G v_CD = 0; without it the constraint is unilateral, N v_CD >= 0
    LINEAR     mainly of translation: its tolerance is a length
    ROTARY     mainly of rotation: its tolerance is an angle
    CONSTANT   its wrench in G never changes; set by giving it to add_constraint
    LIMIT      it limits a coordinate; set by giving it to add_coordinate
    """

    BILATERAL = 1
    LINEAR = 2
    ROTARY = 4
    CONSTANT = 8
    LIMIT = 16


BILATERAL, LINEAR, ROTARY = ConstraintFlag.BILATERAL, ConstraintFlag.LINEAR, ConstraintFlag.ROTARY


@final
class CouplingConstraint:
    """One constraint of a coupling.

    index         its number among the constraints of the coupling
    flags         see ConstraintFlag
    wrench_G      (6,)  force first, expressed in frame G
    dot_wrench_G  (6,)  rate of the wrench; None while update_constraints runs and has not set it: it is derived then
    distance      distance to the constraint, in m or rad; negative where a unilateral constraint is violated
    engaged       bilateral: always 1; unilateral: 0, or the sign 1 or -1 of its force
    engaged_count number of position corrections since it was engaged
    multiplier    its force, N or N m
    compliance    displacement per unit of force; 0 is rigid
    damping       force per unit of speed, of a compliant constraint

    Raises InputError for a compliance or damping that is negative or not finite.
    """

    def __init__(self, index: int, flags: ConstraintFlag, wrench_G: np.ndarray | None):
        self.index, self.flags = index, flags
        self.distance: float = 0.0
        self.engaged_count = 0
        self.multiplier = 0.0
        self._compliance = 0.0
        self._damping = 0.0
        self.is_engagement_reset = False
        self._engaged = int(self.is_bilateral)
        self._wrench_G: Array | None = np.zeros(6) if wrench_G is None else wrench_G
        self._dot_wrench_G: Any = np.zeros(6)
        self._is_recorded = False

    @property
    def is_bilateral(self) -> bool:
        """Whether its wrench acts in both directions."""
        return ConstraintFlag.BILATERAL in self.flags

    @property
    def is_constant(self) -> bool:
        """Whether its wrench is constant."""
        return ConstraintFlag.CONSTANT in self.flags

    @property
    def is_limit(self) -> bool:
        """Whether it limits a coordinate."""
        return ConstraintFlag.LIMIT in self.flags

    @property
    def compliance(self) -> float:
        """m/N or rad/(N m): displacement per unit of force; 0: rigid."""
        return self._compliance

    @compliance.setter
    def compliance(self, value: float) -> None:
        self._compliance = checked_size(value, f"constraint {self.index}: compliance", "m/N or rad/(N m)")

    @property
    def damping(self) -> float:
        """N s/m or N m s/rad: force per unit of speed of a compliant constraint."""
        return self._damping

    @damping.setter
    def damping(self, value: float) -> None:
        self._damping = checked_size(value, f"constraint {self.index}: damping", "N s/m or N m s")

    @property
    def wrench_G(self) -> Array:
        """(6,) N, N m for a multiplier of 1: its wrench expressed in G, force first."""
        if self._wrench_G is None:
            raise InputError(
                f"constraint {self.index}: update_constraints did not set its wrench_G, and the wrench is not constant. Always set it, or "
                "give it to add_constraint."
            )
        return self._wrench_G

    @wrench_G.setter
    def wrench_G(self, value: ArrayLike) -> None:
        if self.is_constant:
            raise InputError(f"constraint {self.index} has a constant wrench. To set the wrench later, do not give it to add_constraint.")
        self._wrench_G = checked_array(np.asarray(value), (6,), f"constraint {self.index}: wrench_G")

    @property
    def dot_wrench_G(self) -> Any:
        """(6,) the rate of its wrench expressed in G, force first."""
        return self._dot_wrench_G

    @dot_wrench_G.setter
    def dot_wrench_G(self, value: ArrayLike) -> None:
        self._dot_wrench_G = checked_array(np.asarray(value), (6,), f"constraint {self.index}: dot_wrench_G")

    @property
    def engaged(self) -> int:
        """1: active at its lower bound, -1: active at its upper bound, 0: not active. Always 1 if it is bilateral."""
        if self._is_recorded:
            raise RecordingError(
                f"constraint {self.index}: update_constraints is recorded, and the engagement of a constraint is not known there. Always "
                "set its "
                "wrench, and let update_engaged decide."
            )
        return self._engaged

    @engaged.setter
    def engaged(self, value: int) -> None:
        if self._is_recorded:
            raise RecordingError(
                f"constraint {self.index}: update_constraints is recorded. Call update_engaged(constraint, distance, lower, upper), which "
                "decides in every step."
            )
        self._engaged = value

    def set_wrench(self, wrench_G: np.ndarray, dot_wrench_G: np.ndarray) -> None:
        """Set the wrench wrench_G (6,) N, N m and its rate dot_wrench_G, which recorded functions computed for a pose."""
        self._wrench_G, self._dot_wrench_G = wrench_G, dot_wrench_G

    def in_recording(self) -> "CouplingConstraint":
        """A copy whose wrench can be set to recorded numbers."""
        copy = CouplingConstraint(self.index, self.flags, self._wrench_G)
        if not self.is_constant:
            copy._wrench_G = copy._dot_wrench_G = None
        copy._is_recorded = True
        return copy


def checked_range(given: Any, what: str) -> tuple[float, float]:
    """(lower, upper). Raises InputError, whose message begins with `what`, unless it is a pair of numbers."""
    try:
        lower, upper = given
        return float(lower), float(upper)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be a pair of numbers, (lower, upper), infinite if there is no bound, not {given!r}.") from error


Range = Annotated[tuple[float, float], checked_range]
UNBOUNDED: Range = (-np.inf, np.inf)


def checked_ranges(given: object, what: str, *, names: tuple[str, ...]) -> tuple[Range, ...]:
    """A range for each of the named coordinates. Raises InputError, whose message begins with `what`, for another number of ranges."""
    ranges = list(given) if isinstance(given, Iterable) else given
    if not isinstance(ranges, list) or len(ranges) != len(names):
        raise InputError(f"{what} must be one for each of the {len(names)} coordinates, {', '.join(names)}, not {given!r}.")
    return tuple(checked_range(each, f"{what}: that of {name}") for name, each in zip(names, ranges, strict=True))


@final
@dataclass(eq=False)
class CouplingCoordinate:
    """One coordinate of a coupling.

    index             its number among the coordinates of the coupling
    unit              its unit, such as "m" or "rad"
    min, max          its range; infinite if it has no limit
    limit_constraint  the constraint that limits it, or None
    value             m or rad; in recorded code the stored value
    speed             rate of the value
    twist_G           (6,)  velocity of G in D for a unit rate, linear first, expressed in G
    locked_value      the value at which it is locked, or None
    """

    index: int
    name: str
    unit: str
    min: float
    max: float
    limit_constraint: CouplingConstraint | None
    value: Scalar = 0.0
    speed: float = 0.0
    twist_G: np.ndarray = field(default_factory=lambda: np.zeros(6))
    locked_value: float | None = None

    @property
    def is_limited(self) -> bool:
        """Whether its range has a finite end."""
        return bool(np.isfinite(self.min) or np.isfinite(self.max))

    @property
    def locked(self) -> bool:
        """Whether the coordinate is locked."""
        return self.locked_value is not None

    def lock(self) -> None:
        """Lock the coordinate at its present value. Raises InputError if it has no limit constraint, whose force would hold it."""
        if self.limit_constraint is None:
            raise InputError(f"coordinate '{self.name}' cannot be locked: it has no limit constraint.")
        self.locked_value = float(self.value)

    def unlock(self) -> None:
        """Release the lock."""
        self.locked_value = None

    def set_range(self, lower: float, upper: float) -> None:
        """Set the range. Raises InputError unless lower < upper."""
        if not lower < upper:
            raise InputError(f"the range of coordinate '{self.name}' is ({lower}, {upper}). The lower limit must come first.")
        self.min, self.max = float(lower), float(upper)

    def set_value(self, value: float) -> None:
        """Set the value, clipped to the range, and let its limit be released in the next update. Raises InputError for no number."""
        self.value = min(max(float(checked_floats(value, (), f"coordinate '{self.name}'")), self.min), self.max)
        if self.limit_constraint is not None:
            self.limit_constraint.is_engagement_reset = True

    def nearest_angle(self, phi: Scalar) -> Scalar:
        """rad: the angle that differs from phi by whole turns and from the stored value by at most half a turn."""
        turn = 2 * np.pi
        return phi + turn * np.floor((self.value - phi) / turn + 0.5)
