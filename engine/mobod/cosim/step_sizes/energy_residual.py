"""EnergyResidual: the energy that a coupling adds or takes, by its power bonds."""

import math
from dataclasses import dataclass
from typing import Any, final

from mobod.cosim.algorithms.bond_meter import BondMeter
from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.step_sizes.step_size import StepEstimate, StepSize, check_options
from mobod.errors import InputError

_SAFETY, _INTEGRAL, _PROPORTIONAL = 0.99, 0.15, 0.2  # of the controller
_LEAST, _MOST = 0.2, 1.5  # factors by which a step changes
_FLOOR = 1e-12  # of the error, relative to the tolerance


@final
@dataclass(frozen=True, kw_only=True)
class EnergyResidual:
    """The error of a step is the energy by which the two sides of a bond differ. No step is repeated.

    tolerance           of the energy of a step, relative to the largest power of any bond so far times the step
    absolute         J  tolerated energy of a step besides that; default: the tolerance times 1 J
    smallest         s  steps; default: a millionth of the master's step, with which the run begins
    largest          s  steps; default: a hundred times the master's step

    The network needs a bond. Source: Sadjina, Kyllingstad, Skjong, Pedersen, Energy conservation and power bonds in co-simulations:
    non-iterative adaptive step size control and error estimation (2017), Engineering with Computers 33. Gains as in libcosim.
    """

    tolerance: float
    absolute: float | None = None
    smallest: float | None = None
    largest: float | None = None
    name = "energy residual"
    repeats_steps = False
    input_order = 0

    def __post_init__(self) -> None:
        check_options(self.tolerance, self.smallest, self.largest)

    def begin(self, coupling: CoupledRun) -> StepControl:
        """Begin a run: the control of its steps. Raises InputError, UnsupportedError."""
        if not coupling.bonds:
            raise InputError("EnergyResidual: the network has no bond. Declare one by network.bond(effort, flow).")
        absolute = self.tolerance if self.absolute is None else self.absolute
        return EnergyResidualSteps(coupling, StepSize(coupling.step, self.smallest, self.largest), self.tolerance, absolute)


@final
class EnergyResidualSteps:
    """A `StepControl`."""

    def __init__(self, coupling: CoupledRun, size: StepSize, tolerance: float, absolute: float) -> None:
        self.error: float | None = None
        self.rejected = 0
        self._coupling, self._size, self._tolerance, self._absolute = coupling, size, tolerance, absolute
        self._meter = BondMeter(coupling.bonds, coupling.connections)
        self._largest_power = 0.0
        self._before: float | None = None  # the error of the step before

    def advance(self, time: float, end: float) -> float:
        coupling, size = self._coupling, self._size
        step = size.within(time, end)
        coupling.algorithm.advance(time, step)
        powers = self._meter.powers(coupling.signals.values, coupling.algorithm.taken)
        self._largest_power = max(self._largest_power, *(abs(each) for pair in powers for each in pair))
        allowed = self._absolute + self._tolerance * self._largest_power * step
        residuals = [abs(here - there) for here, there in powers]
        error = max(math.sqrt(sum((each * step / allowed) ** 2 for each in residuals) / len(residuals)), _FLOOR)
        before = error if self._before is None else self._before
        factor = _SAFETY * error ** (-_INTEGRAL - _PROPORTIONAL) * before**_PROPORTIONAL
        worst = max(residuals)
        size.note(
            time,
            step,
            StepEstimate(f"the power residual of the bond '{self._meter.bonds[residuals.index(worst)].name}'", worst, "W", error),
        )
        self._before = error
        size.change(step, min(max(factor, _LEAST), _MOST))
        return end if step == end - time else time + step

    def memory(self) -> object:
        return [self._size.next, self._largest_power, self._before]

    def recall(self, memory: Any) -> None:
        self._size.next, self._largest_power, self._before = memory
