"""Components with steps of their own: several in a communication step, or one in several."""

import json
from collections.abc import Iterable, Mapping, Sequence
from math import factorial
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from mobod.cosim.component_model import ComponentInstance, InputDerivatives, SavedComponent, ValueBatch
from mobod.cosim.variable import Value

_ROUND_OFF = 1e-9  # of a step


class _OwnSteps:
    """What a `ComponentInstance` with steps of its own passes on to the instance."""

    def __init__(self, instance: ComponentInstance, count: int) -> None:
        self._instance, self._count = instance, count

    @property
    def name(self) -> str:
        return self._instance.name

    @property
    def time(self) -> float | None:
        """s, of the outputs"""
        return self._instance.time

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self._instance.set_up(start, stop, tolerance)

    def enter_initialization(self) -> None:
        self._instance.enter_initialization()

    def exit_initialization(self) -> None:
        self._instance.exit_initialization()

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        self._instance.check_can_save(as_bytes=as_bytes)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        return self._instance.directional_derivative(unknowns, knowns, change)

    def __enter__(self) -> Self:
        self._instance.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._instance.__exit__(kind, error, traceback)


@final
class FineSteps(_OwnSteps):
    """A `ComponentInstance` that takes `count` steps in each communication step. Inputs with derivatives follow them in each."""

    def __init__(self, instance: ComponentInstance, count: int) -> None:
        super().__init__(instance, count)
        self._varying: list[_Following] = []

    def batch(self, names: Iterable[str]) -> ValueBatch:
        return self._instance.batch(names)

    def set(self, values: Mapping[str, Value]) -> None:
        self._instance.set(values)

    def save(self) -> SavedComponent:
        return self._instance.save()

    def saved(self, data: bytes, time: float) -> SavedComponent:
        return self._instance.saved(data, time)

    def step(self, time: float, step: float) -> None:
        varying = [each for each in self._varying if each.begin()]
        for k in range(self._count):
            start = time + k * step / self._count
            for each in varying:
                each.follow(start - time)
            end = time + step if k == self._count - 1 else time + (k + 1) * step / self._count
            self._instance.step(start, end - start)

    def input_derivatives(self, names: Sequence[str]) -> InputDerivatives:
        self._varying.append(_Following(self._instance, names))
        return self._varying[-1]


@final
class _Following:
    """Inputs of FineSteps with derivatives."""

    def __init__(self, instance: ComponentInstance, names: Sequence[str]) -> None:
        self._values, self._derivatives = instance.batch(names), instance.input_derivatives(names)
        self._next: np.ndarray | None = None
        self._polynomial = np.empty((0, 0))  # values and derivatives at the start of the communication step

    def set(self, derivatives: np.ndarray) -> None:
        self._next = derivatives

    def begin(self) -> bool:
        """Begin a communication step. Returns whether the inputs have derivatives in it."""
        if self._next is None:
            return False
        self._polynomial = np.vstack([np.array(self._values.get(), dtype=float), self._next])
        self._next = None
        return True

    def follow(self, since: float) -> None:
        """Set values and derivatives at a time since the start of the communication step, s."""
        terms = len(self._polynomial)
        now = np.array([sum(self._polynomial[j] * since ** (j - k) / factorial(j - k) for j in range(k, terms)) for k in range(terms)])
        self._values.set(now[0].tolist())
        self._derivatives.set(now[1:])


