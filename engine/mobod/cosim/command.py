"""The command `mobod cosim`."""

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.errors import FmuFileError, InputError, MobodError

if TYPE_CHECKING:
    from mobod.cosim.network import Network
    from mobod.simulate.table import Table

ROWS_SHOWN = 20


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("fmus", nargs=-1, required=True, metavar="[NAME=]FMU...")
@click.option("--connect", "connections", multiple=True, metavar="FMU.OUTPUT=FMU.INPUT", help="Give an output's value to an input.")
@click.option("--set", "settings", multiple=True, metavar="FMU.VARIABLE=VALUE", help="A parameter, an input or an initial value.")
@click.option("--output", "outputs", multiple=True, metavar="FMU.VARIABLE", help="Record this variable.  [default: all outputs]")
@click.option("--step", default=0.01, show_default=True, metavar="SECONDS", help="Time between two exchanges of values.")
@click.option("--until", default=1.0, show_default=True, metavar="SECONDS", help="End of the run, which starts at 0.")
@click.option("-o", "--csv", "csv_path", type=click.Path(dir_okay=False, path_type=Path), help="Write all recorded values to a CSV file.")
@click.option("--json", "as_json", is_flag=True, help="Print the final values as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cosim(
    fmus: tuple[str, ...],
    connections: tuple[str, ...],
    settings: tuple[str, ...],
    outputs: tuple[str, ...],
    step: float,
    until: float,
    csv_path: Path | None,
    as_json: bool,
    quiet: bool,
    debug: bool,
) -> None:
    """Run FMUs together, connected.

    An FMU is called NAME, or as its file if no name is given; its variables are NAME.variable.

    \b
    mobod cosim controller.fmu plant=pendulum.fmu \\
        --connect controller.torque=plant.motor.force --connect plant.q=controller.angle \\
        --set controller.gain=20 --until 5 -o run.csv
    """
    if csv_path is not None and not csv_path.parent.is_dir():
        raise click.UsageError(f"{csv_path.parent}: there is no such folder to write {csv_path.name} into.")
    try:
        network = _network(fmus, connections, settings)
        results = _run(network, outputs, step, until, show_progress=not (quiet or as_json))
        if csv_path is not None:
            results.to_csv(csv_path)
    except (MobodError, OSError) as error:
        if debug:
            raise
        click.echo(f"error: {error}", err=True)
        # a file that is no FMU is found at work; other wrong input is on the command line
        sys.exit(2 if isinstance(error, InputError) and not isinstance(error, FmuFileError) else 1)
    if as_json:
        click.echo(json.dumps(_summary(results, csv_path), indent=2, allow_nan=False))
    elif not quiet:
        _print_final_values(results, csv_path)


def _network(fmus: tuple[str, ...], connections: tuple[str, ...], settings: tuple[str, ...]) -> "Network":
    from mobod.cosim.network import Network  # loads fmpy, which help texts need not wait for

    network = Network()
    for argument in fmus:
        name, separator, path = argument.partition("=")
        if separator and not Path(argument).exists():
            network.add(path, name)
        else:
            network.add(argument)
    for argument in connections:
        network.connect(*_two_sides("--connect", argument))
    for argument in settings:
        name, text = _two_sides("--set", argument)
        port = network.port(name)
        port.component.set_start({port.variable.name: port.parsed(text)})
    return network


def _two_sides(option: str, argument: str) -> tuple[str, str]:
    left, separator, right = argument.partition("=")
    if not separator:
        raise click.UsageError(f"{option} {argument}: there is no '=' in it.")
    return left.strip(), right.strip()


def _run(network: "Network", outputs: tuple[str, ...], step: float, until: float, *, show_progress: bool) -> "Table":
    from rich.console import Console
    from rich.progress import Progress

    from mobod.cosim.master import Master

    master = Master(network, step=step)
    console = Console(stderr=True)
    if not (show_progress and console.is_terminal):
        return master.run(until, outputs=outputs or None)
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(f"{len(network.components)} FMUs until {until:g} s")

        def progress(done: int, steps: int) -> None:
            if done * 100 // steps > (done - 1) * 100 // steps:  # at each percent: the bar costs more than a step
                bar.update(task, completed=done, total=steps)

        return master.run(until, outputs=outputs or None, progress=progress)


def _summary(results: "Table", csv_path: Path | None) -> dict[str, object]:
    """What --json prints. JSON has no number that is not finite: such a value is its name, as text."""
    final = {}
    for name in results:
        value = results[name].tolist()[-1]
        final[name] = str(value) if isinstance(value, float) and not math.isfinite(value) else value
    return {
        "time": float(results.time[-1]),
        "steps": len(results.time) - 1,
        "final": final,
        "units": results.units,
        "csv": None if csv_path is None else str(csv_path),
    }


def _print_final_values(results: "Table", csv_path: Path | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as RichTable

    shown = RichTable(title=f"at {results.time[-1]:g} s, after {len(results.time) - 1} steps", title_justify="left")
    shown.add_column("variable")
    shown.add_column("value", justify="right")
    shown.add_column("unit")
    for name in list(results)[:ROWS_SHOWN]:
        value = results[name].tolist()[-1]
        text = f"{value:.10g}" if isinstance(value, float) else str(value)
        shown.add_row(escape(name), escape(text), escape(results.units.get(name, "")))
    console = Console()
    console.print(shown)
    if len(results) > ROWS_SHOWN:
        console.print(f"and {len(results) - ROWS_SHOWN} more")
    if csv_path is not None:
        console.print(f"wrote {csv_path}", markup=False, highlight=False)
