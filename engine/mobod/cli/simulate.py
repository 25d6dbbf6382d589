"""The command `mobod simulate`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.failure import errors_as_messages
from mobod.cli.final_values import final_values, print_final_values
from mobod.cli.model import apply_settings, load_system
from mobod.cli.options import (
    OutputFile,
    debug_option,
    engagement_option,
    imports_option,
    json_option,
    model_argument,
    position_iterations_option,
    quiet_option,
    set_option,
    step_option,
    strict_option,
    urdf_option,
)
from mobod.cli.progress import progress_bar
from mobod.whole_file import whole_file

if TYPE_CHECKING:
    from mobod.simulate import Results
    from mobod.simulate.velocity_level.fixed_steps import EngagementRule

POINTS_OF_PLOT = 500


@click.command()
@model_argument
@urdf_option
@strict_option
@imports_option
@click.option("--until", default=1.0, show_default=True, metavar="SECONDS", help="End of the run, which starts at 0.")
@click.option("--accuracy", default=1e-6, show_default=True, metavar="NUMBER", help="Bound of the error of each step, relative to 1 + |y|.")
@click.option(
    "--integrator",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="auto, RK45, DOP853, RK23, or Rodas5P for stiff systems; with fixed steps: RK4, SemiImplicitEuler, and velocity_level for "
    "limits and impacts.",
)
@step_option
@engagement_option
@position_iterations_option
@click.option(
    "--report-every",
    type=float,
    metavar="SECONDS",
    help="Interval of the recorded points.  [default: each step, or with --plot a 500th of the run]",
)
@set_option
@click.option("--output", "outputs", multiple=True, metavar="NAME", help="Record this variable.  [default: all states]")
@click.option("-o", "--csv", "csv_path", type=OutputFile(), help="Write all recorded values to a CSV file.")
@click.option(
    "--plot", "plot_path", type=OutputFile(), help="Plot them, or all coordinates if no --output is given, into a PNG, SVG or PDF."
)
@json_option
@quiet_option
@debug_option
def simulate(
    model: str,
    urdf_settings: tuple[str, ...],
    strict: bool,
    allow_imports: bool,
    until: float,
    accuracy: float,
    integrator: str,
    step: float | None,
    engagement: "EngagementRule | None",
    position_iterations: int | None,
    report_every: float | None,
    settings: tuple[str, ...],
    outputs: tuple[str, ...],
    csv_path: Path | None,
    plot_path: Path | None,
    as_json: bool,
    quiet: bool,
    debug: bool,
) -> None:
    """Simulate a MODEL.

    \b
    mobod simulate pendulum.py:build --until 5 --report-every 0.01 \\
        --set upper.q=0.4 --output lower.q --output energy -o run.csv --plot run.png
    """
    found: list[dict[str, Any]] = []
    with errors_as_messages(debug):
        _check_plot(plot_path)
        system = load_system(model, urdf_settings, strict=strict, allow_imports=allow_imports, found=found if as_json else None)
        from mobod.simulate import Simulation

        state = system.realize_topology()
        apply_settings(system, state, settings)
        for name in outputs:
            system.variable(state, name)
        with progress_bar(f"{system.name} until {until:g} s", wanted=not (quiet or as_json)) as progress:
            simulation = Simulation(
                system, accuracy, integrator=integrator, step=step, engagement=engagement, position_iterations=position_iterations
            )
            if report_every is None and plot_path is not None and step is None and until > 0:
                report_every = until / POINTS_OF_PLOT  # plots of long steps would have corners
            results = simulation.run(state, until, report_every, progress=progress)
        table = results.table(*outputs)
        if csv_path is not None:
            table.to_csv(csv_path)
        if plot_path is not None:
            _plot(results, outputs, plot_path)
    if as_json:
        shown = {
            "time": float(results.time[-1]),
            "steps": results.steps,
            "evaluations": results.evaluations,
            "terminated_by": results.terminated_by,
            "final": final_values(table),
            "units": table.units,
            "csv": None if csv_path is None else str(csv_path),
            "plot": None if plot_path is None else str(plot_path),
            "warnings": found,
        }
        click.echo(json.dumps(shown, indent=2, allow_nan=False))
    elif not quiet:
        ended = "" if results.terminated_by is None else f", where '{results.terminated_by}' ended the run"
        title = f"{system.name} at {results.time[-1]:g} s, after {results.steps} steps{ended}"
        print_final_values(table, title, [path for path in (csv_path, plot_path) if path is not None])


def _check_plot(path: Path | None) -> None:
    if path is None:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = sorted(FigureCanvasAgg.filetypes)
    if path.suffix[1:].lower() not in known:
        raise click.UsageError(f"--plot {path}: the file name must end with the type of picture: {', '.join(known)}.")


def _plot(results: "Results", outputs: tuple[str, ...], path: Path) -> None:
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")  # write a file, open no window
    results.plot(*outputs).set_title(results.system.name, parse_math=False)
    try:
        with whole_file(path) as temporary:
            pyplot.savefig(temporary, format=path.suffix[1:].lower())
    finally:
        pyplot.close()
