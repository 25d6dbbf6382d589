"""The tables and kernels of a System for runs by the C runtime in this process. FMUs use the same runtime."""

import logging
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import final
from warnings import warn

import numpy as np

from mobod.compilation.calls.liveness import LiveSweep
from mobod.compilation.native.built_functions import built_functions
from mobod.compilation.native.idle_runs import IdleRuns
from mobod.compilation.native.lanes import LanesModel
from mobod.compilation.source.model_source import Code, GeneratedModel
from mobod.compilation.source.model_tables import y_names, y_units
from mobod.errors import CompileError, MobodWarning, NoCompilerError
from mobod.runtime.c_objects import CObject
from mobod.runtime.collector import collector_waits
from mobod.runtime.lanes_library import lanes_runtime
from mobod.runtime.library import ffi, runtime
from mobod.runtime.simd import Simd, chosen_simd
from mobod.runtime.tables import Memory
from mobod.scalar.kernel_calls import kernel_function
from mobod.system import Stage
from mobod.system.scales import Scales

_log = logging.getLogger("mobod")


@final
class NativeModel:
    """A System's tables in memory, with compiled kernels or with programs. `open_native` begins a run with them.

    idle  memory of its runs that have ended
    """

    def __init__(self, model: GeneratedModel, code: Code = "compiled", *, follows_events: bool = True):
        """follows_events: whether runs find the times of events; if False, call `index_witnesses` before such runs

        Raises NoCompilerError or CompileError if compiled kernels are requested and cannot be built.
        """
        self.n_y = model.y.size
        self.n_updated = sum(each.slot.size for each in model.layout.auto_updates.in_c)
        self._simd = chosen_simd() if code == "compiled" else None
        self._side_by_side = self._simd.n_calls if self._simd else 0
        if code == "compiled":
            table, kernels = model.compiled(self._side_by_side)
            self._compiled = built_functions(kernels, self._simd)
        else:
            table, self._compiled = model.interpreted() if code == "interpreted" else model.as_text(), {}
        self._memory = Memory(self._function)
        self.table = self._memory.struct(table)
        self.n_w: int = self.table.n_w
        events = model.events(with_reporters=True)
        self.rows = events.rows if events else ()
        self.system = model.system
        self._model, self._code = model, code
        self._lanes: dict[Simd, LanesModel | None] = {}
        self.idle = IdleRuns()
        self._scaled: dict[Scales, NativeModel] = {}
        self._done = set[str]()  # shared with the same model with other scales
        if follows_events:
            self.index_witnesses()

    def index_witnesses(self) -> None:
        """Give the table the sweeps before single witnesses, which runs that follow events use. Done once."""
        if "index" not in self._done:
            with collector_waits():
                for name, sweeps in self._model.witness_index(self._side_by_side).items():
                    self._memory.set(self.table.events, name, sweeps)
            self._done.add("index")

    @property
    def generated(self) -> GeneratedModel:
        """From which it was made."""
        return self._model

    def single_calls(self) -> dict[Stage, LiveSweep]:
        """The sweeps of an interpreted model."""
        return self._model.single_calls()

    @property
    def follows_events(self) -> bool:
        """Whether `index_witnesses` was called."""
        return "index" in self._done

    @property
    def uses_tangents(self) -> bool:
        """Whether a run has used `tangents`."""
        return "tangents" in self._done

    def scaled(self, scales: Scales) -> "NativeModel":
        """The same with other scales."""
        if scales == self._model.scales:
            return self
        if scales not in self._scaled:
            other = self._scaled[scales] = copy(self)
            made = self._model.scales_table(scales)
            other.table = ffi.new("Model *", self.table[0])
            other.table.scales = self._memory.struct(made)
            other.__dict__.pop("y_scales", None)
            other._lanes, other._model, other._scaled = {}, replace(self._model, scales=scales), {self._model.scales: self}
            other.idle = IdleRuns()
        return self._scaled[scales]

    @cached_property
    def calls_python(self) -> bool:
        """Whether runs call Python: elements, handlers and witnesses in plain Python, and reporters."""
        is_plain = any(each.why_not_recordable() for each in self.system.subsystems)
        is_plain = is_plain or any(row.event.is_reporter or not row.event.recordable for row in self.rows)
        return is_plain or self._code == "text" or bool(self._model.layout.auto_updates.called_back)

    @cached_property
    def y_scales(self) -> np.ndarray:
        """(n_y,) the scale of each entry of y."""
        return np.array([self.table.scales.y[i] for i in range(self.n_y)])

    def name_states(self) -> None:
        """Give the table the names and units of the states, which only messages of failures read."""
        if self.table.y_names == ffi.NULL:
            self._memory.set(self.table, "y_units", y_units(self._model.layout, self._model.variables))
            self._memory.set(self.table, "y_names", y_names(self._model.layout, self._model.variables))

    def extended(self, values: np.ndarray) -> np.ndarray:
        """w (n_w,) that begins with the values of a State, without temporary ones; the other numbers are 0."""
        return self._model.layout.copied(values, self.n_w)

    @cached_property
    def tangents(self) -> tuple[CObject, int]:
        """The `Kernel`s of the tangents, for implicit steps, and the size of their scratch memory. Made on first use."""
        self._done.add("tangents")
        tangents = self._model.tangents(self._code, self._side_by_side)
        if tangents.compiled is not None:
            try:
                self._compiled |= built_functions(tangents.compiled, self._simd)
            except (NoCompilerError, CompileError) as error:  # the kernels were in the cache; programs give the same bits
                _log.info("tangents are interpreted: %s", error)
                tangents = self._model.tangents("interpreted", self._side_by_side)
        return self._memory.array(tangents.table), tangents.n_registers

    def lanes(self) -> LanesModel | None:
        """The same model for runs side by side. Made on first use.

        None if the processor has no vectors or kernels are NumPy code, and, with a MobodWarning, if the runtime for them cannot be built.
        """
        simd = chosen_simd()
        if simd is None or self._code == "text":
            return None
        self.index_witnesses()  # of which lanes have tables of their own
        if simd not in self._lanes:
            self._lanes[simd] = self._made_lanes(simd)
        return self._lanes[simd]

    def _made_lanes(self, simd: Simd) -> LanesModel | None:
        called = self._model.called(self._side_by_side)
        try:
            library = lanes_runtime(simd)
        except (NoCompilerError, CompileError) as error:
            warn(
                "runs go one after another instead of side by side, which takes up to 5 times as long: the C runtime for "
                f"{simd.name} is not in this installation and cannot be compiled. {error}",
                MobodWarning,
                stacklevel=2,
            )
            return None
        try:
            return LanesModel(called, self.table, library, simd, compiled=self._code == "compiled")
        except (NoCompilerError, CompileError) as error:  # the kernels were in the cache; programs give the same bits
            _log.info("kernels of runs side by side are interpreted: %s", error)
            return LanesModel(called, self.table, library, simd, compiled=False)

    def _function(self, name: str) -> CObject:
        if name == "run_calls_in_order":
            return ffi.addressof(runtime(), name)
        return self._compiled[name] if name in self._compiled else kernel_function(name)
