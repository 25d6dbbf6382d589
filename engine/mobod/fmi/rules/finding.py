"""AcceptanceFinding: a rule that an FMU breaks."""

from dataclasses import dataclass
from typing import Literal, final

Severity = Literal["error", "warning"]


@final
@dataclass(frozen=True)
class AcceptanceFinding:
    """A rule that the FMU breaks.

    rule      short name of the rule, which does not change between versions of mobod
    message   what is wrong, with the name of the variable, file or function
    clause    where the standard states the rule: "FMI 2.0.5, 2.2.8"
    severity  error: the FMU breaks the standard, or gives wrong numbers; warning: a tool may have trouble
    place     file of the archive, with the line if it is known: "modelDescription.xml:41"
    """

    rule: str
    message: str
    clause: str
    severity: Severity = "error"
    place: str = ""

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{place}{self.message} [{self.rule}; {self.clause}]"
