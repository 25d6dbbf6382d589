"""LogFile: a file for the messages of FMUs, and which of them it gets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError, UnknownNameError

LEVELS = ("ok", "warning", "discard", "error", "fatal")  # by the number of the status
SMALLEST = 10**5  # bytes
ALL = "logAll"  # the category of FMI 2.0 for all messages
PRINTED = "printed"  # the category of what an isolated FMU prints


@final
@dataclass(frozen=True)
class LogFile:
    """A file for the messages of FMUs: a line for each, with the time, the FMU, the status, the category and the text, separated by tabs.

        LogFile("run.log", categories=["logEvents"], level="warning", limit=10**6)

    path
    categories  of the messages that are written; default, and with `logAll`: all. `printed` is what an isolated FMU prints
    level       the mildest status that is written: "ok", "warning", "discard", "error" or "fatal"
    limit       bytes of messages: of more, the first and the last half as many are kept, and the others are counted
    """

    path: str | os.PathLike[str]
    categories: Sequence[str] = ()
    level: str = "ok"
    limit: int = 10**7

    def __post_init__(self) -> None:
        if isinstance(self.categories, str):
            raise InputError(f"LogFile: categories is a list of names, not {self.categories!r}.")
        UnknownNameError.check("level of a log", self.level, LEVELS)
        if not real_number(self.limit, "LogFile: limit") >= SMALLEST:
            raise InputError(f"LogFile: the limit is {self.limit} bytes. Give at least {SMALLEST}.")

    def takes_category(self, category: str) -> bool:
        """Whether messages of a category are written."""
        return not self.categories or ALL in self.categories or category in self.categories

    def takes(self, status: int, category: str) -> bool:
        """Whether a message is written. One with a status that FMI does not know is."""
        return self.takes_category(category) and (status not in range(len(LEVELS)) or status >= LEVELS.index(self.level))
