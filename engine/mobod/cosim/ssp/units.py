"""Units and types of connectors and parameters."""

from collections.abc import Mapping

from fmpy.model_description import BaseUnit, Unit

from mobod.cosim.connections.unit_conversion import UnitConversion, conversion, described
from mobod.cosim.connections.unit_names import unit_named
from mobod.cosim.ssp.node import Node
from mobod.errors import MobodWarning

EXPONENTS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
INTEGERS = ("Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64")
REALS = ("Real", "Float64", "Float32")
TYPES = (*REALS, *INTEGERS, "Boolean", "String", "Enumeration", "Binary", "Clock")

Units = Mapping[str, Unit]


def read_units(root: Node, prefix: str) -> Units:
    """The units that a file defines, by name. prefix: of its namespace, 'ssd'"""
    found = {}
    units = root.child(f"{prefix}:Units")
    for node in units.children("ssc:Unit") if units is not None else ():
        base = node.child("ssc:BaseUnit")
        if base is not None:
            exponents = {letter: base.whole(letter, 0) for letter in EXPONENTS}
            name = node.required("name")
            found[name] = Unit(
                name=name, baseUnit=BaseUnit(**exponents, factor=base.number("factor", 1.0), offset=base.number("offset", 0.0))
            )
    return found


def unit_of(typed: Node, units: Units) -> Unit | None:
    """That of a type element such as ssc:Real. A unit that the file does not define has the meaning that mobod gives its name."""
    name = typed.get("unit")
    return units.get(name) or unit_named(name)


def forgiving_conversion(
    given: Unit, wanted: Unit, where: str, *, relative: tuple[bool, bool] = (False, False), strict: bool = False
) -> UnitConversion | None:
    """As `conversion`; but the number is taken as it is, with a warning, if both units have the same name and definitions that contradict
    each other, or if a unit is used without a definition and mobod does not know it.

    strict  whether there is no conversion then
    """
    found = conversion(given, wanted, relative=relative)
    if found is None and not strict and given.name == wanted.name:
        MobodWarning.warn(
            f"{where}: the unit '{given.name}' has two meanings: {described(given)}, and {described(wanted)}. A number is taken as it is. "
            "Correct a definition (SSP 2.0.1, 4.4.2 Units; FMI 2.0.5, 2.2.2 Definition of Units)."
        )
        return UnitConversion()
    unknown = [unit.name for unit in (given, wanted) if unit.baseUnit is None]
    if found is not None or strict or not unknown:
        return found
    MobodWarning.warn(
        f"{where}: the unit '{unknown[0]}' is not defined, and mobod does not know it. A number in {described(given)} is taken for one in "
        f"{described(wanted)}. Define the unit (SSP 2.0.1, 4.4.2 Units; FMI 2.0.5, 2.2.2 Definition of Units)."
    )
    return UnitConversion()


def type_of(node: Node) -> Node | None:
    """The type element of a connector, dictionary entry or parameter; None if there is none."""
    # the association of a connector with a clock is an element of the same name with an attribute
    return next(
        (each for each in node.children() if each.local_name in TYPES and not (each.local_name == "Clock" and each.get("name"))), None
    )


def base_unit(unit: Unit) -> dict[str, str]:
    """The attributes of the element BaseUnit of a unit that has one, in FMI 2.0 and SSP."""
    base = unit.baseUnit
    exponents = {letter: str(getattr(base, letter)) for letter in EXPONENTS if getattr(base, letter)}
    return {
        **exponents,
        **{name: repr(getattr(base, name)) for name, usual in (("factor", 1), ("offset", 0)) if getattr(base, name) != usual},
    }
