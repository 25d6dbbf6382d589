"""Tables of model.h that follow from a layout and from the calls of sweeps."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from mobod.compilation.calls.liveness import CallsKind, GroupedSweep, LiveCall, LiveCalls, LiveKind, LiveSweep
from mobod.compilation.source.events_source import Events
from mobod.matter import ConstraintEquations, MultibodySystem
from mobod.runtime.library import constant
from mobod.runtime.numerics import JAMMED_STEPS, LEFTOVERS, N_SETTINGS, SETTINGS
from mobod.runtime.tables import Struct
from mobod.scalar.procedure import Procedure
from mobod.system import CatalogueVariable, Layout, System
from mobod.system.scales import Scales
from mobod.system.state.saved_numbers import LARGEST, Numbers, flags
from mobod.system.state.saved_ranges import SavedRange, saved_ranges


def y_names(layout: Layout, variables: list[CatalogueVariable]) -> list[str]:
    """The names of the entries of y, in order."""
    names: dict[int, str] = {}
    for variable in variables:
        if variable.role == "state":
            names.update(zip(range(variable.slot.offset, variable.slot.offset + variable.slot.size), variable.entry_names(), strict=True))
    return [names[offset] for offset in range(layout.y.offset, layout.y.offset + layout.n_y)]


def y_units(layout: Layout, variables: list[CatalogueVariable]) -> list[str]:
    """The units of the entries of y, in order."""
    units = {
        variable.slot.offset + entry: variable.unit(entry)
        for variable in variables
        if variable.role == "state"
        for entry in range(variable.slot.size)
    }
    return [units[offset] for offset in range(layout.y.offset, layout.y.offset + layout.n_y)]


def scales_table(system: System, layout: Layout, variables: list[CatalogueVariable], scales: Scales) -> Struct:
    """The `Scales` of scales.h."""
    rows: list[float] = []
    is_angle: list[int] = []
    if isinstance(system, MultibodySystem) and "rows" in layout.c_tables:
        sweeps = system.matter.constraint_sweeps(layout)
        rows, is_angle = [1.0] * sweeps.table.n_rows, [0] * sweeps.table.n_rows
        for constraint in system.matter.constraints:
            rows[sweeps.lines(constraint)] = row_scales(constraint.equations, scales)
            is_angle[sweeps.lines(constraint)] = are_angles(constraint.equations)
    y = scales_of_states(layout, variables, scales)
    return Struct("Scales", length=scales.length, time=scales.time, mass=scales.mass, y=y, rows=rows, is_angle=is_angle or None)


def scales_of_states(layout: Layout, variables: list[CatalogueVariable], scales: Scales) -> list[float]:
    """The scale of each entry of y; 1 for one that the catalogue does not have."""
    found = {
        variable.slot.offset + entry: variable.scale(entry, scales)
        for variable in variables
        if variable.role == "state"
        for entry in range(variable.slot.size)
    }
    return [found.get(offset, 1.0) for offset in range(layout.y.offset, layout.y.offset + layout.n_y)]


def row_scales(equations: ConstraintEquations, scales: Scales) -> list[float]:
    """The scale of each row's position error; of a row without one, that of its integral."""
    return [scales.of(unit) * scales.time**level for level, units in enumerate(_units(equations)) for unit in units]


def are_angles(equations: ConstraintEquations) -> list[int]:
    """Whether the position error of each row is an angle, or a number without unit; of a row without one, its integral."""
    return [int(not unit.startswith("m")) for units in _units(equations) for unit in units]


def _units(equations: ConstraintEquations) -> tuple[Sequence[str], ...]:
    """Of the rows of each level."""
    return equations.position_units, equations.velocity_units, equations.acceleration_units


