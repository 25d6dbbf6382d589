"""An FMU where a MODEL stands."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.options import read_limits

if TYPE_CHECKING:
    from mobod.fmi.isolation.isolation import Isolation
    from mobod.importer.fmu_model import FmuModel

_MOST_SHOWN = 3  # problems in a warning


def is_fmu(model: str) -> bool:
    return Path(model).suffix.lower() == ".fmu"


def load_fmu(model: str, limits: tuple[str, ...], isolation: "Isolation | None" = None) -> "FmuModel":
    """Raises FmuFileError, UnsupportedError, click.UsageError."""
    from mobod.importer.fmu_model import FmuModel  # imported here because it loads fmpy, which is slow and not needed for help texts

    return FmuModel(model, read_limits(limits), isolation)


def warnings_of(fmu: "FmuModel") -> list[str]:
    """What makes the FMU doubtful."""
    if not fmu.problems:
        return []
    more = f" and {len(fmu.problems) - _MOST_SHOWN} more; `mobod validate` lists all" if len(fmu.problems) > _MOST_SHOWN else ""
    version = fmu.description.fmiVersion
    return [f"{fmu.path}: its modelDescription.xml breaks rules of FMI {version}: {' '.join(fmu.problems[:_MOST_SHOWN])}{more}"]


def show_warnings(warnings: list[str]) -> None:
    for warning in warnings:
        click.echo(f"Warning: {warning}", err=True)


def refuse_options(model: str, given: dict[str, bool], what: str) -> None:
    """Raise click.UsageError for the first given option, since it has no meaning for this MODEL."""
    for option, is_given in given.items():
        if is_given:
            raise click.UsageError(f"{option} applies only to {what}, and MODEL '{model}' is none.")
