"""Members: an array of `Member` of member.h, with its numbers as NumPy arrays."""

from typing import Any, final

import numpy as np

from mobod.compilation.native.integration import Integration
from mobod.compilation.native.lanes import LanesModel
from mobod.runtime.library import doubles, ffi, ints, runtime, type_of

_KINDS = {"int": np.intc, "int64_t": np.int64, "double": np.float64}


@final
class Members:
    """`count` members.

    in_c       `Member[]`. Numbers, and addresses of arrays that must live as long, are set in these views (count,):
    has_error  (count,) whether an error in Python has ended the run; C does not know it
    """

    def __init__(self, count: int):
        self.in_c = ffi.new("Member[]", count)
        self._size = ffi.sizeof("Member")
        self._memory = np.frombuffer(ffi.buffer(self.in_c), dtype=np.uint8)
        self.start = self._view("start")
        self.preparation = self._view("preparation")
        self.report_times = self._view("report_times")
        self.rows = self._view("rows")
        self.t_end = self._view("t_end")
        self.n_reports = self._view("n_reports")
        self.steps_of_row = self._view("steps_of_row")
        self.returns_at_events = self._view("returns_at_events")
        self.keeps = self._view("keeps")
        self.has_ended = self._view("has_ended")
        self.preparation_fault = self._view("preparation_fault")
        self.terminated_by = self._view("terminated_by")
        self.changes_at_end = self._view("changes_at_end")
        self.time = self._view("time")
        self.n_rows = self._view("n_rows")
        self.n_steps = self._view("n_steps")
        self.n_evaluations = self._view("n_evaluations")
        self.methods = self._view("methods")
        self.n_not_projected = self._view("n_not_projected")
        self.not_projected_at = self._view("not_projected_at")
        self.jammed_steps = self._view("jammed_steps")
        self.first_jam = self._view("first_jam")
        self.n_fixed_steps = self._view("n_fixed_steps")
        self.outcome = self._view("progress", "integration", "outcome")
        self.wants_tangents = self._view("progress", "wants_tangents")
        self.has_error = np.zeros(count, dtype=bool)
        self._of_run = (
            *(self.has_error, self.has_ended, self.preparation_fault, self.terminated_by, self.changes_at_end, self.n_rows, self.n_steps),
            *(self.n_evaluations, self.methods, self.n_not_projected, self.jammed_steps, self.n_fixed_steps, self.outcome),
            self.wants_tangents,
        )

    def __len__(self) -> int:
        return len(self.t_end)

    def _view(self, *path: str) -> np.ndarray:
        """(count,) a member of the structure, or of one inside it."""
        kind, at = type_of("Member"), 0
        for name in path:
            field = dict(kind.fields)[name]
            kind, at = field.type, at + field.offset
        number = np.dtype(np.uintp if kind.kind == "pointer" else _KINDS.get(kind.cname, np.intc))  # enumerations are int
        return np.ndarray(len(self._memory) // self._size, number, self._memory, at, (self._size,))

    def restart(self, places: Any) -> None:
        """Forget the last runs of members. places: an index of the views."""
        for numbers in self._of_run:
            numbers[places] = 0

    def get(self, first: int, count: int, at: np.ndarray) -> np.ndarray:
        """(count, len(at)) numbers of w of members, from `first` on."""
        found = np.empty((count, len(at)))
        runtime().ensemble_get(count, self.in_c + first, len(at), ints(at), doubles(found.reshape(-1)))
        return found

    def integration(self, number: int) -> Integration:
        """The result of the last call for a member."""
        return Integration.of(self.in_c[number].progress)

    def advance(self, first: int, count: int, n_steps: int) -> None:
        """Advance members to their ends, or by n_steps steps each."""
        runtime().ensemble_advance(count, self.in_c + first, n_steps)


@final
class LanesOfGroup:
    """Advances members side by side, in one thread."""

    def __init__(self, model: LanesModel, members: Members):
        self._members, self._library, self._lanes = members, model.library, model.lanes()
        self._runs = ffi.new("LaneRun[]", len(members))  # a workspace

    def advance(self, first: int, count: int, n_steps: int) -> None:
        """Advance members to their ends, or by n_steps steps each."""
        self._library.ensemble_advance_in_lanes(self._lanes, count, self._members.in_c + first, n_steps, self._runs)
