"""SavedInstances: the states of all components of a network, to which they can return."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Self, final

from mobod.cosim.component import Component
from mobod.cosim.component_model import ComponentInstance
from mobod.errors import UnsupportedError


@final
class SavedInstances:
    """The present states of instances; a context manager that frees them."""

    def __init__(self, instances: Iterable[ComponentInstance]) -> None:
        self._resources = ExitStack()
        with self._resources:
            self._states = [self._resources.enter_context(each.save()) for each in instances]
            self._resources = self._resources.pop_all()

    def restore(self) -> None:
        """Return to these states. It can be called repeatedly."""
        for each in self._states:
            each.restore()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._resources.__exit__(kind, error, traceback)


def cannot_return(components: Mapping[str, Component]) -> list[str]:
    """The names of the components that cannot save their state, or cannot take a shorter step."""
    lacking = []
    for name, component in components.items():
        capabilities = component.model.capabilities
        if not (capabilities.saves_state and capabilities.variable_steps):
            lacking.append(name)
    return lacking


def check_can_return(components: Mapping[str, Component], what: str) -> None:
    """Raise UnsupportedError for components for which steps cannot be repeated. what: who repeats them, for the message"""
    lacking = cannot_return(components)
    if lacking:
        raise UnsupportedError(
            f"{what} repeats steps, but these components cannot save their state, or take steps of one size alone: {', '.join(lacking)}. "
            "Export them with that capability, or choose an algorithm without repeated steps."
        )
