"""SweepTable: the values and figures of all runs of a sweep."""

import csv
import math
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import final

import numpy as np

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError, MobodError, UnknownNameError
from mobod.simulate.html_table import html_table
from mobod.system.readable import Readable


@final
class SweepTable(Readable):
    """A row for each run, in the order of the design. `table[name]` is a column.

    settings  names of the varied values
    figures   names of the figures; NaN where the run failed
    errors    (n,) for each run the message of its failure, or an empty text
    """

    def __init__(self, settings: Sequence[str], design: np.ndarray, figures: Sequence[str], values: np.ndarray, errors: Sequence[str]):
        self.settings, self.figures, self.errors = tuple(settings), tuple(figures), list(errors)
        self._columns = {name: design[:, k] for k, name in enumerate(settings)}
        for k, name in enumerate(figures):
            self._columns[name if name not in self._columns else f"{name} at the end"] = values[:, k]

    def _summary(self) -> str:
        return f"of {len(self)} runs, {len(self.failed)} failed; columns: {', '.join(self)}"

    def __len__(self) -> int:
        return len(self.errors)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        """(n,) a copy. Raises UnknownNameError with the nearest name."""
        UnknownNameError.check("column of the sweep", name, self._columns)
        return self._columns[name].copy()

    def _repr_html_(self) -> str:
        """For notebooks: the first and the last runs."""
        columns: list[tuple[str, str, object]] = [("run", "", range(1, len(self) + 1))]
        columns += [(name, "", values) for name, values in self._columns.items()]
        return html_table([*columns, ("error", "", self.errors)] if self.failed else columns, len(self))

    @property
    def failed(self) -> list[tuple[int, str]]:
        """(number, message) of each run that failed. Runs are numbered from 1."""
        return [(number, error) for number, error in enumerate(self.errors, start=1) if error]

    def write(self, path: str | PathLike[str]) -> None:
        """Write the table as CSV, or as Parquet if the name ends with .parquet. Raises WriteError."""
        check_suffix(path)
        (self.to_parquet if Path(path).suffix == ".parquet" else self.to_csv)(path)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write CSV with the columns run, settings, figures and error; `float(text)` gives the same number, bit for bit.

        A missing number is an empty cell. Raises WriteError.
        """
        with whole_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["run", *self, "error"])
            columns = [["" if math.isnan(value) else value for value in column.tolist()] for column in self._columns.values()]
            writer.writerows(zip(range(1, len(self) + 1), *columns, self.errors, strict=True))

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write Parquet with the columns of `to_csv`. Needs pyarrow, of the extra `sweep`. Raises WriteError."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MobodError("a Parquet file needs the package pyarrow. Install it: python -m pip install 'mobod[sweep]'") from error
        columns: dict[str, object] = {"run": np.arange(1, len(self) + 1), **self._columns, "error": self.errors}
        with whole_file(path) as temporary:
            parquet.write_table(pyarrow.table(columns), str(temporary))


def check_suffix(path: str | PathLike[str]) -> None:
    """Raise InputError for a file that is neither CSV nor Parquet."""
    if Path(path).suffix not in (".csv", ".parquet"):
        raise InputError(f"'{path}': a sweep writes .csv or .parquet. Choose one of these endings.")
