"""Node: an XML element of an SSP file with its place, for reading and for messages."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar, final

from lxml import etree

from mobod.cosim.ssp.namespaces import PREFIXES, qualified
from mobod.errors import SspFileError

_Value = TypeVar("_Value", float, int, bool)
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@final
@dataclass(frozen=True)
class Node:
    """An XML element.

    element
    file     its name, for messages
    """

    element: "etree._Element"
    file: str

    @property
    def local_name(self) -> str:
        return etree.QName(self.element).localname

    @property
    def where(self) -> str:
        """'system.ssp: SystemStructure.ssd, line 12'"""
        return f"{self.file}, line {self.element.sourceline}"

    def child(self, name: str) -> "Node | None":
        """The first child with this name, such as 'ssd:System'."""
        found = self.element.find(name, PREFIXES)
        return None if found is None else Node(found, self.file)

    def children(self, name: str = "*") -> Iterator["Node"]:
        """The children with this name, by default all that are elements."""
        for each in self.element.iterchildren(tag=etree.Element) if name == "*" else self.element.iterfind(name, PREFIXES):
            yield Node(each, self.file)

    def get(self, attribute: str, default: str = "") -> str:
        return self.element.get(attribute, default)

    def required(self, attribute: str) -> str:
        """Raises SspFileError if there is none."""
        value = self.element.get(attribute)
        if value is None:
            raise self.error(f"it has no '{attribute}'")
        return value

    def number(self, attribute: str, default: float | None = None) -> float:
        return self._parsed(attribute, default, float, "number")

    def whole(self, attribute: str, default: int | None = None) -> int:
        return self._parsed(attribute, default, int, "whole number")

    def truth(self, attribute: str, default: bool | None = None) -> bool:
        return self._parsed(attribute, default, lambda text: _TRUTH[text.strip()], "truth value")

    def is_a(self, name: str) -> bool:
        return self.element.tag == qualified(name)

    def raw(self) -> str:
        """The element as text."""
        return etree.tostring(self.element, encoding="unicode", with_tail=False)

    def error(self, reason: str) -> SspFileError:
        named = f" '{self.element.get('name')}'" if self.element.get("name") else ""
        return SspFileError(f"{self.where}: {self.local_name}{named}: {reason}.")

    def _parsed(self, attribute: str, default: _Value | None, convert: Callable[[str], _Value], what: str) -> _Value:
        text = self.element.get(attribute)
        if text is None and default is not None:
            return default
        try:
            return convert(self.required(attribute))
        except (ValueError, KeyError):
            raise self.error(f"{attribute}='{text}' is no {what}") from None
