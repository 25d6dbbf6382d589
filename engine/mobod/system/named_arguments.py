"""NamedArguments: base of public classes, which checks the arguments of constructors."""

from inspect import Parameter, signature
from typing import Any, Self

from mobod.errors import ArgumentsError, nearest
from mobod.system.readable import Readable


class NamedArguments(Readable):
    """Base class that checks constructor arguments: too many positional arguments or unknown names raise ArgumentsError."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        check_arguments(cls, args, kwargs)
        return super().__new__(cls)


def check_arguments(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise ArgumentsError for arguments that the constructor does not take. Missing ones are allowed, since copying passes no
    arguments.
    """
    parameters = list(signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc] # mypy: a subclass may change it; its signature is only read
    kinds = {each.kind for each in parameters}
    by_position = [each.name for each in parameters if each.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    by_name = [each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
    name = cls.__name__
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
