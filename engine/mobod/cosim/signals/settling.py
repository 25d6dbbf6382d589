"""What brings signals up to date, as operations of C."""

from mobod.cosim.exchange.operations import Call, Operation, Pass
from mobod.cosim.signals.signals import Signals


def settling(signals: Signals) -> list[Operation]:
    """The operations of `signals.settle()`."""
    found: list[Operation] = []
    for passed, loops in signals.ranks:
        if passed:
            found.append(Pass(passed))
        found += [Call(loop.settle, positions) for loop, positions in loops]
    return found
