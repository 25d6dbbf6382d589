"""The hooks that a subsystem or a user's element may override: one for each stage."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from mobod.errors import InputError
from mobod.system.stage import Stage


class VariableOwner(Protocol):
    """The owner of a variable or a computed value: a subsystem, by its index in the System."""

    index: int
    name: str

    @property
    def records_hooks(self) -> bool:
        """Whether the hooks from INSTANCE on become calls of the sweeps."""


class StageHooks:
    """The hooks of all stages; override those that are needed. Each is called once while a State is realized to its stage."""

    def __init_subclass__(cls, **options: object) -> None:
        """Raise InputError for a method whose name is close to that of a hook but not equal: it would never be called."""
        super().__init_subclass__(**options)
        known = {name for base in cls.__mro__[1:] for name in vars(base)}
        for prefix in ("realize_", "calc_"):
            called = [name for name in known if name.startswith(prefix)]
            for name in vars(cls):
                if name.startswith(prefix) and name not in known and (near := get_close_matches(name, called, n=1, cutoff=0.9)):
                    raise InputError(
                        f"{cls.__name__}: nothing calls its '{name}'. Did you mean '{near[0]}'? Give a method of your own another name."
                    )

    def realize_topology(self, state: Any) -> None:
        """Allocate discrete variables and computed values. Called once for each new State."""

    def realize_model(self, state: Any) -> None:
        """Allocate q, u and z. Called when the set of variables is completed."""

    def realize_instance(self, state: Any) -> None:
        """Called when parameters, locks and what is enabled are known."""

    def realize_time(self, state: Any) -> None:
        """Called when the time is known."""

    def realize_position(self, state: Any) -> None:
        """Called when q is known."""

    def realize_velocity(self, state: Any) -> None:
        """Called when u is known."""

    def realize_dynamics(self, state: Any) -> None:
        """Called when z is known; forces are added here."""

    def realize_acceleration(self, state: Any) -> None:
        """Called when the accelerations are known."""

    def realize_report(self, state: Any) -> None:
        """Called when all else is known, for quantities needed only for output."""

    def calc_decorations(self, state: Any) -> Sequence[tuple[Any, Any, Any]]:
        """Shapes to draw: (body, Transform in its frame, geometry) for each; see mb.decorations. Called from stage POSITION on."""
        return ()

    @property
    def variable_names(self) -> Sequence[str]:
        """Names of its own variables that its hooks do not allocate."""
        return ()

    @property
    def as_subsystem(self) -> VariableOwner:
        """The subsystem that owns the variables allocated for this object."""
        raise TypeError(f"{type(self).__name__} allocates nothing.")


HOOKS: dict[Stage, str] = {stage: f"realize_{stage.name.lower()}" for stage in Stage if stage != Stage.EMPTY}


def overrides(owner: StageHooks, stage: Stage) -> bool:
    """Whether the owner overrides the hook of the stage."""
    return is_written(owner, HOOKS[stage])


def hook_of(owner: StageHooks, stage: Stage) -> Callable[[Any], None]:
    """Its method for the stage, which does nothing if it has none of its own."""
    hook: Callable[[Any], None] = getattr(owner, HOOKS[stage])
    return hook


def is_written(owner: StageHooks, method: str) -> bool:
    """Whether the owner overrides a method of StageHooks."""
    return getattr(type(owner), method) is not getattr(StageHooks, method)
