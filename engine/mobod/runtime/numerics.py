"""The settings of the integration that the host of an FMU may change: `Numerics` of fmu_src/native/tables/model.h."""

from dataclasses import dataclass
from typing import final

from mobod.runtime.integrators import AUTO, DEFAULT_MAX_STEPS, FIXED_STEP_METHODS, INTEGRATORS, LARGEST_MAX_STEPS, integrator_number
from mobod.runtime.library import enumerators


@final
@dataclass(frozen=True, kw_only=True)
class Setting:
    """A setting.

    number       its place among the settings in w, from the name in C
    name         of the FMU's variable
    least, greatest
                 its bounds; None: no bound
    choices      the names of its values, which count from `least`; empty: it is a number
    is_tunable   whether it may be changed after the start
    of_velocity_level
                 whether the integrator at velocity level uses it
    of_bounded_steps
                 whether other steps of bounded work, whose integrator cannot be changed, use it
    """

    number: int
    name: str
    description: str
    unit: str = "1"
    is_whole: bool = False
    least: float = 0.0
    greatest: float | None = None
    choices: tuple[str, ...] = ()
    is_tunable: bool = True
    of_velocity_level: bool = False
    of_bounded_steps: bool = False


_NUMBERS = {name.removeprefix("NUMERICS_").lower(): number for name, number in enumerators("Numerics").items()}
N_SETTINGS = _NUMBERS["n_numerics"]

SETTINGS = (
    Setting(
        number=_NUMBERS["max_steps"],
        name="max_steps",
        description="the most integration steps that one communication step may try",
        is_whole=True,
        least=1,
        greatest=LARGEST_MAX_STEPS,
        of_velocity_level=True,
    ),
    Setting(
        number=_NUMBERS["integrator"],
        name="numerics.integrator",
        description=f"the method of integration; {' and '.join(FIXED_STEP_METHODS)} take fixed steps",
        is_whole=True,
        least=1,
        greatest=len(INTEGRATORS),
        choices=INTEGRATORS,
        is_tunable=False,
    ),
    Setting(
        number=_NUMBERS["tolerance"],
        name="numerics.tolerance",
        description="relative accuracy of a step, at least 1e-14; 0: the tolerance of the experiment, or the default one",
        greatest=0.1,
        of_velocity_level=True,
    ),
    Setting(
        number=_NUMBERS["constraint_tolerance"],
        name="numerics.constraint_tolerance",
        description="largest error of constraints, relative to their scales; 0: a tenth of the tolerance",
        of_velocity_level=True,
    ),
    Setting(
        number=_NUMBERS["largest_step"],
        name="numerics.largest_step",
        description="largest step under error control; 0: no bound",
        unit="s",
    ),
    Setting(
        number=_NUMBERS["fixed_step"],
        name="numerics.fixed_step",
        description="the step of integrators with fixed steps, which need it; 0: none is given",
        unit="s",
        of_bounded_steps=True,
    ),
)
"""All settings, in the order in which they lie in w."""


@final
@dataclass(frozen=True, kw_only=True)
class StepResult:
    """A result of steps that an FMU shows; number, name: as of a Setting"""

    number: int
    name: str
    description: str
    unit: str


def _result(name: str, unit: str, description: str) -> StepResult:
    return StepResult(number=_NUMBERS[name], name=f"numerics.{name}", unit=unit, description=description)


LEFTOVERS = (
    _result("overrun", "1", "how often a step has left something to the next one"),
    _result("late", "s", "how late the latest event of the last step was processed"),
    _result("left_length", "m", "largest position error of constraints that the last step has left"),
    _result("left_angle", "rad", "the same of angles"),
    _result("left_speed", "m/s", "largest velocity error of constraints that the last step has left"),
    _result("left_angular_speed", "rad/s", "the same of angular velocities"),
    _result("left_impulse", "1", "residual of the laws of impulses and friction that the last step has left, relative"),
)
"""Those of steps of bounded work, in the order in which they lie in w, after the settings."""

JAMMED_STEPS = _result("jammed_steps", "1", "in how many steps bodies have jammed, so that gaps of contacts were kept which they close")
"""Of steps at velocity level of models with friction in contacts."""


@final
@dataclass(frozen=True, kw_only=True)
class Numerics:
    """The start values of the settings. 0: none is given, or there is no bound; an FMU leaves the tolerances to the master.

    largest_step, fixed_step  s
    """

    integrator: str = AUTO
    tolerance: float = 0.0
    constraint_tolerance: float = 0.0
    largest_step: float = 0.0
    fixed_step: float = 0.0
    max_steps: int = DEFAULT_MAX_STEPS

    def numbers(self) -> list[float]:
        """The start values of SETTINGS."""
        given = vars(self) | {"integrator": integrator_number(self.integrator)}
        numbers = [0.0] * N_SETTINGS
        for name, value in given.items():
            numbers[_NUMBERS[name]] = float(value)
        return numbers
