"""The Jacobi algorithm: all components step with the outputs' values from before the step."""

from collections.abc import Mapping, Sequence

from mobod.cosim.algorithms.coupled_inputs import CoupledInputs
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Advance, Operation, Pass, Prepare
from mobod.cosim.signals.signals import Signals
from mobod.cosim.variable import Value


def jacobi(
    connections: Sequence[Connection], instances: Mapping[str, ComponentInstance], signals: Signals, inputs: CoupledInputs | None
) -> list[Operation]:
    """The operations of a step. All instances step with the same inputs, which are held, or extrapolated.

    inputs  that follow polynomials, or None

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """
    operations: list[Operation] = [Pass(range(len(connections)))] if signals.is_delayed else []
    if inputs is not None:
        extrapolated = inputs

        def extrapolate(time: float, step: float, values: Sequence[Value]) -> Mapping[int, Value]:
            extrapolated.add(values)
            return extrapolated.write(time, step)

        operations.append(Prepare(extrapolate))
    return [*operations, Advance(list(instances)), *signals.operations()]
