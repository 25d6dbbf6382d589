"""ForceSubsystem: force elements, and the sum of what they do (SimTK's GeneralForceSubsystem)."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from mobod.errors import SingularMechanismError, StateError
from mobod.forces.drives.drive_limit import DriveLimit
from mobod.forces.force import Force, ForceOwner
from mobod.matter import MobilizedBody, MultibodySystem
from mobod.scalar import Scalar, Slot, Sweep, is_recorded
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State, System, check_state


class ForceSubsystem(ForceOwner):
    """At DYNAMICS each force adds to the matter's sums, in the order in which they were added."""

    def __init__(self, system: MultibodySystem, name: str = "forces"):
        super().__init__(system, name)
        self._forces: list[Force] = []
        self._z_before: list[int] = []  # for each force, how many auxiliary variables the ones before it have
        self._potential_energies: CacheEntry | None = None
        self._potential_energy: CacheEntry | None = None
        self._power_dissipations: CacheEntry | None = None

    @staticmethod
    def kind_of_system() -> type[MultibodySystem]:
        """The type of System that it can belong to: a MultibodySystem."""
        return MultibodySystem

    @property
    def elements(self) -> list[Force]:
        """Its forces, in the order in which they were added."""
        return list(self._forces)

    def default_name(self, force: Force) -> str:
        """The name of a force that is to be adopted and was given none."""
        return self.system.free_name(type(force).__name__.lower(), len(self._forces) + 1)

    def adopt(self, force: Force) -> int:
        """Add a force; returns its index. Called by Force."""
        self.system.claim(force.name, f"a {type(force).__name__}")
        self._forces.append(force)
        self.invalidate_topology()
        return len(self._forces) - 1

    def limit_drives(self, body: MobilizedBody, low: float, high: float, speed: int, further: Sequence[Force] | None = None) -> None:
        """Set the range of the drive forces along a speed, and the further forces that count. Called by `body.set_drive_limit`."""
        known = [each for each in self._forces if isinstance(each, DriveLimit) and each.body is body and each.speed == speed]
        if known:
            known[0].set_default_range(low, high)
            if further is not None:
                known[0].count(further)
        else:
            of_speed = f"_{speed}" if body.nu > 1 else ""
            DriveLimit(self, body, speed=speed, low=low, high=high, further=further or (), name=f"{body.name}_drive_limit{of_speed}")

    def realize_topology(self, state: State) -> None:
        """Allocate discrete variables and computed values. Called once for each new State."""
        for force in self._forces:
            force.allocate(state)
        self._z_before = list(accumulate((len(force.z_starts) for force in self._forces), initial=0))
        depends_on = list(dict.fromkeys(each for force in self._forces for each in force.prerequisites))
        n = len(self._forces)
        each = state.allocate_cache_entry(self, "potential energies", Stage.POSITION, shape=(n,), prerequisites=depends_on)
        self._potential_energies = each
        self._potential_energy = state.allocate_cache_entry(self, "potential energy", Stage.POSITION, shape=(), prerequisites=[each])
        self._power_dissipations = state.allocate_cache_entry(
            self, "power dissipations", Stage.VELOCITY, shape=(n,), prerequisites=depends_on
        )

    def realize_model(self, state: State) -> None:
        """Allocate q, u and z. Called when the set of variables is completed."""
        state.allocate_z(self, [start for force in self._forces for start in force.z_starts])

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        tree = self.system.matter.tree(layout)
        dynamics = self._sweep(layout, Stage.DYNAMICS)
        each = layout.slots[self._entry(self._potential_energies)]
        energies = layout.lazy_sweeps[self._entry(self._potential_energies)] = Sweep("potential energies", clears=[each])
        lost = layout.slots[self._entry(self._power_dissipations)]
        losses = layout.lazy_sweeps[self._entry(self._power_dissipations)] = Sweep("power dissipations", clears=[lost])
        for force in sorted(self._forces, key=lambda force: isinstance(force, DriveLimit)):  # limits come after all drives
            force.tabulate(layout, tree)
            force.write_forces(dynamics, tree, layout)
            force.write_potential_energy(energies, tree, layout, each[force.index])
            force.write_power_dissipation(losses, tree, layout, lost[force.index])
            for entry in force.lazy_entries:  # of enabled forces: what the others' rows read is multiplied out
                for reading in (dynamics, energies):
                    layout.needs.setdefault(reading.name, []).append(entry)
                    layout.conditions[reading.name, entry] = force.enabled_slot(layout)
        total = layout.slots[self._entry(self._potential_energy)]
        sweep = layout.lazy_sweeps[self._entry(self._potential_energy)] = Sweep("potential energy", clears=[total])
        for force in self._forces:
            sweep.add(_term, [each[force.index]], [total], adds=(0,))

    def why_not_recordable(self) -> str:
        """What of it runs as Python and cannot become C; empty if nothing does."""
        for force in self._forces:
            if not force.recordable:
                return f"force '{force.name}' ({type(force).__name__}) runs as Python"
        return super().why_not_recordable()

    def contribution(self, state: State, force: Force) -> tuple[np.ndarray, np.ndarray]:
        """See Force.calc_force_contribution."""
        check_state(state, self.system)
        state.require(Stage.VELOCITY, f"the contribution of '{force.name}'")
        layout, tree = state.layout, self.system.matter.tree(state.layout)
        if not force.is_disabled(state):
            for entry in force.lazy_entries:
                state.cached(entry)
        s = tree.slots
        alone = Sweep(force.name, clears=[s.body_forces, s.mobility_forces])
        force.write_forces(alone, tree, layout)
        values = state.values.copy()  # the sums in the State are those of all forces
        with np.errstate(all="ignore"):  # what is not finite is reported below
            alone.run_text(values, state)
        F_M, r = (values[slot.slice].reshape(slot.shape) for slot in (s.body_forces, s.r))
        generalized = values[s.mobility_forces.slice].copy()
        if not (np.isfinite(F_M).all() and np.isfinite(generalized).all()):
            raise SingularMechanismError(
                f"force '{force.name}' ({type(force).__name__}) is not finite at time {state.time:g} s. {force.why_not_finite(state)}"
            )
        return np.hstack([F_M[:, :3] + np.cross(F_M[:, 3:], r), F_M[:, 3:]]), generalized

    def check_finite(self, state: State) -> None:
        """Raise SingularMechanismError, naming the element, if it computed something that is not finite."""
        for force in self._forces:
            self.contribution(state, force)

    # for its elements
    def sweep(self, layout: Layout, stage: Stage) -> Sweep:
        """The rows that realize a stage."""
        return self._sweep(layout, stage)

    def z(self, layout: Layout, force: Force) -> Slot:
        """The auxiliary variables of a force."""
        return Slot(layout.part("z", self.index).offset + self._z_before[force.index], (len(force.z_starts),))

    def _entry(self, entry: CacheEntry | None) -> CacheEntry:
        if entry is None:
            raise StateError(f"System '{self.system.name}' has no States yet. Make one with its realize_topology().")
        return entry

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its potential energy, or None."""
        return self._potential_energy

    def potential_energy_of(self, state: State, force: Force) -> float:
        """J, the contribution of one force; from POSITION on."""
        check_state(state, self.system)
        return _number(state.cached(self._entry(self._potential_energies))[force.index])

    def power_dissipation_of(self, state: State, force: Force) -> float:
        """W, of one force; from VELOCITY on."""
        return _number(self._losses(state)[force.index])

    def power_dissipation(self, state: State) -> float:
        """W, the power that all its forces turn into heat; from VELOCITY on."""
        return _number(self._losses(state).sum())

    def _losses(self, state: State) -> np.ndarray:
        check_state(state, self.system)
        return state.cached(self._entry(self._power_dissipations))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        return [variable for force in self._forces for variable in force.variables(layout)]


def forces_of(system: System) -> Iterator[Force]:
    """The forces of all subsystems."""
    return (force for subsystem in system.subsystems if isinstance(subsystem, ForceSubsystem) for force in subsystem.elements)


def _number(value: Scalar) -> float:
    """As a float, but a measure or an event handler that is being recorded reads a recorded number."""
    return value if is_recorded(value) else float(value)


def _term(energy: float) -> float:
    return energy
