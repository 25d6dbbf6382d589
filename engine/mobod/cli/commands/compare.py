"""The command `mobod compare`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.final_values import finite
from mobod.cli.text_table import print_table

if TYPE_CHECKING:
    from mobod.simulate import Comparison

file_argument = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("first", type=file_argument)
@click.argument("second", type=file_argument)
@click.option("--rtol", default=1e-6, show_default=True, metavar="NUMBER", help="Allowed difference relative to the value of SECOND.")
@click.option("--atol", default=1e-6, show_default=True, metavar="NUMBER", help="Allowed difference in units of the variable, in addition.")
@click.option("--output", "names", multiple=True, metavar="NAME", help="Compare this variable.  [default: all that both files have]")
@output_options
def compare(first: Path, second: Path, rtol: float, atol: float, names: tuple[str, ...], out: Output) -> None:
    """Compare two files of results: .csv, .mat (mobod, Dymola, OpenModelica), .h5 or .hdf5.

    A difference is allowed up to atol + rtol |value in SECOND|. Values between two rows are interpolated linearly. Where a time occurs
    twice, the values before and after the jump are compared separately.

    Exit codes: 0 equal, 1 different, 2 wrong usage or a file without results, 130 interrupted by Ctrl-C.

    \b
    mobod compare run.csv reference.csv --rtol 1e-4 --atol 1e-8
    mobod compare run.mat dsres.mat --output lower.q
    """
    from mobod.simulate.table import Table

    comparison = Table.from_file(first).compare(Table.from_file(second), rtol=rtol, atol=atol, names=names)
    if out.as_json:
        out.json(_as_json(comparison))
    elif not out.quiet:
        _print(comparison, f"{first} and {second}")
    sys.exit(0 if comparison.is_equal else 1)


def _as_json(comparison: "Comparison") -> dict[str, object]:
    return {
        "equal": comparison.is_equal,
        "first_time": comparison.first_time,
        "differences": [
            {
                "name": each.name,
                "unit": each.unit,
                "largest": finite(each.largest),
                "time": each.time,
                "value": finite(each.value),
                "other": finite(each.other),
                "first_time": each.first_time,
            }
            for each in comparison.differences
        ],
        "only_in_first": comparison.only_in_self,
        "only_in_second": comparison.only_in_other,
        "span": comparison.span,
        "other_span": comparison.other_span,
        "points": len(comparison.times),
        "rtol": comparison.rtol,
        "atol": comparison.atol,
    }


def _print(comparison: "Comparison", title: str) -> None:
    print_table(title, comparison.HEADINGS, comparison.rows(), right=comparison.HEADINGS[1:2])
    for note in comparison.notes():
        click.echo(note)
