"""The table of an FMU's variables, from which the XML, the C table and the documentation are made."""

# Decisions: docs/decisions/072-what-handlers-set.md, docs/decisions/083-fmu-variables.md

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from mobod.contact.fixed_steps_only import contacts_with_slots
from mobod.errors import InputError, UnsupportedError
from mobod.fmu.deformations import NO_WARNINGS, Warnings, warnings_of
from mobod.fmu.entries import choose
from mobod.fmu.exported_model import ExportedModel, ExportedSteps
from mobod.fmu.limits import limits_of_coordinates
from mobod.fmu.names import Spelling, flat_name, naming_convention
from mobod.fmu.structure import KnownList, Knowns
from mobod.fmu.variables import (
    FmiVersion,
    FmuVariable,
    check,
    check_flat_names,
    check_names,
    discrete_row,
    flat_row,
    has_adjoints,
    indicator_row,
    input_row,
    output_if,
    output_row,
    parameter_row,
    result_row,
    setting_row,
    start_row,
    state_row,
    time_row,
)
from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.runtime.library import constant
from mobod.runtime.numerics import JAMMED_STEPS, LEFTOVERS, N_SETTINGS, SETTINGS, Numerics
from mobod.simulate.rows_of_events import has_contacts, has_dry_friction
from mobod.simulate.step_options import StepOptions
from mobod.system.named_numbers import numbers_of
from mobod.system.scales import SI, Scales

Arrays = Literal["whole", "scalars"]
"""Vectors and matrices in FMI 3.0: arrays, or one variable for each entry."""


