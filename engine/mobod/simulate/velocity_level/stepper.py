"""VelocityLevelStepper: fixed steps, each with one program for speeds and one for coordinates. A twin of fmu_src/native/velocity_level.c.

    u+ is nearest to u + h u_dot, as M measures, of all that keep the bilateral rows and take no engaged row farther below zero;
    q+ = q + h q_dot(u+);  then q moves as little as can be, as M measures, to where the constraints hold.

u_dot is that of the bilateral constraints alone. Rows are those of the start of the step, with their own rates counted. An engaged row
asks for a rate of 0; a predicted one for -d / h, so that it ends at zero and never below; one that was met faster than the step itself
explains for -e times the rate before (Newton). A row below zero is brought back to its tolerance, not to zero: at rest it stays met.

Source: Lloyd, Stavness, Fels, ArtiSynth (2012); Anitescu & Potra, Nonlinear Dyn. 14 (1997); Stewart & Trinkle, IJNME 39 (1996).
"""

from typing import final

import numpy as np

from mobod.errors import SingularMechanismError
from mobod.matter import MatterSubsystem
from mobod.matter.multipliers import RowElimination
from mobod.matter.row_table import at
from mobod.scalar.kernel_calls import run_step
from mobod.simulate.failure import not_finite, stopped_by
from mobod.simulate.impact import without_gain
from mobod.simulate.quaternions import normalize
from mobod.simulate.unilateral_rows import UnilateralRows
from mobod.simulate.velocity_level.compliant_rows import CompliantRows, CompliantStep
from mobod.simulate.velocity_level.engagement import Engagement
from mobod.simulate.velocity_level.fixed_steps import FixedSteps, count_steps
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import Stage, State, System

NOISE = 1e-12  # of 1 + |u|: a row that moves by less is at rest
CAPTURED = 2.0  # times what a step changes of a rate: a row that is met no faster is at rest, and does not bounce


