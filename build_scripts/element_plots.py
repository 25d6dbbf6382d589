"""Plots of elements that have a curve: functions, motions and measures, each computed by the element itself."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from themed_plots import Draw, Theme

import mobod as mb
from mobod import functions, measures

SECONDS, STEP = 6.0, 0.02


@dataclass(frozen=True)
class Plot:
    """title: what is plotted"""

    title: str
    draw: Draw


def plot_of(cls: type) -> Plot | None:
    """The plot of an element's class; None if there is none."""
    if cls in _FUNCTIONS:
        function, low, high = _FUNCTIONS[cls]
        return Plot("The function, and its derivative", _Curves(lambda: _of_function(function, low, high), "x"))
    if cls in _MOTIONS:
        return Plot("Coordinate and speed of a Pin", _Curves(lambda: _of_motion(cls), "time, s"))
    if cls in _MEASURES:
        title, curves = _MEASURES[cls]
        return Plot(title, _Curves(lambda: _of_measures(curves), "time, s"))
    return None


@dataclass(frozen=True)
class _Curve:
    label: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class _Curves:
    """Draws curves; the first is solid, the others dashed. make: computes them"""

    make: Callable[[], list[_Curve]]
    x_label: str

    def __call__(self, figure: Figure, theme: Theme) -> None:
        axes = figure.subplots()
        for i, curve in enumerate(self.make()):
            axes.plot(curve.x, curve.y, "--" if i else "-", label=curve.label)
        axes.axhline(0.0, color=theme.faint, linewidth=0.6)
        axes.set_xlabel(self.x_label)
        figure.legend(loc="outside right upper")


_FUNCTIONS: dict[type, tuple[mb.Function, float, float]] = {
    functions.Constant: (functions.Constant(1.0), -1.0, 3.0),
    functions.Linear: (functions.Linear([0.5, 0.25]), -1.0, 3.0),
    functions.Polynomial: (functions.Polynomial([0.3, -1.0, 0.0, 1.0]), -1.0, 3.0),
    functions.Sinusoid: (functions.Sinusoid(1.0, 3.0), -1.0, 3.0),
    functions.Step: (functions.Step(0.0, 1.0, 0.0, 2.0), -1.0, 3.0),
    functions.Spline: (functions.Spline.fit([0.0, 0.7, 1.5, 2.2, 3.0], [0.0, 0.9, 0.4, 0.8, 0.3]), 0.0, 3.0),
}


def _of_function(function: mb.Function, low: float, high: float) -> list[_Curve]:
    x = np.linspace(low, high, 201)
    values = [np.array([float(function.value([each])) for each in x]), np.array([float(function.derivative([0], [each])) for each in x])]
    return [_Curve(label, x, y) for label, y in zip(("f(x)", "f'(x)"), values, strict=True)]


_MOTIONS: dict[type, Callable[[mb.Pin], mb.Motion]] = {
    mb.SteadyMotion: lambda pin: mb.SteadyMotion(pin, 0.5),
    mb.SinusoidMotion: lambda pin: mb.SinusoidMotion(pin, amplitude=0.5, rate=2.0),
    mb.FunctionMotion: lambda pin: mb.FunctionMotion(pin, functions.Step(0.0, 1.0, 1.0, 4.0)),
}


def _of_motion(cls: type) -> list[_Curve]:
    system = mb.MultibodySystem("picture")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(mass=1.0, p=[0.5, 0, 0]), name="pin")
    _MOTIONS[cls](pin)
    results = _run(system)
    return [_Curve(label, results.time, results[f"pin.{each}"]) for label, each in (("q, rad", "q"), ("u, rad/s", "u"))]


