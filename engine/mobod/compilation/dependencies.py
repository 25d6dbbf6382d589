"""Structural dependencies between the numbers of a System, from its sweeps."""

from collections.abc import Iterable, Mapping
from typing import final

from mobod.scalar.step import SweepStep
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Stage


@final
class Dependencies:
    """The dependencies of each number on independent numbers: time, states, parameters and inputs.

    opaque_from  the first stage at which Python hooks compute values; all values from then on may depend on everything
    """

    def __init__(self, variables: Iterable[CatalogueVariable], sweeps: Mapping[Stage, Sweep], opaque_from: Stage | None = None):
        catalogue = list(variables)
        catalogued = [variable.slot for variable in catalogue if variable.role in ("state", "parameter", "input")]
        self._independent = [0, *sorted({offset for slot in catalogued for offset in slot.offsets})]
        self._masks = self._propagated(sweeps)
        computed = [variable for variable in catalogue if variable.role in ("derivative", "output")]
        self._opaque = {
            offset for variable in computed if opaque_from is not None and variable.stage >= opaque_from for offset in variable.slot.offsets
        }

    def of(self, offset: int) -> frozenset[int]:
        """Offsets of the independent numbers on which the number at `offset` depends."""
        if offset in self._opaque:
            return frozenset(self._independent)
        mask, found = self._masks.get(offset, 0), []
        while mask:
            lowest = mask & -mask
            found.append(self._independent[lowest.bit_length() - 1])
            mask ^= lowest
        return frozenset(found)

    def _propagated(self, sweeps: Mapping[Stage, Sweep]) -> dict[int, int]:
        """One pass over all rows in order. A set of independent offsets is an integer with a bit for each."""
        masks = {offset: 1 << i for i, offset in enumerate(self._independent)}
        for stage in sorted(sweeps):
            for row in sweeps[stage].rows:
                if isinstance(row, SweepStep):
                    whole = _union(masks.get(offset, 0) for slot in row.inputs for offset in slot.offsets)
                    masks.update((offset, whole) for slot in row.outputs for offset in slot.offsets)
                    continue
                computed = [
                    [_union(masks.get(row.inputs[i].offset + k, 0) for i, k in sources) for sources in entries]
                    for entries in row.kind.recording().dependencies
                ]
                for i, (slot, entries) in enumerate(zip(row.outputs, computed, strict=True)):
                    for k, mask in enumerate(entries):
                        masks[slot.offset + k] = mask | (masks.get(slot.offset + k, 0) if i in row.kind.adds else 0)
        return masks


def _union(masks: Iterable[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
