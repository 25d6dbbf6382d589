"""System: subsystems that share States, and the order of their realization."""

# Decision: docs/decisions/023-copies-of-systems.md

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, RecordingError
from mobod.linear.linear_system import LinearSystem
from mobod.linear.modes import Modes
from mobod.pages import ShownInNotebooks
from mobod.runtime.collector import collector_waits
from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.scalar import is_recorded
from mobod.system.auto_update_search import find_auto_updates
from mobod.system.boundary import check_state, checked_kind, checked_stage
from mobod.system.directional import directional_derivative
from mobod.system.events.handlers import EventOwner
from mobod.system.events.recording import RecordedActions
from mobod.system.events.subsystem import EventSubsystem
from mobod.system.named_numbers import found_variable
from mobod.system.realization import pieces
from mobod.system.stage import Stage
from mobod.system.state.equality import same_value
from mobod.system.state.layout import Layout
from mobod.system.state.snapshot import Snapshot
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.subsystem_turn import SubsystemTurn
from mobod.system.variable import CatalogueVariable

_MODEL = Stage.MODEL


class System(ShownInNotebooks, EventOwner):
    """A model made of subsystems. It does not change during a simulation; everything that changes is in the State.

    as_text     evaluate by calling the elements' NumPy code instead of its recordings: slow, for debugging; default False
    uses_cache  keep computed values until something that they depend on changes; default True. If False, each realization starts at
                INSTANCE and each lazy value is computed at each read. The numbers must be the same; if not, a prerequisite is missing

    Each stage is realized for all subsystems, in `realization_order`, before the next stage. Within a subsystem its sweep runs before its
    hook.

    copy.deepcopy makes an independent System with its own subsystems and elements. To copy States along with it, copy them in the same
    call, for example as a tuple. Recordings are shared.
    """

    _recorded_actions: type[RecordedActions] = RecordedActions  # what recorded event handlers may ask of the runtime

    def __init__(self, name: str = "system"):
        super().__init__(name)
        self._layouts: dict[tuple[object, ...], Layout] = {}
        self._events: EventSubsystem | None = None

    def __getstate__(self) -> dict[str, object]:
        """The attributes for a copy, without the layouts and pieces, which refer to elements of this System."""
        return {**self.__dict__, "_layouts": {}}

    def _summary(self) -> str:
        return f"with subsystems: {', '.join(each.name for each in self.subsystems)}" if self.subsystems else "without subsystems"

    def to_html(
        self,
        path: str | PathLike[str],
        *names: str,
        state: State | None = None,
        title: str | None = None,
        accuracy: float = DEFAULT_ACCURACY,
        **options: object,
    ) -> None:
        """Write a page that runs the System itself, in one HTML file that works offline. docs/concepts/view.md describes it.

        path      ends with .html
        names     of the variables that are plotted at first; default: the coordinates
        state     the start; default: the default State
        title     default: the name of the System
        accuracy, options  the arguments of Simulation: the page has its runtime, and the same bits

        Raises InputError for a System without bodies; UnsupportedError for elements in plain Python; UnknownNameError; NoCompilerError
        where the runtime for pages must be compiled and cannot; the errors of Simulation; WriteError.
        """
        from mobod.viewer.live_page import write_live_page  # late: see pyproject.toml

        write_live_page(self, path, names, state, title, accuracy, options)

    def invalidate_topology(self) -> None:
        """Make all existing States unusable, because a topological property changed."""
        self.topology_version += 1
        self._layouts.clear()

    @property
    def events(self) -> EventSubsystem:
        """The subsystem of event handlers and reporters. It is made on first use."""
        if self._events is None:
            self._events = EventSubsystem(self, self._recorded_actions)
        return self._events

    @property
    def has_events(self) -> bool:
        """Whether the System has an event handler or reporter."""
        return self._events is not None

    @collector_waits()
    def realize_topology(self) -> State:
        """Make the default State, realized to MODEL."""
        state = State(self)
        self._allocate(state, Stage.TOPOLOGY, self.allocation_order)
        self.realize_model(state)
        return state

    def realize_model(self, state: State) -> None:
        """Complete the set of variables. Needed again after a MODEL-stage variable was changed; q, u and z are then at their defaults."""
        check_state(state, self)
        if state.stage < Stage.MODEL:
            self._make_layout(state)

    @collector_waits()
    def _make_layout(self, state: State) -> None:
        state.begin_model()
        self._allocate(state, Stage.MODEL, self.realization_order)
        structure = state.structure()
        layout = self._layouts.get(structure)
        if layout is None:
            layout = state.new_layout()
            for subsystem in self.realization_order:
                layout.tabulating = subsystem.index
                subsystem.tabulate(layout)
            layout.tabulating = None
            layout.auto_updates = find_auto_updates(layout)
            self._layouts[structure] = layout  # stored when complete, since tabulating raises if users' code cannot be recorded
        state.lay_out(layout)

    def realize(self, state: State, stage: Stage | str = Stage.REPORT) -> None:
        """Compute the State up to a stage. Values that are up to date are not computed again.

        stage  a Stage, or its name in any case: Stage.POSITION, 'position'
        """
        is_state = type(state) is State  # users give other things too
        if not is_state or state.system is not self or state.topology_version != self.topology_version:
            check_state(state, self)  # left out where it would find nothing, because this is called in inner loops
        if type(stage) is not Stage:
            stage = checked_stage(stage, "realize")
        reached = state.reached
        if reached < _MODEL:
            self.realize_model(state)
            reached = state.reached
        if not self.uses_cache:
            stage, reached = max(stage, state.stage), _MODEL
            state.invalidate(Stage.INSTANCE)
        if reached < stage:
            layout = state.layout
            ways = layout.ways_as_text if self.as_text else layout.ways
            way = ways.get((reached, stage))
            if way is None:
                way = ways[reached, stage] = pieces(self.realization_order, state, reached, stage)
            for piece in way:
                piece(state)
            state.arrive(stage)

    def new_state(self, snapshot: Snapshot) -> State:
        """A new State with the MODEL-stage variables of a snapshot. All other variables have their defaults."""
        state = self.realize_topology()
        for variable, value in zip(snapshot.variables, snapshot.values, strict=True):
            if variable.invalidates == Stage.MODEL and variable in state.discrete_variables and not same_value(state.get(variable), value):
                state.set(variable, value)
        self.realize_model(state)
        return state

    def auto_update_discrete_variables(self, state: State) -> None:
        """Give each auto-update variable its next value, if that is valid, as runs do at the start of each step.

        A variable whose value changes invalidates its stage. A variable whose value stays the same invalidates nothing.
        """
        check_state(state, self)
        valid = [
            (variable, update, state.next_value(variable))
            for variable in state.auto_update_variables
            if (update := variable.update) is not None and state.is_valid(update)
        ]
        for variable, update, value in valid:  # all were read before the first change invalidates others
            if not same_value(state.get(variable), value):
                state.set(variable, value)
            state.mark_invalid(update)

    def variables(self, state: State) -> list[CatalogueVariable]:
        """The catalogue: all variables that can be named in results, in an FMU and on the command line."""
        return list(self._catalogue(state).values())

    def _catalogue(self, state: State) -> dict[str, CatalogueVariable]:
        check_state(state, self)
        layout = state.layout
        if layout.tabulating not in (None, None if self._events is None else self._events.index):
            raise RecordingError(
                "variables can be found by name only in event handlers and outside of recorded code. Ask the element here: body.q(state), "
                "force.strength(state)."
            )
        if not layout.catalogue:
            layout.catalogue = {each.name: each for subsystem in self.realization_order for each in subsystem.variables(layout)}
        return layout.catalogue

    def variable(self, state: State, name: str) -> CatalogueVariable:
        """The catalogued variable with this name; for 'free.q[2]' or 'der(free.q[2])' a variable of this one number.

        Raises UnknownNameError with the nearest name.
        """
        return found_variable(self._catalogue(state), name, f"variable of System '{self.name}'")

    def value(self, state: State, variable: CatalogueVariable | str) -> np.ndarray:
        """The value of a variable, given by its name or as a Variable, in its shape. Realizes the State as far as needed.

        In a recorded event handler the result is a recorded array. There it raises StageError for a value computed after the handler's
        stage.
        """
        if isinstance(variable, str):
            variable = self.variable(state, variable)
        check_state(state, self)
        checked_kind(variable, CatalogueVariable, "System.value", "System.variable finds one by its name.")
        if not state.can_be_realized:
            return _value_in_function(state, variable)
        if variable.entry is not None:
            self.realize(state, variable.entry.earliest)
            state.cached(variable.entry)
        else:
            self.realize(state, variable.stage)
        return state.values[variable.slot.slice].reshape(variable.slot.shape).copy()

    def set_value(self, state: State, name: str, value: ArrayLike) -> None:
        """Set a state, a parameter or an input by its catalogue name: 'lower.q', 'gravity.magnitude', 'motor.force', 'motor.enabled'.

        value  in the variable's shape; a number for a single entry, also for one entry of an array, 'wind.force[2]'

        Event handlers may use it. Values that a recorded handler computes are checked when the event occurs.

        Raises UnknownNameError, and InputError for a result, a wrong shape, or a value that is not finite or out of its bounds.
        """
        check_state(state, self)
        if not state.can_be_set:
            raise InputError(f"'{name}' cannot be set here: this function may only read its State. An event handler may set it.")
        variable = self.variable(state, name)
        if variable.role not in ("state", "parameter", "input"):
            raise InputError(f"'{name}' cannot be set: it is computed. States, parameters and inputs can be set.")
        array = checked_value(variable, value)
        if variable.array is not None:  # the numbers of a quaternion, or of a discrete variable, are set together
            whole, entry = variable.array, variable.slot.offset - variable.array.slot.offset
            values = np.array(state.view(whole.slot), dtype=array.dtype).reshape(-1)
            values[entry] = array.item()
            variable, array = whole, values.reshape(whole.slot.shape)
        if variable.discrete is not None:
            state.set(variable.discrete, array)
        else:
            assert variable.invalidates is not None
            state.write(variable.slot, array, name, variable.invalidates)

    def directional_derivative(self, state: State, of: Sequence[str], along: Mapping[str, ArrayLike]) -> dict[str, np.ndarray]:
        """Exact first-order change of variables for a given change of states, parameters, inputs or 'time'.

        of       names of variables: 'der(lower.u)', 'lower.p_GB', 'energy'
        along    name -> change, in the variable's shape
        returns  name -> change, in the variable's shape

        Realizes the State as far as needed. Raises UnknownNameError; InputError for a change of a result or of the wrong shape;
        UnsupportedError for a System that computes by Python hooks.
        """
        check_state(state, self)
        return directional_derivative(self, state, of, along)

    def linearize(
        self,
        state: State,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        *,
        coordinates: Sequence[str] = (),
        frame: Literal["parent", "body", "steady"] | None = None,
    ) -> LinearSystem:
        """The matrices of dx/dt = A x + B u + rates, y = C x + D u near a State: `A, B, C, D = system.linearize(state)`.

        inputs       names of inputs and real parameters, 'motor.force' or 'cart.damping', or 'time'; default: all inputs
        outputs      names of variables; default: all coordinates
        coordinates  coordinates and speeds that shall be states where constraints make others dependent; default: chosen by pivoting
        frame        None: deviations from the State, whose quaternions, if they turn, make A change along the motion. Otherwise deviations
                     from the motion through the State, with rotations as vectors in rad, such as 'top.theta_F[1]':
                     'parent': in the frame F of each mobilizer on its parent; 'body': in M, on its body;
                     'steady': in the frames in which A stays constant along the motion, which is integrated to find them; as in `modes`

        'free.q[2]' is the second entry of a variable. The states are independent entries of q, u and z, in this order: the constraints,
        active limits, motions and lengths of quaternions that hold at the State determine the other entries, which move accordingly.

        Exact to round-off, at an equilibrium or along a motion: then `rates` are the rates of the states at the State; 0 with a frame.
        Works on a copy, which is projected to round-off of its constraints. Warns (MobodWarning) with 'steady' if A changes in each frame.
        Raises InputError if the State does not satisfy them, or if they determine one of `coordinates` from the others; UnsupportedError
        for a System that computes by Python hooks.
        """
        from mobod.analysis.linearize import linearize  # late: see pyproject.toml

        return linearize(self, state, inputs, outputs, coordinates, frame)

    def modes(
        self,
        state: State,
        *,
        damped: bool = True,
        coordinates: Sequence[str] = (),
        frame: Literal["parent", "body", "steady"] | None = None,
    ) -> Modes:
        """Natural frequencies, damping ratios and shapes of small vibrations about an equilibrium or a steady motion.

        damped       False: without forces that depend on speeds, and without auxiliary variables
        coordinates  as in `linearize`
        frame        in which a motion is seen whose orientations turn, 'parent', 'body' or 'steady' (see `linearize`). Default: 'steady' if
                     some quaternion turns; frequencies are those seen there, and `frame` of the result is its name

        Warns (MobodWarning) if the State is no equilibrium: speeds or auxiliary variables have rates. `find_equilibrium` finds one. Where
        orientations turn, warns if A changes along the motion instead, and says by how much.
        """
        from mobod.analysis.modes import modes  # late: see pyproject.toml

        return modes(self, state, damped=damped, coordinates=coordinates, frame=frame)

    def potential_energy(self, state: State) -> float:
        """Potential energy of all subsystems, J. Needs stage POSITION."""
        return sum(subsystem.potential_energy(state) for subsystem in self.subsystems)

    def kinetic_energy(self, state: State) -> float:
        """Kinetic energy of all subsystems, J. Needs stage VELOCITY."""
        return sum(subsystem.kinetic_energy(state) for subsystem in self.subsystems)

    def energy(self, state: State) -> float:
        """Kinetic and potential energy of all subsystems, J. Needs stage VELOCITY."""
        return self.kinetic_energy(state) + self.potential_energy(state)

    def _allocate(self, state: State, stage: Stage, order: list[Subsystem]) -> None:
        """Call the hooks of TOPOLOGY or MODEL."""
        done: frozenset[int] = frozenset()
        for subsystem in order:
            if subsystem.calls_hook(stage):
                state.run_at(SubsystemTurn(subsystem.index, stage, done), partial(subsystem.run_hook, stage=stage))
            done |= {subsystem.index}
        state.arrive(stage)


