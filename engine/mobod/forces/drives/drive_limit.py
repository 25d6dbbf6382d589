"""DriveLimit: the range of the sum of all drive forces along one speed. Made by `body.set_drive_limit`."""

# Decision: docs/decisions/187-drives.md

from collections.abc import Sequence
from typing import Self, final

from mobod.errors import InputError, UnsupportedError
from mobod.forces.drives.counted_force import CountedForce, counted_forces, write_counted
from mobod.forces.drives.drive import Drive
from mobod.forces.drives.drive_laws import within
from mobod.forces.drives.reached_bound import ReachedBound
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, force_unit
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.matter.dynamics.tree import Tree
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Layout, Stage, State
from mobod.system.elements import NO_BOUND, Parameter, argument, parameter, parameters_of


@final
class DriveLimit(Force):
    """Keeps the sum of the drive forces along one speed in a range: of MobilityForces, Servos and motors, and of what pulls tendons.

    It acts by what the sum is out of its range, and comes after all drives of its subsystem. Where the sum reaches its range, a run under
    error control ends a step.

    speed    which of the body's speeds, from 0
    low      N or N m, at most high
    high     N or N m
    further  SiteServos and ConstantForces whose generalized forces along the speed count too, as MuJoCo's ranges of joints have it

    Variables: '<name>.force', the sum in its range, and '<name>.unlimited_force'.
    """

    body: MobilizedBody = argument("the body whose drives it limits", kw_only=False)
    speed: int = argument("which of the speeds of the body, from 0", default=0)
    low: Parameter[float] = parameter(
        "{element.force_unit}", "least sum of drive forces on {element.place}", default=-NO_BOUND, is_bound=True
    )
    set_low, default_low, _set_default_low = low.accessors
    high: Parameter[float] = parameter(
        "{element.force_unit}", "greatest sum of drive forces on {element.place}", default=NO_BOUND, is_bound=True
    )
    set_high, default_high, _set_default_high = high.accessors
    further: Sequence[Force] = argument("SiteServos and ConstantForces that count, too", default=(), is_kept=False)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "DriveLimit")
        self.speed = checked_index(self.speed, self.body.nu, self.body, "DriveLimit", "speeds")
        self.force_unit = force_unit(self.body, self.speed)
        self.place = f"speed {self.speed} of '{self.body.name}'"
        owner = self.given["name"] or "DriveLimit"
        self._check_order(self.given["low"], self.given["high"], owner)
        self._further = counted_forces(self.given["further"], self.forces, owner)
        super().__post_init__()
        self._events = [ReachedBound(self, bound) for bound in ("low", "high")]

    def set_default_low(self, low: float) -> Self:
        """() N or N m, the least sum in new States; those made before raise when used. Returns the limit."""
        return self.set_default_range(low, self.default_high)

    def set_default_high(self, high: float) -> Self:
        """() N or N m, the greatest sum in new States; those made before raise when used. Returns the limit."""
        return self.set_default_range(self.default_low, high)

    def set_default_range(self, low: float, high: float) -> Self:
        """() N or N m, both, in new States; those made before raise when used. Returns the limit."""
        self._check_order(low, high, self.name)
        self._set_default_low(low)
        self._set_default_high(high)
        return self

    @property
    def counted(self) -> tuple[CountedForce, ...]:
        """The further forces that count."""
        return self._further

    def count(self, further: Sequence[Force]) -> Self:
        """Count these further forces in place of those before. Topological: States made before raise when used. Returns the limit."""
        counted = counted_forces(further, self.forces, self.name)
        added = [force.name for force in self.forces.elements[self.index :]]
        if late := [force.name for force in counted if force.name in added]:
            raise InputError(f"'{self.name}' was set before '{late[0]}' was made. Set the limit after the forces that it counts.")
        self._further = counted
        self.forces.invalidate_topology()
        return self

    def drive_force(self, state: State) -> float:
        """() N or N m: the sum of the drive forces, in its range; from DYNAMICS on."""
        return self._kept_number(state, "force")

    def unlimited_force(self, state: State) -> float:
        """() N or N m: the sum of the drive forces, without its range; from DYNAMICS on."""
        return self._kept_number(state, "unlimited_force")

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_kept(state, Stage.DYNAMICS, "force", "unlimited_force")

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add what the sum is out of its range."""
        total, target = self.kept(layout, "unlimited_force"), tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.clears.append(total)
        for drive, number in self._drives():
            drive.write_drive(sweep, layout, number, total)
        for force in self._further:
            write_counted(force, sweep, layout, tree, self.body, self.speed, total)
        inputs = [*(self._slot(layout, name) for name in ("enabled", "low", "high")), total]
        sweep.add(within, inputs, [self.kept(layout, "force"), target], adds=(1,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The range, and the sum with and without it."""
        text = f"sum of the drive forces on {self.place}"
        texts = (("force", self.force_unit, f"{text} in its range"), ("unlimited_force", self.force_unit, f"{text} without its range"))
        return [*super().variables(layout), *(self._kept_variable(layout, Stage.DYNAMICS, *each) for each in texts)]

    # for its events
    def bound(self, layout: Layout, name: str) -> Slot:
        """Where a bound lies."""
        return self._slot(layout, name)

    # inside
    def _drives(self) -> list[tuple[Drive, int]]:
        """The drives of the speed, each with the number of the speed among those that it drives."""
        found = []
        for subsystem in self.forces.system.subsystems:
            for force in getattr(subsystem, "elements", []):
                if isinstance(force, Drive):
                    for number, (body, speed) in enumerate(force.driven):
                        if body is self.body and speed == self.speed:
                            if force.forces is not self.forces:
                                raise UnsupportedError(
                                    f"'{self.name}' limits the drives of {self.place}, but '{force.name}' belongs to another "
                                    "ForceSubsystem. Add the drives of a joint to one ForceSubsystem, before its limit is set."
                                )
                            found.append((force, number))
        return found

    def _check_order(self, low: float, high: float, owner: str) -> None:
        declared, given = parameters_of(type(self)), {"low": low, "high": high}
        least, greatest = (float(declared[name].of(self).checked(value, f"'{owner}.{name}'")) for name, value in given.items())
        if least > greatest:
            raise InputError(f"'{owner}': the least force, {low:g} {self.force_unit}, is above the greatest, {high:g}. Swap them.")
