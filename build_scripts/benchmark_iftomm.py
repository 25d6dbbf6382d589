"""The five problems of the IFToMM library of multibody benchmarks over their published time spans: see docs/validation.md."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import perf_counter

import mobod as mb

EXAMPLES = Path(__file__).parent.parent / "examples"
PROBLEMS = ("a01_pendulum", "a02_four_bars", "a03_squeezer", "a04_bricard", "a05_governor")


def runs_of_iftomm(accuracy: float) -> dict[str, tuple[int, Callable[[int], float], Callable[[int], float]]]:
    """Name -> number of steps, and two functions (compiled, interpreted) that simulate n times and return the seconds of one run."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    return {f"{name[:3].upper()} at accuracy {accuracy:.0e}": _runs(name, accuracy) for name in PROBLEMS}


def _runs(name: str, accuracy: float) -> tuple[int, Callable[[int], float], Callable[[int], float]]:
    problem = import_module(f"iftomm.{name}")
    system, state = problem.build()

    def timed(backend: str) -> Callable[[int], float]:
        simulation = mb.Simulation(system, accuracy, backend=backend)

        def runs(n: int) -> float:
            start = perf_counter()
            for _ in range(n):
                simulation.run(state, problem.UNTIL, report_every=problem.UNTIL)
            return (perf_counter() - start) / n

        return runs

    steps = mb.Simulation(system, accuracy, backend="interpreted").run(state, problem.UNTIL, report_every=problem.UNTIL).steps
    return steps, timed("compiled"), timed("interpreted")
