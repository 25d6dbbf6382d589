"""Column: one named quantity over time, as tables, files and comparisons use it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from mobod.errors import UnknownNameError
from mobod.system.number_names import array_of, printed_name


@final
@dataclass(frozen=True)
class Column:
    """A named quantity over time.

    values        (m,) or (m, k)
    unit          of all entries; None if it is unknown or the entries have different units
    components    of (m, k) values: k pairs (label, unit), if known
    description   one line
    is_parameter  whether it is a parameter of the model, and not computed
    label         for plots; empty if it is the name
    """

    name: str
    values: np.ndarray
    unit: str | None = None
    components: tuple[tuple[str, str], ...] = ()
    description: str = ""
    is_parameter: bool = False
    label: str = ""

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
        known = self.components or ((("", self.unit),) * self.values.shape[1])
        return [
            replace(self, name=f"{self.name}[{k + 1}]", values=self.values[:, k], unit=unit, label=label, components=())
            for k, (label, unit) in enumerate(known)
        ]


def chosen_names(thing: str, names: Iterable[str], known: Iterable[str]) -> list[str]:
    """The known names that are wanted, in the wanted order: `p` stands for all entries of a vector.

    thing  what has such names, for the message

    Raises UnknownNameError, with the nearest name.
    """
    entries: dict[str, list[str]] = {}
    for each in known:
        for name in dict.fromkeys((printed_name(each), array_of(each))):
            entries.setdefault(name, []).append(each)
    wanted = [printed_name(name) for name in names]
    for name in wanted:
        if name not in entries:
            raise UnknownNameError(thing, name, known)
    return list(dict.fromkeys(each for name in wanted for each in entries[name]))
