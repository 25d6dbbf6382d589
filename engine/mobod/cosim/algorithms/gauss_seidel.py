"""The Gauss-Seidel algorithm: components step one after another, each with the newest available values."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Advance, Operation, Pass, Prepare
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value


def gauss_seidel(
    connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, inputs: CoupledInputs | None
) -> list[Operation]:
    """The operations of a step. Instances step in the order of the mapping.

    inputs  that follow polynomials, or None

    Inputs from instances that have stepped are held at their values after the step, or follow the polynomial to them. All others, also
    from the instance itself, have the values from before the step, or are extrapolated.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """
    operations: list[Operation] = []
    if inputs is not None:
        operations.append(Prepare(_adding(inputs)))
    turn = {name: k for k, name in enumerate(instances)}
    # values from instances that have stepped before; all others have been passed at the communication point, unless they are delayed
    forward = [k for k, each in enumerate(connections) if turn[each.source.component.name] < turn[each.target.component.name]]
    for name in instances:
        to = [k for k, each in enumerate(connections) if each.target.component.name == name]
        own = [k for k in to if k in forward]
        if passed := to if signals.is_delayed else own:
            operations.append(Pass(passed))
        if inputs is not None:
            operations.append(Prepare(_leading(inputs, own, name)))
        operations.append(Advance([name]))
    # inputs that follow polynomials have not had the values at the end passed to them
    return [*operations, *signals.operations(forward if inputs is None else ())]


Prepared = Callable[[float, float, Sequence[Value]], Mapping[int, Value]]


def _adding(inputs: CoupledInputs) -> Prepared:
    """A function that adds the values at the start of a step to the history."""

    def add(time: float, step: float, values: Sequence[Value]) -> Mapping[int, Value]:
        inputs.add(values)
        return {}

    return add


def _leading(inputs: CoupledInputs, forward: Sequence[int], to: str) -> Prepared:
    """A function that gives a component polynomials that lead to the values which were passed to it over some connections."""
    known = np.isin(inputs.smooth, forward)

    def write(time: float, step: float, values: Sequence[Value]) -> Mapping[int, Value]:
        return inputs.write(time, step, at_end=np.where(known, inputs.chosen(values), np.nan), to=to)

    return write
