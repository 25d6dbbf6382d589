"""planted_fmu: an FMU with a fault of its library, from the C source in planted/."""

import tempfile
import zipfile
from pathlib import Path

import fmpy

from mobod.acceptance.declared_checks import CHECKS
from mobod.acceptance.report import Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.acceptance.validate import experiment_of
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmu.platforms import fmi2_folders
from mobod.importer.fmu_model import FmuModel
from mobod.runtime.compiler import build_library

SOURCE = Path(__file__).parent / "planted"
HEADERS = Path(fmpy.__file__).parent / "c-code"


def planted_fmu(folder: Path, fault: str = "") -> Path:
    """Write an FMU whose library has this fault. All faults are in one library, which is compiled once."""
    library = build_library(
        "planted",
        {"planted.c": (SOURCE / "planted.c").read_text()},
        include_directories=[HEADERS],
        flags=["-fvisibility=default", "-D_GNU_SOURCE", "-Wno-null-dereference"],
    )
    path = folder / f"planted_{fault or 'right'}.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(SOURCE / "modelDescription.xml", "modelDescription.xml")
        archive.writestr("resources/fault.txt", fault)
        for platform in fmi2_folders():
            archive.write(library, f"binaries/{platform}/planted{library.suffix}")
    return path


def run_check_here(path: Path, name: str, until: float | None = None) -> Result:
    """Run a check in this process, for FMUs that do not crash."""
    model = FmuModel(path)
    with tempfile.TemporaryDirectory(prefix="mobod_") as temporary:
        folder = Path(temporary) / "unpacked"
        folder.mkdir()
        model.archive.unpack(folder)
        subject = Subject(path, FmuLimits(), folder, experiment_of(model, until, None))
        monitor = Monitor(Path(temporary) / "note.txt")
        (check,) = [each for each in CHECKS if each.name == name]
        return check.function()(subject, monitor)
