"""Derivatives of a motion over time with respect to parameters, inputs and start values."""

from collections.abc import Sequence
from math import isfinite
from typing import final

import numpy as np

from mobod.analysis.difference_run import DifferenceRun
from mobod.analysis.driving_inputs import DrivingInputs
from mobod.analysis.named_numbers import check_parameter, distinct_numbers
from mobod.analysis.tangent_run import NoTangentsError, RunWithDerivatives, TangentRun, why_no_tangents
from mobod.arguments.real_numbers import real_number
from mobod.contact.fixed_steps_only import check_derivatives
from mobod.errors import InputError, MobodWarning, UnknownNameError
from mobod.simulate import Simulation
from mobod.simulate.run_start import begin_from, normalize_state
from mobod.simulate.simulation import check_report_count
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_kind
from mobod.system.named_numbers import NamedNumber, places_by_name
from mobod.system.readable import Readable

TANGENTS = "tangents of the steps"


@final
class Sensitivities(Readable):
    """Derivatives of outputs over time with respect to parameters: made by `mb.sensitivities`.

    `result["lower.q", "gravity.magnitude"]` is (m,) the derivative of one number with respect to another over `time`.

    time         (m,)  s
    outputs      names of the rows of a derivative; units of them
    parameters   names of its columns; units of them
    values       (m, outputs)              the outputs
    derivatives  (m, outputs, parameters)  in units of the output per unit of the parameter
    method       how the derivatives were found, with the reason if it was by differences
    warnings     sentences on derivatives that are doubtful; each was also issued as a MobodWarning
    """

    def __init__(
        self,
        system: System,
        time: np.ndarray,
        outputs: Sequence[NamedNumber],
        parameters: Sequence[NamedNumber],
        run: RunWithDerivatives,
        method: str,
    ):
        self.system, self.time, self.method = system, time, method
        self.outputs, self.output_units = [each.name for each in outputs], [each.unit for each in outputs]
        self.parameters, self.parameter_units = [each.name for each in parameters], [each.unit for each in parameters]
        self.values, self.derivatives, self.warnings = run.values, run.derivatives, tuple(run.doubts)
        self._places = places_by_name(outputs), places_by_name(parameters)

    def __getitem__(self, names: object) -> np.ndarray:
        """(m,) the derivative of an output with respect to a parameter, given by both names."""
        if not (isinstance(names, tuple) and len(names) == 2):
            raise InputError("give the names of an output and of a parameter: result['lower.q', 'gravity.magnitude'].")
        (output, parameter), (outputs, parameters) = names, self._places
        if output not in outputs:
            raise UnknownNameError("output", output, self.outputs)
        if parameter not in parameters:
            raise UnknownNameError("parameter", parameter, self.parameters)
        return self.derivatives[:, outputs[output], parameters[parameter]].copy()

    def _summary(self) -> str:
        return f"of {len(self.outputs)} outputs and {len(self.parameters)} parameters at {len(self.time)} points, by {self.method}"


def sensitivities(
    simulation: Simulation | System,
    state: State,
    parameters: Sequence[str],
    outputs: Sequence[str] | None = None,
    *,
    until: float,
    report_every: float | None = None,
) -> Sensitivities:
    """Derivatives of outputs over time with respect to parameters, inputs that are constant, and start values.

    simulation    or a System, which is then simulated with the default accuracy
    parameters    names: 'gravity.magnitude', 'spring.stiffness'; a state, such as 'upper.q', stands for its value at the start
    outputs       names; default: all states
    until         s
    report_every  s; default: the start and the end alone

    The accepted steps of a run are differentiated by the tangents of the System, with their sizes kept. At events derivatives jump, as the
    time of the event depends on the parameters. Where that is not possible, whole runs are compared: `result.method` says so, and why.

    Raises what `Simulation.run` raises, UnknownNameError, and InputError for a parameter that is computed or not real.
    """
    simulation = checked_simulation(simulation, "sensitivities")
    system = simulation.system
    check_state(state, system)
    check_derivatives(system, "sensitivities")
    chosen = distinct_numbers(system, state, parameters, "parameters")
    for each in chosen:
        check_parameter(each, "parameters")
    if not chosen:
        raise InputError("sensitivities: give the name of one or more parameters.")
    states = [each.name for each in system.variables(state) if each.role == "state"]
    wanted = distinct_numbers(system, state, states if outputs is None else outputs, "outputs")
    times = _report_times(state.time, until, report_every)
    run, method = ParameterRuns(simulation, state, chosen, wanted, times).best_run()
    run.doubts.extend(changes_by_runs(simulation, state))
    for doubt in run.doubts:
        MobodWarning.warn(f"sensitivities: {doubt}")
    return Sensitivities(system, times, wanted, chosen, run, method)


