"""NamedArguments: base of public classes, which checks the arguments of constructors."""

from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Self, TypeVar
from weakref import WeakKeyDictionary

from mobod.arguments.overrides import check_overrides
from mobod.errors import ArgumentsError, nearest
from mobod.system.readable import readable

_SIGNATURES: WeakKeyDictionary[type, Signature] = WeakKeyDictionary()


class _SignatureOfConstructor:
    """`cls.__signature__`, which help() shows: `__new__` takes anything, the constructor does not."""

    def __get__(self, element: object, owner: "type[NamedArguments]") -> Signature:
        return owner._constructor_signature()


class NamedArguments:
    """Base class that checks constructor arguments: too many positional arguments or unknown names raise ArgumentsError. Its repr is
    readable.
    """

    __signature__ = _SignatureOfConstructor()
    __repr__ = readable

    def _summary(self) -> str:
        """The part of the repr after the name."""
        return ""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        check_overrides(cls)

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        check_arguments(cls.__name__, cls._constructor_signature(), args, kwargs)
        return super().__new__(cls)

    @classmethod
    def _constructor_signature(cls) -> Signature:
        """Of `__init__`, without self."""
        return signature_of_init(cls)


def signature_of_init(cls: type) -> Signature:
    """Of the constructor of a class, without self."""
    if cls not in _SIGNATURES:
        of_init = signature(cls.__init__)  # type: ignore[misc] # mypy: a subclass may change it; its signature is only read
        _SIGNATURES[cls] = of_init.replace(parameters=list(of_init.parameters.values())[1:])
    return _SIGNATURES[cls]


C = TypeVar("C", bound=type)


def named_arguments(cls: C) -> C:
    """The decorator of a public dataclass whose constructor raises ArgumentsError for unknown, superfluous and missing arguments."""
    made = cls.__init__  # type: ignore[misc] # that of the dataclass
    of_init = signature_of_init(cls)
    needed = [each.name for each in of_init.parameters.values() if each.default is Parameter.empty]
    order = list(of_init.parameters)

    @wraps(made)
    def checked(self: object, *args: object, **kwargs: object) -> None:
        check_arguments(cls.__name__, of_init, args, kwargs)
        given = {*order[: len(args)], *kwargs}
        missing = [name for name in needed if name not in given]
        if missing:
            listed = ", ".join(f"{each}=..." for each in missing)
            raise ArgumentsError(f"{cls.__name__}: the argument '{missing[0]}' is missing. Write {cls.__name__}({listed}).")
        made(self, *args, **kwargs)

    cls.__init__ = checked  # type: ignore[misc] # which replaces that of the dataclass
    return cls


def check_arguments(name: str, constructor: Signature, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Raise ArgumentsError if a constructor does not take them. Missing ones are no error here: copies are made without any."""
    parameters = constructor.parameters.values()
    kinds = {each.kind for each in parameters}
    by_position = [each.name for each in parameters if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    by_name = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    if len(args) > len(by_position) and Parameter.VAR_POSITIONAL not in kinds:
        order = f" ({', '.join(by_position)})" if by_position else ""
        takes = f"{name} takes {len(by_position)} arguments by position{order}"
        rest = f" Name the others: {', '.join(f'{each}=...' for each in by_name)}." if by_name else ""
        raise ArgumentsError(f"{takes}, but {len(args)} were given.{rest}")
    if Parameter.VAR_KEYWORD not in kinds:
        known = [*by_position, *by_name]
        for given in kwargs:
            if given not in known:
                near = nearest(given, known)
                hint = f"Did you mean '{near}'?" if near is not None else f"It has: {', '.join(known)}." if known else "It takes none."
                raise ArgumentsError(f"{name} has no argument '{given}'. {hint}")
