"""An FMU where a MODEL stands."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.options import read_limits
from mobod.cli.shown_warnings import show_warnings

if TYPE_CHECKING:
    from mobod.fmi.isolation.isolation import Isolation
    from mobod.importer.fmu_model import FmuModel


def is_fmu(model: str) -> bool:
    return Path(model).suffix.lower() == ".fmu"


def load_fmu(
    model: str, limits: tuple[str, ...], isolation: "Isolation | None" = None, *, strict: bool = False, as_json: bool = False
) -> "tuple[FmuModel, list[str]]":
    """The FMU, and warnings of rules that it breaks, which are shown unless the output is JSON.

    Raises FmuFileError, UnsupportedError, click.UsageError.
    """
    # imported here because they load fmpy, which is slow and not needed for help texts
    from mobod.fmi.read_description import breaches_text
    from mobod.importer.fmu_model import FmuModel

    fmu = FmuModel(model, read_limits(limits), isolation, strict=strict)
    warnings = [breaches_text(fmu.archive, fmu.breaches)] if fmu.breaches else []
    if not as_json:
        show_warnings(warnings)
    return fmu, warnings


def refuse_options(model: str, given: dict[str, bool], what: str) -> None:
    """Raise click.UsageError for the first given option, since it has no meaning for this MODEL."""
    for option, is_given in given.items():
        if is_given:
            raise click.UsageError(f"{option} applies only to {what}, and MODEL '{model}' is none.")
