"""FMU variables: one for each number of the catalogue, and those that every FMU has."""

from dataclasses import dataclass, replace
from enum import Enum
from math import inf, isfinite, isinf
from typing import Literal

import numpy as np

from mobod.errors import DuplicateNameError, InputError
from mobod.fmu.entries import ArrayEntry, start_array_name, start_name
from mobod.fmu.names import flat_name, structured_name
from mobod.fmu.structure import KnownList
from mobod.runtime.numerics import Setting, StepResult
from mobod.scalar.slot import Slot
from mobod.system.named_numbers import NamedNumber
from mobod.system.stage import Stage
from mobod.system.units import si_exponents
from mobod.system.variable import CatalogueVariable, VariableType


class Settable(Enum):
    """When a variable may be set, in addition to instantiated and initialization mode. The names are those of model.h."""

    NEVER = "SET_NEVER"
    BEFORE_START = "SET_BEFORE_START"
    ANY_TIME = "SET_ANY_TIME"


Causality = Literal["independent", "parameter", "input", "output", "local"]
Variability = Literal["fixed", "tunable", "discrete", "continuous"]


FmiVersion = Literal["2.0", "3.0"]


def has_adjoints(fmi_version: FmiVersion) -> bool:
    """Whether FMUs of that version compute adjoint derivatives."""
    return fmi_version == "3.0"


@dataclass(frozen=True, kw_only=True)
class FmuVariable:
    """One FMU variable, a number. Its index in the table is its value reference.

    name           structured: 'free.q[1]', 'der(free.q[1])'
    at             offset in w
    initial        None if FMI defines it: for inputs and the independent variable
    start          None for calculated variables; states that are independent at the start have one
    stage          the stage that computes it
    invalidates    the stage that setting it invalidates; EMPTY if it is never set
    derivative_of  value reference of the state whose time derivative this is
    depends_on     value references of the inputs, states and time that an output or derivative depends on while stepping
    starts_from    value references of the inputs, parameters and time that an unknown depends on during initialization
                   None in place of these lists: all of them
    declared_range (least, greatest) that the description declares, and the model does not enforce
    array          the vector or matrix that it is an entry of; None: it is a scalar of its own
    is_indicator   whether it is an event indicator of FMI 3.0
    nominal        of a state: the scale of its unit, to which errors of steps are relative
    choices        of an enumeration, which is an integer: the names of its values, from `minimum` on
    """

    name: str
    at: int
    causality: Causality
    variability: Variability
    initial: Literal["exact", "calculated"] | None
    unit: str
    description: str
    stage: Stage
    invalidates: Stage = Stage.EMPTY
    settable: Settable = Settable.NEVER
    start: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    type: VariableType = "real"
    declared_range: tuple[float, float] | None = None
    is_state: bool = False
    nominal: float | None = None
    derivative_of: int | None = None
    array: ArrayEntry | None = None
    is_indicator: bool = False
    depends_on: KnownList = ()
    starts_from: KnownList = ()
    choices: tuple[str, ...] = ()

    @property
    def declared_minimum(self) -> float | None:
        return self.minimum if self.declared_range is None or isinf(self.declared_range[0]) else self.declared_range[0]

    @property
    def declared_maximum(self) -> float | None:
        return self.maximum if self.declared_range is None or isinf(self.declared_range[1]) else self.declared_range[1]


def setting_row(setting: Setting, start: float, numerics_at: int) -> FmuVariable:
    return FmuVariable(
        name=setting.name,
        at=numerics_at + setting.number,
        causality="parameter",
        variability="tunable" if setting.is_tunable else "fixed",
        initial="exact",
        unit=setting.unit,
        description=setting.description,
        stage=Stage.MODEL,
        invalidates=Stage.REPORT,
        settable=Settable.ANY_TIME if setting.is_tunable else Settable.BEFORE_START,
        start=start,
        minimum=setting.least,
        maximum=setting.greatest,
        type="integer" if setting.is_whole else "real",
        choices=setting.choices,
    )


def result_row(result: StepResult, numerics_at: int) -> FmuVariable:
    return FmuVariable(
        name=result.name,
        at=numerics_at + result.number,
        causality="output",
        variability="discrete",
        initial="exact",
        unit=result.unit,
        description=result.description,
        stage=Stage.MODEL,
        invalidates=Stage.REPORT,
        settable=Settable.BEFORE_START,
        start=0.0,
        minimum=0.0,
    )


def indicator_row(name: str, at: int) -> FmuVariable:
    return FmuVariable(
        name=structured_name(f"{name}.indicator"),
        at=at,
        causality="local",
        variability="continuous",
        initial="calculated",
        unit="1",
        description=f"its changes of sign are events '{name}'",
        stage=Stage.REPORT,
        is_indicator=True,
    )


def output_if(chosen: bool) -> Causality:
    return "output" if chosen else "local"


