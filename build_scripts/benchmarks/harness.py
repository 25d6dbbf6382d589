"""The cases of the benchmark, and how they are measured.

A case is a function with the decorator `case`. It returns columns: by name, a function that makes what is measured, which is called only
when the case is run. Batches of the columns of a case alternate, so that a slow period of the machine affects all of them; the median of
each is taken. Times are of this process on all its threads, unless a case says otherwise.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Literal, TypeVar

Measure = Callable[[int], float]  # does something n times, and returns the cost of one in s, or in KiB
Columns = Mapping[str, Callable[[], Measure]]
Unit = Literal["us", "KiB"]
T = TypeVar("T")
OfCase = TypeVar("OfCase", bound=Callable[..., Columns])
_SCALES: dict[Unit, float] = {"us": 1e6, "KiB": 1.0}
_BATCH, _CASE = 2e-3, 2.0  # s, what a batch and all batches take at least


@dataclass
class Bench:
    """What a case may use while it runs. figures are other numbers of its row, such as steps; folder is temporary."""

    is_short: bool
    folder: Path
    stack: ExitStack
    figures: dict[str, float] = field(default_factory=dict)

    def open(self, context: AbstractContextManager[T]) -> T:
        """Enters a context, which is left after the case."""
        return self.stack.enter_context(context)


@dataclass(frozen=True)
class Case:
    """peers are the columns with which the first one is compared; without the modules in `needs` nothing is measured."""

    group: str
    title: str
    columns: Callable[[Bench], Columns]
    peers: tuple[str, ...]
    unit: Unit
    is_once: bool
    in_short: bool
    in_full: bool
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A measured case. missing: peer -> why it was not measured."""

    group: str
    title: str
    unit: Unit
    costs: dict[str, float]
    ratios: dict[str, float]
    figures: dict[str, float]
    missing: dict[str, str]


CASES: list[Case] = []


def case(
    group: str,
    title: str,
    *values: object,
    short: tuple[object, ...] | None = None,
    peers: tuple[str, ...] = (),
    unit: Unit = "us",
    is_once: bool = False,
    needs: tuple[str, ...] = (),
) -> Callable[[OfCase], OfCase]:
    """Makes a function of a Bench a case, or one for each value, which the function gets too, and which fills `{}` in the title.

    short    values with --short; None: the same
    is_once  measured once, without a call before, with an empty cache of compiled libraries
    """

    def register(function: OfCase) -> OfCase:
        def add(value: tuple[object, ...], *, in_short: bool, in_full: bool) -> None:
            def columns(bench: Bench) -> Columns:
                return function(bench, *value)

            CASES.append(Case(group, title.format(*value), columns, peers, unit, is_once, in_short, in_full, needs))

        for each in values or ((),):
            add(each if isinstance(each, tuple) else (each,), in_short=short is None, in_full=True)
        for each in short or ():
            add(each if isinstance(each, tuple) else (each,), in_short=True, in_full=False)
        return function

    return register


def calls(call: Callable[[], object], parts: float = 1, clock: Callable[[], float] = process_time) -> Measure:
    """Calls a function n times; the cost is the time of one of its parts."""

    def measure(n: int) -> float:
        start = clock()
        for _ in range(n):
            call()
        return (clock() - start) / n / parts

    return measure


def without(overhead: Measure, measure: Measure) -> Measure:
    """What a measure costs more than another."""
    return lambda n: measure(n) - overhead(n)


def run(one: Case, *, is_short: bool) -> Row:
    """Measures a case. A peer that cannot be imported is missing in the row, and so is what the whole case needs."""
    if absent := {each: "not installed" for each in one.needs if find_spec(each) is None}:
        return Row(one.group, one.title, one.unit, {}, {}, {}, absent)
    with ExitStack() as stack:
        bench = Bench(is_short, Path(stack.enter_context(TemporaryDirectory())), stack)
        if one.is_once and not is_short:
            bench.open(environment("MOBOD_CACHE", str(bench.folder / "cache")))
        measures, missing = dict[str, Measure](), dict[str, str]()
        for name, make in one.columns(bench).items():
            try:
                measures[name] = make()
            except ImportError as error:
                if name not in one.peers:
                    raise
                missing[name] = f"not installed: {error}"
        found = {name: measure(1) for name, measure in measures.items()} if one.is_once else _medians(measures, is_short=is_short)
    costs = {name: _SCALES[one.unit] * cost for name, cost in found.items()}
    first = next(iter(costs))
    ratios = {f"{first} / {peer}": costs[first] / costs[peer] for peer in one.peers if peer in costs}
    return Row(one.group, one.title, one.unit, costs, ratios, bench.figures, missing)


def _medians(measures: dict[str, Measure], *, is_short: bool) -> dict[str, float]:
    for measure in measures.values():
        measure(1)  # makes and caches what the first call needs
    each = {name: _calls_in_a_batch(measure) for name, measure in measures.items()}
    batch = sum(_duration(measures[name], n) for name, n in each.items())
    batches = 1 if is_short else min(max(int(_CASE / batch), 5), 101)
    costs: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(batches):
        for name, measure in measures.items():
            costs[name].append(measure(each[name]))
    return {name: median(values) for name, values in costs.items()}


def _calls_in_a_batch(measure: Measure) -> int:
    once = _duration(measure, 1)
    if once > _BATCH:
        return 1
    few = max(1, int(_BATCH / 10 / max(once, 1e-8)))
    return max(1, int(few * _BATCH / max(_duration(measure, few), 1e-8)))


def _duration(measure: Measure, n: int) -> float:
    """s of n calls: a cost may be that of a part of a call."""
    start = perf_counter()
    measure(n)
    return perf_counter() - start


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """A context in which an environment variable has a value."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
