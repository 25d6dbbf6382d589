"""Which coordinate or speed of which body a mobility force acts on."""

from typing import Any

from mobod.errors import InputError
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody

# unit of a generalized force, by the unit of the speed that it does work on
FORCE_UNITS = {"rad/s": "N.m", "m/s": "N"}


def checked_body(forces: ForceSubsystem, body: Any, what: str) -> MobilizedBody:
    if not isinstance(body, MobilizedBody):
        raise InputError(f"{what}: it acts on a mobilized body, not on {type(body).__name__}.")
    forces.system.matter.checked(body, what)
    return body


def checked_index(index: Any, count: int, body: MobilizedBody, what: str, kind: str) -> int:
    if not isinstance(index, int) or not 0 <= index < count:
        raise InputError(f"{what}: '{body.name}' ({type(body).__name__}) has {count} {kind}, counted from 0; there is no {index!r}.")
    return index


def force_unit(body: MobilizedBody, speed: int) -> str:
    return FORCE_UNITS[body.equations.u_units[speed]]
