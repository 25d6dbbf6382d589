"""export_c: writes a System as C sources for a target without an operating system."""

# Decision: docs/decisions/204-bare.md

import ctypes
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Unpack

from mobod.compilation.calls.operation_counts import OperationCounts, StepOperations
from mobod.compilation.source.model_source import generate
from mobod.errors import InputError
from mobod.fmu.bare.absent import absent_tables, without_absent
from mobod.fmu.bare.members import groups_of
from mobod.fmu.bare.one_file import in_one_file
from mobod.fmu.bare.texts import example, header, page, source
from mobod.fmu.bounded_work import with_largest_work, work_of
from mobod.fmu.export import SteppingArguments, exported_options, exported_steps
from mobod.fmu.interface import make_interface
from mobod.fmu.names import model_identifier
from mobod.fmu.variables_source import variables_c
from mobod.native_sources import runtime_sources, without_libc
from mobod.runtime.compiler import build_library
from mobod.runtime.integrators import FIXED_STEP_METHODS
from mobod.system import State, System
from mobod.system.boundary import checked_system
from mobod.system.names import check_characters

_SOURCES = "sources"
_USUAL_STEP = 1e-3  # s, in the example if the model has no step of its own


class CArguments(SteppingArguments, total=False):
    """The arguments of export_c by name."""

    inputs: Iterable[str]
    outputs: Iterable[str]
    state: State | None
    name: str | None
    one_file: bool


def export_c(
    system: System,
    folder: str | Path,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    state: State | None = None,
    name: str | None = None,
    one_file: bool = False,
    **options: Unpack[SteppingArguments],
) -> Path:
    """Write a System as C99 for a processor without an operating system: a folder with a header, sources, an example and a page.

    folder   a new or empty one, or one that was written so before
    inputs, outputs, state, name
             as in export_fmu. Members of structs have flat names: 'lower_q_1'
    one_file whether the C file of the model holds the runtime too, with static names alone; else this lies in the folder 'sources'
    options  of steps, as in export_fmu: integrator, step, engagement, ... Methods with fixed steps take the same time each
    returns  the folder

    The header declares model_init and model_step, with structs of inputs, outputs, parameters and start values. Nothing is allocated: the
    program gives one block of memory, whose size the header says. It is found by building the model for this machine, so a C compiler is
    needed. The numbers are those of the compiled FMU, to the last bit.

    Raises UnsupportedError for elements that cannot be exported, UnknownNameError and InputError for names, InputError if the folder holds
    other files, NoCompilerError and CompileError.
    """
    checked_system(system, "export_c", System)
    steps = exported_options("export_c", system, **options)
    state = system.realize_topology() if state is None else state
    fixed_steps = exported_steps("export_c", system, state, steps)
    name = check_characters(system.name if name is None else name, "a model")
    identifier, folder = model_identifier(name), Path(folder)
    _check_folder(folder, identifier)
    model = generate(system, state, scales=steps.scales)
    interface = make_interface(
        model, name, inputs=inputs, outputs=outputs, options=steps, fixed_steps=fixed_steps, fmi_version="2.0", names="flat"
    )
    interface = with_largest_work(interface, model)
    groups = groups_of(interface)
    sources = without_libc(
        {
            **runtime_sources("bare"),
            **model.source(interface.offsets, len(interface.real_inputs), with_adjoints=False),
            "variables.c": variables_c(interface),
        }
    )
    sources = without_absent(sources, absent_tables(sources["model.c"]), steps.integrator)
    n_bytes = _bytes_of_memory(identifier, sources)
    step = steps.step or (fixed_steps.steps.size if fixed_steps is not None else _USUAL_STEP)
    work = work_of(model, interface)
    operations = _operations(model.step_operations(interface.offsets), steps.integrator) if work is None else work.text
    files = {
        f"{identifier}.h": header(identifier, groups, n_bytes, step),
        f"{identifier}.c": without_libc({f"{identifier}.c": source(identifier, groups)})[f"{identifier}.c"],
        "example.c": example(identifier, groups, step),
        "README.md": page(identifier, n_bytes, operations, step, in_one_file=one_file),
    }
    if one_file:
        own = {file: files[file] for file in (f"{identifier}.h", f"{identifier}.c")}
        files[f"{identifier}.c"] = in_one_file({**sources, **own}, ["model.c", "variables.c", f"{identifier}.c"])
        sources = {}
    _write(folder, files, sources)
    return folder


def _operations(counted: StepOperations, integrator: str) -> str:
    """Those of a step of fixed length; else those of an evaluation."""
    is_fixed = integrator in FIXED_STEP_METHODS
    counts = counted.of_step(integrator) if is_fixed else counted.evaluation
    parts = [f"{count} {name}" for name, count in zip(OperationCounts.names(), astuple(counts), strict=True) if count]
    of = f"a step of {integrator}" if is_fixed else "one evaluation of the rates"
    rest = f", and {counted.n_uncounted} calls of what decides by values" if counted.n_uncounted else ""
    return f"{of}: {', '.join(parts) or 'no operations'}{rest}"


def _check_folder(folder: Path, identifier: str) -> None:
    """Raises InputError if files would be lost."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"export_c: '{folder}' is a file. Give a folder.")
    if not folder.parent.is_dir():
        raise InputError(f"export_c: the folder '{folder.parent}' does not exist. Create it first.")
    own = {f"{identifier}.h", f"{identifier}.c", "example.c", "README.md", _SOURCES}
    others = sorted(each.name for each in folder.iterdir() if each.name not in own) if folder.exists() else []
    is_own = (folder / f"{identifier}.h").is_file() and (folder / "README.md").is_file()
    if others or (folder.exists() and any(folder.iterdir()) and not is_own):
        raise InputError(
            f"export_c: the folder '{folder}' holds {others[0] if others else 'files'} that mobod did not write. Give a new folder."
        )


def _write(folder: Path, files: Mapping[str, str], sources: Mapping[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    if (folder / _SOURCES).exists():
        shutil.rmtree(folder / _SOURCES)
    if sources:
        (folder / _SOURCES).mkdir()
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    for file, text in sources.items():
        (folder / _SOURCES / file).write_text(text, encoding="utf-8")


def _bytes_of_memory(identifier: str, sources: Mapping[str, str]) -> int:
    """That a start takes on this machine, in a library of the same sources."""
    library = ctypes.CDLL(str(build_library(f"{identifier}_bare", sources, flags=("-fvisibility=default",))))
    library.bare_bytes.restype = ctypes.c_size_t
    size, taken = 1 << 16, 1 << 16
    while taken >= size:
        size *= 4
        memory = (ctypes.c_double * (size // 8))()
        library.bare_start(memory, ctypes.c_size_t(size), ctypes.c_double(0.0), None, None, None, ctypes.c_size_t(0))
        taken = int(library.bare_bytes(memory))
    return (taken + 7) // 8 * 8