_SIGNAL = ("a position, m", "place.value")
_WAVE = ("wanted, m", "wave.value")
_MEASURES: dict[type, tuple[str, list[tuple[str, str]]]] = {
    measures.Delay: ("A decaying oscillation, and what was there 0.5 s before", [_SIGNAL, ("delayed", "seen.value")]),
    measures.Differentiate: ("A decaying oscillation, and its derivative", [_SIGNAL, ("its rate, m/s", "rate.value")]),
    measures.Integrate: ("A decaying oscillation, and its integral", [_SIGNAL, ("its integral, m s", "sum.value")]),
    measures.Maximum: (
        "A growing oscillation, and its largest value so far",
        [("position, m", "other.value"), ("maximum", "highest.value")],
    ),
    measures.Minimum: ("A growing oscillation, and its least value so far", [("position, m", "other.value"), ("minimum", "lowest.value")]),
    measures.MaxAbs: (
        "A growing oscillation, and its largest size so far",
        [("position, m", "mirrored.value"), ("MaxAbs", "farthest.value")],
    ),
    measures.MinAbs: (
        "An oscillation about 0.6 m, and its least size so far",
        [("position, m", "raised.value"), ("MinAbs", "nearest.value")],
    ),
    measures.SampleAndHold: ("A decaying oscillation, and its samples", [_SIGNAL, ("held", "held.value")]),
    measures.Sinusoid: ("0.5 m sin(2 t)", [_WAVE]),
    measures.Plus: ("Two measures, and their sum", [("sum", "sum of both.value"), _SIGNAL, _WAVE]),
    measures.Minus: ("Two measures, and their difference", [("difference", "difference.value"), _SIGNAL, _WAVE]),
    measures.Scale: ("A measure, and half of it", [_SIGNAL, ("half", "half.value")]),
}


def _of_measures(curves: list[tuple[str, str]]) -> list[_Curve]:
    results = _run_of_measures()
    return [_Curve(label, results.time, results[name]) for label, name in curves]


@cache
def _run_of_measures() -> mb.Results:
    """One run of a body on a spring, decaying, and of one that grows, with all of the measures."""
    system = mb.MultibodySystem("picture")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties.point(mass=1.0, p=[0, 0, 0])
    bodies = [mb.Slider(matter.ground, mass, name=name) for name in ("decaying", "growing")]
    for body, damping in zip(bodies, (0.6, 0.0), strict=True):
        mb.MobilityLinearSpring(forces, body, stiffness=9.0)
        mb.MobilityLinearDamper(forces, body, damping=damping)
    bodies[0].set_default_q(1.0)
    mb.ScheduledEventHandler.of(system, _next_kick, lambda state, event: bodies[1].set_u(state, bodies[1].u(state) + 1.2))
    place, other = (
        measures.Custom(system, partial(_first_coordinate, body), stage=mb.Stage.POSITION, unit="m", name=name)
        for body, name in zip(bodies, ("place", "other"), strict=True)
    )
    wave = measures.Sinusoid(system, 0.5, 2.0, unit="m", name="wave")
    raised = measures.Plus(system, measures.Constant(system, 0.6, unit="m", name="level"), other, name="raised")
    mirrored = measures.Scale(system, -1.0, other, name="mirrored")
    measures.Delay(system, place, 0.5, name="seen")
    measures.Differentiate(system, place, name="rate")
    measures.Integrate(system, place, name="sum")
    for kind, operand, name in (
        (measures.Maximum, other, "highest"),
        (measures.Minimum, other, "lowest"),
        (measures.MaxAbs, mirrored, "farthest"),
        (measures.MinAbs, raised, "nearest"),
    ):
        kind(system, operand, name=name)
    measures.SampleAndHold(system, place, 0.4, name="held")
    measures.Plus(system, place, wave, name="sum of both")
    measures.Minus(system, place, wave, name="difference")
    measures.Scale(system, 0.5, place, name="half")
    return _run(system)


def _first_coordinate(body: mb.MobilizedBody, state: mb.State) -> Any:
    return body.q(state)[0]


def _next_kick(state: mb.State, includes_now: bool) -> object:
    time, period = state.time, 2 * np.pi / 3
    return mb.scalar.where(time < 0.2, 0.2, mb.scalar.where(time < 0.2 + period, 0.2 + period, mb.NEVER))


def _run(system: mb.System) -> mb.Results:
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=SECONDS, report_every=STEP)
