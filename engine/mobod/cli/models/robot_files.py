"""Robot files as MODEL: URDF, SDF and MJCF."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import click

from mobod.cli.options import two_sides
from mobod.errors import UnknownNameError

if TYPE_CHECKING:
    from mobod.matter import MultibodySystem

Parse = Callable[[str], object]
"""The value of a text. It raises KeyError or ValueError for an invalid one."""


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _motors(text: str) -> bool | str:
    return _truth(text) if text.lower() in ("true", "false") else {"force": "force", "velocity": "velocity"}[text]


def _names(text: str) -> list[str]:
    return text.split(",")


def _name_or_number(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _name_or_none(text: str) -> str | None:
    return None if text.lower() == "none" else text


def _numbers(text: str) -> float | list[float]:
    numbers = [float(each) for each in text.split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


_WANTED: Mapping[Parse, str] = {_truth: "true or false", _motors: "true or false, force or velocity"}

# of Robot.build
OF_BUILD: Mapping[str, Parse] = {
    "floating_base": _truth,
    "gravity": _numbers,
    "motors": _motors,
    "velocity_gain": float,
    "drives": _truth,
    "drive_limits": _truth,
    "limits": str,
    "stop_stiffness": float,
    "friction": str,
    "friction_speed": float,
    "equality": str,
    "contact": str,
    "links": _names,
    "sensors": _truth,
    "mesh_folders": _names,
    "strict": _truth,
}


@final
@dataclass(frozen=True)
class RobotFile:
    """A format of robot files.

    option    of the command line that says how such a file is read
    load      the function of mobod.files that reads it
    settings  its arguments by name
    """

    option: str
    load: str
    settings: Mapping[str, Parse]


URDF = RobotFile("--urdf", "load_urdf", {"loop_joints": str, "allow_macros": _truth, **OF_BUILD})
SDF = RobotFile("--sdf", "load_sdf", {"model": str, "paths": _names, **OF_BUILD})


MJCF = RobotFile(
    "--mjcf",
    "load_mjcf",
    {"keyframe": _name_or_number, "actuators": _name_or_none, "armature": _truth, "soft": str, "folders": _names, **OF_BUILD},
)


def load_robot_file(
    kind: RobotFile, path: Path, settings: Sequence[str], found: "list[dict[str, object]] | None" = None
) -> "MultibodySystem":
    """found  receives changes and omissions of the file, as JSON; without it, a summary goes to the error stream."""
    arguments = dict(_parsed(kind, setting) for setting in settings)
    from mobod import files

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", files.ModelFileWarning)
        system: MultibodySystem = getattr(files, kind.load)(path, **arguments)
    for each in caught:
        if not isinstance(each.message, files.ModelFileWarning):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        elif found is not None:
            found.extend(finding.as_json() for finding in each.message.findings)
        else:
            click.echo(f"warning: {each.message}", err=True)
    return system


def _parsed(kind: RobotFile, setting: str) -> tuple[str, object]:
    name, text = two_sides(kind.option, setting)
    UnknownNameError.check(f"setting of {kind.option}", name, kind.settings)
    try:
        return name, kind.settings[name](text)
    except (KeyError, ValueError):
        wanted = _WANTED.get(kind.settings[name], "a number")
        raise click.UsageError(f"{kind.option} {setting}: '{text}' is not {wanted}.") from None
