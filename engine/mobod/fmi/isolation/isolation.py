"""Isolation: how an FMU runs in a process of its own."""

from dataclasses import dataclass
from typing import final

from mobod.errors import InputError
from mobod.real_numbers import real_number


@final
@dataclass(frozen=True)
class Isolation:
    """An FMU that runs in a process of its own, where it can crash, end its process or never return without harm to others.

    seconds       s  that a call may take; None: any time
    only_foreign     whether only FMUs run so that can harm others: those that mobod has not made, and those that run Python
    """

    seconds: float | None = 300.0
    only_foreign: bool = False

    def __post_init__(self) -> None:
        if self.seconds is not None and real_number(self.seconds, "Isolation: seconds") <= 0:
            raise InputError(f"Isolation: seconds is {self.seconds}. Give a positive time, or None for no limit.")
