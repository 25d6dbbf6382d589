"""Field: an argument of an element's constructor, declared in the class of the element."""

# Decision: docs/decisions/101-fields-of-elements.md

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

REQUIRED: object = object()  # the default of a field that has none


@dataclass(frozen=True, kw_only=True)
class Field(ABC):
    """An argument of an element's constructor; arguments and parameters derive from it.

    name      of the attribute of the class; known when the class has been made
    default   value of the argument if it is left out; REQUIRED: it must be given
    kw_only   whether the argument must be named
    """

    name: str = ""
    default: Any = field(default=REQUIRED, compare=False)
    kw_only: bool = field(default=True, compare=False)

    @property
    @abstractmethod
    def text(self) -> str:
        """What it is, for help() and messages."""

    def __set_name__(self, owner: type, name: str) -> None:
        if not self.name:
            object.__setattr__(self, "name", name)


_FIELDS: WeakKeyDictionary[type, dict[str, Field]] = WeakKeyDictionary()


def fields_of(cls: type) -> dict[str, Field]:
    """The fields that a class and its bases declare, by name; those of bases first."""
    if cls not in _FIELDS:
        declared = (each for base in reversed(cls.__mro__) for each in vars(base).values() if isinstance(each, Field))
        _FIELDS[cls] = {each.name: each for each in declared}
    return _FIELDS[cls]
