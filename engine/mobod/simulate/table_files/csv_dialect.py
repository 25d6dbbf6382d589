"""How a CSV file is written: what separates its cells, which line has the names, and what its numbers look like."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Self, final

_SEPARATORS = (",", ";", "\t")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@final
@dataclass(frozen=True)
class CsvDialect:
    """separator  ',', ';' or a tab
    header        number of the line with the names, from 0 on; as a comment, '# time,u', if no other line has them
    """

    separator: str
    header: int

    @classmethod
    def of(cls, path: str | PathLike[str]) -> Self:
        """By the first line that is not empty and no comment, or by the comment before it. Raises OSError, UnicodeDecodeError."""
        comment: tuple[int, str] | None = None
        with open(path, encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file):
                if _is_comment(line):
                    comment = number, _uncommented(line)
                elif line.strip():
                    own = _separator(line)
                    if own is None and comment is not None and (of_comment := _separator(comment[1])) is not None:
                        return cls(of_comment, comment[0])
                    return cls(own or ",", number)
        return cls(",", 0)

    def lines(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines of the file with an empty one in place of each comment, so that their numbers stay."""
        for number, line in enumerate(lines):
            if not _is_comment(line):
                yield line
            else:
                yield _uncommented(line) if number == self.header else "\n"

    def number(self, cell: str) -> str:
        """A cell that is to be a number, with a decimal point. Between semicolons or tabs it may have a comma."""
        return cell.replace(",", ".") if self.separator != "," and _DECIMAL_COMMA.fullmatch(cell) else cell


def _is_comment(line: str) -> bool:
    return line.lstrip(" \t\ufeff").startswith("#")


def _uncommented(line: str) -> str:
    return line.lstrip(" \t\ufeff").lstrip("#").lstrip(" ")


def _separator(line: str) -> str | None:
    """What separates the cells of a line that begins with time; None if it does not begin so."""
    for separator in _SEPARATORS:
        cells = next(csv.reader([line.lstrip("\ufeff")], delimiter=separator, skipinitialspace=True), [])
        if len(cells) > 1 and cells[0].strip().lower() == "time":
            return separator
    return None
