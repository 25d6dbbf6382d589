"""Where the C runtime lies, and what else goes inside an FMU."""

from pathlib import Path
from typing import Literal

from mobod.errors import MobodError


def native_sources() -> Path:
    """The folder of model.h and of the C files that go with it into a shared library or an FMU.

    A wheel holds it inside the package; in a checkout, and so in an editable install, it is fmu_src/native.
    Raises MobodError where it is in neither place.
    """
    package = Path(__file__).resolve().parent
    in_wheel = package / "_fmu_src" / "native"
    in_checkout = package.parent.parent / "fmu_src" / "native"
    for folder in (in_wheel, in_checkout):
        if (folder / "model.h").is_file():
            return folder
    raise MobodError(
        f"the C runtime of mobod (model.h) is missing: it is neither in '{in_wheel}' nor in '{in_checkout}'. "
        "Install mobod again, from a wheel or from a whole checkout."
    )


def python_slave_source() -> str:
    """The module that a Python FMU is entered by: fmu_src/python/slave.py."""
    return (native_sources().parent / "python" / "slave.py").read_text(encoding="utf-8")


# what each way to use the runtime adds to what all share: FMI 2.0's functions, or those that Python calls (api.h)
_OWN = {
    "fmi2": ("exported_by_fmu.h", "fmi2.c"),
    "library": (
        "api.c",
        "api.h",
        "exported.h",
        "instructions.h",
        "interpreter.c",
        "interpreter.h",
        "quadratic_program.c",
        "quadratic_program.h",
        "simulation.c",
        "simulation.h",
    ),
}
# what an FMU has under another name
_NAMES = {"exported_by_fmu.h": "exported.h"}


def runtime_sources(use: Literal["fmi2", "library"]) -> dict[str, str]:
    """File name -> text of the C runtime: inside an FMU, where the generated model.c goes with it, or as a library of Python."""
    others = {name for other, names in _OWN.items() if other != use for name in names}
    files = (file for file in sorted(native_sources().iterdir()) if file.suffix in (".c", ".h") and file.name not in others)
    return {_NAMES.get(file.name, file.name): file.read_text(encoding="utf-8") for file in files}


_ELEMENTARY = (
    "double_double.h",
    "elementary.h",
    "elementary_coefficients.h",
    "exponential.c",
    "exponential.h",
    "hyperbolic.c",
    "hypotenuse.c",
    "inverse_trigonometric.c",
    "power.c",
    "trigonometric.c",
)


def elementary_sources() -> dict[str, str]:
    """File name -> text of the elementary functions (elementary.h)."""
    return {name: (native_sources() / name).read_text(encoding="utf-8") for name in _ELEMENTARY}


def kernel_sources() -> dict[str, str]:
    """File name -> text of what goes with compiled kernels into a library of their own."""
    return {name: (native_sources() / name).read_text(encoding="utf-8") for name in ("exported.h", "kernel.h")} | elementary_sources()


def packaged_library() -> Path | None:
    """The library that a wheel carries; None in a checkout."""
    folder = Path(__file__).resolve().parent / "_native"
    return next(iter(sorted(folder.glob("mobod_runtime.*"))), None)
