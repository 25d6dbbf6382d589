"""Structural dependencies between the numbers of a System, from its sweeps."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from mobod.scalar.procedure import Procedure
from mobod.scalar.sweep import Kind, Sweep, SweepCall, kept_by_kind
from mobod.system import CatalogueVariable, Stage


@final
@dataclass(frozen=True)
class OffsetSets:
    """Sets of independent numbers: time, states, parameters and inputs.

    independent  their offsets
    masks        offset of a number -> the set on which it depends: bit i stands for independent[i]
    """

    independent: list[int]
    masks: dict[int, int]


@final
class Dependencies:
    """The dependencies of each number on independent numbers: time, states, parameters and inputs.

    A set is an independent number or the union of other sets. The calls only name unions, so the work is proportional to the number of
    calls; the unions that are asked for are computed afterwards.

    opaque_from  the first stage at which Python hooks compute values; all values from then on may depend on everything
    decided      offsets of numbers of a run, such as which contacts are active: they are independent numbers, too
    """

    def __init__(
        self,
        variables: Iterable[CatalogueVariable],
        sweeps: Mapping[Stage, Sweep],
        opaque_from: Stage | None = None,
        decided: Iterable[int] = (),
    ):
        catalogue = list(variables)
        catalogued = [variable.slot for variable in catalogue if variable.role in ("state", "parameter", "input")]
        self._independent = [0, *sorted({*decided, *(offset for slot in catalogued for offset in slot.offsets)})]
        self._parts: list[frozenset[int]] = [frozenset() for _ in self._independent]  # of each set; the first sets are independent numbers
        self._numbers: dict[frozenset[int], int] = {}  # parts -> number of their union
        self._set_of = {offset: i for i, offset in enumerate(self._independent)}  # offset -> number of its set; none if that is empty
        for stage in sorted(sweeps):
            for call in sweeps[stage].calls:
                if isinstance(call, Procedure):
                    self._add_procedure(call)
                else:
                    self._add_call(call)
        computed = [variable for variable in catalogue if variable.role in ("derivative", "output")]
        self._opaque = {
            offset for variable in computed if opaque_from is not None and variable.stage >= opaque_from for offset in variable.slot.offsets
        }

    def of(self, offsets: Iterable[int]) -> OffsetSets:
        """The sets on which the numbers at these offsets depend."""
        everything = (1 << len(self._independent)) - 1
        offsets = list(offsets)
        masks = self._masks({self._set_of[offset] for offset in offsets if offset in self._set_of})
        return OffsetSets(
            self._independent,
            {offset: everything if offset in self._opaque else masks.get(self._set_of.get(offset, -1), 0) for offset in offsets},
        )

    def _add_procedure(self, procedure: Procedure) -> None:
        whole = self._union({self._set_of.get(offset) for slot in procedure.inputs for offset in slot.offsets})
        for slot in procedure.outputs:
            for offset in slot.offsets:
                self._assign(offset, whole)

    def _add_call(self, call: SweepCall) -> None:
        arguments = [self._set_of.get(offset) for slot in call.inputs for offset in slot.offsets]
        for sources, entries in _groups(call.kind):
            whole = self._union({arguments[j] for j in sources})
            with_sum: dict[int | None, int | None] = {None: whole}  # set of a sum before -> its set after
            for i, k in entries:
                offset = call.outputs[i].offset + k
                if i not in call.kind.adds:
                    self._assign(offset, whole)
                    continue
                before = self._set_of.get(offset)
                if before not in with_sum:
                    with_sum[before] = self._union({whole, before})
                self._assign(offset, with_sum[before])

    def _assign(self, offset: int, number: int | None) -> None:
        if number is None:
            self._set_of.pop(offset, None)
        else:
            self._set_of[offset] = number

    def _union(self, parts: set[int | None]) -> int | None:
        """The number of the union of these sets. None stands for the empty set."""
        parts.discard(None)
        if len(parts) < 2:
            return parts.pop() if parts else None
        known = frozenset(part for part in parts if part is not None)
        number = self._numbers.setdefault(known, len(self._parts))
        if number == len(self._parts):
            self._parts.append(known)
        return number

    def _masks(self, wanted: set[int]) -> dict[int, int]:
        """The wanted sets as masks. A set that is no longer needed is dropped, so that few are in memory at a time."""
        needed, waiting = set(wanted), list(wanted)
        while waiting:
            new = self._parts[waiting.pop()] - needed
            needed |= new
            waiting += new
        uses = Counter(part for number in needed for part in self._parts[number]) + Counter(wanted)
        masks: dict[int, int] = {}
        shared: dict[int, int] = {}  # equal masks are one object
        for number in sorted(needed):  # a set has a larger number than its parts
            mask = 0 if self._parts[number] else 1 << number
            for part in self._parts[number]:
                mask |= masks[part]
                uses[part] -= 1
                if not uses[part]:
                    del masks[part]
            masks[number] = shared.setdefault(mask, mask) if number in wanted else mask
        return masks


@kept_by_kind
def _groups(kind: Kind) -> list[tuple[tuple[int, ...], list[tuple[int, int]]]]:
    """The entries of the results, as (output, entry), with equal sources. A source is the index of an entry among those of all inputs."""
    first = [0]
    for shape in kind.recording().inputs:
        first.append(first[-1] + shape.size)
    groups: dict[frozenset[tuple[int, int]], list[tuple[int, int]]] = {}
    for i, entries in enumerate(kind.recording().dependencies):
        for k, sources in enumerate(entries):
            groups.setdefault(sources, []).append((i, k))
    return [(tuple(sorted(first[i] + k for i, k in sources)), entries) for sources, entries in groups.items()]
