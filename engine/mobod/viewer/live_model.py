"""The data of a page that runs a model itself: its tables for the C runtime as WebAssembly, and a header for the page's script."""

import zlib
from base64 import b64encode
from collections.abc import Iterable
from typing import Any, NotRequired, TypedDict

from mobod.compilation.source.blob import blob
from mobod.compilation.source.model_source import GeneratedModel, generate
from mobod.compilation.source.model_tables import settings_at
from mobod.disk.json_values import JsonObject
from mobod.errors import InputError, MobodWarning, UnsupportedError
from mobod.fmu.deformations import Warnings, warnings_of
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.runtime.numerics import N_SETTINGS
from mobod.runtime.tables import Struct, StructArray
from mobod.runtime.web_library import web_library
from mobod.simulate import Simulation
from mobod.simulate.limits import number_of_impacts
from mobod.simulate.run_start import begin_from, normalize_state
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import State, System, check_state
from mobod.viewer.contact_marks import weight_of
from mobod.viewer.live_contacts import LiveContacts
from mobod.viewer.live_pulls import add_pulls, pulled_masses
from mobod.viewer.live_variables import LiveVariable, described, shown_variables


class LiveBody(TypedDict):
    """A body: the offsets of R_GB, p_GB and of the forces to which a pull adds, and the mass that a pull moves."""

    name: str
    R: int
    p: int
    forces: int
    mass: float | None


class LiveModelData(TypedDict):
    """What a page needs to run a System; docs/concepts/view.md describes the members."""

    format: int
    name: str
    time: float
    size: int
    accuracy: float
    integrator: str
    bodies: list[LiveBody]
    pull: int
    contacts: JsonObject | None
    variables: list[LiveVariable]
    events: list[JsonObject]
    allEvents: list[str]
    wasm: NotRequired[str]
    model: NotRequired[str]


def live_data(
    system: System, state: State | None = None, accuracy: float = DEFAULT_ACCURACY, *, outputs: Iterable[str] = (), **options: Any
) -> LiveModelData:
    """What a page needs to run the System from a State, as JSON; docs/concepts/view.md describes it.

    state     the start; default: the default State
    outputs   names of variables to show besides states, parameters, inputs and the energy: 'lower.p_GB', 'loop.multiplier'
    accuracy, options
              the arguments of Simulation. A run of the page has the bits of `Simulation(system, accuracy, **options).start(state)`, if
              the System has no reporters

    Raises UnsupportedError, which names the element, for plain Python; InputError for bounded=True; the errors of Simulation;
    NoCompilerError if the C runtime as WebAssembly has to be compiled, and cannot.
    """
    simulation = Simulation(system, accuracy, **options)
    state = system.realize_topology() if state is None else state
    check_state(state, system)
    header, model = live_model(system, state, simulation, outputs)
    return {**header, "wasm": _packed(web_library()), "model": _packed(model)}


def _packed(content: bytes) -> str:
    """Deflated (zlib), in base64."""
    return b64encode(zlib.compress(content, 9)).decode()


