"""Elements in the order in which they were added, found by name and by number."""

from collections.abc import Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np

from mobod.errors import DuplicateNameError, InputError, UnknownNameError


class Named(Protocol):
    @property
    def name(self) -> str: ...


Element = TypeVar("Element")
NamedElement = TypeVar("NamedElement", bound=Named)


class Register(Generic[NamedElement]):
    """`kind` is what messages call an element.

    elements  in their order, a number of each; for reading
    """

    def __init__(self, kind: str):
        self.kind = kind
        self._by_name: dict[str, NamedElement] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        self._check_is_text(name)
        return name in self._by_name

    # made anew after a removal alone: of many removals in a row each takes the same time, however many elements there are
    @cached_property
    def elements(self) -> list[NamedElement]:
        return list(self._by_name.values())

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._by_name)}

    def add(self, element: NamedElement) -> int:
        """Returns its number."""
        name, number = element.name, len(self)
        if name in self:
            raise DuplicateNameError(f"there is a {self.kind} named '{name}' already. Give each {self.kind} a name of its own.")
        self.elements.append(element)
        self._numbers[name] = number
        self._by_name[name] = element
        return number

    def remove(self, name: str) -> None:
        """What came after it moves up in number."""
        del self._by_name[name]
        vars(self).pop("elements", None)
        vars(self).pop("_numbers", None)

    def find(self, name: str, purpose: str = "") -> NamedElement:
        """Raises UnknownNameError, with the purpose after the kind."""
        self._check_is_text(name, purpose)
        if name not in self:
            raise UnknownNameError(self.kind + purpose, name, self._by_name)
        return self._by_name[name]

    def number(self, name: str) -> int:
        """Raises UnknownNameError."""
        self.find(name)
        return self._numbers[name]

    def _check_is_text(self, name: object, purpose: str = "") -> None:
        if not isinstance(name, str):
            raise InputError(f"the name of a {self.kind}{purpose} is a text, not {name!r}.")


def numbered(elements: Sequence[Element], number: int, kind: str) -> Element:
    """The element of that number. Raises InputError for one that there is not; negative numbers do not count from the end."""
    given: object = number
    if not isinstance(given, (int, np.integer)) or isinstance(given, bool):
        raise InputError(f"the number of a {kind} is a whole number, not {number!r}.")
    if not 0 <= number < len(elements):
        there_are = f"the numbers run from 0 to {len(elements) - 1}" if elements else "there are none"
        raise InputError(f"there is no {kind} {number}: {there_are}.")
    return elements[number]
