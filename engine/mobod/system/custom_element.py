"""CustomElement: an element that a user writes may have hooks for the stages, as a subsystem may."""

from collections.abc import Callable, Sequence
from typing import Any, final

from mobod.errors import StateError
from mobod.system.custom_subsystem import CustomSubsystem
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS, StageHooks, hook_of, is_written, overrides
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System


class CustomElement(StageHooks):
    """An element of a user, which may override the hooks realize_topology to realize_report, as a CustomSubsystem does.

    `state.allocate_z(self, ...)` and its like allocate for the element. `state.handle(self, name)` returns what realize_model has
    allocated.

    The hooks run in a subsystem with the element's name, which is realized after the matter and the forces.
    """

    recordable: bool = True
    name: str
    _hooks: "ElementHooks | None" = None

    @final
    @property
    def as_subsystem(self) -> Subsystem:
        """The subsystem that runs the element's hooks."""
        if self._hooks is None:
            raise StateError(
                f"'{self.name}' ({type(self).__name__}) allocates outside its hooks. Allocate in realize_topology or realize_model."
            )
        return self._hooks

    @final
    def _start_hooks(self, system: System, kind: str) -> None:
        """Make the subsystem of hooks, if any hook is overridden. Call this when the element has its name. kind: type of element, for
        messages.
        """
        if any(overrides(self, stage) for stage in HOOKS) or is_written(self, "calc_decorations"):
            self._hooks = ElementHooks(system, self, kind)


@final
class ElementHooks(CustomSubsystem):
    """The subsystem of an element's hooks. It allocates at TOPOLOGY before other subsystems, which may depend on its allocations."""

    is_element = True

    def __init__(self, system: System, element: CustomElement, kind: str):
        self.element, self._kind = element, kind
        self.recordable = element.recordable
        self._init(system, element.name)

    @property
    def hook_owner(self) -> CustomElement:
        return self.element

    def hook(self, stage: Stage) -> Callable[[Any], None] | None:
        return hook_of(self.element, stage) if overrides(self.element, stage) else None

    def calc_decorations(self, state: State) -> Sequence[tuple[Any, Any, Any]]:
        return self.element.calc_decorations(state)

    def _about(self, method: str) -> str:
        return f"{method} of {self._kind} '{self.name}' ({type(self.element).__name__})"
