"""Isolation: how an FMU runs in a process of its own."""

import warnings
from dataclasses import dataclass
from typing import final

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError


@final
@dataclass(frozen=True)
class Isolation:
    """An FMU that runs in a process of its own, where it can crash, end its process or never return without harm to others.

    seconds       s  that a call may take; None: any time
    only_foreign     deprecated, without effect: an FMU says itself which tool made it, and may say so wrongly
    """

    seconds: float | None = 300.0
    only_foreign: bool = False

    def __post_init__(self) -> None:
        if self.only_foreign:
            warnings.warn(
                "Isolation(only_foreign=True) is deprecated and isolates all FMUs, since which tool made an FMU is the FMU's own word. "
                "Give Isolation() for all, or isolate=False for each FMU that you trust.",
                DeprecationWarning,
                stacklevel=3,
            )
        if self.seconds is not None and real_number(self.seconds, "Isolation: seconds") <= 0:
            raise InputError(f"Isolation: seconds is {self.seconds}. Give a positive time, or None for no limit.")
