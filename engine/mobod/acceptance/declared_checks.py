"""CHECKS: all checks of an FMU, in the order of the report."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import final

from mobod.acceptance.report import Result
from mobod.acceptance.subject import Monitor, Subject

CheckFunction = Callable[[Subject, Monitor], Result]


@final
@dataclass(frozen=True)
class DeclaredCheck:
    """A check.

    name     as in Check
    claim    as in Check
    place    module and function
    runs     whether it loads the FMU's library
    alone    whether no other check may run beside it, because it measures time
    timeout  s
    """

    name: str
    claim: str
    place: str
    runs: bool = True
    alone: bool = False
    timeout: float = 120.0

    def function(self) -> CheckFunction:
        module, _, name = self.place.partition(":")
        function: CheckFunction = getattr(import_module(module), name)
        return function


CHECKS: tuple[DeclaredCheck, ...] = (
    DeclaredCheck("archive", "the archive follows the standard", "mobod.acceptance.archive_rules:check", runs=False),
    DeclaredCheck("description", "the model description follows the standard", "mobod.acceptance.description_rules:check", runs=False),
)
