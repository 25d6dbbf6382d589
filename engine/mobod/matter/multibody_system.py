"""MultibodySystem: a System with matter, and the variables of its energies."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mobod.disk.working_folder import absolute
from mobod.errors import InputError
from mobod.matter.bodies.body_queries import Body
from mobod.matter.bodies.decorations import Geometry, PlacedDecoration
from mobod.matter.event_actions import RecordedEventActions
from mobod.matter.subsystem import MatterOwner, MatterSubsystem
from mobod.scalar import Scalar, Sweep
from mobod.spatial import Transform
from mobod.spatial.checked import checked_array, checked_size
from mobod.system import CacheEntry, CatalogueVariable, Layout, Stage, State, Subsystem, System, check_state

DEFAULT_TOLERANCE = 1e-4  # rad; for lengths relative to the size of the mechanism


class MultibodySystem(MatterOwner):
    """A System of bodies, forces and other subsystems.

        system = mb.MultibodySystem("pendulum")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
        rod = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
        state = system.realize_topology()
        rod.set_q(state, 0.3)
        system.realize(state, mb.Stage.ACCELERATION)
        rod.u_dot(state)

    At each stage the matter is realized first, then the other subsystems in the order of addition, then measures and events. At DYNAMICS
    the matter sets the sums of forces to zero and computes articulated inertias, then every force subsystem adds its forces. At
    ACCELERATION the matter solves for the accelerations before any other subsystem is realized.
    """

    _recorded_actions = RecordedEventActions

    def __init__(self, name: str = "system"):
        super().__init__(name)
        self._matter: MatterSubsystem | None = None
        self._claimed["ground"] = "Ground"
        self._up_direction, self._has_up_direction = np.array([0.0, 1.0, 0.0]), False
        self._penetration_tol: float | None = None
        self._rotary_limit_tol = DEFAULT_TOLERANCE
        self._mesh_folders: tuple[str, ...] = ()
        self._energies = Energies(self)

    def _summary(self) -> str:
        matter = self._matter
        counts = "" if matter is None else f"bodies: {matter.n_bodies - 1}, constraints: {len(matter.constraints)}, "
        return f"with {counts}subsystems: {', '.join(each.name for each in self.subsystems)}"

    @property
    def has_matter(self) -> bool:
        """Whether it has a MatterSubsystem."""
        return self._matter is not None

    @property
    def matter(self) -> MatterSubsystem:
        """The MatterSubsystem. Raises InputError if there is none."""
        if self._matter is None:
            raise InputError(f"System '{self.name}' has no matter. Write MatterSubsystem(system) first.")
        return self._matter

    @matter.setter
    def matter(self, matter: MatterSubsystem) -> None:
        self._matter = matter

    @property
    def up_direction(self) -> np.ndarray:
        """(3,) unit vector in Ground; default: y. Elements that are made later may use it as their default.

        Pages and pictures show it upward if it was set, else the direction against gravity.
        """
        return self._up_direction.copy()

    @property
    def has_up_direction(self) -> bool:
        """Whether the up direction was set."""
        return self._has_up_direction

    def set_up_direction(self, up: ArrayLike) -> None:
        """Set the up direction, (3,) of any length except zero."""
        up = checked_array(up, (3,), "up_direction")
        length = np.linalg.norm(up)
        if length == 0:
            raise InputError(f"System '{self.name}': the up direction cannot be the zero vector.")
        self._up_direction, self._has_up_direction = up / length, True

    @property
    def penetration_tol(self) -> float | None:
        """m: how far below zero distances may stay in runs with integrator='velocity_level', so that contacts at rest stay active.

        None: 1e-4 of half the diagonal of the box around all mobilizers' frames and mass centers in the default State; of
        the length scale if there is no box. A constraint can override it: UnilateralConstraint.tolerance.
        """
        return self._penetration_tol

    @penetration_tol.setter
    def penetration_tol(self, value: float | None) -> None:
        self._penetration_tol = None if value is None else checked_size(value, f"System '{self.name}': penetration_tol", "m")

    @property
    def rotary_limit_tol(self) -> float:
        """rad: like penetration_tol, for distances that are angles or have no unit."""
        return self._rotary_limit_tol

    @rotary_limit_tol.setter
    def rotary_limit_tol(self, value: float) -> None:
        self._rotary_limit_tol = checked_size(value, f"System '{self.name}': rotary_limit_tol", "rad")

    @property
    def mesh_folders(self) -> tuple[str, ...]:
        """Folders in which drawings look for files of meshes, such as that of a URDF file. Copies in other processes and Python FMUs have
        none.
        """
        return self._mesh_folders

    @mesh_folders.setter
    def mesh_folders(self, folders: Iterable[str | Path]) -> None:
        self._mesh_folders = tuple(str(absolute(each)) for each in folders)

    def __getstate__(self) -> dict[str, object]:
        return super().__getstate__() | {"_mesh_folders": ()}

    def decorations(self, state: State) -> list[PlacedDecoration]:
        """All shapes to draw: those of the bodies, then those of users' elements and subsystems. Needs stage POSITION."""
        check_state(state, self)
        placed = []
        for body in self.matter.bodies if self.has_matter else ():
            X_GB = body.X_GB(state)
            frames = {"body": X_GB, "outboard": X_GB @ body.outboard_frame(state)}
            frames["inboard"] = body.parent.X_GB(state) @ body.inboard_frame(state)
            placed += [PlacedDecoration(frames[each.frame] @ each.X, each.geometry) for each in body.decorations]
        for subsystem in self.subsystems:
            for carrier, X_BD, geometry in subsystem.calc_decorations(state):
                if not (isinstance(carrier, Body) and isinstance(X_BD, Transform) and isinstance(geometry, Geometry)):
                    raise InputError(
                        f"calc_decorations of '{subsystem.name}' gives (body, Transform, geometry) for each decoration, not "
                        f"({type(carrier).__name__}, {type(X_BD).__name__}, {type(geometry).__name__})."
                    )
                placed.append(PlacedDecoration(carrier.X_GB(state) @ X_BD, geometry))
        return placed

    @property
    def realization_order(self) -> list[Subsystem]:
        """The matter first, then the other subsystems by rank, within a rank in the order of addition."""
        others = [subsystem for subsystem in super().realization_order if subsystem not in (self._matter, self._energies)]
        ordered = [self._matter, *others, self._energies]
        return sorted((subsystem for subsystem in ordered if subsystem is not None), key=lambda subsystem: subsystem.rank)


