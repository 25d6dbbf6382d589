"""CouplingEquations: a coupling as the mobilizer of a body, whose coordinates are q."""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.couplings.coupling_methods import CouplingMethods
from mobod.couplings.derived_wrenches import twists_G
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.spatial import Transform


@final
@dataclass(frozen=True)
class CouplingEquations(MobilizerEquations):
    """F is D, M is C; q are the coupling's coordinates, u their rates. All else follows from coordinates_to_TCD, recorded.

    likeness  couplings of equal likeness have equal equations
    """

    coupling: CouplingMethods = field(compare=False)
    likeness: object

    @classmethod
    def of(cls, coupling: CouplingMethods) -> "CouplingEquations":
        return cls(coupling, coupling.likeness)

    @property
    def nq(self) -> int:
        return len(self.coupling.coordinates)

    @property
    def nu(self) -> int:
        return self.nq

    @property
    def q_units(self) -> tuple[str, ...]:
        return tuple(each.unit for each in self.coupling.coordinates)

    @property
    def u_units(self) -> tuple[str, ...]:
        return tuple("1/s" if unit == "1" else f"{unit}/s" for unit in self.q_units)

    @property
    def default_q(self) -> tuple[float, ...]:
        return tuple(float(each.value) for each in self.coupling.coordinates)

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return tuple(range(self.nq))

    def X_FM(self, q: Array) -> Transform:
        return self.coupling.coordinates_to_TCD(q)

    def H_FM(self, q: Array) -> Array:
        """The twists of C in D, moved from G to D, angular part first."""
        J, R = twists_G(self.coupling, q), self.X_FM(q).R
        return np.concatenate([R @ J[3:], R @ J[:3]]).reshape(6, self.nu)

    def q_dot(self, q: Array, u: Array) -> Array:
        return u

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        """q of the nearest pose, by the coupling's own method if it has one."""
        if not self.coupling.has_own_coordinates:
            return q
        shadow = self.coupling.in_recording(q.tolist())
        return np.asarray(shadow.TCD_to_coordinates(shadow.project_to_constraints(X_FM)), dtype=float)