def live_model(system: System, state: State, simulation: Simulation, outputs: Iterable[str] = ()) -> tuple[LiveModelData, bytes]:
    """The header, and the tables of the model as bytes. The arguments are those of `live_data`."""
    check_recordable(system)
    if simulation.bounded:
        raise InputError("a page that runs the model: bounded=True is for single runs in hard real time. Remove it.")
    start = _prepared(system, state, simulation.options)
    try:
        model = generate(system, start, scales=simulation.options.scales)
        events = model.events(with_reporters=False)
    except UnsupportedError as error:
        raise UnsupportedError(f"a page cannot run System '{system.name}': {error}") from error
    matter = system.matter if isinstance(system, MultibodySystem) and system.has_matter else None
    if matter is not None:
        add_pulls(model, matter)
    marks = None if matter is None else LiveContacts(model, system, matter)
    bodies = [] if matter is None else _bodies(model, matter, start)
    variables = shown_variables(system, start, outputs)
    poses = [offset for body in bodies for offset in (*range(body["R"], body["R"] + 9), *range(body["p"], body["p"] + 3))]
    watched = warnings_of(system, model.layout, model.variables)
    wanted = {
        *poses,
        *watched.offsets,
        *(marks.offsets if marks else ()),
        *(offset for variable in variables for offset in variable.slot.offsets),
    }
    table = model.table(wanted)
    set_by_model = model.set_by_model()
    weight = 0.0 if matter is None else weight_of(matter, start)
    header: LiveModelData = {
        "format": 1,
        "name": system.name,
        "time": start.time,
        "size": table.fields["n_w"],
        "accuracy": simulation.accuracy,
        "integrator": simulation.integrator,
        "bodies": bodies,
        "pull": model.extra.offset if matter is not None else -1,
        "contacts": marks.to_data(weight) if marks else None,
        "variables": [entry for variable in variables for entry in described(variable, model.start, weight, set_by_model)],
        "events": [{"name": row.event.name, "isShown": row.event.is_in_results} for row in (events.rows if events else ())],
        "allEvents": [row.event.name for row in system.events.table(start.layout).rows] if system.has_events else [],
    }
    return header, blob(table, _interface(system, model, simulation, watched))


def check_recordable(system: System) -> None:
    """Raise UnsupportedError, which names the element, if a part of the System runs as Python."""
    for subsystem in system.subsystems:
        if reason := subsystem.why_not_recordable():
            raise UnsupportedError(
                f"{reason}, but a page that runs the model has no Python. Write it so that it can be recorded, or make a page of a run."
            )


def _prepared(system: System, state: State, options: StepOptions) -> State:
    """A copy of the State from which steps begin, as SteppedRun makes it."""
    state = state.copy()
    normalize_state(state)
    for each in begin_from(system, state, options, lambda _: "interpreted"):
        MobodWarning.warn(f"page of System '{system.name}': {each}", stacklevel=4)
    return state


def _bodies(model: GeneratedModel, matter: MatterSubsystem, state: State) -> list[LiveBody]:
    """All bodies, Ground first: the offsets of R_GB, p_GB and the forces to which a pull adds, and the mass that a pull moves."""
    slots = matter.tree(model.layout).slots
    masses = [None, *pulled_masses(matter, state)]
    names = [matter.ground.name, *(body.name for body in matter.bodies)]
    return [
        {"name": name, "R": slots.R_GB[b].offset, "p": slots.p_GB[b].offset, "forces": slots.body_forces[b].offset, "mass": masses[b]}
        for b, name in enumerate(names)
    ]


def _interface(system: System, model: GeneratedModel, simulation: Simulation, watched: Warnings) -> Struct:
    """`Interface` of model.h: the settings of the integration. The header has the variables."""
    options = simulation.options
    numerics_at = settings_at(model.layout)
    return Struct(
        "Interface",
        model_name=system.name,
        token="",
        tolerance=options.accuracy,
        impacts=number_of_impacts(options.impacts),
        is_bounded=0,  # a page has no hard real time
        ambiguous_is_an_error=int(options.ambiguous_is_an_error),
        numerics_at=numerics_at,
        numerics=options.numerics(with_tolerances=True).numbers(),
        inputs=[],
        input_derivatives_at=numerics_at + N_SETTINGS,
        variables=StructArray("Variable", []),
        fixed_steps=_fixed_steps(system, options),
        **watched.fields(),
    )


def _fixed_steps(system: System, options: StepOptions) -> Struct | None:
    """`FixedSteps` of velocity_level_work.h."""
    steps = options.fixed_steps
    if steps is None:
        return None
    return Struct(
        "FixedSteps",
        step=steps.size,
        engagement=steps.rule_number,
        constraints_at=steps.place_number,
        position_iterations=steps.position_iterations,
        tolerances=[*map(float, row_tolerances(system)), 0.0],
    )
