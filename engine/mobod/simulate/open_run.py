"""Begins a run in C with the options of a Simulation."""

from dataclasses import dataclass
from typing import final

from mobod.compilation.model_source import start_values
from mobod.compilation.native import NativeModel, NativeRun
from mobod.simulate.limits import release_contacts
from mobod.simulate.projection import changes_of_start, project_start
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.system import Stage, State, System
from mobod.system.scales import Scales


@final
@dataclass(frozen=True)
class StepOptions:
    """The options of a Simulation, under the names of its arguments. fixed_steps: of 'velocity_level'; None for other integrators."""

    accuracy: float
    constraint_tolerance: float
    scales: Scales
    integrator: str
    max_step: float
    max_steps: int
    step: float
    ambiguous_is_an_error: bool
    fixed_steps: FixedSteps | None


def open_run(model: NativeModel, state: State, options: StepOptions) -> NativeRun:
    """A run from the State, which callbacks in plain Python use."""
    if options.fixed_steps is not None:
        return model.open(start_values(state), options.accuracy, state=state, constraint_tolerance=options.constraint_tolerance)
    return model.open(
        start_values(state),
        options.accuracy,
        state=state,
        constraint_tolerance=options.constraint_tolerance,
        largest_step=options.max_step,
        fixed_step=options.step,
        max_steps=options.max_steps,
        integrator=options.integrator,
    )


def begin_from(system: System, state: State, constraint_tolerance: float, scales: Scales) -> list[str]:
    """Make the State one from which steps under error control begin: the run determines which rows are active, and constraints hold.

    Returns messages on what this has changed of the start.

    Raises AssemblyError if they cannot be satisfied, and the errors of ACCELERATION.
    """
    release_contacts(system, state)
    given = project_start(system, state, constraint_tolerance, scales)
    system.realize(state, Stage.ACCELERATION)  # reports errors of the start before anything is compiled
    return changes_of_start(system, state, given, constraint_tolerance, scales=scales)
