"""Plots of concepts, from runs of mobod: a double pendulum, limits and impacts, redundant constraints, accuracy and steps."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from page_program import run_blocks
from themed_plots import Theme

import mobod as mb
from mobod.runtime.integrators import Integrator

FRONT_PAGE = Path(__file__).resolve().parents[1] / "docs" / "index.md"
LIMIT = -0.6  # rad


def pendulum(figure: Figure, theme: Theme) -> None:
    """The angles of the mechanism on the front page, from its first lines."""
    names = run_blocks(FRONT_PAGE.read_text(encoding="utf-8").partition("results = ")[0] + "```\n")
    results = mb.Simulation(names["system"], backend="interpreted").run(names["state"], until=5.0, report_every=1 / 60)
    axes = figure.subplots()
    for name in ("upper.q", "lower.q"):
        axes.plot(results.time, results[name], label=name)
    axes.axhline(0.0, color=theme.faint, linewidth=0.6)
    axes.set_xlabel("time, s")
    axes.set_ylabel("angle of each pin, rad")
    axes.legend()


def limits(figure: Figure, theme: Theme) -> None:
    """A bar falls onto a limit, bounces, rests there, and is lifted off."""
    system = mb.MultibodySystem("limits")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    bar = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0.5, 0, 0]), name="bar")
    bar.set_limits(lower=LIMIT, upper=2.0, restitution=0.5)
    motor = mb.MobilityForce(forces, bar, name="motor")

    def switch_on(state: mb.State, event: mb.EventActions) -> None:
        motor.set_force(state, 6.0)

    mb.ScheduledEventHandler.of(system, lambda state, includes_now: mb.scalar.where(state.time < 2.4, 2.4, mb.NEVER), switch_on)
    state = system.realize_topology()
    bar.set_q(state, 0.6)
    results = mb.Simulation(system, backend="interpreted").run(state, until=3.0, report_every=0.005)

    angle, speed = figure.subplots(2, sharex=True)
    angle.axhspan(LIMIT - 0.25, LIMIT, color=theme.faint, alpha=0.3, linewidth=0)
    angle.plot(results.time, results["bar.q"], color=theme.blue)
    angle.set_ylabel("angle, rad")
    angle.set_ylim(LIMIT - 0.25, 0.9)
    speed.plot(results.time, results["bar.u"], color=theme.orange)
    speed.set_ylabel("speed, rad/s")
    speed.set_xlabel("time, s")
    notes = (
        ("impact: an impulse,\nthe speed jumps", (0.375, LIMIT), (0.62, 0.35)),
        ("at rest: a force holds", (1.95, LIMIT), (1.6, 0.0)),
        ("lifted: the force\nhas become zero", (2.43, LIMIT), (2.05, 0.45)),
    )
    for text, at, place in notes:
        arrow = {"arrowstyle": "->", "color": theme.faint}
        angle.annotate(text, at, place, color=theme.text, fontsize=9, arrowprops=arrow)


def redundancy(figure: Figure, theme: Theme) -> None:
    """A planar loop closed by a BallConstraint: the matrix of its rows, one of which depends on nothing that moves."""
    bar = mb.MassProperties(1.0, [0.5, 0, 0], mb.Inertia.box(mass=1.0, size=[1, 0.1, 0.1]).shifted([0.5, 0, 0]))
    system = mb.MultibodySystem("loop")
    matter = mb.MatterSubsystem(system)
    crank = mb.Pin(matter.ground, bar, name="crank")
    coupler = mb.Pin(crank, bar, X_PF=mb.Transform(p=[1, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[1.4, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [1, 0, 0], rocker, [1, 0, 0], name="ball")
    state = system.realize_topology()
    for body, q in ((crank, 1.9), (coupler, -1.5), (rocker, 1.3)):
        body.set_q(state, q)
    state = mb.Assembler(system).assemble(state)
    system.realize(state, mb.Stage.ACCELERATION)
    analysis = matter.analyze_constraints(state)
    points = [np.zeros(3), crank.X_GB(state).apply([1, 0, 0]), coupler.X_GB(state).apply([1, 0, 0]), rocker.X_GB(state).p]

    loop, matrix = figure.subplots(1, 2, width_ratios=[1, 1.2])
    loop.plot(*np.array(points)[:, :2].T, "-o", color=theme.blue, linewidth=4, markersize=8)
    loop.plot(*points[2][:2], "o", color=theme.orange, markersize=13)
    loop.set_title("a loop of three pins and a ball", fontsize=10)
    loop.set_aspect("equal")
    loop.set_axis_off()
    loop.margins(0.15)
    columns = [f"{body.name}.u" for body in matter.bodies]
    _matrix(matrix, theme, matter.constraint_matrix(state), matter.constraint_rows(state), columns, analysis.redundant)
    independent = len(analysis.rows) - len(analysis.redundant)
    matrix.set_title(f"matrix G: {independent} of {len(analysis.rows)} rows are independent", fontsize=10)
    text = f"{len(columns)} speeds - {independent} independent rows = {analysis.degrees_of_freedom} degree of freedom"
    matrix.text(1.5, len(analysis.rows) + 0.45, text, ha="center", va="center", color=theme.text, fontsize=9)


def _matrix(axes: Axes, theme: Theme, G: np.ndarray, rows: list[str], columns: list[str], redundant: tuple[str, ...]) -> None:
    for i, row in enumerate(rows):
        colour = theme.faint if row in redundant else theme.blue
        for j in range(len(columns)):
            axes.add_patch(Rectangle((j, i), 1, 1, facecolor=theme.box, edgecolor=colour))
            axes.text(j + 0.5, i + 0.5, f"{round(G[i, j], 2) + 0.0:.2f}", ha="center", va="center", color=colour, fontsize=10)
        axes.text(-0.1, i + 0.5, row, ha="right", va="center", color=colour, fontsize=10)
        if row in redundant:
            axes.text(len(columns) + 0.1, i + 0.5, "redundant", va="center", color=theme.orange, fontsize=9.5)
    for j, column in enumerate(columns):
        axes.text(j + 0.5, -0.15, column, ha="center", va="bottom", color=theme.text, fontsize=9)
    axes.set_xlim(-1.0, len(columns) + 1.3)
    axes.set_ylim(len(rows) + 0.8, -0.9)
    axes.set_axis_off()


def steps(figure: Figure, theme: Theme) -> None:
    """The errors of a pendulum's runs by accuracy; and the steps of a ball that bounces."""
    errors, ball = figure.subplots(1, 2)
    accuracies = 10.0 ** -np.arange(4, 10)
    exact = _pendulum("DOP853", 1e-13)
    compared: tuple[tuple[Integrator, str], ...] = (("RK45", "o"), ("DOP853", "s"), ("Rodas5P", "^"))
    for integrator, marker in compared:
        found = [abs(_pendulum(integrator, float(each)) - exact) for each in accuracies]
        errors.loglog(accuracies, found, marker, linestyle="-", markersize=4, label=integrator)
    errors.loglog(accuracies, accuracies, "--", color=theme.faint, linewidth=1.0)
    errors.text(7e-5, 2e-7, "error = accuracy", color=theme.faint, fontsize=8.5)
    errors.invert_xaxis()
    errors.set_xlabel("accuracy")
    errors.set_title("error after 10 s of a pendulum, rad", fontsize=10)
    errors.legend(fontsize=8.5)

    ball.plot(*_bounces(report_every=0.005), color=theme.faint, linewidth=1.0)
    ball.plot(*_bounces(report_every=None), "|", color=theme.orange, markersize=14, markeredgewidth=1.4)
    ball.set_xlabel("time, s")
    ball.set_title("height of a ball, m; marks: ends of steps", fontsize=10)


def _pendulum(integrator: Integrator, accuracy: float) -> float:
    """The angle, rad, after 10 s from the horizontal."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="pin")
    pin.set_default_q(np.pi / 2)
    run = mb.Simulation(system, accuracy=accuracy, integrator=integrator, backend="interpreted")
    return float(run.run(system.realize_topology(), until=10.0)["pin.q"][-1])


def _bounces(report_every: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Times and heights; at the ends of steps if no interval of reports is given."""
    system = mb.MultibodySystem("ball")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[-1, 0, 0], magnitude=9.81)
    ball = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="ball")
    mb.MobilityLinearDamper(forces, ball, damping=1.5)
    ball.set_limits(lower=0.0, upper=5.0, restitution=0.9)
    ball.set_default_q(1.0)
    run = mb.Simulation(system, accuracy=1e-6, backend="interpreted")
    results = run.run(system.realize_topology(), until=1.6, report_every=report_every)
    return results.time, results["ball.q"]
