"""Diagrams of concepts: boxes, arrows and frames."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.transforms import Affine2D
from themed_plots import Theme

import mobod as mb
from mobod.scalar.recording import record

Point = tuple[float, float]

STAGES = {
    "TOPOLOGY": "the elements, and which variables there are",
    "MODEL": "options; q, u and z can be set",
    "INSTANCE": "masses, frames, what is enabled",
    "TIME": "what depends on time alone",
    "POSITION": "poses, potential energy, position errors",
    "VELOCITY": "velocities, kinetic energy, velocity errors",
    "DYNAMICS": "applied forces",
    "ACCELERATION": "accelerations, multipliers, reactions",
    "REPORT": "what nothing else needs",
}


def stages(figure: Figure, theme: Theme) -> None:
    """A System makes a State, whose values are computed stage by stage."""
    axes = _canvas(figure, 10.4, 6.2)
    _box(axes, theme, (0.1, 4.4), (2.2, 1.5), "System", "bodies, joints,\nforces, constraints,\nmeasures, events")
    _text(axes, (1.2, 4.15), "does not change in a run", theme.faint)
    _box(axes, theme, (0.1, 1.2), (2.2, 1.2), "State", "time, q, u, z,\nparameters")
    _arrow(axes, (1.2, 3.9), (1.2, 2.5), theme.blue)
    axes.text(1.3, 3.2, "realize_topology()", va="center", color=theme.blue, fontsize=9)
    for i, (name, known) in enumerate(STAGES.items()):
        y = 5.9 - 0.66 * i
        axes.add_patch(Rectangle((3.9, y - 0.5), 1.75, 0.52, facecolor=theme.box, edgecolor=theme.faint))
        _text(axes, (4.77, y - 0.24), name, theme.text, weight="bold", size=8.5)
        axes.text(5.8, y - 0.24, known, va="center", color=theme.text, fontsize=9)
    _arrow(axes, (9.7, 5.8), (9.7, 0.2), theme.blue)
    _text(axes, (10.05, 3.0), "realize(state, stage)", theme.blue, rotation=270)
    _arrow(axes, (2.35, 1.9), (3.85, 3.28), theme.orange)
    _text(axes, (3.1, 1.45), "set_q: back to\nbefore POSITION", theme.orange)


def frames(figure: Figure, theme: Theme) -> None:
    """The frames of a mobilizer, and the poses between them."""
    axes = _canvas(figure, 10.0, 5.6)
    axes.set_aspect("equal")
    for center, size, angle, name in (((3.3, 2.1), (2.6, 1.5), 12, "parent P"), ((7.6, 3.5), (2.9, 1.3), 24, "body B")):
        box = FancyBboxPatch(
            (-size[0] / 2, -size[1] / 2), *size, boxstyle="round,pad=0.25", facecolor=theme.box, edgecolor=theme.faint, linewidth=1.2
        )
        box.set_transform(Affine2D().rotate_deg(angle).translate(*center) + axes.transData)
        axes.add_patch(box)
        _text(axes, (center[0] + 0.2, center[1] - 0.75), name, theme.faint)
    origins = {"G": (0.6, 0.6), "P": (2.7, 2.2), "F": (4.5, 2.6), "M": (6.2, 3.3), "B": (8.0, 3.6)}
    angles = {"G": 0, "P": 12, "F": 12, "M": 40, "B": 24}
    for name, origin in origins.items():
        _frame(axes, theme, origin, angles[name], name)
    for start, end, label, bend in (
        ("G", "P", "X_GP", -0.25),
        ("P", "F", "X_PF", 0.45),
        ("F", "M", "X_FM(q)", 0.4),
        ("M", "B", "X_MB", 0.5),
    ):
        _between(axes, origins[start], origins[end], label, bend, theme.orange if "q" in label else theme.blue)
    _between(axes, origins["G"], origins["B"], "", -0.25, theme.green)
    _text(axes, (6.6, 1.0), "X_GB = X_GP X_PF X_FM X_MB", theme.green)
    note = "Fixed on the bodies: X_PF, and X_BM, the inverse of X_MB. The coordinates q give X_FM."
    axes.text(0.2, 5.2, note, color=theme.text, fontsize=9.5)


def recording(figure: Figure, theme: Theme) -> None:
    """One function in Python becomes a tape, and the tape bytecode, C and derivatives."""
    axes = _canvas(figure, 10.0, 4.4)
    code = "def spring(p, k, L):\n    d = norm(p)\n    return -k * (d - L) * p / d"
    _code(axes, theme, (0.1, 2.0), (3.1, 1.5), "your code, NumPy", code)
    _code(axes, theme, (4.0, 0.9), (2.3, 3.0), "tape", _tape_text())
    _arrow(axes, (3.25, 2.7), (3.95, 2.7), theme.faint)
    _text(axes, (3.6, 3.05), "once", theme.orange)
    targets = (
        ("bytecode", "the interpreter in C runs it"),
        ("C function", "a compiler builds it"),
        ("tangent, adjoint", "exact derivatives: tapes again"),
    )
    for i, (name, what) in enumerate(targets):
        y = 3.1 - 1.25 * i
        _box(axes, theme, (7.1, y - 0.05), (2.8, 0.95), name, what)
        _arrow(axes, (6.35, 2.5), (7.05, y + 0.4), theme.faint)
    _text(axes, (1.65, 1.2), "Decisions by value are where(...),\nbecause the code runs once\nand not in each step.", theme.faint)
    _text(axes, (8.5, 0.15), "the same numbers in all of them, to the last bit", theme.faint)


def kernels(figure: Figure, theme: Theme) -> None:
    """All numbers are in one array; calls of sweeps read and write places in it."""
    axes = _canvas(figure, 10.0, 4.9)
    parts = (
        ("time", 0.7),
        ("q, u, z", 1.3),
        ("parameters", 1.5),
        ("poses", 1.4),
        ("velocities", 1.4),
        ("forces", 1.2),
        ("u_dot, z_dot", 1.7),
    )
    x, places = 0.3, {}
    for name, width in parts:
        given = name in ("time", "q, u, z", "parameters")
        axes.add_patch(Rectangle((x, 3.6), width, 0.6, facecolor=theme.box, edgecolor=theme.orange if given else theme.faint))
        _text(axes, (x + width / 2, 3.9), name, theme.text, size=9)
        places[name] = x + width / 2
        x += width
    axes.text(0.3, 4.45, "w: all numbers of a State in one array", color=theme.text, fontsize=10, weight="bold")
    rows = (
        ("POSITION", "pose of a Pin", ("q, u, z",), "poses", 1.2),
        ("VELOCITY", "velocity of a body", ("q, u, z", "poses"), "velocities", 3.6),
        ("DYNAMICS", "force of a spring", ("parameters", "poses"), "forces", 6.0),
        ("ACCELERATION", "solve for u_dot", ("velocities", "forces"), "u_dot, z_dot", 8.4),
    )
    for stage, kernel, reads, writes, at in rows:
        _box(axes, theme, (at - 1.05, 1.0), (2.1, 0.9), kernel, "kernel + places in w")
        _text(axes, (at, 0.7), f"sweep of {stage}", theme.faint, size=8.5)
        for each in reads:
            _arrow(axes, (places[each], 3.55), (at - 0.3, 1.95), theme.blue)
        _arrow(axes, (at + 0.3, 1.95), (places[writes], 3.55), theme.orange)
    _text(axes, (2.4, 0.15), "blue: reads", theme.blue)
    _text(axes, (7.4, 0.15), "orange: writes", theme.orange)


def fmi(figure: Figure, theme: Theme) -> None:
    """Who integrates: the FMU in co-simulation, the tool in model exchange."""
    axes = _canvas(figure, 10.0, 4.9)
    for left, title, top, bottom, steps in (
        (0.2, "Co-simulation", "the tool: communication points", "the FMU integrates, with its own steps", True),
        (5.2, "Model exchange", "the tool integrates, with its own steps", "the FMU gives derivatives", False),
    ):
        axes.text(left, 4.6, title, color=theme.text, fontsize=11, weight="bold")
        axes.text(left, 4.05, top, color=theme.text, fontsize=9)
        axes.text(left, 0.55, bottom, color=theme.text, fontsize=9)
        for y in (3.5, 1.2):
            axes.plot([left, left + 4.4], [y, y], color=theme.faint, linewidth=1.0)
        points = np.linspace(left + 0.2, left + 4.2, 4) if steps else left + 0.2 + np.array([0, 0.25, 0.7, 1.3, 2.0, 2.6, 3.3, 4.0])
        axes.plot(points, np.full(len(points), 3.5), "o", color=theme.blue, markersize=6)
        if steps:
            inner = left + 0.2 + np.array([0, 0.2, 0.55, 0.95, 1.333, 1.8, 2.2, 2.35, 2.667, 3.1, 3.55, 4.0])
            axes.plot(inner, np.full(len(inner), 1.2), "|", color=theme.orange, markersize=12, markeredgewidth=1.6)
            for x in points[:-1]:
                _arrow(axes, (x + 0.06, 3.35), (x + 0.06, 1.4), theme.blue)
                _arrow(axes, (x + 1.25, 1.4), (x + 1.25, 3.35), theme.green)
            _text(axes, (left + 0.62, 2.6), "inputs,\ndoStep", theme.blue, size=8.5)
            _text(axes, (left + 1.02, 1.85), "outputs", theme.green, size=8.5)
        else:
            for x in points:
                _arrow(axes, (x - 0.04, 3.35), (x - 0.04, 1.3), theme.blue)
                _arrow(axes, (x + 0.06, 1.3), (x + 0.06, 3.35), theme.green)
            _text(axes, (left + 1.8, 2.75), "time,\nstates", theme.blue, size=8.5)
            _text(axes, (left + 2.97, 2.0), "derivatives,\nindicators", theme.green, size=8.5)


def _tape_text() -> str:
    def spring(p: np.ndarray, k: float, length: float) -> np.ndarray:
        d = mb.scalar.norm(p)
        return -k * (d - length) * p / d

    tape = record(spring, [np.full(3, np.nan), np.array(np.nan), np.array(np.nan)], about="spring").tape
    lines = [f"{i:2} {name} {' '.join(map(str, operands))}" for i, (name, *operands) in enumerate(tape.entries)]
    return "\n".join([*lines[:11], "..."])


def _canvas(figure: Figure, width: float, height: float) -> Axes:
    axes = figure.subplots()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    return axes


def _box(axes: Axes, theme: Theme, corner: Point, size: Point, title: str, text: str) -> None:
    axes.add_patch(
        FancyBboxPatch(corner, *size, boxstyle="round,pad=0,rounding_size=0.12", facecolor=theme.box, edgecolor=theme.faint, linewidth=1.0)
    )
    x, top = corner[0] + size[0] / 2, corner[1] + size[1]
    axes.text(x, top - 0.12, title, ha="center", va="top", color=theme.text, fontsize=9.5, weight="bold")
    axes.text(x, top - 0.45, text, ha="center", va="top", color=theme.text, fontsize=8.5)


def _code(axes: Axes, theme: Theme, corner: Point, size: Point, title: str, text: str) -> None:
    _box(axes, theme, corner, size, title, "")
    spaced = text.replace(" ", "\u00a0")  # SVG joins spaces
    axes.text(corner[0] + 0.12, corner[1] + size[1] - 0.5, spaced, va="top", color=theme.text, fontsize=7.5, family="monospace")


def _text(axes: Axes, at: Point, text: str, color: str, *, size: float = 9.0, weight: str = "normal", rotation: int = 0) -> None:
    axes.text(*at, text, ha="center", va="center", color=color, fontsize=size, weight=weight, rotation=rotation)


def _arrow(axes: Axes, start: Point, end: Point, color: str) -> None:
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=10, color=color, shrinkA=0, shrinkB=0))


def _between(axes: Axes, start: Point, end: Point, label: str, bend: float, color: str) -> None:
    """An arrow from origin to origin, bent, with a label at its middle."""
    style = f"arc3,rad={-bend}"
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=12, color=color, connectionstyle=style, shrinkA=4, shrinkB=6)
    )
    middle, along = (np.array(start) + end) / 2, np.array(end) - start
    across = np.array([-along[1], along[0]])
    x, y = middle + bend / 2 * across + np.sign(bend) * 0.17 * across / np.linalg.norm(across)
    axes.text(x, y, label, ha="center", va="center", color=color, fontsize=9.5)


def _frame(axes: Axes, theme: Theme, origin: Point, degrees: float, name: str) -> None:
    """Two axes, x red and y green, and the name of the frame."""
    angle = np.radians(degrees)
    for direction, color in (((np.cos(angle), np.sin(angle)), theme.red), ((-np.sin(angle), np.cos(angle)), theme.green)):
        end = (origin[0] + 0.55 * direction[0], origin[1] + 0.55 * direction[1])
        _arrow(axes, origin, end, color)
    axes.add_patch(Circle(origin, 0.05, color=theme.text))
    axes.text(origin[0] - 0.08, origin[1] - 0.24, name, ha="center", va="center", color=theme.text, fontsize=10.5, weight="bold")
