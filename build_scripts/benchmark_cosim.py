"""Overhead of the master: time of a communication step beyond the FMUs' own, against libcosim and Ecos if they are installed; threads.

    python build_scripts/benchmark_cosim.py [--short] [--only NAME]

The network is two FMUs with four connections, tests/cosim/coupled_masses.py. The FMUs' own time is that of a loop in C that calls the same
functions of the same FMUs in the same order: it reads two numbers, writes two numbers, and steps. All times of a line are measured in
turns, and the smallest of each is taken.
"""

import argparse
import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from mobod.cosim import Master, Network, Run
from mobod.cosim.exchange.direct import direct
from mobod.runtime.compiler import build_library
from tests.cosim.coupled_masses import CONNECTIONS, HALVES, INPUTS, OUTPUTS, export_halves, network_of
from tests.cosim.other_masters import ecos_run, libcosim_run

STEP = 1e-3  # s
Steps = Callable[[int], object]  # takes a number of steps

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


def bare_steps(run: Run) -> Steps:
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

    def steps(n: int) -> None:
        nonlocal time
        if library.bare_steps(fmus, n, time, STEP):
            raise RuntimeError("an FMU failed")
        time += n * STEP

    return steps


@contextmanager
def steps_of_run(network: Network, **options: Any) -> Iterator[tuple[Run, Steps]]:
    with Master(network, step=STEP, **options).start() as run:
        run.until(100 * STEP)
        yield run, lambda n: run.until(run.time + n * STEP)


def smallest(cases: dict[str, Steps], n: int, rounds: int) -> dict[str, float]:
    """us of a step, by case; the cases take turns."""
    found = dict.fromkeys(cases, float("inf"))
    for _ in range(rounds):
        for name, steps in cases.items():
            start = perf_counter()
            steps(n)
            found[name] = min(found[name], (perf_counter() - start) / n * 1e6)
    return found


def overhead(folder: Path, rounds: int) -> None:
    """Light FMUs: what the master adds."""
    halves = export_halves(folder, integrator="SemiImplicitEuler", step=STEP)
    network = network_of(halves)
    with ExitStack() as stack:
        cases: dict[str, Steps] = {}
        for name in ("jacobi", "gauss-seidel"):
            _, cases[name] = stack.enter_context(steps_of_run(network, algorithm=name))
        run, _ = stack.enter_context(steps_of_run(network))
        cases["FMUs alone"] = bare_steps(run)
        for name, other in (("libcosim", libcosim_run), ("Ecos", ecos_run)):
            try:
                cases[name] = stack.enter_context(other(halves, CONNECTIONS, STEP)).step
            except ImportError as missing:
                print(f"{name}: not installed ({missing})")
        times = smallest(cases, 20000, rounds)
    alone = times.pop("FMUs alone")
    print(f"two FMUs, four connections: the FMUs' own time is {alone:.2f} us a step")
    print(f"{'':16}{'us a step':>12}{'overhead, us':>14}{'of jacobi':>12}")
    for name, time in times.items():
        print(f"{name:16}{time:12.2f}{time - alone:14.2f}{time / times['jacobi']:11.2f}x")


def threads(folder: Path, rounds: int) -> None:
    """Heavy FMUs: Jacobi in two threads."""
    network = network_of(export_halves(folder, chain=40, integrator="RK4", step=STEP / 4))
    with ExitStack() as stack:
        cases = {str(n): stack.enter_context(steps_of_run(network, threads=n))[1] for n in (1, 2)}
        times = smallest(cases, 2000, rounds)
    print(f"two heavy FMUs: {times['1']:.1f} us a step in one thread, {times['2']:.1f} in two: {times['1'] / times['2']:.2f} times as fast")


BENCHMARKS = {"overhead": overhead, "threads": threads}


def main() -> None:
    parser = argparse.ArgumentParser(description="Overhead of the included master, as ratios in the same run.")
    parser.add_argument("--short", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", choices=BENCHMARKS)
    options = parser.parse_args()
    for name, benchmark in BENCHMARKS.items():
        if options.only in (None, name):
            with TemporaryDirectory() as folder:
                benchmark(Path(folder), 3 if options.short else 10)


if __name__ == "__main__":
    main()
