"""Simulation: integrates a System in time from a State."""

import logging
import os
import warnings
from collections.abc import Callable
from math import ceil, inf, isfinite
from typing import Any

from mobod.arguments.held_counts import check_held_count
from mobod.arguments.real_numbers import real_number
from mobod.compilation.source.model_source import Code
from mobod.compilation.source.scales import checked_scales, scales_with
from mobod.contact.fixed_steps_only import check_error_control
from mobod.errors import InputError, MobodWarning, NoCompilerError
from mobod.progress import Progress, shown_progress
from mobod.runtime.integrators import (
    AUTO,
    DEFAULT_ACCURACY,
    FIXED_STEP_METHODS,
    IMPLICIT,
    INTEGRATORS,
    LARGEST_MAX_STEPS,
    Integrator,
    checked_max_steps,
    checked_step,
)
from mobod.simulate.bounded_steps import checked_bounded
from mobod.simulate.deformation_checks import warn_of_deformations
from mobod.simulate.depth_checks import largest_depths, messages_of_depths
from mobod.simulate.integrated_run import run_integrated
from mobod.simulate.limits import AmbiguousImpacts, Impacts, checked_ambiguous_impacts, checked_impacts
from mobod.simulate.native_model import native_model
from mobod.simulate.results import Results
from mobod.simulate.run_driver import OF_DIVERGENCE, RunDriver, divergence
from mobod.simulate.run_record import RunRecord
from mobod.simulate.run_start import begin_from, normalize_state
from mobod.simulate.step_options import StepOptions
from mobod.simulate.stepped_run import SteppedRun
from mobod.simulate.velocity_level.fixed_steps import INTEGRATOR as VELOCITY_LEVEL
from mobod.simulate.velocity_level.fixed_steps import ConstraintsAt, EngagementRule, checked_fixed_steps
from mobod.simulate.velocity_level.run import run_at_velocity_level, steps_in
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system
from mobod.system.named_arguments import NamedArguments
from mobod.system.scales import Scales

BACKENDS = ("auto", "compiled", "interpreted")
FORMER_BACKENDS = {"native": "compiled", "vm": "interpreted"}

COMPILE_VARIABLE = "MOBOD_COMPILE"

FORMER_IMPLICIT = "Radau"
_log = logging.getLogger("mobod")


