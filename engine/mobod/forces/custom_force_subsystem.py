"""CustomForceSubsystem: a user's part of a System that applies forces (seed 000, section 2.2)."""

from collections.abc import Callable, Mapping
from typing import final

import numpy as np

from mobod.errors import SingularMechanismError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.scalar import Array, Slot, is_recorded
from mobod.spatial import shift_force
from mobod.system import CustomSubsystem, Stage, State, check_state
from mobod.system.recorded_hook import HookState

BODY_FORCES, MOBILITY_FORCES = "body forces", "mobility forces"


class CustomForceSubsystem(CustomSubsystem):
    """Subclass it and add to the forces in realize_dynamics; see CustomSubsystem for all else that it may do.

        def realize_dynamics(self, state):
            self.body_forces(state)[body.index, 3:] += force

    calc_potential_energy(state) gives the energy that the forces come from, if they have one.
    """

    system: MultibodySystem

    @property
    def matter(self) -> MatterSubsystem:
        """The matter that it acts on."""
        return self.system.matter

    def body_forces(self, state: State) -> np.ndarray:
        """(n_bodies, 6) N m, N: to be added to by `+=`, in realize_dynamics; about the bodies' origins, in Ground; Ground first."""
        return state.accumulator(BODY_FORCES, (self.matter.n_bodies, 6), Stage.DYNAMICS)

    def mobility_forces(self, state: State) -> np.ndarray:
        """(nu,) N m or N: generalized forces, to be added to by `+=`, in realize_dynamics; body.my_part_u finds those of a body."""
        return state.accumulator(MOBILITY_FORCES, (self.matter.tree(state.layout).all_u.size,), Stage.DYNAMICS)

    def calc_force_contribution(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """What this subsystem alone applies; from DYNAMICS on.

        returns  (n_bodies, 6)  N m, N  about the bodies' origins, in Ground
                 (nu,)                  generalized forces

        Raises SingularMechanismError if they are not finite.
        """
        check_state(state, self.system)
        state.require(Stage.DYNAMICS, f"the contribution of '{self.name}'", self.index)
        s, kept = self.matter.tree(state.layout).slots, state.values.copy()
        for slot in (s.body_forces, s.mobility_forces):
            state.values[slot.slice] = 0.0  # the sums in the State are those of all forces
        try:
            with np.errstate(all="ignore"):  # what is not finite is reported below
                self._compute_forces(state)
            F_M, r = state.view(s.body_forces).copy(), state.view(s.r)
            generalized = state.view(s.mobility_forces).copy()
        finally:
            state.values[:] = kept
        if not (np.isfinite(F_M).all() and np.isfinite(generalized).all()):
            raise SingularMechanismError(
                f"what subsystem '{self.name}' ({type(self).__name__}) applies is not finite at time {state.time:g} s. "
                "Check its variables, and the coordinates and speeds that its realize_dynamics reads."
            )
        return np.hstack([F_M[:, :3] + np.cross(F_M[:, 3:], r), F_M[:, 3:]]), generalized

    def _compute_forces(self, state: State) -> None:
        if self.calls_hook(Stage.DYNAMICS):
            self.run_hook(state, Stage.DYNAMICS)
        elif (sweep := state.layout.sweeps.get((self.index, Stage.DYNAMICS))) is not None:
            sweep.run_text(state.values)

    # called by the engine
    @final
    def check_finite(self, state: State) -> None:
        """Raise SingularMechanismError, naming the element, if it computed something that is not finite."""
        self.calc_force_contribution(state)

    @final
    def gather(self, state: State | HookState, accumulated: Mapping[str, Array], add: Callable[[Slot, Array], None]) -> None:
        """Add what a hook has accumulated to the sums of the matter."""
        tree = self.matter.tree(state.layout)
        for which, F in enumerate(accumulated.get(BODY_FORCES, ())):
            if is_something(F):
                add(tree.slots.body_forces[which], shift_force(F, -state.view(tree.slots.r[which])))  # about the origin of M
        if MOBILITY_FORCES in accumulated:
            for body in tree.bodies:
                part = accumulated[MOBILITY_FORCES][tree.u_entries(body)]
                if is_something(part):
                    add(tree.speeds(tree.slots.mobility_forces, body), part)


def is_something(entries: np.ndarray) -> bool:
    """Whether anything was added to zeros."""
    return any(is_recorded(entry) or entry != 0.0 for entry in entries)
