"""The command `mobod export`."""

import logging
import sys
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, final, get_args

import click
from click.core import ParameterSource

from mobod.cli.acceptance_report import print_report, report_as_data, write_report
from mobod.cli.command_output import Output, output_options
from mobod.cli.models.model import Model, model_options
from mobod.cli.options import (
    IntegrationOptions,
    OutputFile,
    numerics_options,
    set_option,
    step_option,
)
from mobod.progress import progress_bar
from mobod.runtime.integrator_names import FIXED_STEP_METHODS, Integrator

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from mobod.acceptance import AcceptanceReport
    from mobod.fmu.bare.export import CArguments
    from mobod.fmu.native_export import Code
    from mobod.system import State, System

_START_ACCURACY = 1e-12  # of a run; constraints are satisfied to a tenth of it


@click.command()
@model_options(fmus="refused")
@click.option(
    "-o",
    "--out",
    "--fmu",
    "path",
    type=OutputFile(dir_okay=True),
    help="The FMU to write; the folder with --target c.  [default for a file such as .json or .urdf: its name with .fmu, or _c, here]",
)
@click.option(
    "--target",
    type=click.Choice(["fmu", "c"]),
    default="fmu",
    show_default=True,
    help="fmu: a Functional Mock-up Unit; c: a folder of C99 with model_init and model_step, for processors without an operating system.",
)
@click.option("--one-file", is_flag=True, help="With --target c: the model and the runtime in one C file.")
@click.option("--input", "inputs", multiple=True, metavar="NAME", help="A variable that a master sets while it steps.")
@click.option("--output", "outputs", multiple=True, metavar="NAME", help="A variable that a master reads.")
@set_option
@click.option("--name", metavar="NAME", help="Name of the model in the FMU.  [default: the System's]")
@click.option(
    "--names",
    type=click.Choice(["structured", "flat"]),
    default="structured",
    show_default=True,
    help="Names of the FMU's variables. structured: as in mobod, lower.q[1]; flat: identifiers, lower_q_1.",
)
@click.option(
    "--arrays",
    type=click.Choice(["whole", "scalars"]),
    help="Vectors in FMI 3.0. whole: arrays; scalars: a variable for each entry, lower.p_GB[1], for tools without arrays.  "
    "[default: scalars with --names flat, else whole]",
)
@click.option(
    "--kind",
    type=click.Choice(["native", "python"]),
    default="native",
    show_default=True,
    help="native: runs without Python; python: needs an installed mobod, and supports elements that cannot be recorded.",
)
@click.option(
    "--code",
    type=click.Choice(["auto", "compiled", "interpreted"]),
    default="auto",
    show_default=True,
    help="For native FMUs. compiled: needs a C compiler; interpreted: needs none, gives the same numbers, and takes 4 to 5 times as long; "
    "auto: compiled if there is a compiler.",
)
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    default=("host",),
    metavar="NAME",
    help="Where the FMU runs: linux64, win64, darwin64, aarch64-linux, aarch64-darwin, all, or host (this machine); repeatable.  "
    "[default: host]",
)
@click.option(
    "--integrator",
    type=click.Choice(get_args(Integrator)),
    default="auto",
    show_default=True,
    help=f"auto: steps as long as the tolerance allows, implicit if the system is stiff; {', '.join(FIXED_STEP_METHODS)}: fixed steps; "
    "velocity_level: fixed steps, for limits and impacts.",
)
@step_option
@numerics_options
@click.option("--report", is_flag=True, help="Then check the FMU as `mobod validate` does, and write NAME_report.html beside it.")
@click.option("--fmi-version", type=click.Choice(["2.0", "3.0"]), default="2.0", show_default=True)
@output_options
def export(
    model: Model,
    path: Path | None,
    target: Literal["fmu", "c"],
    one_file: bool,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    settings: tuple[str, ...],
    name: str | None,
    names: Literal["structured", "flat"],
    arrays: Literal["whole", "scalars"] | None,
    kind: Literal["native", "python"],
    code: "Code",
    platforms: tuple[str, ...],
    integrator: Integrator,
    step: float | None,
    numerics: IntegrationOptions,
    report: bool,
    fmi_version: Literal["2.0", "3.0"],
    out: Output,
) -> None:
    """Write a MODEL as an FMU.

    A native FMU runs without Python. The file documentation/externalDependencies.txt in a Python FMU lists its requirements.
    `mobod info MODEL` shows the names of variables. Parameters, and inputs that are not chosen, become tunable parameters of
    the FMU. Option --set gives their start values.

    \b
    mobod export pendulum.py:build -o pendulum.fmu --input motor.force --output lower.q
    mobod export arm.urdf
    mobod export arm.urdf --platform linux64 --platform win64
    mobod export arm.urdf --integrator velocity_level --step 0.001 --engagement predictive
    mobod export arm.urdf --target c --integrator RK4 --step 0.001

    If none are chosen for a file such as .json or .urdf, all inputs of the model are inputs; all coordinates,
    speeds and values of sensors are outputs.
    With --report the exit code is 1 if the report finds a problem.
    """
    if path is None:
        if not model.is_file_of_data:
            raise click.UsageError("Missing option '-o' / '--out'.")
        path = Path(
            Path(model.text).stem.removesuffix(".urdf") + (".fmu" if target == "fmu" else "_c")
        )  # robot.urdf.xacro becomes robot.fmu
    if target == "c":
        _refuse_options_of_fmus()
    elif path.is_dir():
        raise click.UsageError(f"'{path}' is a folder. Give the name of an FMU, or --target c.")
    from mobod.fmu.export import export_fmu
    from mobod.fmu.names import usable_model_name

    system, state = model.system_and_state(settings, as_json=out.as_json)
    if model.is_file_of_data and not (inputs or outputs):
        inputs, outputs = _all_of(system, state)
    if model.is_file_of_data:
        state = _on_constraints(system, state, is_silent=out.is_silent)
        name = usable_model_name(system.name) if name is None else name
    if target == "c":
        chosen = {"inputs": inputs, "outputs": outputs, "state": state, "name": name, "one_file": one_file}
        _export_c(system, path, out, integrator=integrator, step=step, **chosen, **numerics)  # type: ignore[arg-type]  # of several types
        return
    if one_file:
        raise click.UsageError("--one-file is an option of --target c.")
    with _progress(path, kind, is_shown=not out.is_silent):
        export_fmu(
            system,
            path,
            fmi_version=fmi_version,
            kind=kind,
            inputs=inputs,
            outputs=outputs,
            platforms=platforms,
            state=state,
            name=name,
            names=names,
            arrays=arrays,
            integrator=integrator,
            step=step,
            code=code,
            progress=False,
            **numerics,
        )
    interfaces, variables = _described(path)
    platforms_made, made_of = _platforms(path), _code(path, kind)
    acceptance = _report(path, quiet=out.is_silent) if report else None
    if out.as_json:
        content = {
            "fmu": str(path),
            "bytes": path.stat().st_size,
            **variables,
            "code": made_of,
            "platforms": platforms_made,
            "warnings": model.warnings,
            **({} if acceptance is None else {"report": report_as_data(acceptance)}),
        }
        out.json(content)
    elif not out.quiet:
        click.echo(f"wrote {path}: {path.stat().st_size / 1000:.0f} kB, FMI {fmi_version}, {interfaces}, {made_of}")
        for plural in ("inputs", "outputs"):
            click.echo(f"{plural}: {', '.join(variables[plural]) or 'none'}")
        click.echo(f"and {len(variables['parameters'])} parameters")
        described = (f"{folder} ({needed} or later)" if needed else folder for folder, needed in platforms_made.items())
        click.echo(f"platforms: {', '.join(described)}")
        if not (variables["inputs"] or variables["outputs"]):
            click.echo(
                "note: it has no inputs or outputs, so it cannot be connected to others. Choose --input NAME and --output NAME; "
                "`mobod info` lists them.",
                err=True,
            )
        if acceptance is not None:
            print_report(acceptance)
            click.echo(f"report: {_report_file(path)}")
    if acceptance is not None and not acceptance.is_valid:
        sys.exit(1)


