"""Force: one force element of a ForceSubsystem, with parameters that live in the State."""

# Decision: docs/decisions/036-dissipation.md

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import numbers_text
from mobod.errors import InputError, StateError, UnknownNameError, described
from mobod.matter import MatterSubsystem, MultibodySystem, Tree
from mobod.scalar import Slot, Sweep
from mobod.system import CacheEntry, CatalogueVariable, DiscreteVariable, Layout, Stage, State, Subsystem
from mobod.system.boundary import check_state, checked_kind
from mobod.system.elements import Element, Name, Parameter, argument, parameters_of
from mobod.system.state.handles import Prerequisite
from mobod.system.state.values import own


class ForceOwner(Subsystem, ABC):
    """The part of a ForceSubsystem that its forces refer to."""

    system: MultibodySystem

    @property
    @abstractmethod
    def elements(self) -> "list[Force]":
        """See ForceSubsystem."""

    @abstractmethod
    def default_name(self, force: "Force") -> str:
        """See ForceSubsystem."""

    @abstractmethod
    def adopt(self, force: "Force") -> int:
        """See ForceSubsystem."""

    @abstractmethod
    def contribution(self, state: State, force: "Force") -> tuple[np.ndarray, np.ndarray]:
        """See Force.calc_force_contribution."""

    @abstractmethod
    def potential_energy_of(self, state: State, force: "Force") -> float:
        """See ForceSubsystem."""

    @abstractmethod
    def power_dissipation_of(self, state: State, force: "Force") -> float:
        """See ForceSubsystem."""

    @abstractmethod
    def sweep(self, layout: Layout, stage: Stage) -> Sweep:
        """See ForceSubsystem."""

    @abstractmethod
    def z(self, layout: Layout, force: "Force") -> Slot:
        """See ForceSubsystem."""


