"""Chooses the shapes of trees that are instructions of bytecode, by counting (engine/mobod/scalar/shapes.py).

    python build_scripts/choose_shapes.py            # number of instructions with all shapes, with the current and with the best shapes
    python build_scripts/choose_shapes.py --write    # also write the best shapes into shapes.py; then run generate_interpreter.py

The script counts the kinds of calls and their tangents of trees with every mobilizer and force, of loops with every constraint, and of
limits; and the calls of the benchmark's mechanisms, with their multiplicity: all calls, and the calls for derivatives. All groups have the
same
weight.
"""

import argparse
import importlib
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.compilation.calls.liveness import LiveCall, live_sweeps
from mobod.compilation.source.model_source import generate
from mobod.scalar.recording import Recording
from mobod.scalar.shapes import SHAPES
from mobod.scalar.sweep import SweepCall
from mobod.scalar.tiles import SIGNS, Growth, Shapes, ShapeTable, Tiling

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "engine" / "mobod" / "scalar" / "shapes.py"

N_SHAPES = 80
MAX_LEAVES = 9
_OPERATIONS_ALONE = ("(x*x)", "(x+x)", "(x-x)", "(-x)")
_DROPPED_AT_ONCE = 20

_TEXT = '''\
"""The trees of sums and products that are single instructions of bytecode (tiles.py cuts larger trees into these).

Chosen by build_scripts/choose_shapes.py, the most frequent first; x is a leaf.
"""

SHAPES = (
{}
)
'''


@dataclass(frozen=True)
class Counted:
    """A recording of a group, and its multiplicity."""

    group: str
    recording: Recording
    times: float

    def stored(self) -> set[int]:
        return {entry.number for output in self.recording.outputs for entry in output.flat}


@dataclass
class AllShapes:
    """A stand-in for a ShapeTable that has every shape with up to MAX_LEAVES leaves."""

    texts: list[str] = field(default_factory=lambda: ["x"])
    _numbers: dict[str, int] = field(default_factory=lambda: {"x": 0})
    _grown: dict[Growth, tuple[int, bool] | None] = field(default_factory=dict)

    @property
    def complete(self) -> Container[int]:
        return range(1, sys.maxsize)

    def grow(self, growth: Growth) -> tuple[int, bool] | None:
        if growth not in self._grown:
            self._grown[growth] = self._shape(*growth)
        return self._grown[growth]

    def _shape(self, operation: str, left: int, right: int) -> tuple[int, bool] | None:
        one, other = self.texts[left], self.texts[right]
        # trees that differ by exchanged operands have one form: the larger operand first
        is_exchanged = operation in ("add", "multiply") and (one.count("x"), one) < (other.count("x"), other)
        if is_exchanged:
            one, other = other, one
        text = f"(-{one})" if operation == "negative" else f"({one}{SIGNS[operation]}{other})"
        if text.count("x") > MAX_LEAVES:
            return None
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number, is_exchanged


def main() -> None:
    parser = argparse.ArgumentParser(description="Choose the shapes of trees that are instructions of bytecode.")
    parser.add_argument("--write", action="store_true", help="write them into shapes.py")
    write = parser.parse_args().write
    counted = [*elements(), *benchmark()]

    uses = with_all_shapes(counted)
    totals = per_group(uses)
    print("all", len({shape for _, shape in uses}), "shapes:", {group: round(n) for group, n in totals.items()})
    print(f"today's {len(SHAPES)} shapes, times as many instructions:", ratios(with_shapes(counted, SHAPES), totals))
    while len(shapes := ranked(uses, totals)) > N_SHAPES:
        n = max(N_SHAPES, len(shapes) - _DROPPED_AT_ONCE) - len(_OPERATIONS_ALONE)
        best = [shape for shape in shapes if shape not in _OPERATIONS_ALONE][:n]
        uses = with_shapes(counted, [*_OPERATIONS_ALONE, *best])
    print(f"the best {len(shapes)} shapes, times as many instructions:", ratios(uses, totals))
    if write:
        TARGET.write_text(_TEXT.format("\n".join(f'    "{shape}",' for shape in shapes)), encoding="utf-8", newline="\n")


