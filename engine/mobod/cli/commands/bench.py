"""The command `mobod bench`."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.models.model import Model, model_options
from mobod.cli.models.settings import system_option
from mobod.cli.options import interface_option, set_option, two_sides
from mobod.cli.text_table import print_table
from mobod.errors import CompileError, NoCompilerError
from mobod.progress import progress_bar
from mobod.runtime.integrator_names import Integrator

if TYPE_CHECKING:
    from mobod.fmi.loading import Interface
    from mobod.importer.run import FmuRun
    from mobod.system import State, System

WARM_UP = 0.1  # of the run


@dataclass(frozen=True)
class Speed:
    """Of runs of one kind. `seconds` of a run; `own_seconds` those of them that an FMU needed for its steps, if that is known."""

    name: str
    span: float
    steps: int
    evaluations: int | None
    seconds: float
    own_seconds: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "span": self.span,
            "steps": self.steps,
            "evaluations": self.evaluations,
            "seconds": self.seconds,
            "us_per_step": self._us(self.seconds, self.steps),
            "us_per_evaluation": self._us(self.seconds, self.evaluations),
            "own_us_per_step": self._us(self.own_seconds, self.steps),
            "times_real_time": self.span / self.seconds,
        }

    @staticmethod
    def _us(seconds: float | None, count: int | None) -> float | None:
        return 1e6 * seconds / count if seconds is not None and count else None


@click.command()
@model_options(fmus="run")
@click.option(
    "--until", type=float, metavar="SECONDS", help="End of each run, which starts at 0.  [default: 1; of an FMU, its default experiment]"
)
@click.option("--accuracy", type=float, metavar="NUMBER", help="As of `mobod simulate`.")
@system_option("--integrator", metavar="NAME", help="Of a System; see `mobod simulate --help`.")
@interface_option
@click.option("--step", type=float, metavar="SECONDS", help="Of an FMU: the communication step. Of a System: the size of fixed steps.")
@set_option
@click.option("--repeat", type=click.IntRange(1), default=5, show_default=True, metavar="N", help="Number of runs; the median counts.")
@output_options
def bench(
    model: Model,
    until: float | None,
    accuracy: float | None,
    integrator: Integrator | None,
    interface: "Interface | None",
    step: float | None,
    settings: tuple[str, ...],
    repeat: int,
    out: Output,
) -> None:
    """Measure how fast a MODEL runs here: steps, evaluations of the equations, and the time of each.

    A System runs compiled and interpreted, after a short run that is not measured; only the end is recorded. Of an FMU for
    co-simulation the time of its own steps is given too, without loading and the work of mobod; --no-isolate measures it without the one
    to three microseconds of a step in another process.

    \b
    mobod bench pendulum.py:build --until 10
    mobod bench plant.fmu --step 0.001 --json
    """
    notes: list[str] = []
    with progress_bar(f"measuring {model.text}", wanted=not out.is_silent) as progress:
        if model.is_fmu:
            options = {"until": until, "accuracy": accuracy, "interface": interface, "step": step}
            name, speeds = _of_fmu(model, settings, options, repeat, progress)
        else:
            system, state = model.system_and_state(settings)
            name, speeds = system.name, []
            for backend in ("compiled", "interpreted"):
                try:
                    speeds.append(
                        _of_system(system, state, backend, 1.0 if until is None else until, accuracy, integrator, step, repeat, progress)
                    )
                except (NoCompilerError, CompileError) as error:
                    if backend == "interpreted":
                        raise
                    notes.append(f"not measured compiled: {error}")
    if out.as_json:
        out.json({"model": name, "runs": [each.as_json() for each in speeds], "notes": notes})
    elif not out.quiet:
        _print(name, speeds, notes)


def _of_system(
    system: "System",
    state: "State",
    backend: str,
    until: float,
    accuracy: float | None,
    integrator: Integrator | None,
    step: float | None,
    repeat: int,
    progress: Callable[[float, float], object] | None,
) -> Speed:
    from mobod.runtime.integrators import DEFAULT_ACCURACY
    from mobod.simulate import Simulation

    simulation = Simulation(system, DEFAULT_ACCURACY if accuracy is None else accuracy, integrator=integrator, step=step, backend=backend)
    if not until > state.time:
        raise click.UsageError(f"--until {until:g}: the run has no length.")
    simulation.run(state, WARM_UP * until, report_every=until)  # which compiles
    seconds = []
    for k in range(repeat):
        before = perf_counter()
        results = simulation.run(state, until, report_every=until)
        seconds.append(perf_counter() - before)
        if progress is not None:
            progress(k + 1, repeat)
    return Speed(backend, float(results.time[-1]), results.steps, results.evaluations, median(seconds))


def _of_fmu(
    model: Model,
    settings: tuple[str, ...],
    options: dict[str, Any],
    repeat: int,
    progress: Callable[[float, float], object] | None,
) -> tuple[str, list[Speed]]:
    from mobod.importer.run import FmuRun
    from mobod.importer.start_values import StartValues

    fmu, _ = model.fmu()
    start = StartValues(fmu)
    for setting in settings:
        start.set(*two_sides("--set", setting))

    def run() -> "tuple[float, float, FmuRun]":
        each = FmuRun(fmu, start, **options)
        before = perf_counter()
        end = each.run().time[-1] - each.start
        return perf_counter() - before, float(end), each

    run()
    runs = []
    for k in range(repeat):
        runs.append(run())
        if progress is not None:
            progress(k + 1, repeat)
    _, span, last = runs[-1]
    own = [each.seconds for _, _, each in runs if each.seconds is not None]
    return fmu.name, [
        Speed(last.interface, span, last.steps, last.evaluations, median(each for each, _, _ in runs), median(own) if own else None)
    ]


def _print(name: str, speeds: list[Speed], notes: list[str]) -> None:
    columns = {
        "s": "seconds",
        "steps": "steps",
        "us a step": "us_per_step",
        "us of the FMU a step": "own_us_per_step",
        "evaluations": "evaluations",
        "us an evaluation": "us_per_evaluation",
        "times real time": "times_real_time",
    }
    rows = [each.as_json() for each in speeds]
    known = {heading: key for heading, key in columns.items() if any(row[key] is not None for row in rows)}
    cells = [
        [
            row["name"],
            *(f"{row[key]:.4g}" if isinstance(row[key], float) else "" if row[key] is None else row[key] for key in known.values()),
        ]
        for row in rows
    ]
    print_table(f"{name}, {speeds[0].span:g} s", ("run", *known), cells, right=list(known))
    for note in notes:
        click.echo(note)
