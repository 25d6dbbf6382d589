"""SystemInstance: a System that runs as a component, by a run in steps of the C runtime."""

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from types import TracebackType
from typing import Protocol, Self, final

import numpy as np

from mobod.compilation.native.native_changes import set_ramps
from mobod.cosim.component_model import SavedComponent
from mobod.cosim.simple_batch import not_finite
from mobod.cosim.step_errors import SimulationEndedError, StepDiscardedError
from mobod.cosim.variable import Value
from mobod.errors import InputError, IntegrationError, MobodError, UnknownNameError, UnsupportedError
from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.simulate.projection import has_constraints
from mobod.simulate.run_variables import RunVariables
from mobod.simulate.saved_run import SavedRun
from mobod.simulate.simulation import Simulation
from mobod.simulate.stepped_run import SteppedRun
from mobod.system import CatalogueVariable, State, System

_log = logging.getLogger("mobod")
_CONVERT: dict[str, Callable[[float], Value]] = {"real": float, "boolean": bool, "integer": int}
Places = Mapping[str, tuple[CatalogueVariable, int]]


class SystemWithPlaces(Protocol):
    """The component of a System."""

    @property
    def system(self) -> System: ...

    @property
    def state(self) -> State: ...

    @property
    def simulation(self) -> Simulation | None: ...

    @property
    def places(self) -> Places: ...


@final
class SystemInstance:
    """A `ComponentInstance`.

    Before the initialization values are those of a State. During it, computed values are those at the start of a run from the State, which
    starts when the initialization ends.
    """

    def __init__(self, model: SystemWithPlaces, name: str) -> None:
        self.name = name
        self._model = model
        self.places = model.places
        self.system = model.system
        self.state = model.state.copy()
        self.run: SteppedRun | None = None
        self._simulation = model.simulation
        self._time: float | None = None
        self._is_initializing = False
        self._derivatives: dict[str, np.ndarray] = {}  # (2,) of inputs, for the next step
        self._shown: State | None = None  # during the initialization, until a value is set
        self._preview: SteppedRun | None = None

    @property
    def time(self) -> float | None:
        """s"""
        return self._time if self.run is None else self.run.time

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self._time = start
        self.state.time = start
        if self._simulation is None:
            self._simulation = Simulation(self.system, DEFAULT_ACCURACY if tolerance is None else tolerance)

    def enter_initialization(self) -> None:
        self._is_initializing = True

    def exit_initialization(self) -> None:
        assert self._simulation is not None  # made by set_up
        self._close_preview()
        self._is_initializing = False
        self.run = self._simulation.start(self.state, report_every=inf)
        self._check_not_ended()

    def value(self, variable: CatalogueVariable) -> np.ndarray:
        """The numbers of a variable before the run. Parameters and inputs are as they were set."""
        is_computed = self._is_initializing and variable.role not in ("parameter", "input")
        return np.ravel(self.system.value(self.start if is_computed else self.state, variable.name))

    def set_value(self, variable: CatalogueVariable, values: np.ndarray) -> None:
        """Set the numbers of a variable before the run."""
        if not np.array_equal(values, self.system.value(self.state, variable.name)):
            self._shown = None
            self.system.set_value(self.state, variable.name, values)

    @property
    def start(self) -> State:
        """The State with which a run from the present values begins. If there is none, the State that was set, and a message in the log:
        the error is that of `exit_initialization`.
        """
        if self._shown is None:
            self._shown = self.state
            if self.system.has_events or has_constraints(self.system, self.state):
                try:
                    self._shown = self._start_of_run()
                except MobodError as error:
                    _log.warning("component '%s': its values do not make a start yet: %s", self.name, error)
        return self._shown

    def _start_of_run(self) -> State:
        assert self._simulation is not None  # made by set_up
        if self._preview is None:
            simulation = self._simulation
            self._preview = SteppedRun(self.system, self.state, simulation.options, simulation.first_backend, is_preview=True)
        else:
            self._preview.reset(self.state)
        return self._preview.state

    def _close_preview(self) -> None:
        if self._preview is not None:
            self._preview.close()
        self._preview = self._shown = None

    def step(self, time: float, step: float) -> None:
        run = self.started()
        derivatives, self._derivatives = self._derivatives, {}
        try:
            with self._inputs_vary(run, derivatives):
                run.step_to(time + step)
        except IntegrationError as error:
            raise StepDiscardedError(f"component '{self.name}': {error}", None) from error
        self._check_not_ended()

    @property
    def direct_run(self) -> SteppedRun | None:
        """The run if C may advance it by itself; its inputs are then held in a step."""
        return self.run if self.run is not None and self.run.needs_no_python else None

    def finish_step(self, time: float, step: float) -> None:
        """Go on with a step of `direct_run` that C could not complete."""
        try:
            self.started().finish_step(time + step)
        except IntegrationError as error:
            raise StepDiscardedError(f"component '{self.name}': {error}", None) from error

    @contextmanager
    def _inputs_vary(self, run: SteppedRun, derivatives: Mapping[str, np.ndarray]) -> Iterator[None]:
        """A step in which inputs have derivatives."""
        if not derivatives:
            yield
            return
        places = [self.places[name] for name in derivatives]
        at = np.array([list(variable.slot.offsets)[entry] for variable, entry in places], dtype=np.intc)
        stages = np.array([int(variable.invalidates or 0) for variable, _ in places], dtype=np.intc)
        set_ramps(run.native, at, stages, run.native.values()[at], *np.array(list(derivatives.values())).T)
        try:
            yield
        finally:
            # none from now on; the inputs keep their values
            set_ramps(run.native, at[:0], stages[:0], np.empty(0), np.empty(0))

    def input_derivatives(self, names: Sequence[str]) -> "SystemInputDerivatives":
        return SystemInputDerivatives(names, self._derivatives_for_step)

    def _derivatives_for_step(self, names: Sequence[str], derivatives: np.ndarray) -> None:
        self._derivatives.update(zip(names, derivatives.T, strict=True))

    def batch(self, names: Iterable[str]) -> "SystemBatch":
        names = list(names)
        for name in names:
            UnknownNameError.check(f"variable of System '{self.system.name}'", name, self.places)
        return SystemBatch(self, names)

    def set(self, values: Mapping[str, Value]) -> None:
        self.batch(values).set(list(values.values()))

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        run = self.started()
        if as_bytes and run.save().objects:
            names = ", ".join(f"'{each.name}'" for each in run.save().objects)
            raise UnsupportedError(
                f"component '{self.name}': System '{self.system.name}' cannot save its state as bytes, since these variables are no "
                f"numbers: {names}."
            )

    def save(self) -> "SavedSystem":
        return SavedSystem(self.started(), self.started().save())

    def saved(self, data: bytes, time: float) -> "SavedSystem":
        run = self.started()
        head, _, state = data.partition(b"\n")
        known = json.loads(head)
        if len(state) != len(run.save().data):
            raise InputError(f"component '{self.name}': these are no bytes of a saved state of System '{self.system.name}'.")
        start, size, count = known["grid"]
        return SavedSystem(run, SavedRun(time, run, state, {}, known["events"], (start, size, count)))

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        along: dict[str, np.ndarray] = {}
        for name, amount in zip(knowns, change, strict=True):
            variable, entry = self.places[name]
            along.setdefault(variable.name, np.zeros(variable.slot.shape)).reshape(-1)[entry] = amount
        of = [self.places[name] for name in unknowns]
        state = self.run.state if self.run is not None else self.start if self._is_initializing else self.state
        found = self.system.directional_derivative(state, list(dict.fromkeys(variable.name for variable, _ in of)), along)
        return [float(found[variable.name].reshape(-1)[entry]) for variable, entry in of]

    def started(self) -> SteppedRun:
        if self.run is None:
            raise MobodError(f"component '{self.name}' was not initialized.")
        return self.run

    def close(self) -> None:
        self._close_preview()
        if self.run is not None:
            self.run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def _check_not_ended(self) -> None:
        run = self.started()
        if run.terminated_by is not None:
            raise SimulationEndedError(self.name, run.time, f"Event '{run.terminated_by}' did.", noun="component")


