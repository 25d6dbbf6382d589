"""CoupledInputs: the inputs of connections, held or by polynomials within a step."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.history import History
from mobod.cosim.component_model import ComponentInstance, InputDerivatives
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.variable import Value


@final
class CoupledInputs:
    """Transfers the values of some connections, and has the inputs follow them within a step.

    connections
    order  0: inputs are held in a step at the values that were read last; 1, 2: they follow the line or the parabola through the last two
           or three values of the outputs, also if these are for the end of the step

    An input of a component that takes no derivatives is held at the mean of the polynomial over the step, and has its last value after it.
    Values that are not real, or not continuous, are always held.
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], order: int) -> None:
        self.connections = list(connections)
        self.order = order
        self._exchange = Exchange(connections, instances)
        self._values: list[Value] = []
        self.smooth = np.array([k for k, each in enumerate(connections) if is_smooth(each)], dtype=int)
        place = {int(k): i for i, k in enumerate(self.smooth)}  # of a connection among the smooth ones
        groups: dict[tuple[str, int], list[int]] = {}
        varying: dict[str, list[int]] = {}
        self._is_held = np.zeros(len(self.smooth), dtype=bool)
        for k in self.smooth.tolist():
            target = connections[k].target
            highest = target.component.model.capabilities.input_order
            own = min(order, highest) if highest else order
            groups.setdefault((connections[k].source.component.name, own), []).append(place[k])
            self._is_held[place[k]] = highest == 0
            if highest and own:
                varying.setdefault(target.component.name, []).append(place[k])
        self._groups = [(instances[name], own, np.array(at), History(own + 1)) for (name, own), at in groups.items()]
        self._varying: list[tuple[InputDerivatives, np.ndarray, int]] = []
        for name, at in varying.items():
            names = [connections[int(self.smooth[i])].target.variable.name for i in at]
            highest = connections[int(self.smooth[at[0]])].target.component.model.capabilities.input_order
            self._varying.append((instances[name].input_derivatives(names), np.array(at), min(order, highest)))
        self._at_end: np.ndarray | None = None  # of the smooth connections, at the end of the step

    def read(self) -> None:
        """Read the outputs."""
        self._values = self._exchange.read()
        if self.order and len(self.smooth):
            smooth = self.smooth_values()
            for source, _, at, history in self._groups:
                time = source.time
                assert time is not None  # it runs
                history.add(time, smooth[at])

    def smooth_values(self) -> np.ndarray:
        """The values that were read last, of the smooth connections."""
        return np.array([self._values[k] for k in self.smooth.tolist()], dtype=float)

    def write(self, time: float, step: float, *, at_end: np.ndarray | None = None) -> None:
        """Write the inputs for the step from time to time + step (s).

        at_end  of the smooth connections at the end of the step, through which the polynomials go too; default: not known
        """
        if not len(self.smooth) or (self.order == 0 and at_end is None):
            self._exchange.write(self._values)
            return
        polynomials = self._polynomials(time, step, at_end)
        start, rate, bend = polynomials
        held = start + step * (rate / 2 + step / 6 * bend)
        values = list(self._values)
        for k, value in zip(self.smooth.tolist(), np.where(self._is_held, held, start).tolist(), strict=True):
            values[k] = value
        self._exchange.write(values)
        for derivatives, at, order in self._varying:
            derivatives.set(polynomials[1 : order + 1, at])
        self._at_end = start + step * (rate + step / 2 * bend)

    def finish(self) -> None:
        """Call this after the step: held inputs get the values at its end."""
        if self._at_end is not None and self._is_held.any():
            values = list(self._values)
            for k, value in zip(self.smooth.tolist(), self._at_end.tolist(), strict=True):
                values[k] = value
            self._exchange.write(values)

    def extrapolated(self, time: float, step: float) -> np.ndarray:
        """The values of the smooth connections at time + step (s) by the polynomials through the values read."""
        start, rate, bend = self._polynomials(time, step, None)
        return np.asarray(start + step * (rate + step / 2 * bend))

    def _polynomials(self, time: float, step: float, at_end: np.ndarray | None) -> np.ndarray:
        """The values and the first and second derivatives (3, smooth) at the start of a step."""
        if self.order == 0:
            found = np.zeros((3, len(self.smooth)))
            found[0] = self.smooth_values() if at_end is None else at_end
            return found
        found = np.zeros((3, len(self.smooth)))
        for _, order, at, past in self._groups:
            history = past
            if at_end is not None:
                history = past.copy()
                history.add(time + step, at_end[at])
            found[:, at] = history.polynomial(time, step, order)
        return found

    def memory(self) -> list[Any]:
        """What it stores between steps, as numbers and lists."""
        return [history.memory() for _, _, _, history in self._groups]

    def remember(self, memory: list[Any]) -> None:
        for (_, _, _, history), each in zip(self._groups, memory, strict=True):
            history.remember(each)


def is_smooth(connection: Connection) -> bool:
    """Whether its values are real and may change continuously."""
    ends = connection.source.variable, connection.target.variable
    return all(each.kind == "float" and each.variability == "continuous" for each in ends)
