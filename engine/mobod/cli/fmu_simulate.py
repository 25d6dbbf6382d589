"""`mobod simulate` of an FMU."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.final_values import final_values, print_final_values
from mobod.cli.fmu_options import ended_by_sigterm
from mobod.cli.models.model import Model
from mobod.cli.options import two_sides
from mobod.cli.picture import write_plot
from mobod.cli.shown_warnings import shown_warnings
from mobod.errors import MobodError
from mobod.progress import progress_bar

if TYPE_CHECKING:
    from mobod.fmi.log_file import LogFile
    from mobod.importer.run import FmuRun
    from mobod.simulate.table import Table


def simulate_fmu(
    model: Model,
    settings: tuple[str, ...],
    input_path: Path | None,
    outputs: tuple[str, ...],
    csv_path: Path | None,
    plot_path: Path | None,
    *,
    as_json: bool,
    quiet: bool,
    log: "LogFile | None",
    **options: Any,
) -> None:
    """Run the FMU, and write and print what is wanted.

    options  of FmuRun: interface, until, step, report_every, accuracy

    Raises MobodError. The CSV file then contains the rows before the error.
    """
    from mobod.importer.input_table import read_input_table
    from mobod.importer.run import FmuRun
    from mobod.importer.start_values import StartValues

    fmu, warnings = model.fmu(as_json=as_json)
    start = StartValues(fmu)
    for setting in settings:
        start.set(*two_sides("--set", setting))
    inputs = None if input_path is None else read_input_table(input_path)
    with shown_warnings(as_json=as_json) as of_inputs:
        run = FmuRun(fmu, start, inputs, outputs=outputs, **options)
    warnings += of_inputs
    table = _run(run, csv_path, log, show_progress=not (quiet or as_json))
    if csv_path is not None:
        table.to_csv(csv_path)
    if plot_path is not None:
        _plot(table, fmu.name, plot_path)
    if as_json:
        shown = {
            "time": float(table.time[-1]),
            "interface": run.interface,
            "steps": run.steps,
            "evaluations": run.evaluations,
            "terminated_by": table.terminated_by,
            "final": final_values(table),
            "units": table.units,
            "csv": None if csv_path is None else str(csv_path),
            "plot": None if plot_path is None else str(plot_path),
            "warnings": warnings,
        }
        click.echo(json.dumps(shown, indent=2, allow_nan=False))
    elif not quiet:
        ended = "" if table.terminated_by is None else ", where the FMU ended the run"
        title = f"{fmu.name} at {table.time[-1]:g} s, after {run.steps} steps of {run.interface}{ended}"
        print_final_values(table, title, [path for path in (csv_path, plot_path) if path is not None])


def _run(run: "FmuRun", csv_path: Path | None, log: "LogFile | None", *, show_progress: bool) -> "Table":
    with ended_by_sigterm(), progress_bar(f"{run.model.name} until {run.stop:g} s", wanted=show_progress) as progress:
        try:
            return run.run(progress, log=log)
        except (MobodError, KeyboardInterrupt, SystemExit):
            table = run.recorded
            if csv_path is not None and table is not None and len(table.time):
                table.to_csv(csv_path)
                click.echo(f"{csv_path} holds the {len(table.time)} rows until {table.time[-1]:.12g} s.", err=True)
            raise


def _plot(table: "Table", title: str, path: Path) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")  # write a file, open no window
    write_plot(table.plot(), title, path)
