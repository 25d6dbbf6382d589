"""The slots of joints and of constraint rows in the values of a State, from which RowTable makes the tables of C."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.equations.motion_equations import Level
from mobod.scalar.slot import Slot


@dataclass(frozen=True, kw_only=True)
class TreeJoint:
    """A body's part of the articulated-body algorithm.

    first        index of its first speed among all speeds
    known_level  slot of the level of its motion (see motion_equations); None: the motion is never known
    along        index of the first of the parent's speeds that move the body too, of an interface of a flexible body; H_along: (6, n)
    levers       (nu,) the length at which a force along each speed counts as a moment: 1 of a rotation, `RowTable.length` of
                 translations, `ModalCoordinates.scale` of modes
    """

    body: int
    parent: int
    first: int
    H: Slot
    G: Slot
    l: Slot
    D_inverse: Slot
    eps: Slot
    known_level: Slot | None
    levers: tuple[float, ...]
    along: int | None = None
    H_along: Slot | None = None

    @property
    def nu(self) -> int:
        return self.eps.size


@dataclass(frozen=True, kw_only=True)
class CompliantRow:
    """A compliant row. Only the fixed-step integrator makes it an equation, during its solution.

    enabled  of its constraint
    impulse  of a unilateral row
    """

    enabled: Slot
    compliance: Slot
    damping: Slot
    force: Slot
    impulse: Slot | None
    is_unilateral: bool


@dataclass(frozen=True, kw_only=True)
class CarriedRow:
    """A row with dry friction, which may carry a force without being an equation.

    flag    0: no, 1: the force of a slip, 2: a given force
    normal  number of the contact's row among all rows; None: the friction of a joint
    slide   of a tangent row: force per normal force of a slip, or the force
    """

    flag: Slot
    given: Slot
    normal: int | None
    slide: Slot | None


@dataclass(frozen=True, kw_only=True)
class BearingSlots:
    """The load of a joint's bearing.

    load            with which the friction is computed
    measured        from the reactions that follow
    size            the same of the absolute values of all terms
    flag            of its CarriedRow
    row             number among all rows
    is_regularised  whether it always carries its friction
    body            number of the body of the joint
    R_GM            of the body
    weights         (6,) how much each moment and force of the reaction counts, in the axes of M
    """

    load: Slot
    measured: Slot
    size: Slot
    flag: Slot
    row: int
    is_regularised: bool
    body: int
    R_GM: Slot
    weights: Slot


@dataclass(frozen=True, kw_only=True)
class RowBlock:
    """The rows of one constraint: (body, (n, 6)) and (body, (n, nu)) for the bodies and mobilities that they act on; bias: (n,)
    accelerations for u_dot = 0.

    motions     V_GB and A_c of each of on_bodies
    is_contact  whether it is part of a unilateral constraint
    compliant   the compliance of its only row
    carried     the force that its only row carries without being an equation
    choice      the number of its pair of bodies, if the runtime chooses them (ChosenBodies); then `sides` are the slots (n, 6) of both
                bodies, and on_bodies is empty
    """

    name: str
    first: int
    n: int
    enabled: Slot
    position_errors: Slot
    velocity_errors: Slot
    bias: Slot
    on_bodies: tuple[tuple[int, Slot], ...]
    on_mobilities: tuple[tuple[int, Slot], ...]
    motions: tuple[tuple[Slot, Slot], ...]
    is_contact: bool = False
    compliant: CompliantRow | None = None
    carried: CarriedRow | None = None
    choice: Slot | None = None
    sides: tuple[Slot, ...] = ()

    def bodies_in(self, w: np.ndarray, paths: Sequence[tuple[int, int]]) -> list[tuple[int, Slot]]:
        """The bodies that it acts on in w, each with its slot (n, 6). paths: see RowTable"""
        if self.choice is None:
            return list(self.on_bodies)
        bodies = paths[int(w[self.choice.offset])]
        return [(body, K) for body, K in zip(bodies, self.sides, strict=True) if body]

    def errors(self, level: Level) -> Slot:
        """The slot of position errors, or of velocity errors, which include the rates of position errors."""
        return self.position_errors if level == "position" else self.velocity_errors

    def of_row(
        self, row: int, enabled: Slot, compliant: CompliantRow | None, carried: CarriedRow | None, choice: Slot | None = None
    ) -> "RowBlock":
        """One row, which has a position or a velocity error, as a block with its own flag."""
        one = slice(row, row + 1)
        has_position = row < self.position_errors.size
        return RowBlock(
            name=self.name,
            first=self.first + row,
            n=1,
            enabled=enabled,
            motions=self.motions,
            is_contact=self.is_contact,
            compliant=compliant,
            carried=carried,
            position_errors=_lines(self.position_errors, one) if has_position else Slot(self.velocity_errors.offset + row, (0,)),
            velocity_errors=_lines(self.velocity_errors, one),
            bias=_lines(self.bias, one),
            on_bodies=tuple((body, _lines(K, one)) for body, K in self.on_bodies),
            on_mobilities=tuple((body, _lines(k, one)) for body, k in self.on_mobilities),
            choice=choice,
            sides=tuple(_lines(K, one) for K in self.sides),
        )


def _lines(slot: Slot, lines: slice) -> Slot:
    """A range of the first axis."""
    size = slot.size // slot.shape[0]
    return Slot(slot.offset + lines.start * size, (lines.stop - lines.start, *slot.shape[1:]))


def slots_of_rows(rows: Slot, constraints: Sequence[ConstraintRows]) -> list[tuple[list[tuple[int, Slot]], list[tuple[int, Slot]]]]:
    """For each constraint: (body, its slot of the rows), of bodies and of mobilities. rows: the slot of the rows of all constraints."""
    offset, found = rows.offset, []
    chosen, n_chosen = offset, sum(each.equations.n for each in constraints if each.chosen_pairs is not None)
    offset += 2 * 6 * n_chosen  # first sides, then second ones: for all paths one is as far from the other
    for constraint in constraints:
        n = constraint.equations.n
        on_bodies: list[tuple[int, Slot]] = []
        on_mobilities: list[tuple[int, Slot]] = []
        if constraint.chosen_pairs is not None:
            found.append(([(0, Slot(chosen + 6 * n_chosen * side, (n, 6))) for side in (0, 1)], on_mobilities))
            chosen += 6 * n
            continue
        for body in (constraint.base, *constraint.followers):
            if body.index:
                on_bodies.append((body.index, Slot(offset, (n, 6))))
                offset += 6 * n
        for mobilizer in constraint.mobilizers:
            on_mobilities.append((mobilizer.index, Slot(offset, (n, mobilizer.nu))))
            offset += n * mobilizer.nu
        found.append((on_bodies, on_mobilities))
    return found