def _value_in_function(state: Any, variable: CatalogueVariable) -> Any:
    """What users' functions may read: nothing is realized for them."""
    if variable.entry is not None:
        state.cached(variable.entry)
    else:
        state.require(variable.stage, f"'{variable.name}'")
    return np.asarray(state.view(variable.slot)).reshape(variable.slot.shape)


def checked_value(variable: CatalogueVariable, value: object) -> np.ndarray:
    """The value in the variable's shape. Numbers and bounds of a recorded value are checked when the recorded code runs."""
    if is_recorded(value):
        if variable.type == "integer":
            raise RecordingError(f"'{variable.name}' takes whole numbers, which recorded code cannot compute. Set a constant number.")
        array = np.asarray(value, dtype=object)
        if array.shape != variable.slot.shape and not (array.size == 1 and variable.slot.size == 1):
            raise _wrong_shape(variable, array.shape)
        return array.reshape(variable.slot.shape)
    unit = f" {variable.units[0]}" if len(set(variable.units)) == 1 and variable.units[0] != "1" else ""
    array = real_numbers(value, f"'{variable.name}'")
    if array.shape != variable.slot.shape and not (array.size == 1 and variable.slot.size == 1):
        raise _wrong_shape(variable, array.shape)
    if not np.isfinite(array).all():
        raise InputError(f"'{variable.name}' cannot be {value}{unit}: not a finite number.")
    if variable.type == "boolean" and array.item() not in (0, 1):
        raise InputError(f"'{variable.name}' cannot be {value}: it is True (1) or False (0).")
    if variable.type == "integer" and (array != np.round(array)).any():
        raise InputError(f"'{variable.name}' cannot be {value}: it takes whole numbers.")
    if variable.minimum is not None and (array < variable.minimum).any():
        raise InputError(f"'{variable.name}' cannot be {value}{unit}: the least value is {variable.minimum:g}.")
    if variable.maximum is not None and (array > variable.maximum).any():
        raise InputError(f"'{variable.name}' cannot be {value}{unit}: the greatest value is {variable.maximum:g}.")
    return array.reshape(variable.slot.shape)


def _wrong_shape(variable: CatalogueVariable, given: tuple[int, ...]) -> InputError:
    single = "" if variable.slot.shape else " It is a single number."
    return InputError(f"'{variable.name}' has shape {variable.slot.shape}, but a value of shape {given} was given.{single}")
