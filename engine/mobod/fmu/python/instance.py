"""One simulation in a Python FMU: an instance of the C runtime, which calls back what runs as Python. Independent of pythonfmu."""

# Decision: docs/decisions/091-python-fmu-runtime.md

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compilation.native.run_host import RunHost
from mobod.compilation.source.model_source import GeneratedModel, generate
from mobod.errors import FmuError, MobodError
from mobod.fmu.interface import Interface
from mobod.fmu.python.settable_by_importer import SettableByImporter
from mobod.fmu.variables_source import interface_table
from mobod.runtime.library import constant, ffi, member_type, runtime
from mobod.runtime.tables import Memory
from mobod.scalar.kernel_calls import kernel_function
from mobod.system import State, System
from mobod.system.variable import VariableType


@final
@dataclass(frozen=True)
class Message:
    """A message of the instance to the importer. Status and category are those of FMI."""

    status: int
    category: str
    text: str


@final
@dataclass(frozen=True)
class PythonInstanceState:
    """The complete state of an instance.

    numbers  by the C runtime, see serialized_state.h
    state    a State with these numbers, for the values of discrete variables that are not numeric
    """

    numbers: bytes
    state: State


@final
class PythonInstance:
    """An instance in Python. The C runtime implements its life cycle, values and saved states: see instance.h, values.h, saved_states.h and
    fmi2_calls.h.

    A failed call raises FmuError with the runtime's message, or the exception of the model's own code.

    messages  warnings and logs since they were last cleared, without those of errors
    """

    def __init__(self, system: System, state: State, interface: Interface, generated: GeneratedModel | None = None):
        """state: becomes the instance's own; generated: the model of the System, if there is one. Raises UnsupportedError for a System that
        the C runtime cannot run.
        """
        self.messages: list[Message] = []
        self._library = runtime()
        self._calls = CCalls()
        self._memory = Memory(kernel_function)
        generated = generate(system, state, calls_back=True, scales=interface.scales) if generated is None else generated
        model = self._memory.struct(generated.table(interface.offsets, len(interface.real_inputs)))
        self._log = ffi.callback(member_type("Importer", "log_message"), self._logger(self.messages))  # kept alive as long as C may call it
        importer = ffi.new("Importer *", {"log_message": self._log})
        made = self._library.create_instance(
            model, self._memory.struct(interface_table(interface)), interface.model_name.encode(), importer[0]
        )
        if made == ffi.NULL:
            raise MobodError(f"not enough memory for an instance of '{interface.model_name}'.")
        self._instance = ffi.gc(made, self._library.free_instance)
        categories = [ffi.new("char[]", name) for name in _SHOWN]
        self._library.set_logging(self._instance, True, len(categories), ffi.new("char *[]", categories))
        self.state = state  # kept up to date as far as Python code needs it
        events = generated.events(with_reporters=False)
        self._settable = SettableByImporter(state, interface.rows, np.frombuffer(ffi.buffer(self._instance.state.w, 8 * model.n_w)))
        self._host = RunHost(system, state, events.rows if events else (), self._calls, model.n_w, self._settable.check)
        self._handle = ffi.new_handle(self._host)  # kept alive as long as C may call it
        self._library.set_host(self._instance.state, self._handle, self._host.hooks)

    @staticmethod
    def _logger(messages: list[Message]) -> Any:
        def log(_host: object, _name: object, status: int, category: object, text: object) -> None:
            messages.append(Message(status, *(ffi.string(each).decode(errors="replace") for each in (category, text))))

        return log

    # life cycle
    def set_up_experiment(self, start_time: float, stop_time: float | None, tolerance: float | None) -> None:
        """See set_up_experiment in instance.h; None: the importer gives no value."""
        given = [ffi.NULL if value is None else ffi.new("double *", value) for value in (stop_time, tolerance)]
        self._call("SETUP_EXPERIMENT", self._library.set_up_experiment, start_time, *given)

    def enter_initialization(self) -> None:
        self._call("ENTER_INITIALIZATION_MODE", self._library.enter_initialization)

    def exit_initialization(self) -> None:
        self._call("EXIT_INITIALIZATION_MODE", self._library.exit_initialization)

    def do_step(self, start_time: float, step: float) -> bool:
        """Take a communication step; see do_step in instance.h. Returns False if an event ended the simulation, with a message in
        `messages`.

        A step that could be repeated with a shorter size is also an error, since pythonfmu's library treats each discarded step as the end.
        """
        status = self._call("DO_STEP", self._library.do_step, start_time, step, ffi.NULL)
        if self._instance.state.mode == constant("MODE_STEP_FAILED"):
            raise self._failure()
        return status == constant("STATUS_OK")

    @property
    def steps_tried(self) -> int:
        """How many steps of the integration the last communication step has tried."""
        return int(self._instance.work.n_tried)

    def terminate(self) -> None:
        self._call("TERMINATE", self._library.terminate)

    # values
    def get(self, references: Sequence[int], of_type: VariableType) -> list[float]:
        """The values of the variables with these value references."""
        call, kind = f"GET_{of_type.upper()}", _C_TYPES[of_type]
        values = ffi.new(f"{kind}[]", len(references))
        function = getattr(self._library, f"get_{of_type}s")
        self._call(call, function, ffi.new("unsigned[]", list(references)), len(references), values, len(references), *_more(of_type))
        return list(values)

    def set(self, references: Sequence[int], values: Sequence[float], of_type: VariableType) -> None:
        """Set all of these variables, or none if one value is refused."""
        call, kind = f"SET_{of_type.upper()}", _C_TYPES[of_type]
        function = getattr(self._library, f"set_{of_type}s")
        self._call(
            call,
            function,
            ffi.new("unsigned[]", list(references)),
            len(references),
            ffi.new(f"{kind}[]", list(values)),
            len(values),
            *_more(of_type),
        )

    def check_has_none(self, call: str, references: Sequence[int]) -> None:
        """Raise an error if there are references, for a type that no variable has. call: one of Fmi2Call."""
        self._call(call, lambda _: constant("STATUS_OK"))
        if references:
            raise MobodError("this FMU has only Real, Integer and Boolean variables.")

    # saved states
    def save(self) -> PythonInstanceState:
        state = self._instance.state
        self._library.hide_start(self._instance)
        size = ffi.new("size_t *")
        self._call("GET_FMU_STATE", self._library.saved_state_size, state, size)
        numbers = ffi.new("char[]", size[0])
        self._call("GET_FMU_STATE", self._library.saved_state_to_bytes, state, numbers, size[0])
        return PythonInstanceState(ffi.buffer(numbers)[:], self.state.copy())

    def restore(self, saved: PythonInstanceState) -> None:
        """Restore a saved state of an instance of the same System. saved.state must belong to this instance's System."""
        place = ffi.new("void **")
        self._call("SET_FMU_STATE", self._library.saved_state_from_bytes, saved.numbers, len(saved.numbers), place)
        try:
            self._call("SET_FMU_STATE", self._library.restore_state, place[0])
        finally:
            self._library.free_saved_state(self._instance, place)
        self.state.take(saved.state.snapshot())

    def _call(self, name: str, function: Any, *arguments: Any) -> int:
        """Call a function of the runtime, if the call is legal now, and return its status. name: as in Fmi2Call."""
        is_error = True
        self._settable.note()
        self._host.why_no_value = None
        with np.errstate(all="ignore"), self._calls:  # the runtime checks for numbers that are not finite
            if self._library.may_call(self._instance, constant(name)):
                status: int = function(self._instance, *arguments)
                is_error = status == constant("STATUS_ERROR")
        if is_error:
            raise self._failure()
        return status

    def _failure(self) -> FmuError:
        texts = [message.text for message in self.messages]
        self.messages.clear()
        return FmuError(" ".join([*texts, *([] if self._host.why_no_value is None else [str(self._host.why_no_value)])]))


def _more(of_type: VariableType) -> tuple[int, ...]:
    return (constant("TYPE_INTEGER"),) if of_type == "integer" else ()


# log categories that hosts always get, besides errors and warnings (logging.h)
_SHOWN = (b"logStatusDiscard",)
_C_TYPES: dict[VariableType, str] = {"real": "double", "boolean": "int", "integer": "int"}
