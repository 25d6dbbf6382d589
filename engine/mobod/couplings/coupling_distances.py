"""Unilateral constraints of a coupling as distances that do not fall below zero."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.projections import displacement
from mobod.couplings.records import CouplingConstraint
from mobod.errors import UnsupportedError
from mobod.matter.equations.compliance import Compliance, sharing
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class Bound:
    """One bound of the region of a unilateral constraint.

    region      its number in the order of update_engaged
    constraint  that of the coupling which keeps out of it
    is_lower    the value is to be above it; else below
    """

    region: int
    constraint: int
    is_lower: bool
    unit: str


NO_CONSTRAINT = -1  # a range that was given later to a coordinate without a limit constraint


def given_way(constraint: CouplingConstraint | None) -> tuple[float, float]:
    """(compliance, damping) of a constraint; (0, 0) for a rigid one, whose damping is not used."""
    return (constraint.compliance, constraint.damping) if constraint is not None and constraint.compliance else (0.0, 0.0)


def compliance_of(coupling: Coupling, constraints: Sequence[int], units: tuple[str, ...]) -> Compliance | None:
    """The compliance of the rows. constraints: for each row the index of the coupling's constraint, whose compliance its rows share."""
    labels = list(dict.fromkeys(constraints))
    each = [given_way(None if label == NO_CONSTRAINT else coupling.constraint(label)) for label in labels]
    return sharing(constraints, labels, units, [C for C, _ in each], [D for _, D in each])


def regions_of(coupling: Coupling, TCD: Transform, coordinates: Sequence[Scalar] | Array) -> list[tuple[int, Scalar, Scalar, Scalar]]:
    """(constraint, value, lower, upper) of each unilateral constraint that is not a limit of a coordinate; can be recorded."""
    shadow = coupling.in_recording(coordinates)
    TGD = shadow.project_to_constraints(TCD)
    shadow.update_constraints(TGD, TCD, displacement(TGD.inverse() @ TCD), np.zeros(6), True)
    return shadow.regions


def bounds_of(coupling: Coupling) -> tuple[Bound, ...]:
    """The finite bounds of all regions."""
    coordinates = [float(each.value) for each in coupling.coordinates]
    start = coupling.coordinates_to_TCD(np.array(coordinates)) if coordinates else coupling.project_to_constraints(Transform())
    bounds = []
    for number, (constraint, _, lower, upper) in enumerate(regions_of(coupling, start, coordinates)):
        unit = "m" if Coupling.LINEAR in coupling.constraint(constraint).flags else "rad"
        bounds += [Bound(number, constraint, is_lower, unit) for bound, is_lower in ((lower, True), (upper, False)) if np.isfinite(bound)]
    return tuple(bounds)


def opposite_of(sides: Sequence[tuple[object, bool]], row: int) -> int | None:
    """The index of the opposite side of the same range as the row, or None; sides are (range, is_lower)."""
    of, is_lower = sides[row]
    return next((other for other, side in enumerate(sides) if side == (of, not is_lower)), None)


def distances_to(bounds: tuple[Bound, ...], regions: list[tuple[int, Scalar, Scalar, Scalar]]) -> list[Scalar]:
    distances = []
    for bound in bounds:
        _, value, lower, upper = regions[bound.region]
        distances.append(value - lower if bound.is_lower else upper - value)
    return distances


@final
@dataclass(frozen=True)
class MobilizerDistances(ConstraintEquations):
    """Distances of a coupling that is a mobilizer, from its regions; limits of coordinates are not included."""

    coupling: Coupling = field(compare=False)
    likeness: object
    bounds: tuple[Bound, ...]

    @property
    def position_units(self) -> tuple[str, ...]:
        return tuple(bound.unit for bound in self.bounds)

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        return tuple((0, i) for i in range(len(self.coupling.coordinates)))

    @property
    def constraints(self) -> tuple[int, ...]:
        """Those of the coupling that the rows come of."""
        return tuple(bound.constraint for bound in self.bounds)

    def opposite(self, row: int) -> int | None:
        return opposite_of([(bound.region, bound.is_lower) for bound in self.bounds], row)

    def position_errors(self, motion: RelativeMotion) -> Array:
        q = motion.q[0]
        return np.array(distances_to(self.bounds, regions_of(self.coupling, self.coupling.coordinates_to_TCD(q), q)))


@final
@dataclass(frozen=True)
class LoopDistances(ConstraintEquations):
    """Distances of a coupling between body B and body A, in this order: coordinates from their limits, then from what is none.

    X_AC, X_BD  as numbers: their rows, then the position
    """

    coupling: Coupling = field(compare=False)
    likeness: object
    bounds: tuple[Bound, ...]
    limits: tuple[tuple[int, float, bool, str], ...]  # coordinate, bound, is_lower, unit
    X_AC: tuple[float, ...]
    X_BD: tuple[float, ...]

    @property
    def position_units(self) -> tuple[str, ...]:
        return (*(unit for *_, unit in self.limits), *(bound.unit for bound in self.bounds))

    @property
    def constraints(self) -> tuple[int, ...]:
        """Those of the coupling that the rows come of."""
        of_limits = [self.coupling.coordinates[i].limit_constraint for i, *_ in self.limits]
        return (*(NO_CONSTRAINT if each is None else each.index for each in of_limits), *(bound.constraint for bound in self.bounds))

    def opposite(self, row: int) -> int | None:
        of_limits = [(("coordinate", i), is_lower) for i, _, is_lower, _ in self.limits]
        return opposite_of([*of_limits, *((("region", bound.region), bound.is_lower) for bound in self.bounds)], row)

    def position_errors(self, motion: RelativeMotion) -> Array:
        X_B, X_A = motion.X
        TCD = (X_B @ pose(self.X_BD)).inverse() @ X_A @ pose(self.X_AC)
        shadow = self.coupling.in_recording([0.0] * len(self.coupling.coordinates))
        q = shadow.TCD_to_coordinates(shadow.project_to_constraints(TCD))
        of_limits = [q[i] - bound if is_lower else bound - q[i] for i, bound, is_lower, _ in self.limits]
        return np.array([*of_limits, *distances_to(self.bounds, regions_of(self.coupling, TCD, q))])


def loop_distances(coupling: Coupling, X_AC: Transform, X_BD: Transform, what: str) -> LoopDistances:
    """The distances. Raises UnsupportedError for ranges of angles beyond half a turn, because a pose does not determine the number of
    turns.
    """
    limits = []
    for each in coupling.coordinates:
        if each.unit == "rad" and each.is_limited and not -np.pi < each.min < each.max < np.pi:
            raise UnsupportedError(
                f"{what}: coordinate '{each.name}' of {type(coupling).__name__} is limited to {each.min:g} ... {each.max:g} rad, and a "
                "loop measures angles only between -pi and pi. Give both limits in this range, or let the joint be a mobilizer."
            )
        limits += [
            (each.index, bound, is_lower, each.unit) for bound, is_lower in ((each.min, True), (each.max, False)) if np.isfinite(bound)
        ]
    return LoopDistances(coupling, coupling.likeness, bounds_of(coupling), tuple(limits), _numbers(X_AC), _numbers(X_BD))


def _numbers(X: Transform) -> tuple[float, ...]:
    return (*X.R.ravel().tolist(), *X.p.tolist())


def pose(numbers: tuple[float, ...]) -> Transform:
    """The Transform of the rows of its rotation matrix, followed by its position."""
    return Transform.of(np.array(numbers[:9]).reshape(3, 3), np.array(numbers[9:]))