@dataclass(frozen=True, kw_only=True)
class Interface:
    """An FMU's variables, and other data that its description and its C code share.

    token        identifies model and interface: FMI 2.0 calls it guid
    tolerance    relative accuracy if the master requests none
    options      of the integration: start values of its settings, which an importer may change
    numerics_at  the offset in w of these
    fixed_steps  steps at velocity level; None: those of the integrator
    n_event_indicators
                 of model exchange
    jumping      offsets in w of the states that may jump at events
    names        how they are spelled
    arrays       whether vectors and matrices are arrays or single numbers
    scales       to which errors and tolerances are relative
    has_derivatives
                 whether it gives directional ones: not of contacts whose points are decided once a step
    warnings     of flexible bodies, in the log
    """

    model_name: str
    token: str
    start_time: float
    tolerance: float
    rows: tuple[FmuVariable, ...]
    options: StepOptions
    numerics_at: int
    fmi_version: FmiVersion = "2.0"
    n_event_indicators: int = 0
    jumping: frozenset[int] = frozenset()
    fixed_steps: ExportedSteps | None = None
    names: Spelling = "structured"
    arrays: Arrays = "scalars"
    scales: Scales = SI
    has_derivatives: bool = True
    warnings: Warnings = NO_WARNINGS

    def spelled(self, structured: str) -> str:
        """A structured name, as the FMU's variables are spelled."""
        return structured if self.names == "structured" else flat_name(structured)

    def convention(self, names: Iterable[str]) -> Spelling:
        """FMI's naming convention of these names of variables."""
        return "flat" if self.names == "flat" else naming_convention(names)

    @property
    def numerics(self) -> Numerics:
        """The start values of the settings of the integration."""
        return self.options.numerics(with_tolerances=False)

    @property
    def offsets(self) -> list[int]:
        """The offsets of all variables that the model computes or holds in w, and of what its warnings read."""
        return [*(row.at for row in self.rows if not row.is_indicator), *self.warnings.offsets]

    @property
    def input_derivatives_at(self) -> int:
        """The offset in w of the numbers of each real input (model.h). The values of event indicators follow them."""
        return self.numerics_at + N_SETTINGS

    @property
    def real_inputs(self) -> list[int]:
        """Value references of the Reals among the inputs."""
        return [i for i, row in enumerate(self.rows) if row.causality == "input" and row.type == "real"]

    @property
    def has_arrays(self) -> bool:
        return self.arrays == "whole"

    @property
    def has_model_exchange(self) -> bool:
        """Fixed steps at velocity level, and those of bounded work, are part of the model: no importer can take them."""
        return self.fixed_steps is None and not self.options.is_bounded

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
    options: StepOptions | None = None,
    fixed_steps: ExportedSteps | None = None,
    fmi_version: FmiVersion = "2.0",
    names: Spelling = "structured",
    arrays: Arrays | None = None,
) -> Interface:
    """The FMU variables of a model.

    Some variables are always included: time; the states and their derivatives; initial conditions, as parameters `<state>_start`, which
    states that are independent at the start take themselves, too; every parameter, and every input that is not selected, as a tunable
    parameter; and, last, the settings of the integration.
    If event handlers set a number, or it updates itself at each step, it is not a parameter: a master sets only its start value, and reads
    it.

    inputs   names of inputs or parameters, or of single entries ('wind.force[2]'), that become inputs of the FMU
    outputs  names of outputs, states, derivatives, or variables set by the model, or of single entries
    options  of the integration; the accuracy is left to the master. Default: those of a Simulation
    fixed_steps
             those of the options, with the tolerances of rows
    names    how the FMU's variables are spelled; inputs and outputs are given by structured names
    arrays   whether vectors and matrices are arrays; None: in FMI 3.0 with structured names

    Raises UnknownNameError with the nearest name; UnsupportedError for arrays in FMI 2.0; InputError for a name of the wrong kind, a unit
    that is not SI, or a start value that is not finite or out of its bounds; DuplicateNameError if two variables have the same name.
    """
    arrays = _chosen_arrays(arrays, fmi_version, names)
    entries = numbers_of(model.variables)
    set_by_model = model.set_by_model()
    chosen_inputs = choose("input", inputs, model.variables, allowed=("input", "parameter"))
    chosen_outputs = choose("output", outputs, model.variables, allowed=("output", "state", "derivative"), also=set_by_model)
    n_y = model.y.size
    states = {entry.offset: entry for entry in entries if entry.variable.role == "state"}
    derivatives = {entry.offset: entry for entry in entries if entry.variable.role == "derivative"}
    settable = [entry for entry in entries if entry.variable.role in ("parameter", "input")]

    for entry in settable:
        if entry.name in chosen_inputs and entry.offset in set_by_model:
            raise InputError(
                f"input '{entry.name}': the model also sets it, by an event handler or at the start of each step. Choose another input, or "
                "change the model."
            )

    rows = [time_row(model.time)]
    rows += [input_row(entry, model.start) for entry in settable if entry.name in chosen_inputs]
    rows += [output_row(entry) for entry in entries if entry.variable.role == "output" and entry.name in chosen_outputs]
    first_state, limits, independent = len(rows), limits_of_coordinates(model), model.independent_states()
    for i in range(n_y):
        entry = states[model.y.offset + i]
        row = state_row(entry, model.start, output_if(entry.name in chosen_outputs), is_independent=entry.offset in independent)
        nominal = entry.variable.scale(entry.entry, model.scales)
        rows.append(replace(row, declared_range=limits.get(entry.offset), nominal=nominal))
    for i in range(n_y):
        entry = derivatives[model.y_dot.offset + i]
        rows.append(replace(output_row(entry), causality=output_if(entry.name in chosen_outputs), derivative_of=first_state + i))
    for i in range(n_y):
        rows.append(start_row(states[model.y.offset + i], at=len(model.start) + i, start=float(model.start[model.y.offset + i])))
    rows += [
        discrete_row(entry, model.start, output_if(entry.name in chosen_outputs))
        if entry.offset in set_by_model
        else parameter_row(entry, model.start)
        for entry in settable
        if entry.name not in chosen_inputs
    ]

    options = StepOptions(scales=model.scales) if options is None else options
    numerics = options.numerics(with_tolerances=False)
    numerics_at = len(model.start) + 2 * n_y  # settings_at in model_tables.py
    rows += [
        setting_row(setting, numerics.numbers()[setting.number], numerics_at)
        for setting in SETTINGS
        if setting.of_velocity_level or (fixed_steps is None and (setting.of_bounded_steps or not options.is_bounded))
    ]
    if options.is_bounded:
        rows += [result_row(each, numerics_at) for each in LEFTOVERS]
    if fixed_steps is not None and has_contacts(model.system, model.layout) and has_dry_friction(model.system, model.layout):
        rows.append(result_row(JAMMED_STEPS, numerics_at))
    n_inputs = sum(row.causality == "input" and row.type == "real" for row in rows)
    indicators = model.event_indicators() if fixed_steps is None and not options.is_bounded else []
    if fmi_version == "3.0":
        first = numerics_at + N_SETTINGS + constant("NUMBERS_OF_INPUT") * n_inputs
        rows += [indicator_row(name, first + i) for i, name in enumerate(indicators)]

    for row in rows:
        check(row)
    check_names(rows)
    if names == "flat":
        flat = [flat_row(row) for row in rows]
        check_flat_names(rows, flat)
        rows = flat
    watched = warnings_of(model.system, model.layout, model.variables)
    wanted = [*(row.at for row in rows if not row.is_indicator), *watched.offsets]
    identity = model.identity(wanted, n_inputs, with_adjoints=has_adjoints(fmi_version))
    kind = fmi_version if fmi_version == "2.0" or arrays == "whole" else f"{fmi_version} {arrays}"
    token = _token(f"{model_name} {kind} {model.scales}", rows, identity, fixed_steps, options)
    return Interface(
        model_name=model_name,
        fmi_version=fmi_version,
        n_event_indicators=len(indicators),
        jumping=frozenset() if fixed_steps is not None else model.states_that_jump(),
        token=token,
        start_time=float(model.start[model.time.offset]),
        tolerance=DEFAULT_ACCURACY,
        rows=tuple(_with_dependencies(rows, model, first_state)),
        options=options,
        numerics_at=numerics_at,
        fixed_steps=fixed_steps,
        names=names,
        arrays=arrays,
        scales=model.scales,
        has_derivatives=not contacts_with_slots(model.system),
        warnings=watched,
    )


