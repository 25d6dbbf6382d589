"""CoupledInputs: inputs that follow the outputs to which they are connected by polynomials within a step."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.cosim.algorithms.history import OutputHistory
from mobod.cosim.component_model import ComponentInstance, InputDerivatives
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.variable import Value


@dataclass(frozen=True)
class _Target:
    """The smooth connections to one component: their places among all smooth ones; whether it takes derivatives, of which order."""

    places: np.ndarray
    exchange: Exchange
    derivatives: InputDerivatives | None
    order: int


@final
class CoupledInputs:
    """The inputs of the smooth connections: those of real values that change continuously. All other inputs are held in a step.

    order    0: held at the last values; 1, 2: they follow the line or the parabola through the last two or three values
    smooth   (n,) positions of the smooth connections among all
    scales   (n,) nominal values

    An input of a component that takes no derivatives is held at the mean of the polynomial over the step.
    """

    def __init__(self, connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], order: int) -> None:
        self.order = order
        self.smooth = np.array([k for k, each in enumerate(connections) if is_smooth(each)], dtype=int)
        chosen = self.connections = [connections[k] for k in self.smooth.tolist()]
        self.scales = np.array([abs(each.target.variable.nominal) or 1.0 for each in chosen])
        self._targets = {}
        for name, places in _grouped(each.target.component.name for each in chosen).items():
            own = [chosen[k] for k in places]
            highest = own[0].target.component.model.capabilities.input_order if order else 0
            derivatives = instances[name].input_derivatives([each.target.variable.name for each in own]) if highest else None
            self._targets[name] = _Target(np.array(places), Exchange(own, instances), derivatives, min(order, highest) or order)
        sources = _grouped(each.source.component.name for each in chosen)
        self._pasts = [(instances[name], np.array(places), OutputHistory(order + 1)) for name, places in sources.items()]

    def add(self, values: Sequence[Value]) -> None:
        """Add the values of all connections at the present times of their sources."""
        smooth = self.chosen(values)
        for source, places, history in self._pasts:
            time = source.time
            assert time is not None  # it runs
            history.add(time, smooth[places])

    def chosen(self, values: Sequence[Value]) -> np.ndarray:
        """Those of the smooth connections, of the values of all."""
        return np.array([values[k] for k in self.smooth.tolist()], dtype=float)

    def write(self, time: float, step: float, *, at_end: np.ndarray | None = None, to: str | None = None) -> dict[int, Value]:
        """Write the inputs for the step from time to time + step, s. Returns what they are at its end, by the positions of connections.

        at_end  (n,) values at the end of the step, through which the polynomials go too; NaN where they are not known
        to      the component; default: all
        """
        reached: dict[int, Value] = {}
        for name, target in self._targets.items():
            if to is not None and name != to:
                continue
            start, rate, bend = polynomial = self.polynomials(time, step, target.order, at_end)[:, target.places]
            at = self.smooth[target.places].tolist()
            reached |= zip(at, (start + step * (rate + step / 2 * bend)).tolist(), strict=True)
            if target.derivatives is None:
                target.exchange.write((start + step * (rate / 2 + step / 6 * bend)).tolist())
            else:
                target.exchange.write(start.tolist())
                target.derivatives.set(polynomial[1 : target.order + 1])
        return reached

    def write_values(self, values: np.ndarray) -> None:
        """Write these values (n,) to the inputs."""
        for target in self._targets.values():
            target.exchange.write(values[target.places].tolist())

    def sizes(self, values: np.ndarray) -> np.ndarray:
        """(n,) to which differences of these values are compared: their own, or the nominal ones if these are larger."""
        return np.maximum(self.scales, np.abs(values))

    def extrapolated(self, time: float, step: float) -> np.ndarray:
        """(n,) the values at time + step, s, by the polynomials."""
        start, rate, bend = self.polynomials(time, step, self.order, None)
        values: np.ndarray = start + step * (rate + step / 2 * bend)
        return values

    def polynomials(self, time: float, step: float, order: int, at_end: np.ndarray | None) -> np.ndarray:
        """(3, n) values and the first two derivatives at the start of a step."""
        found = np.zeros((3, len(self.smooth)))
        for _, places, history in self._pasts:
            if at_end is None or not np.isfinite(at_end[places]).any():
                found[:, places] = history.polynomial(time, step, order)
                continue
            longer = history.copy()
            longer.add(time + step, at_end[places])
            found[:, places] = longer.polynomial(time, step, order)
            unknown = places[~np.isfinite(at_end[places])]
            if len(unknown):
                found[:, unknown] = history.polynomial(time, step, order)[:, ~np.isfinite(at_end[places])]
        return found

    def memory(self) -> list[object]:
        """What it stores between steps, as data for JSON."""
        return [history.memory() for _, _, history in self._pasts]

    def recall(self, memory: list[Any]) -> None:
        """Take the memory of inputs of the same connections."""
        for (_, _, history), each in zip(self._pasts, memory, strict=True):
            history.recall(each)


def is_smooth(connection: Connection) -> bool:
    """Whether its values are real and may change continuously."""
    ends = connection.source.variable, connection.target.variable
    return all(each.kind == "float" and each.variability == "continuous" for each in ends)


def _grouped(names: Iterable[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        found.setdefault(name, []).append(k)
    return found
