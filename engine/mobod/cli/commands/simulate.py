"""The command `mobod simulate`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.final_values import show_run
from mobod.cli.fmu_options import log_options, read_log
from mobod.cli.fmu_simulate import simulate_fmu
from mobod.cli.models.model import Model, model_options
from mobod.cli.models.settings import system_option
from mobod.cli.options import (
    IntegrationOptions,
    OutputFile,
    csv_option,
    interface_option,
    numerics_options,
    set_option,
)
from mobod.cli.picture import check_plot, write_plot
from mobod.progress import progress_bar
from mobod.runtime.integrator_names import FIXED_STEP_METHODS, METHODS, Integrator

if TYPE_CHECKING:
    from mobod.fmi.loading import Interface

POINTS_OF_PLOT = 500


@click.command()
@model_options(fmus="run")
@click.option(
    "--until",
    type=float,
    metavar="SECONDS",
    help="End of the run, which starts at 0.  [default: 1; of an FMU, start and end of its default experiment]",
)
@click.option(
    "--accuracy",
    type=float,
    metavar="NUMBER",
    help="Bound of the error of each step, relative to scale and size; of an FMU, its tolerance.  [default: 1e-7, or the FMU's own]",
)
@system_option(
    "--integrator",
    metavar="NAME",
    help=f"Of a System: auto, which suits stiff systems too; {', '.join(METHODS)}: under error control; {', '.join(FIXED_STEP_METHODS)}: "
    "fixed steps; velocity_level: fixed steps, for limits and impacts.  [default: auto]",
)
@interface_option
@click.option(
    "--step",
    type=float,
    metavar="SECONDS",
    help=f"Of {', '.join(FIXED_STEP_METHODS)} and velocity_level, which need it: the size of a step. Of an FMU for "
    "co-simulation: time between two communication points.  [default of an FMU: that of its default experiment, or a 500th of the run]",
)
@numerics_options
@click.option(
    "--report-every",
    type=float,
    metavar="SECONDS",
    help="Interval of the recorded points.  [default: each step, or with --plot a 500th of the run]",
)
@set_option
@click.option(
    "--input",
    "input_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Of an FMU: values of inputs over time, a CSV file whose first column is time, with a line of names.",
)
@click.option("--output", "outputs", multiple=True, metavar="NAME", help="Record this variable.  [default: all states; of an FMU, outputs]")
@csv_option
@click.option(
    "--plot", "plot_path", type=OutputFile(), help="Plot the outputs, or all coordinates if no --output is given, to a PNG, SVG or PDF."
)
@log_options
@output_options
def simulate(
    model: Model,
    until: float | None,
    accuracy: float | None,
    integrator: Integrator | None,
    interface: "Interface | None",
    step: float | None,
    numerics: IntegrationOptions,
    report_every: float | None,
    settings: tuple[str, ...],
    input_path: Path | None,
    outputs: tuple[str, ...],
    csv_path: Path | None,
    plot_path: Path | None,
    log_path: Path | None,
    log_categories: tuple[str, ...],
    log_level: str,
    log_limit: str,
    out: Output,
) -> None:
    """Simulate a MODEL: a System, or an FMU of any tool.

    \b
    mobod simulate pendulum.py:build --until 5 --report-every 0.01 \\
        --set upper.q=0.4 --output lower.q --output energy -o run.csv --plot run.png
    mobod simulate plant.fmu --set friction.damping=0.1 --input motor.csv -o run.csv

    FMUs run in a process of their own, as in `mobod cosim`.

    Exit codes: 0 good, 1 the run failed, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    from mobod.runtime.integrators import DEFAULT_ACCURACY
    from mobod.simulate import Simulation

    if model.is_fmu:
        check_plot(plot_path)
        simulate_fmu(
            model,
            settings,
            input_path,
            outputs,
            csv_path,
            plot_path,
            out=out,
            log=read_log(log_path, log_categories, log_level, log_limit),
            interface=interface,
            until=until,
            step=step,
            report_every=report_every,
            accuracy=accuracy,
        )
        return
    if input_path is not None:
        raise click.UsageError(
            f"--input applies only to FMUs, and MODEL '{model.text}' is none. Export it with the inputs: mobod export {model.text} "
            "-o model.fmu "
            "--input NAME --output NAME."
        )
    until = 1.0 if until is None else until
    check_plot(plot_path)
    system, state = model.system_and_state(settings, as_json=out.as_json)
    for name in outputs:
        system.variable(state, name)
    with progress_bar(f"{system.name} until {until:g} s", wanted=not out.is_silent) as progress:
        simulation = Simulation(
            system,
            DEFAULT_ACCURACY if accuracy is None else accuracy,
            integrator=integrator,
            step=step,
            **numerics,
        )
        if report_every is None and plot_path is not None and step is None and until > 0:
            report_every = until / POINTS_OF_PLOT  # plots of long steps would have corners
        results = simulation.run(state, until, report_every, progress=progress)
    table = results.table(*outputs)
    if csv_path is not None:
        table.to_csv(csv_path)
    if plot_path is not None:
        write_plot(lambda: results.plot(*outputs), system.name, plot_path)
    ended = "" if results.terminated_by is None else f", where '{results.terminated_by}' ended the run"
    title = f"{system.name} at {results.time[-1]:g} s, after {results.steps} steps{ended}"
    files = {"csv": csv_path, "plot": plot_path}
    show_run(out, table, title, files, model.warnings, steps=results.steps, evaluations=results.evaluations)
