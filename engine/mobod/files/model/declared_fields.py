"""The JSON fields of a model file for the fields that an element's class declares."""

from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from mobod.contact import ContactShape, TriangleMesh
from mobod.contact.material import Combination
from mobod.contact.placed_shape import PlacedShape
from mobod.errors import UnsupportedError
from mobod.files.json_source import Json
from mobod.files.model.codecs import BODY, MEASURE, NUMBER, OF_TYPES, UNITS, VALUES, Choice, Codec, ListOf, NumbersCodec, TupleOf
from mobod.files.model.contact_shapes import COMBINATION, CONTACT_SHAPE, PLACED_SHAPE, TRIANGLE_MESH
from mobod.files.model.elements import NEEDED, FileField
from mobod.files.model.joint_loads import JOINT_LOAD
from mobod.files.model.values_of_users import FUNCTION
from mobod.functions import Function
from mobod.functions.annotated import annotation_of
from mobod.matter import Ground, MobilizedBody
from mobod.matter.unilateral.bearing_loads import JointLoad
from mobod.system.elements import REQUIRED, Argument, Composed, Given, Parameter, TunedElement, fields_of
from mobod.system.measures import Measure
from mobod.system.measures.measure import Units


def declared_fields(cls: type, base: type) -> dict[str, FileField]:
    """The JSON fields for the fields that a class declares and its base class does not.

    Arguments that are implied or not kept are left out. A frame or a rotation is split into parts, as in the equations.
    """
    found: dict[str, FileField] = {}
    for name, field in fields_of(cls).items():
        if name in fields_of(base):
            continue
        match field:
            case Parameter():
                has_value = field.default is not REQUIRED and field.default is not None
                codec = _codec_of_shape(field.shape) if field.units_of_value is None else VALUES
                found[name] = FileField(codec, default=_json(codec, field.checked(field.default, name) if has_value else field.default))
            case Composed():
                for part, shape in zip(field.parts, field.part_shapes, strict=True):
                    found[part] = FileField(_codec_of_shape(shape), _default_of(part))
            case Argument(is_kept=True, is_implied=False):
                codec = codec_of(annotation_of(cls, name), f"argument '{name}' of {cls.__name__}")
                found[name] = FileField(codec, default=_json(codec, field.default))
    return found


def arguments_of(cls: type, values: Mapping[str, Any]) -> dict[str, object]:
    """The arguments of the constructor, from the values that were read by `declared_fields`."""
    arguments = dict(values)
    for name, field in fields_of(cls).items():
        if isinstance(field, Composed):
            arguments[name] = field.joined(*(arguments.pop(part) for part in field.parts))
    return arguments


def codec_of(annotation: object, what: str) -> Codec:
    """The codec of values with this type annotation. Raises UnsupportedError if a model file cannot hold such values."""
    if annotation in OF_TYPES:
        return OF_TYPES[annotation]
    if annotation == Combination:
        return COMBINATION
    origin, of = get_origin(annotation), get_args(annotation)
    if origin in (Given, Annotated):
        return codec_of(of[0], what)
    if origin is Literal:
        return Choice(of)
    if origin in (Union, UnionType):
        kinds = {each for each in of if each is not type(None)}
        if kinds == {MobilizedBody, Ground}:
            return BODY
        if kinds == set(get_args(Units)):
            return UNITS
        if len(kinds) == 1:
            return codec_of(kinds.pop(), what)
    if origin is tuple and of[-1] is not Ellipsis:
        return NumbersCodec(len(of)) if set(of) == {float} else TupleOf(tuple(codec_of(each, what) for each in of))
    if origin in (list, tuple, Sequence):
        return ListOf(codec_of(of[0], what))
    if isinstance(annotation, type):
        if issubclass(annotation, ContactShape):
            return CONTACT_SHAPE
        if issubclass(annotation, PlacedShape):
            return PLACED_SHAPE
        if issubclass(annotation, TriangleMesh):
            return TRIANGLE_MESH
        if issubclass(annotation, JointLoad):
            return JOINT_LOAD
        if issubclass(annotation, (MobilizedBody, Ground)):
            return BODY
        if issubclass(annotation, Function):
            return FUNCTION
        if issubclass(annotation, Measure):
            return MEASURE
    raise UnsupportedError(f"{what} cannot be saved: a model file has no values of type {annotation}.")


def _codec_of_shape(shape: tuple[int, ...]) -> Codec:
    return NumbersCodec(shape[0]) if shape else NUMBER


def _default_of(part: str) -> Callable[[TunedElement], object]:
    return lambda element: element.default_parameter(part)


def _json(codec: Codec, default: object) -> Json:
    if default is REQUIRED:
        return NEEDED
    return None if default is None else codec.write(default)
