"""`mobod simulate` of an FMU."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.command_output import Output
from mobod.cli.final_values import show_run
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
    out: Output,
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

    fmu, warnings = model.fmu(as_json=out.as_json)
    start = StartValues(fmu)
    for setting in settings:
        start.set(*two_sides("--set", setting))
    inputs = None if input_path is None else read_input_table(input_path)
    with shown_warnings(as_json=out.as_json) as of_inputs:
        run = FmuRun(fmu, start, inputs, outputs=outputs, **options)
    warnings += of_inputs
    table = _run(run, csv_path, log, show_progress=not out.is_silent)
    if csv_path is not None:
        table.to_csv(csv_path)
    if plot_path is not None:
        write_plot(table.plot, fmu.name, plot_path)
    ended = "" if table.terminated_by is None else ", where the FMU ended the run"
    title = f"{fmu.name} at {table.time[-1]:g} s, after {run.steps} steps of {run.interface}{ended}"
    facts = {"interface": run.interface, "steps": run.steps, "evaluations": run.evaluations}
    show_run(out, table, title, {"csv": csv_path, "plot": plot_path}, warnings, **facts)


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
