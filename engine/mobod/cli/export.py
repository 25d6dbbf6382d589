"""The command `mobod export`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from mobod.cli.failure import errors_as_messages
from mobod.cli.model import apply_settings, is_file_of_data, load_system
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
    urdf_option,
)

if TYPE_CHECKING:
    from rich.status import Status

    from mobod.simulate.velocity_level.fixed_steps import EngagementRule
    from mobod.system import State, System


@click.command()
@model_argument
@urdf_option
@imports_option
@click.option(
    "-o", "--fmu", "path", type=OutputFile(), help="The FMU to write.  [default, of a .json or .urdf file: its name with .fmu, here]"
)
@click.option("--input", "inputs", multiple=True, metavar="NAME", help="A variable that a master sets while it steps.")
@click.option("--output", "outputs", multiple=True, metavar="NAME", help="A variable that a master reads.")
@set_option
@click.option("--name", metavar="NAME", help="Name of the model in the FMU.  [default: the System's]")
@click.option(
    "--kind",
    type=click.Choice(["native", "python"]),
    default="native",
    show_default=True,
    help="native: compiled, runs without Python; python: runs where mobod is installed, and takes elements that cannot be compiled.",
)
@click.option(
    "--integrator",
    type=click.Choice(["RK45", "velocity_level"]),
    default="RK45",
    show_default=True,
    help="RK45: steps as long as the tolerance allows; velocity_level: fixed ones, for limits and impacts.",
)
@step_option
@engagement_option
@position_iterations_option
@click.option("--fmi-version", type=click.Choice(["2.0"]), default="2.0", show_default=True)
@json_option
@quiet_option
@debug_option
def export(
    model: str,
    urdf_settings: tuple[str, ...],
    allow_imports: bool,
    path: Path | None,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    settings: tuple[str, ...],
    name: str | None,
    kind: Literal["native", "python"],
    integrator: str,
    step: float | None,
    engagement: "EngagementRule | None",
    position_iterations: int | None,
    fmi_version: Literal["2.0"],
    as_json: bool,
    quiet: bool,
    debug: bool,
) -> None:
    """Write a MODEL as an FMU.

    A native one runs at compiled speed and without Python; what a Python one needs stands in its documentation/externalDependencies.txt.
    `mobod info MODEL` shows the names. Parameters, and inputs that are not chosen, become
    tunable parameters of the FMU; what --set says are its start values.

    \b
    mobod export pendulum.py:build -o pendulum.fmu --input motor.force --output lower.q
    mobod export arm.urdf
    mobod export arm.urdf --integrator velocity_level --step 0.001 --engagement predictive

    Of a .json or .urdf file, unless any are chosen, all that can be driven are inputs, and all coordinates and speeds outputs.
    """
    if path is None:
        if not is_file_of_data(model):
            raise click.UsageError("Missing option '-o' / '--fmu'.")
        path = Path(Path(model).stem + ".fmu")
    from mobod.fmu.export import export_fmu

    with errors_as_messages(debug):
        system = load_system(model, urdf_settings, allow_imports=allow_imports)
        state = system.realize_topology()
        apply_settings(system, state, settings)
        if is_file_of_data(model) and not (inputs or outputs):
            inputs, outputs = _all_of(system, state)
        with _progress(path, kind, is_shown=not (quiet or as_json)):
            export_fmu(
                system,
                path,
                fmi_version=fmi_version,
                kind=kind,
                inputs=inputs,
                outputs=outputs,
                state=state,
                name=name,
                integrator=integrator,
                step=step,
                engagement=engagement,
                position_iterations=position_iterations,
            )
        variables = _variables(path)
    if as_json:
        click.echo(json.dumps({"fmu": str(path), "bytes": path.stat().st_size, **variables}, indent=2))
    elif not quiet:
        click.echo(f"wrote {path}: {path.stat().st_size / 1000:.0f} kB, FMI {fmi_version} co-simulation")
        for plural in ("inputs", "outputs"):
            click.echo(f"{plural}: {', '.join(variables[plural]) or 'none'}")
        click.echo(f"and {len(variables['parameters'])} parameters")


def _progress(path: Path, kind: str, *, is_shown: bool) -> "Status":
    from rich.console import Console

    console = Console(stderr=True, quiet=not is_shown)
    return console.status(f"{'compiling' if kind == 'native' else 'packing'} {path.name}")


def _all_of(system: "System", state: "State") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """All inputs, and all coordinates and speeds."""
    variables = system.variables(state)
    return tuple(each.name for each in variables if each.role == "input"), tuple(each.name for each in variables if each.role == "state")


def _variables(path: Path) -> dict[str, list[str]]:
    """The names of the FMU's variables, as the file itself tells them."""
    from mobod.cosim import FmuFile, FmuLimits

    mine = FmuLimits(unpacked=sys.maxsize, ratio=sys.maxsize, description=sys.maxsize, variables=sys.maxsize)
    variables = FmuFile(path, mine).variables.items()
    return {f"{kind}s": [name for name, variable in variables if variable.causality == kind] for kind in ("input", "output", "parameter")}
