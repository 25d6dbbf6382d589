"""Journal: the finished runs of a sweep in a file beside its table, so that a sweep that was killed goes on where it was."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import final

from mobod.errors import InputError, WriteError

Row = tuple[int, list[float], str]
"""Number of the run from 0, its figures, and the message of its failure or an empty text."""


@final
class Journal:
    """The finished runs, one JSON array in each line, after a line that identifies the sweep.

    path         of the file; it is made by the first `add`
    fingerprint  identifies the sweep

    Raises InputError if the file belongs to another sweep, or has a line that is not a run.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self.path = path
        self._head = json.dumps({"sweep": fingerprint})
        self.rows: dict[int, Row] = {}
        if path.is_file():
            self._read()

    def _read(self) -> None:
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]  # a killed process may have written half a line
        lines = whole.decode(errors="replace").split("\n")[:-1]
        if lines and lines[0] != self._head:
            raise InputError(
                f"'{self.path}' holds the runs of another sweep, which did not finish: its model, values or options differ. Repeat that "
                "sweep to finish it, or delete the file."
            )
        for number, line in enumerate(lines[1:], start=2):
            row = _row_of(line)
            if row is None:
                raise InputError(
                    f"'{self.path}', line {number}: not a run of a sweep. The file is damaged: delete it, and run the sweep again."
                )
            self.rows[row[0]] = row
        if len(whole) < len(text):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))

    def add(self, rows: Sequence[Row]) -> None:
        """Add finished runs, and write them. Raises WriteError."""
        is_new = not self.path.is_file() or self.path.stat().st_size == 0
        lines = [self._head] if is_new else []
        lines += [json.dumps([number, [_in_json(each) for each in figures], error]) for number, figures, error in rows]
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise WriteError(f"'{self.path}' was not written: {error}. The finished runs before stay in it.", error) from error
        self.rows |= {row[0]: row for row in rows}

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def _row_of(line: str) -> Row | None:
    """The run that a line describes; None if it is damaged."""
    try:
        number, figures, error = json.loads(line)
        if type(number) is not int or number < 0 or not isinstance(error, str):
            return None
        return number, [math.nan if each is None else float(each) for each in figures], error
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _in_json(number: float) -> float | None:
    """NaN as null. Python writes and reads infinity as Infinity."""
    return None if math.isnan(number) else number
