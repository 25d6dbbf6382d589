"""StepOptions: how a run takes its steps."""

# Decision: docs/decisions/156-contacts-are-foreseen.md

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import final

from mobod.compilation.native.idle_runs import RunSettings
from mobod.runtime.integrators import AUTO, DEFAULT_ACCURACY, DEFAULT_MAX_STEPS
from mobod.runtime.numerics import Numerics
from mobod.simulate.limits import Impacts, number_of_impacts
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.system.scales import SI, Scales


@final
@dataclass(frozen=True)
class StepOptions:
    """The options of a Simulation, under the names of its arguments. The defaults are those of Simulation and of FMUs, except the scales.

    step         s, of methods with fixed steps; else 0
    fixed_steps  of 'velocity_level'; None for other integrators
    is_bounded   whether steps have bounded work
    """

    accuracy: float = DEFAULT_ACCURACY
    constraint_tolerance: float = DEFAULT_ACCURACY / 10
    scales: Scales = SI
    integrator: str = AUTO
    max_step: float = inf
    max_steps: int = DEFAULT_MAX_STEPS
    step: float = 0.0
    impacts: Impacts = "simultaneous"
    ambiguous_is_an_error: bool = False
    fixed_steps: FixedSteps | None = None
    is_bounded: bool = False

    @cached_property
    def settings(self) -> RunSettings:
        """What a run in C takes of them."""
        tolerances, impacts = (self.accuracy, self.constraint_tolerance), number_of_impacts(self.impacts)
        if self.fixed_steps is not None:
            return RunSettings(AUTO, *tolerances, inf, 0.0, DEFAULT_MAX_STEPS, impacts, is_at_velocity_level=True)
        return RunSettings(self.integrator, *tolerances, self.max_step, self.step, self.max_steps, impacts, is_at_velocity_level=False)

    def numerics(self, *, with_tolerances: bool) -> Numerics:
        """The settings of the integration in tables of the C runtime. with_tolerances: an FMU leaves these to the master"""
        has_fixed_steps = self.fixed_steps is not None
        return Numerics(
            integrator=AUTO if has_fixed_steps else self.integrator,
            tolerance=self.accuracy if with_tolerances else 0.0,
            constraint_tolerance=self.constraint_tolerance if with_tolerances else 0.0,
            largest_step=self.max_step if with_tolerances and isfinite(self.max_step) else 0.0,
            fixed_step=0.0 if has_fixed_steps else self.step,
            max_steps=self.max_steps,
        )
