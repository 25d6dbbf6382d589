"""Variable: an entry of the catalogue of named quantities, which results, FMUs and the command line read."""

# Decision: docs/decisions/082-fmu-types.md

from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict, Unpack

from mobod.scalar.slot import Slot
from mobod.system.number_names import entry_names
from mobod.system.scales import Scales
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, DiscreteVariable

Role = Literal["state", "derivative", "parameter", "input", "output"]
VariableType = Literal["real", "boolean", "integer"]
Units = str | tuple[str, ...]  # of all entries, or of each


def rate_unit(unit: str) -> str:
    """The unit of the time derivative: 'N/m' becomes 'N/(m.s)'."""
    numerator, _, denominator = unit.partition("/")
    factors = denominator.strip("()").split(".") if denominator else []
    for i, factor in enumerate(factors):
        if factor == "s" or (factor[0] == "s" and factor[1:].isdigit()):
            factors[i] = f"s{int(factor[1:] or 1) + 1}"
            break
    else:
        factors.append("s")
    return f"{numerator}/{factors[0]}" if len(factors) == 1 else f"{numerator}/({'.'.join(factors)})"


class Details(TypedDict, total=False):
    """What only some variables have; see CatalogueVariable."""

    type: VariableType
    entry: CacheEntry | None
    discrete: DiscreteVariable | None
    minimum: float | None
    maximum: float | None
    scales: tuple[float, ...]
    scales_are_of_integral: bool
    components: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CatalogueVariable:
    """A named quantity of a System: one number or an array of numbers.

    name         as users write it: 'lower.q', 'gravity.magnitude', 'lower.p_GB'
    slot         its place in State.values; shape () for one number
    stage        the stage that computes it; parameters, inputs and states can be read from MODEL on, except coordinates and speeds of a
                 mobilizer that a motion or a lock may determine: POSITION and VELOCITY
    invalidates  the stage that a change of it invalidates (parameters, inputs, states)
    role         'state' (an entry of q, u or z), 'derivative' (of a state), 'parameter', 'input', 'output'
    units        one for each entry in C order, or one for all: 'rad', 'm/s', 'N.m', '1', ...
    type         all are numbers in State.values: a boolean is 0 or 1, an integer is whole
    entry        of a lazy value: the cache entry that contains it; `stage` is then REPORT, where an FMU computes it
    discrete     of parameters and inputs: the discrete variable that contains it
    minimum, maximum
                 of each entry; other values are refused
    declared_range
                 (least, greatest) that an actuator can give; FMUs declare it, and nothing enforces it
    scales       of a state: one for each entry, or one for all; empty: those of the units
    scales_are_of_integral
                 whether they are those of what the state is the rate of: its own are smaller by the time scale
    components   names of the entries for display: 'x', 'y', 'z'; empty if entries have only numbers
    array        of a variable that `entry_of` made: the array that it is an entry of
    """

    name: str
    slot: Slot
    stage: Stage
    role: Role
    units: tuple[str, ...]
    description: str
    invalidates: Stage | None = None
    type: VariableType = "real"
    entry: CacheEntry | None = None
    discrete: DiscreteVariable | None = None
    minimum: float | None = None
    maximum: float | None = None
    declared_range: tuple[float, float] | None = None
    scales: tuple[float, ...] = ()
    scales_are_of_integral: bool = False
    components: tuple[str, ...] = ()
    array: "CatalogueVariable | None" = field(default=None, repr=False)

    @classmethod
    def parameter(
        cls,
        name: str,
        slot: Slot,
        units: Units,
        description: str,
        invalidates: Stage = Stage.INSTANCE,
        *,
        is_input: bool = False,
        **details: Unpack[Details],
    ) -> "CatalogueVariable":
        """A parameter or an input."""
        role: Role = "input" if is_input else "parameter"
        return cls(
            name=name,
            slot=slot,
            stage=Stage.MODEL,
            role=role,
            units=_listed(units),
            description=description,
            invalidates=invalidates,
            **details,
        )

    @classmethod
    def output(cls, name: str, slot: Slot, stage: Stage, units: Units, description: str, **details: Unpack[Details]) -> "CatalogueVariable":
        """A computed quantity."""
        return cls(name=name, slot=slot, stage=stage, role="output", units=_listed(units), description=description, **details)

    @classmethod
    def state(
        cls, name: str, slot: Slot, units: Units, description: str, invalidates: Stage, **details: Unpack[Details]
    ) -> "CatalogueVariable":
        """Entries of q, u or z."""
        variable = cls.parameter(name, slot, units, description, invalidates, **details)
        return replace(variable, role="state")

    def rate(self, slot: Slot, stage: Stage, description: str, units: Units = ()) -> "CatalogueVariable":
        """The derivative of this state. units: if none are given, those of the state by second"""
        units = _listed(units) or tuple(map(rate_unit, self.units))
        name = f"der({self.name})"
        return CatalogueVariable(name=name, slot=slot, stage=stage, role="derivative", units=units, description=description)

    def scale(self, entry: int, scales: Scales) -> float:
        """To which errors of an entry are relative, in a System with these scales."""
        if not self.scales:
            return scales.of(self.unit(entry))
        scale = self.scales[0] if len(self.scales) == 1 else self.scales[entry]
        return scale / scales.time if self.scales_are_of_integral else scale

    def unit(self, entry: int) -> str:
        return self.units[0] if len(self.units) == 1 else self.units[entry]

    def entry_names(self) -> list[str]:
        """`name` for one number, `name[1]`, ... for a vector, `name[1,1]`, ... for a matrix (indices from 1, as in FMI's structured names).

        A derivative has the index of its state: 'der(free.q[2])'.
        """
        return entry_names(self.name, self.slot.shape)

    def entry_of(self, position: int) -> "CatalogueVariable":
        """The variable of one of its numbers. position: by rows, from 0"""
        if not self.slot.shape:
            return self
        return replace(
            self,
            name=self.entry_names()[position],
            slot=Slot(self.slot.offset + position, ()),
            units=(self.unit(position),),
            scales=self.scales if len(self.scales) < 2 else (self.scales[position],),
            components=(),
            array=self,
        )

    def labels(self) -> list[tuple[str, str]]:
        """Name and unit of each entry for display: 'lower.p_GB y', 'lower.reaction Mx'; as in `entry_names` if entries have no names."""
        names = [f"{self.name} {component}" for component in self.components] or self.entry_names()
        return [(name, self.unit(entry)) for entry, name in enumerate(names)]


def _listed(units: Units) -> tuple[str, ...]:
    return (units,) if isinstance(units, str) else units
