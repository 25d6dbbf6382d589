"""Whether the methods of users' subclasses take the arguments that they are called with."""

from inspect import Parameter, Signature, signature
from types import FunctionType
from typing import Any

from mobod.errors import ArgumentsError

_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_PACKAGE = __name__.partition(".")[0]


def check_overrides(cls: type) -> None:
    """Check the methods of a class that has just been defined against those of mobod's classes that they override.

    Raises ArgumentsError, with both signatures, for one that does not take the arguments. mypy checks mobod's own classes.
    """
    if _is_ours(cls):
        return
    for name, method in vars(cls).items():
        ours = next((vars(base)[name] for base in cls.__mro__[1:] if _is_ours(base) and name in vars(base)), None)
        if name.startswith("_") or not (isinstance(method, FunctionType) and isinstance(ours, FunctionType)):
            continue
        check_takes(method, [each.name for each in signature(ours).parameters.values() if _is_needed(each)], f"{cls.__name__}.{name}", name)


def check_takes(function: Any, names: list[str], what: str, name: str) -> None:
    """Raise ArgumentsError unless a function can be called with these arguments, by position. name: of the function, for the message."""
    try:
        takes = signature(function)
    except (TypeError, ValueError):  # of functions in C nothing is known
        return
    try:
        takes.bind(*names)
    except TypeError:
        raise ArgumentsError(
            f"{what} takes {_listed(takes)}, but mobod calls it with ({', '.join(names)}). Write: def {name}({', '.join(names)})"
        ) from None


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == _PACKAGE


def _is_needed(parameter: Parameter) -> bool:
    return parameter.kind in _BY_POSITION and parameter.default is Parameter.empty


def _listed(takes: Signature) -> str:
    return f"({', '.join(str(each.replace(annotation=Parameter.empty)) for each in takes.parameters.values())})"
