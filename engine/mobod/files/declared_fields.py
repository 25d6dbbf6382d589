"""How the fields that an element's class declares stand in a model file."""

from collections.abc import Sequence
from inspect import get_annotations
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from mobod.errors import UnsupportedError
from mobod.files.codecs import BODY, BOOLEAN, FRAME, INTEGER, MEASURE, NUMBER, TEXT, VALUES, Choice, Codec, ListOf, Numbers
from mobod.files.elements import NEEDED, Field
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.system.elements import Argument, Parameter, fields_of
from mobod.system.elements.field import REQUIRED
from mobod.system.measures import Measure

CODECS: dict[Any, Codec] = {bool: BOOLEAN, int: INTEGER, float: NUMBER, str: TEXT, Transform: FRAME, Any: VALUES}


def declared_fields(cls: type) -> dict[str, Field]:
    """Of an element's class: for each field that is kept how it stands in a file; but for the name and what the System implies."""
    found = {}
    for name, field in fields_of(cls).items():
        if isinstance(field, Parameter):
            codec = _codec_of_shape(field.shape)
            default = field.checked(field.default, name) if field.default not in (REQUIRED, None) else field.default
            found[name] = Field(codec, default=_json(codec, default))
        elif isinstance(field, Argument) and field.is_kept and not field.is_implied:
            codec = codec_of(_annotation(cls, name), f"argument '{name}' of {cls.__name__}")
            found[name] = Field(codec, default=_json(codec, field.default))
    return found


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
        if len(kinds) == 1:
            return codec_of(kinds.pop(), what)
    if origin in (list, tuple, Sequence):
        return ListOf(codec_of(of[0], what))
    if isinstance(annotation, type):
        if issubclass(annotation, (MobilizedBody, Ground)):
            return BODY
        if issubclass(annotation, Measure):
            return MEASURE
    raise UnsupportedError(f"{what} cannot be saved: a model file has no values of type {annotation}.")


def _codec_of_shape(shape: tuple[int, ...]) -> Codec:
    return Numbers(shape[0]) if shape else NUMBER


def _annotation(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        found = get_annotations(base).get(name)
        if found is not None:
            return get_annotations(base, eval_str=True)[name] if isinstance(found, str) else found
    return Any


def _json(codec: Codec, default: Any) -> Any:
    if default is REQUIRED:
        return NEEDED
    return None if default is None else codec.write(default)
