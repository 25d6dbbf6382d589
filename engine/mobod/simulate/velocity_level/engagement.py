"""Which unilateral rows take part in a step. What is remembered of it lies in the State. A twin of fmu_src/native/engagement.c."""

import numpy as np

from mobod.matter.unilateral import COUNT, LEFT_AT, LEFT_WITH, UNDECIDED
from mobod.simulate.unilateral_rows import UnilateralRows
from mobod.simulate.velocity_level.fixed_steps import EngagementRule

RELEASE_SPEED = 1e-12  # of 1 + |u|: round-off does not let go of a row
SAME = 1e-12  # of 1 + |value|: a row is where the last step left it


class Engagement:
    """For how many steps each row has been engaged; 0: it is not.

    'artisynth': a row is engaged at zero and below. Above it is let go if it moves away and has been engaged for two steps: so it has taken
    part in two position corrections. Of the two limits of a coordinate one at most is engaged, the lower one if both are met.
    'predictive': a row is engaged in steps that would take it below zero.

    Where the source lets go of a row that moves away at speed zero, the sign of round-off would decide about rows at rest. Here it moves
    away faster than round-off does, or lies beyond its tolerance: it would be held up in the air there.

    Source: ArtiSynth Modeling Guide, section 4.10.2, and RigidBodyCoupling.
    """

    def __init__(self, rows: UnilateralRows, rule: EngagementRule, tolerances: np.ndarray):
        self._rows, self._tolerances = rows, tolerances
        self.rule = rule
        number_of = {(row.contact.constraint, row.contact.row): number for number, row in enumerate(rows.rows)}
        pairs = [(row.contact.constraint, row.contact.constraint.opposite(row.contact.row)) for row in rows.rows]
        self._opposites = [-1 if opposite is None else number_of.get((constraint, opposite), -1) for constraint, opposite in pairs]

    @property
    def engaged(self) -> np.ndarray:
        return self._memory(COUNT) > 0

    def forget_what_was_set(self) -> bool:
        """Rows that are not where, or as fast as, the last step left them are decided anew; whether there are any. From VELOCITY on."""
        distances, rates = self._rows.values("distance"), self._rows.values("rate")
        was_set = _differ(distances, self._memory(LEFT_AT)) | _differ(rates, self._memory(LEFT_WITH))
        counts = np.where(was_set & self._rows.exist(), UNDECIDED, self._memory(COUNT))
        self._remember(COUNT, counts)
        return bool((counts == UNDECIDED).any())

    def update(self) -> None:
        """By distances and rates, from VELOCITY on, before a position correction. A predicted row has been decided about in its step."""
        counts, exist = self._memory(COUNT), self._rows.exist()
        if self.rule == "predictive":
            self._remember(COUNT, np.where(counts == UNDECIDED, 0, counts))
            return
        distances, rates = self._rows.values("distance"), self._rows.values("rate")
        met = exist & (distances <= 0)
        for number, opposite in enumerate(self._opposites):
            if 0 <= opposite < number and met[number] and met[opposite]:
                met[number] = False
            if met[number] and opposite >= 0:
                counts[opposite] = 0
        noise = RELEASE_SPEED * (1 + np.abs(self._rows.state.u).max(initial=0.0))
        moves_away = (rates > noise) | ((rates >= -noise) & (distances > self._tolerances))
        let_go = ~met & ((counts == UNDECIDED) | ((counts > 1) & moves_away))
        engaged = exist & (met | ((counts > 0) & ~let_go))
        self._remember(COUNT, np.where(engaged, np.maximum(counts, 0) + 1, 0))

    def predicted(self, engaged: np.ndarray) -> None:
        """engaged (n,) in the step just taken."""
        self._remember(COUNT, np.where(engaged, np.maximum(self._memory(COUNT), 0) + 1, 0))

    def leave(self) -> None:
        """At the end of a step, from VELOCITY on."""
        self._remember(LEFT_AT, self._rows.values("distance"))
        self._remember(LEFT_WITH, self._rows.values("rate"))

    def _memory(self, what: int) -> np.ndarray:
        return np.array([self._rows.state.values[row.slots.engagement[what].offset] for row in self._rows.rows])

    def _remember(self, what: int, values: np.ndarray) -> None:
        for row, value in zip(self._rows.rows, values.tolist(), strict=True):
            self._rows.state.values[row.slots.engagement[what].offset] = value


def _differ(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a - b) > SAME * (1 + np.abs(a))
