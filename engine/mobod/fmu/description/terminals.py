"""Writes terminalsAndIcons.xml: the ports and input motions of a System as terminals, which a master connects as a whole.

The file and its schema are those of FMI 3.0; FMI 2.0.4 takes them over by reference, with fmiVersion "3.0". FMILibrary logs an error for
this version in an FMU of FMI 2.0, which therefore has the file only if it has terminals; its icon is model.png. A vector of scalars,
'tip.force[1]' and so on, matches an array 'tip.force' of FMI 3.0 by the names of its members.

Source: FMI specification 3.0.2, section 2.4.9; 2.0.4, section 2.3.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import final

import numpy as np
from lxml import etree

from mobod.fmu.archive import TERMINALS
from mobod.fmu.arrays import arrays, name_of
from mobod.fmu.interface import Interface
from mobod.fmu.names import structured_name
from mobod.forces import ForceSubsystem, Port
from mobod.matter import Ground, MatterSubsystem, MobilizedBody
from mobod.matter.mobilizers import Ball, Translation
from mobod.matter.motions import InputMotion
from mobod.native_sources import fmpy_schema
from mobod.spatial import Transform
from mobod.system import CatalogueVariable, Subsystem, System

_OF_PORT = ("p_GF", "quaternion_GF", "w_GF", "v_GF", "alpha_GF", "a_GF", "torque", "force")
# what a port calls the same vectors, where the frame of the mobilizer is Ground's
_OF_TRANSLATION = {"q": "p_GF", "u": "v_GF", "u_dot": "a_GF", "load": "force"}
_OF_BALL = {"q": "quaternion_GF", "u": "w_GF", "u_dot": "alpha_GF", "load": "torque"}


@final
@dataclass(frozen=True)
class Terminal:
    """members  the end of a catalogue variable's name -> the name of the member"""

    name: str
    description: str
    members: Mapping[str, str]


def terminals_and_icons(
    system: System, variables: Iterable[CatalogueVariable], interface: Interface, *, has_icon: bool = False
) -> dict[str, bytes]:
    """The file's path and content. If no input or output of the FMU is one of a port or of an input motion: nothing in FMI 2.0, and nothing
    in FMI 3.0 without an icon.

    variables  the catalogue of the System
    has_icon   whether the FMU has terminalsAndIcons/icon.png
    """
    connectable = {
        name_of(interface, reference, size)
        for reference, size in arrays(interface)
        if interface.rows[reference].causality in ("input", "output")
    }
    by_name = {variable.name: variable for variable in variables}
    root = etree.Element("fmiTerminalsAndIcons", fmiVersion="3.0")
    if has_icon:
        etree.SubElement(etree.SubElement(root, "GraphicalRepresentation"), "Icon", x1="-100", y1="-100", x2="100", y2="100")
    listed = etree.Element("Terminals")
    for terminal in terminals(system):
        element = etree.Element("Terminal", name=terminal.name, matchingRule="bus", description=terminal.description)
        for end, member in terminal.members.items():
            variable = by_name.get(f"{terminal.name}.{end}")
            for name in [] if variable is None else _names(variable, connectable, interface):
                index = name.removeprefix(structured_name(f"{terminal.name}.{end}"))
                spelled = interface.spelled(name)
                etree.SubElement(
                    element, "TerminalMemberVariable", variableName=spelled, memberName=f"{member}{index}", variableKind="signal"
                )
        if len(element):
            listed.append(element)
    if len(listed):
        root.append(listed)
    if not len(root) or (interface.fmi_version == "2.0" and not len(listed)):
        return {}
    fmpy_schema("schema/fmi3/fmi3TerminalsAndIcons.xsd").assertValid(root)
    return {TERMINALS: etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)}


def terminals(system: System) -> list[Terminal]:
    """The ports of a System, and its input motions."""
    return [terminal for subsystem in system.subsystems for terminal in _terminals(subsystem)]


@singledispatch
def _terminals(_subsystem: Subsystem) -> Iterator[Terminal]:
    """By the type of the subsystem; nothing for those without ports and input motions."""
    return iter(())


@_terminals.register
def _of_forces(forces: ForceSubsystem) -> Iterator[Terminal]:
    for port in forces.elements:
        if isinstance(port, Port):
            members = {name: name for name in _OF_PORT}
            yield Terminal(port.name, f"a frame of '{port.body.name}': its motion, and forces on it", members)


@_terminals.register
def _of_matter(matter: MatterSubsystem) -> Iterator[Terminal]:
    for body in matter.bodies:
        if isinstance(body.motion, InputMotion):
            yield Terminal(body.motion.name, f"the motion that '{body.name}' follows, and its load", _members(body))


def _names(variable: CatalogueVariable, connectable: Collection[str], interface: Interface) -> list[str]:
    """The structured name of the vector if the FMU has it as a whole, else of those of its entries that it has."""
    names = [structured_name(variable.name), *map(structured_name, variable.entry_names())]
    found = [name for name in names if interface.spelled(name) in connectable]
    return found[:1] if found[:1] == names[:1] else found


def _members(body: MobilizedBody) -> Mapping[str, str]:
    """Those of a port for a Translation in Ground's frame, and for a Ball that turns against Ground's axes."""
    if not body.is_reversed and _keeps_axes(body.X_PF):
        if isinstance(body, Translation) and isinstance(body.parent, Ground) and not body.X_PF.p.any():
            return _OF_TRANSLATION
        if isinstance(body, Ball) and _has_axes_of_ground(body.parent):
            return _OF_BALL
    return {name: name for name in _OF_BALL}


def _has_axes_of_ground(body: MobilizedBody | Ground) -> bool:
    """Whether the body's frame is never turned against Ground's: it is Ground, or on translations alone."""
    while isinstance(body, Translation):
        if not (_keeps_axes(body.X_PF) and _keeps_axes(body.X_BM)):
            return False
        body = body.parent
    return isinstance(body, Ground)


def _keeps_axes(X: Transform) -> bool:
    return np.array_equal(X.R, np.eye(3))