def _chosen_arrays(arrays: Arrays | None, fmi_version: FmiVersion, names: Spelling) -> Arrays:
    if arrays is None:  # tools that need flat names mostly know scalars alone
        return "whole" if fmi_version == "3.0" and names == "structured" else "scalars"
    if arrays == "whole" and fmi_version == "2.0":
        raise UnsupportedError("arrays='whole': FMI 2.0 has no arrays. Use fmi_version='3.0', or arrays='scalars'.")
    return arrays


def _with_dependencies(rows: list[FmuVariable], model: ExportedModel, first_state: int) -> list[FmuVariable]:
    """Add the dependencies to the rows. While stepping, inputs, states and time are known. During initialization inputs, parameters and
    time are known, and a state stands for its initial condition, and for itself if it takes a start value.
    """
    unknowns = [row.at for row in rows if _is_unknown(row)]
    inputs = {row.at for row in rows if row.causality == "input"}
    references = {row.at: i for i, row in enumerate(rows) if row.is_state or row.causality in ("input", "independent")}
    at_start = {row.at: i for i, row in enumerate(rows) if row.start is not None or row.causality == "independent"}
    first_start = first_state + 2 * model.y.size
    at_start |= {offset: first_start + i for i, offset in enumerate(model.y.offsets)}
    knowns = Knowns(model.depends_on(unknowns), references, inputs)
    knowns_at_start = Knowns(model.depends_on_at_start(unknowns), at_start, inputs)
    itself = {first_start + i: first_state + i for i in range(model.y.size) if rows[first_state + i].start is not None}

    def starts_from(row: FmuVariable) -> KnownList:
        listed = knowns_at_start.of(row.at)
        return None if listed is None else tuple(sorted({*listed, *(itself[each] for each in listed if each in itself)}))

    return [replace(row, depends_on=knowns.of(row.at), starts_from=starts_from(row)) if _is_unknown(row) else row for row in rows]


def _is_unknown(row: FmuVariable) -> bool:
    """Whether the model computes it, during the initialization or afterwards."""
    return row.is_state or (row.initial == "calculated" and not row.is_indicator)


def _token(model_name: str, rows: list[FmuVariable], identity: bytes, fixed_steps: ExportedSteps | None, options: StepOptions) -> str:
    """A hash of these. The rows are without dependencies, which follow from the model."""
    content = (
        "\n".join(
            [model_name, *map(repr, rows), repr(fixed_steps), "error" if options.ambiguous_is_an_error else "warn", options.impacts]
            + ["bounded"] * options.is_bounded
        ).encode()
        + b"\n"
        + identity
    )
    return f"{{{UUID(bytes=hashlib.sha256(content).digest()[:16])}}}"
