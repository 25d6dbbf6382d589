"""The command `mobod cosim`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.final_values import show_run
from mobod.cli.fmu_options import ended_by_sigterm, fmu_run_options, read_isolation, read_log
from mobod.cli.network_arguments import allow_outside_option, connect_option, network_of, set_start_option
from mobod.cli.options import csv_option, limit_option, read_limits, strict_fmu_option
from mobod.cli.shown_warnings import shown_warnings
from mobod.errors import MobodError, WriteError
from mobod.progress import progress_bar

if TYPE_CHECKING:
    from mobod.cosim.master import Master
    from mobod.fmi.log_file import LogFile
    from mobod.simulate.table import Table


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("fmus", nargs=-1, required=True, metavar="[SSP] [NAME=]FMU...")
@connect_option
@set_start_option
@click.option(
    "--parameters", multiple=True, metavar="FILE.ssv|NAME", help="For an SSP: apply this parameter set, a file or one in the SSP."
)
@click.option("--output", "outputs", multiple=True, metavar="FMU.VARIABLE", help="Record this variable.  [default: all outputs]")
@click.option(
    "--step",
    type=float,
    metavar="SECONDS",
    help="Time between two exchanges of values.  [default: that of the SSP, if it has one, or 0.01]",
)
@click.option(
    "--algorithm",
    default="jacobi",
    show_default=True,
    metavar="NAME",
    help="jacobi: all FMUs step at once; gauss-seidel: one after another, each with the newest values; waveform, newton: steps are "
    "repeated until values at their end fit.",
)
@click.option(
    "--adaptive",
    type=float,
    metavar="TOLERANCE",
    help="Steps of variable size: by Richardson if all FMUs can save their state, else by predictor and corrector.",
)
@click.option(
    "--input-order",
    type=click.IntRange(0, 2),
    help="Inputs within a step: 0: held; 1, 2: lines, parabolas.  [default: 0; 1 if steps are repeated; 2 if adaptive]",
)
@click.option("--pace", type=float, metavar="FACTOR", help="Seconds of the run in a second of the clock.  [default: as fast as possible]")
@click.option(
    "--feedthrough",
    default="direct",
    show_default=True,
    metavar="NAME",
    help="direct: outputs that depend directly on inputs are read after these; delayed: only after steps.",
)
@click.option(
    "--until",
    type=float,
    metavar="SECONDS",
    help="End of the run, which starts at 0 s or as the SSP says.  [default: that of the SSP, or 1 s]",
)
@csv_option
@fmu_run_options
@strict_fmu_option
@allow_outside_option
@limit_option
@output_options
def cosim(
    fmus: tuple[str, ...],
    connections: tuple[str, ...],
    settings: tuple[str, ...],
    parameters: tuple[str, ...],
    outputs: tuple[str, ...],
    step: float | None,
    algorithm: str,
    adaptive: float | None,
    input_order: int | None,
    pace: float | None,
    feedthrough: str,
    until: float | None,
    csv_path: Path | None,
    isolate: bool,
    call_limit: float,
    log_path: Path | None,
    log_categories: tuple[str, ...],
    log_level: str,
    log_limit: str,
    strict: bool,
    allow_outside: bool,
    limits: tuple[str, ...],
    out: Output,
) -> None:
    """Run connected FMUs together.

    An FMU has the given NAME, by default the name of its file; its variables are NAME.variable. A CSV file of results is taken too: its
    columns are outputs.

    \b
    mobod cosim controller.fmu plant=pendulum.fmu \\
        --connect controller.torque=plant.motor.force --connect plant.q=controller.angle \\
        --set controller.gain=20 --until 5 -o run.csv

    A system of FMUs in a file (.ssp) is run with its connections and parameters: mobod cosim system.ssp --parameters winter.ssv

    FMUs run in processes of their own: one that crashes, ends its process or takes too long is an error with its name. The CSV file is
    written while the run goes on, as FILE.part; after an error in the run or Ctrl-C it contains the rows before it, and why
    it ended. --log writes the messages of FMUs to a file, a line for each.

    Exit codes: 0 good, 1 the run failed, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    from mobod.cosim.master import Master

    log = read_log(log_path, log_categories, log_level, log_limit)
    isolation = read_isolation(isolate, call_limit)
    with shown_warnings(as_json=out.as_json) as warnings:
        network = network_of(
            fmus,
            connections,
            settings,
            read_limits(limits),
            parameters=parameters,
            isolate=isolation or False,
            strict=strict,
            allow_outside=allow_outside,
        )
    for connection in [] if out.is_silent else network.connections:
        if connection.change:
            click.echo(str(connection), err=True)
    start, stop = (None, None) if network.ssp is None else (network.ssp.structure.start, network.ssp.structure.stop)
    start, until = start or 0.0, until if until is not None else 1.0 if stop is None else stop
    master = Master(network, step=step, algorithm=algorithm, adaptive=adaptive, input_order=input_order, feedthrough=feedthrough)
    with shown_warnings(as_json=out.as_json) as of_run:
        results = _run(master, outputs, start, until, pace, csv_path, log, is_quiet=out.is_silent)
    steps = len(results.time) - 1
    ended = "" if results.terminated_by is None else f", where '{results.terminated_by}' ended the simulation"
    title = f"at {results.time[-1]:g} s, after {steps} steps{ended}"
    show_run(out, results, title, {"csv": csv_path}, [*warnings, *of_run], steps=steps)


def _run(
    master: "Master",
    outputs: tuple[str, ...],
    start: float,
    until: float,
    pace: float | None,
    csv_path: Path | None,
    log: "LogFile | None",
    *,
    is_quiet: bool,
) -> "Table":
    with (
        ended_by_sigterm(),
        master.start(start, stop=until, outputs=outputs or None, log=log) as run,
        progress_bar(f"{len(master.network.components)} FMUs until {until:g} s", wanted=not is_quiet) as progress,
    ):
        if not is_quiet:
            click.echo(run.choices)
        try:
            results = run.until(until, progress=progress, pace=pace, csv=csv_path)
            if run.pacing is not None and not is_quiet:
                click.echo(str(run.pacing))
            return results
        except WriteError:
            raise
        except (MobodError, KeyboardInterrupt, SystemExit):
            rows = run.recorded.time
            if csv_path is not None and len(rows):
                click.echo(f"{csv_path} contains the {len(rows)} rows until {rows[-1]:.12g} s.", err=True)
            raise
