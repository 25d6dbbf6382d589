"""Which variables of an FMU are arrays: in FMI 3.0, vectors and matrices whose entries lie one after the other in the table."""

# Decision: docs/decisions/108-fmi-versions.md

from collections.abc import Iterator
from math import prod

from mobod.fmu.interface import Interface
from mobod.fmu.variables import FmuVariable


def array_sizes(interface: Interface) -> list[int]:
    """For each variable of the table: the number of entries of the array that begins there; 1 for a scalar; 0 for a later entry of an
    array."""
    if not interface.has_arrays:
        return [1] * len(interface.rows)
    sizes: list[int] = []
    while len(sizes) < len(interface.rows):
        size = _size_at(interface.rows, len(sizes))
        sizes += [size, *[0] * (size - 1)]
    return sizes


def arrays(interface: Interface) -> Iterator[tuple[int, int]]:
    """The value reference, and the number of entries, of each variable of FMI 3.0."""
    return ((reference, size) for reference, size in enumerate(array_sizes(interface)) if size)


def name_of(interface: Interface, reference: int, size: int) -> str:
    """The name of the variable that begins at a row of the table."""
    row = interface.rows[reference]
    return row.array.name if size > 1 and row.array is not None else row.name


def _size_at(rows: tuple[FmuVariable, ...], first: int) -> int:
    """The size of the array that begins at a row, if all of its entries follow and have the same attributes; else 1."""
    array = rows[first].array
    if array is None or array.number != 0:
        return 1
    entries = rows[first : first + prod(array.shape)]
    is_whole = [row.array and (row.array.name, row.array.number) for row in entries] == [(array.name, i) for i in range(prod(array.shape))]
    return len(entries) if is_whole and len({_shared(row) for row in entries}) == 1 else 1


def _shared(row: FmuVariable) -> tuple[object, ...]:
    """What the entries of an array of FMI must have in common."""
    is_derivative = row.derivative_of is not None
    return (
        row.causality,
        row.variability,
        row.initial,
        row.unit,
        row.settable,
        row.type,
        row.is_state,
        is_derivative,
        row.minimum,
        row.maximum,
        row.declared_range,
    )
