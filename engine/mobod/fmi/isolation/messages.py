"""Calls of FMI functions as messages to the process of an FMU (child.py), and their answers.

A message is a line of JSON, then bytes. The line has the name of the function, the ctypes type of its result, and the kind and value of
each argument:

    c_double, c_int, ...   a number, or an address of the FMU's: the ctypes type
    text, texts            a C string; an array of them
    memory                 a pointer to this number of bytes, which follow the line
    null, instance         NULL; the instance of the FMU
    callbacks of FMI 1.0, callbacks of FMI 2.0, log of FMI 3.0, update of FMI 3.0, environment
                           what the process has itself

The answer is a line with the result and with all `texts`, then the bytes of all `memory`, since the function may have changed them.
"""

import ctypes
import json
from collections.abc import Sequence
from typing import Any

# arguments that are the same in each call, by the names that fmpy gives them
_OWN = {
    "c": "instance",
    "instance": "instance",
    "functions": "callbacks of FMI 1.0",
    "callbacks": "callbacks of FMI 2.0",
    "logMessage": "log of FMI 3.0",
    "instanceEnvironment": "environment",
}


def call_message(function: str, names: Sequence[str], types: Sequence[object], result: Any, arguments: Sequence[Any]) -> bytes:
    """The message of a call. names, types, result: as fmpy declares them; arguments: as ctypes takes them"""
    memory: list[bytes] = []
    written = [_written(*each, memory) for each in zip(names, types, arguments, strict=True)]
    line = {"call": function, "restype": None if result is None else result.__name__, "arguments": written}
    return b"\n".join([json.dumps(line).encode(), b"".join(memory)])


def request(name: str, *arguments: str) -> bytes:
    """The message of a request that is no call: `load` a library, or whether it `knows` a function."""
    return json.dumps({"call": name, "arguments": arguments}).encode() + b"\n"


def read_answer(answer: bytes, arguments: Sequence[object] = ()) -> Any:
    """The result of a call. Changes its arguments as the function did."""
    line, _, memory = answer.partition(b"\n")
    said = json.loads(line)
    at, texts = 0, iter(said.get("texts", []))
    for argument in arguments:
        target = _target(argument)
        if _is_texts(target):
            target[:] = [_bytes(text) for text in next(texts)]
        elif target is not None:
            size = ctypes.sizeof(target)
            ctypes.memmove(ctypes.addressof(target), memory[at : at + size], size)
            at += size
    result = said["result"]
    return _bytes(result) if isinstance(result, str) else result


def _written(name: str, declared: Any, argument: object, memory: list[bytes]) -> tuple[str, Any]:
    target = _target(argument)
    if name == "intermediateUpdate":
        return ("update of FMI 3.0" if argument else "null"), None
    if name in _OWN:
        return _OWN[name], None
    if _is_texts(target):
        return "texts", [_text(each) for each in target]
    if target is not None:
        memory.append(ctypes.string_at(ctypes.addressof(target), ctypes.sizeof(target)))
        return "memory", ctypes.sizeof(target)
    value = argument.value if isinstance(argument, ctypes._SimpleCData) else argument
    if value is None:
        return "null", None
    return ("text", _text(value)) if isinstance(value, bytes) else (declared.__name__, value)


def _target(argument: object) -> Any:
    """What a pointer points to: an array, or the object of `byref`. None for any other argument."""
    return argument if isinstance(argument, ctypes.Array) else getattr(argument, "_obj", None)


def _is_texts(target: object) -> bool:
    return isinstance(target, ctypes.Array) and target._type_ is ctypes.c_char_p


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", errors="surrogateescape")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", errors="surrogateescape")
