"""Draws a multibody graph."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import hypot
from typing import TYPE_CHECKING, Any

from mobod.graph.elements import GraphBody, LoopConstraint, Mobilizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
Look = dict[str, Any]

FONT_SIZE = 8  # points
INCHES_OF_A_LETTER = 0.09
LEAST_FIGURE, LARGEST_FIGURE = (5.0, 4.0), (60.0, 60.0)  # inches
LEVEL_HEIGHT = 1.1  # inches
TREE: Look = {"color": "black", "linestyle": "-", "label": "mobilizer"}
ADDED: Look = {"color": "darkgray", "linestyle": "-", "label": "added base mobilizer"}
LOOP: Look = {"color": "tab:red", "linestyle": "--", "label": "loop constraint"}
SPLIT: Look = {"color": "tab:blue", "linestyle": ":", "label": "weld of slave to master"}


def draw_graph(
    ground: GraphBody, mobilizers: Sequence[Mobilizer], loop_constraints: Iterable[LoopConstraint], axes: "Axes | None"
) -> "Axes":
    """Draw Ground at the bottom and each level above the previous one. Default: axes in a new figure that is large enough to be read."""
    from matplotlib import pyplot  # imported here because it is slow to import
    from matplotlib.lines import Line2D

    place = _places(ground, mobilizers)
    texts = {body: _text_of_body(body) for body in place}
    if axes is None:
        size = _figure_size(place.values(), [*texts.values(), *map(_text_of_mobilizer, mobilizers)])
        _, axes = pyplot.subplots(figsize=size, layout="constrained")

    looks = []
    for each in mobilizers:
        looks.append(ADDED if each.is_added_base_mobilizer else TREE)
        _draw_line(axes, place[each.inboard_body], place[each.outboard_body], 0, looks[-1], _text_of_mobilizer(each))
        if each.is_slave_mobilizer:
            looks.append(SPLIT)
            _draw_line(axes, place[each.outboard_body], place[each.outboard_master_body], 0.5, SPLIT)
    n_loops: Counter[frozenset[GraphBody]] = Counter()
    for constraint in loop_constraints:
        looks.append(LOOP)
        bodies = frozenset((constraint.parent_body, constraint.child_body))
        bend = (1 + n_loops[bodies] // 2) * (-1) ** n_loops[bodies]  # alternately away from Ground and toward it, each time farther
        n_loops[bodies] += 1
        start, end = sorted(place[body] for body in bodies)
        _draw_line(axes, start, end, bend, LOOP, f"{constraint.joint.name}\n{constraint.joint_type.name}")
    for body, (x, y) in place.items():
        box = {
            "boxstyle": "round",
            "facecolor": "lightgray" if body.level == 0 else "white",
            "edgecolor": SPLIT["color"] if body.is_slave else TREE["color"],
            "linestyle": "--" if body.is_slave else "-",
        }
        axes.text(x, y, texts[body], size=FONT_SIZE, ha="center", va="center", zorder=3, bbox=box)

    axes.margins(0.1)
    axes.autoscale_view()
    axes.set_axis_off()
    legend = [Line2D([], [], **look) for look in (TREE, ADDED, LOOP, SPLIT) if look in looks]
    if legend:
        axes.legend(handles=legend, fontsize=FONT_SIZE, loc="upper left", bbox_to_anchor=(0, 0), ncols=2)
    return axes


def _places(ground: GraphBody, mobilizers: Iterable[Mobilizer]) -> dict[GraphBody, Point]:
    """(x, level) of each body: terminal bodies side by side, each other body centered above the bodies that it carries."""
    outboard = defaultdict(list)
    for each in mobilizers:
        outboard[each.inboard_body].append(each.outboard_body)
    order, waiting = [], [ground]
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(outboard[order[-1]])
    terminal = [body for body in order if not outboard[body]]
    x = {body: float(k) for k, body in enumerate(terminal)}
    for body in reversed(order):
        if outboard[body]:
            x[body] = (x[outboard[body][0]] + x[outboard[body][-1]]) / 2
    return {body: (x[body], float(body.level)) for body in order}


def _draw_line(axes: "Axes", start: Point, end: Point, bend: float, look: Look, text: str = "") -> None:
    """Draw a parabola (a straight line for bend 0) with a text at its middle."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1)
    # large enough for the text beside a straight line, but not up to the next level
    slope = bend * min(max(0.25 * length, 0.6), 1.5) / length
    corner = (x1 + x2) / 2 - slope * (y2 - y1), (y1 + y2) / 2 + slope * (x2 - x1)
    middle = (x1 + 2 * corner[0] + x2) / 4, (y1 + 2 * corner[1] + y2) / 4
    axes.add_patch(PathPatch(Path([start, corner, end], [Path.MOVETO, Path.CURVE3, Path.CURVE3]), fill=False, linewidth=1.2, **look))
    if text:
        box = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
        axes.text(*middle, text, size=FONT_SIZE, color=look["color"], ha="center", va="center", zorder=2, bbox=box)


def _text_of_body(body: GraphBody) -> str:
    return f"{body.name}\nmassless" if body.mass == 0 else body.name


def _text_of_mobilizer(mobilizer: Mobilizer) -> str:
    name = mobilizer.joint_type.name if mobilizer.is_added_base_mobilizer else f"{mobilizer.joint.name}\n{mobilizer.joint_type.name}"
    return f"{name}, reversed" if mobilizer.is_reversed else name


def _figure_size(places: Iterable[Point], texts: Iterable[str]) -> list[float]:
    """Inches: room for the longest text at each place, within bounds."""
    xs, ys = zip(*places, strict=True)
    letters = max(len(line) for text in texts for line in text.split("\n"))
    wanted = (max(xs) + 1) * max(1.0, (letters + 3) * INCHES_OF_A_LETTER), (max(ys) + 1) * LEVEL_HEIGHT
    return [min(max(inches, least), most) for inches, least, most in zip(wanted, LEAST_FIGURE, LARGEST_FIGURE, strict=True)]
