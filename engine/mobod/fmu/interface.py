"""The table of an FMU's variables, from which the XML, the C table and the documentation are made."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from math import inf, isfinite
from typing import Literal
from uuid import UUID

import numpy as np

from mobod.errors import DuplicateNameError, InputError
from mobod.fmu.entries import ArrayEntry, Entry, choose, entries_of
from mobod.fmu.exported_model import ExportedModel, ExportedSteps
from mobod.fmu.names import structured_name
from mobod.fmu.structure import KnownList, Knowns
from mobod.fmu.units import si_exponents
from mobod.runtime.library import constant
from mobod.runtime.numerics import N_SETTINGS, SETTINGS, Numerics, Setting
from mobod.scalar.slot import Slot
from mobod.simulate.limits import AmbiguousImpacts
from mobod.system.stage import Stage
from mobod.system.variable import CatalogueVariable, VariableType

DEFAULT_TOLERANCE = 1e-6
"""Default relative accuracy of the integration, if the master requests none."""


class Settable(Enum):
    """When a variable may be set, in addition to instantiated and initialization mode. The names are those of model.h."""

    NEVER = "SET_NEVER"
    BEFORE_START = "SET_BEFORE_START"
    ANY_TIME = "SET_ANY_TIME"


Causality = Literal["independent", "parameter", "input", "output", "local"]
Variability = Literal["fixed", "tunable", "discrete", "continuous"]


FmiVersion = Literal["2.0", "3.0"]


@dataclass(frozen=True, kw_only=True)
class FmuVariable:
    """One FMU variable, a number. Its index in the table is its value reference.

    name           structured: 'free.q[1]', 'der(free.q[1])'
    at             offset in w
    initial        None if FMI defines it: for inputs and the independent variable
    start          None for calculated variables
    stage          the stage that computes it
    invalidates    the stage that setting it invalidates; EMPTY if it is never set
    derivative_of  value reference of the state whose time derivative this is
    depends_on     value references of the inputs, states and time that an output or derivative depends on while stepping
    starts_from    value references of the inputs, parameters and time that an unknown depends on during initialization
                   None in place of these lists: all of them
    array          the vector or matrix that it is an entry of; None: it is a scalar of its own
    is_indicator   whether it is an event indicator of FMI 3.0
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
    is_state: bool = False
    derivative_of: int | None = None
    array: ArrayEntry | None = None
    is_indicator: bool = False
    depends_on: KnownList = ()
    starts_from: KnownList = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Interface:
    """An FMU's variables, and other data that its description and its C code share.

    token        identifies model and interface: FMI 2.0 calls it guid
    tolerance    relative accuracy if the master requests none
    numerics     start values of the settings of the integration
    numerics_at  their offset in w
    fixed_steps  steps at velocity level; None: those of the integrator
    ambiguous_impacts
                 whether impacts of unknown order cause a warning in the log or an error
    n_event_indicators
                 of model exchange
    jumping      offsets in w of the states that may jump at events
    """

    model_name: str
    token: str
    start_time: float
    tolerance: float
    rows: tuple[FmuVariable, ...]
    numerics: Numerics
    numerics_at: int
    fmi_version: FmiVersion = "2.0"
    n_event_indicators: int = 0
    jumping: frozenset[int] = frozenset()
    fixed_steps: ExportedSteps | None = None
    ambiguous_impacts: AmbiguousImpacts = "warn"

    @property
    def offsets(self) -> list[int]:
        """The offsets of all variables that the model computes or holds in w."""
        return [row.at for row in self.rows if not row.is_indicator]

    @property
    def input_derivatives_at(self) -> int:
        """The offset in w of the numbers of each real input (model.h). The values of event indicators follow them."""
        return self.numerics_at + N_SETTINGS

    @property
    def real_inputs(self) -> list[int]:
        """Value references of the Reals among the inputs."""
        return [i for i, row in enumerate(self.rows) if row.causality == "input" and row.type == "real"]

    @property
    def has_model_exchange(self) -> bool:
        """Fixed steps are part of the model: no importer can take them."""
        return self.fixed_steps is None

    def outputs(self) -> list[int]:
        return [i for i, row in enumerate(self.rows) if row.causality == "output"]

    def derivatives(self) -> list[int]:
        """Value references of the derivatives, in the order of the states."""
        return [i for i, row in enumerate(self.rows) if row.derivative_of is not None]

    def initial_unknowns(self) -> list[int]:
        return [i for i, row in enumerate(self.rows) if row.initial == "calculated" and not row.is_indicator]


