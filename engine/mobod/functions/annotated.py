"""Conversion of users' values to what the annotation of a field says. InputError names what does not fit."""

from collections.abc import Sequence
from inspect import get_annotations
from operator import index
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from weakref import WeakKeyDictionary

import numpy as np

from mobod.errors import InputError
from mobod.functions.checked import checked_number, checked_numbers

_ANNOTATIONS: WeakKeyDictionary[type, dict[str, object]] = WeakKeyDictionary()


def annotation_of(cls: type, name: str) -> object:
    """The type annotation of a field; Any if there is none."""
    known = _ANNOTATIONS.setdefault(cls, {})
    if name not in known:
        known[name] = _found_annotation(cls, name)
    return known[name]


def checked_as(annotation: object, value: object, what: str) -> Any:
    """The value as its annotation says. What the table does not list is returned as it was given.

    float                                a finite number
    int, bool                            a whole number, a truth value
    Literal["a", "b"]                    one of these
    Sequence[float], tuple[float, ...]   a tuple of finite numbers
    Annotated[T, check]                  the result of check(value, what), which raises InputError for what does not fit
    T | None                             None, or as T says
    """
    origin, of = get_origin(annotation), get_args(annotation)
    if annotation is float:
        return checked_number(value, what)
    if annotation is int:
        return _whole_number(value, what)
    if annotation is bool:
        return _truth_value(value, what)
    if origin is Annotated and callable(of[1]):
        return of[1](value, what)
    if origin is Literal:
        return _one_of(of, value, what)
    if origin in (Sequence, tuple) and of in ((float,), (float, ...)):
        return checked_numbers(value, what, least=0)
    if origin in (Union, UnionType) and len(of) == 2 and of[1] is type(None):
        return None if value is None else checked_as(of[0], value, what)
    return value


def _found_annotation(cls: type, name: str) -> object:
    for base in cls.__mro__:
        found = get_annotations(base).get(name)
        if isinstance(found, str):
            try:
                return get_annotations(base, eval_str=True)[name]
            except NameError:  # imported for type checkers alone
                return found
        if found is not None:
            return found
    return Any


def _whole_number(value: Any, what: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise InputError(f"{what} is {value!r}. A whole number is needed.") from None


def _truth_value(value: object, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_, int)) or value not in (0, 1):
        raise InputError(f"{what} is {value!r}. True or False is needed.")
    return bool(value)


def _one_of(choices: tuple[object, ...], value: object, what: str) -> str:
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{what} is {value!r}. It can be {', '.join(map(repr, choices))}.")
    return value
