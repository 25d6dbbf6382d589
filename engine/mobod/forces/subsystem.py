"""ForceSubsystem: force elements, and the sum of what they do (SimTK's GeneralForceSubsystem)."""

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.matter import MultibodySystem
from mobod.scalar.sweep import Sweep
from mobod.system import CacheEntry, Layout, Stage, State, Subsystem, Variable


class ForceSubsystem(Subsystem):
    """At DYNAMICS each force adds to the matter's sums, in the order in which they were added."""

    system: MultibodySystem

    def __init__(self, system: MultibodySystem, name: str = "forces"):
        super().__init__(system, name)
        self._forces: list[Force] = []
        self._potential_energies: CacheEntry | None = None
        self._potential_energy: CacheEntry | None = None

    @property
    def elements(self) -> list[Force]:
        return list(self._forces)

    def adopt(self, force: Force, name: str | None) -> tuple[int, str]:
        """Add a force; returns its index and its name. Called by Force."""
        index = len(self._forces)
        name = name if name is not None else f"{type(force).__name__.lower()}{index + 1}"
        self.system.claim(name, f"a {type(force).__name__}")
        self._forces.append(force)
        self.invalidate_topology()
        return index, name

    def realize_topology(self, state: State) -> None:
        for force in self._forces:
            force.allocate(state)
        depends_on = [handle for force in self._forces for handle in force.handles]
        n = len(self._forces)
        self._potential_energies = state.allocate_cache_entry(
            self, "potential energies", Stage.POSITION, shape=(n,), prerequisites=depends_on
        )
        self._potential_energy = state.allocate_cache_entry(
            self, "potential energy", Stage.POSITION, shape=(), prerequisites=[self._potential_energies]
        )

    def tabulate(self, layout: Layout) -> None:
        if self._potential_energies is None or self._potential_energy is None:
            raise InputError("realize_topology comes before tabulate.")
        tree = self.system.matter.tree(layout)
        dynamics = self._sweep(layout, Stage.DYNAMICS)
        each = layout.slots[self._potential_energies]
        energies = layout.lazy_sweeps[self._potential_energies] = Sweep("potential energies", clears=[each])
        for force in self._forces:
            force.write_forces(dynamics, tree, layout)
            force.write_potential_energy(energies, tree, layout, each[force.index])
        total = layout.slots[self._potential_energy]
        sweep = layout.lazy_sweeps[self._potential_energy] = Sweep("potential energy", clears=[total])
        for force in self._forces:
            sweep.add(_term, [each[force.index]], [total], adds=(0,))

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        return self._potential_energy

    def potential_energy_of(self, state: State, force: Force) -> float:
        """J, the contribution of one force; from POSITION on."""
        assert self._potential_energies is not None
        return float(state.cached(self._potential_energies)[force.index])

    def variables(self, layout: Layout) -> list[Variable]:
        return [variable for force in self._forces for variable in force.variables(layout)]


def _term(energy: float) -> float:
    return energy
