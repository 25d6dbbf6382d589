"""GearPair: teeth that connect two coordinates, with backlash."""

# Decision: docs/decisions/187-drives.md

from typing import final

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, checked_coordinate, force_unit
from mobod.forces.mobility.mobility_linear_stop import stop_energy, stop_force, stop_loss
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Scalar
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Layout, Stage, State
from mobod.system.elements import Parameter, argument, parameter


@final
class GearPair(Force):
    """Teeth between q1 of one body and q2 of another: x = q1 - ratio q2 is free within backlash / 2 on both sides of 0. Beyond, by d, acts

        f = -stiffness d (1 + dissipation |d|_dot), which never pulls    on the speed of q1, and -ratio f on that of q2

    Potential energy stiffness d^2 / 2. Without backlash the teeth are a spring between the coordinates; a rigid pair without backlash is
    a CoordinateCoupler.

    coordinate1, coordinate2  which of the coordinates of the bodies, from 0; their rates must be speeds
    ratio                     of q1 to q2; below 0 for outer teeth on both wheels
    backlash                  m or rad of q1, at least 0
    stiffness                 N/m or N m/rad, of the teeth, in terms of q1, at least 0
    dissipation               s/m or s/rad, at least 0

        mb.GearPair(forces, pinion, wheel, ratio=-3.5, backlash=0.01, stiffness=2e4, dissipation=2.0, name="stage")

    Variables: '<name>.play', x, and '<name>.force', f.
    """

    body1: MobilizedBody = argument("the body whose coordinate is q1", kw_only=False)
    body2: MobilizedBody = argument("the body whose coordinate is q2", kw_only=False)
    coordinate1: int = argument("which of the coordinates of body1, from 0", default=0)
    coordinate2: int = argument("which of the coordinates of body2, from 0", default=0)
    ratio: Parameter[float] = parameter("{element.ratio_unit}", "ratio of {element.place1} to {element.place2}")
    set_ratio, default_ratio, set_default_ratio = ratio.accessors
    backlash: Parameter[float] = parameter("{element.q_unit}", "backlash at {element.place1}", default=0.0, least=0.0)
    set_backlash, default_backlash, set_default_backlash = backlash.accessors
    stiffness: Parameter[float] = parameter(
        "{element.force_unit}/{element.q_unit}", "stiffness of the teeth at {element.place1}", least=0.0
    )
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    dissipation: Parameter[float] = parameter("s/{element.q_unit}", "dissipation in the teeth at {element.place1}", default=0.0, least=0.0)
    set_dissipation, default_dissipation, set_default_dissipation = dissipation.accessors

    def __post_init__(self) -> None:
        for body in (self.body1, self.body2):
            checked_body(self.forces, body, "GearPair")
        self.coordinate1, self.speed1 = checked_coordinate(self.coordinate1, self.body1, "GearPair")
        self.coordinate2, self.speed2 = checked_coordinate(self.coordinate2, self.body2, "GearPair")
        if (self.body1.index, self.speed1) == (self.body2.index, self.speed2):
            raise InputError(f"GearPair: it connects two coordinates; coordinate {self.coordinate1} of '{self.body1.name}' is given twice.")
        self.q_unit, q2_unit = self.body1.equations.q_units[self.coordinate1], self.body2.equations.q_units[self.coordinate2]
        self.ratio_unit = "1" if self.q_unit == q2_unit else f"{self.q_unit}/{q2_unit}"
        self.force_unit = force_unit(self.body1, self.speed1)
        self.place1 = f"coordinate {self.coordinate1} of '{self.body1.name}'"
        self.place2 = f"coordinate {self.coordinate2} of '{self.body2.name}'"
        super().__post_init__()

    def play(self, state: State) -> float:
        """() m or rad, x; from DYNAMICS on."""
        return self._kept_number(state, "play")

    def applied_force(self, state: State) -> float:
        """() N or N m, f, on the speed of q1; from DYNAMICS on."""
        return self._kept_number(state, "force")

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_kept(state, Stage.DYNAMICS, "play", "force")

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        targets = [
            tree.speeds(tree.slots.mobility_forces, body)[speed] for body, speed in ((self.body1, self.speed1), (self.body2, self.speed2))
        ]
        outputs = [self.kept(layout, "play"), self.kept(layout, "force"), *targets]
        sweep.add(teeth, self._inputs(tree, layout, "stiffness", "dissipation", "backlash", "ratio", rates=True), outputs, adds=(2, 3))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(teeth_energy, self._inputs(tree, layout, "stiffness", "backlash", "ratio", rates=False), [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        inputs = self._inputs(tree, layout, "stiffness", "dissipation", "backlash", "ratio", rates=True)
        sweep.add(teeth_loss, inputs, [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, the play and the force."""
        between = f"between {self.place1} and {self.place2}"
        kept = (("play", self.q_unit, f"play {between}"), ("force", self.force_unit, f"force of the teeth {between}, on the first"))
        return [*super().variables(layout), *(self._kept_variable(layout, Stage.DYNAMICS, *each) for each in kept)]

    # inside
    def _inputs(self, tree: Tree, layout: Layout, *parameters: str, rates: bool) -> list[Slot]:
        ends = ((self.body1, self.speed1), (self.body2, self.speed2))
        found = [self._slot(layout, name) for name in ("enabled", *parameters)]
        found += [tree.coordinate(body, speed) for body, speed in ends]
        return found + [tree.u(body)[speed] for body, speed in ends if rates]


def teeth(
    enabled: Scalar, stiffness: Scalar, dissipation: Scalar, backlash: Scalar, ratio: Scalar, q1: Scalar, q2: Scalar, u1: Scalar, u2: Scalar
) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """(play, force, the forces on both speeds)."""
    x, half = q1 - ratio * q2, backlash / 2
    f = stop_force(enabled, stiffness, dissipation, -half, half, x, u1 - ratio * u2)
    return x, f, f, -ratio * f


def teeth_energy(enabled: Scalar, stiffness: Scalar, backlash: Scalar, ratio: Scalar, q1: Scalar, q2: Scalar) -> Scalar:
    return stop_energy(enabled, stiffness, -backlash / 2, backlash / 2, q1 - ratio * q2)


def teeth_loss(
    enabled: Scalar, stiffness: Scalar, dissipation: Scalar, backlash: Scalar, ratio: Scalar, q1: Scalar, q2: Scalar, u1: Scalar, u2: Scalar
) -> Scalar:
    return stop_loss(enabled, stiffness, dissipation, -backlash / 2, backlash / 2, q1 - ratio * q2, u1 - ratio * u2)
