"""MotorDC: a permanent-magnet motor with a gear, driven by its voltage."""

# Decision: docs/decisions/187-drives.md

from dataclasses import replace
from typing import NamedTuple, Self, final

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.forces.drives.drive import Drive
from mobod.forces.drives.drive_laws import same
from mobod.forces.drives.state_variables import rate_slot, state_slot, state_variables
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.bodies.rotors_of_body import GEAR_UNITS
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Scalar, clip, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Layout, Stage, State
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.state.handles import Continuous, Prerequisite


@final
class MotorDC(Drive):
    """A motor on one speed u of a body, whose shaft turns gear_ratio times as fast:

        inductance di/dt = voltage - resistance i - torque_constant gear_ratio u
        force = gear_ratio torque_constant i * (efficiency of the gear, or 1 / efficiency where the joint drives the motor)

    With inductance 0 the current follows at once. Below transition_speed the gear's factor is smoothed by choice, without an event: with
    x = min(|u| / transition_speed, 1) it is 1 - x (1 - efficiency) where the motor drives, 1 + x (1 / efficiency - 1) where the joint
    drives. The force is continuous, and the gear never gives power. A motor that starts from rest is ahead of one with the full loss from
    the first instant by half of transition_speed (1 - efficiency), about; make transition_speed smaller where that matters.

    speed             which of the body's speeds, in rad/s, or in m/s: then gear_ratio is in rad/m
    torque_constant   N m/A, also V s/rad
    resistance        Ohm, above 0
    inductance        H, at least 0; above 0: the current is a state, '<name>.current'
    efficiency        of the gear, above 0, at most 1
    transition_speed  rad/s or m/s of the joint, above 0
    rotor_inertia     kg m^2: sets body.set_rotor_inertia(rotor_inertia, gear_ratio), if it is not 0
    voltage           V, start value; an input of an FMU

    Variables: '<name>.current' A, '<name>.force', '<name>.electrical_power' W, what it takes from its supply. Potential energy
    inductance i^2 / 2; dissipated: resistance i^2 and the loss in the gear.

        mb.MotorDC(forces, wheel, torque_constant=0.03, resistance=0.8, inductance=4e-4, gear_ratio=20.0, rotor_inertia=1e-5, name="motor")
    """

    body: MobilizedBody = argument("the body that it moves", kw_only=False)
    speed: int = argument("which of the speeds of the body, from 0", default=0)
    torque_constant: Parameter[float] = parameter("N.m/A", "torque for each ampere of the motor of {element.place}")
    set_torque_constant, default_torque_constant, set_default_torque_constant = torque_constant.accessors
    resistance: Parameter[float] = parameter("Ohm", "resistance of the motor of {element.place}", above=0.0)
    set_resistance, default_resistance, set_default_resistance = resistance.accessors
    inductance: Parameter[float] = parameter("H", "inductance of the motor of {element.place}", default=0.0, least=0.0)
    _set_inductance, default_inductance, _set_default_inductance = inductance.accessors
    gear_ratio: Parameter[float] = parameter("{element.gear_unit}", "gear ratio of the motor of {element.place}", default=1.0)
    set_gear_ratio, default_gear_ratio, set_default_gear_ratio = gear_ratio.accessors
    efficiency: Parameter[float] = parameter("1", "efficiency of the gear of {element.place}", default=1.0, above=0.0, greatest=1.0)
    set_efficiency, default_efficiency, set_default_efficiency = efficiency.accessors
    transition_speed: Parameter[float] = parameter(
        "{element.u_unit}", "speed from which the gear of {element.place} has its efficiency", default=0.01, above=0.0
    )
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors
    voltage: Parameter[float] = parameter("V", "voltage of the motor of {element.place}", default=0.0, is_input=True)
    set_voltage, default_voltage, set_default_voltage = voltage.accessors
    rotor_inertia: float = argument("kg m^2, of the rotor; 0: body.set_rotor_inertia is left as it is", default=0.0)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MotorDC")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "MotorDC", "speeds")
        self.u_unit = self.body.equations.u_units[self.speed]
        if self.u_unit not in GEAR_UNITS:
            raise InputError(
                f"MotorDC: speed {self.speed} of '{self.body.name}' is in {self.u_unit}; a motor turns a joint in rad/s or m/s."
            )
        self.gear_unit, self.force_unit = GEAR_UNITS[self.u_unit], force_unit(self.body, self.speed)
        self.place = f"speed {self.speed} of '{self.body.name}'"
        self.has_inductance = real_number(self.given["inductance"], "MotorDC: inductance") > 0
        self.z_starts = (0.0,) if self.has_inductance else ()
        inertia = real_number(self.rotor_inertia, "MotorDC: rotor_inertia")
        super().__post_init__()
        if inertia != 0:
            speed = self.speed if self.body.nu > 1 else None
            self.body.set_rotor_inertia(inertia, self.default_gear_ratio, speed=speed)

    def set_inductance(self, state: State, inductance: float) -> Self:
        """() H; above 0 where the current is a state, else 0; invalidates stage DYNAMICS. Returns the motor."""
        self._check_inductance(inductance)
        self._set_inductance(state, inductance)
        return self

    def set_default_inductance(self, inductance: float) -> Self:
        """() H, in new States, as set_inductance; those made before raise when used. Returns the motor."""
        self._check_inductance(inductance)
        self._set_default_inductance(inductance)
        return self

    def current(self, state: State) -> float:
        """() A; from DYNAMICS on."""
        return self._kept_number(state, "armature")

    def applied_force(self, state: State) -> float:
        """() N or N m along the speed; from DYNAMICS on."""
        return self._kept_number(state, "force")

    def electrical_power(self, state: State) -> float:
        """() W that it takes from its supply; from DYNAMICS on."""
        return self._kept_number(state, "electrical_power")

    @property
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """The speed that it acts on along."""
        return [(self.body, self.speed)]

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_kept(state, Stage.DYNAMICS, "armature", "force", "electrical_power")

    @property
    def prerequisites(self) -> list[Prerequisite]:
        """What its energy and its dissipation depend on beside the motion, once allocated."""
        return [*super().prerequisites, Continuous.Z] if self.has_inductance else super().prerequisites

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        outputs = [self.kept(layout, name) for name in ("armature", "force", "electrical_power")]
        outputs.append(tree.speeds(tree.slots.mobility_forces, self.body)[self.speed])
        inputs = self._inputs(tree, layout)
        if self.has_inductance:
            of_current = [self._slot(layout, "inductance"), state_slot(self, layout)]
            sweep.add(inductive_motor, [*of_current, *inputs], [*outputs, rate_slot(self, tree, layout)], adds=(3,))
        else:
            sweep.add(motor, inputs, outputs, adds=(3,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the energy of its magnetic field to `total`, J."""
        if self.has_inductance:
            inputs = [self._slot(layout, "enabled"), self._slot(layout, "inductance"), state_slot(self, layout)]
            sweep.add(magnetic_energy, inputs, [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        inputs = self._inputs(tree, layout)
        if self.has_inductance:
            sweep.add(heat, [state_slot(self, layout), *inputs], [total], adds=(0,))
        else:
            sweep.add(motor_loss, inputs, [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, current, force and electrical power."""
        text = f"of the motor of {self.place}"
        found = [*super().variables(layout)]
        if self.has_inductance:
            found += state_variables(self, layout, "current", "A", f"current {text}")
        else:
            armature = self._kept_variable(layout, Stage.DYNAMICS, "armature", "A", f"current {text}")
            found.append(replace(armature, name=f"{self.name}.current"))
        kept = (("force", self.force_unit, f"force {text}"), ("electrical_power", "W", f"power from the supply {text}"))
        return [*found, *(self._kept_variable(layout, Stage.DYNAMICS, *each) for each in kept)]

    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """Add the row that adds its force on the speed to `total`."""
        sweep.add(same, [self.kept(layout, "force")], [total], adds=(0,))

    # inside
    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        *parameters, _ = MotorInputs._fields
        return [*(self._slot(layout, name) for name in parameters), tree.u(self.body)[self.speed]]

    def _check_inductance(self, inductance: float) -> None:
        value = float(self._parameter("inductance").checked(inductance, f"'{self.name}.inductance'"))
        if (value > 0) != self.has_inductance:
            now = "is a state: give an inductance above 0" if self.has_inductance else "is no state: make the motor with an inductance"
            raise InputError(f"'{self.name}': the inductance cannot become {value:g} H. Its current {now}.")


class MotorInputs(NamedTuple):
    """The first inputs of the functions of a motor, by the names of the parameters that they are; u is the speed of its joint."""

    enabled: Scalar
    gear_ratio: Scalar
    torque_constant: Scalar
    efficiency: Scalar
    transition_speed: Scalar
    voltage: Scalar
    resistance: Scalar
    u: Scalar

    def voltage_left(self) -> Scalar:
        """The voltage less that of the turning shaft."""
        return self.voltage - self.torque_constant * self.gear_ratio * self.u

    def shaft_force(self, i: Scalar) -> Scalar:
        """What the current i gives to the gear."""
        return self.gear_ratio * self.torque_constant * i

    def gear_factor(self, shaft: Scalar) -> Scalar:
        """What of the shaft's force arrives: efficiency where it drives, 1 / efficiency where it is driven, 1 at rest."""
        x = clip(self.u / self.transition_speed, -1.0, 1.0)
        drives = where(shaft > 0, x, where(shaft < 0, -x, 0.0))
        return where(drives > 0, 1 - drives * (1 - self.efficiency), 1 - drives * (1 / self.efficiency - 1))

    def driven_by(self, i: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """(current, force, electrical power, the force again)."""
        i = where(self.enabled, i, 0.0)
        shaft = self.shaft_force(i)
        force = where(self.enabled, shaft * self.gear_factor(shaft), 0.0)
        return i, force, self.voltage * i, force


def motor(*inputs: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """(current, force, electrical power, the force again) without inductance."""
    m = MotorInputs(*inputs)
    return m.driven_by(m.voltage_left() / m.resistance)


def inductive_motor(inductance: Scalar, i: Scalar, *inputs: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
    """The same where the current is a state, and its rate."""
    m = MotorInputs(*inputs)
    return *m.driven_by(i), where(m.enabled, (m.voltage_left() - m.resistance * i) / inductance, 0.0)


def motor_loss(*inputs: Scalar) -> Scalar:
    """What its resistance and its gear turn into heat."""
    m = MotorInputs(*inputs)
    return heat(m.voltage_left() / m.resistance, *inputs)


def heat(i: Scalar, *inputs: Scalar) -> Scalar:
    """The same at a current i."""
    m = MotorInputs(*inputs)
    shaft = m.shaft_force(i)
    return where(m.enabled, m.resistance * i * i + shaft * m.u * (1 - m.gear_factor(shaft)), 0.0)


def magnetic_energy(enabled: Scalar, inductance: Scalar, i: Scalar) -> Scalar:
    return where(enabled, inductance * (i * i) / 2, 0.0)
