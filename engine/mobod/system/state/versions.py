"""Decides which computed values are up to date. Changes are numbered: a value is valid if no dependency changed after it was computed."""

from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, Continuous, DiscreteVariable, Prerequisite

_N_STAGES = len(Stage)


class Versions:
    """A counter of changes, the number of the last change of each stage, variable and entry, and for each entry when it was computed."""

    def __init__(self) -> None:
        self._count = 0
        self._stages = [0] * _N_STAGES
        self._values: dict[Prerequisite, int] = {}
        self._computed: dict[CacheEntry, int] = {}

    def stage(self, stage: Stage) -> int:
        return self._stages[stage]

    def lose(self, stage: Stage) -> None:
        """Invalidate a stage and all later ones."""
        self._count += 1
        self._stages[stage:] = [self._count] * (_N_STAGES - stage)

    def change(self, variable: DiscreteVariable | Continuous) -> None:
        self._count += 1
        self._values[variable] = self._count

    def mark_valid(self, entry: CacheEntry) -> None:
        """Note that the entry was computed from the present values."""
        self._count += 1
        self._computed[entry] = self._values[entry] = self._count

    def mark_invalid(self, entry: CacheEntry) -> None:
        self._count += 1
        self._computed.pop(entry, None)
        self._values[entry] = self._count

    def is_valid(self, entry: CacheEntry) -> bool:
        """Whether its stage and all its prerequisites are unchanged since it was computed."""
        computed = self._computed.get(entry, -1)
        if computed < self._stages[entry.earliest]:
            return False
        return all(self._version(each) <= computed for each in entry.prerequisites)

    def copy(self) -> "Versions":
        """A copy in which no entry is valid."""
        other = Versions()
        other._count = self._count
        other._stages = list(self._stages)
        other._values = dict(self._values)
        return other

    def _version(self, prerequisite: Prerequisite) -> int:
        if isinstance(prerequisite, CacheEntry) and prerequisite.computed_by is not None:
            return self._stages[prerequisite.computed_by]  # computed again in every realization of that stage
        return self._values.get(prerequisite, 0)
