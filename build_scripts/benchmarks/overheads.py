"""Overhead of Python over the C runtime: realizing States, setting a coordinate, stepping, witnesses, plain Python, results, memory."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case, without
from benchmarks.mechanisms import in_mobod, pins
from mobod.sweeps.runners import run_rows
from mobod.sweeps.sweep import system_task

GROUP = "overheads"
N_WITNESSES = 20
N_POINTS = 10_000
N_RUNS = 128
Backend = Literal["compiled", "interpreted"]
# what a witness reads -> its value, which never crosses zero, and its stage
_WITNESSES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "coordinates": (lambda state, body: body.q(state)[0] - 1e3, "position"),
    "positions": (lambda state, body: body.X_GB(state).p[1] - 1e3, "position"),
    "velocities": (lambda state, body: body.V_GB(state)[4] - 1e4, "velocity"),
    "accelerations": (lambda state, body: body.A_GB(state)[4] - 1e6, "acceleration"),
}


@case(GROUP, "realize {} pins to ACCELERATION", 1, 30)
def realizing(bench: Bench, n: int) -> Columns:
    """Without the time to invalidate the State."""

    def measure(backend: Backend) -> Measure:
        system, state = in_mobod(pins(n, is_general=True))
        if backend == "compiled":
            mb.compile(system)

        def again() -> None:
            state.invalidate(mb.Stage.POSITION)
            system.realize(state, mb.Stage.ACCELERATION)

        return without(calls(lambda: state.invalidate(mb.Stage.POSITION)), calls(again))

    return {"compiled": lambda: measure("compiled"), "interpreted": lambda: measure("interpreted")}


@case(GROUP, "set_q of {} pins", 1, 30)
def setting(bench: Bench, n: int) -> Columns:
    system, state = in_mobod(pins(n, is_general=True))
    body = system.matter.bodies[-1]
    value = float(body.q(state)[0])
    return {"interpreted": lambda: calls(lambda: body.set_q(state, value))}


@case(GROUP, "set a torque, step of 1 ms, read an angle: 7 pins")
def stepping(bench: Bench) -> Columns:
    def measure(backend: Backend) -> Measure:
        system, state = in_mobod(pins(7, is_general=True))
        mb.MobilityForce(mb.ForceSubsystem(system, "motors"), system.matter.bodies[0], name="motor")
        y = np.array(state.y)
        state = system.realize_topology()
        state.y = y
        run = mb.Simulation(system, backend=backend).start(state)
        angle = f"{system.matter.bodies[-1].name}.q"

        def step() -> None:
            run.set("motor.force", 0.5)
            run.step(1e-3)
            run[angle]

        return calls(step)

    return {"compiled": lambda: measure("compiled"), "interpreted": lambda: measure("interpreted")}


@case(GROUP, "1 s of 7 pins in a sweep", peers=("runtime", "side by side"))
def sweeping(bench: Bench) -> Columns:
    """One after another, by the runtime alone, and 128 side by side."""
    system, state = in_mobod(pins(7, is_general=True))
    angle = f"{system.matter.bodies[-1].name}.q"
    task = system_task(system, {"gravity.magnitude": [9.81]}, state=state, until=1.0, figures=[angle])
    numbers = iter(range(10**9))

    def some(n: int) -> Measure:
        return calls(lambda: run_rows(task, 0, [[9.81 + 1e-9 * next(numbers)] for _ in range(n)]), n)

    def alone() -> Measure:
        run = mb.Simulation(system, backend="compiled").start(state)
        saved = run.save()

        def again() -> None:
            run.restore(saved)
            run.step_to(1.0)

        return calls(again)

    return {"alone": partial(some, 1), "runtime": alone, "side by side": partial(some, N_RUNS)}


@case(GROUP, "5 s of 7 pins, 20 witnesses of {} that never cross", *_WITNESSES, peers=("no witness",))
def witnesses(bench: Bench, kind: str) -> Columns:
    return {"compiled": partial(_with_witnesses, 7, *_WITNESSES[kind]), "no witness": partial(_with_witnesses, 7, None, "position")}


def _with_witnesses(n: int, witness: Callable[[Any, Any], Any] | None, stage: str) -> Measure:
    system, state = in_mobod(pins(n, is_general=True))
    y = np.array(state.y)
    if witness is not None:
        for number in range(N_WITNESSES):
            look = partial(_look, witness, system.matter.bodies[number % n], number)
            mb.TriggeredEventHandler.of(system, look, lambda state, actions: None, stage=stage, name=f"event{number}")
        state = system.realize_topology()
        state.y = y
    simulation = mb.Simulation(system, backend="compiled")

    def run() -> None:
        if simulation.run(state, 5.0, report_every=5.0).events:
            raise SystemExit("a witness that never crosses has crossed")

    return calls(run)


def _look(witness: Callable[[Any, Any], Any], body: mb.MobilizedBody, number: int, state: Any) -> Any:
    return witness(state, body) - number


@case(GROUP, "a position at {} points from results of 30 pins", N_POINTS)
def results(bench: Bench, n_points: int) -> Columns:
    system, state = in_mobod(pins(30, is_general=True))
    found = mb.Simulation(system, backend="compiled").run(state, 1.0, report_every=1.0 / n_points)
    name = f"{system.matter.bodies[-1].name}.p_GB"

    def position() -> None:
        found._known.clear()  # results cache computed values
        if found[name].shape != (n_points + 1, 3):
            raise SystemExit(f"{name} has the shape {found[name].shape}")

    return {"compiled": lambda: calls(position)}


class Drag(mb.CustomForce):
    """Quadratic air resistance on the tip, and a spring between the tip and a fixed point."""

    parameters = (
        mb.ForceParameter(name="coefficient", unit="N.s2/m2", description="force at a speed of 1 m/s"),
        mb.ForceParameter(name="stiffness", unit="N/m", description="of the spring"),
    )

    def __init__(self, forces: mb.ForceSubsystem):
        super().__init__(forces, {"coefficient": 0.3, "stiffness": 2.0}, name="drag")

    def calc_force(self, state: Any, body_forces: np.ndarray, mobility_forces: np.ndarray) -> None:
        tip = self.matter.bodies[-1]
        v, p = tip.V_GB(state)[3:], tip.X_GB(state).p
        body_forces[tip.index, 3:] -= self.parameter(state, "coefficient") * np.sqrt(1e-6 + v @ v) * v
        body_forces[tip.index, 3:] -= self.parameter(state, "stiffness") * p


class PythonDrag(Drag):
    recordable = False


@case(GROUP, "0.5 s of 7 pins with a force in plain Python", peers=("recorded",))
def unrecorded(bench: Bench) -> Columns:
    """Interpreted, with a user's force that has `recordable = False`, and with the same force recorded."""

    def measure(force: type[Drag]) -> Measure:
        system, state = in_mobod(pins(7, is_general=True))
        y = np.array(state.y)
        force(mb.ForceSubsystem(system, "users"))
        state = system.realize_topology()
        state.y = y
        simulation = mb.Simulation(system, 1e-8, backend="interpreted")
        return calls(lambda: simulation.run(state, 0.5))

    return {"in Python": partial(measure, PythonDrag), "recorded": partial(measure, Drag)}


@case(GROUP, "memory that {} States leave", 10_000, short=(100,), unit="KiB", is_once=True)
def memory_of_dropped_states(bench: Bench, n: int) -> Columns:
    """States that are made, realized and deleted one after the other; the first ones are not counted."""
    system, first = in_mobod(pins(1, is_general=True))

    def make(times: int) -> None:
        for _ in range(times):
            state = first.copy()
            system.realize(state, mb.Stage.ACCELERATION)

    def measure(_: int) -> float:
        make(10)
        tracemalloc.start()
        make(10)
        before, _ = tracemalloc.get_traced_memory()
        make(n)
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return (after - before) / 1024

    return {"Python": lambda: measure}
