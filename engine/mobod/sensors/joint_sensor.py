"""JointSensor: an encoder of a coordinate."""

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar import Scalar, where
from mobod.sensors.sensor import Sensor, SensorPart
from mobod.system import Layout, Stage, State
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.measures.delay_line import DelayLine


@final
class JointSensor(Sensor):
    """A coordinate of a body's mobilizer, as an encoder shows it: late, and rounded down to a multiple of its resolution.

    coordinate  which of the body's coordinates, from 0
    resolution  m or rad of one count; 0: exact
    delay       s, at least 0: it shows where the coordinate was that long ago, and until a delay after the start of a run where it was at
                the start. It is recorded as by `measures.Delay`, and rounded when it is read. Fixed steps at velocity level refuse it
    capacity    how many entries the record of a delay has

    Variable: '<name>.position'. It jumps from count to count, and no step ends there. `Sampled` reads it at times, with noise.
    """

    body: MobilizedBody = argument("the body whose coordinate is measured", kw_only=False)
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0, kw_only=False)
    resolution: Parameter[float] = parameter("{element.q_unit}", "one count", default=0.0, least=0.0)
    set_resolution, default_resolution, set_default_resolution = resolution.accessors
    delay: float = argument("s, how late it is; 0: not at all", default=0.0)
    capacity: int = argument("how many entries the record of a delay has", default=1000)

    def __post_init__(self) -> None:
        body, coordinate = self.body, self.coordinate
        if not isinstance(body, MobilizedBody):
            raise InputError("JointSensor: it measures a coordinate of a mobilized body.")
        coordinate = checked_index(coordinate, body.nq, body, "JointSensor", "coordinates")
        if body.equations.speed_of[coordinate] is None:
            raise InputError(f"JointSensor: coordinate {coordinate} of '{body.name}' is an entry of a quaternion, which no encoder shows.")
        self.q_unit = body.equations.q_units[self.coordinate]
        stage = Stage.POSITION
        self._line = DelayLine("JointSensor", self.delay, capacity=self.capacity, shape=(), stage=stage) if self.delay != 0 else None
        self._complete(Stage.POSITION)

    @property
    def parts(self) -> tuple[SensorPart, ...]:
        """Its position."""
        return (SensorPart("position", 1, self.q_unit, "position"),)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        if self._line is not None:
            self._line.allocate(state, self.subsystem, self.name)
            self._entries["late"] = state.allocate_cache_entry(
                self.subsystem, f"{self.name}.late", self.stage, shape=(), computed_by=self.stage
            )

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        tree, speed = self.body.matter.tree(layout), self.body.equations.speed_of[self.coordinate]
        assert speed is not None
        q = tree.coordinate(self.body, speed)
        if self._line is not None:
            now, q = q, layout.slots[self._entries["late"]]
            rate = tree.u(self.body)[speed]
            self._line.tabulate(layout, self.subsystem, self.name, operand=now, rate=rate, known_at=Stage.VELOCITY, value=q)
        inputs = [*self._parameter_slots(layout), q]
        self.subsystem.sweep(layout, self.stage).add(counted, inputs, [self.slot(layout)[0]])


def counted(resolution: Scalar, q: Scalar) -> Scalar:
    count = where(resolution > 0, resolution, 1.0)
    return where(resolution > 0, np.floor(q / count) * count, q)
