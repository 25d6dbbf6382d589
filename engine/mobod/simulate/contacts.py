"""What becomes of unilateral rows: which are held, and the impulses of impacts. A twin of fmu_src/native/contacts.c.

Where a distance has fallen to zero all rows that are there impact at once: u+ is nearest to u, as M measures, of all that keep the
bilateral rows and leave no row approaching, w+ >= -e w- (Newton), e being 0 below the capture speed. Of the rows that are at rest then the
ones that must push are held: those with a multiplier in the accelerations nearest to the free ones. The others are free.

Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical
Systems (2008), ch. 8, event-driven schemes.
"""

import numpy as np

from mobod.errors import EventError
from mobod.simulate.event_errors import endless_contact, outside
from mobod.simulate.failure import not_projected
from mobod.simulate.impact import without_gain
from mobod.simulate.step_projection import project_all, project_positions
from mobod.simulate.unilateral_rows import UnilateralRows
from mobod.system import Stage, State, System
from mobod.system.event_table import IMPACT_SPEED, LAST, N_SHORT, RAISED, SINCE, EventTable

TIMESCALE = 0.1  # s, SimTK's default
CAPTURED = 1e-6  # of the largest speed with which a row was met
ENDLESS = 100  # impacts or releases of a row within MOMENT: its capture speed is raised
MOMENT = 1e-6 * TIMESCALE  # s
MOST_RAISED = 12
STILL = 1e-9  # of 1 + |u|: a row that moves by less is at rest,
NOISE = 1e-12  # and one that approaches by less does not impact
OUTSIDE = 10.0  # tolerances: what is farther below zero is no round-off


