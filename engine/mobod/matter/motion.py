"""Motion: prescribes the motion of a mobilizer as a function of time."""

from abc import ABC, abstractmethod
from typing import Annotated, Any

from numpy.typing import ArrayLike

from mobod.errors import InputError, UnknownNameError, described
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.dynamics.tree import Tree
from mobod.matter.equations.motion_equations import MotionEquations, PrescribedEquations
from mobod.matter.tree.prescription import Prescription
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Stage, State, check_state
from mobod.system.elements import Declared, argument


def checked_body(body: object, what: str) -> MobilizedBody:
    """Return the body. Raises InputError unless it is a mobilized body."""
    if not isinstance(body, MobilizedBody):
        raise InputError(f"{what} must be a mobilized body, not {described(body)}.")
    return body


class Motion(Declared, ABC):
    """Prescribes the coordinates, speeds or accelerations of all degrees of freedom of a mobilizer as functions of time, or by inputs.

    body      a mobilized body without another motion
    disabled  whether it is disabled in a new State

    A lock of the body takes precedence over its motion. A user's motion is a CustomMotion.
    """

    body: Annotated[MobilizedBody, checked_body] = argument("the body that is moved", kw_only=False, is_implied=True)
    disabled: bool = argument("whether it is disabled in a new State", default=False, is_kept=False)

    @abstractmethod
    def make_equations(self) -> PrescribedEquations:
        """The equations, from the arguments, which were checked by their annotations."""

    def __post_init__(self) -> None:
        kind, body = type(self).__name__, self.body
        if not body.nu:
            raise InputError(f"{kind}: '{body.name}' ({type(body).__name__}) has no speeds to prescribe.")
        if body.motion is not None:
            raise InputError(f"{kind}: '{body.name}' has a {type(body.motion).__name__} already. A mobilizer can have one motion.")
        equations = self.make_equations()
        is_derived = isinstance(equations, MotionEquations) and equations.level == "position"
        if is_derived and body.equations.speed_of != tuple(range(body.nu)):
            raise InputError(
                f"{kind}: the coordinates of '{body.name}' ({type(body).__name__}) are not integrals of single speeds (a quaternion "
                "is not), so that they cannot be prescribed. Use level='velocity', or a mobilizer with angles."
            )
        self.equations: PrescribedEquations = equations.checked(f"{kind} of '{body.name}'")
        self._disabled_by_default: bool = self.given["disabled"]
        body.motion = self
        body.matter.invalidate_topology()

    def _summary(self) -> str:
        return f"at {self.equations.level} level{' (disabled)' if self._disabled_by_default else ''}"

    @property
    def is_disabled_by_default(self) -> bool:
        """Whether the motion is disabled in a new State."""
        return self._disabled_by_default

    def set_disabled_by_default(self, disabled: bool) -> None:
        """Set whether the motion is disabled in new States. Topological: existing States become unusable."""
        self._disabled_by_default = bool(disabled)
        self.body.matter.invalidate_topology()

    def is_disabled(self, state: State) -> bool:
        """Whether the motion is disabled in a State."""
        slot = self._enabled(state)
        return not state.view(slot)

    def enable(self, state: State) -> None:
        """Enable the motion in a State. Invalidates stage INSTANCE."""
        slot = self._enabled(state)
        state.write(slot, 1.0, f"{self.name}.enabled", Stage.INSTANCE)

    def disable(self, state: State) -> None:
        """Disable the motion in a State. Invalidates stage INSTANCE."""
        slot = self._enabled(state)
        state.write(slot, 0.0, f"{self.name}.enabled", Stage.INSTANCE)

    @property
    def name(self) -> str:
        """The name '<body>.motion'."""
        return f"{self.body.name}.motion"

    def parameter(self, state: State, name: str) -> Any:
        """The value of one of the motion's parameters."""
        slot = self._slot(self._prescription(state), name)
        return state.view(slot).copy()[()]

    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None:
        """Set one of the motion's parameters. Invalidates stage INSTANCE, or for inputs the stage that they prescribe."""
        slot = self._slot(self._prescription(state), name)
        number = next(each for each in self.equations.parameters if each.name == name)
        state.write(slot, number.checked(value, f"{self.name}.{name}"), f"{self.name}.{name}", self._invalidated_by(name))

    def variables(self, tree: Tree) -> list[CatalogueVariable]:
        """The catalogued variables: whether it is enabled, its parameters, '<body>.motion.force', its generalized forces on the body, and
        '<body>.motion.load', the opposite, on what moves the body.
        """
        prescription, matter = tree.prescription, self.body.matter
        of_motion = f"of the {type(self).__name__} of '{self.body.name}'"
        text = f"whether the {type(self).__name__} of '{self.body.name}' is enabled"
        slot = prescription.slots.motion_enabled[self.body.index]
        enabled = CatalogueVariable.parameter(f"{self.name}.enabled", slot, "1", text, type="boolean")
        units = tuple(MULTIPLIER_UNITS.get(unit.partition("/")[0], "1") for unit in self.body.equations.u_units)
        forces = [
            CatalogueVariable.output(
                f"{self.name}.{name}", tree.speeds(slot, self.body), Stage.REPORT, units, f"{text} {of_motion}", entry=entry
            )
            for name, slot, entry, text in (
                ("force", tree.forces_of_motions, matter.motion_forces_entry, "generalized forces"),
                ("load", tree.loads_of_motions, matter.motion_loads_entry, "opposite of the generalized forces, on what moves the body,"),
            )
        ]
        return [enabled, *forces] + [
            CatalogueVariable.parameter(
                f"{self.name}.{number.name}",
                self._slot(prescription, number.name),
                number.units,
                f"{number.description} {of_motion}",
                self._invalidated_by(number.name),
                is_input=number.is_input,
                **number.range,
            )
            for number in self.equations.parameters
        ]

    def _prescription(self, state: State) -> Prescription:
        check_state(state, self.body.matter.system)
        return self.body.matter.tree(state.layout).prescription

    def _invalidated_by(self, parameter: str) -> Stage:
        return self.equations.invalidates.get(parameter, Stage.INSTANCE)

    def _enabled(self, state: State) -> Slot:
        return self._prescription(state).slots.motion_enabled[self.body.index]

    def _slot(self, prescription: Prescription, name: str) -> Slot:
        offset = prescription.motion_parameters(self.body).offset
        for number in self.equations.parameters:
            if number.name == name:
                return Slot(offset, number.shape)
            offset += number.size
        known = [number.name for number in self.equations.parameters]
        raise UnknownNameError(f"number of the {type(self).__name__} of '{self.body.name}'", name, known)
