"""RowRecorder: fills a Table while an FMU runs."""

import math
from collections.abc import Sequence
from typing import Protocol, final

import numpy as np

from mobod.importer.instance import FmuInstance
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable
from mobod.simulate.table import Table


class RecordsRows(Protocol):
    """Takes rows while an FMU runs."""

    def record(self, time: float) -> None: ...


@final
class RowRecorder:
    """The values of some variables, row by row."""

    def __init__(self, instance: FmuInstance, variables: Sequence[ForeignVariable]) -> None:
        self._instance = instance
        self._variables = variables
        self._values = instance.values(variables)
        self._sizes = [instance.size(variable) for variable in variables]
        self._times: list[float] = []
        self._rows: list[list[list[Value]]] = []

    def record(self, time: float) -> None:
        """Add a row. Raises FmuError for a value that is not finite, and then adds none."""
        row = self._values.get()
        for variable, elements in zip(self._variables, row, strict=True):
            for element in elements:
                if isinstance(element, float) and not math.isfinite(element):
                    raise self._instance.failure(
                        f"{variable.causality} '{variable}'",
                        f"is {element}. Check its inputs and parameters, or what the exporting tool says of this variable",
                    )
        self._times.append(time)
        self._rows.append(row)

    def table(self, terminated_by: str | None = None) -> Table:
        """The rows recorded so far. An array of FMI 3.0 is one column of several components, a matrix by rows."""
        columns = {}
        for number, (variable, size) in enumerate(zip(self._variables, self._sizes, strict=True)):
            assert variable.kind is not None  # VariableValues refuses such variables
            column = np.empty((len(self._rows), size), dtype=variable.kind.dtype)
            for position, row in enumerate(self._rows):
                column[position] = row[number]
            columns[variable.name] = column if variable.is_array else column[:, 0]
        units = {variable.name: variable.unit for variable in self._variables if variable.unit}
        return Table(np.array(self._times), columns, units, terminated_by=terminated_by)
