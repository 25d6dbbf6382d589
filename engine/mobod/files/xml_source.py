"""An XML file of unknown origin: read within limits, its numbers and names with the place where they stand."""

import re
import warnings
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import NoReturn

from lxml import etree

from mobod.errors import ModelFileError

MAX_BYTES = 64 * 2**20  # far above what descriptions of robots need, far below what fills the memory
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NAMED_INFINITE = {"inf", "infinity", "nan"}


class ModelFileWarning(UserWarning):
    """Something in a model file that is read over, named."""


class XmlSource:
    """A parsed file. Entities are not resolved, the network is not used, and a document type declaration is refused.

    Raises ModelFileError for what is no such file, is too large, or is nested too deeply.
    """

    def __init__(self, path: Path):
        self.path = path
        if not path.is_file():
            raise ModelFileError(f"{path}: there is no such file.")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ModelFileError(f"{path}: it has {size} bytes. At most {MAX_BYTES} are read.")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
        try:
            self.root = etree.fromstring(path.read_bytes(), parser)
        except etree.XMLSyntaxError as error:
            raise ModelFileError(f"{path}, line {error.lineno}: it is not well-formed XML: {error.msg}.") from error
        # an entity is the one way in which XML reads other files or grows
        if self.root.getroottree().docinfo.doctype:
            raise ModelFileError(f"{path}: it has a document type declaration, which a model file must not have. Remove it.")
        self._ignored: dict[str, list[int]] = {}

    def fail(self, element: etree._Element, message: str) -> NoReturn:
        """Raise ModelFileError with the place of the element."""
        raise ModelFileError(f"{self.place(element)}: {message}")

    def place(self, element: etree._Element) -> str:
        return f"{self.path}, line {element.sourceline}"

    # what is not used is told, once for each kind
    def ignore(self, element: etree._Element, what: str) -> None:
        self._ignored.setdefault(what, []).append(element.sourceline or 0)

    def warn(self) -> None:
        """Say what was ignored, by ModelFileWarning."""
        for what, lines in self._ignored.items():
            where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines[:4]))}{', ...' if len(lines) > 4 else ''}"
            warnings.warn(f"{self.path}, {where}: {what}", ModelFileWarning, stacklevel=4)

    # elements
    @staticmethod
    def tag(element: etree._Element) -> str:
        return str(element.tag)

    def only(self, element: etree._Element, tag: str) -> etree._Element | None:
        """The child with this tag, of which there may be one."""
        found = element.findall(tag)
        if len(found) > 1:
            self.fail(found[1], f"a second <{tag}> in <{self.tag(element)}>. There can be one.")
        return found[0] if found else None

    def needed(self, element: etree._Element, tag: str) -> etree._Element:
        child = self.only(element, tag)
        if child is None:
            self.fail(element, f"<{self.tag(element)}>{self._named(element)} has no <{tag}>.")
        return child

    def elements(self, element: etree._Element) -> Iterator[etree._Element]:
        return (child for child in element if isinstance(child.tag, str))

    def check_content(self, element: etree._Element, tags: Iterable[str] = (), attributes: Iterable[str] = ()) -> None:
        """Tell what else is in an element, with the nearest name: a slip of the pen would leave data out."""
        for child in self.elements(element):
            self._tell_unknown(child, f"<{self.tag(child)}>", self.tag(child), list(tags), f"in <{self.tag(element)}>")
        for name in element.attrib:
            self._tell_unknown(element, f"attribute '{name}'", str(name), list(attributes), f"of <{self.tag(element)}>")

    def _tell_unknown(self, at: etree._Element, what: str, name: str, known: list[str], where: str) -> None:
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
        text = element.get(name)
        if text is None and default is not None:
            return default
        return self._number(element, name, self.text(element, name), most)

    def numbers(
        self, element: etree._Element, name: str, n: int, default: tuple[float, ...] | None = None, *, most: float | None = None
    ) -> list[float]:
        """(n,) parted by blanks."""
        text = element.get(name)
        if text is None and default is not None:
            return list(default)
        parts = self.text(element, name).split()
        if len(parts) != n:
            self.fail(
                element,
                f"attribute '{name}' of <{self.tag(element)}> has {len(parts)} numbers, {self.text(element, name)!r}; {n} are needed.",
            )
        return [self._number(element, name, part, most) for part in parts]

    def _number(self, element: etree._Element, name: str, text: str, most: float | None) -> float:
        what = f"attribute '{name}' of <{self.tag(element)}>{self._named(element)}"
        stripped = text.strip()
        if stripped.lstrip("+-").lower() in _NAMED_INFINITE:
            self.fail(element, f"{what} is {text!r}. A finite number is needed.")
        if not _NUMBER.fullmatch(stripped):
            self.fail(element, f"{what} is {text[:40]!r}, which is no number.")
        value = float(stripped)
        if not isfinite(value):
            self.fail(element, f"{what} is {text[:40]!r}, which is too large for a number.")
        if most is not None and abs(value) > most:
            self.fail(element, f"{what} is {value:g}, more than {most:g}: such a mechanism cannot be computed with. Check units.")
        return value
