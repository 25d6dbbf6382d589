"""Tables on the terminal as plain lines, which any terminal and a log file can show. No cell is cut."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[str] = ()) -> None:
    """Print a table, in full width to a file or a pipe.

    In a terminal that is too narrow, the columns after the first wrap between words. If this is not enough, a list replaces the table.

    right  the headings of right-aligned columns
    """
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    texts = [[cell_text(value) for value in row] for row in rows]
    table = Table(box=SIMPLE_HEAD)
    for number, heading in enumerate(headings):
        words = [word for text in (heading, *(row[number] for row in texts)) for word in text.split()]
        longest = max(map(cell_len, words), default=0)  # Rich would cut it to leave more room for other columns
        table.add_column(heading, justify="right" if heading in right else "left", no_wrap=number == 0, min_width=longest)
    for row in texts:
        table.add_row(*map(escape, row))
    console = Console()
    _print_line(console, title, style="bold")  # not as the table's title, which is wrapped to the table's width
    needed = console.measure(table, options=console.options.update(width=_UNLIMITED))
    if not console.is_terminal:
        console.width = needed.maximum
    if needed.minimum <= console.width:
        console.print(table)
        return
    widest = max(map(len, headings[1:]), default=0)
    for name, *others in texts:
        _print_line(console, f"  {name}")
        for heading, text in zip(headings[1:], others, strict=True):
            if text:
                _print_line(console, f"    {heading:<{widest}}  {text}")
    console.print()


_UNLIMITED = 1_000_000  # characters: wider than any table


def _print_line(console: "Console", text: str, style: str | None = None) -> None:
    """Print one line for any width of the terminal."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def cell_text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(cell_text(entry) for entry in value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)