def elements() -> Iterator[Counted]:
    mechanisms, loops, limited = (module(f"tests.laws.{name}") for name in ("mechanisms", "loops", "limited_mechanisms"))
    rng = np.random.default_rng(5)
    systems = []
    for seed, in_euler_angles in ((21, False), (22, True)):
        mechanism = mechanisms.random_mechanism(seed, in_euler_angles=in_euler_angles)
        systems += [(mechanism.system, mechanism.random_state(rng, moved=moved)) for moved in (False, True)]
    with_constraints = loops.random_loops(1)
    systems.append((with_constraints.system, with_constraints.state_with(rng, *with_constraints.constraints)))
    systems += [limited.limited_tree(seed, with_rods=True) for seed in range(3)]
    for kind in dict.fromkeys(kind for system, state in systems for kind in kinds_of(system, state)):
        yield Counted("elements", kind.recording(), 1.0)
        yield Counted("elements", kind.tangent(), 0.3)


def module(name: str) -> Any:
    """Imports a module of this checkout that need not be part of a package."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module(name)


def kinds_of(system: Any, state: Any) -> Iterator[Any]:
    system.realize(state, mb.Stage.ACCELERATION)
    operators = state.layout.tables[system.matter.index].operators.all()
    for sweep in [*state.layout.sweeps.values(), *state.layout.lazy_sweeps.values(), *operators]:
        yield from (call.kind for call in sweep.calls if isinstance(call, SweepCall))


def benchmark() -> Iterator[Counted]:
    mechanisms = module("benchmarks.mechanisms")
    cases = {f"30 pins, general: {is_general}": mechanisms.pins(30, is_general=is_general) for is_general in (False, True)}
    cases["humanoid"] = mechanisms.humanoid()
    for name, links in cases.items():
        model = generate(*mechanisms.in_mobod(links))
        calls = [call for sweep in model.sweeps.values() for call in sweep.calls if isinstance(call, SweepCall)]
        live = [
            call for sweep in live_sweeps(model.sweeps, model.y_dot.offsets).values() for call in sweep.calls if isinstance(call, LiveCall)
        ]
        yield from (Counted(f"all of {name}", kind.recording(), times) for kind, times in Counter(call.kind for call in calls).items())
        yield from (Counted(name, kind.recording(), times) for kind, times in Counter(call.kind for call in live).items())


Uses = dict[tuple[str, str], float]  # (group, shape) -> number of instructions for sums and products


def with_all_shapes(counted: Iterable[Counted]) -> Uses:
    every = AllShapes()
    return _uses(counted, every, every.texts)


def with_shapes(counted: Iterable[Counted], shapes: Sequence[str]) -> Uses:
    table = ShapeTable(shapes)
    return _uses(counted, table, table.texts)


def _uses(counted: Iterable[Counted], shapes: Shapes, texts: list[str]) -> Uses:
    uses: Uses = {}
    tiling = Tiling(shapes)
    for each in counted:
        for shape, _ in tiling.tiles(each.recording, each.stored()).values():
            use = (each.group, texts[shape])
            uses[use] = uses.get(use, 0.0) + each.times
    return uses


def per_group(uses: Uses) -> dict[str, float]:
    totals: dict[str, float] = {}
    for (group, _), n in uses.items():
        totals[group] = totals.get(group, 0) + n
    return totals


def ratios(uses: Uses, totals: dict[str, float]) -> dict[str, float]:
    return {group: round(n / totals[group], 3) for group, n in per_group(uses).items()}


def ranked(uses: Uses, totals: dict[str, float]) -> list[str]:
    """The shapes and the single operations in order of use, the most used first."""
    scores = dict.fromkeys(_OPERATIONS_ALONE, 0.0)
    for (group, shape), n in uses.items():
        scores[shape] = scores.get(shape, 0.0) + n / totals[group]
    return sorted(scores, key=lambda shape: (-scores[shape], shape))


if __name__ == "__main__":
    main()
