"""Checks of objects from users: their type, and the System that they belong to.

mobod.spatial.checked checks numbers.
"""

# Decision: docs/decisions/026-input-checks.md

from inspect import isabstract
from typing import Any, Protocol, TypeVar, runtime_checkable

from mobod.errors import InputError, StateError, described
from mobod.system.stage import Stage
from mobod.system.state.state_owner import AnySystem, StateOwner

T = TypeVar("T")


@runtime_checkable
class PartOfSystem(Protocol):
    """A subsystem, an event or the like."""

    @property
    def system(self) -> object: ...


def check_state(state: Any, system: AnySystem) -> None:
    """Raise InputError unless the argument is a State or its stand-in; StateError if it belongs to another System or an earlier
    topology.
    """
    try:
        check = state.check_belongs_to
    except AttributeError:
        raise InputError(
            f"a State of System '{system.name}' is needed, not {described(state)}. Make one with its realize_topology()."
        ) from None
    check(system)


def of_another_system(owner: AnySystem, system: AnySystem) -> StateError:
    """The error of a State that is given to a System. owner: that of the State; the same one if its topology has changed since"""
    if owner is not system:
        other = "another System of the same name" if owner.name == system.name else f"System '{owner.name}'"
        return StateError(f"a State of {other} was given to System '{system.name}'. Make one with its realize_topology().")
    return StateError(
        f"the topology of System '{system.name}' changed after this State was made (a default_ value was set or an element added). "
        "Make a new one with realize_topology()."
    )


def checked_kind(value: object, kind: type[T], what: str, remedy: str = "") -> T:
    """Return the value. Raises InputError unless it is an instance of `kind`; the message ends with the remedy."""
    if isinstance(value, kind):
        return value
    name = kind.called if issubclass(kind, StateOwner) and isabstract(kind) else kind.__name__
    raise InputError(f"{what} takes a {name}, not {described(value)}.{remedy and ' '}{remedy}")


def checked_system(system: Any, what: str, kind: type) -> Any:
    """Return the System. Raises InputError unless it is an instance of `kind`, which may be an abstract part of System."""
    if isinstance(system, kind):
        return system
    is_part = isinstance(system, PartOfSystem) and isinstance(system.system, kind)
    remedy = f"It belongs to {described(system.system)}; give that." if is_part else ""
    return checked_kind(system, kind, what, remedy)


def checked_stage(stage: object, what: str) -> Stage:
    """The Stage, given as itself, by its name in any case, or by its number."""
    if type(stage) is Stage:
        return stage
    name = stage.strip().upper() if isinstance(stage, str) else None
    for each in Stage:
        if name == each.name or (stage == each.value and not isinstance(stage, bool)):
            return each
    raise InputError(f"{what} takes a Stage, not {described(stage)}. The stages are: {', '.join(each.name for each in Stage)}.")
