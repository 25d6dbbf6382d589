"""What sensors share: the frame on a body, and variables for the parts of a value."""

from abc import abstractmethod
from typing import NamedTuple

from mobod.errors import InputError, described
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.matter.tree.body_slots import BodySlots
from mobod.scalar.slot import Slot
from mobod.spatial import Transform
from mobod.spatial.component_names import XYZ
from mobod.system import CatalogueVariable, Layout, State, System
from mobod.system.elements import checked_frame
from mobod.system.measures.measure import ComputedMeasure
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.saved_numbers import Numbers


class SensorPart(NamedTuple):
    """A part of a sensor's value that has a name: 'acceleration' is the variable '<sensor>.acceleration'."""

    name: str
    size: int
    unit: str | tuple[str, ...]  # of all entries, or of each
    description: str

    @property
    def units(self) -> tuple[str, ...]:
        """Of each entry."""
        return (self.unit,) * self.size if isinstance(self.unit, str) else self.unit


class Sensor(ComputedMeasure):
    """Its value is an array of all its parts, which are variables too."""

    @property
    @abstractmethod
    def parts(self) -> tuple[SensorPart, ...]:
        """Of the value, in its order."""

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """Its parts, and its parameters."""
        of_sensor, found, offset = f"that sensor '{self.name}' ({type(self).__name__}) shows", [], self.slot(layout).offset
        for part in self.parts:
            name, slot = f"{self.name}.{part.name}", Slot(offset, (part.size,) if part.size > 1 else ())
            components = XYZ if part.size == 3 else ()
            found.append(
                CatalogueVariable.output(name, slot, self.stage, part.unit, f"{part.description} {of_sensor}", components=components)
            )
            offset += part.size
        return [*found, *(self._parameter_variable(layout, each) for each in self.parameters)]

    def _complete(self, stage: Stage) -> None:
        """For `__post_init__`: the shape and the units follow from the parts."""
        units = tuple(unit for part in self.parts for unit in part.units)
        self._measure(shape=(len(units),), stage=stage, unit=units)


class FrameOnBody:
    """A frame S on a body, or on Ground, whose pose X_BS is a variable of the State."""

    def __init__(self, system: System, body: object, frame: object, what: str):
        if not isinstance(body, (MobilizedBody, Ground)):
            raise InputError(f"{what}: it is fixed on a mobilized body or on matter.ground, not on {described(body)}.")
        if not isinstance(system, MultibodySystem):
            raise InputError(f"{what}: it is a part of a MultibodySystem, not of {described(system)}.")
        system.matter.attachable(body, what)
        self.body = body
        self.X_BS = Transform() if frame is None else checked_frame(frame, f"{what}: frame")
        self._handles: tuple[DiscreteVariable, ...] = ()

    def allocate(self, state: State, sensor: Sensor, what: str) -> None:
        """Allocate the pose, at TOPOLOGY; what: its name."""
        self._handles = tuple(
            state.allocate_discrete_variable(
                sensor.subsystem, f"{sensor.name}.{what}.{name}", value.copy(), Stage.INSTANCE, numbers=[Numbers(value.size)]
            )
            for name, value in (("R", self.X_BS.R), ("p", self.X_BS.p))
        )

    def frame(self, state: State) -> Transform:
        """X_BS in a State."""
        R, p = (state.get(each) for each in self._handles)
        return Transform.of(R, p)

    def pose(self, layout: Layout) -> list[Slot]:
        """R_BS, p_BS, R_GB and p_GB."""
        slots = self._slots(layout)
        return [*(layout.slots[each] for each in self._handles), slots.R_GB[self.body.index], slots.p_GB[self.body.index]]

    def velocity(self, layout: Layout) -> Slot:
        """V_GB."""
        return self._slots(layout).V_GB[self.body.index]

    def acceleration(self, layout: Layout) -> Slot:
        """A_GB."""
        return self._slots(layout).A_GB[self.body.index]

    def _slots(self, layout: Layout) -> BodySlots:
        return self.body.matter.tree(layout).slots
