"""TextLines: the lines of a text file, of which the last one may be cut off."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath
from typing import final

from mobod.errors import MobodWarning

UNFINISHED = ".part"  # ending of a file that a run still writes, or wrote when it was killed


@final
class TextLines:
    """Iterates over the lines of a file that was opened with newline="", for a csv.reader.

    path    of the file, for messages
    is_cut  whether the current line has no line end; only the last one of a file can have none
    """

    def __init__(self, path: str | PathLike[str], file: Iterable[str]) -> None:
        self._path, self._file = fspath(path), file
        self.is_cut = False

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.is_cut = not line.endswith(("\n", "\r"))
            yield line

    def drops(self, row: Sequence[str], number: int) -> bool:
        """Whether a row must be left out. number: of its line

        A row without a line end is left out, with a MobodWarning, if the file is one that a run of mobod did not finish. Of another file it
        is used, with a MobodWarning, since its last number may be cut off.
        """
        if not self.is_cut or not row:
            return False
        is_unfinished = self._path.endswith(UNFINISHED)
        done = "It is left out, since the run did not finish." if is_unfinished else "It is used. If it is whole, add a line end."
        cell = row[-1] if len(row[-1]) <= _MOST_SHOWN else f"{row[-1][:_MOST_SHOWN]}..."
        warnings.warn(
            f"{self._path}, line {number}: the last row has no line end, so that its last cell, '{cell}', may be cut off. {done}",
            MobodWarning,
            stacklevel=5,
        )
        return is_unfinished


_MOST_SHOWN = 40  # characters of a cell in a message
