"""Rows: the results of a run, row by row, without knowing their number."""

from collections.abc import Callable, Mapping, Sequence
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.recorder import Recorder
from mobod.cosim.variable import Value
from mobod.simulate.table import Table

_BLOCK = 4096  # rows


@final
class Rows:
    """The values of variables, and numbers of the run itself.

    extra  for each column of the run itself its unit, and a function that returns its present value
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[ComponentVariable]],
        instances: Mapping[str, ComponentInstance],
        extra: Mapping[str, tuple[str, Callable[[], float]]],
    ) -> None:
        self._columns, self._instances = columns, instances
        self._extra = extra
        self._numbers: list[list[float]] = []  # of the run itself
        self._full: list[Table] = []
        self._begin_block()

    def record(self, time: float) -> None:
        """Add a row of the present values. Raises FmuError for a value that is not finite, and then adds no row. time: s"""
        if self._n == _BLOCK:
            self._full.append(self._recorder.table())
            self._begin_block()
        self._recorder.move_next(time)
        self._recorder.record()
        self._n += 1
        self._numbers.append([read() for _, read in self._extra.values()])

    def append(self, times: np.ndarray, rows: np.ndarray, objects: Mapping[int, Value]) -> None:
        """Add rows as `Recorder.append` does; only without numbers of the run itself."""
        while len(times):
            if self._n == _BLOCK:
                self._full.append(self._recorder.table())
                self._begin_block()
            n = min(_BLOCK - self._n, len(times))
            self._recorder.append(times[:n], rows[:n], objects)
            self._n += n
            times, rows = times[n:], rows[n:]

    def table(self, *, terminated_by: str | None = None) -> Table:
        """The rows recorded so far."""
        last = self._recorder.table(terminated_by=terminated_by)
        tables = [*self._full, last]
        time = np.concatenate([each.time for each in tables])
        columns = {name: np.concatenate([each[name] for each in tables]) for name in last}
        units = dict(last.units)
        for k, (name, (unit, _)) in enumerate(self._extra.items()):
            columns[name] = np.array([row[k] for row in self._numbers])
            units[name] = unit
        units = {name: unit for name, unit in units.items() if unit}
        return Table(time, columns, units, components=last.components, terminated_by=terminated_by)

    def _begin_block(self) -> None:
        self._recorder = Recorder(self._columns, self._instances, np.empty(_BLOCK))
        self._n = 0
