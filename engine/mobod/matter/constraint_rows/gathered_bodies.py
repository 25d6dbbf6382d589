"""Rows that act on bodies which the runtime chooses: copies of what they read of these bodies.

In C: gathered_bodies.c and RowBlock.choice of rows.h in fmu_src/native.
"""

# Decision: docs/decisions/208-shared-slots.md

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure, ProcedureInC
from mobod.scalar.slot import Slot, spans
from mobod.scalar.sweep import Spare

SIZE_OF_POSE = 9 + 3 + 3  # R_GB, p_GB, r
SIZE_OF_MOTION = 6 + 6  # V_GB, A_c
POSES, ERRORS, GEOMETRY, MOTIONS, ROWS, FRICTION = USES = range(6)
"""What is computed of the equations, each with flags of its own in ChosenBodies.idle; FRICTION: of the first friction."""
NOTHING = (0, 0)
"""The bodies of a row that is absent: Ground twice."""


@final
@dataclass(frozen=True, kw_only=True)
class ChosenBodies:
    """The bodies of the rows of a constraint, which the runtime chooses.

    pairs    the numbers of the bodies (0: Ground) of each pair that it may choose
    choices  (n,) of each of the n equal equations: 0, or the number of its pair among those of all constraints, from 1
    poses    (n, 2, SIZE_OF_POSE) copies of those of both bodies; motions: (n, 2, SIZE_OF_MOTION)
    idle     (uses, n) flags by which the runtime leaves out what it computes of equations without bodies: Spare.is_idle
    """

    pairs: tuple[tuple[int, int], ...]
    choices: Slot
    poses: Slot
    motions: Slot
    idle: Slot

    def idle_of(self, use: int) -> Slot:
        """(n,) the flags of one use: one of USES, or from FRICTION on that of a friction of each equation."""
        n = self.choices.size
        return Slot(self.idle.offset + n * use, (n,))

    def spare(self, number: int, use: int) -> Spare:
        """By what a call of one of the equations is left out."""
        return Spare(self.choices[number], self.idle_of(use)[number])

    def pose(self, number: int, side: int) -> list[Slot]:
        """R_GB (3, 3), p_GB (3,), r (3,) of the first or the second body of one of the equations."""
        at = self.poses.offset + (2 * number + side) * SIZE_OF_POSE
        return [Slot(at, (3, 3)), Slot(at + 9, (3,)), Slot(at + 12, (3,))]

    def motion(self, number: int, side: int) -> list[Slot]:
        """V_GB (6,) and A_c (6,)."""
        at = self.motions.offset + (2 * number + side) * SIZE_OF_MOTION
        return [Slot(at, (6,)), Slot(at + 6, (6,))]

    def body(self, number: int, side: int) -> list[Slot]:
        """Its pose, then its motion."""
        return [*self.pose(number, side), *self.motion(number, side)]


@final
class GatherBodies(Procedure):
    """Copies numbers of the chosen bodies.

    paths  the pairs of bodies of all rows that choose; the first one is NOTHING
    parts  for each body, Ground first, the slots of what is copied, one after another
    to     (n, 2, numbers)
    idle   (n,) flags, see ChosenBodies.idle
    """

    def __init__(self, choices: Slot, paths: Sequence[tuple[int, int]], parts: Sequence[Sequence[Slot]], to: Slot, idle: Slot):
        self._choices, self._paths, self._parts, self._to, self._idle = choices, tuple(paths), parts, to, idle

    @property
    def name(self) -> str:
        return "gather bodies"

    @cached_property
    def inputs(self) -> tuple[Slot, ...]:
        return (self._choices, *spans([slot for slots in self._parts for slot in slots]))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return (self._to,)

    def in_c(self) -> ProcedureInC:
        return ProcedureInC("gathered_bodies.h", "run_gather", "run_gather_tangent", "run_gather_adjoint", self._table)

    @cached_property
    def _table(self) -> Struct:
        sizes = [slot.size for slot in self._parts[0]]
        return Struct(
            "GatherTable",
            n=self._choices.size,
            choices=self._choices.offset,
            idle=self._idle.offset,
            n_paths=len(self._paths),
            bodies=[body for pair in self._paths for body in pair],
            n_bodies=len(self._parts),
            n_parts=len(sizes),
            sizes=sizes,
            places=[slot.offset for slots in self._parts for slot in slots],
            n_numbers=sum(sizes),
            to=self._to.offset,
        )


def numbered_paths(chosen: Sequence[ChosenBodies | None]) -> tuple[list[int], tuple[tuple[int, int], ...]]:
    """The pairs of bodies that all constraints choose from, after NOTHING, and the number of the first one of each constraint."""
    first, paths = [], [NOTHING]
    for each in chosen:
        first.append(len(paths))
        paths += () if each is None else each.pairs
    return first, tuple(paths)


def choices_of_rows(equations: ConstraintEquations, chosen: ChosenBodies | None) -> list[Slot | None]:
    """The slot of the choice of each row; None: its bodies are fixed."""
    repeated, n = equations.repeated, equations.n
    choices: list[Slot | None] = [None] * n
    if chosen is not None and repeated is not None:
        for number in range(repeated.n):
            for row in (row for rows in repeated.rows(number) for row in rows):
                choices[row] = chosen.choices[number]
    return choices
