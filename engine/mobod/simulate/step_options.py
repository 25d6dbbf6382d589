"""StepOptions: how a run takes its steps."""

from dataclasses import dataclass
from typing import final

from mobod.simulate.velocity_level.fixed_steps import FixedSteps
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
