"""The start of a run of any kind: the State from which its steps begin, and the run in C from this State."""

from collections.abc import Callable

import numpy as np

from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import NativeRun
from mobod.compilation.source.model_source import Code
from mobod.contact.fixed_steps_only import check_error_control
from mobod.simulate.limits import release_contacts
from mobod.simulate.native_model import native_model
from mobod.simulate.projection import changes_of_start, has_constraints, project_start
from mobod.simulate.quaternions import normalize
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.supported import checked_matter
from mobod.system import Stage, State, System


def normalize_state(state: State) -> None:
    """Give the quaternions of a State unit length."""
    if not state.layout.quaternions:
        return
    y = state.copied_y()
    normalize(state.layout, y)
    state.y = y


def open_run(model: NativeModel, state: State, options: StepOptions) -> NativeRun:
    """A run from the State, which callbacks in plain Python use."""
    called_back = state if model.calls_python else None
    return NativeRun(model, state, options.settings, called_back)


def prepare_start(system: System, state: State, options: StepOptions, choose_backend: Callable[[State], Code]) -> np.ndarray:
    """Make the State one from which steps begin: the run determines which rows are active, and constraints hold. The end of an earlier
    step at velocity level stays as it is.

    choose_backend  gives the form of the equations; called for steps at velocity level alone
    returns         (ny,) y before the projection

    Raises AssemblyError if constraints cannot be satisfied; the errors of ACCELERATION, before anything is compiled; UnsupportedError for
    what steps at velocity level ignore.
    """
    fixed = options.fixed_steps
    if fixed is not None:
        checked_matter(system, state, fixed.size)
        system.realize(state, Stage.VELOCITY)
        model = native_model(system, state, choose_backend(state), options.scales, follows_events=False)
        with open_run(model, state, options) as native:
            goes_on = native.is_at_end_of_fixed_step()
            native.use_again()
        if goes_on:
            return state.copied_y()
    else:
        check_error_control(system, "the run")
    release_contacts(system, state)
    if fixed is None and not has_constraints(system, state):
        system.realize(state, Stage.ACCELERATION)
        return state.copied_y()
    given = project_start(system, state, options.constraint_tolerance, options.scales)
    if fixed is None:
        system.realize(state, Stage.ACCELERATION)
    return given


def begin_from(system: System, state: State, options: StepOptions, choose_backend: Callable[[State], Code]) -> list[str]:
    """The same. Returns messages on what this has changed of the start."""
    given = prepare_start(system, state, options, choose_backend)
    return start_changes(system, state, given, options)


def start_changes(system: System, state: State, given: np.ndarray, options: StepOptions, what: str = "the start") -> list[str]:
    """Messages on what a projection has changed of y, given (ny,). what: the State that was given"""
    if not has_constraints(system, state):
        return []
    return changes_of_start(system, state, given, options.constraint_tolerance, what, scales=options.scales)
