"""Which coordinate or speed of which body a mobility force acts on."""

from mobod.errors import InputError
from mobod.forces.force import ForceOwner, checked_forces
from mobod.matter import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index

# units of a generalized force and of a damping, by the unit of the speed that the force does work on
FORCE_UNITS = {"rad/s": "N.m", "m/s": "N", "1/s": "J"}
DAMPING_UNITS = {"rad/s": "N.m.s/rad", "m/s": "N.s/m", "1/s": "J.s"}


def checked_body(forces: ForceOwner, body: object, what: str) -> MobilizedBody:
    checked_forces(forces, what)
    if not isinstance(body, MobilizedBody):
        raise InputError(f"{what}: it acts on a mobilized body, not on {type(body).__name__}.")
    forces.system.matter.checked(body, what)
    return body


def checked_coordinate(index: object, body: MobilizedBody, what: str) -> tuple[int, int]:
    """A coordinate and the speed that is its rate."""
    index = checked_index(index, body.nq, body, what, "coordinates")
    speed = body.equations.speed_of[index]
    if speed is None:
        raise InputError(
            f"{what}: coordinate {index} of '{body.name}' ({type(body).__name__}) has no speed as its rate "
            "(an entry of a quaternion, say), so no generalized force acts along it."
        )
    return index, speed


def force_unit(body: MobilizedBody, speed: int) -> str:
    return FORCE_UNITS.get(body.equations.u_units[speed], "1")


def damping_unit(body: MobilizedBody, speed: int) -> str:
    return DAMPING_UNITS.get(body.equations.u_units[speed], "1")
