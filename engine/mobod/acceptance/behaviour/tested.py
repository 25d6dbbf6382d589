"""Tested: the FMU that a check runs, with what its checks need."""

from collections.abc import Iterable
from functools import cached_property
from math import prod
from typing import final

from mobod.acceptance.behaviour.clauses import clause
from mobod.acceptance.behaviour.library import FmuLibrary
from mobod.acceptance.report import Experiment
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import UnsupportedError
from mobod.fmi.loading import Interface
from mobod.fmi.rules.finding import AcceptanceFinding, Severity
from mobod.importer.fmu_model import FmuModel
from mobod.importer.variable import ForeignVariable


@final
class Tested:
    """An FMU under test.

    model       its description
    experiment  the runs
    """

    def __init__(self, subject: Subject, monitor: Monitor) -> None:
        monitor.note("reading modelDescription.xml")
        self.subject = subject
        self.monitor = monitor
        self.model: FmuModel = subject.model()
        self.fmi_version: str = self.model.description.fmiVersion[0]
        if subject.experiment is None:
            raise UnsupportedError("Its default experiment cannot be run.")
        self.experiment: Experiment = subject.experiment
        self._libraries: dict[str, FmuLibrary] = {}

    def library(self, interface: Interface) -> FmuLibrary:
        """The library for an interface. Raises UnsupportedError if there is none for this platform, FmuFileError if it cannot be loaded."""
        path = self.model.archive.library(self.model.identifier(interface))
        if path not in self._libraries:
            self.monitor.note(f"loading {path}")
            self._libraries[path] = FmuLibrary(self.subject.folder, path, self.fmi_version)
        return self._libraries[path]

    def can(self, interface: Interface, capability: str) -> bool:
        """Whether the FMU declares a capability, which is named as in FMI 2.0."""
        return self.model.can(interface, capability)

    def finding(self, rule: str, message: str, topic: str, severity: Severity = "error") -> AcceptanceFinding:
        return AcceptanceFinding(rule, message, clause(self.fmi_version, topic), severity)

    @cached_property
    def accessible(self) -> list[ForeignVariable]:
        """Variables that can be read and set at any time: not those of clocks, nor of types that have no numbers. No aliases."""
        return [
            each
            for each in self.model.variables.values()
            if each.kind is not None and each.description.alias is None and not getattr(each.description, "clocks", None)
        ]

    @cached_property
    def outputs(self) -> list[ForeignVariable]:
        """What the runs compare: outputs without the time; of an FMU without outputs its local variables."""
        chosen = [each for each in self.accessible if each.causality == "output"]
        return chosen or [each for each in self.accessible if each.causality == "local" and each.variability != "constant"]

    def of_elements(self, variables: Iterable[ForeignVariable]) -> list[ForeignVariable]:
        """The variable of each element: an array occurs once for each of its elements."""
        return [each for each in variables for _ in range(prod(self.model.shape(each)))]

    @cached_property
    def clock(self) -> ForeignVariable | None:
        """The independent variable; None if it is not there, or is not the time in s."""
        return next((each for each in self.accessible if each.causality == "independent" and each.kind is not None), None)

    @property
    def has_clocks(self) -> bool:
        """Whether it has clocks of FMI 3.0, which need event mode."""
        return any(each.type == "Clock" for each in self.model.variables.values())
