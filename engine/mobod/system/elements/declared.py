"""Declared: base of classes whose constructor follows from the fields that they declare."""

import re
from collections.abc import Mapping
from inspect import Parameter as Of
from inspect import Signature, cleandoc
from typing import Any, dataclass_transform, get_args, get_origin
from weakref import WeakKeyDictionary

from mobod.errors import ArgumentsError
from mobod.functions.annotated import annotation_of, checked_as
from mobod.spatial import Transform
from mobod.system.elements.accessed import Accessed
from mobod.system.elements.field import REQUIRED, Field, fields_of
from mobod.system.elements.fields import Argument, Given, argument, parameter, parameter_of
from mobod.system.elements.frames import FrameParameter, RotationParameter, frame_of, rotation_of
from mobod.system.elements.parameter import Parameter, VectorParameter
from mobod.system.named_arguments import NamedArguments, check_arguments, signature_of_init

_ARGUMENTS = r"\n\n(?:Further a|A)rguments:\n"
_SIGNATURES: WeakKeyDictionary[type, Signature] = WeakKeyDictionary()


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(argument, parameter, parameter_of, rotation_of, frame_of))
class Declared(NamedArguments):
    """Subclasses declare fields by `argument`. The constructor takes the fields, checks them by their annotations (see checked_as), and
    then calls `__post_init__`.

    Arguments become attributes. While `__post_init__` runs, `given` holds the values of parameters and of arguments that are not kept.
    """

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        if vars(cls).get("__doc__") and cls.__init__ is Declared.__init__:
            cls.__doc__ = _with_arguments(cls)

    def __init__(self, *args: object, **kwargs: object):
        self.given: dict[str, Any] = {}
        cls = type(self)
        for field, value in _bound(cls, args, kwargs):
            if isinstance(field, Argument) and value is not field.default:
                value = checked_as(kept_type(annotation_of(cls, field.name)), value, f"{cls.__name__}: {field.name}")
            if isinstance(field, Argument) and field.is_kept:
                setattr(self, field.name, value)
            else:
                self.given[field.name] = value
        self.__post_init__()
        del self.given

    def __post_init__(self) -> None:
        """Check the arguments and complete the element."""

    @classmethod
    def _about_given(cls, given: Mapping[str, object]) -> str:
        """A hint, after a blank, if another argument may have taken the place of a missing one; else empty."""
        return ""

    def model_arguments(self) -> Mapping[str, object] | None:
        """For model files: the arguments of the constructor by name, without name, disabled and those that the System implies.

        Only a class with an `__init__` of its own must write this method; None means that it did not, and cannot be saved. Numbers,
        texts, arrays, bodies, Transforms, Functions, measures, lists and dicts of these can be saved.
        """
        if type(self).__init__ is not Declared.__init__:
            return None
        arguments: dict[str, object] = {}
        element: Any = self
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Accessed):
                arguments[name] = field.default_of(element)
            elif isinstance(field, Argument) and field.is_kept and not field.is_implied:
                arguments[name] = getattr(self, name)
        return arguments

    @classmethod
    def _constructor_signature(cls) -> Signature:
        """The signature that follows from the fields, or that of the subclass's own `__init__`."""
        return signature_of_fields(cls) if cls.__init__ is Declared.__init__ else signature_of_init(cls)


def signature_of_fields(cls: type) -> Signature:
    """The signature of a constructor that takes the fields: first those by position; of those by name the fields of bases come last."""
    if cls not in _SIGNATURES:
        _SIGNATURES[cls] = Signature([_of_field(cls, each) for each in _in_order(cls)])
    return _SIGNATURES[cls]


def _in_order(cls: type) -> list[Field]:
    declared = list(fields_of(cls).values())
    by_name = [each for base in cls.__mro__ for each in declared if each.kw_only and vars(base).get(each.name) is each]
    return [*(each for each in declared if not each.kw_only), *by_name]


def written_docstring(cls: type) -> str:
    """The docstring of an element's class as its author wrote it, without the list of arguments for help()."""
    return re.split(_ARGUMENTS, cleandoc(cls.__doc__ or ""))[0]


def _with_arguments(cls: type) -> str:
    """The docstring, and after it the constructor's arguments in order, for help(). Those that it describes itself are not repeated."""
    text = written_docstring(cls)
    described = {name for names in re.findall(r"^(\w+(?:, \w+)*)(?:  |$)", text, re.MULTILINE) for name in names.split(", ")}
    fields = _in_order(cls)
    listed = [field for field in fields if field.name not in described and field.text]
    if not listed:
        return text
    widest = max(len(field.name) for field in listed)
    lines = "\n".join(f"{field.name:<{widest}}  {_described(field)}" for field in listed)
    heading = "Further arguments" if any(field.name in described for field in fields) else "Arguments"
    return f"{text}\n\n{heading}:\n{lines}"


def _described(field: Field) -> str:
    is_plain = isinstance(field.default, (bool, int, float, str)) and "default:" not in field.text
    return f"{field.text}; default: {field.default!r}" if is_plain else field.text


def _of_field(cls: type, field: Field) -> Of:
    return Of(
        field.name,
        Of.KEYWORD_ONLY if field.kw_only else Of.POSITIONAL_OR_KEYWORD,
        default=Of.empty if field.default is REQUIRED else field.default,
        annotation=given_type(annotation_of(cls, field.name)),
    )


def given_type(annotation: object) -> object:
    """The type of the argument for a field with this annotation: float for Parameter[float]."""
    origin, of = get_origin(annotation), get_args(annotation)
    if origin is Given:
        return of[1]
    if origin is Parameter:
        return of[0]
    if annotation is FrameParameter:
        return Transform
    return "ArrayLike" if annotation in (VectorParameter, RotationParameter) else annotation


def kept_type(annotation: object) -> object:
    """The type of the attribute for an argument with this annotation: R for Given[R, V]."""
    return get_args(annotation)[0] if get_origin(annotation) is Given else annotation


def _bound(cls: type[Declared], args: tuple[object, ...], kwargs: dict[str, object]) -> list[tuple[Field, object]]:
    """Each field with its value. Raises ArgumentsError for missing, superfluous and unknown arguments."""
    fields = fields_of(cls)
    of_fields = signature_of_fields(cls)
    check_arguments(cls.__name__, of_fields, args, kwargs)
    by_position = [name for name, each in of_fields.parameters.items() if each.kind is Of.POSITIONAL_OR_KEYWORD]
    given = dict(zip(by_position, args, strict=False))
    twice = given.keys() & kwargs.keys()
    if twice:
        raise ArgumentsError(f"{cls.__name__}: the argument '{min(twice)}' was given twice, by position and by name.")
    given |= kwargs
    for name, each in fields.items():
        if each.default is REQUIRED and name not in given:
            raise ArgumentsError(f"{cls.__name__}: the argument '{name}' is missing: {each.text}.{cls._about_given(given)}")
    return [(field, given.get(name, field.default)) for name, field in fields.items()]
