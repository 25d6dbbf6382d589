"""Description: modelDescription.xml as the rules read it. It tolerates what the schema forbids."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

from lxml import etree

from mobod.fmi.rules.initial import DEFAULTS
from mobod.fmi.rules.rule import Version
from mobod.fmi.rules.xml_files import at_line

FILE = "modelDescription.xml"

FLOATS = ("Real", "Float32", "Float64")
FMI2_TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")
_PARAMETERS = ("parameter", "structuralParameter", "calculatedParameter")


def place(element: "etree._Element") -> str:
    return at_line(FILE, element.sourceline)


def integer(text: str | None) -> int | None:
    """The number; None if the text is none."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def integers(text: str | None) -> list[int]:
    """The numbers of a list; what is not a number is left out."""
    return [number for part in (text or "").split() if (number := integer(part)) is not None]


@final
@dataclass(slots=True, eq=False)
class DescribedVariable:
    """A variable.

    element      with the common attributes
    typed        with the attributes of the type; in FMI 3.0 the same
    declared     the element of its declared type, which has defaults; None if there is none
    type         "Real", "Float64", "Clock" ...
    index        1 is the first
    reference    None if it is not a number
    causality, variability, initial  with the defaults of the standard; initial is None where there is none
    """

    element: "etree._Element"
    typed: "etree._Element"
    declared: "etree._Element | None"
    type: str
    name: str
    index: int
    reference: int | None
    causality: str
    variability: str
    initial: str | None

    def get(self, attribute: str) -> str | None:
        """An attribute of the type, which may be that of the declared type."""
        own = self.typed.get(attribute)
        return self.declared.get(attribute) if own is None and self.declared is not None else own

    @property
    def place(self) -> str:
        return place(self.element)

    @property
    def is_float(self) -> bool:
        return self.type in FLOATS

    @property
    def starts(self) -> list[str] | None:
        """The elements of the start value; None if there is none."""
        if self.type in ("String", "Binary") and self.element is self.typed:  # FMI 3.0
            elements = self.element.findall("Start")
            return [each.get("value") or "" for each in elements] if elements else None
        start = self.typed.get("start")
        if start is None:
            return None
        return [start] if self.element is not self.typed else start.split()

    @property
    def clocks(self) -> list[int]:
        return integers(self.element.get("clocks"))

    def __str__(self) -> str:
        return f"'{self.name}'"


@final
class Description:
    """modelDescription.xml.

    root       its root element
    version    of FMI: "2" or "3"
    variables  in the order of the file
    types      elements of declared types, by name: the typed element of FMI 2.0, the definition of FMI 3.0
    """

    def __init__(self, root: "etree._Element", version: Version) -> None:
        self.root = root
        self.version = version
        self.types: dict[str, etree._Element] = {}
        for element in root.iterfind("TypeDefinitions/*"):
            typed = _typed(element, version)
            if typed is not None:
                self.types.setdefault(element.get("name") or "", typed)
        elements = [each for each in root.iterfind("ModelVariables/*") if isinstance(each.tag, str)]
        self.variables = [self._variable(element, index) for index, element in enumerate(elements, start=1)]

    @cached_property
    def by_reference(self) -> dict[int, DescribedVariable]:
        """The first variable with each value reference."""
        found: dict[int, DescribedVariable] = {}
        for each in self.variables:
            if each.reference is not None:
                found.setdefault(each.reference, each)
        return found

    @cached_property
    def names(self) -> dict[str, DescribedVariable]:
        """Variables by name and by the names of aliases."""
        found = {each.name: each for each in self.variables}
        for each in self.variables if self.version == "3" else ():
            found |= {alias.get("name") or "": each for alias in each.element.findall("Alias")}
        return found

    @cached_property
    def units(self) -> "dict[str, etree._Element]":
        return {each.get("name") or "": each for each in self.root.iterfind("UnitDefinitions/Unit")}

    @cached_property
    def independent(self) -> DescribedVariable | None:
        """The first independent variable."""
        return next((each for each in self.variables if each.causality == "independent"), None)

    def interface(self, name: str) -> "etree._Element | None":
        return self.root.find(name)

    @property
    def interfaces(self) -> "list[etree._Element]":
        found = (self.root.find(name) for name in ("ModelExchange", "CoSimulation", "ScheduledExecution"))
        return [each for each in found if each is not None]

    def referred(self, text: str | None) -> DescribedVariable | None:
        """The variable that an attribute of FMI 2.0 names by its index, or one of FMI 3.0 by its value reference."""
        number = integer(text)
        if number is None:
            return None
        if self.version == "3":
            return self.by_reference.get(number)
        return self.variables[number - 1] if 0 < number <= len(self.variables) else None

    def derivative_of(self, variable: DescribedVariable) -> DescribedVariable | None:
        """The variable of which this one is the derivative."""
        return self.referred(variable.typed.get("derivative"))

    def listed(self, name: str) -> "list[etree._Element]":
        """The elements of a list of the model structure: "Outputs" of FMI 2.0, "Output" of FMI 3.0."""
        return self.root.findall(f"ModelStructure/{name}/Unknown" if self.version == "2" else f"ModelStructure/{name}")

    def unknown(self, element: "etree._Element") -> DescribedVariable | None:
        """The variable of an element of the model structure."""
        return self.referred(element.get("index" if self.version == "2" else "valueReference"))

    @cached_property
    def derivatives(self) -> list[DescribedVariable]:
        """The derivatives of continuous states that the model structure lists."""
        listed = self.listed("Derivatives" if self.version == "2" else "ContinuousStateDerivative")
        return [variable for element in listed if (variable := self.unknown(element)) is not None]

    @cached_property
    def states(self) -> list[DescribedVariable]:
        """The continuous states, in the order of their derivatives."""
        return [state for each in self.derivatives if (state := self.derivative_of(each)) is not None]

    def _variable(self, element: "etree._Element", index: int) -> DescribedVariable:
        found = _typed(element, self.version)
        typed = element if found is None else found
        kind = str(typed.tag)
        declared = self.types.get(typed.get("declaredType") or "")
        if declared is not None and declared.tag != (kind if self.version == "2" else f"{kind}Type"):
            declared = None
        causality = element.get("causality") or "local"
        variability = element.get("variability") or self._default_variability(kind, causality)
        initial = (element if self.version == "2" else typed).get("initial")
        if initial is None and kind != "Clock":
            initial = DEFAULTS[self.version].get((causality, variability))
        return DescribedVariable(
            element, typed, declared, kind, element.get("name") or "", index,
            integer(element.get("valueReference")), causality, variability, initial,
        )  # fmt: skip

    def _default_variability(self, kind: str, causality: str) -> str:
        if self.version == "2" or (kind in FLOATS and causality not in _PARAMETERS):
            return "continuous"
        return "fixed" if causality in _PARAMETERS else "discrete"


def _typed(element: "etree._Element", version: Version) -> "etree._Element | None":
    """The element with the attributes of the type."""
    if version == "3":
        return element
    return next((child for child in element if child.tag in FMI2_TYPES), None)
