"""Local comparison of co-simulation and model exchange: each communication step is taken again from the same states."""

import numpy as np

from mobod.acceptance.behaviour.grid import Grid
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import StateVector

_MOST_STEPS = 100
_DEFECT = 0.05  # of the largest change of a state in a step
_SHARE_OF_STEPS = 0.25  # that may differ more, such as those with events


def steps_agree(tested: Tested, grid: Grid) -> bool | None:
    """Whether the steps of co-simulation follow the derivatives of model exchange. None if its states cannot be read.

    The states at a communication point are given to an instance for model exchange, which takes the step by a Runge-Kutta method. So
    equations that differ are found, and a coarse solver in the FMU is not mistaken for them.
    """
    states = _states_of_co_simulation(tested, grid)
    if states is None or len(states) < 2:
        return None
    step = grid.step / 4
    with Probe(tested, "model-exchange") as probe:
        probe.initialize(grid.stop)
        vector = StateVector(probe)
        if vector.count != states.shape[1] or probe.update_discrete_states():
            return None
        probe.call("EnterContinuousTimeMode")
        taken = [_runge_kutta(probe, vector, grid.start + k * step, step, states[k]) for k in range(len(states) - 1)]
    changes = np.diff(states, axis=0)
    defects = np.abs(np.array(taken) - states[1:])
    allowed = _DEFECT * np.abs(changes).max(axis=0) + 1e-9 * np.abs(states).max(axis=0) + 1e-300
    return bool(((defects > allowed).mean(axis=0) <= _SHARE_OF_STEPS).all())


def _states_of_co_simulation(tested: Tested, grid: Grid) -> np.ndarray | None:
    variables = [each for each in tested.model.states if each.kind is not None]
    if not variables:
        return None
    step = grid.step / 4
    with Probe(tested, "co-simulation") as probe:
        probe.initialize(grid.stop)
        values = probe.values(variables)
        rows = [values.get_reals()]
        for k in range(min(4 * grid.points, _MOST_STEPS)):
            if probe.step(grid.start + k * step, step) is not None:
                break
            rows.append(values.get_reals())
    return np.array(rows)


def _runge_kutta(probe: Probe, vector: StateVector, start: float, step: float, states: np.ndarray) -> np.ndarray:
    """The states after a step of the classical method of order four."""

    def slope(time: float, at: np.ndarray) -> np.ndarray:
        probe.call("SetTime", time)
        vector.set(at)
        return vector.derivatives()

    k1 = slope(start, states)
    k2 = slope(start + step / 2, states + step / 2 * k1)
    k3 = slope(start + step / 2, states + step / 2 * k2)
    k4 = slope(start + step, states + step * k3)
    return states + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
