"""What servos of coordinates, tendons and sites share: the law, the ranges, what is kept, and events where the force reaches its range."""

# Decision: docs/decisions/187-drives.md

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import NamedTuple, Self, get_args

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.forces.drives.drive import Drive
from mobod.forces.drives.drive_laws import Activation, Control, LawInputs
from mobod.forces.drives.reached_bound import ReachedBound
from mobod.forces.drives.state_variables import rate_slot, state_slot, state_variables
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Layout, Stage, State
from mobod.system.elements import NO_BOUND, Parameter, argument, parameter, parameters_of
from mobod.system.state.handles import Continuous, Prerequisite

_RANGES = (("command_low", "command_high"), ("force_low", "force_high"))


class PlaceOfServo(NamedTuple):
    """What a servo acts on, for texts, and the units of lengths, rates and forces there."""

    text: str
    length_unit: str
    rate_unit: str
    force_unit: str


class ServoLaw(Drive):
    """Subclasses say what the force acts on, with the units of lengths, rates and forces there."""

    control: Control = argument("what the command is: 'position', 'velocity', 'force' or 'affine'", default="position")
    activation: Activation = argument(
        "how the law follows the command: 'none' at once; 'filter', 'integrator' or 'muscle' by a state", default="none"
    )
    activation_at_start: float = argument("of the activation, in new States", default=0.0)
    rise_time: Parameter[float] = parameter("s", "time constant of a rising activation of {element.place}", default=0.01, above=0.0)
    set_rise_time, default_rise_time, set_default_rise_time = rise_time.accessors
    fall_time: Parameter[float] = parameter("s", "time constant of a falling activation of {element.place}", default=0.04, above=0.0)
    set_fall_time, default_fall_time, set_default_fall_time = fall_time.accessors
    command: Parameter[float] = parameter("{element.command_unit}", "command of the servo on {element.place}", default=0.0, is_input=True)
    set_command, default_command, set_default_command = command.accessors
    kp: Parameter[float] = parameter("{element.stiffness_unit}", "gain of the position of {element.place}", default=0.0)
    set_kp, default_kp, set_default_kp = kp.accessors
    kd: Parameter[float] = parameter("{element.damping_unit}", "gain of the rate of {element.place}", default=0.0)
    set_kd, default_kd, set_default_kd = kd.accessors
    gain: Parameter[float] = parameter("{element.force_unit}", "force on {element.place} for each unit of an affine command", default=1.0)
    set_gain, default_gain, set_default_gain = gain.accessors
    gain_length: Parameter[float] = parameter(
        "{element.stiffness_unit}", "growth of the affine gain with the length of {element.place}", default=0.0
    )
    set_gain_length, default_gain_length, set_default_gain_length = gain_length.accessors
    gain_rate: Parameter[float] = parameter(
        "{element.damping_unit}", "growth of the affine gain with the rate of {element.place}", default=0.0
    )
    set_gain_rate, default_gain_rate, set_default_gain_rate = gain_rate.accessors
    offset: Parameter[float] = parameter("{element.force_unit}", "force on {element.place} without a command", default=0.0)
    set_offset, default_offset, set_default_offset = offset.accessors
    command_low: Parameter[float] = parameter(
        "{element.command_unit}", "least command of the servo on {element.place}", default=-NO_BOUND, is_bound=True
    )
    set_command_low, default_command_low, set_default_command_low = command_low.accessors
    command_high: Parameter[float] = parameter(
        "{element.command_unit}", "greatest command of the servo on {element.place}", default=NO_BOUND, is_bound=True
    )
    set_command_high, default_command_high, set_default_command_high = command_high.accessors
    force_low: Parameter[float] = parameter("{element.force_unit}", "least force on {element.place}", default=-NO_BOUND, is_bound=True)
    set_force_low, default_force_low, _set_default_force_low = force_low.accessors
    force_high: Parameter[float] = parameter("{element.force_unit}", "greatest force on {element.place}", default=NO_BOUND, is_bound=True)
    set_force_high, default_force_high, _set_default_force_high = force_high.accessors

    @abstractmethod
    def checked_place(self) -> "PlaceOfServo":
        """Check the arguments that say what it acts on. Raises InputError or UnsupportedError."""

    def __post_init__(self) -> None:
        self.place, self.length_unit, self.rate_unit, self.force_unit = self.checked_place()
        self.stiffness_unit, self.damping_unit = f"{self.force_unit}/{self.length_unit}", f"{self.force_unit}.s/{self.length_unit}"
        units = {"position": self.length_unit, "velocity": self.rate_unit, "force": self.force_unit, "affine": "1"}
        if self.control not in units:
            raise InputError(f"{type(self).__name__}: control is {', '.join(map(repr, units))}, not {self.control!r}.")
        self.command_unit = units[self.control]
        if self.activation not in get_args(Activation):
            raise InputError(f"{type(self).__name__}: activation is {', '.join(map(repr, get_args(Activation)))}, not {self.activation!r}.")
        start = real_number(self.activation_at_start, f"{type(self).__name__}: activation_at_start")
        self.activation_at_start, self.z_starts = start, () if self.activation == "none" else (start,)
        self._bounds: dict[str, ReachedBound] = {}
        for low, high in _RANGES:
            self._check_order({low: self.given[low], high: self.given[high]}, self.given["name"] or type(self).__name__)
        super().__post_init__()
        for bound in ("force_low", "force_high"):
            self._watch(bound)

    def set_default_force_low(self, force_low: float) -> Self:
        """() N or N m, the least force in new States; those made before raise when used. Returns the servo."""
        self._check_order({"force_low": force_low, "force_high": self.default_force_high}, self.name)
        self._set_default_force_low(force_low)
        self._watch("force_low")
        return self

    def set_default_force_high(self, force_high: float) -> Self:
        """() N or N m, the greatest force in new States; those made before raise when used. Returns the servo."""
        self._check_order({"force_low": self.default_force_low, "force_high": force_high}, self.name)
        self._set_default_force_high(force_high)
        self._watch("force_high")
        return self

    def applied_force(self, state: State) -> float:
        """() N or N m: what it applies, in its range, 0 if it is disabled; from DYNAMICS on."""
        return self._kept_number(state, "force")

    def unlimited_force(self, state: State) -> float:
        """() N or N m: what its law asks for, without its range; from DYNAMICS on."""
        return self._kept_number(state, "unlimited_force")

    def power(self, state: State) -> float:
        """() W that it gives to the mechanism; below 0: that it takes; from DYNAMICS on."""
        return self._kept_number(state, "power")

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_kept(state, Stage.DYNAMICS, *self._kept)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, the force with and without its range, and the power."""
        texts = (
            ("force", self.force_unit, f"force of the servo on {self.place}"),
            ("unlimited_force", self.force_unit, f"force of the servo on {self.place} without its range"),
            ("power", "W", f"power that the servo gives to {self.place}"),
        )
        kept = (self._kept_variable(layout, Stage.DYNAMICS, *each) for each in texts)
        return [*self._with_range(super().variables(layout)), *self._activation_variables(layout), *kept]

    def _with_range(self, found: list[CatalogueVariable]) -> list[CatalogueVariable]:
        """The parameters, with the range of the command, which FMUs declare. It includes the default, which FMI asks of a start value."""
        low, high = (each if abs(each) < NO_BOUND else each * inf for each in (self.default_command_low, self.default_command_high))
        low, high = min(low, self.default_command), max(high, self.default_command)
        if abs(low) == inf and abs(high) == inf:
            return found
        return [replace(each, declared_range=(low, high)) if each.name == f"{self.name}.command" else each for each in found]

    def _activation_variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The activation and its rate, if it has one."""
        if not self.z_starts:
            return []
        unit = f"{self.command_unit}.s" if self.activation == "integrator" else self.command_unit
        return state_variables(self, layout, "activation", unit, f"activation of the servo on {self.place}")

    @property
    def prerequisites(self) -> list[Prerequisite]:
        """What its force depends on beside the motion, once allocated."""
        return [*super().prerequisites, Continuous.Z] if self.z_starts else super().prerequisites

    # for subclasses, and for events
    _kept: tuple[str, ...] = ("force", "unlimited_force", "power")

    def _outputs(self, layout: Layout) -> list[Slot]:
        """Of a law: force, unlimited force, power, and what else the class keeps."""
        return [self.kept(layout, name) for name in self._kept]

    def bound(self, layout: Layout, name: str) -> Slot:
        """Where a bound of the force lies."""
        return self._slot(layout, name)

    def _of_law(self, layout: Layout) -> list[Slot]:
        return [self._slot(layout, name) for name in LawInputs._fields]

    def _of_activation(self, layout: Layout) -> list[Slot]:
        """The last inputs of a law."""
        return [self._slot(layout, "rise_time"), self._slot(layout, "fall_time"), state_slot(self, layout)] if self.z_starts else []

    def _rate_of_activation(self, tree: Tree, layout: Layout) -> list[Slot]:
        """The last output of a law."""
        return [rate_slot(self, tree, layout)] if self.z_starts else []

    def _watch(self, bound: str) -> None:
        """Let a run end its steps where the force reaches a bound that is finite."""
        if abs(self.default_parameter(bound)) < NO_BOUND and bound not in self._bounds:
            self._bounds[bound] = ReachedBound(self, bound)

    def _check_order(self, bounds: Mapping[str, float], owner: str) -> None:
        """Raise InputError for a range without numbers in it; bounds: the lower one and the upper one, by their names."""
        declared = parameters_of(type(self))
        least, greatest = (float(declared[name].of(self).checked(value, f"'{owner}.{name}'")) for name, value in bounds.items())
        if least > greatest:
            low, high = bounds
            raise InputError(f"'{owner}': its {low}, {least:g}, is above its {high}, {greatest:g}. Swap them.")
