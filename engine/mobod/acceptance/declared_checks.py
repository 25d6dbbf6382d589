"""CHECKS: all checks of an FMU, in the order of the report."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast, final, get_args

from mobod.acceptance.report import Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.fmi.loading import Interface
from mobod.fmi.rules.finding import Severity
from mobod.late_imports import late_import

CheckFunction = Callable[[Subject, Monitor], Result]


@final
@dataclass(frozen=True)
class DeclaredCheck:
    """A check.

    name     as in Check
    claim    as in Check
    place    module and function
    interface  that it checks; None for all of the FMU
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
    interface: Interface | None = None

    def function(self) -> CheckFunction:
        function = late_import(self.place)
        if self.interface is not None:
            from mobod.acceptance.behaviour.result import checked

            function = checked(function, self.interface)
        return cast(CheckFunction, function)


_BEHAVIOUR = "mobod.acceptance.behaviour"


def _for_both(name: str, claim: str, place: str, *, alone: bool = False, crash: Severity = "error") -> tuple[DeclaredCheck, DeclaredCheck]:
    """A check for co-simulation, and the same for model exchange."""
    co_simulation, model_exchange = (
        DeclaredCheck(
            f"{name}.{interface}", f"{interface}: {claim}", f"{_BEHAVIOUR}.{place}", alone=alone, crash=crash, interface=interface
        )
        for interface in get_args(Interface)
    )
    return co_simulation, model_exchange


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
    *_for_both("start", "it starts with the values of its model description", "start_values:check_start_values"),
    *_for_both("first", "its first values do not depend on what was read before, and agree", "first_values:check_first_values"),
    *_for_both("calls", "calls in legal order succeed, and a reset instance is like a new one", "calls:check_calls"),
    *_for_both("order", "calls that are not allowed return an error, and none crashes", "order:check_order"),
    DeclaredCheck(
        "run.co-simulation",
        "co-simulation: it runs at three steps, lands on each point, and its finite outputs converge",
        f"{_BEHAVIOUR}.runs:check_run",
        interface="co-simulation",
    ),
    DeclaredCheck(
        "run.model-exchange",
        "model-exchange: CVODE can integrate it, and its outputs agree with those of co-simulation",
        f"{_BEHAVIOUR}.exchange:check_exchange",
        interface="model-exchange",
    ),
    DeclaredCheck(
        "steps.co-simulation",
        "co-simulation: equal runs give equal bits, and impossible steps are refused",
        f"{_BEHAVIOUR}.steps:check_steps",
        interface="co-simulation",
    ),
    DeclaredCheck(
        "events.co-simulation",
        "co-simulation: it runs in event mode and with early return",
        f"{_BEHAVIOUR}.events:check_events",
        interface="co-simulation",
    ),
    *_for_both("derivatives", "its derivatives agree with differences", "derivatives:check_derivatives"),
    *_for_both("dependencies", "only what the model structure declares depends on a variable", "dependencies:check_dependencies"),
    *_for_both("state", "a restored state resumes with the same bits", "states:check_state"),
    *_for_both("bytes", "a state from bytes resumes with the same bits in another instance", "states:check_bytes"),
    *_for_both("damage", "damaged bytes of a state do no harm", "damage:check_damage", crash="warning"),
    *_for_both("instances", "instances do not disturb each other, and many can be made", "instances:check_instances"),
    *_for_both("threads", "instances in several threads do not disturb each other", "instances:check_threads"),
    *_for_both("leaks", "instances and saved states that are freed leave nothing behind", "leaks:check_leaks"),
    *_for_both("speed", "how long its functions take", "speed:check_speed", alone=True),
)
