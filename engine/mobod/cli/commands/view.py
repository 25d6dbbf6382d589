"""The command `mobod view`."""

import re
import webbrowser
from pathlib import Path
from typing import Any

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.models.model import Model, model_options
from mobod.cli.models.settings import fmu_option, system_option
from mobod.cli.options import IntegrationOptions, OutputFile, numerics_options, set_option, two_sides
from mobod.progress import progress_bar
from mobod.runtime.integrator_names import Integrator

DEFAULT_SPAN = 10.0  # s
FRAMES_PER_SECOND = 60.0


@click.command()
@model_options(fmus="run")
@click.option(
    "-o", "--out", "path", type=OutputFile(), help="Write the page; .png and .mp4 are a picture and a film of it.  [default: NAME.html]"
)
@click.option(
    "--until",
    type=float,
    metavar="SECONDS",
    help="End of the run, which starts at 0.  [default: 10; of an FMU, that of its default experiment]",
)
@click.option("--accuracy", type=float, metavar="NUMBER", help="As of `mobod simulate`.")
@system_option("--integrator", metavar="NAME", help="Of a System; see `mobod simulate --help`.")
@system_option("--step", type=float, metavar="SECONDS", help="Of a System: the size of fixed steps.")
@numerics_options
@set_option
@click.option(
    "--output",
    "names",
    multiple=True,
    metavar="NAME",
    help="Plot this variable at first.  [default: the coordinates; of an FMU, its outputs]",
)
@fmu_option(
    "--csv",
    "csv",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Of an FMU: show this result file (.csv, .mat, .h5), and do not run it.",
)
@system_option(
    "--live",
    is_flag=True,
    help="Make a page that runs the model itself, with sliders for parameters and inputs.",
)
@click.option("--open/--no-open", "opens", default=None, help="Show the page in a browser.  [default: if there is neither -o nor --json]")
@output_options
def view(
    model: Model,
    path: Path | None,
    until: float | None,
    accuracy: float | None,
    integrator: Integrator | None,
    step: float | None,
    numerics: IntegrationOptions,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    csv: Path | None,
    live: bool,
    opens: bool | None,
    out: Output,
) -> None:
    """Make a page of a run of a MODEL: 3-D, a play bar and plots in one HTML file that works offline.

    With --live the page runs the model itself: the C runtime as WebAssembly. Drag a body with the pointer to pull it.

    An FMU of mobod has its bodies in it; of other FMUs there are plots alone.

    \b
    mobod view arm.urdf --set shoulder.q=0.5 --until 3
    mobod view arm.urdf --live -o arm.html
    mobod view boxes.py:build --integrator velocity_level --step 0.005
    mobod view plant.fmu --csv run.csv -o plant.html
    """
    from mobod.runtime.integrators import DEFAULT_ACCURACY
    from mobod.viewer.write import check_page_name, write_page

    if path is not None:
        check_page_name(path)
    if model.is_fmu:
        title, page = _page_of_fmu(model, settings, names, csv, until, accuracy, quiet=out.is_silent)
    else:
        options = {"accuracy": DEFAULT_ACCURACY if accuracy is None else accuracy, "integrator": integrator, "step": step, **numerics}
        title, page = _page_of_system(model, settings, names, until, options, live=live, quiet=out.is_silent)
    written = Path(re.sub(r"[^\w.-]", "_", title) + ".html") if path is None else path
    write_page(page, written)
    if out.as_json:
        out.json({"page": str(written), "bytes": written.stat().st_size, "title": title, "live": live})
    elif not out.quiet:
        click.echo(f"wrote {written} ({written.stat().st_size / 1000:.0f} kB)")
    if opens if opens is not None else path is None and not out.as_json:
        webbrowser.open(written.resolve().as_uri())


def _page_of_system(
    model: Model,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    until: float | None,
    options: dict[str, Any],
    *,
    live: bool,
    quiet: bool,
) -> tuple[str, str]:
    """The title and the HTML. options: of the integration"""
    from mobod.simulate import Simulation
    from mobod.viewer.run_page import run_page

    system, state = model.system_and_state(settings)
    for name in names:
        system.variable(state, name)
    if live:
        if until is not None:
            raise click.UsageError("--until has no meaning with --live: the page runs the model until it is closed.")
        from mobod.viewer.live_page import live_page

        return system.name, live_page(system, state, names, **options)
    until = DEFAULT_SPAN if until is None else until
    simulation = Simulation(system, **options)
    every = 1 / FRAMES_PER_SECOND
    if step := simulation.options.step:  # values are known at the ends of fixed steps
        every = step * max(1, round(every / step))
    with progress_bar(f"{system.name} until {until:g} s", wanted=not quiet) as progress:
        results = simulation.run(state, until, every, progress=progress)
    return system.name, run_page(results, *names)


def _page_of_fmu(
    model: Model,
    settings: tuple[str, ...],
    names: tuple[str, ...],
    csv: Path | None,
    until: float | None,
    accuracy: float | None,
    *,
    quiet: bool,
) -> tuple[str, str]:
    """The title and the HTML."""
    from mobod.importer.run import FmuRun
    from mobod.importer.start_values import StartValues
    from mobod.simulate.table import Table
    from mobod.viewer.table_page import fmu_scene, scene_variables, table_page

    fmu, _ = model.fmu()
    scene = fmu_scene(fmu.archive.content)
    if csv is not None:
        for option, is_given in (("--set", bool(settings)), ("--until", until is not None), ("--accuracy", accuracy is not None)):
            if is_given:
                raise click.UsageError(f"{option} applies only to runs without --csv, and MODEL '{model.text}' is none.")
        table = Table.from_file(csv)
    else:
        start = StartValues(fmu)
        for setting in settings:
            start.set(*two_sides("--set", setting))
        shown = names or [each.name for each in fmu.with_causality("output") if each.kind is not None]
        recorded = dict.fromkeys([*shown, *(scene_variables(scene) if scene else ())])
        run = FmuRun(fmu, start, outputs=list(recorded), until=until, accuracy=accuracy)
        with progress_bar(f"{fmu.name} until {run.stop:g} s", wanted=not quiet) as progress:
            table = run.run(progress)
        names = tuple(shown)
    return fmu.name, table_page(table, scene, names, fmu.name)
