"""Generates C functions of kinds that do several calls of a sweep side by side: the lanes of a vector are the calls.

The arithmetic is the text of c_code.py, over Numbers with lanes (fmu_src/native/elementary/lanes_of_calls.h). Each call gets the same bits.
"""

from collections.abc import Iterable, Mapping
from typing import final

from mobod.scalar.c_code import KERNEL_PARAMETERS, Access, inputs_read, statements
from mobod.scalar.recording import Recording


def c_calls(recording: Recording, name: str, *, adds: frozenset[int]) -> str:
    """A kernel function whose `at` has the places of each call, one call after the other. No call may read or set what another one sets;
    calls may add to one sum, in their order. The results in `adds` are added to existing values, and none may overlap an argument.
    """
    n_in, n = len(recording.inputs), len(recording.inputs) + len(recording.outputs)
    access = _CallsAccess(recording, adds)
    arrays = [*((f"x{i}", i) for i in sorted(inputs_read(recording))), *((f"y{i}", n_in + i) for i in access.written)]
    lines = [
        f"int {name}{KERNEL_PARAMETERS} {{",
        "    (void)context;",
        *(f"    const Calls {array} = calls_at(call->w, at + {place}, {n});" for array, place in arrays),
        *statements(recording, adds=adds, writes_early=True, access=access),
        "    return 0;",
    ]
    return "\n".join([*lines, "}", ""])


@final
class _CallsAccess(Access):
    """Two neighbouring entries of a call are read or written together.

    written  indices of the results that are written
    """

    def __init__(self, recording: Recording, adds: frozenset[int]):
        sources = frozenset[tuple[int, int]]().union(*(each for entries in recording.dependencies for each in entries))
        self._reads = [_pairs(k for k in range(array.size) if (i, k) in sources) for i, array in enumerate(recording.inputs)]
        outputs = enumerate(recording.outputs)
        self._writes = [_pairs(k for k, entry in enumerate(each.flat) if not (i in adds and entry.value == 0.0)) for i, each in outputs]
        self._waiting: dict[int, str] = {}
        self.written = [i for i, pairs in enumerate(self._writes) if pairs]

    def read(self, i: int, k: int, names: Mapping[int, str]) -> tuple[str, tuple[int, ...]]:
        entries = self._reads[i][k]
        if len(entries) == 1:
            return f"    const Number {names[k]} = entry_of_calls(&x{i}, {k});", entries
        first, second = (names[each] for each in entries)
        return f"    Number {first}, {second};\n    entries_of_calls(&x{i}, {entries[0]}, &{first}, &{second});", entries

    def write(self, i: int, k: int, value: str, *, adds: bool) -> list[str]:
        entries, verb = self._writes[i][k], "add" if adds else "set"
        if len(entries) == 1:
            return [f"    {verb}_entry_of_calls(&y{i}, {k}, {value});"]
        if k == entries[0]:
            self._waiting[i] = value
            return []
        return [f"    {verb}_entries_of_calls(&y{i}, {entries[0]}, {self._waiting[i]}, {value});"]


def _pairs(numbers: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """For each of these increasing numbers the pair of neighbours in which it is, or itself alone."""
    of: dict[int, tuple[int, ...]] = {}
    for k in numbers:
        if len(of.get(k - 1, ())) == 1:
            of[k - 1] = of[k] = (k - 1, k)
        else:
            of[k] = (k,)
    return of
