"""Decides which computed values are up to date. Changes are numbered: a value is valid if no dependency changed after it was computed."""

from collections.abc import Iterable

from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, Continuous, DiscreteVariable, Prerequisite

_N_STAGES = len(Stage)


class Versions:
    """A counter of changes, the number of the last change of each stage, variable and entry, and for each entry when it was computed.

    Keys are numbers, since their hashes take less time than those of handles, and there are many look-ups in each realization.
    """

    def __init__(self) -> None:
        self._count = 0
        self._stages = [0] * _N_STAGES
        self._variables: dict[int | Continuous, int] = {}  # by the number of a discrete variable, or by kind
        self._entries: dict[int, int] = {}  # by the number of an entry
        self._computed: dict[int, int] = {}

    def stage(self, stage: Stage) -> int:
        return self._stages[stage]

    def lose(self, stage: Stage) -> None:
        """Invalidate a stage and all later ones."""
        self._count += 1
        self._stages[stage:] = [self._count] * (_N_STAGES - stage)

    def change(self, variable: DiscreteVariable) -> None:
        self._count += 1
        self._variables[variable.number] = self._count

    def change_of(self, kinds: Iterable[Continuous]) -> None:
        """Variables of some kinds change."""
        self._count = count = self._count + 1
        for kind in kinds:
            self._variables[kind] = count

    def mark_valid(self, *numbers: int) -> None:
        """Note that the entries with these numbers were computed from the present values."""
        self._count = count = self._count + 1
        for number in numbers:
            self._computed[number] = self._entries[number] = count

    def mark_one_valid(self, number: int) -> None:
        """The same of one entry, in less time."""
        self._count = self._computed[number] = self._entries[number] = self._count + 1

    def mark_invalid(self, entry: CacheEntry) -> None:
        self._count += 1
        self._computed.pop(entry.number, None)
        self._entries[entry.number] = self._count

    def is_valid(self, entry: CacheEntry) -> bool:
        """Whether its stage and all its prerequisites are unchanged since it was computed."""
        computed = self._computed.get(entry.number, -1)
        if computed < self._stages[entry.earliest]:
            return False
        return all(self._version(each) <= computed for each in entry.prerequisites)

    def copy(self) -> "Versions":
        """A copy in which no entry is valid."""
        other = Versions.__new__(Versions)
        other._count = self._count
        other._stages = self._stages.copy()
        other._variables = self._variables.copy()
        other._entries = self._entries.copy()
        other._computed = {}
        return other

    def _version(self, prerequisite: Prerequisite) -> int:
        if isinstance(prerequisite, CacheEntry):
            if prerequisite.computed_by is not None:
                return self._stages[prerequisite.computed_by]  # computed again in every realization of that stage
            return self._entries.get(prerequisite.number, 0)
        return self._variables.get(prerequisite.number if isinstance(prerequisite, DiscreteVariable) else prerequisite, 0)
