"""Element: base of classes whose constructor follows from the fields that they declare."""

from collections.abc import Mapping
from functools import cache
from inspect import Parameter as Of
from inspect import Signature
from typing import Any, dataclass_transform

from mobod.errors import ArgumentsError
from mobod.system.elements.accessed import Accessed, TunedElement
from mobod.system.elements.field import REQUIRED, Field, fields_of
from mobod.system.elements.fields import Argument, argument, parameter, parameter_of
from mobod.system.elements.frames import Composed, frame_of, rotation_of
from mobod.system.elements.parameter import Parameter
from mobod.system.named_arguments import NamedArguments, check_arguments, signature_of_init


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(argument, parameter, parameter_of, rotation_of, frame_of))
class Element(NamedArguments, TunedElement):
    """Subclasses declare fields, by `argument` and `parameter`; the constructor takes them, fields of bases first.

    Arguments become attributes. The values of parameters, and of arguments that are not kept, are in `given` by name while
    `__post_init__` runs, which subclasses write as in a dataclass.
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
        """The parameters that were given, as they come, while `__post_init__` runs; those that equations have in parts by part."""
        values: dict[str, Any] = {}
        for name, field in fields_of(type(self)).items():
            if isinstance(field, Composed):
                values |= dict(zip(field.parts, field.split(self.given[name], f"{type(self).__name__}: {name}"), strict=True))
            elif isinstance(field, Parameter):
                values[name] = self.given[name]
        return values

    def model_arguments(self) -> Mapping[str, Any] | None:
        """For model files: the arguments of the constructor by name, but for those that the System implies, name and disabled.

        A class whose constructor follows from its fields has nothing to write. None: the class does not say what it was made of.
        Numbers, texts, arrays, bodies, Transforms, Functions, measures, lists and dicts of these can be saved.
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
    def constructor_signature(cls) -> Signature:
        """That of the fields, unless a subclass has an `__init__` of its own."""
        return signature_of_fields(cls) if cls.__init__ is Element.__init__ else signature_of_init(cls)


@cache
def signature_of_fields(cls: type) -> Signature:
    """Of a constructor that takes the fields of the class: those by position, then those by name, where those of bases come last."""
    declared = list(fields_of(cls).values())
    by_name = [each for base in cls.__mro__ for each in declared if each.kw_only and vars(base).get(each.name) is each]
    fields = [*(each for each in declared if not each.kw_only), *by_name]
    return Signature(
        [
            Of(
                each.name,
                Of.KEYWORD_ONLY if each.kw_only else Of.POSITIONAL_OR_KEYWORD,
                default=Of.empty if each.default is REQUIRED else each.default,
            )
            for each in fields
        ]
    )


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
