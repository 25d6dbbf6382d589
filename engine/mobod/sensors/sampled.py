"""Sampled: what a sensor showed when it was last read, with bias and noise."""

# Decision: docs/decisions/195-samples.md

from collections.abc import Mapping
from math import prod
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, UnknownNameError
from mobod.sensors.sensor import Sensor, SensorPart
from mobod.system import Layout, Stage, State
from mobod.system.elements import Given, Parameter, VectorParameter, argument, parameter
from mobod.system.events.handler_actions import HandlerActions
from mobod.system.events.recording import RecordedActions
from mobod.system.measures.measure import Measure, checked_operand, same, spread
from mobod.system.measures.sampling import Sampling, checked_interval, sample_number
from mobod.system.measures.units import per_root_hertz
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.saved_numbers import Numbers
from mobod.system.state.values import checked_numbers

LARGEST_SEED = 2.0**32 - 1


@final
class Sampled(Sensor):
    """A sensor that is read at the multiples of a period and shows in between what it was. Each reading has a bias and white noise:

        sensor + bias + noise_density / sqrt(period) * n       n of the standard normal distribution, for each entry and each reading

    sensor         a sensor, or another measure of a number or of a row of numbers
    period         s, from time 0 on
    bias           in the unit of the sensor: a number for all entries, one for each, or a dict by the names of the sensor's parts
    noise_density  in the unit of the sensor over sqrt(Hz), at least 0; likewise
    seed           whole, 0 to 2^32 - 1: another seed gives other noise
    before         shown until the first reading; one number is taken for all entries

    n is a function of the seed, of the name of this element, of the number of the reading (time over period) and of the entry: the same in
    every run, in an FMU, in ensembles and after a State was restored, to the last bit on every platform. Take another seed for another run
    of a Monte Carlo analysis.

    A force may read it, also if the sensor depends on that force. `linearize` and directional derivatives of FMUs take the last reading as
    constant; `sensitivities` of a run follow what was read, and take the noise as constant.

    Fixed steps at velocity level take a reading at the end of the first step that ends at its time or later. Accelerations and forces are
    then the means of that step. They refuse a period that is shorter than a step.

    Variables: those of the sensor's parts, such as '<name>.acceleration', or '<name>.value' of a measure; '<name>.bias',
    '<name>.noise_density' and '<name>.seed'.
    """

    sensor: Measure = argument("what is read", kw_only=False)
    period: float = argument("s, from time 0 on", kw_only=False)
    bias: VectorParameter = parameter("unit of the sensor", "added to each reading", default=0.0, units_of_value="units")
    set_bias, default_bias, set_default_bias = bias.accessors
    noise_density: VectorParameter = parameter(
        "unit of the sensor over sqrt(Hz)", "density of white noise", default=0.0, least=0.0, units_of_value="density_units"
    )
    set_noise_density, default_noise_density, set_default_noise_density = noise_density.accessors
    seed: Parameter[float] = parameter("1", "a whole number, which the noise depends on", default=0.0, least=0.0, greatest=LARGEST_SEED)
    set_seed, default_seed, set_default_seed = seed.accessors
    before: Given[np.ndarray, ArrayLike] = argument("shown until the first reading", default=0.0)

    def __post_init__(self) -> None:
        sensor = checked_operand(self.sensor, self.system, "Sampled")
        if len(sensor.shape) > 1:
            raise InputError(f"Sampled: '{sensor.name}' has a value of shape {sensor.shape}. It reads a number, or a row of numbers.")
        self.period = checked_interval(self.period, "Sampled: the period")
        self.before = checked_numbers(spread(self.before, sensor.shape), sensor.shape, "Sampled: before")
        for name in ("bias", "noise_density"):
            self.given[name] = self._of_parts(self.given[name], f"Sampled: {name}")
        if self.given["seed"] != np.floor(self.given["seed"]):
            raise InputError(f"Sampled: seed is {self.given['seed']!r}. It is a whole number.")
        self._held: DiscreteVariable | None = None
        self._measure(shape=sensor.shape, stage=Stage.INSTANCE, unit=sensor.units)
        self._sampling = Sampling(self, self.period)

    @property
    def parts(self) -> tuple[SensorPart, ...]:
        """Those of the sensor."""
        sensor = self.sensor
        if isinstance(sensor, Sensor):
            return sensor.parts
        return (SensorPart("value", prod(sensor.shape), sensor.units if len(sensor.units) > 1 else sensor.units[0], "value"),)

    @property
    def density_units(self) -> tuple[str, ...]:
        """The units of the density of noise."""
        return tuple(per_root_hertz(unit) for unit in self.units)

    @property
    def operand_stage(self) -> Stage:
        """The stage from which the sensor is known."""
        return self.sensor.known_from

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._held = state.allocate_discrete_variable(
            self.subsystem,
            f"{self.name}.held",
            self.before.copy() if self.shape else float(self.before),
            Stage.INSTANCE,
            numbers=[Numbers(prod(self.shape))],
        )
        self._sampling.keep_number(state, self.subsystem)

    def tabulate(self, layout: Layout) -> None:
        """Write the row that computes its value, when the layout is known."""
        assert self._held is not None
        self.subsystem.sweep(layout, self.stage).add(same, [layout.slots[self._held]], [self.slot(layout)])

    def take_sample(self, state: State, event: HandlerActions) -> None:
        """For its event: read the sensor."""
        assert isinstance(event, RecordedActions)  # it is always recorded
        assert self._held is not None
        bias, density, seed = (state.view(slot) for slot in self._parameter_slots(state.layout))
        number, n = sample_number(state.time, self.period), prod(self.shape)
        noise = event.normal_numbers(n, seed=np.floor(seed), sample=number, name=self.name)
        reading = state.view(self.sensor.slot(state.layout))
        state.set(self._held, reading + bias + density / np.sqrt(self.period) * (noise if self.shape else noise[0]))

    # inside
    def _of_parts(self, given: ArrayLike | Mapping[str, ArrayLike], what: str) -> ArrayLike:
        """The numbers of all entries, if they are given by the names of parts; 0 for parts that are not there."""
        if not isinstance(given, Mapping):
            return given
        for name in given:
            UnknownNameError.check(f"part of '{self.sensor.name}'", name, [part.name for part in self.parts])
        of_parts = [
            checked_numbers(spread(np.asarray(given.get(part.name, 0.0)), (part.size,)), (part.size,), f"{what}: {part.name}")
            for part in self.parts
        ]
        return np.concatenate(of_parts)
