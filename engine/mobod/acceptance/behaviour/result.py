"""checked: makes a check of a function that collects findings, for one interface of an FMU."""

import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import final

from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.report import Difference, PlottedCurve, Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import FmuError, FmuFileError, InputError, UnsupportedError
from mobod.fmi.loading import Interface
from mobod.fmi.rules.finding import AcceptanceFinding, Severity

MOST_NAMES = 10  # in one finding


class NotCheckedError(Exception):
    """The reason why a check cannot be made."""


@final
class RunFindings:
    """The findings, notes and figures of a check that is under way."""

    def __init__(self, tested: Tested) -> None:
        self._tested = tested
        self.findings: list[AcceptanceFinding] = []
        self.notes: list[str] = []
        self.differences: list[Difference] = []
        self.curves: list[PlottedCurve] = []
        self.figures: list[tuple[str, float, str]] = []

    def add(self, rule: str, message: str, topic: str, severity: Severity = "error") -> None:
        finding = self._tested.finding(rule, message, topic, severity)
        if finding not in self.findings:
            self.findings.append(finding)

    def add_first(self, rule: str, messages: Sequence[str], topic: str, rest: str) -> None:
        """Add a finding for each of the first messages, and one that counts the others: "3 more variables ..."."""
        for message in messages[:MOST_NAMES]:
            self.add(rule, message, topic)
        if len(messages) > MOST_NAMES:
            self.add(rule, f"{len(messages) - MOST_NAMES} more {rest}", topic)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def result(self, not_checked: str | None = None) -> Result:
        return Result(self.findings, not_checked, self.notes, self.differences, self.curves, self.figures)


CheckOfInterface = Callable[[Tested, Interface, RunFindings], None]


def checked(function: CheckOfInterface, interface: Interface) -> Callable[[Subject, Monitor], Result]:
    """The check of a function for an interface. A call that fails is a finding."""

    @wraps(function)
    def check(subject: Subject, monitor: Monitor) -> Result:
        try:
            tested = Tested(subject, monitor)
            if interface not in tested.model.interfaces:
                return Result(not_checked=f"The FMU is not for {interface}.")
            tested.library(interface)
        except (UnsupportedError, InputError, FmuFileError) as error:
            return Result(not_checked=str(error))
        found = RunFindings(tested)
        try:
            function(tested, interface, found)
        except NotCheckedError as reason:
            return found.result(str(reason))
        except UnsupportedError as error:
            return found.result(str(error))
        except FmuError as error:
            found.add("call-failed", str(error), "status")
        return found.result()

    return check


@final
class Budget:
    """Time that a check may take, s."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def is_spent(self) -> bool:
        return time.monotonic() > self._end
