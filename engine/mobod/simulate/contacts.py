"""What becomes of unilateral rows: which are held, and the impulses of impacts. A twin of fmu_src/native/contacts.c.

Where a distance has fallen to zero all rows that are there impact at once: u+ is nearest to u, as M measures, of all that keep the
bilateral rows and leave no row approaching, w+ >= -e w- (Newton), e being 0 below the capture speed. Of the rows that are at rest then the
ones that must push are held: those with a multiplier in the accelerations nearest to the free ones. The others are free.

Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical
Systems (2008), ch. 8, event-driven schemes.
"""

from dataclasses import dataclass

import numpy as np

from mobod.errors import ComplementarityError, EventError
from mobod.matter import MultibodySystem
from mobod.matter.multipliers import MultiplierSolve, RowElimination
from mobod.matter.row_table import at
from mobod.matter.unilateral import FAR, Contact, ContactSlots, UnilateralConstraint, unilateral_constraints
from mobod.numerics import ComplementaritySolution, solve_complementarity
from mobod.simulate.event_errors import endless_contact, outside
from mobod.simulate.failure import not_projected
from mobod.simulate.projection import project_all, project_positions
from mobod.system import Stage, State, System
from mobod.system.event_table import IMPACT_SPEED, LAST, N_SHORT, RAISED, SINCE, EventRow, EventTable

TIMESCALE = 0.1  # s, SimTK's default
CAPTURED = 1e-6  # of the largest speed with which a row was met
ENDLESS = 100  # impacts or releases of a row within MOMENT: its capture speed is raised
MOMENT = 1e-6 * TIMESCALE  # s
MOST_RAISED = 12
STILL = 1e-9  # of 1 + |u|: a row that moves by less is at rest,
NOISE = 1e-12  # and one that approaches by less does not impact
PUSHES = 1e-12  # of the accelerations: what a multiplier must change to hold its row
OUTSIDE = 10.0  # tolerances: what is farther below zero is no round-off
SMALLEST_SCALE = 1e-3  # of restitutions, where impacts would gain energy; below it they are 0


@dataclass(frozen=True)
class Row:
    """A unilateral row: its number among all rows, and where its numbers lie."""

    contact: Contact
    line: int
    slots: ContactSlots
    event: EventRow


