"""The command `mobod sweep`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.models.model import Model, model_options
from mobod.cli.models.settings import system_option
from mobod.cli.options import OutputFile, interface_option, two_sides
from mobod.cli.shown_warnings import shown_warnings
from mobod.progress import progress_bar

if TYPE_CHECKING:
    from mobod.sweeps import SweepTable

FAILURES_SHOWN = 5


@click.command()
@model_options(fmus="by path")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUES",
    help="The values of a parameter, an input or a start value. FIRST:LAST:COUNT or 1,2,5: a grid; normal(0,2), uniform(a,b), "
    "lognormal(m,s), triangular(a,mode,b), exponential(mean): samples. Repeatable: every point of the grid is combined with every sample.",
)
@click.option("--runs", type=int, metavar="N", help="Number of samples of distributions.")
@click.option(
    "--method",
    type=click.Choice(["random", "latin", "sobol", "halton"]),
    default="random",
    show_default=True,
    help="How distributions are sampled; latin: Latin hypercube.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the samples.")
@click.option("--until", type=float, metavar="SECONDS", help="End of each run.  [default for an FMU: that of its default experiment]")
@click.option(
    "--figure",
    "figures",
    multiple=True,
    metavar="NAME",
    help="What the table has of a run: lower.q or lower.p_GB[2], at its end; max(lower.q), min(..), mean(..), rms(..), over its rows. "
    "Repeatable.  [default: all states, or the outputs of an FMU, at the end]",
)
@click.option("--report-every", type=float, metavar="SECONDS", help="Interval of the rows for max and others.  [default: a 500th]")
@click.option("--accuracy", type=float, help="Relative tolerance of the integration.")
@system_option("--integrator", metavar="NAME", help="Of a System; see `mobod simulate --help`.")
@click.option("--step", type=float, metavar="SECONDS", help="Of an FMU: the communication step. Of a System: the size of fixed steps.")
@interface_option
@click.option("--processes", type=int, metavar="N", help="[default: one for each core]")
@click.option("--cluster", metavar="ADDRESS", help="Use a Dask cluster, tcp://host:port, instead of processes (extra `sweep`).")
@click.option("-o", "--out", "path", type=OutputFile(), required=True, metavar="FILE", help="The table: .csv or .parquet.")
@output_options
def sweep(
    model: Model,
    settings: tuple[str, ...],
    runs: int | None,
    method: Literal["random", "latin", "sobol", "halton"],
    seed: int,
    until: float | None,
    figures: tuple[str, ...],
    report_every: float | None,
    accuracy: float | None,
    integrator: str | None,
    step: float | None,
    interface: str | None,
    processes: int | None,
    cluster: str | None,
    path: Path,
    out: Output,
) -> None:
    """Simulate a MODEL or an FMU with many values, and write a table with a row for each run.

    Finished runs are kept in FILE.unfinished. If the sweep is interrupted or killed, the same command goes on where it was. A run that
    fails has its message in the last column.

    Exit codes: 0 all runs succeeded, 1 some failed, 2 wrong usage, 130 interrupted by Ctrl-C.

    \b
    mobod sweep arm.urdf --set gravity.magnitude=1:20:50 --until 5 --out table.csv
    mobod sweep plant.fmu --set "motor.force=normal(0,2)" --runs 1000 --method latin --figure "max(lower.q)" --out table.parquet
    """
    given: dict[str, Any] = {"accuracy": accuracy, "integrator": integrator, "step": step, "interface": interface}
    values = _values(settings)
    from mobod.sweeps import sweep as run_sweep

    with (
        shown_warnings(as_json=out.as_json),
        progress_bar(f"sweep of {Path(model.text).name}", wanted=not out.is_silent) as progress,
    ):
        table = run_sweep(
            model.text if model.is_fmu else model.system(),
            values,
            until=until,
            figures=list(figures) or None,
            runs=runs,
            method=method,
            seed=seed,
            report_every=report_every,
            processes=processes,
            cluster=cluster,
            file=path,
            progress=progress,
            **{name: value for name, value in given.items() if value is not None},
        )
    if out.as_json:
        failed = [{"run": number, "error": message} for number, message in table.failed]
        out.json({"table": str(path), "runs": len(table), "columns": list(table), "failed": failed})
    elif not out.quiet:
        _print(table, path)
    if table.failed:
        raise SystemExit(1)


def _values(settings: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for setting in settings:
        name, text = two_sides("--set", setting)
        if name in values:
            raise click.UsageError(f"--set {setting}: '{name}' was set before.")
        values[name] = text
    if not values:
        raise click.UsageError("nothing varies: give --set NAME=VALUES, such as --set gravity.magnitude=1:20:50.")
    return values


def _print(table: "SweepTable", path: Path) -> None:
    click.echo(f"wrote {path}: {len(table)} runs, {len(table.failed)} failed")
    click.echo(f"columns: run, {', '.join(table)}, error")
    for number, message in table.failed[:FAILURES_SHOWN]:
        click.echo(f"run {number} failed: {message}")
    if len(table.failed) > FAILURES_SHOWN:
        click.echo(f"and {len(table.failed) - FAILURES_SHOWN} more; the column 'error' has all")
