"""The commands `mobod ssp new`, `info`, `check` and `unpack`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.command_output import Output, json_options, output_options
from mobod.cli.network_arguments import allow_outside_option, connect_option, network_of, set_start_option
from mobod.cli.options import OutputFile, limit_option, read_limits, strict_fmu_option
from mobod.cli.shown_warnings import shown_warnings
from mobod.cli.text_table import print_table

if TYPE_CHECKING:
    from mobod.cosim.ssp.folder import SspFolder

_ssp_argument = click.argument("path", metavar="SSP", type=click.Path(exists=True, path_type=Path))
_structure_option = click.option(
    "--structure", default="SystemStructure.ssd", show_default=True, metavar="FILE.ssd", help="The variant, if the SSP has several."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def ssp() -> None:
    """Systems of FMUs in a file (System Structure Package, .ssp).

    `mobod cosim system.ssp` runs one.

    \b
    mobod ssp new car.ssp controller.fmu plant=pendulum.fmu --connect controller.torque=plant.motor.force
    """


@ssp.command()
@click.argument("path", metavar="SSP", type=OutputFile())
@click.argument("fmus", nargs=-1, required=True, metavar="[NAME=]FMU...")
@connect_option
@set_start_option
@click.option("--start", type=float, metavar="SECONDS", help="Start of the default experiment.")
@click.option("--until", "--stop", "stop", type=float, metavar="SECONDS", help="End of the default experiment.")
@click.option("--name", metavar="NAME", help="Of the system.  [default: that of the file]")
@strict_fmu_option
@allow_outside_option
@limit_option
@output_options
def new(
    path: Path,
    fmus: tuple[str, ...],
    connections: tuple[str, ...],
    settings: tuple[str, ...],
    start: float | None,
    stop: float | None,
    name: str | None,
    strict: bool,
    allow_outside: bool,
    limits: tuple[str, ...],
    out: Output,
) -> None:
    """Write an SSP 1.0 of connected FMUs; the arguments are those of `mobod cosim`.

    A CSV file of real columns becomes an FMU with these outputs. An SSP at the first place is extended.

    \b
    mobod ssp new car.ssp controller.fmu plant=pendulum.fmu noise.csv \\
        --connect controller.torque=plant.motor.force --connect noise.angle=controller.angle --stop 5
    """
    with shown_warnings(as_json=out.as_json) as warnings:
        network = network_of(fmus, connections, settings, read_limits(limits), strict=strict, allow_outside=allow_outside)
    network.to_ssp(path, name=name, start=start, stop=stop)
    if out.as_json:
        counts = {"components": list(network.components), "connections": len(network.connections)}
        out.json({"ssp": str(path), **counts, "warnings": warnings})
    elif not out.quiet:
        click.echo(str(path))


@ssp.command()
@_ssp_argument
@_structure_option
@allow_outside_option
@limit_option
@json_options
def info(path: Path, structure: str, allow_outside: bool, limits: tuple[str, ...], out: Output) -> None:
    """Show the components, connections and parameter sets of an SSP. Its FMUs are not opened.

    \b
    mobod ssp info car.ssp
    """
    from mobod.cosim.ssp.folder import SspFolder

    described = _described(SspFolder(path, read_limits(limits), allow_outside=allow_outside), structure)
    if out.as_json:
        out.json(described)
        return
    experiment = ", ".join(f"{key} {value:g} s" for key, value in described["default_experiment"].items() if value is not None)
    click.echo(f"{described['name']}: a system of SSP {described['version']}{f', {experiment}' if experiment else ''}\n")
    for title, columns in (("components", ("name", "fmu", "parameters")), ("connections", ("from", "to", "change"))):
        if described[title]:
            print_table(title, columns, [[row[column] for column in columns] for row in described[title]])
    for title in ("parameter_sets", "variants"):
        if described[title]:
            click.echo(f"{title.replace('_', ' ')}: {', '.join(described[title])}")


@ssp.command()
@_ssp_argument
@_structure_option
@strict_fmu_option
@allow_outside_option
@limit_option
@output_options
def check(path: Path, structure: str, strict: bool, allow_outside: bool, limits: tuple[str, ...], out: Output) -> None:
    """Check an SSP: the archive, the schemas of SSP 1.0, the FMUs, connections, units and parameters.

    Exit codes: 0 no problem found, 1 problems, 2 wrong usage.

    \b
    mobod ssp check car.ssp
    """
    from mobod.cosim.ssp.checking import check_ssp

    with shown_warnings(as_json=out.as_json) as warnings:
        read, problems = check_ssp(path, structure, read_limits(limits), strict=strict, allow_outside=allow_outside)
    if out.as_json:
        out.json({"ssp": str(path), "version": read.version, "problems": problems, "warnings": warnings})
        sys.exit(1 if problems else 0)
    for problem in problems:
        click.echo(problem)
    if not problems and not out.quiet:
        unchecked = "" if read.version == "1.0" else f", but it was not validated: mobod has no schemas of SSP {read.version}"
        click.echo(f"{path}: no problem found{unchecked}")
    sys.exit(1 if problems else 0)


@ssp.command()
@_ssp_argument
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@limit_option
@output_options
def unpack(path: Path, folder: Path, limits: tuple[str, ...], out: Output) -> None:
    """Unpack an SSP into a new folder, after its paths and sizes were checked.

    `mobod cosim FOLDER`, `mobod ssp check FOLDER` and the others take the folder as well.

    \b
    mobod ssp unpack car.ssp car
    """
    from mobod.errors import InputError, SspFileError
    from mobod.fmi.checked_zip import CheckedZip

    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: it has files already. Name a new folder.")
    CheckedZip(path, read_limits(limits), "an SSP", SspFileError).unpack(folder)
    if out.as_json:
        files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        out.json({"folder": str(folder), "files": files})
    elif not out.quiet:
        click.echo(str(folder))


def _described(folder: "SspFolder", structure: str) -> dict[str, Any]:
    from mobod.cosim.ssp.flattening import FlatStructure
    from mobod.cosim.ssp.loading import parameter_sets
    from mobod.cosim.ssp.reading import read_structure

    read = read_structure(folder, structure)
    flat = FlatStructure(read)
    return {
        "name": read.name,
        "version": read.version,
        "default_experiment": {"start": read.start, "stop": read.stop, "step": read.step},
        "components": [
            {
                "name": ".".join(at),
                "fmu": element.source.name,
                "parameters": sum(len(binding.values()) for binding in element.bindings),
            }
            for at, element in flat.components.items()
        ],
        "connections": [
            {
                "from": str(way.source),
                "to": str(way.target),
                "change": ", ".join(str(hop.transformation) for hop in way.hops if hop.transformation is not None),
            }
            for way in flat.ways()
        ],
        "parameter_sets": list(parameter_sets(folder)),
        "variants": [file for file in folder.files if "/" not in file and file.lower().endswith(".ssd")],
    }