class Simulation(NamedArguments):
    """Integrates a System in time.

        results = mb.Simulation(system, accuracy=1e-8).run(state, until=1.0, report_every=0.01)
        run = mb.Simulation(system).start(state)
        run.step(1e-3)

    accuracy    error bound of each step, relative to the scale of a state and |y|; default: 1e-7. The errors of steps add up: for a
                pendulum of 1 m the error after 10 s is about 100 times the accuracy (docs/numerics/integrators.md)
    integrator  'auto' (default): 'RK45', or 'DOP853' for an accuracy of 1e-8 or below; it switches to 'Rodas5P' where the
                system is stiff, and back where it is not. `results.integrator` lists the methods that were used.
                Other names fix the method: docs/numerics/integrators.md has a table of them, with their orders and uses. 'Rodas5P' is
                implicit, with exact derivatives. Methods with fixed steps, such as 'RK4', take steps of the size `step` without error
                control, for real time. 'velocity_level': fixed steps of second order, of first order at impacts, for real time and for many
                simultaneous limits
    backend     how the C runtime, which FMUs use too, evaluates the System's equations. 'compiled': as C code; 'interpreted': as bytecode,
                which needs no compiler, gives the same bits and takes about 4 times as long; 'auto': interpreted at first, and compiled
                from some step on if there is a compiler and the work so far says that this pays. The C code is compiled in another
                process while the run goes on, and the bits are the same. `results.backend` says what ran; the environment variable
                MOBOD_COMPILE=never switches this off. All call elements in plain Python (recordable = False) back
    max_step    s, upper bound of the step size
    max_steps   the largest number of steps that may be tried from one report to the next, or in the whole run if report_every is not given.
                Rejected steps count too. A run that needs more raises IntegrationError with the time reached. Default: a million. Not used
                with fixed steps, whose number follows from the duration
    constraint_tolerance
                bound of position and velocity errors of constraints after each step, relative to their scales; default: accuracy / 10. It
                decides which errors are accepted, not how small they get: projections continue to round-off, about 1e-16 for lengths of
                1 m. Increase it if round-off is larger, as for coordinates of 1e6 m. A smaller value has no advantage
    length_scale, time_scale, mass_scale
                m, s, kg: the sizes of lengths, times and masses in the System, to which errors and tolerances are relative, so that steps
                are the same in all units. Default: estimates, which `mobod info` shows (docs/numerics/integrators.md)
    step        s, step size of 'velocity_level' and of methods with fixed steps, which require it. Steps are counted from the start of
                the run. 'velocity_level' uses accuracy and constraint_tolerance only for the projection at the start of a run and for
                position_iterations; the others use them as the bound of constraint errors, and accuracy to localize events
    engagement  of 'velocity_level': which limits and contacts take part in a step. 'artisynth': those reached when the step begins, so a
                limit can be passed by up to one step before it is corrected; 'predictive': those that the step would pass, so no limit is
                passed; 'automatic' (default): 'predictive' if the System has rigid contacts with friction, else 'artisynth'
    constraints_at
                of 'velocity_level': where in a step accelerations, constraints, contacts and slips are evaluated. 'middle' (default): the
                error of the energy is of second order in the step; 'begin': of first order, as ArtiSynth's. Default with an explicit
                engagement='artisynth': 'begin'
    position_iterations
                of 'velocity_level': the largest number of position corrections in a step, which end when errors are below the constraint
                tolerance; default: 1, which leaves errors of second order in a closed loop
    bounded     whether steps have bounded work, for hard real time: events, impacts, projections and iterations of friction have fixed
                largest counts in a step of 'RK4', 'SemiImplicitEuler' or 'velocity_level'. What is left goes on in the next step, and
                `run.leftovers` of a stepped run counts it. The start has no such bounds (docs/concepts/real_time.md)
    impacts     how impacts of several limits and contacts at one time are resolved. 'simultaneous' (default): Newton's law for all of them
                in one problem; what is at rest transmits the impact at once. 'sequential': in rounds; in each all that approach bounce
                together, and what is at rest takes no part, unless its restitution is 0. So in a row of equal balls as many leave as arrive
                (docs/concepts/friction_and_contact.md)
    ambiguous_impacts
                what happens if impacts of several limits follow each other so fast that their order is not known but affects the motion.
                'warn' (default): a MobodWarning, also in `results.warnings`; 'error': an EventError. Only for steps under error control
    """

    def __init__(
        self,
        system: System,
        accuracy: float = DEFAULT_ACCURACY,
        *,
        integrator: Integrator | None = AUTO,
        backend: str = "auto",
        max_step: float = inf,
        max_steps: int | None = None,
        constraint_tolerance: float | None = None,
        step: float | None = None,
        engagement: EngagementRule | None = None,
        position_iterations: int | None = None,
        constraints_at: ConstraintsAt | None = None,
        bounded: bool = False,
        impacts: Impacts = "simultaneous",
        ambiguous_impacts: AmbiguousImpacts = "warn",
        length_scale: float | None = None,
        time_scale: float | None = None,
        mass_scale: float | None = None,
    ):
        checked_system(system, "Simulation", System)
        accuracy, max_step = real_number(accuracy, "Simulation: the accuracy"), real_number(max_step, "Simulation: max_step")
        if constraint_tolerance is not None:
            constraint_tolerance = real_number(constraint_tolerance, "Simulation: the constraint tolerance")
        if not 1e-14 <= accuracy <= 0.1:
            raise InputError(f"Simulation: the accuracy must be between 1e-14 and 0.1, not {accuracy!r}.")
        chosen: str = AUTO if integrator is None else integrator
        if chosen == FORMER_IMPLICIT:
            message = f"Simulation: integrator='{FORMER_IMPLICIT}' is now '{IMPLICIT}'. The old name will be removed in mobod 0.3."
            warnings.warn(message, MobodWarning, stacklevel=2)
            chosen = IMPLICIT
        if chosen not in (*INTEGRATORS, VELOCITY_LEVEL):
            known = ", ".join((*INTEGRATORS, VELOCITY_LEVEL))
            raise InputError(f"Simulation: unknown integrator '{chosen}'. Valid names: {known}.")
        self.backend = checked_backend(backend)
        if not max_step > 0:
            raise InputError(f"Simulation: max_step must be positive, not {max_step!r} s.")
        if constraint_tolerance is not None and not constraint_tolerance > 0:
            raise InputError(f"Simulation: the constraint tolerance must be positive, not {constraint_tolerance!r}.")
        self._fixed_steps = checked_fixed_steps("Simulation", chosen, step, engagement, position_iterations, constraints_at)
        self.bounded = checked_bounded("Simulation", bounded, chosen)
        if self._fixed_steps is None:
            check_error_control(system, "Simulation")
        has_fixed_steps = chosen in (*FIXED_STEP_METHODS, VELOCITY_LEVEL)
        self._step = checked_step(step, chosen, "Simulation") if has_fixed_steps else 0.0
        if has_fixed_steps and max_step != inf:
            raise InputError(f"Simulation: integrator='{chosen}' has fixed steps, so max_step has no effect. Use step instead.")
        self.impacts = checked_impacts("Simulation", impacts)
        self.ambiguous_impacts = checked_ambiguous_impacts("Simulation", ambiguous_impacts)
        if has_fixed_steps and max_steps is not None:
            raise InputError(f"Simulation: integrator='{chosen}' takes a number of steps that follows from the duration. Remove max_steps.")
        self.system = system
        self.accuracy = accuracy
        self.constraint_tolerance = accuracy / 10 if constraint_tolerance is None else constraint_tolerance
        self.integrator = chosen
        self._scales = checked_scales("Simulation", length_scale=length_scale, time_scale=time_scale, mass_scale=mass_scale)
        self._made_options: tuple[object, StepOptions] | None = None  # with that from which they were made
        self.max_step = max_step
        self.max_steps = LARGEST_MAX_STEPS if has_fixed_steps else checked_max_steps(max_steps, "Simulation")

    def export_options(self) -> dict[str, Any]:
        """The arguments of `export_fmu` for an FMU that integrates in the same way."""
        options: dict[str, Any] = {"integrator": self.integrator, "impacts": self.impacts, "ambiguous_impacts": self.ambiguous_impacts}
        options |= {name: value for name, value in self._scales.items() if value is not None} | ({"bounded": True} if self.bounded else {})
        if self._fixed_steps is not None:
            fixed = self._fixed_steps
            return {
                **options,
                "step": fixed.size,
                "engagement": fixed.engagement,
                "position_iterations": fixed.position_iterations,
                "constraints_at": fixed.constraints_at,
            }
        return {**options, "step": self._step} if self._step else {**options, "max_steps": self.max_steps}

    @property
    def scales(self) -> Scales:
        """The length, time and mass in m, s and kg to which errors and tolerances are relative."""
        return scales_with(self.system, self._scales)

    def _summary(self) -> str:
        integrator = "" if self.integrator == AUTO else f", integrator {self.integrator}"
        return f"of System '{self.system.name}', accuracy {self.accuracy:g}{integrator}, backend {self.backend}"

    def run(self, state: State, until: float, report_every: float | None = None, *, progress: Progress = None) -> Results:
        """Simulate from the State's time and return the Results. The given State does not change.

        until         s, the end; an event may end the run earlier (`results.terminated_by`)
        report_every  s, interval of the recorded points, from the start on; the end is always recorded. Default: a point for each step.
                      Points inside a step are interpolated and satisfy the constraints to the same tolerance. They do not affect the steps
        progress      True: a bar, on a terminal or in a notebook; or a function, called from time to time as progress(time, until)

        Raises IntegrationError with the time and the cause. With a backend other than 'auto', also raises an error if the System cannot run
        on that backend.
        """
        check_state(state, self.system)
        start, until = state.time, real_number(until, "Simulation.run: until")
        if report_every is not None:
            report_every = real_number(report_every, "Simulation.run: report_every")
        if not (isfinite(until) and until >= start):
            raise InputError(f"Simulation.run: until must be finite and not before the start, {start:g} s, but it is {until!r} s.")
        if report_every is not None and not (isfinite(report_every) and report_every > 0):
            raise InputError(f"Simulation.run: report_every must be positive, not {report_every!r} s.")
        if report_every is not None:
            check_report_count("Simulation.run", start, until, report_every)
        given, state = state, state.copy()
        normalize_state(state)
        try:
            if progress is None or progress is False:
                return self._run(state, until, report_every, None)
            with shown_progress(progress, f"System '{self.system.name}'", "Simulation.run") as report:
                return self._run(state, until, report_every, report)
        except OF_DIVERGENCE as error:
            if (named := divergence(self.system, state, given.u, error)) is None:
                raise
            raise named from error

    def start(self, state: State, report_every: float | None = None) -> SteppedRun:
        """Start a run from the State that is advanced step by step: `run.set("motor.force", 2.0)`, `run.step(1e-3)`, `run["lower.q"]`.

        report_every  s, the least time between the rows of `run.history()`, which are at ends of steps; default: a row at each of them;
                      inf: there is no history, which saves a few microseconds a step

        Errors are those of `run`. The given State does not change.
        """
        if report_every is not None:
            report_every = real_number(report_every, "Simulation.start: report_every")
            if not report_every > 0:
                raise InputError(f"Simulation.start: report_every must be positive, not {report_every!r} s.")
        return SteppedRun(self.system, state, self.options, self.first_backend, report_every, may_change_over=self.may_change_over)

    @property
    def options(self) -> StepOptions:
        """The options of the integration, made again only if an attribute or the System's topology has changed."""
        sizes = self.accuracy, self.constraint_tolerance, self.max_step, self.max_steps, self._step
        laws = self.impacts, self.ambiguous_impacts, self.bounded
        of = self.system, self.system.topology_version, sizes, self.integrator, laws, self._fixed_steps
        if self._made_options is None or self._made_options[0] != of:
            self._made_options = (
                of,
                StepOptions(
                    self.accuracy,
                    self.constraint_tolerance,
                    self.scales,
                    self.integrator,
                    self.max_step,
                    self.max_steps,
                    self._step,
                    self.impacts,
                    self.ambiguous_impacts == "error",
                    self._fixed_steps,
                    self.bounded,
                ),
            )
        return self._made_options[1]

    def _run(self, state: State, until: float, report_every: float | None, progress: Callable[[float, float], object] | None) -> Results:
        system, start, options = self.system, state.time, self.options
        fixed = options.fixed_steps
        every = 1 if fixed is None or report_every is None else steps_in(report_every, fixed.size)
        depths = largest_depths(system, state)
        changes = begin_from(system, state, options, self.first_backend)
        record = RunRecord(system)
        code = self.first_backend(state)
        with RunDriver(system, state, options, code, may_change_over=code == "interpreted" and self.may_change_over) as driver:
            for each in changes:
                record.warn(each)
            if fixed is not None:
                run_at_velocity_level(driver, record, until, every, progress)
            else:
                reports = None if report_every is None else inner_points(start, until, report_every)
                run_integrated(driver, record, until, reports, progress)
            backend = driver.backend
            driver.native.use_again()
        _log.info("System '%s' was simulated by the %s backend", system.name, backend)
        warn_of_deformations(system, record, state)
        for message in messages_of_depths(system, depths, largest_depths(system, state)):
            record.warn(message)
        return Results(system, state, record, backend=backend, integrator=record.integrator)

    @property
    def may_change_over(self) -> bool:
        """Whether interpreted runs go on compiled once that pays."""
        return self.backend == "auto" and auto_compiles()

    def first_backend(self, state: State) -> Code:
        """The form of the equations with which a run from the State begins. 'auto' compiles nothing for this."""
        if self.backend != "auto" or self.system.as_text:
            return self.chosen_backend(state)
        check_state(state, self.system)
        return "compiled" if "compiled" in state.layout.native and auto_compiles() else "interpreted"

    def chosen_backend(self, state: State) -> Code:
        """The form of the equations for many runs from the State, side by side or one after another. Compiles them if it can."""
        check_state(state, self.system)
        if self.system.as_text:
            return "text"
        if self.backend == "interpreted" or (self.backend == "auto" and not auto_compiles()):
            return "interpreted"
        try:
            native_model(self.system, state, "compiled", follows_events=self._fixed_steps is None)
        except NoCompilerError as error:
            if self.backend == "compiled":
                raise
            _log.info("not compiled: %s", error)
            return "interpreted"
        return "compiled"


