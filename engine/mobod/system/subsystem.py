"""Subsystem: a part of a System, with its own variables, computed values and equations (seed 000, chapter 2)."""

from abc import ABC, abstractmethod
from typing import Any, NoReturn

from mobod.errors import DuplicateNameError, InputError, StateError
from mobod.scalar.sweep import Sweep
from mobod.system.boundary import check_state, checked_kind, checked_system
from mobod.system.handles import CacheEntry
from mobod.system.layout import Layout
from mobod.system.named_arguments import NamedArguments
from mobod.system.names import check_name
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS, StageHooks, hook_of, overrides
from mobod.system.state import State
from mobod.system.state_owner import StateOwner
from mobod.system.values import own
from mobod.system.variable import CatalogueVariable


class SystemStructure(StateOwner[State], ABC):
    """The part of a System that its subsystems refer to: which they are, and the names that their elements have."""

    def __init__(self, name: str):
        super().__init__(name)
        self.subsystems: list[Subsystem] = []
        self._claimed: dict[str, str] = {}

    def adopt(self, subsystem: "Subsystem") -> int:
        """Add a subsystem; returns its index. Called by Subsystem."""
        if any(other.name == subsystem.name for other in self.subsystems):
            raise DuplicateNameError(f"System '{self.name}' has a subsystem named '{subsystem.name}' already. Give this one another name.")
        self.subsystems.append(subsystem)
        self.invalidate_topology()
        return len(self.subsystems) - 1

    def claim(self, name: Any, what: str) -> None:
        """Take a name for an element; names are unique in the System, since variables are called after them."""
        check_name(name, what)
        if "'" in name or '"' in name:
            raise InputError(f"{what} cannot be named {name!r}: a name is a text without quotes.")
        if name in self._claimed:
            raise DuplicateNameError(
                f"the name '{name}' is taken by {self._claimed[name]} of System '{self.name}'. Give {what} another name."
            )
        self._claimed[name] = what

    def free_name(self, kind: str, number: int) -> str:
        """`kind` with the first number, from `number` on, that makes a name not taken yet."""
        while f"{kind}{number}" in self._claimed:
            number += 1
        return f"{kind}{number}"

    @abstractmethod
    def invalidate_topology(self) -> None:
        """Make every State made so far unusable."""

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Names and versions of the subsystems."""
        return tuple((subsystem.name, subsystem.version) for subsystem in self.subsystems)

    @property
    def realization_order(self) -> "list[Subsystem]":
        """By rank; of one rank as they were added."""
        return sorted(self.subsystems, key=lambda subsystem: subsystem.rank)

    @property
    def allocation_order(self) -> "list[Subsystem]":
        """Of TOPOLOGY: elements first, since subsystems may depend on what they allocate."""
        return sorted(self.realization_order, key=lambda subsystem: not subsystem.is_element)


class Subsystem(NamedArguments, StageHooks):
    """Override the hooks that are needed; each is called once while a State is realized to its stage.

    A hook may read what depends on its own and on earlier stages. realize_topology and realize_model allocate variables and cache
    entries in the State; handles got at TOPOLOGY may be kept in the subsystem, those got at MODEL belong in the State.
    """

    recordable: bool = True  # with hooks from INSTANCE on it computes in Python all the same
    rank = 0  # those of a higher rank are realized and tabulated after those of a lower one: they read what these compute

    is_element = False  # whether it holds the hooks of an element

    def __init__(self, system: SystemStructure, name: str, version: str = "1.0"):
        checked_system(system, type(self).__name__, self.kind_of_system())
        self.system = system
        self.name = checked_kind(name, str, f"the name of a {type(self).__name__}")
        self.version = version
        self.index = system.adopt(self)

    def _summary(self) -> str:
        return f"of System '{self.system.name}'"

    @staticmethod
    def kind_of_system() -> type[SystemStructure]:
        """What it must be part of: any System."""
        return SystemStructure

    def invalidate_topology(self) -> None:
        """Say that a topological property (a `default_*`, an element) changed: every State made before raises when used."""
        self.system.invalidate_topology()

    @property
    def as_subsystem(self) -> "Subsystem":
        """The subsystem that has its hooks."""
        return self

    @property
    def records_hooks(self) -> bool:
        """Whether the hooks from INSTANCE on become rows of the sweeps."""
        return False

    def calls_hook(self, stage: Stage) -> bool:
        """Whether a realization to the stage calls its hook."""
        return overrides(self, stage)

    def run_hook(self, state: State, stage: Stage) -> None:
        """Call the hook of a stage."""
        hook_of(self, stage)(state)

    def tabulate(self, layout: Layout) -> None:
        """Fill layout.sweeps, layout.lazy_sweeps and layout.tables, once for each structure, when all slots are known.

        A sweep is done before the hook of its stage; it is what records and compiles.
        """

    def explain_failure(self, state: State) -> str:
        """What in a State, realized to MODEL at least, may be why it has no accelerations or an integration stopped there; or nothing."""
        return ""

    def explain_not_finite(self, state: State) -> NoReturn:
        """Raise for those of its numbers in Layout.finite that are not finite."""
        raise StateError(f"subsystem '{self.name}' computes numbers that are not finite at time {state.time:g} s.")

    def check_finite(self, state: State) -> None:
        """Raise, naming the element, if something that it computed is no number; called where that has spoilt the accelerations."""

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The catalogue of what results, FMUs and the command line can name."""
        return []

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """Where this subsystem keeps its potential energy, if it has any; valid from POSITION on. Called after realize_topology."""
        return None

    @property
    def kinetic_energy_entry(self) -> CacheEntry | None:
        """Where this subsystem keeps its kinetic energy, if it has any; valid from VELOCITY on. Called after realize_topology."""
        return None

    def potential_energy(self, state: State) -> float:
        """J, from POSITION on."""
        check_state(state, self.system)
        entry = self.potential_energy_entry
        return 0.0 if entry is None else own(state.cached(entry))

    def kinetic_energy(self, state: State) -> float:
        """J, from VELOCITY on."""
        check_state(state, self.system)
        entry = self.kinetic_energy_entry
        return 0.0 if entry is None else own(state.cached(entry))

    def why_not_recordable(self) -> str:
        """What of it runs as Python, by name, so that it cannot become C; nothing if its sweeps say all that it computes."""
        return self.why_not_in_sweeps()

    def why_not_in_sweeps(self) -> str:
        """Names the parts that its hooks compute and not its sweeps; empty if the sweeps compute everything."""
        has_hooks = any(self.calls_hook(stage) for stage in HOOKS if stage > Stage.MODEL)
        if has_hooks or not self.recordable:
            return f"subsystem '{self.name}' computes in Python hooks"
        return ""

    def _sweep(self, layout: Layout, stage: Stage) -> Sweep:
        """The sweep of one stage of this subsystem, made empty when first asked for."""
        return layout.sweeps.setdefault((self.index, stage), Sweep(f"{self.name} {stage.name}"))