class Contacts:
    """All unilateral rows of a State during a run.

    tolerance  of constraints: how far from zero a distance may be that counts as zero
    """

    def __init__(self, system: System, state: State, table: EventTable, tolerance: float):
        self._system, self._state, self._tolerance = system, state, tolerance
        self._rows = UnilateralRows(system, state)
        by_event = {row.event.index: row for row in table.rows}
        self._memories = [by_event[row.contact.index].memory for row in self._rows.rows]
        self._number = {row.contact.index: number for number, row in enumerate(self._rows.rows)}  # of a row, by that of its event

    def __bool__(self) -> bool:
        return bool(len(self._rows))

    @property
    def still(self) -> float:
        """A row that moves by less is at rest."""
        return max(STILL * (1 + np.abs(self._state.u).max(initial=0.0)), self._tolerance)

    def rest_noise(self, event: int, distance: float, rate: float) -> float:
        """How far below zero a free row that lies there at rest may come to be before it counts; 0 for others."""
        slots, w = self._rows.rows[self._number[event]].slots, self._state.values
        is_at_rest = not w[slots.active.offset] and abs(distance) <= self._tolerance and abs(rate) <= self.still
        return 2 * self._tolerance if is_at_rest else 0.0

    def release(self) -> None:
        """Let go of all rows. What changes the State must not find them held; `resolve` then decides anew."""
        self._rows.release()

    def resolve(self) -> bool:
        """Have impacts happen, and decide which rows are held; whether that changed y or its rate.

        Raises EventError for a row that is below zero, or that a known motion drives there.
        """
        state, tolerance = self._state, self._tolerance
        y, were_held = np.array(state.y), self._rows.values("active") != 0
        self.release()
        self._project()
        self._system.realize(state, Stage.VELOCITY)
        distances, exist = self._rows.values("distance"), self._rows.exist()
        below = np.flatnonzero(exist & (distances < -OUTSIDE * tolerance))
        if len(below):
            raise EventError(outside(self._rows.rows[int(below[0])].contact, state))
        touching = exist & (distances <= np.where(were_held, OUTSIDE, 1.0) * tolerance)
        if touching.any():
            if (distances[touching] < -tolerance / 2).any():
                self._to_the_surface(touching)
            self._impact(touching)
            self._system.realize(state, Stage.VELOCITY)
            at_rest = np.array([max(self.still, self._capture_speed(row, 0.0)) for row in range(len(self._rows))])
            pushing = self._rows.pushing(touching & (np.abs(self._rows.values("rate")) <= at_rest))
            self._stop(pushing)
            self._rows.hold(pushing)
            self._project()
        return not (np.array_equal(y, state.y) and np.array_equal(were_held, self._rows.values("active") != 0))

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
                raise EventError(endless_contact(self._rows.rows[row].contact, time))
        return 1 if self._state.values[self._rows.rows[row].slots.active.offset] else -1

    # parts of it
    def _impact(self, touching: np.ndarray) -> None:
        rates = self._rows.values("rate")
        approaching = touching & (rates < -self._noise)
        if not approaching.any():
            return
        self._system.realize(self._state, Stage.DYNAMICS)
        all_rows, table = self._rows, self._rows.table
        w, rows = all_rows.with_rows(touching), np.flatnonzero(touching).tolist()
        equations = all_rows.equations(w)
        before = np.concatenate([all_rows.velocity_errors(w), np.where(approaching, rates, np.maximum(rates, 0.0))[rows]])
        lines = [*equations, *all_rows.lines(touching)]
        B = table.columns(w)[:, lines]
        bounce = np.concatenate([np.zeros(len(equations)), [self._restitution(row, -rates[row]) for row in rows]])

        def after(scale: float) -> tuple[np.ndarray, float]:
            """Impulses, and the kinetic energy that they add."""
            target = -scale * bounce * np.minimum(before, 0.0)
            z = all_rows.solved(B, before - target, len(equations), np.abs(before) + target, lines).multipliers
            return z, float(z[len(equations) :] @ (before + B.T @ (B @ z / 2))[len(equations) :])

        impulses = np.zeros(table.n_rows)
        impulses[lines] = without_gain(after, NOISE * np.abs(before))
        for row in rows:
            memory = self._memory(row)
            memory[IMPACT_SPEED] = max(memory[IMPACT_SPEED], -rates[row])
        all_rows.note_impulses(impulses, touching)
        self._respond(w, impulses)

    def _stop(self, held: np.ndarray) -> None:
        """What rates are left of rows that are at rest: a projection, which knows of no masses, might add energy."""
        all_rows, rates = self._rows, self._rows.values("rate")[held]
        if not (np.abs(rates) > self._noise).any():
            return
        self._system.realize(self._state, Stage.DYNAMICS)
        w = all_rows.with_rows(held)
        lines = [*all_rows.equations(w), *all_rows.lines(held)]
        before = np.concatenate([all_rows.velocity_errors(w), rates])
        impulses = np.zeros(all_rows.table.n_rows)
        impulses[lines] = all_rows.solved(all_rows.table.columns(w)[:, lines], before, len(lines), np.abs(before), lines).multipliers
        self._respond(w, impulses)

    def _respond(self, w: np.ndarray, impulses: np.ndarray) -> None:
        table = self._rows.table
        u = np.array(self._state.view(table.u))
        self._state.write(table.u, u + table.response(w, impulses), "u", Stage.VELOCITY)

    @property
    def _noise(self) -> float:
        """A row that approaches by less does not impact."""
        return NOISE * float(1 + np.abs(self._state.u).max(initial=0.0))

    def _restitution(self, row: int, speed: float) -> float:
        """0 below the capture speed."""
        slots = self._rows.rows[row].slots
        return float(self._state.values[slots.restitution.offset]) if speed > self._capture_speed(row, speed) else 0.0

    def _capture_speed(self, row: int, speed: float) -> float:
        """Below it a row that is met is at rest: so bounces end, and the rocking from one row to another."""
        memory = self._memory(row)
        return float(max(2 * self._tolerance / TIMESCALE, CAPTURED * max(memory[IMPACT_SPEED], speed)) * 10.0 ** memory[RAISED])

    def _to_the_surface(self, touching: np.ndarray) -> None:
        """Of rows that are farther below zero than a projection leaves them; u stays."""
        self._rows.hold(touching)
        failure = project_positions(self._rows.constraints[0].matter, self._state, self._tolerance)
        if failure is not None:
            raise EventError(not_projected(failure.constraint, failure.error, self._state.time))
        self.release()

    def _project(self) -> None:
        failure = project_all(self._system, self._state, self._tolerance)
        if failure is not None:
            raise EventError(not_projected(failure.constraint, failure.error, self._state.time))

    def _memory(self, row: int) -> np.ndarray:
        return self._state.values[self._memories[row].slice]
