"""Rows that give way, as fixed steps take them: implicitly, so that they may be as stiff as they like.

With the impulse t of a row over the step and its rate v+ at the end of it

    t / h = -(d + h v+ / 2) / C - D v+,   that is   v+ + R t = -s d   with   s = 1 / (h / 2 + D C),   R = s C / h:

the spring at the middle of the step, the damper at its end. The force of the State is taken out of u_dot for it. A unilateral row takes
part where its distance is below zero, or comes to be in the step, and t >= 0.

Source: Lloyd, Stavness, Fels, ArtiSynth (2012), and its Modeling Guide, section 4.8; Lacoursiere, Ghosts and Machines (2007).
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.matter import MatterSubsystem
from mobod.matter.contact_events import FAR
from mobod.matter.multipliers import RowElimination
from mobod.matter.row_table import RowTable
from mobod.matter.unilateral import unilateral_constraints
from mobod.scalar.kernel_calls import run_step
from mobod.simulate.velocity_level.fixed_steps import EngagementRule
from mobod.system import State


@final
@dataclass
class CompliantStep:
    """What a step makes of n rows that give way.

    chosen     (n,) which take part
    a, R       (n,) of the equation above, v+ + s d without impulses, and what an impulse of its own adds
    free       (n,) rates without impulses
    taken_out  (nu,) the change of speeds that comes of leaving their forces out
    """

    chosen: np.ndarray
    a: np.ndarray
    R: np.ndarray
    free: np.ndarray
    taken_out: np.ndarray


@final
class CompliantRows:
    """All rows of a State that give way."""

    def __init__(self, matter: MatterSubsystem, state: State):
        self._state, self._matter = state, matter
        blocks = matter.constraint_sweeps(state.layout).table.blocks if matter.constraints else ()
        self._blocks = [(block, block.compliant) for block in blocks if block.compliant is not None]
        self._is_unilateral = np.array([row.is_unilateral for _, row in self._blocks], dtype=bool)
        self._constraints = [each for each in unilateral_constraints(matter) if each.compliant_rows]
        self.lines = np.array([block.first for block, _ in self._blocks], dtype=np.intp)

    def flagged(self, w: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """w itself, with the flags of chosen ones set."""
        for (block, _), is_chosen in zip(self._blocks, chosen, strict=True):
            w[block.enabled.offset] = float(is_chosen)
        return w

    @property
    def enabled(self) -> np.ndarray:
        """(n,) whether it is, and has a bound."""
        return (self._values("enabled") != 0) & (self._distances < FAR)

    def take_out(self, h: float, table: RowTable) -> np.ndarray:
        """(nu,) the change of speeds in a step when their forces are left out; from ACCELERATION on."""
        w, pressing = self._state.values, self._values("force")
        if not pressing.any():
            return np.zeros(table.eps.size)
        w = self.flagged(w.copy(), pressing != 0)
        run_step(RowElimination(table), w, None)
        impulses = np.zeros(table.n_rows)
        impulses[self.lines] = -h * pressing
        return table.response(w, impulses)

    def begin(self, h: float, of_speeds: np.ndarray, drifts: np.ndarray, taken_out: np.ndarray, rule: EngagementRule) -> CompliantStep:
        """of_speeds  (n_rows,) how rates change by speeds without their forces
        drifts     (n_rows,) and by the rows themselves, which change as well
        """
        d, C, D = self._distances, self._values("compliance"), self._values("damping")
        free, s = self._rates + of_speeds[self.lines], 1 / (h / 2 + D * C)
        step = CompliantStep(
            self.enabled & ~self._is_unilateral, free + drifts[self.lines] + s * np.where(self.enabled, d, 0.0), s * C / h, free, taken_out
        )
        step.chosen |= self.enabled & (d <= 0)
        if rule == "predictive":
            step.chosen |= self.enabled & (d + h * free <= 0)
        return step

    def choose_missed(self, step: CompliantStep, h: float, change: np.ndarray, noise: float) -> bool:
        """Rows that impulses, which change rates by `change` (n_rows,), take below zero; whether there are any."""
        after, above = step.free + change[self.lines], np.maximum(self._distances, 0.0)
        slack = noise * (above + h * (np.abs(step.free) + np.abs(after)))
        missed = self.enabled & ~step.chosen & (above + h * after < -slack)
        step.chosen |= missed
        return bool(missed.any())

    def ordered(self, step: CompliantStep) -> tuple[list[int], int]:
        """Numbers of those that take part, bilateral ones first; and how many of them are bilateral."""
        bilateral, unilateral = (np.flatnonzero(step.chosen & which).tolist() for which in (~self._is_unilateral, self._is_unilateral))
        return [*bilateral, *unilateral], len(bilateral)

    def note_impulses(self, impulses: np.ndarray) -> None:
        """impulses (n_rows,)"""
        sweeps = self._matter.constraint_sweeps(self._state.layout) if self._constraints else None
        for constraint in self._constraints:
            assert sweeps is not None
            constraint.note_impulses(self._state, impulses[sweeps.lines(constraint)])

    # inside
    def _values(self, name: str) -> np.ndarray:
        return np.array([self._state.values[getattr(row, name).offset] for _, row in self._blocks])

    @property
    def _distances(self) -> np.ndarray:
        return np.array([self._state.values[block.position_errors.offset] for block, _ in self._blocks])

    @property
    def _rates(self) -> np.ndarray:
        return np.array([self._state.values[block.velocity_errors.offset] for block, _ in self._blocks])