def checked_backend(backend: str) -> str:
    """Return the backend's name. Raises InputError; warns if the name is a former one."""
    if backend in FORMER_BACKENDS:
        warnings.warn(
            f"Simulation: backend='{backend}' is now called '{FORMER_BACKENDS[backend]}'. The old name will be removed in mobod 0.3.",
            MobodWarning,
            stacklevel=3,
        )
        return FORMER_BACKENDS[backend]
    if backend not in BACKENDS:
        raise InputError(f"Simulation: unknown backend '{backend}'. Valid names: {', '.join(BACKENDS)}.")
    return backend


def auto_compiles() -> bool:
    """Whether backend='auto' may compile: what MOBOD_COMPILE says. Raises InputError for an unknown word."""
    word = os.environ.get(COMPILE_VARIABLE, "").strip()
    if word not in ("", "never"):
        raise InputError(f"{COMPILE_VARIABLE} is set to '{word}'. Set it to 'never', so that backend='auto' does not compile, or unset it.")
    return not word


def check_report_count(method: str, start: float, until: float, every: float) -> None:
    """Raise InputError if the reports every `every` s are too many to be held."""
    what = f"{method}: the reports every {every:g} s until {until:g} s"
    check_held_count((until - start) / every, what, "Choose a longer report_every")


def inner_points(start: float, until: float, every: float) -> list[float]:
    """start + k every between the start and the end, computed without a running sum. Points next to the end by round-off are omitted."""
    count = ceil((until - start) / every - 1e-9)
    return [start + k * every for k in range(1, count)]
