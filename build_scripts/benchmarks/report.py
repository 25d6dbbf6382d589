"""What the benchmark prints, keeps and writes into pages: lines, JSON and tables in Markdown."""

import json
import os
import platform
import re
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.harness import Row

_PEERS = {
    "Pinocchio": "pin",
    "MuJoCo": "mujoco",
    "Gymnasium": "gymnasium",
    "libcosim": "libcosimpy",
    "Ecos": "ecospy",
}  # -> name of the distribution
_ERROR = "error of "  # and the name of a cost: a figure of its row
_MARKED = re.compile(r"(<!-- benchmark: (.+?) -->\n).*?(<!-- end of benchmark -->)", re.DOTALL)


def line(row: Row) -> str:
    """A row as it is printed."""
    parts = [f"{name} {cost_text(row, cost)}" for name, cost in row.costs.items()]
    parts += [f"{name} {ratio_text(ratio)}" for name, ratio in row.ratios.items()]
    parts += [f"{name} {figure_text(figure)}" for name, figure in row.figures.items()]
    parts += [f"{name} {why}" for name, why in row.missing.items()]
    return f"  {row.title:52}  " + "   ".join(parts)


def cost_text(row: Row, cost: float) -> str:
    """With its unit and three digits."""
    if row.unit != "us":
        return f"{cost:.1f} {row.unit}"
    unit, scale = next(((name, scale) for name, scale in (("us", 1.0), ("ms", 1e3)) if abs(cost) < 1000 * scale), ("s", 1e6))
    value = cost / scale
    return f"{value:.{max(0, 2 - (abs(value) >= 10) - (abs(value) >= 100))}f} {unit}"


def figure_text(figure: float) -> str:
    """With four digits; large numbers as whole ones."""
    return f"{figure:,.0f}" if figure >= 1e4 else f"{figure:.4g}"


def ratio_text(ratio: float) -> str:
    """With two digits at least."""
    return f"{ratio:.2f}" if 0.1 <= ratio < 10 else f"{ratio:.2g}" if ratio < 0.1 else f"{ratio:.1f}"


def machine() -> str:
    """The conditions of a measurement in words."""
    peers = []
    for name, distribution in _PEERS.items():
        try:
            peers.append(f"{name} {version(distribution)}")
        except PackageNotFoundError:
            continue
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{date.today()}, {_processor()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}" + "".join(
        f", {each}" for each in peers
    )


def _processor() -> str:
    cpus = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpus.read_text()) if cpus.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def as_json(rows: list[Row], conditions: dict[str, str]) -> str:
    """conditions: by group."""
    return json.dumps({"conditions": conditions, "rows": [asdict(row) for row in rows]}, indent=2) + "\n"


def from_json(text: str) -> tuple[list[Row], dict[str, str]]:
    stored = json.loads(text)
    return [Row(**each) for each in stored["rows"]], stored["conditions"]


def tables(rows: list[Row]) -> str:
    """Tables in Markdown of rows of one group: a row whose columns are all in a table, or the reverse, is in this table. Rows that have an
    error for each cost are the columns of one table.
    """
    if all(set(row.figures) == {f"{_ERROR}{name}" for name in row.costs} for row in rows):
        return _table_of_errors(rows)
    parts: list[list[Row]] = []
    for row in rows:
        columns = set(row.costs)
        part = next((part for part in parts if any(columns <= set(each.costs) or columns >= set(each.costs) for each in part)), None)
        if part is None:
            parts.append(part := [])
        part.append(row)
    return "\n\n".join(map(_table, parts))


def _table(rows: list[Row]) -> str:
    costs = list(dict.fromkeys(name for row in rows for name in row.costs))
    ratios = list(dict.fromkeys(name for row in rows for name in row.ratios))
    figures = list(dict.fromkeys(name for row in rows for name in row.figures))
    lines = [["", *costs, *ratios, *figures]]
    for row in rows:
        lines.append(
            [
                row.title,
                *(cost_text(row, row.costs[name]) if name in row.costs else "" for name in costs),
                *(ratio_text(row.ratios[name]) if name in row.ratios else "" for name in ratios),
                *(figure_text(row.figures[name]) if name in row.figures else "" for name in figures),
            ]
        )
    return _markdown(lines)


def _table_of_errors(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row.costs))
    lines = [["", *(row.title for row in rows)]]
    for name in names:
        cells = [f"{cost_text(row, row.costs[name])}, {row.figures[_ERROR + name]:.1e}" if name in row.costs else "" for row in rows]
        lines.append([name, *cells])
    return _markdown(lines)


def _markdown(lines: list[list[str]]) -> str:
    head, *body = (f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |") for cells in lines)
    return "\n".join([head, "|" + "---|" * len(lines[0]), *body])


def with_tables(page: str, rows: list[Row], conditions: dict[str, str]) -> str:
    """The text of a page with the tables of the groups that were measured between their markers."""

    def marked(match: re.Match[str]) -> str:
        group = match[2]
        of_group = [row for row in rows if row.group == group]
        if not of_group:
            return match[0]
        return f"{match[1]}\n{tables(of_group)}\n\nMeasured: {conditions[group]}.\n\n{match[3]}"

    return _MARKED.sub(marked, page)