def time_row(time: Slot) -> FmuVariable:
    return FmuVariable(
        name="time",
        at=time.offset,
        causality="independent",
        variability="continuous",
        initial=None,
        unit="s",
        description="simulated time",
        stage=Stage.MODEL,
    )


def _free_variability(variable: CatalogueVariable) -> Variability:
    return "continuous" if variable.type == "real" else "discrete"


def output_row(entry: NamedNumber) -> FmuVariable:
    variable = entry.variable
    return FmuVariable(
        name=structured_name(entry.name),
        at=entry.offset,
        causality="output",
        variability=_free_variability(variable),
        initial="calculated",
        unit=entry.unit,
        description=variable.description,
        stage=variable.stage,
        minimum=variable.minimum,
        maximum=variable.maximum,
        declared_range=variable.declared_range,
        type=variable.type,
        array=ArrayEntry.of(entry, structured_name(variable.name)),
    )


def parameter_row(entry: NamedNumber, start: np.ndarray) -> FmuVariable:
    invalidates = entry.variable.invalidates
    if invalidates is None:
        raise InputError(f"variable '{entry.name}': it can be set, but the stage that this invalidates is not given.")
    return replace(
        output_row(entry),
        causality="parameter",
        variability="tunable",
        initial="exact",
        start=float(start[entry.offset]),
        invalidates=invalidates,
        settable=Settable.ANY_TIME,
    )


def discrete_row(entry: NamedNumber, start: np.ndarray, causality: Causality) -> FmuVariable:
    """The row of a variable that the model itself sets."""
    return replace(parameter_row(entry, start), causality=causality, variability="discrete", settable=Settable.BEFORE_START)


def input_row(entry: NamedNumber, start: np.ndarray) -> FmuVariable:
    return replace(parameter_row(entry, start), causality="input", variability=_free_variability(entry.variable), initial=None)


def state_row(entry: NamedNumber, start: np.ndarray, causality: Causality, *, is_independent: bool) -> FmuVariable:
    """is_independent: whether it takes a start value itself, besides its initial condition"""
    row = replace(output_row(entry), causality=causality, is_state=True)
    if not is_independent:
        return row
    return replace(
        row,
        initial="exact",
        start=float(start[entry.offset]),
        invalidates=entry.variable.invalidates or entry.variable.stage,
        settable=Settable.BEFORE_START,
    )


def start_row(entry: NamedNumber, at: int, start: float) -> FmuVariable:
    return replace(
        output_row(entry),
        name=structured_name(start_name(entry)),
        array=ArrayEntry.of(entry, structured_name(start_array_name(entry))),
        at=at,
        causality="parameter",
        variability="fixed",
        initial="exact",
        description=f"initial value of {entry.name}",
        stage=Stage.MODEL,
        start=start,
        invalidates=entry.variable.invalidates or entry.variable.stage,
        settable=Settable.BEFORE_START,
    )


_OF_NAMES = ("initial value of ", "rates of ")


def flat_row(row: FmuVariable) -> FmuVariable:
    """The same variable with a flat name."""
    begin = next((each for each in _OF_NAMES if row.description.startswith(each)), None)
    return replace(
        row,
        name=flat_name(row.name),
        array=row.array and replace(row.array, name=flat_name(row.array.name)),
        description=row.description if begin is None else begin + flat_name(structured_name(row.description.removeprefix(begin))),
    )


def check(row: FmuVariable) -> None:
    try:
        si_exponents(row.unit)
    except InputError as error:
        raise InputError(f"variable '{row.name}': {error}") from None
    if row.start is None:
        return
    if not isfinite(row.start):
        raise InputError(f"variable '{row.name}': its start value is {row.start}. Set a finite value in the exported State.")
    low = -inf if row.minimum is None else row.minimum
    high = inf if row.maximum is None else row.maximum
    if not low <= row.start <= high:
        raise InputError(
            f"variable '{row.name}': its start value {row.start} {row.unit} is not between {low} and {high} {row.unit}. "
            "Change it in the exported State."
        )


def check_flat_names(rows: list[FmuVariable], flat: list[FmuVariable]) -> None:
    """Raises DuplicateNameError if two variables, or a variable and an array, have the same flat name."""
    seen: dict[str, str] = {}
    for row, renamed in zip(rows, flat, strict=True):
        names = {row.name: renamed.name} | ({row.array.name: renamed.array.name} if row.array and renamed.array else {})
        for name, flat_text in names.items():
            other = seen.setdefault(flat_text, name)
            if other != name:
                raise DuplicateNameError(
                    f"names='flat': the variables '{other}' and '{name}' of the FMU would both be named '{flat_text}'. Rename one of the "
                    "elements that they belong to, or use structured names."
                )


def check_names(rows: list[FmuVariable]) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.name in seen:
            raise DuplicateNameError(f"two variables of the FMU are named '{row.name}'. Rename one of the elements that they belong to.")
        seen.add(row.name)
