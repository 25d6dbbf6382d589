"""Rule: a rule of the standard. Findings: what breaks rules."""

from dataclasses import dataclass
from typing import Literal, final

from mobod.fmi.rules.finding import AcceptanceFinding, Severity
from mobod.fmi.rules.sections import TITLES

Version = Literal["2", "3"]

MOST_FINDINGS = 20  # of one rule, before the rest is only counted
_LONGEST = 600  # characters of a message: names in a description may have any length

_RELEASES: dict[Version, str] = {"2": "2.0.5", "3": "3.0.2"}


@final
@dataclass(frozen=True)
class Rule:
    """A rule of the standard.

    name        as in AcceptanceFinding.rule
    meaning     a sentence for the documentation
    fmi2, fmi3  section of the standard; None if the rule does not exist in that version
    severity    as in AcceptanceFinding
    """

    name: str
    meaning: str
    fmi2: str | None
    fmi3: str | None
    severity: Severity = "error"

    def clause(self, version: Version) -> str:
        """The section of the standard: "FMI 2.0.5, 2.2.9 Variable Naming Conventions"."""
        section = self.fmi2 if version == "2" else self.fmi3
        if section is None:
            raise LookupError(f"FMI {version} has no rule '{self.name}'")
        return f"FMI {_RELEASES[version]}, {section} {TITLES[version][section]}"


@final
class RuleFindings:
    """What breaks rules.

    version  of FMI that the FMU declares
    """

    def __init__(self, version: Version) -> None:
        self.version = version
        self._by_rule: dict[Rule, list[AcceptanceFinding]] = {}
        self._left_out: dict[Rule, int] = {}

    def add(self, rule: Rule, message: str, place: str = "") -> None:
        """Note that a file breaks the rule. The same finding is noted once."""
        if len(message) > _LONGEST:
            message = f"{message[:_LONGEST]}..."
        finding = AcceptanceFinding(rule.name, message, rule.clause(self.version), rule.severity, place)
        noted = self._by_rule.setdefault(rule, [])
        if len(noted) == MOST_FINDINGS:
            self._left_out[rule] = self._left_out.get(rule, 0) + 1
        elif finding not in noted:
            noted.append(finding)

    @property
    def any_error(self) -> bool:
        return any(rule.severity == "error" for rule in self._by_rule)

    def all(self) -> list[AcceptanceFinding]:
        """The findings, those of one rule together."""
        found = []
        for rule, noted in self._by_rule.items():
            found += noted
            if rule in self._left_out:
                message = f"{self._left_out[rule]} more places break this rule."
                found.append(AcceptanceFinding(rule.name, message, rule.clause(self.version), rule.severity))
        return found
