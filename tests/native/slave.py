"""The hand-written model with the C runtime, compiled, and driven function by function through ctypes."""

import ctypes
import re
import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from fmpy.fmi2 import fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

from mobod.native_sources import runtime_sources
from mobod.runtime.compiler import Compiler, build_library
from mobod.runtime.targets import Target

HERE = Path(__file__).parent
GUID = b"{6f1c9f52-5f0e-4c62-9f0b-3a51d1f6a0c7}"
OK, WARNING, DISCARD, ERROR = range(4)
MODEL_EXCHANGE, CO_SIMULATION = range(2)
LAST_SUCCESSFUL_TIME, TERMINATED = 2, 3  # fmi2StatusKind

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off"]

# name: value reference
VARIABLES = {
    name: reference
    for reference, name in enumerate(re.findall(r'^    \{"(.+?)",', (HERE / "variables_pendulum.c").read_text(), flags=re.MULTILINE))
}
STATES = ["pendulum.q", *(f"body.q[{i}]" for i in (1, 2, 3, 4)), "pendulum.u", *(f"body.u[{i}]" for i in (1, 2, 3)), "motor.work"]


def c_compiler() -> str:
    compiler = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
    if compiler is None:
        pytest.skip("no C compiler: none of cc, gcc, clang is on the PATH")
    return compiler


def model_sources() -> dict[str, str]:
    of_model = [*HERE.glob("*_pendulum.c"), *HERE.glob("*_pendulum.h")]
    return runtime_sources("compiled", "2.0") | {path.name: path.read_text() for path in of_model}


def compile_model(flags: Sequence[str] = (), compiler: Compiler | None = None, target: Target | None = None) -> Path:
    """The library of the model, as FMUs get theirs; compiled once for all workers."""
    headers = [files("fmpy") / "c-code"]
    return build_library("pendulum", model_sources(), include_directories=headers, flags=flags, compiler=compiler, target=target)


class Slave:
    """An instance of the model. `call("DoStep", ...)` is fmi2DoStep, and returns its status; what was logged is in `log`."""

    def __init__(self, library: Path, name: str = "slave", logging_on: bool = False, guid: bytes = GUID, fmu_type: int = CO_SIMULATION):
        self.library = ctypes.CDLL(str(library))
        self.library.fmi2Instantiate.restype = ctypes.c_void_p
        self.log: list[tuple[int, str, str]] = []  # status, category, message as handed over
        self._logger = fmi2CallbackLoggerTYPE(self._remember)
        callbacks = self._callbacks = fmi2CallbackFunctions()
        callbacks.logger = self._logger
        self.component = self.library.fmi2Instantiate(
            name.encode(), fmu_type, guid, b"", ctypes.byref(callbacks), ctypes.c_int(0), ctypes.c_int(logging_on)
        )

    def _remember(self, _environment, _name: bytes, status: int, category: bytes, message: bytes) -> None:
        self.log.append((status, category.decode(), message.decode()))

    def messages(self) -> str:
        return "\n".join(message for _, _, message in self.log)

    def call(self, function: str, *arguments) -> int:
        return self.library[f"fmi2{function}"](ctypes.c_void_p(self.component), *arguments)

    def free(self) -> None:
        self.library.fmi2FreeInstance(ctypes.c_void_p(self.component))
        self.component = None

    # life cycle

    def set_up(self, start: float = 0.0, stop: float | None = None, tolerance: float | None = None) -> int:
        return self.call(
            "SetupExperiment",
            ctypes.c_int(tolerance is not None),
            ctypes.c_double(tolerance or 0.0),
            ctypes.c_double(start),
            ctypes.c_int(stop is not None),
            ctypes.c_double(stop or 0.0),
        )

    def start(self, values: Mapping[str, float] | None = None, **experiment) -> "Slave":
        assert self.set_up(**experiment) == OK, self.messages()
        assert self.set(values or {}) == OK, self.messages()
        assert self.call("EnterInitializationMode") == OK, self.messages()
        assert self.call("ExitInitializationMode") == OK, self.messages()
        return self

    def step(self, time: float, step: float) -> int:
        return self.call("DoStep", ctypes.c_double(time), ctypes.c_double(step), ctypes.c_int(1))

    def run(self, times: Sequence[float]) -> "Slave":
        for begin, end in pairwise(times):
            assert self.step(begin, end - begin) == OK, self.messages()
        return self

    # values

    def set(self, values: Mapping[str, float]) -> int:
        references = (ctypes.c_uint * len(values))(*(VARIABLES[name] for name in values))
        return self.call("SetReal", references, ctypes.c_size_t(len(values)), (ctypes.c_double * len(values))(*values.values()))

    def set_boolean(self, name: str, value: int) -> int:
        return self.call("SetBoolean", ctypes.byref(ctypes.c_uint(VARIABLES[name])), ctypes.c_size_t(1), ctypes.byref(ctypes.c_int(value)))

    def get(self, *names: str) -> list[float]:
        references = (ctypes.c_uint * len(names))(*(VARIABLES[name] for name in names))
        values = (ctypes.c_double * len(names))()
        assert self.call("GetReal", references, ctypes.c_size_t(len(names)), values) == OK, self.messages()
        return list(values)

    def get_boolean(self, name: str) -> int:
        value = ctypes.c_int(-1)
        reference = ctypes.c_uint(VARIABLES[name])
        assert self.call("GetBoolean", ctypes.byref(reference), ctypes.c_size_t(1), ctypes.byref(value)) == OK, self.messages()
        return value.value

    def states(self) -> list[float]:
        return self.get(*STATES)

    # saved states

    def save(self) -> ctypes.c_void_p:
        saved = ctypes.c_void_p()
        assert self.call("GetFMUstate", ctypes.byref(saved)) == OK, self.messages()
        return saved

    def restore(self, saved: ctypes.c_void_p) -> int:
        return self.call("SetFMUstate", saved)

    def to_bytes(self, saved: ctypes.c_void_p) -> bytes:
        size = ctypes.c_size_t()
        assert self.call("SerializedFMUstateSize", saved, ctypes.byref(size)) == OK, self.messages()
        buffer = ctypes.create_string_buffer(size.value)
        assert self.call("SerializeFMUstate", saved, buffer, size) == OK, self.messages()
        return buffer.raw

    def from_bytes(self, data: bytes) -> tuple[int, ctypes.c_void_p]:
        saved = ctypes.c_void_p()
        return self.call("DeSerializeFMUstate", data, ctypes.c_size_t(len(data)), ctypes.byref(saved)), saved
