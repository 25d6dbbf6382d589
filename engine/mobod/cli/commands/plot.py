"""The command `mobod plot`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.options import OutputFile
from mobod.cli.picture import check_plot, write_plot

if TYPE_CHECKING:
    from mobod.simulate.plot import Curve


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE...")
@click.option(
    "--output", "names", multiple=True, metavar="NAME", help="Plot this variable; `p` is all entries of a vector.  [default: all]"
)
@click.option("-o", "--out", "--plot", "path", type=OutputFile(), help="Write a PNG, SVG or PDF.  [default: show a window]")
@output_options
def plot(files: tuple[Path, ...], names: tuple[str, ...], path: Path | None, out: Output) -> None:
    """Plot results over time from .csv, .mat (mobod, Dymola, OpenModelica), .h5 or .hdf5 files, with separate axes for each unit.

    Of several files, each NAME that any of them has is plotted. Parameters are plotted only by name. A CSV file has no units; variables of
    the same name in other files give theirs. To plot the run of a model, use `mobod simulate MODEL --plot run.png`.

    \b
    mobod plot run.csv --output lower.q -o run.png
    mobod plot run.mat dsres.mat --output lower.q
    """
    check_plot(path)
    from matplotlib import pyplot

    from mobod.simulate.plot import plot_curves

    curves = _curves(files, names)
    title = ", ".join(file.name for file in files)
    if path is None:
        axes = plot_curves(curves)
        if axes.figure.canvas.required_interactive_framework is None:
            raise click.UsageError("there is no display for a window. Write a picture: -o run.png")
        axes.set_title(title, parse_math=False)
        pyplot.show()
    else:
        write_plot(lambda: plot_curves(curves), title, path)
    if out.as_json:
        shown = {"plot": None if path is None else str(path), "curves": [{"name": each.label, "unit": each.unit} for each in curves]}
        out.json(shown)
    elif path is not None and not out.quiet:
        click.echo(f"wrote {path}")


def _curves(files: Sequence[Path], names: Sequence[str]) -> "list[Curve]":
    """The curves of all files; those of several files have the file in their label.

    Raises InputError for a file that cannot be read; UnknownNameError for a name that no file has.
    """
    from mobod.simulate.column import chosen_names
    from mobod.simulate.table import Table

    tables = [Table.from_file(file) for file in files]
    known = [[column.name for column in table.flat() if names or not (column.is_parameter or column.is_text)] for table in tables]
    chosen = chosen_names("variable of the file" + "s" * (len(files) > 1), names, dict.fromkeys(chain(*known))) if names else None
    units = {column.name: column.unit for table in tables for column in table.flat() if column.unit is not None}
    for table in tables:  # those of CSV files have none
        table.units |= {name: units[name] for name in table if name in units}
    curves = []
    for file, table, own in zip(files, tables, known, strict=True):
        shown = own if chosen is None else [name for name in chosen if name in own]
        found = table.curves(*shown) if shown else []
        curves += [replace(curve, label=f"{curve.label} ({file})") for curve in found] if len(files) > 1 else found
    return curves
