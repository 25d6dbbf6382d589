"""The Jacobi algorithm: all FMUs step with the values that the outputs had before any stepped."""

from collections.abc import Iterable

from mobod.cosim.exchange import Exchange
from mobod.cosim.instance import Instance


def jacobi(exchange: Exchange, instances: Iterable[Instance], time: float, step: float) -> None:
    """Advance all instances from time to time + step (s) with their inputs held constant.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """
    exchange.write(exchange.read())
    for instance in instances:
        instance.step(time, step)