def sweep_table(sweep: LiveSweep | GroupedSweep, numbers: Mapping[LiveKind | CallsKind | Procedure, int]) -> Struct:
    """The `Sweep` of sweep.h; numbers: indices of the kernels."""
    calls = [(numbers[each], []) if isinstance(each, Procedure) else (numbers[each.kind], _places(each)) for each in sweep.calls]
    spares = [_spare(each) for each in sweep.calls]
    first_spare = sum(len(at) for _, at in calls)
    firsts_of_spares = list(accumulate((len(each) for each in spares), initial=first_spare))[:-1]
    spared = [first if each else -1 for first, each in zip(firsts_of_spares, spares, strict=True)]
    return Struct(
        "Sweep",
        n_clear=len(sweep.clears),
        clear=[number for each in sweep.clears for number in each],
        n_calls=len(calls),
        kernel=[number for number, _ in calls],
        first=list(accumulate((len(at) for _, at in calls), initial=0))[:-1],
        at=[*(offset for _, at in calls for offset in at), *(number for each in spares for number in each)],
        spared=spared if any(spares) else None,
    )


def _places(each: LiveCall | LiveCalls) -> list[int]:
    calls = each.calls if isinstance(each, LiveCalls) else [each]
    return [slot.offset for live in calls for slot in (*live.call.inputs, *live.call.outputs)]


def _spare(each: LiveCall | LiveCalls | Procedure) -> list[int]:
    """By what a call is left out (`Spare` of sweep.h); empty: it never is. Of calls side by side: by the choices of all of them."""
    if isinstance(each, Procedure):
        return []
    of_calls = [live.call.spare for live in (each.calls if isinstance(each, LiveCalls) else [each])]
    spares = [spare for spare in of_calls if spare is not None]
    if len(spares) < len(of_calls):
        return []
    return [len(spares), spares[0].is_idle.offset, *(spare.choice.offset for spare in spares)]


def settings_at(layout: Layout) -> int:
    """The offset of the settings of an FMU's integration: after the initial conditions, and whether states have start values of their own
    (own_starts_at in model.h).
    """
    return layout.size + 2 * layout.n_y


def n_numbers_of_fmu(layout: Layout, n_inputs: int, events: Events | None) -> int:
    """How many numbers an FMU has after its initial conditions: whether states have start values of their own, settings of the integration,
    numbers of the inputs, event indicators.
    """
    return layout.n_y + N_SETTINGS + constant("NUMBERS_OF_INPUT") * n_inputs + (len(events.triggered) if events else 0)


def saved_table(layout: Layout, variables: list[CatalogueVariable], n_inputs: int) -> Struct:
    """The table of an FMU's numbers that saved states contain. Initial conditions may be any finite numbers."""
    used = [SavedRange(update.used.offset, flags()) for update in layout.auto_updates.in_c]
    first = settings_at(layout)
    settings = [
        SavedRange(first + each.number, Numbers(1, each.least, each.greatest or LARGEST, is_whole=each.is_whole)) for each in SETTINGS
    ]
    settings += [SavedRange(first + each.number, Numbers(1, 0.0, LARGEST)) for each in (*LEFTOVERS, JAMMED_STEPS)]
    own_starts = SavedRange(layout.size + layout.n_y, flags(layout.n_y))
    of_inputs = SavedRange(first + N_SETTINGS, Numbers(constant("NUMBERS_OF_INPUT") * n_inputs))
    ranges = [*saved_ranges(layout, variables), *used, SavedRange(layout.size, Numbers(layout.n_y)), own_starts, *settings, of_inputs]
    structs = [
        Struct(
            "SavedRange",
            first=first,
            count=numbers.count,
            kind=_kind(numbers),
            least=float(numbers.least),
            greatest=float(numbers.greatest),
        )
        for first, numbers in ranges
        if numbers.count
    ]
    return Struct("SavedTable", n=len(structs), ranges=structs)


def _kind(numbers: Numbers) -> int:
    return constant("ANY_NUMBER" if numbers.is_any else "WHOLE_NUMBER" if numbers.is_whole else "REAL_NUMBER")


def auto_update_table(system: System, layout: Layout) -> Struct:
    """The `AutoUpdateTable` of auto_updates.h."""
    updates = [
        Struct(
            "AutoUpdate",
            name=f"{system.subsystems[each.variable.subsystem].name}.{each.variable.name}",
            at=each.slot.offset,
            next=each.next.offset,
            n=each.slot.size,
            used=each.used.offset,
            stage=int(each.stage),
            invalidates=int(each.variable.invalidates),
            is_boolean=each.variable.is_boolean,
        )
        for each in layout.auto_updates.in_c
    ]
    return Struct("AutoUpdateTable", n=len(updates), updates=updates)