class Contacts:
    """All unilateral rows of a State during a run.

    tolerance  of constraints: how far from zero a distance may be that counts as zero
    """

    def __init__(self, system: System, state: State, table: EventTable, tolerance: float):
        self._system, self._state, self._tolerance = system, state, tolerance
        self.rows: list[Row] = []
        self._number: dict[int, int] = {}  # of a row, by that of its event
        self._constraints = _unilateral_constraints(system)
        if not self._constraints:
            return
        sweeps = self._constraints[0].matter.constraint_sweeps(state.layout)
        by_event = {row.event.index: row for row in table.rows}
        for constraint in self._constraints:
            for contact in constraint.contacts:
                slots = constraint.row_slots(state.layout, contact.row)
                self._number[contact.index] = len(self.rows)
                self.rows.append(Row(contact, sweeps.lines(constraint).start + contact.row, slots, by_event[contact.index]))
        self._table = sweeps.table
        unilateral = {row.slots.active.offset for row in self.rows}
        self._bilateral = [block for block in self._table.blocks if block.enabled.offset not in unilateral]

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def still(self) -> float:
        """A row that moves by less is at rest."""
        return max(STILL * (1 + np.abs(self._state.u).max(initial=0.0)), self._tolerance)

    def rest_noise(self, event: int, distance: float, rate: float) -> float:
        """How far below zero a free row that lies there at rest may come to be before it counts; 0 for others."""
        slots, w = self.rows[self._number[event]].slots, self._state.values
        is_at_rest = not w[slots.active.offset] and abs(distance) <= self._tolerance and abs(rate) <= self.still
        return 2 * self._tolerance if is_at_rest else 0.0

    def release(self) -> None:
        """Let go of all rows. What changes the State must not find them held; `resolve` then decides anew."""
        self._hold(np.zeros(len(self.rows), dtype=bool))

    def resolve(self) -> bool:
        """Have impacts happen, and decide which rows are held; whether that changed y or its rate.

        Raises EventError for a row that is below zero, or that a known motion drives there.
        """
        state, tolerance = self._state, self._tolerance
        y, were_held = np.array(state.y), self._values("active") != 0
        self.release()
        self._project()
        self._system.realize(state, Stage.VELOCITY)
        distances, exist = self._values("distance"), self._exist()
        below = np.flatnonzero(exist & (distances < -OUTSIDE * tolerance))
        if len(below):
            raise EventError(outside(self.rows[int(below[0])].contact, state))
        touching = exist & (distances <= np.where(were_held, OUTSIDE, 1.0) * tolerance)
        if touching.any():
            if (distances[touching] < -tolerance / 2).any():
                self._to_the_surface(touching)
            self._impact(touching)
            self._system.realize(state, Stage.VELOCITY)
            at_rest = np.array([max(self.still, self._capture_speed(row, 0.0)) for row in range(len(self.rows))])
            self._hold(self._pushing(touching & (np.abs(self._values("rate")) <= at_rest)))
            self._project()
        return not (np.array_equal(y, state.y) and np.array_equal(were_held, self._values("active") != 0))

    def count(self, event: int) -> int:
        """An impact (-1) or a release (1): where they follow each other without end the capture speed is raised. Raises EventError."""
        row = self._number[event]
        memory, time = self._memory(row), self._state.time
        memory[LAST] = time
        if time - memory[SINCE] > MOMENT:
            memory[[SINCE, N_SHORT, RAISED]] = time, 0, 0
        memory[N_SHORT] += 1
        if memory[N_SHORT] > ENDLESS:
            memory[[N_SHORT, RAISED]] = 0, memory[RAISED] + 1
            if memory[RAISED] > MOST_RAISED:
                raise EventError(endless_contact(self.rows[row].contact, time))
        return 1 if self._state.values[self.rows[row].slots.active.offset] else -1

    # parts of it
    def _impact(self, touching: np.ndarray) -> None:
        state, rates = self._state, self._values("rate")
        approaching = touching & (rates < -NOISE * (1 + np.abs(state.u).max(initial=0.0)))
        if not approaching.any():
            return
        self._system.realize(state, Stage.DYNAMICS)
        w, rows = self._with_rows(touching), np.flatnonzero(touching).tolist()
        equations = [block.first + i for block in self._bilateral if w[block.enabled.offset] for i in range(block.n)]
        before = np.concatenate([self._bilateral_rates(w), np.where(approaching, rates, np.maximum(rates, 0.0))[rows]])
        lines = [*equations, *(self.rows[row].line for row in rows)]
        B = self._table.columns(w)[:, lines]
        bounce = np.concatenate([np.zeros(len(equations)), [self._restitution(row, -rates[row]) for row in rows]])

        def after(scale: float) -> tuple[np.ndarray, float]:
            """Impulses, and the kinetic energy that they add."""
            target = -scale * bounce * np.minimum(before, 0.0)
            found = self._solved(B, before - target, len(equations), np.abs(before) + target, lines)
            z = found.multipliers
            work = float(z[len(equations) :] @ (before + B.T @ (B @ z / 2))[len(equations) :])
            return z, work

        z, work = after(1.0)
        gained = NOISE * float(np.abs(z) @ np.abs(before))
        if work > gained:  # Newton's law for several rows at once may gain energy; for e = 0 it never does
            low, high = 0.0, 1.0
            z, _ = after(0.0)
            while high - low > SMALLEST_SCALE:
                middle = (low + high) / 2
                tried, work = after(middle)
                if work > gained:
                    high = middle
                else:
                    low, z = middle, tried
        impulses = np.zeros(self._table.n_rows)
        impulses[lines] = z
        for row in rows:
            memory = self._memory(row)
            memory[IMPACT_SPEED] = max(memory[IMPACT_SPEED], -rates[row])
        for constraint in {self.rows[row].contact.constraint: None for row in rows}:
            constraint.note_impulses(state, impulses[[each.line for each in self.rows if each.contact.constraint is constraint]])
        u = np.array(state.view(self._table.u))
        state.write(self._table.u, u + self._table.response(w, impulses), "u", Stage.VELOCITY)

    def _pushing(self, resting: np.ndarray) -> np.ndarray:
        """(n,) of rows at rest those that keep others, or themselves, from falling below zero."""
        pushing = np.zeros(len(self.rows), dtype=bool)
        if not resting.any():
            return pushing
        self._hold(pushing)
        self._system.realize(self._state, Stage.ACCELERATION)
        w, rows, table = self._with_rows(resting), np.flatnonzero(resting).tolist(), self._table
        equations = [block.first + i for block in self._bilateral if w[block.enabled.offset] for i in range(block.n)]
        lines = [*equations, *(self.rows[row].line for row in rows)]
        E, solve = at(w, table.E), MultiplierSolve(table)
        free, size, energy = solve.right_side(w), np.zeros(table.n_rows), 0.0
        for joint in table.joints:
            eps, own = at(w, joint.eps), slice(joint.first, joint.first + joint.nu)
            u_dot = at(w, joint.D_inverse) @ eps
            size += np.abs(E[:, own]) @ np.abs(u_dot)
            energy += float(eps @ u_dot)
        bias = np.concatenate([at(w, block.bias) for block in table.blocks])
        size += np.abs(bias)
        B = table.columns(w)[:, lines]
        found = self._solved(B, free[lines], len(equations), size[lines], lines)
        lengths = np.sqrt((B**2).sum(axis=0))
        with np.errstate(divide="ignore"):
            least = PUSHES * (np.sqrt(energy) + np.where(lengths > 0, np.abs(bias[lines]) / lengths, np.inf))
        pushing[rows] = (found.multipliers * lengths > least)[len(equations) :]
        return pushing

    def _solved(self, B: np.ndarray, a: np.ndarray, n_equations: int, size: np.ndarray, lines: list[int]) -> ComplementaritySolution:
        try:
            return solve_complementarity(B, a, n_equations, size=size, least_squares=True, names=self._table.names(np.array(lines)))
        except ComplementarityError as error:
            raise EventError(f"at {self._state.time:.9g} s unilateral constraints have no impulses or forces: {error}") from error

    def _restitution(self, row: int, speed: float) -> float:
        """0 below the capture speed."""
        slots = self.rows[row].slots
        return float(self._state.values[slots.restitution.offset]) if speed > self._capture_speed(row, speed) else 0.0

    def _capture_speed(self, row: int, speed: float) -> float:
        """Below it a row that is met is at rest: so bounces end, and the rocking from one row to another."""
        memory = self._memory(row)
        return float(max(2 * self._tolerance / TIMESCALE, CAPTURED * max(memory[IMPACT_SPEED], speed)) * 10.0 ** memory[RAISED])

    def _bilateral_rates(self, w: np.ndarray) -> np.ndarray:
        """Velocity errors of bilateral rows; 0 for those of accelerations alone."""
        parts = [np.zeros(0)]
        for block in self._bilateral:
            if w[block.enabled.offset]:
                parts += [at(w, block.velocity_errors), np.zeros(block.n - block.velocity_errors.size)]
        return np.concatenate(parts)

    def _with_rows(self, chosen: np.ndarray) -> np.ndarray:
        """The values of the State with E and A of bilateral rows and the chosen ones."""
        w = self._state.values.copy()
        for row, is_chosen in zip(self.rows, chosen, strict=True):
            w[row.slots.active.offset] = float(is_chosen)
        RowElimination(self._table).run(w)
        return w

    def _to_the_surface(self, touching: np.ndarray) -> None:
        """Of rows that are farther below zero than a projection leaves them; u stays."""
        self._hold(touching)
        failure = project_positions(self._constraints[0].matter, self._state, self._tolerance)
        if failure is not None:
            raise EventError(not_projected(failure.constraint, failure.error, self._state.time))
        self.release()

    def _project(self) -> None:
        failure = project_all(self._system, self._state, self._tolerance)
        if failure is not None:
            raise EventError(not_projected(failure.constraint, failure.error, self._state.time))

    # what lies in the State
    def _memory(self, row: int) -> np.ndarray:
        return self._state.values[self.rows[row].event.memory.slice]

    def _values(self, name: str) -> np.ndarray:
        return np.array([self._state.values[getattr(row.slots, name).offset] for row in self.rows])

    def _exist(self) -> np.ndarray:
        return (self._values("enabled") != 0) & (self._values("distance") < FAR)

    def _hold(self, held: np.ndarray) -> None:
        first = 0
        for constraint in self._constraints:
            n = constraint.equations.n
            constraint.hold(self._state, held[first : first + n])
            first += n


def release_contacts(system: System, state: State) -> None:
    """Let go of all unilateral rows."""
    for constraint in _unilateral_constraints(system):
        constraint.hold(state, np.zeros(constraint.equations.n, dtype=bool))


def _unilateral_constraints(system: System) -> list[UnilateralConstraint]:
    return unilateral_constraints(system.matter) if isinstance(system, MultibodySystem) and system.has_matter else []
