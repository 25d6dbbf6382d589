"""The kernels of a model: compiled C functions, or programs for the interpreter."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, final

from mobod.c_calls import CCalls
from mobod.compilation.calls.liveness import CallsKind, LiveKind, LiveSweep, adjoint_of
from mobod.compilation.source.events_source import Events, event_functions, functions_c
from mobod.compilation.source.kinds_source import KindsSource, adjoints_c, calls_c, kernels_c, tangents_c
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import ffi, numbers_at
from mobod.runtime.tables import CFunction, Struct, same_named
from mobod.scalar.bytecode import Program, adjoint_program_of, program_of
from mobod.scalar.c_code import Form
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedProcedure, LoadedProgram
from mobod.scalar.procedure import Procedure, ProcedureInC, PythonProcedure
from mobod.scalar.recording import Recording, kept_by_first
from mobod.scalar.sweep import Kind, kept_by_kind
from mobod.system.events.program import EventFunction

Called = LiveKind | CallsKind | Procedure  # what a call of a sweep calls


class Kernels(Protocol):
    """The `Kernel`s of kernel.h for everything that a model calls.

    has_tangents  whether there are tangents of all kinds for which the model needs them
    has_adjoints  whether there are adjoints of all kinds
    n_registers   size of the scratch memory that they need, in floats
    """

    @property
    def has_tangents(self) -> bool: ...

    @property
    def has_adjoints(self) -> bool: ...

    @property
    def n_registers(self) -> int: ...

    def kernel(self, called: Called) -> Struct: ...

    def tangent(self, called: Called) -> Struct:
        """The kernel of the tangent; its function is null if there is no tangent."""

    def adjoint(self, called: LiveKind | Procedure) -> Struct:
        """The kernel of the adjoint, if there are adjoints."""

    def event_function(self, function: EventFunction) -> Struct: ...


@final
class _Callbacks:
    """Callbacks for procedures in Python, numbered in order."""

    def __init__(self) -> None:
        self._n = 0

    def kernel(self, procedure: PythonProcedure) -> Struct:
        self._n += 1
        return callback(self._n, procedure)


@final
class CompiledKernels:
    """C functions of kinds, of several of their calls side by side, and of recorded handlers.

    files  file name -> text
    """

    n_registers = 0

    def __init__(
        self,
        kinds: Iterable[LiveKind],
        with_tangents: Iterable[LiveKind] | None,
        events: Events | None,
        *,
        side_by_side: Iterable[CallsKind] = (),
        with_adjoints: bool = False,
    ):
        kinds, none, together = list(kinds), KindsSource({}, {}), calls_c(side_by_side)
        kernels, tangents = kernels_c(kinds), none if with_tangents is None else tangents_c(with_tangents)
        adjoints = adjoints_c(kinds) if with_adjoints else none
        self.has_tangents, self.has_adjoints = with_tangents is not None, with_adjoints
        self.files = {**kernels.files, **together.files, **tangents.files, **adjoints.files}
        self._kernels, self._side_by_side = kernels.functions, together.functions
        self._tangents, self._adjoints = tangents.functions, adjoints.functions
        self._of_events = event_functions(events) if events else {}
        if events:
            self.files["event_functions.c"] = functions_c(events)
        self._callbacks = _Callbacks()

    @property
    def functions(self) -> list[str]:
        """The names of all functions."""
        named: list[Mapping[Any, str]] = [self._kernels, self._side_by_side, self._tangents, self._adjoints, self._of_events]
        return list(dict.fromkeys(name for each in named for name in each.values()))

    def function_name(self, kind: LiveKind) -> str:
        return self._kernels[kind]

    def kernel(self, called: Called) -> Struct:
        if isinstance(called, CallsKind) and called in self._side_by_side:
            return _compiled(self._side_by_side[called])
        return _kernel_of(called, self._callbacks, lambda kind: _compiled(self._kernels[kind]))

    def tangent(self, called: Called) -> Struct:
        return _tangent_of(called, lambda kind: _compiled(self._tangents[kind]) if kind in self._tangents else Struct("Kernel"))

    def adjoint(self, called: LiveKind | Procedure) -> Struct:
        return _of_procedure(called.in_c(), "adjoint") if isinstance(called, Procedure) else _compiled(self._adjoints[called])

    def event_function(self, function: EventFunction) -> Struct:
        return _compiled(self._of_events[function])


@final
class InterpretedKernels:
    """Programs of kinds and of recorded handlers. with_tangents: the kinds with tangents."""

    def __init__(self, with_tangents: Iterable[LiveKind] | None, *, with_adjoints: bool = False):
        self.has_tangents, self.has_adjoints = with_tangents is not None, with_adjoints
        self.n_registers = 0
        self._with_tangents = frozenset(with_tangents or ())
        self._made: dict[Program, Struct] = {}
        self._callbacks = _Callbacks()

    def kernel(self, called: Called) -> Struct:
        return _kernel_of(called, self._callbacks, lambda kind: self._kernel(_program(kind.kind, kind.live, kind.adds, False)))

    def tangent(self, called: Called) -> Struct:
        return _tangent_of(called, self._tangent)

    def _tangent(self, kind: LiveKind) -> Struct:
        return self._kernel(_program(kind.kind, kind.live, kind.adds, True)) if kind in self._with_tangents else Struct("Kernel")

    def adjoint(self, called: LiveKind | Procedure) -> Struct:
        if isinstance(called, Procedure):
            return _of_procedure(called.in_c(), "adjoint")
        return self._kernel(_adjoint_program(called.kind, called.live, called.adds))

    def event_function(self, function: EventFunction) -> Struct:
        return self._kernel(program_of(function.recording, adds=frozenset(), is_tangent=False))

    def _kernel(self, program: Program) -> Struct:
        self.n_registers = max(self.n_registers, program.n_registers)
        if program not in self._made:
            self._made[program] = program_table(program)
        return Struct("Kernel", run=CFunction("run_program"), context=self._made[program])


@final
class TextKernels:
    """Callbacks that run the NumPy code of kinds: slow, for debugging. Handlers are programs."""

    def __init__(self, with_tangents: Iterable[LiveKind] | None):
        self._programs = InterpretedKernels(with_tangents)
        self.has_tangents, self.has_adjoints = self._programs.has_tangents, False

    @property
    def n_registers(self) -> int:
        """Size of the scratch memory that the programs need, in floats."""
        return self._programs.n_registers

    def kernel(self, called: Called) -> Struct:
        if isinstance(called, CallsKind):
            return in_order(self.kernel(called.kind), called)
        return self._programs.kernel(called) if isinstance(called, Procedure) else text_callback(called)

    def tangent(self, called: Called) -> Struct:
        """The kernel of the tangent; its function is null if there is no tangent."""
        return self._programs.tangent(called)

    def adjoint(self, called: LiveKind | Procedure) -> Struct:
        return self._programs.adjoint(called)

    def event_function(self, function: EventFunction) -> Struct:
        return self._programs.event_function(function)


def _kernel_of(called: Called, callbacks: _Callbacks, of_kind: Callable[[LiveKind], Struct]) -> Struct:
    """The kernel of a procedure, or of one or several calls of a kind."""
    if isinstance(called, PythonProcedure):
        return callbacks.kernel(called)
    if isinstance(called, Procedure):
        return _of_procedure(called.in_c(), "kernel")
    return in_order(of_kind(called.kind), called) if isinstance(called, CallsKind) else of_kind(called)


def _tangent_of(called: Called, of_kind: Callable[[LiveKind], Struct]) -> Struct:
    """The same for tangents."""
    if isinstance(called, PythonProcedure):
        return Struct("Kernel", run=CFunction("run_no_operation"))
    if isinstance(called, Procedure):
        return _of_procedure(called.in_c(), "tangent")
    return in_order(of_kind(called.kind), called) if isinstance(called, CallsKind) else of_kind(called)


def live_calls(sweep: LiveSweep) -> KernelCalls:
    """A live sweep as calls of programs by the C runtime."""
    calls = []
    for each in sweep.calls:
        if isinstance(each, Procedure):
            calls.append(KernelCall(LoadedProcedure(each)))
        else:
            kind, call = each.kind, each.call
            calls.append(KernelCall(_loaded(kind.kind, kind.live, kind.adds), tuple(slot.offset for slot in (*call.inputs, *call.outputs))))
    return KernelCalls(calls, sweep.clears)


@kept_by_kind
def _loaded(kind: Kind, live: frozenset[int], adds: frozenset[int]) -> LoadedProgram:
    return LoadedProgram(_program(kind, live, adds, False))


def _program(kind: Kind, live: frozenset[int], adds: frozenset[int], is_tangent: bool) -> Program:
    return _program_of(kind.tangent() if is_tangent else kind.recording(), live, adds, is_tangent)


@kept_by_first
def _program_of(recording: Recording, live: frozenset[int], adds: frozenset[int], is_tangent: bool) -> Program:
    return program_of(recording.with_outputs(live), adds=adds, is_tangent=is_tangent)


@kept_by_kind
def _adjoint_program(kind: Kind, live: frozenset[int], adds: frozenset[int]) -> Program:
    return adjoint_program_of(adjoint_of(kind, live), adds=adds)


def program_table(program: Program) -> Struct:
    """`Program` of interpreter.h."""
    return Struct(
        "Program",
        **same_named(program, "code", "constants", "tables", "sizes"),
        n_code=len(program.code),
        n_constants=len(program.constants),
        n_table_numbers=len(program.tables),
        **same_named(program, "n_inputs", "n_outputs", "n_registers", "is_tangent", "is_adjoint"),
    )


class Host(Protocol):
    """The interface of a run in C that callbacks use; it owns the run's State."""

    calls: CCalls

    def run_procedure(self, number: int, procedure: PythonProcedure, w: CObject) -> int:
        """Run a procedure on w, a pointer to the numbers of the run; returns a kernel's status. number: its index among all procedures."""


