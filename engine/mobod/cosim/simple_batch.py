"""SimpleBatch: variables of a component that is computed in Python."""

import math
from collections.abc import Callable, Sequence
from typing import final

from mobod.cosim.variable import Value
from mobod.errors import MobodError


@final
class SimpleBatch:
    """Variables by name. read: their values; write: sets a value; time: the present one, s"""

    def __init__(
        self,
        component: str,
        names: Sequence[str],
        read: Callable[[Sequence[str]], list[Value]],
        write: Callable[[str, Value], None],
        time: Callable[[], float | None],
    ) -> None:
        self._component = component
        self._names = list(names)
        self._read = read
        self._write = write
        self._time = time

    def get(self) -> list[Value]:
        return self._read(self._names)

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises MobodError for a value that is not finite. time: s, for the message; default: the present one"""
        values = self.get()
        for name, value in zip(self._names, values, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise not_finite(self._component, name, value, self._time() if time is None else time)
        return values

    def set(self, values: Sequence[Value]) -> None:
        for name, value in zip(self._names, values, strict=True):
            self._write(name, value)


def not_finite(component: str, name: str, value: object, time: float | None) -> MobodError:
    when = "" if time is None else f" at {time:.12g} s"
    return MobodError(f"component '{component}': '{name}'{when} is {value}. Check its inputs and parameters.")
