"""Arguments and options of several commands."""

import os
import re
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, final

import click

from mobod.cli.models.settings import ROBOTS, CommandFunction, KindOption, fmu_option, system_option, with_options
from mobod.disk.whole_file import check_can_write
from mobod.errors import UnknownNameError, WriteError
from mobod.runtime.integrator_names import FIXED_STEP_METHODS

if TYPE_CHECKING:
    from mobod.fmi.fmu_limits import FmuLimits
    from mobod.simulate.limits import Impacts
    from mobod.simulate.velocity_level.fixed_steps import ConstraintsAt, EngagementRule


@final
class OutputFile(click.Path):
    """A file to write, or a folder too. Checks before the work that its folder exists and can be written to."""

    def __init__(self, *, dir_okay: bool = False) -> None:
        super().__init__(dir_okay=dir_okay, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"{path.parent}: there is no such folder, so {path.name} cannot be written.", param, ctx)
        if path.is_dir():
            return path
        try:
            check_can_write(path)
        except WriteError as error:
            self.fail(str(error), param, ctx)
        return path


set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter, an input or a start value; write a list as 1,2,3, or one element as NAME[2]=1.",
)
urdf_option = click.option(
    "--urdf",
    "urdf_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="How a URDF file is read: loop_joints=FILE, floating_base=true, gravity=9.81, motors=false, limits=ignore, stop_stiffness=1e4, "
    "friction=ignore, drive_limits=false, contact=rigid, links=left_foot,right_foot, mesh_folders=FOLDER, strict=true, allow_macros=true.",
    cls=KindOption,
    of=("urdf",),
)
sdf_option = click.option(
    "--sdf",
    "sdf_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="How an SDF file is read: model=arm, paths=FOLDER,FOLDER, floating_base=false, and others as of --urdf.",
    cls=KindOption,
    of=("sdf",),
)
mjcf_option = click.option(
    "--mjcf",
    "mjcf_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="How an MJCF file is read: keyframe=home, actuators=motors, armature=false, soft=compliant, folders=FOLDER,FOLDER, and others as "
    "of --urdf.",
    cls=KindOption,
    of=("mjcf",),
)
strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Refuse a robot file that needs changes, such as an impossible inertia or a link without mass that moves; and an FMU that breaks "
    "rules of FMI which other tools forgive.",
    cls=KindOption,
    of=(*ROBOTS, "fmu"),
)
strict_fmu_option = click.option("--strict", is_flag=True, help="Refuse FMUs that break rules of FMI which other tools forgive.")
imports_option = click.option(
    "--allow-imports",
    is_flag=True,
    help="Run the Python code that a model file (.json) names; otherwise such a file is refused.",
    cls=KindOption,
    of=("model file",),
)
macros_option = click.option(
    "--allow-macros",
    is_flag=True,
    help="Expand macros of a URDF file by xacro, which runs Python code that the file contains; otherwise such a file is refused.",
    cls=KindOption,
    of=("urdf",),
)
step_option = click.option(
    "--step", type=float, metavar="SECONDS", help=f"Size of a step, which {', '.join(FIXED_STEP_METHODS)} and velocity_level require."
)


class IntegrationOptions(TypedDict):
    """Options of the integration that Simulation and export_fmu take."""

    engagement: "EngagementRule | None"
    position_iterations: int | None
    constraints_at: "ConstraintsAt | None"
    bounded: bool
    impacts: "Impacts"
    length_scale: float | None
    time_scale: float | None
    mass_scale: float | None


_NUMERICS = (
    system_option(
        "--engagement",
        type=click.Choice(["artisynth", "predictive", "automatic"]),
        help="For velocity_level: active limits are those reached before the step, or those that it would pass; automatic: the latter if "
        "there are rigid contacts with friction.  [default: automatic]",
    ),
    system_option(
        "--position-iterations",
        type=int,
        metavar="N",
        help="For velocity_level: corrections of coordinates in a step.  [default: 1]",
    ),
    system_option(
        "--constraints-at",
        type=click.Choice(["begin", "middle"]),
        help="For velocity_level: where in a step constraints, contacts and slips are evaluated.  [default: middle; begin with an explicit "
        "--engagement artisynth]",
    ),
    system_option(
        "--bounded",
        is_flag=True,
        help=f"For {', '.join(FIXED_STEP_METHODS)} and velocity_level: steps of bounded work, for hard real time. The next step goes "
        "on with what is left.",
    ),
    system_option(
        "--impacts",
        type=click.Choice(["simultaneous", "sequential"]),
        default="simultaneous",
        help="Of a System: how impacts at one time are resolved. simultaneous: all in one problem; sequential: in rounds, in which what is "
        "at rest takes no part.  [default: simultaneous]",
    ),
    *(
        system_option(
            f"--{name}-scale",
            type=float,
            metavar=unit,
            help=f"Of a System: the size of its {what}, to which errors are relative.  [default: `mobod info` shows the estimate]",
        )
        for name, unit, what in (("length", "METRES", "lengths"), ("time", "SECONDS", "times"), ("mass", "KG", "masses"))
    ),
)


def numerics_options(command: CommandFunction) -> CommandFunction:
    """These options, which the command takes as `numerics`."""

    @wraps(command)
    def run(*arguments: object, **given: object) -> None:
        command(*arguments, numerics={name: given.pop(name) for name in IntegrationOptions.__annotations__}, **given)

    return with_options(run, _NUMERICS)


interface_option = fmu_option(
    "--interface",
    type=click.Choice(["co-simulation", "model-exchange"]),
    help="Of an FMU that has both: whether it integrates itself, or CVODE does.  [default: co-simulation]",
)
limit_option = fmu_option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Limits for the size of an FMU. Bytes: unpacked=2GB, description=128MB; counts: files=10000, variables=100000; ratio=100 of "
    "unpacked bytes to archive bytes.",
)
csv_option = click.option("-o", "--out", "--csv", "csv_path", type=OutputFile(), help="Write all recorded values to a CSV file.")


def two_sides(option: str, argument: str) -> tuple[str, str]:
    """The text before and after the first '='. Raises click.UsageError if there is no '='."""
    left, separator, right = argument.partition("=")
    if not separator:
        raise click.UsageError(f"{option} {argument}: it contains no '='.")
    return left.strip(), right.strip()


def read_limits(arguments: tuple[str, ...]) -> "FmuLimits":
    """The limits of `--limit`, each a whole number with or without kB, MB, GB. Raises click.UsageError, UnknownNameError."""
    from mobod.fmi.fmu_limits import FmuLimits

    names = [field.name for field in fields(FmuLimits)]
    given = {}
    for argument in arguments:
        name, text = two_sides("--limit", argument)
        UnknownNameError.check("limit", name, names)
        given[name] = byte_count(f"--limit {name}", text)
    return FmuLimits(**given)


def byte_count(option: str, text: str) -> int:
    """A whole number with or without kB, MB, GB. Raises click.UsageError."""
    match = re.fullmatch(r"(\d+) ?(kB|MB|GB)?", text, re.ASCII)
    if match is None:
        raise click.UsageError(f"{option}: '{text}' is not a whole number, with or without kB, MB or GB.")
    return int(match[1]) * {None: 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}[match[2]]
