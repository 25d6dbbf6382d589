"""Time and Sinusoid: values that depend on time alone."""

from typing import final

import numpy as np

from mobod.scalar import Scalar, Slot
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.measures.measure import ComputedMeasure, Measure
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout


@final
class Time(Measure):
    """s"""

    def __post_init__(self) -> None:
        self._measure(shape=(), stage=Stage.TIME, unit="s")

    @property
    def known_from(self) -> Stage:
        """The stage from which its value can be read."""
        return Stage.MODEL

    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""
        return layout.time


@final
class Sinusoid(ComputedMeasure):
    """amplitude sin(frequency t + phase); all three can be tuned.

    amplitude  in the unit of the measure
    frequency  rad/s: an angular one
    phase      rad
    """

    amplitude: Parameter[float] = parameter("{element.unit}", "amplitude", kw_only=False)
    set_amplitude, default_amplitude, set_default_amplitude = amplitude.accessors
    frequency: Parameter[float] = parameter("rad/s", "frequency", kw_only=False)
    set_frequency, default_frequency, set_default_frequency = frequency.accessors
    phase: Parameter[float] = parameter("rad", "phase", default=0.0, kw_only=False)
    set_phase, default_phase, set_default_phase = phase.accessors
    unit: str = argument("of the value", default="1")

    def __post_init__(self) -> None:
        self._measure(shape=(), stage=Stage.TIME, unit=self.unit)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, self.stage).add(sinusoid, [layout.time, *self._parameter_slots(layout)], [self.slot(layout)])


def sinusoid(time: Scalar, amplitude: Scalar, frequency: Scalar, phase: Scalar) -> Scalar:
    return amplitude * np.sin(frequency * time + phase)
