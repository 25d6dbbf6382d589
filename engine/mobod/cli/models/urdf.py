"""URDF files as MODEL."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.options import two_sides
from mobod.errors import UnknownNameError

if TYPE_CHECKING:
    from mobod.matter import MultibodySystem


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _names(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> float | list[float]:
    numbers = [float(each) for each in text.split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


# of load_urdf; each raises KeyError or ValueError for an invalid text
SETTINGS: Mapping[str, Callable[[str], Any]] = {
    "loop_joints": str,
    "floating_base": _truth,
    "gravity": _numbers,
    "motors": _truth,
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
    "allow_macros": _truth,
}


def load_urdf_file(path: Path, settings: Sequence[str], found: "list[dict[str, object]] | None" = None) -> "MultibodySystem":
    """found  receives changes and omissions of the file, as JSON; without it, a summary goes to the error stream."""
    arguments = dict(_parsed(setting) for setting in settings)
    from mobod.files import ModelFileWarning, load_urdf

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelFileWarning)
        system = load_urdf(path, **arguments)
    for each in caught:
        if not isinstance(each.message, ModelFileWarning):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        elif found is not None:
            found.extend(finding.as_json() for finding in each.message.findings)
        else:
            click.echo(f"warning: {each.message}", err=True)
    return system


def _parsed(setting: str) -> tuple[str, Any]:
    name, text = two_sides("--urdf", setting)
    UnknownNameError.check("setting of --urdf", name, SETTINGS)
    try:
        return name, SETTINGS[name](text)
    except (KeyError, ValueError):
        wanted = "true or false" if SETTINGS[name] is _truth else "a number"
        raise click.UsageError(f"--urdf {setting}: '{text}' is not {wanted}.") from None
