"""Register: elements in the order of addition, found by name and by number."""

from collections.abc import Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np

from mobod.errors import DuplicateNameError, InputError, UnknownNameError


class NamedPart(Protocol):
    @property
    def name(self) -> str: ...


Element = TypeVar("Element")
NamedElement = TypeVar("NamedElement", bound=NamedPart)


class Register(Generic[NamedElement]):
    """Elements of one `kind`, which is their name in messages.

    elements  in order; the index is the number; read-only
    """

    def __init__(self, kind: str):
        self.kind = kind
        self._by_name: dict[str, NamedElement] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        self._check_is_text(name)
        return name in self._by_name

    # made again only after a removal, on the next look-up, so that many removals in a row stay fast
    @cached_property
    def elements(self) -> list[NamedElement]:
        return list(self._by_name.values())

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._by_name)}

    def add(self, element: NamedElement) -> int:
        """Add an element; returns its number. Raises DuplicateNameError."""
        name, number = element.name, len(self)
        if name in self:
            raise DuplicateNameError(f"there is already a {self.kind} named '{name}'. Give each {self.kind} its own name.")
        self.elements.append(element)
        self._numbers[name] = number
        self._by_name[name] = element
        return number

    def remove(self, name: str) -> None:
        """Remove an element. The numbers of later elements decrease by one."""
        del self._by_name[name]
        vars(self).pop("elements", None)
        vars(self).pop("_numbers", None)

    def find(self, name: str, purpose: str = "") -> NamedElement:
        """The element with this name. Raises UnknownNameError, whose message contains the purpose."""
        self._check_is_text(name, purpose)
        if name not in self:
            raise UnknownNameError(self.kind + purpose, name, self._by_name)
        return self._by_name[name]

    def number(self, name: str) -> int:
        """The number of the element with this name. Raises UnknownNameError."""
        self.find(name)
        return self._numbers[name]

    def _check_is_text(self, name: object, purpose: str = "") -> None:
        if not isinstance(name, str):
            raise InputError(f"the name of a {self.kind}{purpose} must be a text, not {name!r}.")


def numbered(elements: Sequence[Element], number: int, kind: str) -> Element:
    """The element with this number. Raises InputError if there is none; negative numbers are invalid."""
    given: object = number
    if not isinstance(given, (int, np.integer)) or isinstance(given, bool):
        raise InputError(f"the number of a {kind} must be a whole number, not {number!r}.")
    if not 0 <= number < len(elements):
        there_are = f"the numbers run from 0 to {len(elements) - 1}" if elements else "there are none"
        raise InputError(f"there is no {kind} {number}: {there_are}.")
    return elements[number]
