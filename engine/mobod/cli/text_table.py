"""Tables on the terminal: plain lines, which any terminal and a log file show."""

from collections.abc import Iterable, Sequence
from typing import Any


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]], *, right: Sequence[str] = ()) -> None:
    """right  the headings of the columns that are set flush right"""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left")
    for row in rows:
        table.add_row(*(escape(cell_text(value)) for value in row))
    console = Console()
    console.print(title, style="bold", markup=False, highlight=False)  # not as the table's title, which is wrapped to its width
    console.print(table)


def cell_text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(cell_text(entry) for entry in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)
