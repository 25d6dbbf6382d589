"""Rotor inertia of a mobilizer: a motor's rotor that turns with it, by a gear, and is no body of its own.

Without an axis the rotor adds gear_ratio^2 inertia to the inertia of a speed, and has no effect elsewhere: its kinetic energy is
inertia (gear_ratio u)^2 / 2. With an axis it is mounted on the parent, with the energy inertia (axis . w_parent + gear_ratio u)^2 / 2: the
parent feels its gyroscopic torque and the torque that accelerates it, and its spin is part of the angular momentum. The parent's own mass
properties then include the rotor's mass, and its inertia except the one about the axis.
"""

# Decision: docs/decisions/186-rotor-inertia.md

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_number, real_numbers
from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.dynamics.tree import Tree
from mobod.matter.equations.mobilizer_equations import ReversedEquations
from mobod.matter.equations.oriented_equations import OrientedEquations
from mobod.matter.tree.tree_body import Rotor
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, Stage, State
from mobod.system.boundary import check_state

GEAR_UNITS = {"rad/s": "1", "m/s": "rad/m"}  # of an angle of the rotor for each unit of the coordinate


class GearedBody(BodyInTree, Protocol):
    """See MobilizedBody."""

    rotors: tuple[Rotor, ...]


def set_rotor_inertia(
    body: GearedBody, inertia: float, gear_ratio: float = 1.0, *, speed: int | None = None, axis: ArrayLike | None = None
) -> None:
    """Add a rotor that turns with a speed of the mobilizer, or change it. Topological.

    inertia     kg m^2, at least 0, of the rotor about its axis; 0 takes the rotor away
    gear_ratio  rotor speed over joint speed: no unit, or rad/m for a speed in m/s; below 0: it turns the other way
    speed       number of the speed, if the body has several; a Ball has one rotor inertia for all three
    axis        (3,) direction in frame F of the rotor's axis on the parent, on which the rotor then acts; default: it acts on the speed
                alone, as MuJoCo's armature does

    The values in a State are the variables '<body>.rotor_inertia' and '<body>.gear_ratio'.

    Raises InputError for values out of range, and UnsupportedError for speeds that are no rates of coordinates.
    """
    what = f"set_rotor_inertia of '{body.name}'"
    speeds = _speeds(body, speed, what)
    J, n = real_number(inertia, f"{what}: inertia"), real_number(gear_ratio, f"{what}: gear_ratio")
    if not np.isfinite(J) or J < 0:
        raise InputError(f"{what}: the inertia is {J:g} kg m^2. It must be finite and not negative.")
    if not np.isfinite(n) or n == 0:
        raise InputError(f"{what}: the gear_ratio is {n:g}. It must be finite and not 0.")
    if any(body.equations.u_units[each] not in GEAR_UNITS for each in speeds):
        unit = body.equations.u_units[speeds[0]]
        raise UnsupportedError(f"{what}: a rotor turns with a speed in rad/s or m/s; speed {speeds[0]} is in {unit}.")
    direction = None if axis is None else _direction(axis, what)
    if direction is not None and len(speeds) > 1:
        raise InputError(f"{what}: a {type(body).__name__} has no axis that a rotor could turn about. Leave out 'axis'.")
    others = [rotor for rotor in body.rotors if rotor.speeds != speeds]
    added = [Rotor(speeds=speeds, inertia=J, gear_ratio=n, axis=direction)] if J > 0 else []
    body.rotors = tuple(sorted([*others, *added], key=lambda rotor: rotor.speeds))
    body.matter.invalidate_topology()


def rotor_inertia(body: GearedBody, state: State) -> np.ndarray:
    """(nu,) kg m^2 or kg: what rotors add to the inertia along each speed, gear_ratio^2 inertia. Needs stage INSTANCE."""
    check_state(state, body.matter.system)
    if not body.rotors:
        return np.zeros(body.nu)
    tree = tree_of(body, state, Stage.INSTANCE, "rotor inertia")
    return state.view(tree.rotors.reflected(body)).copy()


def rotor_variables(body: GearedBody, tree: Tree) -> list[CatalogueVariable]:
    """The catalogued variables of the rotors: inertias and gear ratios."""
    if not tree.rotors.concern(body):
        return []
    units = tuple(GEAR_UNITS[body.equations.u_units[rotor.speeds[0]]] for rotor in body.rotors)
    of_body = f"of the rotor that turns with '{body.name}'" if len(units) == 1 else f"of the rotors that turn with '{body.name}'"
    shape = () if len(units) == 1 else (len(units),)
    return [
        CatalogueVariable.parameter(f"{body.name}.{name}", Slot(slot.offset, shape), of_numbers, f"{text} {of_body}", minimum=minimum)
        for name, slot, of_numbers, text, minimum in (
            ("rotor_inertia", tree.rotors.rotor_inertia(body), ("kg.m2",), "inertia", 0.0),
            ("gear_ratio", tree.rotors.gear_ratio(body), units, "rotor speed over joint speed", None),
        )
    ]


# inside
def _speeds(body: GearedBody, speed: int | None, what: str) -> tuple[int, ...]:
    """The speeds that one rotor moves with."""
    equations = body.equations
    if body.nu == 0:
        raise InputError(f"{what}: a {type(body).__name__} does not move.")
    rates = {each for each in equations.speed_of if each is not None}
    turning = equations.forward if isinstance(equations, ReversedEquations) else equations
    if speed is None and isinstance(turning, OrientedEquations) and body.nu == 3:  # u: the angular velocity
        return (0, 1, 2)
    if speed is None and body.nu > 1:
        raise InputError(f"{what}: it has {body.nu} speeds. Choose one by speed=...")
    chosen: object = 0 if speed is None else speed
    if isinstance(chosen, bool) or not isinstance(chosen, int) or not 0 <= chosen < body.nu:
        raise InputError(f"{what}: it has {body.nu} speeds, numbered from 0; {chosen!r} is not one of them.")
    if chosen not in rates:
        raise UnsupportedError(
            f"{what}: speed {chosen} of a {type(body).__name__} is no rate of a coordinate, so no gear can turn a rotor by it. "
            "A Ball takes a rotor inertia for all three, without speed=..."
        )
    return (chosen,)


def _direction(axis: ArrayLike, what: str) -> tuple[float, float, float]:
    given = real_numbers(axis, f"{what}: axis")
    length = float(np.linalg.norm(given)) if given.shape == (3,) else 0.0
    if not np.isfinite(length) or length == 0:
        raise InputError(f"{what}: the axis is a direction of three numbers that are not all 0, not {axis!r}.")
    # a unit vector stays as it is, so that a saved model has the same numbers
    x, y, z = (float(each) for each in (given if abs(length - 1) < 4 * np.finfo(float).eps else given / length))
    return (x, y, z)
