"""CompiledLater: compiles a model in the background, as soon as the work of its interpreted runs says that this pays."""

import logging
import os
import threading
from collections.abc import Callable
from typing import final
from warnings import warn

from mobod.compilation.compile_rule import cost_of_compiling, cost_of_writing, pays, saved_time, units_of_evaluation
from mobod.compilation.compiled_system import RealizationCode
from mobod.compilation.native.built_functions import functions_order
from mobod.compilation.native.native_model import NativeModel
from mobod.errors import MobodWarning, NoCompilerError
from mobod.runtime.build_process import build_apart, can_build_apart
from mobod.runtime.compiler import LibraryOrder
from mobod.runtime.library_cache import LibraryCache, cache_directory
from mobod.runtime.simd import chosen_simd
from mobod.system import Layout

_log = logging.getLogger("mobod")
_notices = logging.getLogger("mobod.compilation")


@final
class CompiledLater:
    """The compiled form of the models of one structure, which all their runs share.

    It takes two jobs, each in a thread of its own: to write the C code, after which the cost of compiling it is known and the cache may
    have the library; and to have a process of its own compile it. What is made is the `NativeModel` of `layout.native`, and the code of
    realizations.

    is_over  whether no job will follow: all is compiled, or cannot be
    """

    def __init__(self, interpreted: NativeModel, layout: Layout):
        self._interpreted, self._layout = interpreted, layout
        self._evaluations = 0  # of all runs so far
        self._saved = 0.0  # s: what compiled code would have saved of them
        self._units: float | None = None  # of an evaluation
        self._cost: float | None = None  # s; None: the C code is not written yet
        self._orders: list[LibraryOrder] = []
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self._process = os.getpid()  # which has the thread
        self.is_over = not can_build_apart()
        self._problem: str | None = None  # why it cannot be compiled, until it was said

    @property
    def model(self) -> NativeModel | None:
        """The compiled model, once it is there."""
        made: NativeModel | None = self._layout.native.get("compiled")
        return made

    def warn_of_problem(self) -> None:
        """Warn, once, if it cannot be compiled although there is a compiler."""
        problem, self._problem = self._problem, None
        if problem is not None:
            warn(problem, MobodWarning, stacklevel=2)

    def note_work(self, evaluations: int, seconds: float | None, left: float) -> None:
        """Add the work of a run, and begin a job if this pays.

        evaluations  since the last time
        seconds      that they took, if that is known
        left         how many evaluations are still to come in the run, as far as is known
        """
        if self.is_over or self._is_at_work:
            return
        if self._units is None:
            self._units = units_of_evaluation(self._interpreted.single_calls())
        self._evaluations += evaluations
        self._saved += saved_time(self._units, evaluations, seconds)
        expected = self._saved * left / max(1, self._evaluations)
        if pays(self._saved, expected, cost_of_writing(self._units) if self._cost is None else self._cost):
            self._begin(self._write if self._cost is None else self._build)

    @property
    def _is_at_work(self) -> bool:
        return self._worker is not None and self._worker.is_alive() and self._process == os.getpid()  # a forked child has no thread

    def _begin(self, job: Callable[[], None]) -> None:
        with self._lock:  # several threads may have runs
            if self.is_over or self._is_at_work:
                return
            self._worker, self._process = threading.Thread(target=self._do, args=(job,), name="mobod compiles", daemon=True), os.getpid()
            self._worker.start()

    def _do(self, job: Callable[[], None]) -> None:
        try:
            job()
        except NoCompilerError as error:
            self.is_over = True
            _log.info("not compiled: %s", error)
        except Exception as error:  # also of users' code, which the thread records
            self.is_over = True
            name = self._interpreted.system.name
            if self.model is None:  # the next run or piece of a run warns of it
                self._problem = f"System '{name}' cannot be compiled, and its runs stay interpreted, with the same numbers: {error}"
            else:
                _log.info("realizations of System '%s' stay interpreted: %s", name, error)

    # ---- jobs ----

    def _write(self) -> None:
        """Write the C code, and take the libraries from the cache if it has them."""
        model, simd = self._interpreted.generated, chosen_simd()
        side_by_side = simd.n_calls if simd else 0
        self._orders = [functions_order(model.compiled(side_by_side)[1], simd)]
        if self._interpreted.uses_tangents and (tangents := model.tangents("compiled", side_by_side).compiled) is not None:
            self._orders.append(functions_order(tangents, simd))
        missing = [order for order in self._orders if not _is_kept(order)]
        if missing:
            self._cost = sum(cost_of_compiling(_lines_to_compile(order)) for order in missing)
        else:
            self._load()

    def _build(self) -> None:
        name = self._interpreted.system.name
        _notices.info("compiling System '%s' while its run goes on", name)
        for order in self._orders:
            build_apart(order)
        self._load()

    def _load(self) -> None:
        """Load the libraries, which are in the cache; then compile the code of realizations outside of runs."""
        interpreted = self._interpreted
        made = NativeModel(interpreted.generated, "compiled", follows_events=interpreted.follows_events)
        if interpreted.uses_tangents:
            made.tangents  # noqa: B018 - loads them
        self._layout.native.setdefault("compiled", made)
        self.is_over = True
        self._orders = []
        if not self._layout.compiled:
            code = RealizationCode(self._layout)
            if not _is_kept(code.order):
                build_apart(code.order)
            code.install()


def _is_kept(order: LibraryOrder) -> bool:
    try:
        return order.kept(LibraryCache(cache_directory())) is not None
    except OSError:  # there is no cache
        return False


def _lines_to_compile(order: LibraryOrder) -> list[int]:
    try:
        return order.lines_to_compile(LibraryCache(cache_directory()))
    except OSError:
        return [text.count("\n") for file, text in order.sources.items() if file.endswith(".c")]