def changes_by_runs(simulation: Simulation, state: State) -> list[str]:
    """Messages on what runs change of their start."""
    state = state.copy()
    normalize_state(state)
    return begin_from(simulation.system, state, simulation.options, simulation.first_backend)


def checked_simulation(simulation: Simulation | System, what: str) -> Simulation:
    """The Simulation, or one of the System."""
    return Simulation(simulation) if isinstance(simulation, System) else checked_kind(simulation, Simulation, what)


def _report_times(start: float, until: float, report_every: float | None) -> np.ndarray:
    until = real_number(until, "sensitivities: until")
    if not (isfinite(until) and until > start):
        raise InputError(f"sensitivities: until must be finite and after the start, {start:g} s, but it is {until!r} s.")
    if report_every is None:
        return np.array([start, until])
    every = real_number(report_every, "sensitivities: report_every")
    if not (isfinite(every) and every > 0):
        raise InputError(f"sensitivities: report_every must be positive, not {every!r} s.")
    check_report_count("sensitivities", start, until, every)
    count = int(np.ceil((until - start) / every - 1e-9))
    return np.array([*(start + every * np.arange(count)), until])


@final
class ParameterRuns:
    """Runs from one State with changed numbers, by tangents if possible, otherwise with differences. A context manager."""

    def __init__(
        self,
        simulation: Simulation,
        state: State,
        parameters: Sequence[NamedNumber],
        outputs: Sequence[NamedNumber],
        times: np.ndarray,
        inputs: DrivingInputs | None = None,
    ):
        self._made = (simulation, state, parameters, outputs, times, inputs)
        self.start = np.array([state.values[each.offset] for each in parameters])
        reason = why_no_tangents(simulation, state)
        self._by_tangents = None if reason else TangentRun(*self._made)
        self._by_differences: DifferenceRun | None = None
        self._method = TANGENTS if reason is None else _by_differences(reason)
        self._n_jumps = 0

    @property
    def method(self) -> str:
        """How derivatives were found, at the most events of a run."""
        if self._by_tangents is None or not self._n_jumps:
            return self._method
        return f"{self._method}; jumps at {self._n_jumps} events by saltation, with differences of each event"

    def best_run(self) -> tuple[RunWithDerivatives, str]:
        """The run from the State's own numbers with derivatives, and the method. Frees the memory in C."""
        with self:
            run = self.run(self.start, with_derivatives=True)
        return run, self.method

    def run(self, values: np.ndarray, *, with_derivatives: bool) -> RunWithDerivatives:
        """Run from these values. Raises the errors of a run."""
        if self._by_tangents is not None:
            try:
                found = self._by_tangents.run(values, with_derivatives=with_derivatives)
                self._n_jumps = max(self._n_jumps, found.n_jumps)
                return found
            except NoTangentsError as reason:
                self._method = _by_differences(str(reason))
                self.close()
                self._by_tangents = None
        if self._by_differences is None:
            self._by_differences = DifferenceRun(*self._made)
        return self._by_differences.run(values, with_derivatives=with_derivatives)

    def close(self) -> None:
        """Free the memory in C."""
        if self._by_tangents is not None:
            self._by_tangents.close()

    def __enter__(self) -> "ParameterRuns":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _by_differences(reason: str) -> str:
    return f"central differences of runs, since {reason}"
