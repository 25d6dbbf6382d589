"""Overhead of Python over the C runtime: realizing and deleting States, setting a coordinate, a short run, witnesses, results."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmark_mechanisms import in_mobod, pins

import mobod as mb
from mobod.sweeps.runners import run_rows
from mobod.sweeps.sweep import system_task

N_WITNESSES = 20
N_POINTS = 10_000
N_RUNS = 128


def realizations(n: int) -> dict[str, Callable[[], Any]]:
    """Functions for n pins that realize a State (interpreted, compiled), that invalidate it, and that set a coordinate."""
    interpreted, state = in_mobod(pins(n, is_general=True))
    compiled, of_compiled = in_mobod(pins(n, is_general=True))
    mb.compile(compiled)
    body = interpreted.matter.bodies[-1]
    value = float(body.q(state)[0])
    return {
        "invalidate": lambda: state.invalidate(mb.Stage.POSITION),
        "set_q": lambda: body.set_q(state, value),
        "interpreted": lambda: _anew(interpreted, state),
        "compiled": lambda: _anew(compiled, of_compiled),
    }


def _anew(system: mb.MultibodySystem, state: mb.State) -> None:
    state.invalidate(mb.Stage.POSITION)
    system.realize(state, mb.Stage.ACCELERATION)


def short_run() -> Callable[[], Any]:
    """A function that simulates 0.01 s of one pin, in one step."""
    system, state = in_mobod(pins(1, is_general=True))
    simulation = mb.Simulation(system, backend="compiled")
    return lambda: simulation.run(state, 0.01)


def steps_of_arm(backend: str) -> Callable[[], Any]:
    """A function that sets a motor's torque, advances a stepped run of seven pins by a millisecond, and reads an angle."""
    system, state = in_mobod(pins(7, is_general=True))
    body = system.matter.bodies[0]
    mb.MobilityForce(mb.ForceSubsystem(system, "motors"), body, name="motor")
    y = np.array(state.y)
    state = system.realize_topology()
    state.y = y
    run = mb.Simulation(system, backend=backend).start(state)
    angle = f"{system.matter.bodies[-1].name}.q"

    def step() -> None:
        run.set("motor.force", 0.5)
        run.step(1e-3)
        run[angle]

    return step


def runs_of_sweep() -> dict[str, tuple[int, Callable[[], Any]]]:
    """Numbers of runs, and functions that make them. A run is 1 s of seven pins: by the runtime alone, and in sweeps."""
    system, state = in_mobod(pins(7, is_general=True))
    angle = f"{system.matter.bodies[-1].name}.q"
    task = system_task(system, {"gravity.magnitude": [9.81]}, state=state, until=1.0, figures=[angle])
    run = mb.Simulation(system, backend="compiled").start(state)
    saved = run.save()
    numbers = iter(range(10**9))

    def alone() -> None:
        run.restore(saved)
        run.step_to(1.0)

    def some(n: int) -> None:
        run_rows(task, 0, [[9.81 + 1e-9 * next(numbers)] for _ in range(n)])

    return {"runtime": (1, alone), "sweep": (1, lambda: some(1)), "sweep, side by side": (N_RUNS, lambda: some(N_RUNS))}


def runs_with_witnesses(n: int) -> dict[str, Callable[[], Any]]:
    """Functions that simulate 5 s of n pins: without witnesses, and with witnesses of coordinates, positions, velocities and accelerations
    that
    never cross zero.
    """
    return {
        "none": _run(n, None),
        "q": _run(n, lambda state, body, number: body.q(state)[0] - 1e3 - number),
        "p_GB": _run(n, lambda state, body, number: body.X_GB(state).p[1] - 1e3 - number),
        "V_GB": _run(n, lambda state, body, number: body.V_GB(state)[4] - 1e4 - number, stage="velocity"),
        "A_GB": _run(n, lambda state, body, number: body.A_GB(state)[4] - 1e6 - number, stage="acceleration"),
    }


def _run(n: int, witness: Callable[[Any, Any, int], Any] | None, stage: str = "position") -> Callable[[], Any]:
    system, state = in_mobod(pins(n, is_general=True))
    y = np.array(state.y)
    if witness is not None:
        for number in range(N_WITNESSES):
            _look_at(system, witness, system.matter.bodies[number % n], number, stage)
        state = system.realize_topology()
        state.y = y
    simulation = mb.Simulation(system, backend="compiled")

    def run() -> None:
        if simulation.run(state, 5.0, report_every=5.0).events:
            raise SystemExit("a witness that never crosses has crossed")

    return run


def _look_at(system: mb.MultibodySystem, witness: Callable[[Any, Any, int], Any], body: mb.MobilizedBody, number: int, stage: str) -> None:
    mb.TriggeredEventHandler.of(
        system, lambda state: witness(state, body, number), lambda state, actions: None, stage=stage, name=f"event{number}"
    )


def position_from_results(n: int) -> Callable[[], Any]:
    """A function that computes the position of the last of n pins at 10,001 points of time from the results of a run."""
    system, state = in_mobod(pins(n, is_general=True))
    results = mb.Simulation(system, backend="compiled").run(state, 1.0, report_every=1.0 / N_POINTS)
    name = f"{system.matter.bodies[-1].name}.p_GB"

    def position() -> None:
        results._known.clear()  # results cache computed values
        if results[name].shape != (N_POINTS + 1, 3):
            raise SystemExit(f"{name} has the shape {results[name].shape}")

    return position


def memory_of_dropped_states(n: int) -> float:
    """Memory in KiB that is not freed after n States are made, realized and deleted one after the other; the first States are not
    counted.
    """
    system, first = in_mobod(pins(1, is_general=True))

    def make(times: int) -> None:
        for _ in range(times):
            state = first.copy()
            system.realize(state, mb.Stage.ACCELERATION)

    make(10)
    tracemalloc.start()
    make(10)
    before, _ = tracemalloc.get_traced_memory()
    make(n)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / 1024
