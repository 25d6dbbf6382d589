"""Tables in notebooks."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

_ENDS = 5  # rows shown at the begin and at the end
_MOST_COLUMNS = 12
_CUT = "\u2026"  # an ellipsis


def html_table(columns: Sequence[tuple[str, str, Any]], n_rows: int) -> str:
    """An HTML table with the first and the last rows.

    columns  (name, unit, values (n_rows,)) of each
    """
    shown = list(columns[:_MOST_COLUMNS])
    left_out = len(columns) - len(shown)
    rows = list(range(n_rows)) if n_rows <= 2 * _ENDS else [*range(_ENDS), None, *range(n_rows - _ENDS, n_rows)]
    more = [_CUT] if left_out else []
    lines = [_row("th", [*(name for name, _, _ in shown), *more])]
    if any(unit for _, unit, _ in shown):
        lines.append(_row("th", [*(unit for _, unit, _ in shown), *more]))
    body = [_row("td", [*(_CUT if row is None else _cell(values[row]) for _, _, values in shown), *more]) for row in rows]
    size = f"{n_rows} rows, {len(columns)} columns" + (f", of which {left_out} are not shown" if left_out else "")
    return f"<table><thead>{''.join(lines)}</thead><tbody>{''.join(body)}</tbody></table><p>{size}</p>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _cell(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
