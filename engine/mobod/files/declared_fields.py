"""How the fields that an element's class declares stand in a model file."""

from collections.abc import Callable, Mapping, Sequence
from inspect import get_annotations
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from mobod.errors import UnsupportedError
from mobod.files.codecs import BODY, BOOLEAN, FRAME, INTEGER, MEASURE, NUMBER, TEXT, UNITS, VALUES, Choice, Codec, ListOf, NumbersCodec
from mobod.files.elements import NEEDED, FileField
from mobod.files.values_of_users import FUNCTION
from mobod.functions import Function
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.system.elements import REQUIRED, Argument, Composed, Parameter, TunedElement, fields_of
from mobod.system.measures import Measure
from mobod.system.measures.measure import Units

# of simple types
CODECS: dict[Any, Codec] = {bool: BOOLEAN, int: INTEGER, float: NUMBER, str: TEXT, Transform: FRAME, Any: VALUES}


def declared_fields(cls: type, base: type) -> dict[str, FileField]:
    """Of an element's class: how the fields stand in a file that it declares beyond `base`, but for what is not kept or is implied.

    A frame or a rotation stands there by its parts, as the equations have them.
    """
    found: dict[str, FileField] = {}
    for name, field in fields_of(cls).items():
        if name in fields_of(base):
            continue
        match field:
            case Parameter():
                has_value = field.default is not REQUIRED and field.default is not None
                codec = _codec_of_shape(field.shape)
                found[name] = FileField(codec, default=_json(codec, field.checked(field.default, name) if has_value else field.default))
            case Composed():
                for part, shape in zip(field.parts, field.part_shapes, strict=True):
                    found[part] = FileField(_codec_of_shape(shape), _default_of(part))
            case Argument(is_kept=True, is_implied=False):
                codec = codec_of(_annotation(cls, name), f"argument '{name}' of {cls.__name__}")
                found[name] = FileField(codec, default=_json(codec, field.default))
    return found


def arguments_of(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Of what `declared_fields` have read the arguments of the constructor."""
    arguments = dict(values)
    for name, field in fields_of(cls).items():
        if isinstance(field, Composed):
            arguments[name] = field.joined(*(arguments.pop(part) for part in field.parts))
    return arguments


def codec_of(annotation: Any, what: str) -> Codec:
    """For values of a type. Raises UnsupportedError if a model file has no way to hold them."""
    if annotation in CODECS:
        return CODECS[annotation]
    origin, of = get_origin(annotation), get_args(annotation)
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
    if origin in (list, tuple, Sequence):
        return ListOf(codec_of(of[0], what))
    if isinstance(annotation, type):
        if issubclass(annotation, (MobilizedBody, Ground)):
            return BODY
        if issubclass(annotation, Function):
            return FUNCTION
        if issubclass(annotation, Measure):
            return MEASURE
    raise UnsupportedError(f"{what} cannot be saved: a model file has no values of type {annotation}.")


def _codec_of_shape(shape: tuple[int, ...]) -> Codec:
    return NumbersCodec(shape[0]) if shape else NUMBER


def _annotation(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        found = get_annotations(base).get(name)
        if found is not None:
            return get_annotations(base, eval_str=True)[name] if isinstance(found, str) else found
    return Any


def _default_of(part: str) -> Callable[[TunedElement], Any]:
    return lambda element: element.default_parameter(part)


def _json(codec: Codec, default: Any) -> Any:
    if default is REQUIRED:
        return NEEDED
    return None if default is None else codec.write(default)
