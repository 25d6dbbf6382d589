"""Iterated coupling: steps are repeated until inputs and outputs at the end of the step agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.algorithms.rollback import SavedInstances
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.exchange.operations import Pass
from mobod.cosim.signals.signals import Signals
from mobod.cosim.step_errors import NotConvergedError
from mobod.cosim.variable import Value

_INCREMENT = 1e-5  # of a difference quotient, relative: components integrate with errors of their own


class Trial(Protocol):
    """One step of all instances, which can be repeated with other inputs."""

    def outputs(self, at_end: np.ndarray) -> np.ndarray:
        """Repeat the step with inputs that reach these values (n,). Returns the values of the outputs at the end."""

    def jacobian(self, at_end: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """(n, n) the derivatives of the outputs by the inputs at the end."""

    def sizes(self, values: np.ndarray) -> np.ndarray:
        """(n,) to which differences of these values are compared."""


class Correction(Protocol):
    """Finds better values of inputs at the end of a step."""

    most_iterations: int
    settles: bool  # whether values that depend on each other without delay are solved for first

    def begin(self) -> None:
        """A new step begins."""

    def next(self, trial: Trial, at_end: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """The next values at the end (n,), after the step with at_end (n,) gave these outputs (n,)."""

    def memory(self) -> object: ...

    def recall(self, memory: object) -> None: ...


@final
class Iterated:
    """Repeats steps of all instances, with inputs that are polynomials through their values at the end, until these are the outputs.

    tolerance    relative to the values, or to the nominal values if these are larger
    iterations   corrections so far
    """

    def __init__(
        self,
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        signals: Signals,
        input_order: int,
        correction: Correction,
        tolerance: float,
    ) -> None:
        self._signals = signals
        self._instances = list(instances.values())
        self._inputs = CoupledInputs(connections, instances, input_order)
        self._before = signals.doing([Pass(range(len(connections)))] if signals.is_delayed else [])
        self._raw = Exchange(self._inputs.connections, instances)
        self._correction, self._tolerance = correction, tolerance
        self._columns = _independent_columns(self._inputs.connections)
        self.calls = self.iterations = 0
        self.taken: list[Value] = []

    def advance(self, time: float, step: float) -> None:
        """Advance all instances from time to time + step (s). Raises NotConvergedError; all instances are then as before."""
        self._before.do()
        self.taken = self._signals.values
        self._inputs.add(self.taken)
        self._correction.begin()
        with SavedInstances(self._instances) as saved:
            trial = _Trial(self, saved, time, step)
            at_end = self._inputs.extrapolated(time, step)
            try:
                outputs = trial.outputs(at_end)
                for _ in range(self._correction.most_iterations):
                    if self._agree(at_end, outputs):
                        break
                    at_end = self._correction.next(trial, at_end, outputs)
                    outputs = trial.outputs(at_end)
                    self.iterations += 1
                if not self._agree(at_end, outputs):
                    raise self._failure(time, step, at_end, outputs)
            except BaseException:
                saved.restore()
                raise
        for k, value in zip(self._inputs.smooth.tolist(), at_end.tolist(), strict=True):
            self.taken[k] = value
        self._signals.settle()

    def attempt(self, time: float, step: float, at_end: np.ndarray) -> np.ndarray:
        """A step of all instances with inputs that reach these values (n,). Returns the values of the outputs at its end."""
        self._inputs.write(time, step, at_end=at_end)
        for instance in self._instances:
            instance.step(time, step)
        self.calls += len(self._instances)
        if self._correction.settles:
            return self._inputs.chosen(self._signals.settle())
        self._inputs.write_values(at_end)
        return np.array(self._raw.read(), dtype=float)

    def operations(self) -> None:
        """It decides in Python."""

    def memory(self) -> object:
        return [self._inputs.memory(), self._correction.memory()]

    def recall(self, memory: Any) -> None:
        inputs, correction = memory
        self._inputs.recall(inputs)
        self._correction.recall(correction)

    @property
    def columns(self) -> list[np.ndarray]:
        """Groups of inputs of different components, whose effects on outputs do not mix."""
        return self._columns

    @property
    def inputs(self) -> CoupledInputs:
        return self._inputs

    def _agree(self, at_end: np.ndarray, outputs: np.ndarray) -> bool:
        return bool((np.abs(outputs - at_end) <= self._tolerance * self._inputs.sizes(outputs)).all())

    def _failure(self, time: float, step: float, at_end: np.ndarray, outputs: np.ndarray) -> NotConvergedError:
        gap = np.abs(outputs - at_end) / self._inputs.sizes(outputs)
        worst = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
        return NotConvergedError(
            f"the coupling does not converge in the step of {step:.6g} s from {time:.12g} s: after {self._correction.most_iterations} "
            f"iterations {self._inputs.connections[worst]} still changes by {gap[worst]:.2g} of its size. Take shorter steps, or "
            "algorithm='newton'."
        )


@final
@dataclass
class _Trial:
    """The step that is repeated."""

    iterated: Iterated
    saved: SavedInstances
    time: float
    step: float
    is_first: bool = True

    def outputs(self, at_end: np.ndarray) -> np.ndarray:
        if not self.is_first:
            self.saved.restore()
        self.is_first = False
        return self.iterated.attempt(self.time, self.step, at_end)

    def sizes(self, values: np.ndarray) -> np.ndarray:
        return self.iterated.inputs.sizes(values)

    def jacobian(self, at_end: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        inputs = self.iterated.inputs
        found = np.zeros((len(at_end), len(at_end)))
        for group in self.iterated.columns:
            moved = at_end.copy()
            moved[group] += _INCREMENT * inputs.sizes(at_end)[group]
            change = self.outputs(moved) - outputs
            for column in group.tolist():
                component = inputs.connections[column].target.component
                rows = [k for k, each in enumerate(inputs.connections) if each.source.component is component]
                found[rows, column] = change[rows] / (moved[column] - at_end[column])
        return found


def _independent_columns(connections: Sequence[Connection]) -> list[np.ndarray]:
    places: dict[str, list[int]] = {}
    for k, connection in enumerate(connections):
        places.setdefault(connection.target.component.name, []).append(k)
    most = max((len(each) for each in places.values()), default=0)
    return [np.array([each[k] for each in places.values() if k < len(each)]) for k in range(most)]
