"""Frames, mass centers and poses of all bodies in a State, as arrays."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from mobod.matter import MatterSubsystem
from mobod.spatial import Transform
from mobod.system import Stage, State, System


@final
@dataclass(frozen=True)
class Placement:
    """Lists by the numbers of bodies, Ground first; center: (n, 3) m, in the bodies' frames"""

    X_PF: list[Transform]
    X_BM: list[Transform]
    X_GB: list[Transform]
    center: np.ndarray

    @classmethod
    def of(cls, matter: MatterSubsystem, state: State) -> Self:
        """Needs stage POSITION."""
        s = matter.tree(state.layout).slots
        X_PF, X_BM, X_GB = (
            [Transform.of(R, p) for R, p in zip(state.view(R_of_all).copy(), state.view(p_of_all).copy(), strict=True)]
            for R_of_all, p_of_all in ((s.R_PF, s.p_PF), (s.R_BM, s.p_BM), (s.R_GB, s.p_GB))
        )
        return cls(X_PF, X_BM, X_GB, state.view(s.com).copy())

    def joint(self, number: int) -> np.ndarray:
        """(3,) m: the origin of M in the body's frame."""
        return self.X_BM[number].p


def at_position(system: System, state: State) -> State:
    """The State, or a copy of it, realized to POSITION."""
    if state.stage >= Stage.POSITION:
        return state
    realized = state.copy()
    system.realize(realized, Stage.POSITION)
    return realized


def matter_of(system: System) -> MatterSubsystem | None:
    return next((each for each in system.subsystems if isinstance(each, MatterSubsystem)), None)
