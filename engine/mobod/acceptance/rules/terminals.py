"""The rules for terminalsAndIcons/."""

import posixpath
import re

from lxml import etree

from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.fmi.rules.xml_files import check_encoding, check_schema

SCHEMA = Rule("terminals-schema", "terminalsAndIcons.xml conforms to its schema.", "2.3.2", "2.4.9")
VERSION = Rule("terminals-version", "terminalsAndIcons.xml has the fmiVersion of the model description.", None, "2.4.9")
UNIQUE = Rule("terminal-unique", "Each terminal has a name of its own on its level.", "2.3.2", "2.4.9.2")
VARIABLE = Rule("terminal-variable", "The variables of a terminal are variables of the FMU.", "2.3.2", "2.4.9.2")
MEMBER = Rule(
    "terminal-member", "With the matching rules plug and bus, each member variable has a memberName of its own.", "2.3.2", "2.4.9.2"
)
MATCHING = Rule(
    "terminal-matching-rule", "The matching rule is plug, bus, sequence or none, or has a reversed domain.", "2.3.2", "2.4.9.2", "warning"
)
SIGNAL = Rule("terminal-kind", "Signals and flows are inputs, outputs, parameters or calculated parameters.", "2.3.2", "2.4.9.2")
ICON = Rule("terminal-icon", "The PNG file of each icon exists, inside terminalsAndIcons/.", "2.3.2", "2.4.9.2")
FMU_ICON = Rule("icon", "terminalsAndIcons/icon.svg comes with icon.png.", "2.3.2", "2.4.9.1")
FMU_ICON_MISSING = Rule("icon-missing", "The icon of the FMU exists.", "2.3.2", "2.4.9.1", "warning")
COORDINATES = Rule("coordinate-system", "The first point of the coordinate system lies below and left of the second.", "2.3.2", "2.4.9.1")

FILE = "terminalsAndIcons/terminalsAndIcons.xml"

_RULES = ("plug", "bus", "sequence", "none")
_CAUSALITIES = ("input", "output", "parameter", "calculatedParameter")
_NESTED = 20  # levels of terminals that are checked


def check(files: FmuFiles, found: RuleFindings) -> None:
    """Check the terminals and icons."""
    if "terminalsAndIcons/icon.svg" in files and "terminalsAndIcons/icon.png" not in files:
        found.add(FMU_ICON, "there is icon.svg, but no icon.png. Add it.", "terminalsAndIcons/icon.svg")
    root = files.xml(FILE, found) if FILE in files else None
    if root is None:
        return
    check_encoding(root, files.read(FILE), FILE, found)
    check_schema(root, "fmi3/fmi3TerminalsAndIcons.xsd", SCHEMA, FILE, found)
    declared = files.description.root.get("fmiVersion")
    if found.version == "3" and root.get("fmiVersion") != declared:
        found.add(VERSION, f"the fmiVersion is {root.get('fmiVersion')!r}, that of the FMU {declared!r}. Give both the same.", _place(root))
    _check_graphics(files, root, found)
    _check_level(files, root.findall("Terminals/Terminal"), 1, found)


def _check_graphics(files: FmuFiles, root: "etree._Element", found: RuleFindings) -> None:
    icon = root.find("GraphicalRepresentation/Icon")
    if icon is not None and "terminalsAndIcons/icon.png" not in files:
        found.add(FMU_ICON_MISSING, "there is an Icon, but no terminalsAndIcons/icon.png. Add it.", _place(icon))
    system = root.find("GraphicalRepresentation/CoordinateSystem")
    if system is None:
        return
    try:
        x1, y1, x2, y2 = (float(system.get(name) or 0) for name in ("x1", "y1", "x2", "y2"))
    except ValueError:
        return  # the schema's finding
    if not (x1 < x2 and y1 < y2):
        found.add(COORDINATES, f"the points are ({x1:g}, {y1:g}) and ({x2:g}, {y2:g}). Exchange them.", _place(system))


def _check_level(files: FmuFiles, terminals: "list[etree._Element]", level: int, found: RuleFindings) -> None:
    seen = set[str | None]()
    for terminal in terminals:
        name = terminal.get("name")
        if name in seen:
            found.add(UNIQUE, f"the terminal '{name}' exists twice. Rename one.", _place(terminal))
        seen.add(name)
        _check_members(files, terminal, found)
        graphics = terminal.find("TerminalGraphicalRepresentation")
        if graphics is not None:
            _check_icon(files, name, graphics, found)
        if level < _NESTED:
            _check_level(files, terminal.findall("Terminal"), level + 1, found)


def _check_members(files: FmuFiles, terminal: "etree._Element", found: RuleFindings) -> None:
    name, rule = terminal.get("name"), terminal.get("matchingRule") or ""
    if rule not in _RULES and "." not in rule:
        message = f"the terminal '{name}' has the matching rule '{rule}'. Use plug, bus, sequence or none, or a reversed domain."
        found.add(MATCHING, message, _place(terminal))
    variables = files.description.names
    seen = set[str]()
    for member in terminal.iterfind("TerminalMemberVariable"):
        text = member.get("variableName") or ""
        variable = variables.get(text)
        if variable is None:
            found.add(VARIABLE, f"the terminal '{name}' has the variable '{text}', which the FMU has not. Correct it.", _place(member))
        elif member.get("variableKind") in ("signal", "inflow", "outflow") and variable.causality not in _CAUSALITIES:
            message = f"the terminal '{name}' has the {member.get('variableKind')} '{text}' with causality {variable.causality}."
            found.add(SIGNAL, f"{message} Remove it, or give it another variableKind.", _place(member))
        own = member.get("memberName")
        if rule in ("plug", "bus") and not own:
            found.add(MEMBER, f"the variable '{text}' of the terminal '{name}' has no memberName. Add it.", _place(member))
        elif rule in ("plug", "bus") and own is not None and own in seen:
            found.add(MEMBER, f"two variables of the terminal '{name}' have the memberName '{own}'. Rename one.", _place(member))
        seen.add(own or "")
    for member in terminal.iterfind("TerminalStreamMemberVariable"):
        for attribute in ("inStreamVariableName", "outStreamVariableName"):
            if member.get(attribute) not in variables:
                message = f"the terminal '{name}' has the variable '{member.get(attribute)}', which the FMU has not. Correct it."
                found.add(VARIABLE, message, _place(member))


def _check_icon(files: FmuFiles, name: str | None, graphics: "etree._Element", found: RuleFindings) -> None:
    base = graphics.get("iconBaseName") or ""
    path = posixpath.normpath(f"terminalsAndIcons/{base}.png")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", base) or not path.startswith("terminalsAndIcons/"):
        found.add(ICON, f"the icon '{base}' of the terminal '{name}' is not in terminalsAndIcons/. Give a relative path.", _place(graphics))
    elif path not in files:
        found.add(ICON, f"the terminal '{name}' has the icon '{base}', but there is no {path}. Add it.", _place(graphics))


def _place(element: "etree._Element") -> str:
    return f"{FILE}:{element.sourceline}"
