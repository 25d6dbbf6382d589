"""Contacts that share slots in a model file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import final

import numpy as np

from mobod.contact.contact_pool import ContactPool, PairOfPool, ShapeOfPool
from mobod.contact.pool_equations import PooledShape, PoolEquations
from mobod.contact.pools_of_sets import Friction
from mobod.contact.shapes import ContactShape
from mobod.contact.slots import number_of_slots
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, INTEGER, NUMBER, TEXT, Codec, ListOf, NumbersCodec, Schema
from mobod.files.model.contact_shapes import CONTACT_SHAPE
from mobod.files.model.elements import FieldValues, FileField, Record, Spec
from mobod.files.model.place import Place, made
from mobod.files.model.unilateral import DISABLED, RESTITUTION, TOLERANCE
from mobod.matter import Ground, MobilizedBody
from mobod.matter.unilateral.friction import DYNAMIC, STATIC, VISCOUS
from mobod.matter.unilateral.moments import ROLLING, TORSIONAL
from mobod.matter.unilateral.unilateral_equations import UnilateralEquations
from mobod.spatial import Transform, from_quaternion

_COEFFICIENTS = (STATIC, DYNAMIC, VISCOUS, TORSIONAL, ROLLING)


@final
@dataclass(frozen=True)
class _ShapeInFile:
    """A shape on its body. orientation, origin: its frame as in the equations"""

    name: str
    body: MobilizedBody | Ground
    shape: ContactShape
    orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    origin: Sequence[float] = (0.0, 0.0, 0.0)

    def placed(self, place: Place) -> ShapeOfPool:
        R = made(place.at("orientation"), partial(from_quaternion, np.array(self.orientation)))
        return ShapeOfPool(self.name, self.body, self.shape, made(place.at("origin"), partial(Transform, R, list(self.origin))))

    def in_equations(self) -> PooledShape:
        return PooledShape(self.name, self.shape, (*self.orientation, *self.origin))


@final
class _ShapeCodec(Codec[_ShapeInFile]):
    record = Record(
        {
            "name": FileField(TEXT),
            "body": FileField(BODY),
            "shape": FileField(CONTACT_SHAPE),
            "orientation": FileField(NumbersCodec(4), default=[1.0, 0.0, 0.0, 0.0]),
            "origin": FileField(NumbersCodec(3), default=[0.0, 0.0, 0.0]),
        }
    )

    @property
    def schema(self) -> Schema:
        return self.record.schema

    def write(self, value: _ShapeInFile) -> Json:
        return self.record.write(value)

    def read(self, value: Json, place: Place) -> _ShapeInFile:
        return _ShapeInFile(**self.record.read(value, place))


def _of_equations(pool: ContactPool) -> PoolEquations:
    assert isinstance(pool.equations, UnilateralEquations)
    assert isinstance(pool.equations.distances, PoolEquations)
    return pool.equations.distances


def _frictions(pool: ContactPool) -> list[list[float]]:
    """The five coefficients of each kind of pairs; 0 for moments that no pair has."""
    equations = _of_equations(pool)
    names = [STATIC.name, DYNAMIC.name, VISCOUS.name, *equations.moments]
    rows = dict(zip(names, equations.friction, strict=True))
    return [[rows[each.name][kind] if each.name in rows else 0.0 for each in _COEFFICIENTS] for kind in range(equations.n_kinds)]


def _pairs(pool: ContactPool) -> list[list[int]]:
    """The numbers of both shapes and of the kind of each pair."""
    kinds = {friction: number for number, friction in enumerate(dict.fromkeys(each.friction for each in pool.pairs))}
    return [[each.first, each.second, kinds[each.friction]] for each in pool.pairs]


def _shapes(pool: ContactPool) -> list[_ShapeInFile]:
    return [
        _ShapeInFile(of_body.name, of_body.body, each.shape, each.frame[:4], each.frame[4:])
        for of_body, each in zip(pool.shapes, _of_equations(pool).shapes, strict=True)
    ]


def _checked_friction(place: Place, values: list[float]) -> Friction:
    for parameter, value in zip(_COEFFICIENTS, values, strict=True):
        made(place, partial(parameter.checked, value, parameter.name))
    static, dynamic, viscous, torsional, rolling = values
    if dynamic > static:
        place.fail(f"the coefficient at rest, {static}, is below that of a slip, {dynamic}.")
    return static, dynamic, viscous, torsional, rolling


def _pair(place: Place, numbers: list[int], shapes: list[ShapeOfPool], frictions: list[Friction]) -> PairOfPool:
    """A pair by the numbers of its shapes and of its friction."""
    if len(numbers) != 3:
        place.fail(f"3 numbers are needed, not {len(numbers)}: of both shapes and of their friction.")
    for number, size in zip(numbers, (len(shapes), len(shapes), len(frictions)), strict=True):
        if not 0 <= number < size:
            place.fail(f"there is no number {number}: valid numbers are 0 to {size - 1}.")
    one, other = shapes[numbers[0]], shapes[numbers[1]]
    if one.body is other.body:
        place.fail(f"shapes '{one.name}' and '{other.name}' are on one body.")
    if number_of_slots(one.shape, other.shape) is None:
        kinds = f"{type(one.shape).__name__} and {type(other.shape).__name__}"
        place.fail(f"shapes '{one.name}' and '{other.name}' cannot share slots: {kinds}.")
    return PairOfPool(numbers[0], numbers[1], frictions[numbers[2]])


def _contact_pool(place: Place, values: FieldValues) -> ContactPool:
    tolerance, slots = values.pop("tolerance", None), values.pop("slots")
    found: list[_ShapeInFile] = values.pop("shapes")
    if slots < 1:
        place.at("slots").fail(f"a pool has at least one slot, not {slots}.")
    shapes = [each.placed(place.at("shapes").at(k)) for k, each in enumerate(found)]
    frictions = [_checked_friction(place.at("friction").at(k), each) for k, each in enumerate(values.pop("friction"))]
    pairs = [_pair(place.at("pairs").at(k), each, shapes, frictions) for k, each in enumerate(values.pop("pairs"))]
    pool = ContactPool(shapes, pairs, slots, **values)

    # the exact numbers of the file: a quaternion that was converted to a matrix and back has other last digits
    equations = _of_equations(pool)
    exact = tuple(each.in_equations() for each in found)
    numbers = pool.equations.parameter_values()
    numbers[: equations.n_parameters] = replace(equations, shapes=exact).parameter_values()
    pool.equations = pool.equations.with_parameters(numbers.tolist())
    pool.tolerance = tolerance
    return pool


CONTACT_POOL = Spec(
    ContactPool,
    {
        "name": FileField(TEXT),
        "disabled": DISABLED,
        "slots": FileField(INTEGER),
        "shapes": FileField(ListOf(_ShapeCodec()), _shapes),
        "friction": FileField(ListOf(NumbersCodec(5)), _frictions),
        "pairs": FileField(ListOf(ListOf(INTEGER)), _pairs),
        "stribeck_speed": FileField(NUMBER, lambda pool: _of_equations(pool).stribeck, default=None),
        "restitution": RESTITUTION,
        "tolerance": TOLERANCE,
    },
    _contact_pool,
)
