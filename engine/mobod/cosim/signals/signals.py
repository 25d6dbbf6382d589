"""Signals: the values of all connections, brought up to date at communication points."""

# Decision: docs/decisions/137-feed-through.md

from collections.abc import Collection, Mapping, Sequence
from typing import final

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.in_python import InPython
from mobod.cosim.exchange.operations import Call, Operation, Pass, Read
from mobod.cosim.signals.loop import Loop
from mobod.cosim.signals.passing_order import feed_through, passing_order, still_to_pass
from mobod.cosim.variable import Value
from mobod.errors import InputError


@final
class Signals:
    """The values of connections between instances that are all at the same time.

        signals = Signals(connections, instances)   # before the run: makes the plan
        values = signals.settle()                   # at each communication point, before outputs are recorded

    at_start    whether dependencies of the initialization count, or those between steps
    is_delayed  no output is read after an input was set: `settle` only reads, the inputs must be set before the next step, and each direct
                feed-through delays by a communication step
    undeclared  outputs that depend on all inputs of their component, whatever it declares
    """

    def __init__(
        self,
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        *,
        at_start: bool = False,
        is_delayed: bool = False,
        undeclared: Collection[ComponentVariable] = (),
    ) -> None:
        self._connections = list(connections)
        self._instances = instances
        self._is_delayed = is_delayed
        self._feeds = feed_through(connections, at_start=at_start, undeclared=undeclared)
        if is_delayed:
            self._feeds[:] = False
        self._loops: dict[tuple[int, ...], Loop] = {}
        for rank in passing_order(self._feeds):
            for places in rank.loops:
                loop = [connections[k] for k in places]
                self._loops[tuple(places)] = Loop(loop, instances, self._feeds[places][:, places], at_start=at_start)
        self._settling = InPython(self.operations(), self._connections, instances, [0.0] * len(self._connections))

    def operations(self, passed: Collection[int] = ()) -> list[Operation]:
        """What `settle` does. Each value is passed once, after those on which it depends; values of an algebraic loop are solved for.

        passed  connections that have been passed at this time already, each after its source had reached it. They are passed again only if
                an input changes on which their output depends directly
        """
        found: list[Operation] = []
        wanted = still_to_pass(self._feeds, passed)
        for rank in passing_order(self._feeds[wanted][:, wanted]):
            if rank.single:
                places = [wanted[k] for k in rank.single]
                found.append(Read(places) if self._is_delayed else Pass(places))
            for loop in rank.loops:
                places = [wanted[k] for k in loop]
                found.append(Call(self._loops[tuple(places)].settle, places))
        return found

    def doing(self, operations: Sequence[Operation]) -> InPython:
        """What does these operations, and changes the values here."""
        return InPython(operations, self._connections, self._instances, self._settling.values)

    def settle(self) -> list[Value]:
        """Read outputs and set inputs until all of them belong together. Returns the value of each connection, as its target takes it.

        Raises AlgebraicLoopError, and errors of components.
        """
        self._settling.do()
        return self.values

    @property
    def values(self) -> list[Value]:
        """What the last `settle` returned."""
        return list(self._settling.values)

    @property
    def is_delayed(self) -> bool:
        return self._is_delayed

    @property
    def loops(self) -> list[Loop]:
        """The algebraic loops."""
        return list(self._loops.values())

    def memory(self) -> list[dict[str, object]]:
        """What the solution of loops depends on besides the components: Jacobians of earlier solutions, as data for JSON."""
        return [loop.memory() for loop in self._loops.values()]

    def recall(self, memory: Sequence[Mapping[str, object]]) -> None:
        """Restore the Jacobians that `memory` returned. A loop that is not among them starts without one. Raises InputError for damaged
        data.
        """
        for loop in self._loops.values():
            try:
                loop.recall(next((each for each in memory if each["connections"] == str(loop)), None))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"the saved Jacobian of the loop of {loop} is damaged: {error!r}.") from error
