"""What the master adds to the time of FMUs in a communication step, against libcosim and Ecos; FMUs in two threads.

The network is two FMUs with four connections, tests/cosim/coupled_masses.py. "FMUs alone" is a loop in C that calls the same functions of
the same FMUs in the same order: it reads two numbers, writes two numbers, and steps.
"""

import ctypes
import sys
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.harness import Bench, Columns, Measure, calls, case
from mobod.cosim import Master, Network, Run
from mobod.cosim.exchange.direct import direct
from mobod.runtime.compiler import build_library
from tests.cosim.coupled_masses import CONNECTIONS, HALVES, INPUTS, OUTPUTS, export_halves, network_of
from tests.cosim.other_masters import ecos_run, libcosim_run

STEP = 1e-3  # s
_STEPS = 2000  # of a call

BARE = r"""
#include <stddef.h>
typedef int Transfer(void *, const unsigned *, size_t, double *);
typedef int DoStep(void *, double, double, int);
typedef struct { void *component; Transfer *get, *set; DoStep *step; unsigned inputs[2], outputs[2]; } Fmu;

__attribute__((visibility("default"))) int bare_steps(Fmu *fmus, int n, double start, double step) {
    int status = 0;
    for (int k = 0; k < n; k++) {
        double values[2][2];
        for (int i = 0; i < 2; i++)
            status |= fmus[i].get(fmus[i].component, fmus[i].outputs, 2, values[i]);
        for (int i = 0; i < 2; i++)
            status |= fmus[i].set(fmus[i].component, fmus[i].inputs, 2, values[1 - i]);
        for (int i = 0; i < 2; i++)
            status |= fmus[i].step(fmus[i].component, start + k * step, step, 1);
    }
    return status;
}
"""


class BareFmu(ctypes.Structure):
    """Fmu of BARE."""

    _fields_ = [
        ("component", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in ("get", "set", "step")),
        ("inputs", ctypes.c_uint * 2),
        ("outputs", ctypes.c_uint * 2),
    ]


@case("masters", "two FMUs, four connections, {}", "jacobi", "gauss-seidel", peers=("FMUs alone", "libcosim", "Ecos"))
def overhead(bench: Bench, algorithm: str) -> Columns:
    halves = export_halves(bench.folder, integrator="SemiImplicitEuler", step=STEP)
    network = network_of(halves)
    others = {"libcosim": libcosim_run, "Ecos": ecos_run}
    return {
        "mobod": lambda: _steps(_run(bench, network, algorithm=algorithm)),
        "FMUs alone": lambda: bare_steps(_run(bench, network)),
        **{name: partial(_other, bench, other(halves, CONNECTIONS, STEP)) for name, other in others.items()},
    }


@case("masters", "a ring of {} FMUs of one model, {}", *product((2, 10, 100), ("many steps a call", "one step a call")), peers=("Ecos",))
def ring(bench: Bench, n: int, how: str) -> Columns:
    """Jacobi; two connections from each FMU to the next."""
    fmu = export_halves(bench.folder, integrator="SemiImplicitEuler", step=STEP)["left"]
    names = [f"fmu{k}" for k in range(n)]
    connections = [
        (f"{one}.{output}", f"{other}.{target}")
        for one, other in zip(names, [*names[1:], names[0]], strict=True)
        for output, target in zip(OUTPUTS, INPUTS, strict=True)
    ]
    network = Network()
    for name in names:
        network.add(fmu, name)
    for source, target in connections:
        network.connect(source, target)
    steps = 1 if how == "one step a call" else _STEPS
    return {
        "mobod": lambda: _steps(_run(bench, network), steps),
        "Ecos": lambda: _other(bench, ecos_run(dict.fromkeys(names, fmu), connections, STEP), steps),
    }


@case("masters", "two heavy FMUs in two threads", peers=("one thread",))
def threads(bench: Bench) -> Columns:
    """Jacobi; elapsed time."""
    network = network_of(export_halves(bench.folder, chain=40, integrator="RK4", step=STEP / 4))
    return {name: partial(_steps_of_threads, bench, network, n) for name, n in (("two threads", 2), ("one thread", 1))}


def _steps_of_threads(bench: Bench, network: Network, n: int) -> Measure:
    return _steps(_run(bench, network, threads=n), clock=perf_counter)


def _run(bench: Bench, network: Network, **options: Any) -> Run:
    run = bench.open(Master(network, step=STEP, **options).start())
    run.until(100 * STEP)
    return run


def _steps(run: Run, steps: int = _STEPS, **options: Any) -> Measure:
    return calls(lambda: run.until(run.time + steps * STEP), steps, **options)


def _other(bench: Bench, run: Any, steps: int = _STEPS) -> Measure:
    step = bench.open(run).step
    return calls(lambda: step(steps), steps)


def bare_steps(run: Run) -> Measure:
    """Steps of the FMUs of a run by a loop in C. The run cannot be used any more."""
    library = ctypes.CDLL(str(build_library("bare", {"bare.c": BARE})))
    library.bare_steps.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_double]
    fmus = (BareFmu * 2)()
    for fmu, name in zip(fmus, HALVES, strict=True):
        instance = direct(run._instances[name])
        assert instance is not None
        loaded = instance.loaded
        fmu.component = loaded.component
        fmu.get, fmu.set, fmu.step = (loaded.address(f"fmi2{each}") for each in ("GetReal", "SetReal", "DoStep"))
        fmu.inputs[:] = [instance.direct_variable(each).reference for each in INPUTS]
        fmu.outputs[:] = [instance.direct_variable(each).reference for each in OUTPUTS]
    time = run.time

    def steps() -> None:
        nonlocal time
        if library.bare_steps(fmus, _STEPS, time, STEP):
            raise RuntimeError("an FMU failed")
        time += _STEPS * STEP

    return calls(steps, _STEPS)