@final
class SystemBatch:
    """Variables of a SystemInstance, read or written together."""

    def __init__(self, instance: SystemInstance, names: Sequence[str]) -> None:
        self._instance = instance
        self._names = list(names)
        self._converts = [_CONVERT[instance.places[name][0].type] for name in names]
        self._handle: RunVariables | None = None

    def get(self) -> list[Value]:
        return [convert(number) for convert, number in zip(self._converts, self._numbers(), strict=True)]

    def get_finite(self, time: float | None = None) -> list[Value]:
        """Like `get`, but raises MobodError for a value that is not finite."""
        values = self.get()
        for name, value in zip(self._names, values, strict=True):
            if isinstance(value, float) and not isfinite(value):
                raise not_finite(self._instance.name, name, value, self._instance.time if time is None else time)
        return values

    def set(self, values: Sequence[Value]) -> None:
        if self._names and self._instance.run is not None:
            self._of_run(self._instance.run).set(np.array(values, dtype=float))
            return
        instance = self._instance
        changed: dict[str, tuple[CatalogueVariable, np.ndarray]] = {}
        for name, value in zip(self._names, values, strict=True):
            variable, entry = instance.places[name]
            if variable.name not in changed:
                changed[variable.name] = variable, np.array(instance.system.value(instance.state, variable.name), dtype=float)
            changed[variable.name][1].reshape(-1)[entry] = value
        for variable, array in changed.values():
            instance.set_value(variable, array)

    def _numbers(self) -> list[float]:
        instance = self._instance
        if not self._names:
            return []
        if instance.run is not None:
            return self._of_run(instance.run).get().tolist()
        variables = {variable.name: variable for variable, _ in (instance.places[name] for name in self._names)}
        known = {name: instance.value(variable) for name, variable in variables.items()}
        return [float(known[variable.name][entry]) for variable, entry in (instance.places[name] for name in self._names)]

    def _of_run(self, run: SteppedRun) -> RunVariables:
        if self._handle is None:
            self._handle = run.variables(*self._names)
        return self._handle


@final
class SystemInputDerivatives:
    """Derivatives of inputs of a SystemInstance. write: sets those of the first and second order (2, n)"""

    def __init__(self, names: Sequence[str], write: Callable[[Sequence[str], np.ndarray], None]) -> None:
        self._names, self._write = names, write

    def set(self, derivatives: np.ndarray) -> None:
        both = np.zeros((2, len(self._names)))
        both[: len(derivatives)] = derivatives
        self._write(self._names, both)


@final
class SavedSystem(SavedComponent):
    """A state of a SystemInstance."""

    def __init__(self, run: SteppedRun, saved: SavedRun) -> None:
        self._run = run
        self._saved = saved

    def restore(self) -> None:
        self._run.restore(self._saved)

    def to_bytes(self) -> bytes:
        return json.dumps({"events": self._saved.n_events, "grid": self._saved.grid}).encode() + b"\n" + self._saved.data
