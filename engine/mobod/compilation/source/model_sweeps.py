"""The sweeps of a model, and the kinds and procedures of their calls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from mobod.compilation.calls.liveness import CallsKind, GroupedSweep, LiveKind, LiveSweep
from mobod.compilation.calls.side_by_side import side_by_side
from mobod.compilation.source.events_source import Events
from mobod.compilation.source.model_kernels import Called
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.system import Stage


@final
@dataclass(frozen=True)
class ModelSweeps:
    """The sweeps of a model.

    events    the events of the model, with the sweep of their witnesses
    single    by stage, each call alone. The sweeps before witnesses are parts of these
    done      by stage, as they are done: the same, or some calls side by side
    n_stored  size of the memory for numbers that parts of calls leave for other parts
    """

    events: Events | None
    single: dict[Stage, LiveSweep]
    done: Mapping[Stage, LiveSweep | GroupedSweep]
    n_stored: int = 0

    @classmethod
    def each_alone(cls, events: Events | None, sweeps: dict[Stage, LiveSweep]) -> "ModelSweeps":
        return cls(events, sweeps, sweeps)

    def with_calls_side_by_side(self, n_calls: int, stored_at: int) -> "ModelSweeps":
        """The same with so many calls done by one kernel where this saves time; 0: none. stored_at: offset of numbers that parts store."""
        return ModelSweeps(self.events, self.single, *side_by_side(self.single, n_calls, stored_at)) if n_calls else self

    @cached_property
    def called(self) -> list[Called]:
        """The kinds and procedures that become kernels of the model, each once; also the kinds of single calls of those side by side, for
        tangents and for runs in the lanes of vectors.
        """
        of_calls = (each.kind for each in self.called_by_runs if isinstance(each, CallsKind))
        return list(dict.fromkeys([*self.called_by_runs, *of_calls]))

    @cached_property
    def numbers(self) -> dict[Called, int]:
        """The number of each kernel of the model."""
        return {each: number for number, each in enumerate(self.called)}

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
        """The kinds of single calls."""
        return _kinds(self.called)

    def with_tangents(self) -> list[LiveKind] | None:
        """The kinds whose tangents events need; None if there are none."""
        stages = self.events.stages_of_tangents if self.events else set()
        if not self.events or not (stages or self.witnesses):
            return None
        if not self.have_tangents():
            stages &= {Stage.ACCELERATION}  # for impulses
        before_witnesses = self.single if self.witnesses else {}  # which do each call alone, and whole
        sweeps = [sweep for each in (self.done, before_witnesses) for stage, sweep in each.items() if stage in stages]
        called = _called([*sweeps, *([self.witnesses] if self.witnesses else [])])
        return list(dict.fromkeys(each.kind if isinstance(each, CallsKind) else each for each in called if not isinstance(each, Procedure)))

    def have_tangents(self) -> bool:
        """Whether all computed values have tangents."""
        return not any(isinstance(call, PythonProcedure) for sweep in self.single.values() for call in sweep.calls)


def _called(sweeps: Iterable[LiveSweep | GroupedSweep]) -> list[Called]:
    return list(dict.fromkeys(call if isinstance(call, Procedure) else call.kind for sweep in sweeps for call in sweep.calls))


def _kinds(called: Iterable[Called]) -> list[LiveKind]:
    return [each for each in called if isinstance(each, LiveKind)]
