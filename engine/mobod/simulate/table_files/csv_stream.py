"""CsvStream: a CSV file that is written while a run goes on."""

import csv
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self, final

from mobod.disk.whole_file import is_written_directly
from mobod.disk.working_folder import absolute
from mobod.errors import WriteError
from mobod.simulate.column import Column
from mobod.simulate.table import Table
from mobod.simulate.table_files.csv_file import csv_cells
from mobod.simulate.table_files.text_lines import UNFINISHED

_INTERVAL = 0.1  # s, between two writes


@final
class CsvStream:
    """Writes the rows of a growing table, as `Table.to_csv` writes them. A context manager.

        with CsvStream("run.csv") as stream:
            while ...:
                stream.write(lambda: table_so_far)
            stream.write(lambda: whole_table, at_once=True)

    The file is `run.csv.part` until its end, when it becomes `run.csv`. After an error it also becomes `run.csv` if it has rows, with a
    last line `# ended: ...` that says why. If the process is killed, `run.csv.part` has all rows but those of the last 0.1 s; the last
    row may be incomplete.

    Raises WriteError, for a full disk too; then `run.csv.part` has the rows that fitted.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._wanted = Path(path)
        self._target = Path(os.path.realpath(absolute(self._wanted)))
        self._is_direct = is_written_directly(self._wanted)
        self._part = self._wanted if self._is_direct else self._target.with_name(f"{self._target.name}{UNFINISHED}")
        self._rows = 0
        self._last_time = 0.0  # s, of a row
        self._written_at = -_INTERVAL
        self._failed = False
        try:
            self._file = open(self._part, "wb", buffering=0)  # noqa: SIM115  closed by __exit__
        except OSError as error:
            raise self._error(error) from error

    def write(self, read: Callable[[], Table], *, at_once: bool = False) -> None:
        """Write the rows of the table that were not written yet, at once or if 0.1 s have passed."""
        if self._failed or not (at_once or monotonic() - self._written_at >= _INTERVAL):
            return
        table = read()
        if len(table.time) == self._rows:
            return
        columns = table.flat()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if self._rows == 0:
            writer.writerow(["time", *(column.name for column in columns)])
        new = slice(self._rows, None)
        parts = [Column(column.name, column.values[new]) for column in columns]
        writer.writerows(zip(table.time[new].tolist(), *csv_cells(parts), strict=True))
        self._append(text.getvalue().encode("utf-8"))
        self._rows, self._last_time = len(table.time), float(table.time[-1])
        self._written_at = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        try:
            if error is not None and self._rows and not self._failed:
                why = " ".join(str(error).split()) or type(error).__name__
                self._append(f"# ended: {why}\n".encode())
            if not self._is_direct and not self._failed:
                os.fsync(self._file.fileno())
        except OSError as failure:
            raise self._error(failure) from failure
        finally:
            self._file.close()
        if self._failed or self._is_direct:
            return
        if not self._rows:
            self._part.unlink()
            return
        try:
            if self._target.exists():
                shutil.copymode(self._target, self._part)
            self._part.replace(self._target)
        except OSError as failure:
            raise self._error(failure) from failure

    def _append(self, data: bytes) -> None:
        """Write whole lines. On a full disk keep those that fit."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            self._failed = True
            if not self._is_direct:
                self._keep_whole_rows()
            raise self._error(error) from error

    def _keep_whole_rows(self) -> None:
        """Cut off a row that is not whole, and note those that are."""
        text = self._part.read_bytes()
        end = text.rfind(b"\n") + 1
        self._file.truncate(end)
        rows = list(csv.reader(io.StringIO(text[:end].decode("utf-8"))))[1:]
        if rows:
            self._rows, self._last_time = len(rows), float(rows[-1][0])

    def _error(self, error: OSError) -> WriteError:
        kept = f"'{self._part}' has the {self._rows} rows until {self._last_time:.12g} s." if self._rows else "No row was kept."
        why = error.strerror or error
        return WriteError(f"'{self._wanted}' was not written: {why}. {kept} Give a path on a disk that has room.", error)
