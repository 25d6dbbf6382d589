"""CHECKS: all checks of an FMU, in the order of the report."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import final

from mobod.acceptance.report import Result, Severity
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
    crash    severity of a crash; warning if the check does more than the standard covers
    """

    name: str
    claim: str
    place: str
    runs: bool = True
    alone: bool = False
    timeout: float = 120.0
    crash: Severity = "error"

    def function(self) -> CheckFunction:
        module, _, name = self.place.partition(":")
        function: CheckFunction = getattr(import_module(module), name)
        return function


_BEHAVIOUR = "mobod.acceptance.behaviour"

CHECKS: tuple[DeclaredCheck, ...] = (
    DeclaredCheck("archive", "the archive follows the standard", "mobod.acceptance.archive_rules:check", runs=False),
    DeclaredCheck("description", "the model description follows the standard", "mobod.acceptance.description_rules:check", runs=False),
    DeclaredCheck("load", "its library loads, has all functions, and leaves its process as it was", f"{_BEHAVIOUR}.load:check_load"),
    DeclaredCheck(
        "load.folder",
        "it runs in a folder whose name has spaces, umlauts, '#' and '%'",
        f"{_BEHAVIOUR}.load:check_special_folder",
        crash="warning",
    ),
)
