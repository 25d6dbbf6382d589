"""Recorder: fills a Table while instances run."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.instance import Instance
from mobod.simulate.table import Table

_DTYPES = {"Real": np.float64, "Integer": np.int64, "Enumeration": np.int64, "Boolean": np.bool_, "String": np.object_}


@final
class Recorder:
    """The values of some variables at each communication point, row by row."""

    def __init__(self, ports: Sequence[ComponentVariable], instances: Mapping[str, Instance], times: np.ndarray) -> None:
        self._times = times
        self._rows = 0
        self._columns: dict[str, np.ndarray] = {str(port): np.zeros(len(times), dtype=_DTYPES[port.variable.type]) for port in ports}
        self._units = {str(port): port.unit.name for port in ports if port.unit is not None}
        grouped: dict[str, list[ComponentVariable]] = {}
        for port in ports:
            grouped.setdefault(port.component.name, []).append(port)
        self._batches = [
            (instances[name].batch(port.variable.name for port in group), [self._columns[str(port)] for port in group])
            for name, group in grouped.items()
        ]

    def record(self) -> None:
        """Write the present values of the variables into the next row. Raises FmuError for a value that is not finite, and then adds no
        row.
        """
        time = float(self._times[self._rows])
        for batch, columns in self._batches:
            for column, value in zip(columns, batch.get_finite(time), strict=True):
                column[self._rows] = value
        self._rows += 1

    def table(self, *, terminated_by: str | None = None) -> Table:
        """The rows recorded so far."""
        rows = self._rows
        columns = {name: column[:rows] for name, column in self._columns.items()}
        return Table(self._times[:rows], columns, self._units, terminated_by=terminated_by)

    def move_next(self, time: float) -> None:
        """Use another time, s, for the next row."""
        self._times[self._rows] = time
