"""Time against error of the methods under error control, for seven problems at three accuracies, and what `auto` takes of the best.

    python build_scripts/work_precision.py [--accuracies 1e-5 1e-8 1e-10] [--problems governor belt]
    python build_scripts/work_precision.py --page        # writes docs/numerics/work_precision.md; half a minute

The error is the largest one of y at the end, relative to 1 + |y|, against a method at accuracy 1e-12, 1e-11 for the chain. Times are of
processor, the least of some runs; runs of all methods follow each other.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from benchmarks.closed_loops import in_mobod as loops_in_mobod
from benchmarks.closed_loops import windows
from benchmarks.contact_schemes import belt
from benchmarks.mechanisms import in_mobod, pins
from benchmarks.runs import custom_joint_demo
from benchmarks.stiff import mounted_pendulum

import mobod as mb
from mobod.errors import IntegrationError

METHODS = ("auto", "RK45", "DOP853", "Rodas5P")
ACCURACIES = (1e-5, 1e-8, 1e-10)
PAGE = Path(__file__).parent.parent / "docs" / "numerics" / "work_precision.md"
HEAD = """\
# Time against error

The methods under error control on seven problems, compiled: processor time of a run, the least of five, and the largest error of y at
its end, relative to 1 + |y|. The error is that against a run at accuracy 1e-12 (1e-11 for the four-bar chain). Times are those of one
machine (two cores of an AMD EPYC processor, which did other work at the same time); runs of all methods follow each other, so that
their ratios count.

The ratio is the time of `auto` to that of the fastest other method whose error is at most ten times as large, if there is one. The
last column has the methods that `auto` used. A run that ends in an error, because its accuracy cannot be reached, fails: near bars in
line speeds are accurate to about 1e-8.

The page is written by `python build_scripts/work_precision.py --page`, which has the problems.

| problem | accuracy | auto | RK45 | DOP853 | Rodas5P | ratio | auto used |
|---|---|---|---|---|---|---|---|
"""
N_ROUNDS = 5
SECONDS = 0.3  # a longer run is made once


class Problem(NamedTuple):
    """A start and its duration, s. reference, fine: the method of the reference and its accuracy"""

    system: mb.MultibodySystem
    state: mb.State
    until: float
    reference: str = "DOP853"
    fine: float = 1e-12


def _seven_pins() -> Problem:
    return Problem(*in_mobod(pins(7, is_general=True)), 2.0)


def _of_iftomm(name: str) -> Problem:
    examples = str(Path(__file__).parent.parent / "examples")
    if examples not in sys.path:
        sys.path.append(examples)
    problem = import_module(f"iftomm.{name}")
    system, state = problem.build()
    return Problem(system, state, problem.UNTIL)


def _limits() -> Problem:
    system = custom_joint_demo()
    return Problem(system, system.realize_topology(), 5.0)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "7 pins": _seven_pins,
    "Andrews' squeezer, A03": lambda: _of_iftomm("a03_squeezer"),
    "governor, A05": lambda: _of_iftomm("a05_governor"),
    "stiff pendulum": lambda: Problem(*mounted_pendulum(), 2.0, "Rodas5P"),
    "joint with limits": _limits,
    "block on a belt": lambda: Problem(*belt(is_rigid=True), 5.0),
    "four-bar chain": lambda: Problem(*loops_in_mobod(windows(3)), 2.0, "RK45", 1e-11),
}


class Point(NamedTuple):
    """A method at an accuracy. error: NaN if the run failed"""

    seconds: float
    error: float
    steps: int
    integrator: str


def measured(problem: Problem, accuracy: float, reference: np.ndarray) -> dict[str, Point]:
    """The points of all methods."""
    simulations = {each: mb.Simulation(problem.system, accuracy, integrator=each, backend="compiled") for each in METHODS}  # type: ignore[arg-type] # they are names
    least, results = dict.fromkeys(METHODS, float("inf")), dict[str, Any]()
    for _ in range(N_ROUNDS):
        for name, simulation in simulations.items():
            if least[name] > SECONDS and name in results:
                continue
            start = thread_time()
            try:
                results[name] = simulation.run(problem.state, problem.until, report_every=problem.until)
            except IntegrationError:
                results[name] = None
            least[name] = min(least[name], thread_time() - start)
    found = {}
    for name, result in results.items():
        error = np.nan if result is None else float((np.abs(result.final_state.y - reference) / (1 + np.abs(reference))).max())
        found[name] = Point(least[name], error, 0 if result is None else result.steps, "failed" if result is None else result.integrator)
    return found


def points(problems: list[str], accuracies: tuple[float, ...]) -> Iterator[tuple[str, float, dict[str, Point]]]:
    """Problem, accuracy, and the points of all methods, as they are measured."""
    for name in problems:
        problem = PROBLEMS[name]()
        with catch_warnings():
            simplefilter("ignore", mb.MobodWarning)
            fine = mb.Simulation(problem.system, problem.fine, integrator=problem.reference, backend="compiled")  # type: ignore[arg-type] # a name
            reference = np.array(fine.run(problem.state, problem.until, report_every=problem.until).final_state.y)
            for accuracy in accuracies:
                yield name, accuracy, measured(problem, accuracy, reference)


def ratio_of_auto(found: dict[str, Point]) -> float:
    """The time of `auto` by that of the fastest method of those that succeed and have no more than ten times its error."""
    auto = found["auto"]
    others = [each.seconds for name, each in found.items() if name != "auto" and each.error <= 10 * max(auto.error, 1e-13)]
    return auto.seconds / min(others, default=np.nan)


def rows(problems: list[str], accuracies: tuple[float, ...]) -> Iterator[list[str]]:
    """The cells of each row of the table."""
    for name, accuracy, found in points(problems, accuracies):
        cells = ["fails" if np.isnan(each.error) else f"{1e3 * each.seconds:.2f} ms, {each.error:.0e}" for each in found.values()]
        ratio = ratio_of_auto(found)
        yield [name, f"{accuracy:.0e}", *cells, "" if np.isnan(ratio) else f"{ratio:.2f}", found["auto"].integrator]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time against error of the methods under error control.")
    parser.add_argument("--accuracies", nargs="+", type=float, default=ACCURACIES, metavar="A")
    parser.add_argument("--problems", nargs="+", default=[], metavar="WORD", help="those whose names contain one of these words")
    parser.add_argument("--page", action="store_true", help="write docs/numerics/work_precision.md")
    arguments = parser.parse_args()
    chosen = [each for each in PROBLEMS if not arguments.problems or any(word in each for word in arguments.problems)]
    lines = []
    for cells in rows(chosen, tuple(arguments.accuracies)):
        print("  ".join(f"{cell:<22}" for cell in cells), flush=True)
        lines.append(f"| {' | '.join(cells)} |\n")
    if arguments.page:
        PAGE.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
