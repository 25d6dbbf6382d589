"""Walk: short runs of a probe whose results are compared to the bit."""

import ctypes
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.acceptance.behaviour.probe import Probe
from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import is_discard
from mobod.importer.kinds import Value

MOST_STEPS = 40  # that fit into the experiment
LARGEST = 0.1  # change of a state by a step of Euler's method, of its size or its nominal value


@final
@dataclass(frozen=True, eq=False)
class Row:
    """What an instance shows at one time.

    reals   (n,)  real outputs, and in model exchange states and their derivatives
    others        integers, truth values and texts
    """

    reals: np.ndarray
    others: list[Value]

    def is_same(self, other: "Row") -> bool:
        """Whether all bits are equal; 0.0 and -0.0 differ."""
        return self.reals.tobytes() == other.reals.tobytes() and self.others == other.others


@final
class Walk:
    """An initialized probe that takes short steps: in co-simulation communication steps, in model exchange steps of Euler's method.

    names  of the elements of Row.reals and then of Row.others

    There is room for 40 steps before the end of the experiment. In model exchange they are shorter by a factor of 100, and change no state
    by more than a tenth: Euler's method diverges where a model is stiff. An event that is due, or that the FMU wants, is handled.
    """

    def __init__(self, probe: Probe, parts: int = 1) -> None:
        self.probe = probe
        self.ended = False
        self._experiment = probe.tested.experiment
        self._outputs = probe.tested.outputs
        self._values = probe.values(self._outputs)
        self._is_real = [each.is_real for each in self._outputs]
        self._is_exchange = probe.interface == "model-exchange"
        longest = min(self._experiment.step, (self._experiment.stop - self._experiment.start) / MOST_STEPS)
        self._step = longest / parts / (100 if self._is_exchange else 1)
        self.names = [str(each) for each, real in zip(self._outputs, self._is_real, strict=True) if real for _ in range(probe.size(each))]
        self.names += ["a state or its derivative"] if self._is_exchange else []
        if self._is_exchange:
            self._states = StateVector(probe)

    def begin(self) -> None:
        """In model exchange: go from the event mode after the initialization to Continuous-Time Mode."""
        if self._is_exchange:
            self.ended = self.probe.update_discrete_states()
            self.probe.call("EnterContinuousTimeMode")

    def row(self) -> Row:
        reals: list[object] = []
        others: list[Value] = []
        for is_real, elements in zip(self._is_real, self._values.get(), strict=True):
            (reals if is_real else others).extend(elements)
        if self._is_exchange:
            reals.extend(self._states.get())
            reals.extend(self._states.derivatives())
        return Row(np.array(reals, dtype=float), others)

    def walk(self, first: int, last: int) -> list[Row]:
        """Step from the point with number `first` to that with number `last`. Returns the rows after each step; fewer if the FMU ends."""
        rows: list[Row] = []
        for number in range(first, last):
            if self.ended:
                break
            start = self._experiment.start + number * self._step
            if self._is_exchange:
                self._take_euler_step(start, self._experiment.start + (number + 1) * self._step)
            else:
                self.ended = self.probe.step(start, self._step) is not None
            if self.ended:
                break
            rows.append(self.row())
        return rows

    def _take_euler_step(self, start: float, end: float) -> None:
        probe = self.probe
        try:
            states = self._states.get()
            moved = states + bounded((end - start) * self._states.derivatives(), np.maximum(np.abs(states), self._states.nominals()))
        except FmuError as error:
            if not is_discard(error):
                raise
            self.ended = True  # such a step is too long for this model
            return
        probe.where = f"at {end:.12g} s"
        probe.call("SetTime", end)
        self._states.set(moved)
        wants_event, ends = self._states.complete_step()
        if wants_event or end >= probe.next_event:
            probe.call("EnterEventMode")
            ends = probe.update_discrete_states() or ends
            probe.call("EnterContinuousTimeMode")
        self.ended = ends


def bounded(change: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(n,) the change, in its direction, by at most LARGEST of each size."""
    largest = np.max(np.abs(change) / sizes, initial=0.0)
    return change * (LARGEST / largest) if LARGEST < largest < np.inf else change


def walked(probe: Probe, steps: int = 0, *, parts: int = 1) -> Walk:
    """A walk of a new instance, which is initialized here, after its first steps."""
    probe.initialize()
    walk = Walk(probe, parts)
    walk.begin()
    walk.walk(0, steps)
    return walk


@final
class StateVector:
    """The continuous states of a probe for model exchange.

    count       of the states
    indicators  number of event indicators
    """

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        model, version = probe.tested.model, probe.version
        self.count, self.indicators = version.sizes(probe, model.description)
        self._buffer = (ctypes.c_double * self.count)()
        self._completes_steps = version.needs_steps(model.capabilities("model-exchange"))

    def get(self) -> np.ndarray:
        return self._got("GetContinuousStates")

    def derivatives(self) -> np.ndarray:
        return self._got(self._probe.version.rates)

    def nominals(self) -> np.ndarray:
        return self._got("GetNominalsOfContinuousStates")

    def _got(self, function: str) -> np.ndarray:
        if not self.count:
            return np.empty(0)
        self._probe.call(function, self._buffer, self.count)
        return np.array(self._buffer)

    def set(self, states: np.ndarray) -> None:
        if self.count:
            self._buffer[:] = states.tolist()
            self._probe.call("SetContinuousStates", self._buffer, self.count)

    def complete_step(self) -> tuple[bool, bool]:
        """Whether the FMU wants an event, and whether it ends the simulation."""
        if not self._completes_steps:
            return False, False
        flag = self._probe.version.boolean
        wants_event, ends = flag(), flag()
        self._probe.call("CompletedIntegratorStep", True, ctypes.byref(wants_event), ctypes.byref(ends))
        return bool(wants_event.value), bool(ends.value)


def first_difference(names: list[str], expected: list[Row], found: list[Row], first: int = 1) -> str | None:
    """The first bit that differs, as text: "'x' at point 3 is 1.5, not 1.25"; None if all are equal."""
    for number, (one, other) in enumerate(zip(expected, found, strict=False), start=first):
        if one.is_same(other):
            continue
        for position, (a, b) in enumerate(zip(one.reals.tolist(), other.reals.tolist(), strict=False)):
            if np.float64(a).tobytes() != np.float64(b).tobytes():
                name = names[min(position, len(names) - 1)] if names else "a number"
                return f"'{name}' at point {number} is {b!r}, not {a!r}"
        return f"an output that is no real number differs at point {number}"
    if len(expected) != len(found):
        return f"the run has {len(found)} points, not {len(expected)}"
    return None
