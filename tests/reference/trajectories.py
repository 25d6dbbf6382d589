"""A trajectory of a `simbody-ref/1` file against mobod's own simulation from the same state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.models import Model

ACCURACY = 1e-12  # errors are far below those of the files, 1e-10 to 1e-6
NO_RESULTS = {"integrator", "accuracy", "constraint_tolerance", "project_every_step", "interpolation", "steps_taken", "error_estimate"}


@dataclass(frozen=True)
class Run:
    """mobod's results, and the tolerance of the file's results: ten times the file's error estimate, as in the README."""

    model: Model
    results: mb.Results
    q_tolerance: float
    u_tolerance: float

    def coordinates(self, value: Any) -> np.ndarray:
        return np.array(value)[..., self.model.q_order]

    def speeds(self, value: Any) -> np.ndarray:
        return np.array(value)[..., self.model.u_order]


def run(model: Model, start: mb.State, trajectory: dict[str, Any]) -> Run:
    t = trajectory["t"]
    results = mb.Simulation(model.system, accuracy=ACCURACY).run(start, until=t[-1], report_every=(t[-1] - t[0]) / (len(t) - 1))
    estimates = trajectory["error_estimate"].items()
    q_tolerance, u_tolerance = (10 * max(value for name, value in estimates if kind in name.split("_")) for kind in ("q", "u"))
    return Run(model, results, q_tolerance, u_tolerance)


def _times(run: Run, value: Any) -> tuple[float, float]:
    return _difference(run.results.time, value), 1e-12


def _coordinates(run: Run, value: Any) -> tuple[float, float]:
    return _difference(run.results.y[:, : len(run.model.q_order)], run.coordinates(value)), run.q_tolerance


def _speeds(run: Run, value: Any) -> tuple[float, float]:
    return _difference(run.results.y[:, len(run.model.q_order) :], run.speeds(value)), run.u_tolerance


def _final_state(run: Run, value: Any) -> tuple[float, float]:
    """The error in units of the tolerance; coordinates and speeds have separate tolerances."""
    final = run.results.final_state
    q = _difference(final.q, run.coordinates(value["q"])) / run.q_tolerance
    return max(q, _difference(final.u, run.speeds(value["u"])) / run.u_tolerance), 1.0


def _energy(run: Run, value: Any) -> tuple[float, float]:
    """The relative error of the energy. The README gives no tolerance: it is twice the relative error of u."""
    return _difference(run.results["energy"], value) / np.abs(value).max(), 2 * max(run.q_tolerance, run.u_tolerance)


def _momentum(run: Run, value: Any) -> tuple[float, float]:
    """The relative error of the momentum. The README gives no tolerance: momentum is linear in u, and turns with q."""
    momentum = np.array(value, dtype=float).reshape(len(value), 6)
    return _difference(run.results["momentum"], momentum) / np.abs(momentum).max(), 2 * max(run.q_tolerance, run.u_tolerance)


def _difference(ours: Any, theirs: Any) -> float:
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if a.shape != b.shape:
        return np.inf
    difference = float(np.abs(a - b).max(initial=0.0))
    return difference if np.isfinite(difference) else np.inf


# result of a file -> (error, tolerance)
RESULTS: dict[str, Callable[[Run, Any], tuple[float, float]]] = {
    "t": _times,
    "q": _coordinates,
    "u": _speeds,
    "final_state_rkm_1e-12": _final_state,
    "energy": _energy,
    "momentum_about_ground_origin": _momentum,
}
