"""An XML file of unknown origin: read within limits, its numbers and names with the place where they stand."""

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from math import inf, isfinite, isnan
from pathlib import Path
from typing import NoReturn

from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.xml_text import parse_xml

MAX_BYTES = 64 * 2**20  # far more than descriptions of robots need, far less than the memory
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NAMED_INFINITE = {"inf", "infinity", "nan"}

Expansion = Callable[[etree._Element, Path, Findings], etree._Element]
"""Applied to the root element of a file before it is read: returns the root element to read."""


class XmlSource:
    """A parsed file. Entities are not resolved, the network is not used, and declarations of entities are refused.

    findings  receive changes and omissions; if they are strict, a file that needs changes is refused
    expand    function that is applied to the root element first, such as the expansion of macros

    Raises ModelFileError if the file does not exist, is too large, or is nested too deeply.
    """

    def __init__(self, path: Path, findings: Findings, expand: Expansion = lambda root, *_: root):
        self.path, self.findings = path, findings
        if not path.is_file():
            raise ModelFileError(f"{path}: the file does not exist.")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ModelFileError(f"{path}: it has {size} bytes, and the limit is {MAX_BYTES}.")
        self.root = expand(parse_xml(path.read_bytes(), path, findings), path, findings)

    def fail(self, element: etree._Element, message: str) -> NoReturn:
        """Raise ModelFileError with the place of the element."""
        raise ModelFileError(f"{self.place(element)}: {message}")

    def place(self, element: etree._Element) -> str:
        return f"{self.path}, line {element.sourceline}"

    # omissions and changes
    def ignore(self, element: etree._Element, what: str) -> None:
        """Add a finding about an ignored element."""
        self.findings.note("ignored", what, element.sourceline or 0, path=self.path)

    def note(self, element: etree._Element, kind: str, message: str) -> None:
        """Add a finding with the link or the joint to which the element belongs."""
        owner: etree._Element | None = element
        while owner is not None and owner.tag not in ("link", "joint"):
            owner = owner.getparent()
        tag, name = (None, None) if owner is None else (owner.tag, owner.get("name"))
        self.findings.note(
            kind,
            message,
            element.sourceline or 0,
            path=self.path,
            link=name if tag == "link" else None,
            joint=name if tag == "joint" else None,
        )

    def mend(self, element: etree._Element, kind: str, wrong: str, done: str) -> None:
        """Add a finding about a mistake and its correction; fail if findings are strict."""
        if self.findings.strict:
            self.fail(element, wrong)
        self.note(element, kind, f"{wrong} {done}")

    # elements
    @staticmethod
    def tag(element: etree._Element) -> str:
        return str(element.tag)

    def only(self, element: etree._Element, tag: str) -> etree._Element | None:
        """The only child with this tag, or None. If there are several, the first, with a finding."""
        found = element.findall(tag)
        if len(found) > 1:
            wrong = f"a second <{tag}> in <{self.tag(element)}>{self._named(element)}. There can be one."
            self.mend(found[1], "repeated", wrong, "The first is used.")
        return found[0] if found else None

    def needed(self, element: etree._Element, tag: str) -> etree._Element:
        child = self.only(element, tag)
        if child is None:
            self.fail(element, f"<{self.tag(element)}>{self._named(element)} has no <{tag}>.")
        return child

    def elements(self, element: etree._Element) -> Iterator[etree._Element]:
        return (child for child in element if isinstance(child.tag, str))

    def check_content(self, element: etree._Element, tags: Iterable[str] = (), attributes: Iterable[str] = ()) -> None:
        """Add findings about unknown children and attributes, with the nearest known name, because misspelt ones would be ignored."""
        for child in self.elements(element):
            self._note_unknown(child, f"<{self.tag(child)}>", self.tag(child), list(tags), f"in <{self.tag(element)}>")
        for name in element.attrib:
            self._note_unknown(element, f"attribute '{name}'", str(name), list(attributes), f"of <{self.tag(element)}>")

    def _note_unknown(self, at: etree._Element, what: str, name: str, known: list[str], where: str) -> None:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.5)
            self.ignore(at, f"{what} {where} is unknown and ignored." + (f" Did you mean '{near[0]}'?" if near else ""))

    @staticmethod
    def _named(element: etree._Element) -> str:
        return f" '{element.get('name', '')!s}'" if "name" in element.attrib else ""

    # attributes
    def text(self, element: etree._Element, name: str) -> str:
        value = element.get(name)
        if value is None or not value.strip():
            self.fail(element, f"<{self.tag(element)}>{self._named(element)} has no attribute '{name}'.")
        return str(value)

    def number(self, element: etree._Element, name: str, default: float | None = None, *, most: float | None = None) -> float:
        """A finite number. `most`: beyond this size its unit cannot be right."""
        text = self._given(element, name, default)
        if text is None and default is not None:
            return default
        return self.parsed(element, self._what(element, name), self.text(element, name), most)

    def bound(self, element: etree._Element, name: str, default: float) -> float:
        """A number that may be infinite; `default` if it is not given. If findings are strict, it must be finite."""
        text = self._given(element, name, default)
        if text is None or self.findings.strict:
            return self.number(element, name, default)
        return self.parsed_bound(element, self._what(element, name), text, default)

    def numbers(
        self, element: etree._Element, name: str, n: int, default: tuple[float, ...] | None = None, *, most: float | None = None
    ) -> list[float]:
        """(n,) separated by blanks. Unless findings are strict, commas may separate them too, and additional numbers are left out."""
        text = self._given(element, name, default)
        if text is None and default is not None:
            return list(default)
        what = f"attribute '{name}' of <{self.tag(element)}>"
        return self.parsed_numbers(element, what, self.text(element, name), n, most, self._what(element, name))

    def _given(self, element: etree._Element, name: str, default: object) -> str | None:
        """The text of an attribute; None for one that is not there, or, unless findings are strict, is empty and has a default."""
        text = element.get(name)
        if text is None:
            return None
        if not text.strip() and default is not None:
            self.mend(element, "number", f"<{self.tag(element)}>{self._named(element)} has no attribute '{name}'.", "Its default is used.")
            return None
        return str(text)

    def _what(self, element: etree._Element, name: str) -> str:
        return f"attribute '{name}' of <{self.tag(element)}>{self._named(element)}"

    # texts
    def parsed(self, element: etree._Element, what: str, text: str, most: float | None) -> float:
        """The finite number that a text is; what: where it stands."""
        stripped = text.strip()
        if stripped.lstrip("+-").lower() in _NAMED_INFINITE:
            self.fail(element, f"{what} is {text!r}. A finite number is needed.")
        if not _NUMBER.fullmatch(stripped):
            without = stripped.rstrip("fF.")
            if without == stripped or not _NUMBER.fullmatch(without):
                self.fail(element, f"{what} is {text[:40]!r}, which is no number.")
            self.mend(element, "number", f"{what} is {text[:40]!r}, which is no number.", f"It is taken as {float(without):g}.")
            stripped = without
        value = float(stripped)
        if not isfinite(value):
            self.fail(element, f"{what} is {text[:40]!r}, which is too large for a number.")
        if most is not None and abs(value) > most:
            self.fail(element, f"{what} is {value:g}, more than {most:g}: such a mechanism cannot be computed with. Check units.")
        return value

    def parsed_bound(self, element: etree._Element, what: str, text: str, default: float) -> float:
        """A number that may be infinite; `default` for one that is none."""
        try:
            value = float(text.strip()) if text.isascii() and "_" not in text else 0.0
        except ValueError:
            value = 0.0
        if isnan(value):
            self.mend(element, "number", f"{what} is {text!r}, which is no number.", f"It is taken as {default:g}.")
            return default
        return value if abs(value) == inf else self.parsed(element, what, text, None)

    def parsed_numbers(
        self, element: etree._Element, what: str, text: str, n: int, most: float | None, named: str | None = None
    ) -> list[float]:
        """(n,) separated by blanks. named: what, with the name of the element."""
        named = named or what
        parts = text.split()
        if "," in text:
            self.mend(element, "number", f"{named} is {text[:60]!r}, with commas.", "They are taken as blanks.")
            parts = text.replace(",", " ").split()
        if len(parts) != n:
            wrong = f"{what} has {len(parts)} numbers, {text[:60]!r}; {n} are needed."
            if len(parts) < n or "$(" in text:
                self.fail(element, wrong)
            self.mend(element, "number", wrong, f"The first {n} are used.")
        return [self.parsed(element, named, part, most) for part in parts[:n]]