class Energies(Subsystem):
    """The catalogued variables 'kinetic_energy', 'potential_energy' and 'energy', sums over all subsystems."""

    def __init__(self, system: System):
        super().__init__(system, "energies")
        self._sums: dict[str, tuple[CacheEntry, tuple[CacheEntry, ...]]] = {}

    def realize_topology(self, state: State) -> None:
        kinetic = tuple(each.kinetic_energy_entry for each in self.system.subsystems if each.kinetic_energy_entry is not None)
        potential = tuple(each.potential_energy_entry for each in self.system.subsystems if each.potential_energy_entry is not None)
        for name, stage, terms in (
            ("kinetic_energy", Stage.VELOCITY, kinetic),
            ("potential_energy", Stage.POSITION, potential),
            ("energy", Stage.VELOCITY, kinetic + potential),
        ):
            self._sums[name] = state.allocate_cache_entry(self, f"sum of {name}", stage, shape=(), prerequisites=terms), terms

    def tabulate(self, layout: Layout) -> None:
        for entry, terms in self._sums.values():
            total = layout.slots[entry]
            sweep = layout.lazy_sweeps[entry] = Sweep(entry.name, clears=[total])
            for term in terms:
                sweep.add(_term, [layout.slots[term]], [total], adds=(0,))

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        return [
            CatalogueVariable.output(name, layout.slots[entry], Stage.REPORT, "J", f"{name.replace('_', ' ')} of the System", entry=entry)
            for name, (entry, _) in self._sums.items()
        ]


def _term(energy: Scalar) -> Scalar:
    return energy
