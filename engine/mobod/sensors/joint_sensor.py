"""JointSensor: an encoder of a coordinate."""

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index
from mobod.scalar import Scalar, where
from mobod.sensors.sensor import Sensor, SensorPart
from mobod.system import Layout, Stage
from mobod.system.elements import Parameter, argument, parameter


@final
class JointSensor(Sensor):
    """A coordinate of a body's mobilizer, as an encoder shows it: rounded down to a multiple of its resolution.

    coordinate  which of the body's coordinates, from 0
    resolution  m or rad of one count; 0: exact

    Variable: '<name>.position'. It jumps from count to count, and no step ends there. `measures.Delay` makes it late,
    `measures.SampleAndHold` samples it.
    """

    body: MobilizedBody = argument("the body whose coordinate is measured", kw_only=False)
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0, kw_only=False)
    resolution: Parameter[float] = parameter("{element.q_unit}", "one count", default=0.0, least=0.0)
    set_resolution, default_resolution, set_default_resolution = resolution.accessors

    def __post_init__(self) -> None:
        body, coordinate = self.body, self.coordinate
        if not isinstance(body, MobilizedBody):
            raise InputError("JointSensor: it measures a coordinate of a mobilized body.")
        coordinate = checked_index(coordinate, body.nq, body, "JointSensor", "coordinates")
        if body.equations.speed_of[coordinate] is None:
            raise InputError(f"JointSensor: coordinate {coordinate} of '{body.name}' is an entry of a quaternion, which no encoder shows.")
        self.q_unit = body.equations.q_units[self.coordinate]
        self._complete(Stage.POSITION)

    @property
    def parts(self) -> tuple[SensorPart, ...]:
        """Its position."""
        return (SensorPart("position", 1, self.q_unit, "position"),)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        tree, speed = self.body.matter.tree(layout), self.body.equations.speed_of[self.coordinate]
        assert speed is not None
        inputs = [*self._parameter_slots(layout), tree.coordinate(self.body, speed)]
        self.subsystem.sweep(layout, self.stage).add(counted, inputs, [self.slot(layout)[0]])


def counted(resolution: Scalar, q: Scalar) -> Scalar:
    count = where(resolution > 0, resolution, 1.0)
    return where(resolution > 0, np.floor(q / count) * count, q)
