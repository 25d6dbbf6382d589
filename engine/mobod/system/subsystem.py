"""Subsystem: a part of a System, with its own variables, computed values and equations (seed 000, chapter 2)."""

# Decision: docs/decisions/034-nan-directions.md

from abc import ABC, abstractmethod
from typing import NoReturn

from mobod.errors import DuplicateNameError, InputError, StateError
from mobod.scalar.sweep import Sweep
from mobod.system.boundary import check_state, checked_kind, checked_system
from mobod.system.named_arguments import NamedArguments
from mobod.system.names import check_characters, check_name
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS, StageHooks, hook_of, overrides
from mobod.system.state.handles import CacheEntry
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.state.state_owner import StateOwner
from mobod.system.state.values import own
from mobod.system.variable import CatalogueVariable


class SystemStructure(StateOwner[State], ABC):
    """The interface of a System that its subsystems use: the list of subsystems, and the names of all elements."""

    def __init__(self, name: str):
        super().__init__(name)
        self.subsystems: list[Subsystem] = []
        self._claimed: dict[str, str] = {}

    def adopt(self, subsystem: "Subsystem") -> int:
        """Add a subsystem and return its index. Called by Subsystem."""
        if any(other.name == subsystem.name for other in self.subsystems):
            raise DuplicateNameError(f"System '{self.name}' already has a subsystem named '{subsystem.name}'. Give this one another name.")
        self.subsystems.append(subsystem)
        self.invalidate_topology()
        return len(self.subsystems) - 1

    def claim(self, name: str, what: str) -> None:
        """Reserve a name for an element. Names are unique in a System, since variables are named after elements."""
        check_name(name, what)
        if "'" in name or '"' in name:
            raise InputError(f"{what} cannot be named {name!r}: a name is a text without quotes.")
        if name in self._claimed:
            raise DuplicateNameError(
                f"the name '{name}' is taken by {self._claimed[name]} of System '{self.name}'. Give {what} another name."
            )
        self._claimed[name] = what

    def free_name(self, kind: str, number: int) -> str:
        """The first unused name of the form `kind` plus a number, counting from `number`."""
        while f"{kind}{number}" in self._claimed:
            number += 1
        return f"{kind}{number}"

    @abstractmethod
    def invalidate_topology(self) -> None:
        """Make all existing States unusable, because a topological property changed."""

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Names and versions of the subsystems."""
        return tuple((subsystem.name, subsystem.version) for subsystem in self.subsystems)

    @property
    def realization_order(self) -> "list[Subsystem]":
        """The subsystems in the order of realization: by rank, within a rank in the order of addition."""
        return sorted(self.subsystems, key=lambda subsystem: subsystem.rank)

    @property
    def allocation_order(self) -> "list[Subsystem]":
        """The order of allocation at TOPOLOGY: elements first, since subsystems may depend on what they allocate."""
        return sorted(self.realization_order, key=lambda subsystem: not subsystem.is_element)


class Subsystem(NamedArguments, StageHooks):
    """A part of a System. Override the hooks that are needed; each is called once while a State is realized to its stage.

    A hook may read values of its own and earlier stages. realize_topology and realize_model allocate variables and cache entries in the
    State. The subsystem may store handles from realize_topology, but not those from realize_model.
    """

    recordable: bool = True  # hooks from INSTANCE on run as Python even if True
    rank = 0  # subsystems of higher rank are realized and tabulated later, since they read what lower ranks compute

    is_element = False  # whether it contains the hooks of an element

    def __init__(self, system: SystemStructure, name: str, version: str = "1.0"):
        checked_system(system, type(self).__name__, self.kind_of_system())
        self.system = system
        self.name = check_characters(checked_kind(name, str, f"the name of a {type(self).__name__}"), f"a {type(self).__name__}")
        self.version = version
        self.index = system.adopt(self)

    def _summary(self) -> str:
        return f"of System '{self.system.name}'"

    @staticmethod
    def kind_of_system() -> type[SystemStructure]:
        """The type of System that it can belong to; any System by default."""
        return SystemStructure

    def invalidate_topology(self) -> None:
        """Make all existing States unusable, because a topological property (a `default_*` value, an element) changed."""
        self.system.invalidate_topology()

    @property
    def as_subsystem(self) -> "Subsystem":
        """The subsystem itself, which owns what its hooks allocate."""
        return self

    @property
    def records_hooks(self) -> bool:
        """Whether the hooks from INSTANCE on become calls of the sweeps."""
        return False

    def calls_hook(self, stage: Stage) -> bool:
        """Whether realizing to the stage calls its hook."""
        return overrides(self, stage)

    def run_hook(self, state: State, stage: Stage) -> None:
        """Call the hook of a stage."""
        hook_of(self, stage)(state)

    def tabulate(self, layout: Layout) -> None:
        """Fill layout.sweeps, layout.lazy_sweeps and layout.tables, once for each structure, when all slots are known.

        A sweep runs before the hook of its stage. Sweeps are what is recorded and compiled.
        """

    def explain_failure(self, state: State) -> str:
        """Possible causes in a State, realized to at least MODEL, of failed accelerations or a failed integration; '' if there are none."""
        return ""

    def explain_not_finite(self, state: State) -> NoReturn:
        """Raise an error that explains which of its numbers in Layout.finite are not finite."""
        raise StateError(f"subsystem '{self.name}' computes numbers that are not finite at time {state.time:g} s.")

    def check_finite(self, state: State) -> None:
        """Raise an error that names the element if a value that it computed is not finite. Called if accelerations are not finite."""

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        return []

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its potential energy, valid from POSITION on, or None. Called after realize_topology."""
        return None

    @property
    def kinetic_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its kinetic energy, valid from VELOCITY on, or None. Called after realize_topology."""
        return None

    def potential_energy(self, state: State) -> float:
        """Potential energy, J. Needs stage POSITION."""
        check_state(state, self.system)
        entry = self.potential_energy_entry
        return 0.0 if entry is None else own(state.cached(entry))

    def kinetic_energy(self, state: State) -> float:
        """Kinetic energy, J. Needs stage VELOCITY."""
        check_state(state, self.system)
        entry = self.kinetic_energy_entry
        return 0.0 if entry is None else own(state.cached(entry))

    def why_not_recordable(self) -> str:
        """Names of its parts that run as plain Python and so cannot become C; '' if its sweeps compute everything."""
        return self.why_not_in_sweeps()

    def why_not_in_sweeps(self) -> str:
        """Names of its parts that hooks compute instead of sweeps; '' if its sweeps compute everything."""
        has_hooks = any(self.calls_hook(stage) for stage in HOOKS if stage > Stage.MODEL)
        if has_hooks or not self.recordable:
            return f"subsystem '{self.name}' computes in Python hooks"
        return ""

    def _sweep(self, layout: Layout, stage: Stage) -> Sweep:
        """The sweep of one stage of this subsystem; an empty one is made on first use."""
        return layout.sweeps.setdefault((self.index, stage), Sweep(f"{self.name} {stage.name}"))
