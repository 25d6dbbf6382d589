"""The rows of a System's constraints while some unilateral ones of them are held: for the programs that find impulses and forces.

A twin of fmu_src/native/unilateral_rows.c.

A row is given by its column of B = D^(-1/2) E^T of the inward sweep, with B^T B = G M^-1 G^T: no M, and nothing of its size.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mobod.errors import ComplementarityError, EventError
from mobod.matter import MultibodySystem
from mobod.matter.constraint_sweeps import ConstraintSweeps
from mobod.matter.contact_events import FAR, Contact, ContactSlots
from mobod.matter.multipliers import RowElimination, right_side
from mobod.matter.row_table import RowBlock, RowTable, at
from mobod.numerics import ComplementaritySolution, solve_complementarity
from mobod.scalar.kernel_calls import run_step
from mobod.simulate.limits import limits_of
from mobod.system import Stage, State, System

PUSHES = 1e-12  # of the accelerations: what a multiplier must change to hold its row


@dataclass(frozen=True)
class Row:
    """A unilateral row: its number among all rows, and where its numbers lie."""

    contact: Contact
    line: int
    slots: ContactSlots


class UnilateralRows:
    """All rows of a System with matter, of which a mask (n,) chooses among the n unilateral ones that are rigid."""

    def __init__(self, system: System, state: State):
        self.system, self.state = system, state
        self.constraints = limits_of(system)
        self.rows: list[Row] = []
        for constraint in self.constraints:
            first = self.sweeps.lines(constraint).start
            for contact in constraint.contacts:
                self.rows.append(Row(contact, first + contact.row, constraint.row_slots(state.layout, contact.row)))

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def sweeps(self) -> ConstraintSweeps:
        assert isinstance(self.system, MultibodySystem)
        return self.system.matter.constraint_sweeps(self.state.layout)

    @property
    def table(self) -> RowTable:
        return self.sweeps.table

    @cached_property
    def bilateral(self) -> list[RowBlock]:
        unilateral = {row.slots.active.offset for row in self.rows}
        return [block for block in self.table.blocks if block.enabled.offset not in unilateral and block.compliant is None]

    # of unilateral rows
    def values(self, name: str) -> np.ndarray:
        """(n,) of each row, by the name of its slot."""
        return np.array([self.state.values[getattr(row.slots, name).offset] for row in self.rows])

    def exist(self) -> np.ndarray:
        """(n,) whether a row is enabled and has a bound; from POSITION on."""
        return (self.values("enabled") != 0) & (self.values("distance") < FAR)

    def hold(self, held: np.ndarray) -> None:
        """Rows that are held are equations at ACCELERATION."""
        first = 0
        for constraint in self.constraints:
            of_rows = np.zeros(constraint.equations.n, dtype=bool)
            for number, contact in enumerate(constraint.contacts):
                of_rows[contact.row] = held[first + number]
            constraint.hold(self.state, of_rows)
            first += len(constraint.contacts)

    def release(self) -> None:
        self.hold(np.zeros(len(self.rows), dtype=bool))

    def note_impulses(self, impulses: np.ndarray, chosen: np.ndarray) -> None:
        """impulses (n_rows,), of constraints that have rows among the chosen ones."""
        for constraint in {self.rows[row].contact.constraint: None for row in np.flatnonzero(chosen)}:
            constraint.note_impulses(self.state, impulses[self.sweeps.lines(constraint)])

    # of all rows
    def equations(self, w: np.ndarray) -> list[int]:
        """The lines of bilateral rows that are enabled."""
        return [block.first + i for block in self.bilateral if w[block.enabled.offset] for i in range(block.n)]

    def velocity_errors(self, w: np.ndarray) -> np.ndarray:
        """Of `equations`; 0 for those of accelerations alone."""
        parts = [np.zeros(0)]
        for block in self.bilateral:
            if w[block.enabled.offset]:
                parts += [at(w, block.velocity_errors), np.zeros(block.n - block.velocity_errors.size)]
        return np.concatenate(parts)

    def lines(self, chosen: np.ndarray) -> list[int]:
        return [self.rows[row].line for row in np.flatnonzero(chosen)]

    def flagged(self, chosen: np.ndarray) -> np.ndarray:
        """The values of the State, with the flags of chosen unilateral rows set."""
        w = self.state.values.copy()
        for row, is_chosen in zip(self.rows, chosen, strict=True):
            w[row.slots.active.offset] = float(is_chosen)
        return w

    def with_rows(self, chosen: np.ndarray) -> np.ndarray:
        """As `flagged`, from DYNAMICS on, with E and A of bilateral rows and the chosen ones."""
        w = self.flagged(chosen)
        run_step(RowElimination(self.table), w, None)
        return w

    def solved(self, B: np.ndarray, a: np.ndarray, n_equations: int, size: np.ndarray, lines: list[int]) -> ComplementaritySolution:
        """Raises EventError."""
        if not (np.isfinite(B).all() and np.isfinite(a).all()):
            why = self.constraints[0].matter.explain_failure(self.state) if self.constraints else ""
            told = f"at {self.state.time:.9g} s constraints ask for impulses where the mechanism has no finite inertia or rates. {why}"
            raise EventError(told.rstrip())
        try:
            return solve_complementarity(B, a, n_equations, size=size, least_squares=True, names=self.table.names(np.array(lines)))
        except ComplementarityError as error:
            raise EventError(f"at {self.state.time:.9g} s unilateral constraints have no impulses or forces: {error}") from error

    def pushing(self, resting: np.ndarray) -> np.ndarray:
        """(n,) of rows at rest those that keep others, or themselves, from falling below zero. All rows are released for it."""
        pushing = np.zeros(len(self.rows), dtype=bool)
        if not resting.any():
            return pushing
        self.hold(pushing)
        self.system.realize(self.state, Stage.ACCELERATION)
        w, rows, table = self.with_rows(resting), np.flatnonzero(resting).tolist(), self.table
        equations = self.equations(w)
        lines = [*equations, *self.lines(resting)]
        E = at(w, table.E)
        free, size, energy = right_side(table, w), np.zeros(table.n_rows), 0.0
        for joint in table.joints:
            eps, own = at(w, joint.eps), slice(joint.first, joint.first + joint.nu)
            u_dot = at(w, joint.D_inverse) @ eps
            size += np.abs(E[:, own]) @ np.abs(u_dot)
            energy += float(eps @ u_dot)
        bias = np.concatenate([at(w, block.bias) for block in table.blocks])
        size += np.abs(bias)
        B = table.columns(w)[:, lines]
        found = self.solved(B, free[lines], len(equations), size[lines], lines)
        lengths = np.sqrt((B**2).sum(axis=0))
        with np.errstate(divide="ignore"):
            least = PUSHES * (np.sqrt(energy) + np.where(lengths > 0, np.abs(bias[lines]) / lengths, np.inf))
        pushing[rows] = (found.multipliers * lengths > least)[len(equations) :]
        return pushing
