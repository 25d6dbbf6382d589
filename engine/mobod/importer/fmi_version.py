"""FmiVersion: loading and calls that differ between versions of FMI. All else of LoadedFmu, `importer` and `cosim` is the same for all."""

from mobod.fmi.version_1.loading import Fmi1Loading
from mobod.importer.fmi_2 import Fmi2
from mobod.importer.fmi_3 import Fmi3

FmiVersion = Fmi2 | Fmi3


def fmi_version(text: str) -> FmiVersion | None:
    """Of an fmiVersion, such as "2.0"; None for versions that are not read. FMUs of FMI 1.0 have the functions of FMI 2.0."""
    if text == "1.0":
        return Fmi2(Fmi1Loading(), has_initialization_mode=False, names_states=False)
    if text == "2.0":
        return Fmi2()
    return Fmi3() if text.startswith("3.") else None
