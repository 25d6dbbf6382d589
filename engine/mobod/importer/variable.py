"""ForeignVariable: a variable of an FMU, with what its description says of it, and the checks of values for it."""

import math
from collections.abc import Mapping
from typing import final

from fmpy.model_description import ModelVariable

from mobod.errors import InputError, UnknownNameError
from mobod.importer.kinds import Value, VariableKind

MOST_ELEMENTS = 10**7  # of an array


@final
class ForeignVariable:
    """A variable of an FMU: a number, a text, or an array of FMI 3.0.

    kind              None for Binary and Clock, which can be neither set nor recorded
    unit              "" if it has none
    minimum, maximum  None if it has none
    items             of an enumeration, by name
    """

    def __init__(self, description: ModelVariable, kinds: Mapping[str, VariableKind], bounds: tuple[str | None, str | None]) -> None:
        self.description = description
        self.name: str = description.name
        self.reference: int = description.valueReference
        self.type: str = description.type
        self.causality: str = description.causality
        self.variability: str = description.variability
        self.kind: VariableKind | None = kinds.get(description.type)
        declared = description.declaredType
        self.unit: str = description.unit or (declared.unit if declared is not None else None) or ""
        self.items: dict[str, int] = {item.name: int(item.value) for item in declared.items} if declared is not None else {}
        if declared is not None:
            bounds = (bounds[0] or declared.min, bounds[1] or declared.max)
        is_number = self.kind is not None and self.kind.python_type in (float, int)
        self.minimum, self.maximum = (None if text is None or not is_number else float(text) for text in bounds)

    def __str__(self) -> str:
        return self.name

    @property
    def is_array(self) -> bool:
        return bool(self.description.dimensions)

    @property
    def is_continuous(self) -> bool:
        return self.is_real and self.variability == "continuous"

    @property
    def nominal(self) -> float:
        """A usual size of its values."""
        return abs(float(self.description.nominal or 1.0))

    @property
    def is_real(self) -> bool:
        return self.kind is not None and self.kind.python_type is float

    def is_within(self, value: float) -> bool:
        """Whether a value is not less than its minimum and not greater than its maximum."""
        return (self.minimum is None or value >= self.minimum) and (self.maximum is None or value <= self.maximum)

    @property
    def start_values(self) -> list[Value] | None:
        """The start values of the description; None if it has none that can be read."""
        text = self.description.start
        if text is None or self.kind is None:
            return None
        parts = text.split() if self.is_array and self.kind.python_type is not str else [text]
        try:
            return [self._read(part) for part in parts]
        except ValueError:
            return None

    def parsed(self, text: str) -> Value:
        """The value of one element from a text, by the type of the variable. Raises InputError."""
        try:
            value = self._read(text)
        except UnknownNameError:
            raise
        except ValueError:
            raise InputError(f"'{self}' is of type {self.type}, but was given {text!r}.{_WANTED.get(self._python_type, '')}") from None
        self._check_range(value)
        return value

    def check_start_is_open(self) -> None:
        """Raise InputError unless FMI allows setting the variable before the run."""
        if self.kind is None:
            raise InputError(f"'{self}' is of type {self.type}, which mobod does not set.")
        if self.variability == "constant" or (self.causality != "input" and self.description.initial not in ("exact", "approx")):
            raise InputError(
                f"'{self}' cannot be given a start value: the FMU computes it (causality {self.causality}, variability "
                f"{self.variability}). Set a parameter, an input or an initial value."
            )

    def check_changes(self) -> None:
        """Raise InputError unless FMI allows changing the variable during the run."""
        if self.kind is None:
            raise InputError(f"'{self}' is of type {self.type}, which mobod does not set.")
        if self.causality != "input" and not (self.causality == "parameter" and self.variability == "tunable"):
            raise InputError(
                f"'{self}' cannot change during a run (causality {self.causality}, variability {self.variability}). Give values of inputs "
                "or tunable parameters."
            )

    @property
    def _python_type(self) -> type:
        return str if self.kind is None else self.kind.python_type

    def _read(self, text: str) -> Value:
        if self.items and not text.lstrip("+-").isdecimal():
            UnknownNameError.check(f"item of '{self}'", text, self.items)
            return self.items[text]
        if self._python_type is bool:
            if text.lower() not in ("true", "false", "1", "0"):
                raise ValueError(text)
            return text.lower() in ("true", "1")
        if self._python_type is int and "." in text and float(text).is_integer():  # as spreadsheets write whole numbers
            return int(float(text))
        value: Value = self._python_type(text)
        return value

    def _check_range(self, value: Value) -> None:
        if isinstance(value, (str, bool)):
            return
        if not math.isfinite(value):
            raise InputError(f"'{self}' was given {value!r}. Give a finite number.")
        if isinstance(value, int) and self.kind is not None and not self.kind.lowest <= value <= self.kind.highest:
            raise InputError(f"'{self}' was given {value}. Type {self.type} goes from {self.kind.lowest} to {self.kind.highest}.")
        if self.items and value not in self.items.values():
            names = ", ".join(f"{name} ({number})" for name, number in self.items.items())
            raise InputError(f"'{self}' was given {value}. Its items are: {names}.")
        shown = f"{value} {self.unit}".rstrip()
        if self.minimum is not None and value < self.minimum:
            raise InputError(f"'{self}' cannot be {shown}: the least value is {self.minimum:g}.")
        if self.maximum is not None and value > self.maximum:
            raise InputError(f"'{self}' cannot be {shown}: the greatest value is {self.maximum:g}.")


_WANTED = {float: " Give a number.", int: " Give a whole number.", bool: " Give true or false."}