def make_interface(
    model: ExportedModel,
    model_name: str,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    numerics: Numerics | None = None,
    fixed_steps: ExportedSteps | None = None,
    ambiguous_impacts: AmbiguousImpacts = "warn",
    fmi_version: FmiVersion = "2.0",
) -> Interface:
    """The FMU variables of a model.

    Some variables are always included: time; the states and their derivatives; initial conditions, as parameters `<state>_start`; every
    parameter, and every input that is not selected, as a tunable parameter; and, last, the settings of the integration.
    If event handlers set a number, or it updates itself at each step, it is not a parameter: a master sets only its start value, and reads
    it.

    inputs   names of inputs or parameters, or of single entries ('wind.force[2]'), that become inputs of the FMU
    outputs  names of outputs, states, derivatives, or variables set by the model, or of single entries

    Raises UnknownNameError with the nearest name; InputError for a name of the wrong kind, a unit that is not SI, or a start
    value that is not finite or out of its bounds; DuplicateNameError if two variables have the same name.
    """
    entries = entries_of(model)
    set_by_model = model.set_by_model()
    chosen_inputs = choose("input", inputs, entries, allowed=("input", "parameter"))
    chosen_outputs = choose("output", outputs, entries, allowed=("output", "state", "derivative"), also=set_by_model)
    n_y = model.y.size
    states = {entry.at: entry for entry in entries if entry.variable.role == "state"}
    derivatives = {entry.at: entry for entry in entries if entry.variable.role == "derivative"}
    settable = [entry for entry in entries if entry.variable.role in ("parameter", "input")]

    for entry in settable:
        if entry.name in chosen_inputs and entry.at in set_by_model:
            raise InputError(
                f"input '{entry.name}': the model also sets it, by an event handler or at the start of each step. Choose another input, or "
                "change the model."
            )

    rows = [_time_row(model.time)]
    rows += [_input_row(entry, model.start) for entry in settable if entry.name in chosen_inputs]
    rows += [_output_row(entry) for entry in entries if entry.variable.role == "output" and entry.name in chosen_outputs]
    first_state = len(rows)
    for i in range(n_y):
        entry = states[model.y.offset + i]
        rows.append(replace(_output_row(entry), causality=_output_if(entry.name in chosen_outputs), is_state=True))
    for i in range(n_y):
        entry = derivatives[model.y_dot.offset + i]
        rows.append(replace(_output_row(entry), causality=_output_if(entry.name in chosen_outputs), derivative_of=first_state + i))
    for i in range(n_y):
        rows.append(_start_row(states[model.y.offset + i], at=len(model.start) + i, start=float(model.start[model.y.offset + i])))
    rows += [
        _discrete_row(entry, model.start, _output_if(entry.name in chosen_outputs))
        if entry.at in set_by_model
        else _parameter_row(entry, model.start)
        for entry in settable
        if entry.name not in chosen_inputs
    ]

    numerics = Numerics() if numerics is None else numerics
    numerics_at = len(model.start) + n_y
    rows += [
        _setting_row(setting, start, numerics_at)
        for setting, start in zip(SETTINGS, numerics.numbers(), strict=True)
        if fixed_steps is None or setting.of_velocity_level
    ]
    n_inputs = sum(row.causality == "input" and row.type == "real" for row in rows)
    indicators = model.event_indicators() if fixed_steps is None else []
    if fmi_version == "3.0":
        first = numerics_at + N_SETTINGS + constant("NUMBERS_OF_INPUT") * n_inputs
        rows += [_indicator_row(name, first + i) for i, name in enumerate(indicators)]

    for row in rows:
        _check(row)
    _check_names(rows)
    identity = model.identity((row.at for row in rows if not row.is_indicator), n_inputs)
    token = _token(f"{model_name} {fmi_version}", rows, identity, fixed_steps, ambiguous_impacts)
    return Interface(
        model_name=model_name,
        fmi_version=fmi_version,
        n_event_indicators=len(indicators),
        jumping=frozenset() if fixed_steps is not None else model.states_that_jump(),
        token=token,
        start_time=float(model.start[model.time.offset]),
        tolerance=DEFAULT_TOLERANCE,
        rows=tuple(_with_dependencies(rows, model, first_state)),
        numerics=numerics,
        numerics_at=numerics_at,
        fixed_steps=fixed_steps,
        ambiguous_impacts=ambiguous_impacts,
    )