class Force(Element, ABC):
    """Subclasses declare their fields, and write rows that add to the sums of forces, to the potential energy and the dissipated power.

    Energy is accounted for: a force's power is what its potential energy loses, less the power that it dissipates; a driven force, whose
    energy comes from elsewhere, has neither.

    name      default: the class's name in lower case and a number
    disabled  whether it is off in a new State
    """

    forces: ForceOwner = argument("the subsystem that it belongs to", kw_only=False, is_implied=True)
    name: Name = argument("default: the class's name in lower case and a number", default=None, is_kept=False)
    disabled: bool = argument("whether it is off in a new State", default=False, is_kept=False)

    recordable = True  # whether it can be recorded, and so become C
    z_starts: tuple[float, ...] = ()  # of its auxiliary variables, if it has any

    def __post_init__(self) -> None:
        """Subclasses check their arguments first, then call this one, which adds the force to its subsystem."""
        checked_forces(self.forces, type(self).__name__)
        name = self.given["name"]
        self.name = self.forces.default_name(self) if name is None else name
        self.parameters = tuple(each.of(self) for each in (*type(self).parameters, *parameters_of(type(self)).values()))
        self._defaults = {each.name: each.checked(self.given[each.name], f"'{self.name}.{each.name}'") for each in self.parameters}
        self._disabled_by_default = bool(self.given["disabled"])
        self._handles: dict[str, DiscreteVariable] = {}
        self._entries: dict[str, CacheEntry] = {}
        self.index = self.forces.adopt(self)  # last, so that what was refused is not there

    @classmethod
    def _about_given(cls, given: Mapping[str, object]) -> str:
        forces = given.get("forces")
        if forces is None or isinstance(forces, ForceOwner):
            return ""
        return f" 'forces' takes a ForceSubsystem, not {described(forces)}. It comes first: forces = mb.ForceSubsystem(system)."

    def _summary(self) -> str:
        known = [each for each in self.parameters if each.name in self._defaults]
        shown = ", ".join(f"{each.name} = {numbers_text(self._defaults[each.name], each.units)}" for each in known)
        return f"{'(disabled)' if self._disabled_by_default else ''} {shown and f'with {shown}'}".strip()

    @abstractmethod
    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add rows that add to tree.slots.body_forces and mobility_forces."""

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add rows that add to `total`, J; a force without potential adds none."""

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add rows that add to `total`, W, at least 0; a force that takes no energy away adds none."""

    # enabled or disabled
    @property
    def is_disabled_by_default(self) -> bool:
        """Whether the force is disabled in a new State."""
        return self._disabled_by_default

    def set_disabled_by_default(self, disabled: bool) -> None:
        """Topological: States made before raise when used."""
        self._disabled_by_default = bool(disabled)
        self.forces.invalidate_topology()

    def is_disabled(self, state: State) -> bool:
        """Whether the force is disabled in a State."""
        handle = self._handle(state, "enabled")
        return not state.get(handle)

    def enabled_slot(self, layout: Layout) -> Slot:
        """Where it says whether it is on: 1 or 0."""
        return self._slot(layout, "enabled")

    def enable(self, state: State) -> None:
        """Takes the State back before INSTANCE."""
        handle = self._handle(state, "enabled")
        state.set(handle, True)

    def disable(self, state: State) -> None:
        """Takes the State back before INSTANCE."""
        handle = self._handle(state, "enabled")
        state.set(handle, False)

    # alone
    @property
    def force_index(self) -> int:
        """Its number among the forces of its subsystem."""
        return self.index

    @property
    def force_subsystem(self) -> ForceOwner:
        """The ForceSubsystem that it belongs to."""
        return self.forces

    def calc_force_contribution(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """What this force alone applies, nothing if it is disabled; from VELOCITY on.

        returns  (n_bodies, 6)  N m, N  about the bodies' origins, in Ground
                 (nu,)                  generalized forces

        Raises SingularMechanismError if they are not finite, saying why.
        """
        return self.forces.contribution(state, self)

    def calc_potential_energy_contribution(self, state: State) -> float:
        """J, 0 if it is disabled; from POSITION on."""
        return self.forces.potential_energy_of(state, self)

    def calc_power_dissipation_contribution(self, state: State) -> float:
        """W, the power that it turns into heat, 0 if it is disabled; from VELOCITY on."""
        return self.forces.power_dissipation_of(state, self)

    # its parameters
    def parameter(self, state: State, name: str) -> Any:
        """The value of a parameter in a State; a copy."""
        self._parameter(name)
        return own(self._get(state, name))

    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None:
        """Takes the State back before DYNAMICS; a value that it has already changes nothing."""
        self._set(state, name, self._parameter(name).checked(value, f"'{self.name}.{name}'"))

    def default_parameter(self, name: str) -> Any:
        """The value of a parameter in new States."""
        self._parameter(name)
        return own(self._defaults[name])

    def set_default_parameter(self, name: str, value: ArrayLike) -> None:
        """Topological: States made before raise when used."""
        self._defaults[name] = self._parameter(name).checked(value, f"'{self.name}.{name}'")
        self.forces.invalidate_topology()

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate the variables, at TOPOLOGY."""
        self._handles["enabled"] = state.allocate_discrete_variable(
            self.forces, f"{self.name}.enabled", not self._disabled_by_default, Stage.INSTANCE
        )
        for parameter in self.parameters:
            value = self._defaults[parameter.name]
            start = value.copy() if value.shape else float(value)
            self._handles[parameter.name] = state.allocate_discrete_variable(
                self.forces, f"{self.name}.{parameter.name}", start, Stage.DYNAMICS
            )

    @property
    def lazy_entries(self) -> list[CacheEntry]:
        """What its rows read that must be computed before, where the force is enabled."""
        return []

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the sweeps of its lazy entries, and rows for its own entries and its auxiliary variables' rates to those of the stages."""

    def why_not_finite(self, state: State) -> str:
        """What to tell the user when it applies forces that are not finite."""
        return "Check its parameters, and the coordinates and speeds that it depends on."

    @property
    def handles(self) -> list[DiscreteVariable]:
        """The variables of this force, once allocated."""
        return list(self._handles.values())

    @property
    def prerequisites(self) -> list[Prerequisite]:
        """What its energy and its dissipation depend on beside the motion, once allocated."""
        return list(self.handles)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The parameters, and whether it acts."""
        handle, text = self._handles["enabled"], f"whether force '{self.name}' ({type(self).__name__}) acts"
        enabled = CatalogueVariable.parameter(f"{self.name}.enabled", layout.slots[handle], "1", text, type="boolean", discrete=handle)
        return [enabled] + [
            CatalogueVariable.parameter(
                f"{self.name}.{parameter.name}",
                layout.slots[self._handles[parameter.name]],
                parameter.units,
                parameter.description,
                Stage.DYNAMICS,
                is_input=parameter.is_input,
                **parameter.range,
                discrete=self._handles[parameter.name],
            )
            for parameter in self.parameters
        ]

    # for subclasses
    def _allocate_kept(self, state: State, stage: Stage, *names: str) -> None:
        """Allocate numbers that the rows of a stage compute and keep, at TOPOLOGY."""
        for name in names:
            self._entries[name] = state.allocate_cache_entry(self.forces, f"{self.name}.{name}", stage, shape=(), computed_by=stage)

    def kept(self, layout: Layout, name: str) -> Slot:
        """Where such a number is kept."""
        return layout.slots[self._cache(name)]

    def _kept_number(self, state: State, name: str) -> float:
        return float(self._computed(state, name))

    def _kept_variable(self, layout: Layout, stage: Stage, name: str, unit: str, description: str) -> CatalogueVariable:
        """The variable '<force>.<name>' of a number that is kept."""
        return CatalogueVariable.output(f"{self.name}.{name}", self.kept(layout, name), stage, unit, description)

    def _slot(self, layout: Layout, name: str) -> Slot:
        return layout.slots[self._handles[name]]

    def _get(self, state: State, name: str) -> Any:
        handle = self._handle(state, name)
        return state.get(handle)

    def _set(self, state: State, name: str, value: np.ndarray) -> None:
        handle = self._handle(state, name)
        if state.is_recorded or not np.array_equal(value, state.get(handle)):
            state.set(handle, value)

    def _cache(self, what: str) -> CacheEntry:
        if what not in self._entries:
            raise StateError(f"System '{self.forces.system.name}' has no States yet. Make one with its realize_topology().")
        return self._entries[what]

    def _entry_slots(self, layout: Layout, *names: str) -> list[Slot]:
        return [layout.slots[self._cache(name)] for name in names]

    def _computed(self, state: State, what: str) -> np.ndarray:
        check_state(state, self.forces.system)
        return state.cached(self._cache(what)).copy()

    def _handle(self, state: State, name: str) -> DiscreteVariable:
        check_state(state, self.forces.system)
        return self._handles[name]

    def _parameter(self, name: str) -> Parameter[float | np.ndarray]:
        for each in self.parameters:
            if each.name == name:
                return each
        raise UnknownNameError(f"parameter of '{self.name}'", name, [each.name for each in self.parameters])

    @property
    def matter(self) -> MatterSubsystem:
        """The matter that it acts on."""
        return self.forces.system.matter


def checked_forces(forces: object, what: str) -> ForceOwner:
    """Raises InputError unless it is a ForceSubsystem."""
    if isinstance(forces, ForceOwner):
        return forces
    remedy = " It comes first, then the matter." if isinstance(forces, MatterSubsystem) else ""
    raise InputError(f"{what}: 'forces' takes a ForceSubsystem, not {described(forces)}.{remedy}")


def check_matter(forces: object, matter: Any, what: str) -> None:
    """Raise InputError unless they are a ForceSubsystem and the MatterSubsystem of one System."""
    system = checked_forces(forces, what).system
    checked_kind(matter, MatterSubsystem, f"{what}: 'matter'")
    if matter is not system.matter:
        other = matter.system
        names = f"System '{other.name}', the forces to '{system.name}'" if other.name != system.name else "another System of the same name"
        raise InputError(f"{what}: the matter belongs to {names}. Give those of one System.")
