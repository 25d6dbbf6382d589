"""The hooks that a subsystem, or a user's element, may have: one for each stage."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from mobod.errors import InputError
from mobod.system.stage import Stage


class VariableOwner(Protocol):
    """Whose a variable or a computed value is: a subsystem, by its number in the System."""

    index: int
    name: str

    @property
    def records_hooks(self) -> bool:
        """Whether the hooks from INSTANCE on become rows of the sweeps."""


class StageHooks:
    """Override those that are needed; each is called once while a State is realized to its stage."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Raises InputError for a method that is nearly named as one that would be called: it would be passed over in silence."""
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
        """Called when all else is known; for what only outputs need."""

    def calc_decorations(self, state: Any) -> Sequence[tuple[Any, Any, Any]]:
        """What may be drawn, from POSITION on: (body, Transform in its frame, geometry) of each; see mb.decorations."""
        return ()

    @property
    def variable_names(self) -> Sequence[str]:
        """What it calls variables of its own, beside those that its hooks allocate."""
        return ()

    @property
    def as_subsystem(self) -> VariableOwner:
        """The subsystem that owns what is allocated for it."""
        raise TypeError(f"{type(self).__name__} allocates nothing.")


HOOKS: dict[Stage, str] = {stage: f"realize_{stage.name.lower()}" for stage in Stage if stage != Stage.EMPTY}


def overrides(owner: StageHooks, stage: Stage) -> bool:
    """Whether it has a hook of its own for the stage."""
    return is_written(owner, HOOKS[stage])


def hook_of(owner: StageHooks, stage: Stage) -> Callable[[Any], None]:
    """Its method for the stage, which does nothing if it has none of its own."""
    hook: Callable[[Any], None] = getattr(owner, HOOKS[stage])
    return hook


def is_written(owner: StageHooks, method: str) -> bool:
    """Whether a method is another than that of StageHooks."""
    return getattr(type(owner), method) is not getattr(StageHooks, method)
