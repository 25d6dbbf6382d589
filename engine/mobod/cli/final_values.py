"""The last row of a table of results, as text or JSON."""

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.command_output import Output
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


def show_run(
    out: Output, table: "Table", title: str, files: Mapping[str, Path | None], warnings: Sequence[object], **facts: object
) -> None:
    """Print the end of a run: as JSON, or its last row as a table.

    files  that were written, by the entry of the JSON that names them
    facts  further entries of the JSON
    """
    if out.as_json:
        content = {"time": float(table.time[-1]), **facts, "terminated_by": table.terminated_by, "final": final_values(table)}
        paths = {name: None if path is None else str(path) for name, path in files.items()}
        out.json({**content, "units": table.units, **paths, "warnings": warnings})
    elif not out.quiet:
        print_final_values(table, title, [path for path in files.values() if path is not None])


def finite(value: object) -> object:
    """A value for JSON: a number that is not finite becomes text."""
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
