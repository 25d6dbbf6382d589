"""Times of FMUs, called through fmpy: a communication step, and of an empty FMU; adjoint derivatives and columns of the Jacobian."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Literal

import fmpy
import numpy as np
from benchmark_mechanisms import in_mobod, pins
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import mobod as mb
from mobod.runtime.compiler import build_library

_FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
_STEP = 1e-3  # s


@contextmanager
def steps_of_fmus(folder: Path) -> Iterator[dict[str, Callable[[int], float]]]:
    """Yields name -> a function that runs n communication steps and returns the seconds of one."""
    system, state = in_mobod(pins(2, is_general=False))
    mb.export_fmu(system, folder / "pendulum.fmu", outputs=["b1.q"], state=state)
    unpacked = Path(fmpy.extract(str(folder / "pendulum.fmu"), unzipdir=str(folder / "pendulum")))
    description = fmpy.read_model_description(str(unpacked))
    pendulum = FMU2Slave(
        guid=description.guid,
        unzipDirectory=str(unpacked),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="ours",
    )
    library = str(build_library("empty", {"empty.c": _empty_fmu()}))
    empty = FMU2Slave(guid="", unzipDirectory=str(unpacked), modelIdentifier="empty", instanceName="empty", libraryPath=library)
    mb.export_fmu(system, folder / "pendulum_3.fmu", outputs=["b1.q"], state=state, fmi_version="3.0")
    of_fmi_3 = _instance_of_fmi_3(folder / "pendulum_3.fmu", folder / "pendulum_3")
    (of_platform,) = (folder / "pendulum_3" / "binaries").iterdir()
    shutil.copy(library, of_platform / f"empty{Path(library).suffix}")
    empty_3 = FMU3Slave(guid="", unzipDirectory=str(folder / "pendulum_3"), modelIdentifier="empty", instanceName="empty")
    empty_3.instantiate()
    for slave in (pendulum, empty):
        slave.instantiate()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
    yield {
        "doStep of a double pendulum": _stepping(pendulum),
        "doStep of a double pendulum, FMI 3.0": _stepping(of_fmi_3),
        "doStep of an empty FMU": _stepping(empty),
        "doStep of an empty FMU, FMI 3.0": _stepping(empty_3),
    }
    pendulum.terminate()
    for slave in (pendulum, of_fmi_3, empty, empty_3):
        slave.freeInstance()


def _instance_of_fmi_3(path: Path, folder: Path) -> FMU3Slave:
    """Initialized, unpacked in the folder."""
    unpacked = fmpy.extract(str(path), unzipdir=str(folder))
    description = fmpy.read_model_description(unpacked)
    identifier = description.coSimulation.modelIdentifier
    slave = FMU3Slave(guid=description.guid, unzipDirectory=unpacked, modelIdentifier=identifier, instanceName="ours")
    slave.instantiate()
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    return slave


def _stepping(slave: FMU2Slave | FMU3Slave) -> Callable[[int], float]:
    done = 0

    def steps(n: int) -> float:
        nonlocal done
        start = perf_counter()
        for k in range(done, done + n):
            slave.doStep(currentCommunicationPoint=k * _STEP, communicationStepSize=_STEP)
        done += n
        return (perf_counter() - start) / n

    return steps


@contextmanager
def derivatives_of_a_chain(n: int, code: Literal["compiled", "interpreted"], folder: Path) -> Iterator[dict[str, Callable[[], object]]]:
    """Yields name -> a function that computes the gradient of a sum of all derivatives of states of n pins with respect to all states:
    backwards, and by columns.
    """
    system, state = in_mobod(pins(n, is_general=True))
    path = mb.export_fmu(system, folder / f"chain_{code}.fmu", outputs=[], state=state, code=code, fmi_version="3.0")
    slave = _instance_of_fmi_3(path, folder / f"chain_{code}")
    description = fmpy.read_model_description(str(path))
    rates = [each for each in description.modelVariables if each.derivative is not None]
    unknowns, knowns = [each.valueReference for each in rates], [each.derivative.valueReference for each in rates]
    seed = np.random.default_rng(1).normal(size=len(unknowns)).tolist()
    calls: dict[str, Callable[[], object]] = {
        "all at once": lambda: slave.getAdjointDerivative(unknowns, knowns, seed, len(knowns)),
        "by columns": lambda: [slave.getAdjointDerivative(unknowns, [known], seed, 1)[0] for known in knowns],
    }
    together, by_columns = (np.array(gradient()) for gradient in calls.values())
    assert np.abs(together - by_columns).max() <= 1e-12 * np.abs(by_columns).max()
    yield calls
    slave.terminate()
    slave.freeInstance()


def _empty_fmu() -> str:
    """C code of an FMU of FMI 2.0 and 3.0 whose functions do nothing, to measure the overhead of a call through fmpy."""
    headers = "".join((_FMI_HEADERS / f"fmi{version}FunctionTypes.h").read_text() for version in (2, 3))
    found = set(re.findall(r"\b(fmi[23][A-Z]\w*)TYPE\b", headers))
    makers = sorted(name for name in found if "Instantiate" in name)
    names = sorted(found.difference(makers))
    functions = [f"EXPORT int {name}(void) {{ return 0; }}" for name in names]
    instances = [f"EXPORT void *{name}(void) {{ return &instance; }}" for name in makers]
    export = '#ifdef _WIN32\n#define EXPORT __declspec(dllexport)\n#else\n#define EXPORT __attribute__((visibility("default")))\n#endif'
    return "\n".join([export, "static int instance;", *instances, *functions, ""])
