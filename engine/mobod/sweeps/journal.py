"""Journal: the finished runs of a sweep in a file beside its table, so that a sweep that was killed goes on where it was."""

import json
import math
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

from mobod.errors import InputError, WriteError

Row = tuple[int, list[float], str]
"""Number of the run from 0, its figures, and the message of its failure or an empty text."""


@final
class Journal:
    """The finished runs, a JSON array and its checksum in each line, after a line that identifies the sweep.

    A line can also have names of figures.

    path         of the file; it is made by the first `add`
    fingerprint  identifies the sweep
    n_runs       number of its runs
    figures      names of the figures, as far as runs gave them

    Lines at the end that are not whole are cut off, as a killed process or a full disk leaves them: their runs are repeated.

    Raises InputError if the file belongs to another sweep, is no journal, or has a damaged line before one that is whole.
    """

    def __init__(self, path: Path, fingerprint: str, n_runs: int) -> None:
        self.path = path
        self._head = json.dumps({"sweep": fingerprint, "lines": "checked"})
        self._n_runs = n_runs
        self.rows: dict[int, Row] = {}
        self.figures: list[str] = []
        if path.is_file():
            self._read()

    def _read(self) -> None:
        content = self.path.read_bytes()
        if b"\n" not in content and not self._head.encode().startswith(content):
            self._refuse_head(content)  # a beginning of the first line is all that a process that was killed may have left
        head, *lines = content.split(b"\n")[:-1] or [b""]  # what follows the last line end is not whole
        if head and head != self._head.encode():
            self._refuse_head(head)
        entries = [self._entry(line) for line in lines]
        n_whole = max((number for number, entry in enumerate(entries, start=1) if entry is not None), default=0)
        for number, entry in enumerate(entries[:n_whole], start=2):
            if entry is None:
                raise InputError(
                    f"'{self.path}', line {number}: it is damaged, and whole lines follow it. Delete the line to repeat its run, or the "
                    "file to repeat all."
                )
            if isinstance(entry, list):
                self.figures = entry
            else:
                self.rows[entry[0]] = entry
        kept = sum(len(line) + 1 for line in (head, *lines[:n_whole])) if head else 0
        if kept < len(content):
            with self.path.open("r+b") as file:
                file.truncate(kept)

    def _refuse_head(self, head: bytes) -> None:
        try:
            is_of_sweep = "sweep" in json.loads(head)
        except (ValueError, TypeError, RecursionError):
            is_of_sweep = False
        if not is_of_sweep:
            raise InputError(f"'{self.path}', line 1: it is not the beginning of the journal of a sweep. Delete or rename the file.")
        raise InputError(
            f"'{self.path}' holds the runs of another sweep, which did not finish: its model, values, options or version of mobod differ. "
            "Repeat that sweep to finish it, or delete the file."
        )

    def _entry(self, line: bytes) -> Row | list[str] | None:
        """The run or the names of figures of a line; None if the line is damaged."""
        text, _, checksum = line.rpartition(b" ")
        if checksum != _checksum(text):
            return None
        try:
            content = json.loads(text)
            if isinstance(content, dict):
                return list(map(str, content["figures"]))
            number, figures, error = content
            is_run = type(number) is int and 0 <= number < self._n_runs and isinstance(error, str)
            return (number, [_from_json(each) for each in figures], error) if is_run else None
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):  # right by its checksum, but not written by a sweep
            return None

    def add(self, rows: Sequence[Row], figures: Sequence[str] = ()) -> None:
        """Add finished runs, and write them. figures: names that runs gave. Raises WriteError."""
        is_new = not self.path.is_file() or self.path.stat().st_size == 0
        lines = [self._head.encode()] if is_new else []
        entries: list[object] = [[number, [_in_json(each) for each in values], error] for number, values, error in rows]
        if len(figures) > len(self.figures):
            self.figures = list(figures)
            entries.insert(0, {"figures": self.figures})
        for entry in entries:
            text = json.dumps(entry).encode()
            lines.append(text + b" " + _checksum(text))
        try:
            with self.path.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in lines))
        except OSError as error:
            raise WriteError(f"'{self.path}' was not written: {error}. The finished runs before stay in it.", error) from error
        self.rows |= {row[0]: row for row in rows}

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def _checksum(text: bytes) -> bytes:
    return f"{zlib.crc32(text):08x}".encode()


def _in_json(number: float) -> float | None:
    """NaN as null. Python writes and reads infinity as Infinity."""
    return None if math.isnan(number) else number


def _from_json(number: Any) -> float:
    """Raises TypeError for anything that is no number."""
    if number is not None and type(number) not in (int, float):
        raise TypeError(f"{number!r} is no number")
    return math.nan if number is None else float(number)