def callback(number: int, procedure: PythonProcedure) -> Struct:
    """A kernel that runs a procedure in Python. An exception stops the sweep; it is stored and raised later."""

    def run(_: object, call: CObject, at: CObject) -> int:
        host: Host = ffi.from_handle(call.host)
        with host.calls.callback():
            host.calls.let_interrupt_in()
            return host.run_procedure(number, procedure, call.w)
        return 1

    return Struct("Kernel", run=ffi.callback("KernelFunction *", run, error=1))


def text_callback(live: LiveKind) -> Struct:
    """A kernel that calls the NumPy code of a kind."""
    kind = live.kind
    shapes = [*kind.shapes, *(output.shape for output in kind.recording().outputs)]
    n = len(kind.shapes)

    def run(_: object, call: CObject, at: CObject) -> int:
        host: Host = ffi.from_handle(call.host)
        with host.calls.callback():
            host.calls.let_interrupt_in()
            arrays = [numbers_at(call.w + at[i], shape) for i, shape in enumerate(shapes)]
            results = kind.function(*kind.structure, *(array.copy()[()] for array in arrays[:n]))
            for i, result in enumerate(results if isinstance(results, tuple) else (results,)):
                if i in live.live:
                    arrays[n + i][...] = result + (arrays[n + i] if i in live.adds else 0.0)
            return 0
        return 1

    return Struct("Kernel", run=ffi.callback("KernelFunction *", run, error=1))


def in_order(kernel: Struct, calls: CallsKind) -> Struct:
    """A kernel that does several calls by the kernel of one; none, if there is none of one call."""
    if "run" not in kernel.fields:
        return kernel
    n_places = len(calls.kind.kind.shapes) + len(calls.kind.kind.recording().outputs)
    context = Struct("CallsInOrder", kernel=kernel, n_calls=calls.n_calls, n_places=n_places)
    return Struct("Kernel", run=CFunction("run_calls_in_order"), context=context)


def _compiled(name: str) -> Struct:
    return Struct("Kernel", run=CFunction(name))


def _of_procedure(procedure: ProcedureInC, form: Form) -> Struct:
    return Struct("Kernel", run=CFunction(getattr(procedure, form)), context=procedure.context)