@final
class CoarseSteps(_OwnSteps):
    """A `ComponentInstance` that takes a step when `count` communication steps have passed, with the inputs from before the first of them.

    Until then its outputs are those of its last step.
    """

    def __init__(self, instance: ComponentInstance, count: int) -> None:
        super().__init__(instance, count)
        self._done = 0  # communication steps since its last step
        self._start = 0.0  # s, of the first of them
        self._kept: dict[str, Value] = {}  # inputs that were set since then
        self._varying: list[_AtStart] = []

    def step(self, time: float, step: float) -> None:
        if self._done == 0:
            self._start = time
        self._done += 1
        if self._done == self._count:
            self._done = 0
            for each in self._varying:
                each.apply()
            self._instance.step(self._start, time + step - self._start)
            kept, self._kept = self._kept, {}
            if kept:
                self._instance.set(kept)

    def batch(self, names: Iterable[str]) -> "CoarseBatch":
        names = list(names)
        return CoarseBatch(self, self._instance.batch(names), names)

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def keeps(self, names: Sequence[str], values: Sequence[Value]) -> bool:
        """Whether inputs are kept for the next step, since one has begun."""
        if not self._done:
            return False
        self._kept.update(zip(names, values, strict=True))
        return True

    def input_derivatives(self, names: Sequence[str]) -> InputDerivatives:
        self._varying.append(_AtStart(self, self._instance.input_derivatives(names)))
        return self._varying[-1]

    @property
    def is_between(self) -> bool:
        """Whether its step has begun at an earlier communication point."""
        return self._done > 0

    def save(self) -> "SavedCoarse":
        return SavedCoarse(self, self._instance.save(), self._memory())

    def saved(self, data: bytes, time: float) -> "SavedCoarse":
        head, _, rest = data.partition(b"\n")
        memory = json.loads(head)
        return SavedCoarse(self, self._instance.saved(rest, memory["time"]), memory)

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._done, self._start, self._kept = memory["done"], memory["start"], dict(memory["kept"])
        for each, derivatives in zip(self._varying, memory["derivatives"], strict=True):
            each.pending = None if derivatives is None else np.array(derivatives, dtype=float)

    def _memory(self) -> dict[str, object]:
        derivatives = [None if each.pending is None else each.pending.tolist() for each in self._varying]
        return {
            "done": self._done,
            "start": self._start,
            "kept": dict(self._kept),
            "time": self._instance.time,
            "derivatives": derivatives,
        }


@final
class CoarseBatch:
    """Variables of CoarseSteps."""

    def __init__(self, coarse: CoarseSteps, batch: ValueBatch, names: Sequence[str]) -> None:
        self._coarse, self._batch, self._names = coarse, batch, names

    def get(self) -> list[Value]:
        return self._batch.get()

    def get_finite(self, time: float | None = None) -> list[Value]:
        return self._batch.get_finite(time)

    def set(self, values: Sequence[Value]) -> None:
        if not self._coarse.keeps(self._names, values):
            self._batch.set(values)


@final
class _AtStart:
    """Derivatives of inputs of CoarseSteps, which count at the start of its step."""

    def __init__(self, coarse: CoarseSteps, derivatives: InputDerivatives) -> None:
        self._coarse, self._derivatives = coarse, derivatives
        self.pending: np.ndarray | None = None

    def set(self, derivatives: np.ndarray) -> None:
        if not self._coarse.is_between:
            self.pending = derivatives

    def apply(self) -> None:
        """Give the derivatives to the instance, for the step that it takes now."""
        if self.pending is not None:
            self._derivatives.set(self.pending)
        self.pending = None


@final
class SavedCoarse(SavedComponent):
    """A state of CoarseSteps."""

    def __init__(self, coarse: CoarseSteps, saved: SavedComponent, memory: Mapping[str, object]) -> None:
        self._coarse, self._saved, self._memory = coarse, saved, memory

    def restore(self) -> None:
        self._saved.restore()
        self._coarse.recall(self._memory)

    def to_bytes(self) -> bytes:
        return json.dumps(self._memory).encode() + b"\n" + self._saved.to_bytes()

    def free(self) -> None:
        self._saved.free()


def with_own_step(instance: ComponentInstance, own: float, step: float) -> ComponentInstance | None:
    """The instance with a step of its own; None if that is no multiple and no whole part of the communication step. own, step: s"""
    fine, coarse = step / own, own / step
    if round(fine) >= 1 and abs(fine - round(fine)) < _ROUND_OFF * fine:
        return instance if round(fine) == 1 else FineSteps(instance, round(fine))
    if abs(coarse - round(coarse)) < _ROUND_OFF * coarse:
        return CoarseSteps(instance, round(coarse))
    return None
