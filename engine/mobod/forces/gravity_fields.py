"""The field of all gravities of a System, for sensors."""

from mobod.forces.gravity import Gravity, gravity_field
from mobod.forces.subsystem import forces_of
from mobod.forces.uniform_gravity import UniformGravity
from mobod.scalar import Array, Scalar, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, System


def write_gravity(system: System, sweep: Sweep, layout: Layout, total: Slot) -> None:
    """Add the rows that set `total`, (3,) m/s^2 in Ground, to the sum of the fields that are enabled."""
    sweep.clears.append(total)
    for force in forces_of(system):
        if isinstance(force, Gravity):
            inputs = [force.enabled_slot(layout), *force.field_slots(layout)]
            sweep.add(field_of_gravity, inputs, [total], adds=(0,))
        elif isinstance(force, UniformGravity):
            sweep.add(uniform_field, [force.enabled_slot(layout), *force.field_slots(layout)], [total], adds=(0,))


def field_of_gravity(enabled: Scalar, magnitude: Scalar, down: Array) -> Array:
    return where(enabled, gravity_field(magnitude, down), 0.0)


def uniform_field(enabled: Scalar, gravity: Array) -> Array:
    return where(enabled, gravity, 0.0)
