"""CouplingLoop: a coupling between two bodies that are in the tree already."""

# Decision: docs/decisions/060-coupling-loops.md

from dataclasses import dataclass, field
from typing import Self, final

import numpy as np

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_checks import check_unlocked
from mobod.couplings.coupling_distances import compliance_of, loop_distances
from mobod.couplings.projections import displacement
from mobod.couplings.records import ConstraintFlag, CouplingConstraint
from mobod.couplings.unilateral_couplings import CouplingDistances
from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.equations.further_parameters import CompliantEquations
from mobod.scalar import Array
from mobod.spatial import Transform, from_quaternion, to_quaternion
from mobod.system import State
from mobod.system.elements import FrameParameter, Parameter, frame_of

FRAMES: tuple[Parameter[float | np.ndarray], ...] = (
    Parameter(name="orientation_C", unit="1", description="quaternion of frame C on body A", shape=(4,), is_direction=True),
    Parameter(name="origin_C", unit="m", description="origin of frame C on body A", shape=(3,)),
    Parameter(name="orientation_D", unit="1", description="quaternion of frame D on body B", shape=(4,), is_direction=True),
    Parameter(name="origin_D", unit="m", description="origin of frame D on body B", shape=(3,)),
)


@final
@dataclass(frozen=True)
class CouplingLoopEquations(ConstraintEquations):
    """Position errors: the displacement from G to C along each bilateral wrench. All else is differentiated.

    Body A is seen from body B.

    has_fixed_frames  frames C and D are no parameters: the distances of its unilateral constraints have them as structure
    """

    coupling: Coupling = field(compare=False)
    likeness: object
    orientation_C: tuple[float, ...]
    origin_C: tuple[float, ...]
    orientation_D: tuple[float, ...]
    origin_D: tuple[float, ...]
    has_fixed_frames: bool

    @property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        return () if self.has_fixed_frames else FRAMES

    @property
    def position_units(self) -> tuple[str, ...]:
        units = {ConstraintFlag.LINEAR: "m", ConstraintFlag.ROTARY: "rad"}
        return tuple(units.get(each.flags & (ConstraintFlag.LINEAR | ConstraintFlag.ROTARY), "1") for each in self._bilateral())

    def position_errors(self, motion: RelativeMotion) -> Array:
        X_AC = Transform.of(from_quaternion(self.orientation_C), np.array(self.origin_C))
        X_BD = Transform.of(from_quaternion(self.orientation_D), np.array(self.origin_D))
        TCD = X_BD.inverse() @ motion.X[0] @ X_AC
        coupling = self.coupling.in_recording([0.0] * len(self.coupling.coordinates))
        TGD = coupling.project_to_constraints(TCD)
        coupling = coupling.in_recording(coupling.TCD_to_coordinates(TGD))
        errC = displacement(TGD.inverse() @ TCD)
        coupling.update_constraints(TGD, TCD, errC, np.zeros(6), True)
        return np.array([coupling.constraint(each.index).wrench_G @ errC for each in self._bilateral()])

    def _bilateral(self) -> list[CouplingConstraint]:
        return [each for each in self.coupling.constraints if each.is_bilateral]


@final
class CouplingLoop(Constraint):
    """The bilateral constraints of a coupling between body A, with frame C, and body B, with frame D; made by CouplingJoint.

    coupling    an own copy of the given coupling
    X_AC, X_BD  the given frames of new States; default_frame_C and default_frame_D have round-off from quaternions
    limits      the CouplingDistances of its limits and regions, or None; with them the frames are constant
    """

    frame_C: FrameParameter = frame_of("orientation_C", "origin_C", "Transform, in the frame of body A")
    set_frame_C, default_frame_C, _set_default_frame_C = frame_C.accessors
    frame_D: FrameParameter = frame_of("orientation_D", "origin_D", "Transform, in the frame of body B")
    set_frame_D, default_frame_D, _set_default_frame_D = frame_D.accessors

    def __init__(
        self, coupling: Coupling, body_A: Body, body_B: Body, X_AC: Transform, X_BD: Transform, *, name: str | None, restitution: float
    ):
        self.coupling = coupling
        self.body_A, self.body_B = body_A, body_B
        self.X_AC, self.X_BD = X_AC, X_BD
        distances = loop_distances(coupling, X_AC, X_BD, "CouplingJoint" if name is None else f"CouplingJoint '{name}'")
        of_C, of_D = ((tuple(to_quaternion(X.R)), tuple(X.p)) for X in (X_AC, X_BD))
        equations = CouplingLoopEquations(coupling, coupling.likeness, *of_C, *of_D, bool(distances.n))
        compliance = compliance_of(coupling, [each.index for each in coupling.constraints if each.is_bilateral], equations.position_units)
        checked = equations.checked("CouplingJoint")
        self._begin(checked if compliance is None else CompliantEquations(checked, compliance), body_B, (body_A,), name=name)
        self.limits: CouplingDistances | None = None
        if distances.n:
            self.limits = CouplingDistances(distances, body_A, body_B, restitution=restitution, name=f"{self.name}.limits")

    def set_default_frame_C(self, X_AC: Transform) -> Self:
        """Sets X_AC, a Transform from frame C to body A, for new States. Topological: existing States become unusable. Returns the
        element.
        """
        self._set_default_frame_C(X_AC)
        self.X_AC = X_AC
        return self

    def set_default_frame_D(self, X_BD: Transform) -> Self:
        """Sets X_BD, a Transform from frame D to body B, for new States. Topological: existing States become unusable. Returns the
        element.
        """
        self._set_default_frame_D(X_BD)
        self.X_BD = X_BD
        return self

    def coordinates(self, state: State) -> np.ndarray:
        """(n,) coordinates of the coupling, angles between -pi and pi. Needs stage POSITION."""
        is_fixed = self.limits is not None
        X_GC = self.body_A.X_GB(state) @ (self.X_AC if is_fixed else self.frame_C(state))
        X_GD = self.body_B.X_GB(state) @ (self.X_BD if is_fixed else self.frame_D(state))
        shadow = self.coupling.in_recording([0.0] * len(self.coupling.coordinates))
        return np.asarray(shadow.TCD_to_coordinates(shadow.project_to_constraints(X_GD.inverse() @ X_GC)), dtype=float)

    def allocate(self, state: State) -> None:
        check_unlocked(self.coupling, self.name)
        super().allocate(state)
