"""Terminals: variables of a component that belong together, such as the motion of a Port and the forces on it, connected as a whole.

FMUs list them in terminalsAndIcons.xml. A System has one for each Port and each InputMotion.

Source: FMI specification 3.0.2, section 2.4.9; 2.0.4, section 2.3.
"""

from collections.abc import Mapping, Sequence

from lxml import etree

from mobod import errors
from mobod.cosim.component import Component, ComponentVariable
from mobod.errors import FmuFileError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmu.archive import TERMINALS

_NEEDED = ("p_GF", "quaternion_GF", "w_GF", "v_GF", "alpha_GF", "a_GF")  # a body that is moved needs all of its motion
_BONDS = (("force", "v_GF"), ("torque", "w_GF"))

Terminals = Mapping[str, Mapping[str, str]]
"""The variable of each member by the name of the terminal and the name of the member."""


def terminals_of_fmu(archive: FmuArchive) -> Terminals:
    """Raises FmuFileError."""
    xml = archive.content(TERMINALS)
    if xml is None:
        return {}
    try:
        root = etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except etree.XMLSyntaxError as error:
        raise FmuFileError(f"{archive.path}: its {TERMINALS} is not well-formed: {error}.") from error
    return {
        str(terminal.get("name")): {
            str(member.get("memberName") or member.get("variableName")): str(member.get("variableName"))
            for member in terminal.iterfind("TerminalMemberVariable")
        }
        for terminal in root.iterfind("Terminals/Terminal")
    }


def terminal_pairs(source: tuple[Component, str], target: tuple[Component, str]) -> list[tuple[ComponentVariable, ComponentVariable, str]]:
    """The members of two terminals that can be connected: output, input and name of the member, in both directions.

    Members match by name; those that only one side has are left. Raises errors.ConnectionError if there is none, or if one side needs a
    motion that the other one does not give.
    """
    names = [f"{component.name}.{name}" for component, name in (source, target)]
    sides = [_members(*side) for side in (source, target)]
    pairs = []
    for name, variable in sides[0].items():
        other = sides[1].get(name)
        if other is None:
            continue
        causalities = variable.variable.causality, other.variable.causality
        if causalities == ("output", "input"):
            pairs.append((variable, other, name))
        elif causalities == ("input", "output"):
            pairs.append((other, variable, name))
    for k, members in enumerate(sides):
        needed = [name for name, each in members.items() if each.variable.causality == "input" and name.partition("[")[0] in _NEEDED]
        missing = [name for name in needed if name not in {member for _, _, member in pairs}]
        if missing:
            raise errors.ConnectionError(
                f"'{names[0]}' cannot be connected to '{names[1]}': '{names[k]}' takes {', '.join(missing)}, which '{names[1 - k]}' does "
                "not give. Export these outputs too, or leave these inputs out."
            )
    if not pairs:
        listed = " and ".join(f"{name} has {', '.join(members) or 'nothing'}" for name, members in zip(names, sides, strict=True))
        raise errors.ConnectionError(
            f"'{names[0]}' cannot be connected to '{names[1]}': no output of one is an input of the other: {listed}. Connect a Port to an "
            "InputMotion."
        )
    return pairs


def bond_members(names: Sequence[str]) -> list[tuple[str, str]]:
    """The members that are connected and whose product is a power: force and velocity, entry by entry."""
    found = []
    for effort, flow in _BONDS:
        entries = [name.removeprefix(effort) for name in names if name.partition("[")[0] == effort]
        found += [(effort + entry, flow + entry) for entry in entries if flow + entry in names]
    return found


def _members(component: Component, name: str) -> dict[str, ComponentVariable]:
    """By the names of single entries: an array 'force' is 'force[1]', 'force[2]', ..."""
    found = {}
    for member, variable in component.terminals[name].items():
        ports = component.ports(variable)
        for port in ports:
            found[member + (port.variable.name.removeprefix(variable) if len(ports) > 1 else "")] = port
    return found