def _setting_row(setting: Setting, start: float, numerics_at: int) -> FmuVariable:
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


def _indicator_row(name: str, at: int) -> FmuVariable:
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


def _output_if(chosen: bool) -> Causality:
    return "output" if chosen else "local"


def _time_row(time: Slot) -> FmuVariable:
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


def _output_row(entry: Entry) -> FmuVariable:
    variable = entry.variable
    return FmuVariable(
        name=structured_name(entry.name),
        at=entry.at,
        causality="output",
        variability=_free_variability(variable),
        initial="calculated",
        unit=entry.unit,
        description=variable.description,
        stage=variable.stage,
        minimum=variable.minimum,
        maximum=variable.maximum,
        type=variable.type,
        array=entry.array and replace(entry.array, name=structured_name(entry.array.name)),
    )


def _parameter_row(entry: Entry, start: np.ndarray) -> FmuVariable:
    invalidates = entry.variable.invalidates
    if invalidates is None:
        raise InputError(f"variable '{entry.name}': it can be set, but the stage that this invalidates is not given.")
    return replace(
        _output_row(entry),
        causality="parameter",
        variability="tunable",
        initial="exact",
        start=float(start[entry.at]),
        invalidates=invalidates,
        settable=Settable.ANY_TIME,
    )


def _discrete_row(entry: Entry, start: np.ndarray, causality: Causality) -> FmuVariable:
    """The row of a variable that the model itself sets."""
    return replace(_parameter_row(entry, start), causality=causality, variability="discrete", settable=Settable.BEFORE_START)


def _input_row(entry: Entry, start: np.ndarray) -> FmuVariable:
    return replace(_parameter_row(entry, start), causality="input", variability=_free_variability(entry.variable), initial=None)


def _start_row(entry: Entry, at: int, start: float) -> FmuVariable:
    return replace(
        _output_row(entry),
        name=structured_name(entry.start_name()),
        array=entry.array and replace(entry.array, name=structured_name(entry.start_array_name())),
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


def _check(row: FmuVariable) -> None:
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


def _check_names(rows: list[FmuVariable]) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.name in seen:
            raise DuplicateNameError(f"two variables of the FMU are named '{row.name}'. Rename one of the elements that they belong to.")
        seen.add(row.name)


def _with_dependencies(rows: list[FmuVariable], model: ExportedModel, first_state: int) -> list[FmuVariable]:
    """Add the dependencies to the rows. While stepping, inputs, states and time are known. During initialization inputs, parameters and
    time are known, and a state stands for the parameter with its start value.
    """
    unknowns = [row.at for row in rows if row.initial == "calculated" and not row.is_indicator]
    inputs = {row.at for row in rows if row.causality == "input"}
    references = {row.at: i for i, row in enumerate(rows) if row.is_state or row.causality in ("input", "independent")}
    at_start = {row.at: i for i, row in enumerate(rows) if row.start is not None or row.causality == "independent"}
    first_start = first_state + 2 * model.y.size
    at_start |= {offset: first_start + i for i, offset in enumerate(model.y.offsets)}
    sets = model.depends_on(unknowns)
    knowns, knowns_at_start = Knowns(sets, references, inputs), Knowns(sets, at_start, inputs)
    return [
        replace(row, depends_on=knowns.of(row.at), starts_from=knowns_at_start.of(row.at))
        if row.initial == "calculated" and not row.is_indicator
        else row
        for row in rows
    ]


def _token(model_name: str, rows: list[FmuVariable], identity: bytes, fixed_steps: ExportedSteps | None, ambiguous_impacts: str) -> str:
    """A hash of these. The rows are without dependencies, which follow from the model."""
    content = "\n".join([model_name, *map(repr, rows), repr(fixed_steps), ambiguous_impacts]).encode() + b"\n" + identity
    return f"{{{UUID(bytes=hashlib.sha256(content).digest()[:16])}}}"
