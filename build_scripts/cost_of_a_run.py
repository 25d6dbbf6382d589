"""Processor time of Simulation.run over no time, which is what a run costs besides its steps.

python build_scripts/cost_of_a_run.py
"""

from collections.abc import Callable
from time import thread_time
from typing import Any

from benchmarks.mechanisms import in_mobod, pins
from benchmarks.quadruped import STEP, quadruped

import mobod as mb

N_BATCHES, N_RUNS = 50, 20


def runs_of_nothing() -> dict[str, Callable[[], Any]]:
    """Functions that simulate no time: of pins, and of a quadruped with contacts, at velocity level and under error control."""
    found: dict[str, Callable[[], Any]] = {}
    for n in (1, 30):
        system, state = in_mobod(pins(n, is_general=True))
        found[f"{n} pins"] = _run(mb.Simulation(system), state)
    system, state = quadruped("stands")
    found["quadruped"] = _run(mb.Simulation(system, integrator="velocity_level", step=STEP), state)
    found["quadruped, with events"] = _run(mb.Simulation(system), state)
    return found


def _run(simulation: mb.Simulation, state: mb.State) -> Callable[[], Any]:
    return lambda: simulation.run(state, state.time)


def least_time(call: Callable[[], Any]) -> float:
    """s, of one call"""
    call()
    best = float("inf")
    for _ in range(N_BATCHES):
        start = thread_time()
        for _ in range(N_RUNS):
            call()
        best = min(best, (thread_time() - start) / N_RUNS)
    return best


if __name__ == "__main__":
    for name, call in runs_of_nothing().items():
        print(f"{name:30}{least_time(call) * 1e3:8.3f} ms", flush=True)
