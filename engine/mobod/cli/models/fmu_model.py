"""An FMU where a MODEL stands."""

from typing import TYPE_CHECKING

from mobod.cli.options import read_limits
from mobod.cli.shown_warnings import show_warnings

if TYPE_CHECKING:
    from mobod.fmi.isolation.isolation import Isolation
    from mobod.importer.fmu_model import FmuModel


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
