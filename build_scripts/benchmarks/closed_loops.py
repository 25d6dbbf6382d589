"""Closed loops: four-bars side by side that share nothing, A02's windows of four-bars, and a chain that ball joints hold
to ground; each in mobod and in MuJoCo, whose `connect` closes the loops.
"""

from dataclasses import dataclass
from functools import partial
from math import pi
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.evaluations import in_c
from benchmarks.harness import Bench, Columns, Measure, calls, case

GROUP = "closed loops"

_END = np.array([1.0, 0, 0])  # of a bar
_ANGLE, _SPEED = 1.1, -1.0  # rad, rad/s: of the cranks
_BAR = np.array([0.01, 1 / 3, 1 / 3])  # kg m^2, about the end of a bar of 1 m and 1 kg along its x axis


@dataclass(frozen=True)
class Bar:
    """A bar of 1 m and 1 kg along its x axis, on a pin along z at p of its parent, where its angle is q."""

    parent: int  # number of the bar; -1: ground
    p: tuple[float, float, float]
    q: float
    u: float = 0.0
    turn: float = 0.0  # rad, about x: of the axis of its pin


@dataclass(frozen=True)
class Pair:
    """Two stations that coincide: on a bar, and on another bar or on ground (-1)."""

    bar: int
    on_bar: np.ndarray
    other: int
    on_other: np.ndarray


@dataclass(frozen=True)
class Loops:
    """Bars with pairs of stations. is_planar: two equations close a loop."""

    bars: list[Bar]
    pairs: list[Pair]
    is_planar: bool = False


@case(GROUP, "{} four-bars side by side", 5, 20, 80, 100, 200, short=(2,), peers=("MuJoCo",))
def many_four_bars(bench: Bench, n: int) -> Columns:
    return _evaluations(bench, four_bars(n))


@case(GROUP, "{} windows of four-bars", 2, 10, 40, 100, 200, short=(2,), peers=("MuJoCo",))
def many_windows(bench: Bench, n: int) -> Columns:
    return _evaluations(bench, windows(n))


@case(GROUP, "a ladder of {} parallelograms", 10, 20, 40, short=(2,), peers=("MuJoCo",))
def one_ladder(bench: Bench, n: int) -> Columns:
    return _evaluations(bench, ladder(n))


@case(GROUP, "{} pins with {} balls to ground", (30, 5), short=((6, 2),), peers=("MuJoCo",))
def chain_on_balls(bench: Bench, n: int, n_balls: int) -> Columns:
    return _evaluations(bench, held_chain(n, n_balls))


def _evaluations(bench: Bench, loops: Loops) -> Columns:
    model = in_mobod(loops)
    return {
        "compiled": partial(in_c, bench, *model),
        "interpreted": partial(in_c, bench, *model, "interpreted"),
        "MuJoCo": partial(in_mujoco, loops),
    }


def four_bars(n: int) -> Loops:
    """n parallelograms, each closed by a ball joint of three equations, of which one is 0."""
    bars, pairs = list[Bar](), []
    for i in range(n):
        bars += [Bar(-1, (0, 0, 0), _ANGLE, _SPEED), Bar(-1, (1, 0, 0), _ANGLE, _SPEED), Bar(3 * i, (1, 0, 0), -_ANGLE, -_SPEED)]
        pairs.append(Pair(3 * i + 2, _END, 3 * i + 1, _END))
    return Loops(bars, pairs)


def windows(n: int) -> Loops:
    """n + 1 cranks in a row, each connected with the next one by a coupler (A02 of IFToMM)."""
    bars = [Bar(-1, (i, 0, 0), _ANGLE, _SPEED) for i in range(n + 1)] + [Bar(i, (1, 0, 0), -_ANGLE, -_SPEED) for i in range(n)]
    pairs = [Pair(n + 1 + i, _END, i + 1, _END) for i in range(n)]
    return Loops(bars, pairs, is_planar=True)


def ladder(n: int) -> Loops:
    """n parallelograms, one on the coupler of the other: all loops share the joints below them."""
    bars, pairs, platform = list[Bar](), list[Pair](), -1
    for i in range(n):
        angle = _ANGLE if i == 0 else _ANGLE + 0.1 * (i % 2)
        bars += [Bar(platform, (0, 0, 0), angle, _SPEED), Bar(platform, (1, 0, 0), angle, _SPEED), Bar(3 * i, (1, 0, 0), -angle, -_SPEED)]
        platform = 3 * i + 2
        pairs.append(Pair(3 * i + 1, _END, platform, _END))
    return Loops(bars, pairs, is_planar=True)


