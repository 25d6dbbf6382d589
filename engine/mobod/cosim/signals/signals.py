"""Signals: the values of all connections, brought up to date at communication points."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self, final

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange import Exchange
from mobod.cosim.signals.loop import Loop
from mobod.cosim.signals.passing_order import feed_through, passing_order, still_to_pass
from mobod.cosim.variable import Value
from mobod.errors import InputError


@final
class Signals:
    """The values of connections between instances that are all at the same time.

        signals = Signals(connections, instances)   # before the run: makes the plan
        values = signals.settle()                   # at each communication point, before outputs are recorded
        signals.apply()                             # before the next steps

    at_start    whether dependencies of the initialization count, or those between steps
    is_delayed  no output is read after an input was set: `settle` only reads, `apply` sets the inputs, and each direct feed-through
                delays by a communication step
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
        self._values: list[Value] = [0.0] * len(self._connections)
        self._plan(range(len(self._connections)))

    def after(self, passed: Collection[int]) -> Self:
        """These signals where some connections, by their positions, have been passed at this time already, each after its source had
        reached it. They are passed again only if an input changes on which their output depends directly.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)  # the loops and values are the same
        twin._plan(still_to_pass(self._feeds, passed))
        return twin

    def settle(self) -> list[Value]:
        """Read outputs and set inputs until all of them belong together. Returns the value of each connection, as its target takes it.

        Each value is passed once, after those on which it depends; values of an algebraic loop are solved for. Raises
        AlgebraicLoopError, and errors of components.
        """
        for exchange, places, loops in self._ranks:
            if places:
                found = exchange.read()
                if not self._is_delayed:
                    exchange.write(found)
                for k, value in zip(places, found, strict=True):
                    self._values[k] = value
            for loop, positions in loops:
                for k, value in zip(positions, loop.settle(), strict=True):
                    self._values[k] = value
        return list(self._values)

    def note(self, values: Mapping[int, Value]) -> None:
        """Take values, by the positions of their connections, that were passed outside of `settle`."""
        for k, value in values.items():
            self._values[k] = value

    def apply(self) -> None:
        """Set inputs to the values of the last `settle`, if that did not."""
        if self._is_delayed:
            for exchange, places, _ in self._ranks:
                exchange.write([self._values[k] for k in places])

    @property
    def values(self) -> list[Value]:
        """What the last `settle` returned."""
        return list(self._values)

    @property
    def is_delayed(self) -> bool:
        return self._is_delayed

    @property
    def ranks(self) -> list[tuple[list[int], list[tuple[Loop, tuple[int, ...]]]]]:
        """What `settle` does, rank by rank: connections that are passed, and then loops that are solved, with their connections."""
        return [(places, loops) for _, places, loops in self._ranks]

    @property
    def loops(self) -> list[Loop]:
        """The algebraic loops."""
        return list(self._loops.values())

    def memory(self) -> list[dict[str, Any]]:
        """What the solution of loops depends on besides the components: Jacobians of earlier solutions, as data for JSON."""
        return [loop.memory() for loop in self._loops.values()]

    def recall(self, memory: Sequence[Mapping[str, Any]]) -> None:
        """Restore the Jacobians that `memory` returned. A loop that is not among them starts without one. Raises InputError for damaged
        data.
        """
        for loop in self._loops.values():
            try:
                loop.recall(next((each for each in memory if each["connections"] == str(loop)), None))
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"the saved Jacobian of the loop of {loop} is damaged: {error!r}.") from error

    def _plan(self, chosen: Collection[int]) -> None:
        """Plan calls for these connections: an exchange for each rank, with its places, and the loops of the rank."""
        self._ranks: list[tuple[Exchange, list[int], list[tuple[Loop, tuple[int, ...]]]]] = []
        wanted = sorted(chosen)
        for rank in passing_order(self._feeds[wanted][:, wanted]):
            places = [wanted[k] for k in rank.single]
            loops = [tuple(wanted[k] for k in loop) for loop in rank.loops]
            exchange = Exchange([self._connections[k] for k in places], self._instances)
            self._ranks.append((exchange, places, [(self._loops[loop], loop) for loop in loops]))
