"""The program of a process in which one FMU runs. `process.py` starts it, by its path: it imports nothing of mobod.

    python child.py RUNTIME MEMORY WAKES_ME WAKES_OTHER MASTER

RUNTIME      the library with the functions of isolated.h
MEMORY       the shared memory: a file descriptor; on Windows its name
WAKES_ME     a file descriptor; on Windows the name of an event
WAKES_OTHER  a file descriptor; on Windows the name of an event
MASTER       id of the process that started this one

Each message of the master is a call of a function; see messages.py. It is answered when the function has returned.
"""

import ctypes
import json
import mmap
import os
import signal
import sys
import threading
from typing import Any

_AT_EACH_STEP = {"2": ("fmi2GetReal", "fmi2SetReal", "fmi2DoStep"), "3": ("fmi3GetFloat64", "fmi3SetFloat64", "fmi3DoStep")}


def main(runtime_path: str, memory: str, wakes_me: str, wakes_other: str, master: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the master's
    runtime = _runtime(runtime_path)
    shared = _shared(memory, runtime.isolated_memory_size())
    address = ctypes.addressof(ctypes.c_char.from_buffer(shared))
    side = ctypes.c_void_p(runtime.isolated_open(address, 1, _handle(wakes_me), _handle(wakes_other), _process(int(master)), -1))
    threading.Thread(target=_end_with_master, args=(runtime, side), daemon=True).start()
    fmu = _Fmu(runtime, side)
    answer, size = b"", -1
    while (n := runtime.isolated_exchange(side, answer, size)) >= 0:
        answer = fmu.answer(ctypes.string_at(runtime.isolated_received(side), n))
        size = len(answer)
    os._exit(0)


class _Fmu:
    """The library of the FMU, with one instance."""

    def __init__(self, runtime: Any, side: ctypes.c_void_p) -> None:
        self._runtime = runtime
        self._side = side
        self._library: Any = None
        self._instance: int | None = None
        self._callbacks: Any = None

    def answer(self, message: bytes) -> bytes:
        """Do the call of a message. The answer has the same form."""
        line, _, data = message.partition(b"\n")
        call = json.loads(line)
        if call["call"] == "load":
            return self._load(*call["arguments"])
        if call["call"] == "knows":
            return json.dumps({"result": hasattr(self._library, call["arguments"][0])}).encode() + b"\n"
        arguments: list[Any] = []
        memory: list[Any] = []
        texts: list[Any] = []
        at = 0
        for kind, value in call["arguments"]:
            if kind == "memory":
                memory.append(ctypes.create_string_buffer(data[at : at + value], value))
                at += value
            elif kind == "texts":
                texts.append((ctypes.c_char_p * len(value))(*map(_bytes, value)))
            arguments.append(memory[-1] if kind == "memory" else texts[-1] if kind == "texts" else self._argument(kind, value))
        function = getattr(self._library, call["call"])
        function.restype = getattr(ctypes, call["restype"]) if call["restype"] else None
        result = function(*arguments)
        if call["restype"] == "c_void_p":  # functions that make an instance
            result = self._use(call["call"], result)
        elif isinstance(result, bytes):
            result = _text(result)
        line_back = json.dumps({"result": result, "texts": [[_text(text) for text in each] for each in texts]}).encode()
        return b"\n".join([line_back, b"".join(map(bytes, memory))])

    def _load(self, path: str) -> bytes:
        here = os.getcwd()
        try:
            os.chdir(os.path.dirname(path))  # some libraries look there for others
            self._library = ctypes.CDLL(path)
            error = ""
        except OSError as failure:
            error = str(failure)
        finally:
            os.chdir(here)
        return json.dumps({"result": error}).encode() + b"\n"

    def _argument(self, kind: str, value: Any) -> Any:
        if kind == "null":
            return None
        if kind == "instance":
            return ctypes.c_void_p(self._instance)
        if kind == "text":
            return ctypes.c_char_p(_bytes(value))
        if kind == "callbacks of FMI 1.0":
            return _CallbacksOfFmi1(*_callbacks(self._runtime))
        if kind == "callbacks of FMI 2.0":
            self._callbacks = _CallbacksOfFmi2(*_callbacks(self._runtime), self._side)
            return ctypes.byref(self._callbacks)
        if kind == "log of FMI 3.0":
            return self._runtime.isolated_log_fmi3
        if kind == "update of FMI 3.0":
            return self._runtime.isolated_update_fmi3
        if kind == "environment":
            return self._side
        return getattr(ctypes, kind)(value)

    def _use(self, function: str, instance: int | None) -> int:
        """Keep the instance. Returns 1, or 0 if there is none."""
        self._instance = instance
        version = function[len("fmi")] if function.startswith("fmi") else "1"
        if version not in _AT_EACH_STEP:  # all functions of FMI 1.0 are called by messages
            return int(bool(instance))
        functions = [getattr(self._library, name, None) for name in _AT_EACH_STEP[version]]
        addresses = [None if each is None else ctypes.cast(each, ctypes.c_void_p) for each in functions]
        self._runtime.isolated_use(self._side, ctypes.c_void_p(instance), int(version), *addresses)
        return int(bool(instance))


class _CallbacksOfFmi1(ctypes.Structure):
    """fmiCallbackFunctions, which are passed by value."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("logger", "allocate_memory", "free_memory", "step_finished")]


class _CallbacksOfFmi2(ctypes.Structure):
    """fmi2CallbackFunctions"""

    _fields_ = [*_CallbacksOfFmi1._fields_, ("environment", ctypes.c_void_p)]


def _callbacks(runtime: Any) -> list[ctypes.c_void_p | None]:
    """Those of both versions: the log writes into the shared memory, memory is that of the C library."""
    c = ctypes.cdll.msvcrt if os.name == "nt" else ctypes.CDLL(None)
    return [*(ctypes.cast(each, ctypes.c_void_p) for each in (runtime.isolated_log_fmi2, c.calloc, c.free)), None]


def _runtime(path: str) -> Any:
    runtime = ctypes.CDLL(path)
    handle = ctypes.c_ssize_t
    runtime.isolated_memory_size.restype = ctypes.c_size_t
    runtime.isolated_open.restype = ctypes.c_void_p
    runtime.isolated_open.argtypes = [ctypes.c_void_p, ctypes.c_int, handle, handle, handle, handle]
    runtime.isolated_exchange.restype = ctypes.c_int64
    runtime.isolated_exchange.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    runtime.isolated_received.restype = ctypes.c_void_p
    runtime.isolated_received.argtypes = [ctypes.c_void_p]
    runtime.isolated_use.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    runtime.isolated_wait_for_end.argtypes = [ctypes.c_void_p]
    return runtime


def _shared(memory: str, size: int) -> mmap.mmap:
    of_system: Any = mmap.mmap
    shared: mmap.mmap = of_system(-1, size, tagname=memory) if os.name == "nt" else of_system(int(memory), size)
    return shared


def _handle(name: str) -> int:
    opened: int = int(name) if os.name != "nt" else _windows().OpenEventW(0x1F0003, False, name)
    return opened


def _process(number: int) -> int:
    opened: int = number if os.name != "nt" else _windows().OpenProcess(0x100000, False, number)
    return opened


def _windows() -> Any:
    system: Any = ctypes
    return system.WinDLL("kernel32")


def _end_with_master(runtime: Any, side: ctypes.c_void_p) -> None:
    """Also in an endless step, and with all processes that the FMU has started. On Windows these are in the master's job object."""
    runtime.isolated_wait_for_end(side)
    if os.name != "nt":
        os.killpg(0, signal.SIGKILL)  # the master gave this process a group of its own
    os._exit(1)


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", errors="surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", errors="surrogateescape")


if __name__ == "__main__":
    main(*sys.argv[1:])
