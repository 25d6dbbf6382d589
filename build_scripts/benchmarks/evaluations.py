"""All accelerations of open mechanisms, once: here, in Pinocchio (aba) and in MuJoCo (mj_forward).

The time of an empty call is subtracted from that of each peer.
"""

from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case, without
from benchmarks.mechanisms import Link, humanoid, in_mobod, pins, tree_of_33_dof
from benchmarks.mixed_trees import mixed_tree
from benchmarks.peers import PEERS, Peer
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import Code, generate, start_values

GROUP = "forward dynamics"


@case(GROUP, "{} pins", 1, 7, 30, 100, short=(1, 7), peers=tuple(PEERS))
def chain(bench: Bench, n: int, *, is_general: bool = False) -> Columns:
    return _evaluations(bench, pins(n, is_general=is_general))


@case(GROUP, "{} pins, general frames", 1, 7, 30, 100, short=(7,), peers=tuple(PEERS))
def general_chain(bench: Bench, n: int) -> Columns:
    return chain(bench, n, is_general=True)


@case(GROUP, "{} of 33 degrees of freedom", "tree", "humanoid", peers=tuple(PEERS))
def branched(bench: Bench, kind: str) -> Columns:
    return _evaluations(bench, tree_of_33_dof() if kind == "tree" else humanoid())


@case(GROUP, "{} pins with {} rods, and without them", (30, 10), short=((6, 2),), peers=("without",))
def rods(bench: Bench, n: int, n_rods: int) -> Columns:
    """A rod from each third body to ground."""
    links = pins(n, is_general=True)
    closed, opened = in_mobod(links, n_rods), in_mobod(links)
    return {
        "compiled": partial(in_c, bench, *closed),
        "interpreted": partial(in_python, *closed),
        "without": partial(in_c, bench, *opened),
    }


@case(GROUP, "mixed tree of {} bodies, for each body", 30, 300, 1000, short=(2,))
def mixed(bench: Bench, n_bodies: int) -> Columns:
    """A tree with every mobilizer and every force."""
    return {"compiled": lambda: _part(in_c(bench, *mixed_tree(n_bodies)), n_bodies)}


def in_python(system: mb.MultibodySystem, state: mb.State) -> Measure:
    """Evaluations by bytecode, called from Python."""
    y = np.array(state.y)

    def evaluate() -> None:
        state.y = y
        system.realize(state, mb.Stage.ACCELERATION)

    return calls(evaluate)


def in_c(bench: Bench, system: mb.MultibodySystem, state: mb.State, code: Code = "compiled") -> Measure:
    """Evaluations by the C runtime."""
    y = np.array(state.y)
    run = bench.open(open_native(NativeModel(generate(system, state), code), start_values(state), 1e-6))

    def measure(n: int) -> float:
        start = process_time()
        run.rates(0.0, y, n)
        return (process_time() - start) / n

    return measure


def _evaluations(bench: Bench, links: list[Link]) -> Columns:
    system, state = in_mobod(links)
    own: dict[str, Callable[[], Measure]] = {
        "compiled": partial(in_c, bench, system, state),
        "interpreted": partial(in_python, system, state),
    }
    return own | {name: partial(_in_peer, peer, links, state) for name, peer in PEERS.items()}


def _in_peer(peer: type[Peer], links: list[Link], state: mb.State) -> Measure:
    """Exits if the accelerations of the peer differ from ours: times are comparable only for the same result."""
    theirs = peer(links, state)
    worst = np.abs(theirs.u_dot() - state.u_dot).max() / np.abs(state.u_dot).max()
    if not worst < 1e-9:
        raise SystemExit(f"{peer.__name__} has other accelerations, by {worst:.1e} of the largest. It is not the same mechanism.")
    return without(calls(peer([], None).call()), calls(theirs.call()))


def _part(measure: Measure, parts: int) -> Measure:
    return lambda n: measure(n) / parts
