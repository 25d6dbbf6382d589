"""Rigid contacts in a model file."""

from functools import partial
from typing import Any

import numpy as np

from mobod.contact.rigid_contact import RigidContact
from mobod.files.model.codecs import BODY, BOOLEAN, NUMBER, TEXT, NumbersCodec
from mobod.files.model.contact_shapes import CONTACT_SHAPE
from mobod.files.model.elements import FileField, Spec
from mobod.files.model.place import Place, made
from mobod.files.model.unilateral import DISABLED, RESTITUTION, TOLERANCE, coefficient
from mobod.matter.unilateral.unilateral_equations import UnilateralEquations
from mobod.spatial import Transform, from_quaternion

_SIZE_OF_FRAME = 7  # a quaternion and an origin


def _coefficient(number: int) -> FileField:
    return FileField(NUMBER, lambda contact: contact.equations.friction[number], default=0.0)


def _moment(name: str) -> FileField:
    """A coefficient of a moment of friction; left out if there is no such moment."""

    def value(contact: RigidContact) -> float | None:
        equations = contact.equations
        assert isinstance(equations, UnilateralEquations)
        return dict(zip(contact.moments, equations.moments, strict=True)).get(name)

    return FileField(NUMBER, value, default=None)


def _part_of_frame(number: int, part: slice, default: list[float]) -> FileField:
    """Part of the frame of shape 1 or 2, as in the equations."""
    codec = NumbersCodec(len(default))
    return FileField(codec, lambda contact: getattr(contact.equations.distances, f"frame{number}")[part], default=default)


def _rigid_contact(place: Place, values: dict[str, Any]) -> RigidContact:
    tolerance = values.pop("tolerance", None)
    values = {"dynamic_friction": 0.0} | values  # which would else be the static one
    frames = []
    for number in (1, 2):
        orientation = values.pop(f"orientation{number}", [1.0, 0.0, 0.0, 0.0])
        origin = values.pop(f"origin{number}", [0.0, 0.0, 0.0])
        R = made(place.at(f"orientation{number}"), partial(from_quaternion, np.array(orientation)))
        values[f"X_B{number}S{number}"] = made(place.at(f"origin{number}"), partial(Transform, R, origin))
        frames.append([*orientation, *origin])
    contact = RigidContact(**values)
    # the exact numbers of the file: a quaternion that was converted to a matrix and back has other last digits
    numbers, start = contact.equations.parameter_values(), 0
    for shape, frame in zip((contact.shape1, contact.shape2), frames, strict=True):
        start += 0 if contact.slots is not None and shape.has_table else shape.n_parameters
        numbers[start : start + _SIZE_OF_FRAME] = frame
        start += _SIZE_OF_FRAME
    contact.equations = contact.equations.with_parameters(numbers.tolist())
    contact.tolerance = tolerance
    return contact


RIGID_CONTACT = Spec(
    RigidContact,
    {
        "name": FileField(TEXT),
        "disabled": DISABLED,
        "body1": FileField(BODY),
        "shape1": FileField(CONTACT_SHAPE),
        "orientation1": _part_of_frame(1, slice(0, 4), [1.0, 0.0, 0.0, 0.0]),
        "origin1": _part_of_frame(1, slice(4, 7), [0.0, 0.0, 0.0]),
        "body2": FileField(BODY),
        "shape2": FileField(CONTACT_SHAPE),
        "orientation2": _part_of_frame(2, slice(0, 4), [1.0, 0.0, 0.0, 0.0]),
        "origin2": _part_of_frame(2, slice(4, 7), [0.0, 0.0, 0.0]),
        "static_friction": _coefficient(0),
        "dynamic_friction": _coefficient(1),
        "viscous_friction": _coefficient(2),
        "stribeck_speed": coefficient(3),
        "torsional_friction": _moment("torsional_friction"),
        "rolling_friction": _moment("rolling_friction"),
        "restitution": RESTITUTION,
        "in_fixed_steps": FileField(BOOLEAN, lambda contact: contact.in_fixed_steps, default=None),
        "tolerance": TOLERANCE,
    },
    _rigid_contact,
)