@final
class VelocityLevelStepper:
    """Moves a State on. All that is remembered lies in the State.

    matter                of the System
    constraint_tolerance  where several corrections of coordinates are allowed, errors that ask for no other one
    """

    def __init__(self, system: System, matter: MatterSubsystem, state: State, steps: FixedSteps, constraint_tolerance: float):
        self._size, self._iterations, self._constraint_tolerance = steps.size, steps.position_iterations, constraint_tolerance
        self._system, self._matter, self._state = system, matter, state
        self._rows = UnilateralRows(system, state)
        self._tolerances = row_tolerances(system)
        self._engagement = Engagement(self._rows, steps.engagement, self._tolerances)
        self._has_rows = bool(matter.constraints)
        self._compliant = CompliantRows(matter, state)
        self._auto_updated = state.auto_update_variables

    @property
    def goes_on(self) -> bool:
        """Whether the State is where a step left it. From VELOCITY on."""
        return bool(len(self._rows)) and not self._engagement.forget_what_was_set()

    def begin(self) -> None:
        """Where a run begins, or something was set: what is engaged is found, and coordinates are corrected."""
        rows = self._rows
        self._realize(Stage.VELOCITY)
        if len(rows) and self._engagement.forget_what_was_set():
            rows.release()
            self._correct_positions()
            self._realize(Stage.VELOCITY)
            met = rows.exist() & (self._engagement.engaged | (rows.values("distance") <= 0))
            self._end_step(met, np.full(len(rows), self._noise))

    def step(self, end: float) -> None:
        """To the time `end`, s. Raises IntegrationError, EventError; the State may then be anywhere."""
        state, rows = self._state, self._rows
        h = end - state.time
        if self._auto_updated:
            self._realize(Stage.REPORT)
            self._system.auto_update_discrete_variables(state)
        rows.release()
        self._realize(Stage.ACCELERATION)
        y, u_free, z = np.array(state.y), state.u + h * state.u_dot, state.z + h * state.z_dot
        self._check_finite(np.concatenate([y[: state.layout.n_q], u_free, z]), end)
        presses, captured = np.zeros(len(rows), dtype=bool), np.zeros(len(rows))
        if self._has_rows:
            du, presses, captured = self._impulses(h)
            u_free[self._among_u()] += du
        state.u = u_free
        self._realize(state.layout.q_dot_stage)
        y = np.concatenate([y[: state.layout.n_q] + h * state.q_dot, state.u, z])
        self._check_finite(y, end)
        normalize(state.layout, y)
        state.move_to(end, y)
        if self._has_rows:
            self._correct_positions()
        if len(rows):
            self._end_step(presses, captured)
        self._realize(Stage.VELOCITY)  # sets what is known

    def take(self, start: float, until: float, first: int, last: int) -> None:
        """Steps number first to last, counted from 1, of those from `start` to `until`, where the last one may be shorter."""
        n = count_steps(start, until, self._size)
        for k in range(first, last + 1):
            self.step(until if k == n else start + k * self._size)

    # speeds
    def _impulses(self, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Change of the matter's speeds; (n,) which unilateral rows press without a bounce; and what rates count as rest."""
        rows, lines = self._rows, [row.line for row in self._rows.rows]
        distances, rates, exist = rows.values("distance"), rows.values("rate"), rows.exist()
        w = self._compliant.flagged(rows.flagged(exist), self._compliant.enabled)
        taken_out = self._compliant.take_out(h, rows.table)
        of_speeds, drifts = self._free_rates(h, w, taken_out)
        soft = self._compliant.begin(h, of_speeds, drifts, taken_out, self._engagement.rule)
        free = rates + of_speeds[lines]
        captured = CAPTURED * np.abs(free - rates) + self._noise
        bounces = np.where(rates < -captured, rows.values("restitution") * -rates, -np.inf)
        above = np.maximum(distances, 0.0)  # what is below is brought back by the correction, without a speed
        is_predictive = self._engagement.rule == "predictive"
        if is_predictive:
            chosen, least = exist & (above + h * free <= 0), -above / h
        else:
            chosen, least = self._engagement.engaged & exist, -drifts[lines]
        target = np.maximum(bounces, least)
        while True:
            impulses, du = self._solve(chosen, free, least, target, np.abs(free - rates), soft)
            if not is_predictive:
                break
            change = rows.sweeps.along(w, du)
            after = free + change[lines]
            slack = NOISE * (above + h * (np.abs(free) + np.abs(after)))
            missed = exist & ~chosen & (above + h * after < -slack)
            if not self._compliant.choose_missed(soft, h, change, NOISE) | missed.any():
                break
            chosen |= missed
        own = impulses[lines]
        if is_predictive:
            self._engagement.predicted(chosen & (own > 0))
        rows.note_impulses(impulses, np.ones(len(rows), dtype=bool))
        self._compliant.note_impulses(impulses)
        return du + soft.taken_out, chosen & (own > 0) & ~(target > captured), captured

    def _free_rates(self, h: float, w: np.ndarray, taken_out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n_rows,) how rates change by speeds, in a step without impulses; and by the rows themselves, which change as well.

        w  the values, with the flags of all rows set that there are
        """
        sweeps, tree = self._rows.sweeps, self._rows.sweeps.tree
        bias = np.concatenate([at(w, block.bias) for block in sweeps.table.blocks])
        u_dot = at(w, tree.u_dot)
        of_speeds = sweeps.along(w, u_dot)
        of_found_ones = sweeps.along(w, u_dot - at(w, tree.prescription.slots.known_u_dot))
        changes = sweeps.along(w, h * u_dot + taken_out) if taken_out.any() else h * of_speeds
        return changes, h * (of_found_ones + bias - of_speeds)

    def _solve(
        self,
        chosen: np.ndarray,
        free: np.ndarray,
        least: np.ndarray,
        target: np.ndarray,
        by_forces: np.ndarray,
        soft: CompliantStep,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Impulses (n_rows,) of bilateral rows, of those that give way and of chosen ones, and the change of speeds that they make.

        free, least, target  (n,) rates without impulses, the least that they may be, and what they are to be after bounces
        by_forces            (n,) how much of the rates comes from forces in the step
        """
        rows, table = self._rows, self._rows.table
        w = self._compliant.flagged(rows.flagged(chosen), soft.chosen)
        run_step(RowElimination(table), w, None)
        equations, (springs, n_bilateral) = rows.equations(w), self._compliant.ordered(soft)
        lines = [*equations, *self._compliant.lines[springs], *rows.lines(chosen)]
        n, first = len(equations) + n_bilateral, len(equations) + len(springs)
        errors = rows.velocity_errors(w)
        if soft.taken_out.any():
            errors = errors + rows.sweeps.along(w, soft.taken_out)[equations]
        B, no_bound = table.columns(w)[:, lines], np.zeros(first)
        stiff = np.zeros((len(springs), len(lines)))
        stiff[range(len(springs)), range(len(equations), first)] = np.sqrt(soft.R[springs])
        before = np.concatenate([errors, soft.a[springs], free[chosen]])
        bound, bounce = (np.concatenate([no_bound, each[chosen]]) for each in (least, target - least))
        size = np.abs(before) + np.abs(bound)
        noise = NOISE * (size + bounce) + np.abs(np.concatenate([errors, np.zeros(len(springs)), by_forces[chosen]]))

        def after(scale: float) -> tuple[np.ndarray, float]:
            """Impulses, and the kinetic energy that rigid rows add to what forces do in the step."""
            a = before - bound - scale * bounce
            z = rows.solved(np.vstack([B, stiff]), a, n, size + scale * bounce, lines).multipliers
            return z, float(z[first:] @ (before + B.T @ (B @ z / 2))[first:])

        impulses = np.zeros(table.n_rows)
        impulses[lines] = without_gain(after, noise)
        return impulses, table.response(w, impulses)

    # coordinates
    def _correct_positions(self) -> None:
        """Also finds what is engaged from now on."""
        self._realize(Stage.VELOCITY)
        self._engagement.update()
        allowed = 0.0
        for _ in range(self._iterations):
            if not self._correct_once(allowed):
                return
            allowed = self._constraint_tolerance

    def _correct_once(self, allowed: float) -> bool:
        """By an iteration of Newton's method, unless no error is larger than what is allowed; whether that was done."""
        state, rows = self._state, self._rows
        self._realize(Stage.VELOCITY)
        distances, exist = rows.values("distance"), rows.exist()
        chosen = exist & (self._engagement.engaged | (distances < 0))
        w = state.values
        blocks = [block for block in rows.bilateral if w[block.enabled.offset] and block.position_errors.size]
        n, lines = sum(block.position_errors.size for block in blocks), rows.lines(chosen)
        lines = [*(block.first + i for block in blocks for i in range(block.position_errors.size)), *lines]
        below = np.where(distances < -self._tolerances, distances + self._tolerances, 0.0)[chosen]
        a = np.concatenate([np.zeros(0), *(at(w, block.position_errors) for block in blocks), below])
        if np.abs(a).max(initial=0.0) <= allowed:
            return False
        self._realize(Stage.DYNAMICS)
        w = rows.with_rows(chosen)
        solution = rows.solved(rows.table.columns(w)[:, lines], a, n, np.abs(a), lines)
        multipliers = np.zeros(rows.table.n_rows)
        multipliers[lines] = solution.multipliers
        q = state.layout.part("q", self._matter.index)
        dq = self._matter.multiply_by_N(state, rows.table.response(w, multipliers))
        state.write(q, state.view(q) + dq, "q", Stage.POSITION)
        y = np.array(state.y)
        normalize(state.layout, y)
        state.y = y
        return True

    def _end_step(self, presses: np.ndarray, captured: np.ndarray) -> None:
        """What is told of forces is of the accelerations there: rows that press are held."""
        self._realize(Stage.VELOCITY)
        at_rest = np.abs(self._rows.values("rate")) <= captured
        self._engagement.leave()
        self._rows.hold(self._rows.pushing(presses & at_rest))

    # inside
    @property
    def _noise(self) -> float:
        return NOISE * (1 + float(np.abs(self._state.u).max(initial=0.0)))

    def _among_u(self) -> slice:
        part, whole = self._state.layout.part("u", self._matter.index), self._state.layout.u
        return slice(part.offset - whole.offset, part.offset - whole.offset + part.size)

    def _realize(self, stage: Stage) -> None:
        try:
            self._system.realize(self._state, stage)
        except SingularMechanismError as error:
            raise stopped_by(error, self._state.time) from error

    def _check_finite(self, y: np.ndarray, end: float) -> None:
        if not np.isfinite(y).all():
            raise not_finite(self._system, self._state, int(np.flatnonzero(~np.isfinite(y))[0]), end)
