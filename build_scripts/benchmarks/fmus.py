"""FMUs called through fmpy: a communication step against one of an empty FMU, and derivatives of all states at once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from shutil import copyfile
from typing import Literal

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from benchmarks.mechanisms import in_mobod, pins
from mobod.runtime.compiler import build_library

_FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
_STEP = 1e-3  # s
Version = Literal["2.0", "3.0"]


@case("FMUs", "doStep of a double pendulum, FMI {}", "2.0", "3.0", peers=("an empty FMU",))
def do_step(bench: Bench, version: Version) -> Columns:
    system, state = in_mobod(pins(2, is_general=False))
    path = mb.export_fmu(system, bench.folder / "pendulum.fmu", outputs=["b1.q"], state=state, fmi_version=version)

    def empty() -> Measure:
        library = build_library("empty", {"empty.c": _empty_fmu(version)})
        return _stepping(bench.open(_instance(path, bench.folder / "empty", version, library)))

    return {"compiled": lambda: _stepping(bench.open(_instance(path, bench.folder / "ours", version))), "an empty FMU": empty}


@case("FMUs", "adjoint of {} pins, {}", (30, "compiled"), (30, "interpreted"), short=((3, "compiled"),), peers=("by columns",))
def adjoint(bench: Bench, n: int, code: Literal["compiled", "interpreted"]) -> Columns:
    """The gradient of a sum of all derivatives of states with respect to all states: backwards, and by columns."""
    system, state = in_mobod(pins(n, is_general=True))
    path = mb.export_fmu(system, bench.folder / "chain.fmu", outputs=[], state=state, code=code, fmi_version="3.0")
    slave = bench.open(_instance(path, bench.folder / "chain", "3.0"))
    rates = [each for each in fmpy.read_model_description(str(path)).modelVariables if each.derivative is not None]
    unknowns, knowns = [each.valueReference for each in rates], [each.derivative.valueReference for each in rates]
    seed = np.random.default_rng(1).normal(size=len(unknowns)).tolist()

    def at_once() -> list[float]:
        return slave.getAdjointDerivative(unknowns, knowns, seed, len(knowns))

    def by_columns() -> list[float]:
        return [slave.getAdjointDerivative(unknowns, [known], seed, 1)[0] for known in knowns]

    together, apart = np.array(at_once()), np.array(by_columns())
    if np.abs(together - apart).max() > 1e-12 * np.abs(apart).max():
        raise SystemExit("adjoint derivatives all at once differ from those by columns")
    return {"at once": partial(calls, at_once), "by columns": partial(calls, by_columns)}


def stepping_fmu(bench: Bench, system: mb.System, state: mb.State, outputs: list[str], step: float) -> Measure:
    """Communication steps of this size of an FMU of the System."""
    path = mb.export_fmu(system, bench.folder / "model.fmu", outputs=outputs, state=state)
    return _stepping(bench.open(_instance(path, bench.folder / "unpacked", "2.0")), step)


@contextmanager
def _instance(path: Path, folder: Path, version: Version, library: Path | None = None) -> Iterator[FMU2Slave | FMU3Slave]:
    """Initialized, unpacked in the folder; with the functions of another library if one is given."""
    unpacked = fmpy.extract(str(path), unzipdir=str(folder))
    description = fmpy.read_model_description(unpacked)
    identifier = description.coSimulation.modelIdentifier
    if library is not None:  # in place of the FMU's own: fmpy takes no other path for FMI 3.0
        folder_of = fmpy.platform if version == "2.0" else fmpy.platform_tuple
        copyfile(library, Path(unpacked, "binaries", folder_of, f"{identifier}{fmpy.sharedLibraryExtension}"))
    slave = (FMU2Slave if version == "2.0" else FMU3Slave)(
        guid=description.guid,
        unzipDirectory=unpacked,
        modelIdentifier=identifier,
        instanceName="instance",
    )
    slave.instantiate()
    if version == "2.0":
        slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    yield slave
    slave.terminate()
    slave.freeInstance()


def _stepping(slave: FMU2Slave | FMU3Slave, step: float = _STEP) -> Measure:
    number = count()
    return calls(lambda: slave.doStep(currentCommunicationPoint=next(number) * step, communicationStepSize=step))


def _empty_fmu(version: Version) -> str:
    """C code of an FMU whose functions do nothing, to measure the overhead of a call through fmpy."""
    prefix = f"fmi{version[0]}"
    header = (_FMI_HEADERS / f"{prefix}FunctionTypes.h").read_text()
    names = sorted(set(re.findall(rf"\b({prefix}[A-Z]\w*)TYPE\b", header)))
    making = [name for name in names if name.startswith(f"{prefix}Instantiate")]
    functions = [f"EXPORT int {name}(void) {{ return 0; }}" for name in names if name not in making]
    functions += [f"EXPORT void *{name}(void) {{ return &instance; }}" for name in making]
    export = '#ifdef _WIN32\n#define EXPORT __declspec(dllexport)\n#else\n#define EXPORT __attribute__((visibility("default")))\n#endif'
    return "\n".join([export, "static int instance;", *functions, ""])
