"""Detects functions that store values between calls. A recorded function runs only once, so such a function is refused by name."""

import dis
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, singledispatch
from types import CodeType, FunctionType

import numpy as np

from mobod.errors import RecordingError

_CONTAINERS = (list, dict, set, bytearray)


@contextmanager
def guarded(objects: Sequence[object], about: str) -> Iterator[None]:
    """Check that attributes of these objects, and outside variables of these functions, do not change within the context.

    Raises RecordingError with the name of what changed.
    """
    for function in (each for each in objects if isinstance(each, FunctionType)):
        for name in _assigned_outside(function.__code__):
            _refuse(about, f"assigns to '{name}', a variable from outside")
    before = {name: (value, _contents(value)) for name, value in _reachable(objects)}
    yield
    after = dict(_reachable(objects))
    for name in {**before, **after}:
        if (
            name not in before
            or name not in after
            or after[name] is not before[name][0]
            or not _same(_contents(after[name]), before[name][1])
        ):
            _refuse(about, f"changes '{name}'")


def _refuse(about: str, what: str) -> None:
    raise RecordingError(
        f"{about}: it {what}. It is recorded once and then runs without Python, so it can store values only in the State: allocate a "
        "discrete variable for them. Or set recordable = False to run it as plain Python."
    )


def _reachable(objects: Sequence[object]) -> Iterator[tuple[str, object]]:
    """Names and values of attributes, and of variables from enclosing scopes."""
    for each in objects:
        if isinstance(each, FunctionType):
            variables = zip(each.__code__.co_freevars, each.__closure__ or (), strict=True)
            for name, cell in variables:
                try:
                    yield name, cell.cell_contents
                except ValueError:  # the variable is not assigned yet
                    continue
            for name in each.__code__.co_names:
                if isinstance(each.__globals__.get(name), (*_CONTAINERS, np.ndarray)):
                    yield name, each.__globals__[name]
        else:
            for name, value in vars(each).items():
                yield f"self.{name}", value


def _contents(value: object) -> object:
    """The contents of a value that can change in place."""
    if isinstance(value, (*_CONTAINERS, np.ndarray)):
        return value.copy()
    return dict(vars(value)) if type(value).__module__ not in ("builtins", "numpy") and _is_small(value) else None


def _is_small(value: object) -> bool:
    """Whether it is an object with attributes that is not an element of a System. Elements may store computed values."""
    return hasattr(value, "__dict__") and not isinstance(value, (type, FunctionType)) and not type(value).__module__.startswith("mobod")


def _same(a: object, b: object) -> bool:
    """Whether two contents hold the same objects or equal numbers."""
    return type(a) is type(b) and _same_contents(a, b)


@singledispatch
def _same_contents(a: object, b: object) -> bool:
    return bool(a == b)


@_same_contents.register
def _same_arrays(a: np.ndarray, b: np.ndarray) -> bool:
    if a.dtype == object:
        return _same_lists(list(a.flat), list(b.flat))
    return a.shape == b.shape and a.tobytes() == b.tobytes()


@_same_contents.register(list)
def _same_lists(a: Sequence[object], b: Sequence[object]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))


@_same_contents.register(dict)
def _same_dicts(a: Mapping[object, object], b: Mapping[object, object]) -> bool:
    return list(a) == list(b) and all(a[key] is b[key] for key in a)


@lru_cache(maxsize=1024)  # many events have the same function
def _assigned_outside(code: CodeType) -> tuple[str, ...]:
    """Names of variables of an enclosing function or of the module that a function assigns."""
    return tuple(
        str(instruction.argval)
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
        or (instruction.opname in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in code.co_freevars)
    )
