"""Filling a Table while instances run."""

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np

from mobod.cosim.component import Port
from mobod.cosim.instance import Instance, SimulationEndedError
from mobod.simulate.table import Table

_DTYPES = {"Real": np.float64, "Integer": np.int64, "Enumeration": np.int64, "Boolean": np.bool_, "String": np.object_}


@final
class Recorder:
    """The values of some variables at each point in time."""

    def __init__(self, ports: Sequence[Port], instances: Mapping[str, Instance], times: np.ndarray) -> None:
        self._times = times
        self._columns: dict[str, np.ndarray] = {str(port): np.zeros(len(times), dtype=_DTYPES[port.variable.type]) for port in ports}
        self._units = {str(port): port.unit.name for port in ports if port.unit is not None}
        grouped: dict[str, list[Port]] = {}
        for port in ports:
            grouped.setdefault(port.component.name, []).append(port)
        self._batches = [
            (instances[name].batch(port.variable.name for port in group), [self._columns[str(port)] for port in group])
            for name, group in grouped.items()
        ]

    def record(self, row: int) -> None:
        """Write what the variables are now into this row."""
        for batch, columns in self._batches:
            for column, value in zip(columns, batch.get(), strict=True):
                column[row] = value

    def table(self) -> Table:
        return Table(self._times, self._columns, self._units)

    def table_until(self, rows: int, ended: SimulationEndedError) -> Table:
        """Of a run that an FMU has ended: the first rows."""
        columns = {name: column[:rows] for name, column in self._columns.items()}
        return Table(self._times[:rows], columns, self._units, terminated_by=ended.name)

    def move(self, row: int, time: float) -> None:
        """What is written into this row is of another time, s."""
        self._times[row] = time
