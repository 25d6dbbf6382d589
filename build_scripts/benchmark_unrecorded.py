"""Simulation time of an arm of seven bodies with a user's force, recorded and as plain Python."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from benchmark_mechanisms import in_mobod, pins

import mobod as mb


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


def simulations_with_a_force() -> dict[str, Callable[[int], float]]:
    """Name -> a function that simulates half a second n times by bytecode, and returns the seconds of one."""
    return {
        "0.5 s of 7 pins with a force, recorded": _simulation(Drag),
        "0.5 s of 7 pins with a force, in Python": _simulation(PythonDrag),
    }


def _simulation(force: type[Drag]) -> Callable[[int], float]:
    system, state = in_mobod(pins(7, is_general=True))
    q, u = np.array(state.q), np.array(state.u)
    force(mb.ForceSubsystem(system, "users"))
    state = system.realize_topology()
    state.q, state.u = q, u
    simulation = mb.Simulation(system, 1e-8, backend="interpreted")

    def seconds(n: int) -> float:
        start = perf_counter()
        for _ in range(n):
            simulation.run(state, 0.5)
        return (perf_counter() - start) / n

    return seconds
