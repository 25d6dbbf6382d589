"""Compliance of constraint rows: a spring and a damper replace the equation."""

# Decision: docs/decisions/055-compliant-rows.md

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar import Array, Scalar, maximum, minimum, where
from mobod.spatial.checked import checked_size
from mobod.system.elements import Parameter

LEAST = 1e-30  # smallest divisor of forces
# units of compliance and damping, by the unit of a row's distance
_UNITS = {"m": ("m/N", "N.s/m"), "rad": ("rad/(N.m)", "N.m.s/rad"), "1": ("1/J", "J.s")}


@final
@dataclass(frozen=True)
class Compliance:
    """Compliances and dampings of the rows of a constraint.

    of_row      (n,) for each row its index in the following arrays; None: the row is rigid
    labels      endings of the parameters' names, if there are several
    units       of the distances
    compliance  displacement per unit of force, positive
    damping     force per unit of speed, at least 0
    """

    of_row: tuple[int | None, ...]
    labels: tuple[int, ...]
    units: tuple[str, ...]
    compliance: tuple[float, ...]
    damping: tuple[float, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """The compliant rows."""
        return tuple(row for row, number in enumerate(self.of_row) if number is not None)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters: compliances, then dampings."""
        names = [""] if len(self.labels) == 1 else [f"_{label}" for label in self.labels]
        units = [_UNITS[unit] for unit in self.units]
        return (
            *(
                Parameter(name=f"compliance{name}", unit=unit, description="displacement for a unit of force", least=LEAST)
                for name, (unit, _) in zip(names, units, strict=True)
            ),
            *(
                Parameter(name=f"damping{name}", unit=unit, description="force for a unit of speed", least=0.0)
                for name, (_, unit) in zip(names, units, strict=True)
            ),
        )

    def parameter_of(self, row: int, what: str) -> int | None:
        """The index, in `parameters`, of the 'compliance' or 'damping' of a row; None: the row is rigid."""
        number = self.of_row[row]
        return None if number is None else number + (len(self.labels) if what == "damping" else 0)

    @property
    def values(self) -> tuple[float, ...]:
        """The values of the parameters."""
        return (*self.compliance, *self.damping)

    def with_values(self, values: Sequence[Scalar] | Array) -> Self:
        n = len(self.labels)
        return replace(self, compliance=tuple(values[:n]), damping=tuple(values[n:]))

    def undamped(self) -> Self:
        return replace(self, damping=(0.0,) * len(self.damping))

    def force(self, row: int, distance: Scalar, rate: Scalar, *, is_unilateral: bool) -> Scalar:
        """The force along the gradient of the distance. A unilateral row has no force at positive distance, and never pulls."""
        number = self.of_row[row]
        if number is None:
            return 0.0
        if not is_unilateral:
            return -distance / self.compliance[number] - self.damping[number] * rate
        inside = minimum(distance, 0.0)  # the bound may be infinitely far
        return where(distance < 0, maximum(-inside / self.compliance[number] - self.damping[number] * rate, 0.0), 0.0)

    def energy(self, row: int, distance: Scalar, *, is_unilateral: bool) -> Scalar:
        """Potential energy of the spring, J."""
        number = self.of_row[row]
        if number is None:
            return 0.0
        return (minimum(distance, 0.0) if is_unilateral else distance) ** 2 / (2 * self.compliance[number])


def each_row(compliance: Compliance | ArrayLike | None, damping: ArrayLike, units: tuple[str, ...], what: str) -> Compliance | None:
    """The Compliance of one number for all rows, or one for each; a Compliance is returned unchanged. None if all rows are rigid. Raises
    InputError.
    """
    if compliance is None or isinstance(compliance, Compliance):
        return compliance
    n = len(units)
    found = []
    for name, given in (("compliance", compliance), ("damping", damping)):
        if np.shape(given) not in ((), (n,)):
            raise InputError(f"{what}: {name} is one number, or ({n},), not of shape {np.shape(given)}.")
        found.append([checked_size(each, f"{what}: {name}", "(unit of its rows)") for each in np.broadcast_to(given, n).tolist()])
    for C, D in zip(*found, strict=True):
        check_damping(C, D, what)
    if np.ndim(compliance) == np.ndim(damping) == 0 and len(set(units)) == 1:
        return sharing([0] * n, [0], units, *([each[0]] for each in found))
    return sharing(list(range(n)), list(range(n)), units, *found)


def sharing(
    of_row: Sequence[int], labels: Sequence[int], units: Sequence[str], compliance: Sequence[float], damping: Sequence[float]
) -> Compliance | None:
    """The Compliance of rows that share values. of_row: the label of each row; labels: in the order of the compliances and dampings; 0 is
    rigid. None if all are rigid.
    """
    soft = [label for label, each in zip(labels, compliance, strict=True) if each > 0 and label in of_row]
    if not soft:
        return None
    at = [labels.index(label) for label in soft]
    return Compliance(
        of_row=tuple(soft.index(label) if label in soft else None for label in of_row),
        labels=tuple(soft),
        units=tuple(units[of_row.index(label)] for label in soft),
        compliance=tuple(compliance[i] for i in at),
        damping=tuple(damping[i] for i in at),
    )


def check_damping(compliance: float, damping: float, what: str) -> None:
    """Raise InputError for a damping of a rigid row."""
    if damping > 0 and compliance == 0:
        raise InputError(f"{what}: a damping of {damping:g} needs a compliant row, and this one is rigid. Give it a compliance as well.")


def check_does_not_bounce(restitution: float, what: str) -> None:
    """Raise InputError for a restitution if all rows are compliant."""
    if restitution:
        raise InputError(f"{what}: a restitution of {restitution:g} needs a rigid row, and all are compliant. Use damping instead.")
