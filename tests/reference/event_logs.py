"""The cases of `events.json`: the order of events, which is exact, and their times, in some cases from closed forms."""

from math import sin, sqrt
from typing import Any

import numpy as np
from scipy.special import ellipk

import mobod as mb

TOLERANCE = 1e-9  # s
ACCURACY = 1e-12  # of a pendulum; a falling mass is integrated exactly at any accuracy, and uses that of the case
LESS_THAN_ONE = 0.5  # tolerance of a count


def is_event_case(case: dict[str, Any]) -> bool:
    return case["name"] in ("pendulum_zero_crossings", "bouncing_mass", "scheduled_order")


def compare(case: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Yields (quantity, error, tolerance)."""
    if case["name"] == "scheduled_order":
        log = scheduled_order(0.65)
        return [("log", float(log != case["log"]), LESS_THAN_ONE)]
    times = np.array([event["t"] for event in case["events"]])
    if case["name"] == "bouncing_mass":
        exact, found = _bounces(len(times)), []
        for backend in ("interpreted", "compiled"):
            ours = bounces(case.get("accuracy", 1e-3), exact[-1] + 1e-3, backend)
            found.append((f"bounces, {backend}", *_difference(ours, exact)))
        return found
    exact = _crossings(len(times))
    return [(f"crossings, {backend}", *_difference(crossings(exact[-1] + 1e-3, backend), exact)) for backend in ("interpreted", "compiled")]


def scheduled_order(until: float) -> list[str]:
    """PeriodicEventHandler H1 .2, H2 .3; PeriodicEventReporter R1 .1, R2 .2."""
    log: list[str] = []
    system = mb.System("clock")

    def note(name: str) -> Any:
        return lambda state, *event: log.append(f"{name}@{state.time:.12g}")

    mb.PeriodicEventHandler.of(system, 0.2, note("H1"), name="H1", recordable=False)
    mb.PeriodicEventHandler.of(system, 0.3, note("H2"), name="H2", recordable=False)
    mb.PeriodicEventReporter.of(system, 0.1, note("R1"), name="R1")
    mb.PeriodicEventReporter.of(system, 0.2, note("R2"), name="R2")
    mb.Simulation(system).run(system.realize_topology(), until)
    return log


def crossings(until: float, backend: str) -> np.ndarray:
    """Times in s at which a point mass pendulum crosses zero; L = 1, g = 9.80665, q0 = 1."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.80665)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    mb.TriggeredEventReporter.of(system, lambda state: pin.q(state)[0], lambda state: None, name="crossing")
    state = system.realize_topology()
    pin.set_q(state, 1.0)
    return mb.Simulation(system, accuracy=ACCURACY, backend=backend).run(state, until).event_times("crossing")


def bounces(accuracy: float, until: float, backend: str) -> np.ndarray:
    """Times in s of the bounces of a mass on a slider along x; q0 = 1, g = 9.8, restitution 0.8."""
    system = mb.MultibodySystem("bouncing mass")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.8)
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball")
    mb.TriggeredEventHandler.of(
        system,
        lambda state: ball.q(state)[0],
        lambda state, event: ball.set_u(state, -0.8 * ball.u(state)),
        direction="falling",
        name="bounce",
    )
    state = system.realize_topology()
    ball.set_q(state, 1.0)
    return mb.Simulation(system, accuracy=accuracy, backend=backend).run(state, until).event_times("bounce")


def _crossings(n: int) -> np.ndarray:
    period = 4 * sqrt(1 / 9.80665) * ellipk(sin(0.5) ** 2)
    return period / 4 + period / 2 * np.arange(n)


def _bounces(n: int) -> np.ndarray:
    speeds = sqrt(2 * 9.8) * 0.8 ** np.arange(1, n)
    return sqrt(2 / 9.8) + np.concatenate([[0.0], np.cumsum(2 * speeds / 9.8)])


def _difference(ours: np.ndarray, exact: np.ndarray) -> tuple[float, float]:
    """The largest difference of two lists of times; infinite for different lengths."""
    return (float(np.abs(ours - exact).max(initial=0.0)) if len(ours) == len(exact) else np.inf), TOLERANCE
