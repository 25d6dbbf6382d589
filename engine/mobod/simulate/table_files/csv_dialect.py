"""How a CSV file is written: what separates its cells, which line has the names, and what its numbers look like."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
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
    def of(cls, lines: Iterable[str]) -> tuple[Self, Iterator[str]]:
        """By the first line that is not empty and no comment, or by the comment before it; and the lines without comments.

        An empty line is in place of each comment, so that the numbers of lines stay.
        """
        head: list[str] = []
        rest = iter(lines)
        comment: tuple[int, str] | None = None
        dialect = cls(",", 0)
        for line in rest:
            head.append(line)
            if _is_comment(line):
                comment = len(head) - 1, _uncommented(line)
            elif line.strip():
                own, of_comment = _separator(line), None if comment is None else _separator(comment[1])
                if own is None and of_comment is not None and comment is not None:
                    dialect = cls(of_comment, comment[0])
                else:
                    dialect = cls(own or ",", len(head) - 1)
                break
        return dialect, dialect._without_comments(chain(head, rest))

    def _without_comments(self, lines: Iterable[str]) -> Iterator[str]:
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
