"""The source files of the C runtime, and the other files that go into an FMU."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from mobod.errors import MobodError


def native_sources() -> Path:
    """The folder of model.h and of the C files that are built with it into a shared library or an FMU.

    An installed wheel has it inside the package. A checkout, and so an editable install, has it in fmu_src/native.
    Raises MobodError if it is in neither place.
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


def folder_of_package(name: str) -> Path:
    """The folder of an installed package, which is not imported: that takes longer. fmpy has the headers and schemas of FMI."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise MobodError(f"the package {name}, on which mobod depends, is missing. Install it: python -m pip install {name}")
    return Path(spec.submodule_search_locations[0])


def python_slave_source() -> str:
    """The source text of the module that starts a Python FMU: fmu_src/python/slave.py."""
    return (native_sources().parent / "python" / "slave.py").read_text(encoding="utf-8")


Use = Literal["compiled", "interpreted", "library", "lanes", "web"]
"""How the runtime is used: in an FMU with compiled kernels, in an FMU that reads its tables from its resources, as Python's library, as
Python's library of runs side by side (lanes.h), or as a library of WebAssembly (fmu_src/web)."""

_INTERPRETER = ("instructions.h", "interpreter.c", "interpreter.h", "kernel_functions.c", "kernel_functions.h", "run_program.h")
_FMI2 = ("fmi2.c", "fmi2.h", "fmi2_model_exchange.c", "fmi2_calls.c", "fmi2_calls.h")
_FMI3 = ("fmi3.c", "fmi3.h", "fmi3_calls.c", "fmi3_calls.h", "fmi3_events.c", "fmi3_unsupported.c")
_FMU = ("exported_by_fmu.h", "find_tables.h", *_FMI2, *_FMI3)
_TABLES = ("blob.c", "blob.h", "table_checks.c", "table_checks.h", "table_checks_events.c", "table_checks_rows.c", "table_fields.h")
_SIMULATION = (
    "input_ramps.c",
    "input_ramps.h",
    "saltation.c",
    "sensitivity.c",
    "sensitivity.h",
    "simulation.c",
    "simulation.h",
    "stepwise.c",
    "stepwise.h",
)
# files that each use adds to the shared ones
_LANES = (
    "ensemble_lanes.c",
    "lanes.c",
    "lanes_elementary.c",
    "lanes_interpreter.c",
    "lanes_memory.c",
    "lanes_projection.c",
    "lanes_number.h",
    "lanes_rows.c",
    "lanes_sweep.c",
    "lanes_trial.c",
    "lanes_trial.h",
)
_OF_KERNELS = ("lanes_of_rows.h",)  # only compiled kernels use it
_OWN: dict[Use, tuple[str, ...]] = {
    "compiled": (*_FMU, "embedded_tables.c"),
    "interpreted": (
        *_FMU,
        *_INTERPRETER,
        *_TABLES,
        "file_of_uri.c",
        "file_of_uri.h",
        "resource_tables.c",
    ),
    "library": (
        *_INTERPRETER,
        *_SIMULATION,
        "api.c",
        "api.h",
        "ensemble.c",
        "ensemble.h",
        "exchange.c",
        "exchange.h",
        "exchange_threads.h",
        "exported.h",
        "fmi2_calls.c",
        "fmi2_calls.h",
        "isolated.h",
        "isolated_log.c",
        "isolated_memory.h",
        "isolated_messages.c",
        "isolated_posix.c",
        "isolated_steps.c",
        "isolated_turns.c",
        "isolated_windows.c",
        "lanes.h",
        "member.h",
        "quadratic_program.c",
        "quadratic_program.h",
        "rows_in_order.c",
        "rows_in_order.h",
    ),
    "web": ("exported_by_fmu.h", *_INTERPRETER, *_SIMULATION, *_TABLES),
}
_OWN["lanes"] = (*_OWN["library"], *_LANES)
LANES_FILES = tuple(file for file in _LANES if file.startswith("lanes") and file.endswith(".c"))
"""The files that use vectors, which are compiled for each kind of vectors."""
# files with another name in an FMU
_NAMES = {"exported_by_fmu.h": "exported.h"}


def runtime_sources(use: Use, fmi_version: str | None = None) -> dict[str, str]:
    """File name -> text of the C runtime. With compiled kernels, the generated model.c and variables.c are built with it.

    fmi_version  of an FMU: with the functions of this version alone; None: of both
    """
    others = {name for names in _OWN.values() for name in names} - set(_OWN[use])
    others |= {_ANY_COMPILER, *_OF_KERNELS}
    others |= set(_FMI3 if fmi_version == "2.0" else _FMI2 if fmi_version == "3.0" else ())
    files = (file for file in sorted(native_sources().iterdir()) if file.suffix in (".c", ".h") and file.name not in others)
    return {_NAMES.get(file.name, file.name): file.read_text(encoding="utf-8") for file in files}


def web_sources() -> dict[str, str]:
    """File name -> text of the library of WebAssembly: the runtime with the functions that pages call."""
    own = sorted((native_sources().parent / "web").glob("*.[ch]"))
    return runtime_sources("web") | {file.name: file.read_text(encoding="utf-8") for file in own}


_ANY_COMPILER = "any_compiler.h"


def for_any_compiler(sources: Mapping[str, str]) -> dict[str, str]:
    """C files for the archive of an FMU. With any options they give a library with the same bits, as any_compiler.h describes."""
    header = (native_sources() / _ANY_COMPILER).read_text(encoding="utf-8")
    included = {file: f'#include "{_ANY_COMPILER}"\n{text}' for file, text in sources.items() if file.endswith(".c")}
    return {**sources, **included, _ANY_COMPILER: header}


def loader_sources() -> dict[str, str]:
    """File name -> text of the library of Python FMUs, which finds Python and opens pythonfmu's library."""
    native = native_sources()
    own = sorted((native.parent / "python" / "loader").glob("*.[ch]"))
    files = [*own, native / "file_of_uri.c", native / "file_of_uri.h"]
    return {file.name: file.read_text(encoding="utf-8") for file in files}


_ELEMENTARY = (
    "double_double.h",
    "elementary.h",
    "elementary_coefficients.h",
    "exponential.c",
    "exponential.h",
    "hyperbolic.c",
    "hyperbolic.h",
    "hypotenuse.c",
    "inverse_trigonometric.c",
    "inverse_trigonometric.h",
    "number.h",
    "number_type.h",
    "power.c",
    "power.h",
    "trigonometric.c",
    "trigonometric.h",
)


def elementary_sources() -> dict[str, str]:
    """File name -> text of the elementary functions (elementary.h)."""
    return {name: (native_sources() / name).read_text(encoding="utf-8") for name in _ELEMENTARY}


def kernel_sources(*, with_lanes: bool = False) -> dict[str, str]:
    """File name -> text of the files that are built with compiled kernels into a library of their own.

    with_lanes  for kernels over several lanes, of States or of rows
    """
    names = ("exported.h", "kernel.h", *(("lanes_elementary.c", "lanes_number.h", "lanes_of_rows.h") if with_lanes else ()))
    return {name: (native_sources() / name).read_text(encoding="utf-8") for name in names} | elementary_sources()