_OF_FMUS = ("names", "arrays", "kind", "code", "platforms", "report", "fmi_version")


def _refuse_options_of_fmus() -> None:
    """A usage error for an option that C sources do not have."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in _OF_FMUS and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]} is an option of FMUs. Leave it out with --target c.")


def _export_c(system: "System", folder: Path, out: Output, **options: Unpack["CArguments"]) -> None:
    """Write C sources, and say what is in the folder."""
    from mobod.fmu.bare.export import export_c

    with _progress(folder, "native", is_shown=not out.is_silent):
        export_c(system, folder, **options)
    files = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
    if out.as_json:
        out.json({"folder": str(folder), "files": files})
    elif not out.quiet:
        own = [each for each in files if "/" not in each]
        click.echo(f"wrote {folder}: {', '.join(own)} and {len(files) - len(own)} sources. README.md says how to compile and call them.")


def _report_file(path: Path) -> Path:
    return path.with_name(f"{path.stem}_report.html")


def _report(path: Path, *, quiet: bool) -> "AcceptanceReport":
    """The acceptance report of the FMU, which is written beside it."""
    from mobod.acceptance import validate_fmu

    with progress_bar(f"checking {path.name}", wanted=not quiet) as progress:
        report = validate_fmu(path, progress=progress)
    write_report(report, _report_file(path), None)
    return report


_SHOWN = ("input", "output", "parameter")


@contextmanager
def _progress(path: Path, kind: str, *, is_shown: bool) -> Iterator[None]:
    """Context with a progress spinner on a terminal, and log messages about slow operations above it; elsewhere all of them are lines."""
    from mobod.fmu.export_progress import NOTICES, export_progress

    if not (is_shown and sys.stderr.isatty()):
        with export_progress(is_shown, several_platforms=True):
            yield
        return
    from rich.console import Console

    console = Console(stderr=True)
    status = console.status(f"{'compiling' if kind == 'native' else 'packing'} {path.name}")
    notices, handler = logging.getLogger(NOTICES), _Notices(console, status)
    level = notices.level
    notices.addHandler(handler)
    notices.setLevel(logging.INFO)
    try:
        with status:
            yield
    finally:
        notices.removeHandler(handler)
        notices.setLevel(level)


@final
class _Notices(logging.Handler):
    """Writes log records to a console. Those about the work in progress change its spinner."""

    def __init__(self, console: "Console", status: "Status"):
        super().__init__()
        self.console, self.status = console, status

    def emit(self, record: logging.LogRecord) -> None:
        from mobod.fmu.export_progress import CURRENT

        if record.name == CURRENT:
            self.status.update(record.getMessage())
        else:
            self.console.print(record.getMessage(), highlight=False, soft_wrap=True)


def _all_of(system: "System", state: "State") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of all inputs, and of all coordinates, speeds and values of sensors; of a sensor that a Scale reads those of the Scale."""
    from mobod.registry import MEASURES
    from mobod.sensors import __all__ as names
    from mobod.system.measures import Scale

    kinds = tuple(MEASURES[name] for name in names)
    measures = [each for part in system.subsystems for each in getattr(part, "measures", ())]
    scaled = {each.operand.name: each.name for each in measures if isinstance(each, Scale) and isinstance(each.operand, kinds)}
    shown = {scaled.get(each.name, each.name) for each in measures if isinstance(each, kinds)}
    variables = system.variables(state)
    inputs, states = (tuple(each.name for each in variables if each.role == role) for role in ("input", "state"))
    of_sensors = (each.name for each in variables if each.role == "output" and each.name.rpartition(".")[0] in shown)
    return inputs, (*states, *of_sensors)


