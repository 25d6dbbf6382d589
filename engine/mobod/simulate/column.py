"""Column: one named quantity over time, as tables, files and comparisons use it."""

import re
from dataclasses import dataclass, replace
from typing import final

import numpy as np


@final
@dataclass(frozen=True)
class Column:
    """A named quantity over time.

    values        (m,) or (m, k)
    unit          of all entries; None if it is unknown or the entries have different units
    components    of (m, k) values: k pairs (label, unit), if known
    description   one line
    is_parameter  whether it is a parameter of the model, and not computed
    """

    name: str
    values: np.ndarray
    unit: str | None = None
    components: tuple[tuple[str, str], ...] = ()
    description: str = ""
    is_parameter: bool = False

    @property
    def is_text(self) -> bool:
        return self.values.dtype.kind not in "biuf"

    def labels(self) -> list[str]:
        """Of (m, k) values: the names of the entries without the name of the column: 'x', 'Mx', '1'."""
        names = [label.removeprefix(self.name).strip(" []") for label, _ in self.components]
        return names or [str(k + 1) for k in range(self.values.shape[1])]

    def flat(self) -> list["Column"]:
        """The column itself, or a column of one number a row for each of its entries: `name[1]` to `name[k]`."""
        if self.values.ndim == 1:
            return [self]
        units: list[str | None] = [unit for _, unit in self.components] or [self.unit] * self.values.shape[1]
        return [
            replace(self, name=f"{self.name}[{k + 1}]", values=self.values[:, k], unit=unit, components=()) for k, unit in enumerate(units)
        ]


def vector_of(name: str) -> str:
    """The name of the vector of an entry: 'p' of 'p[1]', 'R' of 'R[1,3]'; the name itself if it has no indices."""
    return re.sub(r"\[\d+(,\d+)*\]$", "", name)
