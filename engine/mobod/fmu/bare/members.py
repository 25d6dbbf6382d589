"""The structs of a model's header: its inputs, outputs, parameters and start values, whose members are FMU variables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

from mobod.fmu.interface import Interface
from mobod.fmu.names import C_KEYWORDS
from mobod.fmu.variables import FmuVariable, Settable


@final
@dataclass(frozen=True)
class StructMember:
    """A member of a struct. reference: the value reference of the variable"""

    name: str
    variable: FmuVariable
    reference: int

    @property
    def declaration(self) -> str:
        """With its unit and description."""
        kind = "double" if self.variable.type == "real" else "int"
        unit = "" if self.variable.unit in ("", "1") or kind == "int" else f"{self.variable.unit}, "
        described = f"{unit}{self.variable.description}".replace("*/", "* /")
        return f"    {kind} {self.name}; /* {described} */"

    @property
    def start(self) -> str:
        """Its start value as C text."""
        value = self.variable.start or 0.0
        return repr(float(value)) if self.variable.type == "real" else str(int(value))


@final
@dataclass(frozen=True)
class MemberStruct:
    """A struct: the Reals, then Booleans, then other whole numbers."""

    name: str
    what: str
    members: tuple[StructMember, ...]

    @property
    def type(self) -> str:
        return f"model_{self.name.capitalize()}"

    def of(self, *types: str) -> list[StructMember]:
        return [each for each in self.members if each.variable.type in types]

    @property
    def wholes(self) -> list[StructMember]:
        return [*self.of("boolean"), *self.of("integer")]


def groups_of(interface: Interface) -> tuple[MemberStruct, ...]:
    """Inputs, outputs, parameters and start values. The settings of the integration are constants of the sources."""

    def members(belongs: Callable[[FmuVariable], bool]) -> tuple[StructMember, ...]:
        chosen = [
            StructMember(row.name if row.name not in C_KEYWORDS.split() else f"{row.name}_", row, number)
            for number, row in enumerate(interface.rows)
            if (row.at < interface.numerics_at or row.causality == "output") and belongs(row)
        ]
        return tuple(sorted(chosen, key=lambda each: ("real", "boolean", "integer").index(each.variable.type)))

    def is_parameter(settable: Settable) -> Callable[[FmuVariable], bool]:
        return lambda row: row.causality == "parameter" and row.settable is settable

    return (
        MemberStruct("inputs", "set before each step", members(lambda row: row.causality == "input")),
        MemberStruct("outputs", "at the end of a step", members(lambda row: row.causality == "output")),
        MemberStruct("parameters", "may change between steps", members(is_parameter(Settable.ANY_TIME))),
        MemberStruct("start", "values at the start", members(is_parameter(Settable.BEFORE_START))),
    )


def declarations(group: MemberStruct) -> Iterator[str]:
    """The lines of the struct."""
    yield f"/* {group.what} */"
    yield "typedef struct {"
    yield from (each.declaration for each in (*group.of("real"), *group.wholes))
    if not group.members:
        yield "    char none; /* there are none */"
    yield f"}} {group.type};"
