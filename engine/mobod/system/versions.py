"""Which computed values are up to date: told by counting changes, not by listing who depends on whom."""

from mobod.system.handles import CacheEntry, Continuous, DiscreteVariable, Prerequisite
from mobod.system.stage import Stage


class Versions:
    """A number for each stage, variable and entry that grows when it changes, and for each entry the numbers that it was computed from."""

    def __init__(self) -> None:
        self._stages = [0] * len(Stage)
        self._values: dict[Prerequisite, int] = {}
        self._computed_from: dict[CacheEntry, tuple[int, ...]] = {}

    def stage(self, stage: Stage) -> int:
        return self._stages[stage]

    def lose(self, stage: Stage) -> None:
        """A stage and all after it must be realized anew."""
        for later in range(stage, len(Stage)):
            self._stages[later] += 1

    def change(self, variable: DiscreteVariable | Continuous) -> None:
        self._values[variable] = self._values.get(variable, 0) + 1

    def mark_valid(self, entry: CacheEntry) -> None:
        """The entry was computed from what there is now."""
        self._computed_from[entry] = self._now(entry)
        self._values[entry] = self._values.get(entry, 0) + 1

    def mark_invalid(self, entry: CacheEntry) -> None:
        self._computed_from.pop(entry, None)
        self._values[entry] = self._values.get(entry, 0) + 1

    def is_valid(self, entry: CacheEntry) -> bool:
        """Whether its stage and all its prerequisites are as they were when it was computed."""
        return self._computed_from.get(entry) == self._now(entry)

    def copy(self) -> "Versions":
        """The same numbers, with no entry computed."""
        other = Versions()
        other._stages = list(self._stages)
        other._values = dict(self._values)
        return other

    def _now(self, entry: CacheEntry) -> tuple[int, ...]:
        return (self._stages[entry.earliest], *(self._version(each) for each in entry.prerequisites))

    def _version(self, prerequisite: Prerequisite) -> int:
        if isinstance(prerequisite, CacheEntry) and prerequisite.computed_by is not None:
            return self._stages[prerequisite.computed_by]  # computed anew whenever that stage is
        return self._values.get(prerequisite, 0)
