"""The last row of a table of results, as text or JSON."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.text_table import print_table

if TYPE_CHECKING:
    from mobod.simulate.table import Table

ROWS_ON_A_SCREEN = 20


def final_values(table: "Table") -> dict[str, object]:
    """The last row for JSON. A value that is not finite, which JSON does not have, becomes text."""
    return {name: finite(table[name].tolist()[-1]) for name in table}


def print_final_values(table: "Table", title: str, written: Sequence[Path]) -> None:
    """Print the last row as a table, and the names of written files. A terminal shows only the first lines of a long table, a file or pipe
    gets all.
    """
    shown = list(table)[: ROWS_ON_A_SCREEN if sys.stdout.isatty() else None]
    rows = [(name, table[name].tolist()[-1], table.units.get(name, "")) for name in shown]
    print_table(title, ("variable", "value", "unit"), rows, right=("value",))
    if len(table) > len(shown):
        click.echo(f"and {len(table) - len(shown)} more, which --json shows")
    for path in written:
        click.echo(f"wrote {path}")


def finite(value: object) -> object:
    """A value for JSON: a number that is not finite becomes text."""
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
