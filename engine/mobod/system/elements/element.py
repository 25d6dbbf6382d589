"""Element: base of classes whose constructor follows from the fields that they declare."""

from collections.abc import Mapping
from functools import cache
from inspect import Parameter as Of
from inspect import Signature
from typing import Any, dataclass_transform, get_args, get_origin

from mobod.errors import ArgumentsError
from mobod.spatial import Transform
from mobod.system.elements.accessed import Accessed, TunedElement
from mobod.system.elements.field import REQUIRED, Field, annotation_of, fields_of
from mobod.system.elements.fields import Argument, Given, argument, parameter, parameter_of
from mobod.system.elements.frames import Composed, FrameParameter, RotationParameter, frame_of, rotation_of
from mobod.system.elements.parameter import Parameter, VectorParameter
from mobod.system.named_arguments import NamedArguments, check_arguments, signature_of_init


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(argument, parameter, parameter_of, rotation_of, frame_of))
class Element(NamedArguments, TunedElement):
    """Subclasses declare fields by `argument` and `parameter`. The constructor takes the fields and then calls `__post_init__`.

    Arguments become attributes. While `__post_init__` runs, `given` holds the values of parameters and of arguments that are not kept.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        self.given: dict[str, Any] = {}
        for field, value in _bound(type(self), args, kwargs):
            if isinstance(field, Argument) and field.is_kept:
                setattr(self, field.name, value)
            else:
                self.given[field.name] = value
        self.__post_init__()
        del self.given

    def __post_init__(self) -> None:
        """Check the arguments and complete the element."""

    def parameter_values(self) -> dict[str, Any]:
        """For `__post_init__`: the given values of the parameters, by name; frames and rotations in parts, as equations need them."""
        values: dict[str, Any] = {}
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Composed):
                values |= dict(zip(field.parts, field.split(self.given[name], f"{type(self).__name__}: {name}"), strict=True))
            elif isinstance(field, Parameter):
                values[name] = self.given[name]
        return values

    def model_arguments(self) -> Mapping[str, Any] | None:
        """For model files: the arguments of the constructor by name, without name, disabled and those that the System implies.

        Only a class with an `__init__` of its own must write this method; None means that it did not, and cannot be saved. Numbers,
        texts, arrays, bodies, Transforms, Functions, measures, lists and dicts of these can be saved.
        """
        if type(self).__init__ is not Element.__init__:
            return None
        arguments: dict[str, Any] = {}
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Accessed):
                arguments[name] = field.default_of(self)
            elif isinstance(field, Argument) and field.is_kept and not field.is_implied:
                arguments[name] = getattr(self, name)
        return arguments

    @classmethod
    def _constructor_signature(cls) -> Signature:
        """The signature that follows from the fields, or that of the subclass's own `__init__`."""
        return signature_of_fields(cls) if cls.__init__ is Element.__init__ else signature_of_init(cls)


@cache
def signature_of_fields(cls: type) -> Signature:
    """The signature of a constructor that takes the fields: first those by position; of those by name the fields of bases come last."""
    declared = list(fields_of(cls).values())
    by_name = [each for base in cls.__mro__ for each in declared if each.kw_only and vars(base).get(each.name) is each]
    fields = [*(each for each in declared if not each.kw_only), *by_name]
    return Signature(
        [
            Of(
                each.name,
                Of.KEYWORD_ONLY if each.kw_only else Of.POSITIONAL_OR_KEYWORD,
                default=Of.empty if each.default is REQUIRED else each.default,
                annotation=given_type(annotation_of(cls, each.name)),
            )
            for each in fields
        ]
    )


def given_type(annotation: Any) -> Any:
    """The type of the argument for a field with this annotation: float for Parameter[float]."""
    origin, of = get_origin(annotation), get_args(annotation)
    if origin is Given:
        return of[1]
    if origin is Parameter:
        return of[0]
    if annotation is FrameParameter:
        return Transform
    return "ArrayLike" if annotation in (VectorParameter, RotationParameter) else annotation


def _bound(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[Field, Any]]:
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
            raise ArgumentsError(f"{cls.__name__}: the argument '{name}' is missing: {each.text}.")
    return [(field, given.get(name, field.default)) for name, field in fields.items()]