def held_chain(n: int, n_balls: int) -> Loops:
    """A chain of n pins, with axes that turn by 90 degrees from one to the next, and ball joints to ground along it."""
    bars = [Bar(i - 1, (float(i > 0), 0, 0), 0.1, turn=pi / 2 * (i % 2)) for i in range(n)]
    ends = [(k + 1) * n // n_balls - 1 for k in range(n_balls)]
    places = _places(bars)
    pairs = [Pair(end, _END, -1, places[end].apply(_END)) for end in ends]
    return Loops(bars, pairs)


def in_mobod(loops: Loops) -> tuple[mb.MultibodySystem, mb.State]:
    system = mb.MultibodySystem("loops")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    mass, bodies = mb.MassProperties(1.0, [0.5, 0, 0], np.diag(_BAR)), list[Any]()
    for i, bar in enumerate(loops.bars):
        parent = matter.ground if bar.parent < 0 else bodies[bar.parent]
        bodies.append(mb.Pin(parent, mass, mb.Transform(_turned(bar.turn), bar.p), name=f"bar{i}"))
    for i, pair in enumerate(loops.pairs):
        end = matter.ground if pair.other < 0 else bodies[pair.other]
        if loops.is_planar:
            mb.PointOnLine(end, [0, 0, 1], pair.on_other, bodies[pair.bar], pair.on_bar, name=f"loop{i}")
        else:
            mb.BallConstraint(bodies[pair.bar], pair.on_bar, end, pair.on_other, name=f"loop{i}")
    state = system.realize_topology()
    for bar, body in zip(loops.bars, bodies, strict=True):
        body.set_q(state, bar.q)
        body.set_u(state, bar.u)
    return system, state


def in_mujoco(loops: Loops) -> Measure:
    """One evaluation of all accelerations."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = [0, -9.81, 0]
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    about_center = _BAR - np.array([0, 0.25, 0.25])
    bodies: list[Any] = []
    for i, bar in enumerate(loops.bars):
        parent = spec.worldbody if bar.parent < 0 else bodies[bar.parent]
        turn = [np.cos(bar.turn / 2), np.sin(bar.turn / 2), 0, 0]
        body = parent.add_body(
            name=f"bar{i}", pos=bar.p, quat=turn, mass=1.0, ipos=[0.5, 0, 0], inertia=about_center, explicitinertial=True
        )
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        bodies.append(body)
    for i, pair in enumerate(loops.pairs):
        end = spec.worldbody if pair.other < 0 else bodies[pair.other]
        bodies[pair.bar].add_site(name=f"on bar {i}", pos=pair.on_bar)
        end.add_site(name=f"on other {i}", pos=pair.on_other)
        connect, site = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_SITE
        spec.add_equality(type=connect, objtype=site, name1=f"on bar {i}", name2=f"on other {i}")
    model = spec.compile()
    data = mujoco.MjData(model)
    order = _order(loops.bars)
    data.qpos[order] = [bar.q for bar in loops.bars]
    data.qvel[order] = [bar.u for bar in loops.bars]
    forward = mujoco.mj_forward
    return calls(lambda: forward(model, data))


def _turned(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _places(bars: list[Bar]) -> list[mb.Transform]:
    """The pose of each bar on the ground."""
    places: list[mb.Transform] = []
    for bar in bars:
        c, s = np.cos(bar.q), np.sin(bar.q)
        own = mb.Transform(_turned(bar.turn) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), bar.p)
        places.append(own if bar.parent < 0 else places[bar.parent] @ own)
    return places


def _order(bars: list[Bar]) -> list[int]:
    """The place of each bar in MuJoCo's coordinates: its tree in depth-first order."""
    children: dict[int, list[int]] = {}
    for i, bar in enumerate(bars):
        children.setdefault(bar.parent, []).append(i)
    order, left = [0] * len(bars), list(reversed(children[-1]))
    for place in range(len(bars)):
        number = left.pop()
        order[number] = place
        left += reversed(children.get(number, []))
    return order
