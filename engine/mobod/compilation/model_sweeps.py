"""The sweeps of a model, and the kinds and procedures that their rows call."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from mobod.compilation.events_source import Events
from mobod.compilation.liveness import GroupedSweep, LiveKind, LiveSweep, RowsKind
from mobod.compilation.model_kernels import Called
from mobod.compilation.side_by_side import side_by_side
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.system import Stage


@final
@dataclass(frozen=True)
class ModelSweeps:
    """The sweeps of a model.

    events    the events of the model, with the sweep of their witnesses
    single    by stage, each row alone. The sweeps before witnesses are parts of these
    done      by stage, as they are done: the same, or some rows side by side
    n_stored  size of the memory for numbers that parts of rows leave for other parts
    """

    events: Events | None
    single: dict[Stage, LiveSweep]
    done: Mapping[Stage, LiveSweep | GroupedSweep]
    n_stored: int = 0

    @classmethod
    def each_alone(cls, events: Events | None, sweeps: dict[Stage, LiveSweep]) -> "ModelSweeps":
        return cls(events, sweeps, sweeps)

    def with_rows_side_by_side(self, n_rows: int, stored_at: int) -> "ModelSweeps":
        """The same with so many rows in one call where this saves time; 0: none. stored_at: offset of the numbers that parts store."""
        return ModelSweeps(self.events, self.single, *side_by_side(self.single, n_rows, stored_at)) if n_rows else self

    @cached_property
    def called(self) -> list[Called]:
        """The kinds and procedures that become kernels of the model, each once; also the kinds of single calls of those side by side, for
        tangents and for runs in the lanes of vectors.
        """
        of_rows = (each.kind for each in self.called_by_runs if isinstance(each, RowsKind))
        return list(dict.fromkeys([*self.called_by_runs, *of_rows]))

    @cached_property
    def called_by_runs(self) -> list[Called]:
        """What of these a run calls."""
        of_witnesses = [self.witnesses, *(self.single.values() if self.done is not self.single else [])] if self.witnesses else []
        return _called([*self.done.values(), *of_witnesses])

    @cached_property
    def witnesses(self) -> LiveSweep | None:
        """The sweep that computes the witnesses."""
        return self.events.witnesses if self.events else None

    @property
    def kinds(self) -> list[LiveKind]:
        """The kinds of single rows."""
        return _kinds(self.called)

    def with_tangents(self) -> list[LiveKind] | None:
        """The kinds whose tangents events need; None if there are none."""
        stages = self.events.stages_of_tangents if self.events else set()
        if not self.events or not (stages or self.witnesses):
            return None
        if not self.have_tangents():
            stages &= {Stage.ACCELERATION}  # for impulses
        before_witnesses = self.single if self.witnesses else {}  # which do each row alone, and whole
        sweeps = [sweep for each in (self.done, before_witnesses) for stage, sweep in each.items() if stage in stages]
        called = _called([*sweeps, *([self.witnesses] if self.witnesses else [])])
        return list(dict.fromkeys(each.kind if isinstance(each, RowsKind) else each for each in called if not isinstance(each, Procedure)))

    def have_tangents(self) -> bool:
        """Whether all computed values have tangents."""
        return not any(isinstance(row, PythonProcedure) for sweep in self.single.values() for row in sweep.rows)


def _called(sweeps: Iterable[LiveSweep | GroupedSweep]) -> list[Called]:
    return list(dict.fromkeys(row if isinstance(row, Procedure) else row.kind for sweep in sweeps for row in sweep.rows))


def _kinds(called: Iterable[Called]) -> list[LiveKind]:
    return [each for each in called if isinstance(each, LiveKind)]