def _on_constraints(system: "System", state: "State", *, is_silent: bool) -> "State":
    """The State with the coordinates with which a run begins: coordinates of files often satisfy constraints in a few digits alone, and an
    FMU's derivatives by start values have errors in proportion to those of the constraints.

    If there is no start, it is the given State, and the exporter says why.
    """
    from mobod.errors import MobodError, MobodWarning
    from mobod.matter import MultibodySystem
    from mobod.simulate.simulation import Simulation

    if not (isinstance(system, MultibodySystem) and system.has_matter and system.matter.constraints):
        return state
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MobodWarning)
        try:
            start = Simulation(system, _START_ACCURACY, backend="interpreted").start(state).state
        except MobodError:
            return state
    for each in () if is_silent else caught:
        click.echo(f"warning: {each.message}", err=True)
    found = state.copy()
    for body in system.matter.bodies:
        body.set_q(found, body.q(start))
    return found


def _described(path: Path) -> tuple[str, dict[str, list[str]]]:
    """'co-simulation' or 'co-simulation and model exchange', and the names of the FMU's variables, read from the file."""
    from lxml import etree

    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read("modelDescription.xml"))
    interfaces = "co-simulation" if root.find("ModelExchange") is None else "co-simulation and model exchange"
    variables = root.findall("ModelVariables/*")
    names = {f"{kind}s": [each.attrib["name"] for each in variables if each.get("causality") == kind] for kind in _SHOWN}
    return interfaces, names


def _code(path: Path, kind: str) -> str:
    """'compiled', 'interpreted' or 'python'."""
    from mobod.fmu.native_export import TABLES

    with zipfile.ZipFile(path) as archive:
        return kind if kind == "python" else "interpreted" if TABLES in archive.namelist() else "compiled"


def _platforms(path: Path) -> dict[str, str | None]:
    """The folders of its libraries, and the version of glibc that each needs."""
    from mobod.fmu.platforms import glibc_text
    from mobod.runtime.elf import required_glibc

    with zipfile.ZipFile(path) as archive:
        libraries = {name.split("/")[1]: archive.read(name) for name in archive.namelist() if name.startswith("binaries/")}
    needed = {folder: required_glibc(library) for folder, library in libraries.items()}
    return {folder: glibc_text(version) if version else None for folder, version in needed.items()}
