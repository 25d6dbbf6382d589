"""How many arithmetic operations an evaluation of sweeps takes, counted in the recordings of their kinds."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import final

from mobod.compilation.calls.liveness import LiveCall, LiveKind, LiveSweep
from mobod.runtime.integrators import method_of
from mobod.scalar.operations import LEAVES
from mobod.system import Stage

_PLACES = {"multiply": "multiplications", "add": "additions", "subtract": "additions", "divide": "divisions", "sqrt": "square_roots"}
_ELEMENTARY = frozenset(["power", "arctan2", "exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"])


@final
@dataclass(frozen=True)
class OperationCounts:
    """additions: and subtractions; elementary_functions: sine and cosine of an angle are two; others: comparisons, signs, look-ups."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    square_roots: int = 0
    elementary_functions: int = 0
    others: int = 0

    def __add__(self, other: "OperationCounts") -> "OperationCounts":
        return OperationCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, times: int) -> "OperationCounts":
        return OperationCounts(*(times * each for each in astuple(self)))

    @classmethod
    def names(cls) -> list[str]:
        return [field.name.replace("_", " ") for field in fields(cls)]


@final
@dataclass(frozen=True)
class StepOperations:
    """Operations of the recorded equations, and of the steps with fixed size.

    evaluation  of all stages that depend on time, once
    velocity    of those that compute the rates of coordinates from speeds, once
    n_uncounted number of calls of the sweeps that are not recorded, because they decide by values
    """

    evaluation: OperationCounts
    velocity: OperationCounts
    n_uncounted: int
    n_states: int

    def of_step(self, integrator: str) -> OperationCounts:
        """Of a step of a method with fixed steps."""
        method = method_of(integrator)
        if method.pair:
            stages = range(1, method.pair.n_stages)
            own = sum(stage + 1 for stage in stages) * self.n_states  # a weighted sum of slopes, times the step, is added to y
            return self.evaluation * method.last + OperationCounts(own, own)
        return self.evaluation * method.last + self.velocity + OperationCounts(self.n_states, self.n_states)


def step_operations(sweeps: dict[Stage, LiveSweep], q_dot_stage: Stage, n_states: int) -> StepOperations:
    """The operations of the live part of the sweeps. q_dot_stage: the stage that computes the rates of coordinates."""
    stages = [stage for stage in sweeps if Stage.TIME <= stage <= Stage.ACCELERATION]
    calls = {stage: [call for call in sweeps[stage].calls if isinstance(call, LiveCall)] for stage in stages}
    of_kind = {call.kind: _of_kind(call.kind) for each in calls.values() for call in each}
    counts = {stage: _sum(of_kind[call.kind] for call in calls[stage]) for stage in stages}
    return StepOperations(
        evaluation=_sum(counts.values()),
        velocity=_sum(counts[stage] for stage in stages if Stage.VELOCITY <= stage <= q_dot_stage),
        n_uncounted=sum(len(sweeps[stage].calls) - len(calls[stage]) for stage in stages),
        n_states=n_states,
    )


def _sum(counts: Iterable[OperationCounts]) -> OperationCounts:
    return sum(counts, OperationCounts())


def _of_kind(kind: LiveKind) -> OperationCounts:
    recording = kind.recording()
    found = Counter(operation for operation, _ in (recording.tape.entries[number] for number in recording.needed))
    counts = Counter[str]()
    for operation, times in found.items():
        if operation not in LEAVES:
            counts[_PLACES.get(operation, "elementary_functions" if operation in _ELEMENTARY else "others")] += times
    counts["additions"] += sum(1 for i in kind.adds & kind.live for entry in recording.outputs[i].flat if entry.value != 0.0)
    return OperationCounts(**counts)
