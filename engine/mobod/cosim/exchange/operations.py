"""Operations of a step of a network, and when outputs are read between them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from mobod.cosim.component import ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.variable import Value


@final
@dataclass(frozen=True)
class Pass:
    """Values pass over connections, given by their numbers, all at once."""

    connections: Sequence[int]


@final
@dataclass(frozen=True)
class Advance:
    """Components take a step with the same values."""

    names: Sequence[str]


@final
@dataclass(frozen=True)
class Call:
    """A function is called, which sets the inputs of these connections, and returns their values."""

    function: Callable[[], Sequence[Value]]
    connections: Sequence[int]


@final
@dataclass(frozen=True)
class Read:
    """Values of connections are read, and not passed. Only Python does it: C reads outputs when something needs them."""

    connections: Sequence[int]


@final
@dataclass(frozen=True)
class Prepare:
    """A function is called before a step with its time and size, s, and the values of all connections. Only Python does it.

    It returns what inputs will be at the end of the step, by their connections, if that is not the value that was passed.
    """

    function: Callable[[float, float, Sequence[Value]], Mapping[int, Value]]


Operation = Pass | Advance | Call | Read | Prepare
"""They are repeated for each step; at the end of each step a row is recorded."""

OperationInC = Pass | Advance | Call


def in_c(operations: Sequence[Operation]) -> list[OperationInC] | None:
    """What C does of operations; None if it cannot."""
    if any(isinstance(each, Prepare) for each in operations):
        return None
    return [each for each in operations if isinstance(each, OperationInC)]


@final
@dataclass(frozen=True)
class Readings:
    """Variables to read after each operation, and those to read before the first step."""

    after: list[list[ComponentVariable]]
    first: list[ComponentVariable]


def readings(operations: Sequence[OperationInC], connections: Sequence[Connection], recorded: Iterable[ComponentVariable]) -> Readings:
    """When to read what operations and the row at the end of a step need.

    Each value is read after the last operation that changes it before it is needed, so that all values of a component that belong to one
    moment are read at once: for the connections, the next step and the row.
    """
    needs = [(at, connections[k].source) for at, each in enumerate(operations) if isinstance(each, Pass) for k in each.connections]
    needs += [(len(operations), variable) for variable in recorded]
    after: list[dict[str, ComponentVariable]] = [{} for _ in operations]
    first = {str(variable): variable for at, variable in needs if at == len(operations)}
    for at, variable in needs:
        changed = _last_change(operations, connections, variable, at)
        after[changed][str(variable)] = variable
        if changed >= at:  # in the step before
            first[str(variable)] = variable
    return Readings([list(each.values()) for each in after], list(first.values()))


def _last_change(operations: Sequence[OperationInC], connections: Sequence[Connection], variable: ComponentVariable, before: int) -> int:
    """The number of the last operation before that changes a variable, possibly in the step before."""
    order = [*range(before - 1, -1, -1), *range(len(operations) - 1, before - 1, -1)]
    return next(k for k in order if _changes(operations[k], connections, variable))


def _changes(operation: OperationInC, connections: Sequence[Connection], variable: ComponentVariable) -> bool:
    component = variable.component
    if isinstance(operation, Advance):
        return component.name in operation.names
    inputs = [connections[k].target.variable for k in operation.connections if connections[k].target.component is component]
    if not inputs or variable.variable.causality != "output":
        return bool(inputs)
    names = component.model.inputs_of(variable.variable.name, at_start=False)
    return bool({each.key for each in inputs} & {component.model.variables[name].key for name in names})
