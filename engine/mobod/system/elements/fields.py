"""`argument`, `parameter` and `parameter_of`: how the class of an element declares what its constructor takes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final
from weakref import WeakKeyDictionary

import numpy as np

from mobod.system.elements.field import REQUIRED, Field, fields_of
from mobod.system.elements.parameter import Parameter

R = TypeVar("R", covariant=True)
V = TypeVar("V", contravariant=True)

_PARAMETERS: WeakKeyDictionary[type, dict[str, Parameter[float | np.ndarray]]] = WeakKeyDictionary()


class Given(Generic[R, V]):
    """For annotations: an attribute of type R whose argument may be a V, such as a Transform, or None for the identity."""

    if TYPE_CHECKING:

        def __get__(self, element: object, owner: type) -> R: ...

        def __set__(self, element: object, value: V) -> None: ...


Name = Given[str, str | None]  # if None is given, a name is found


@final
@dataclass(frozen=True, kw_only=True)
class Argument(Field):
    """An argument of an element's constructor that is not a parameter: a body, a frame, an index. It becomes an attribute.

    description  what it is
    is_kept      if not, it becomes no attribute, and `__post_init__` finds it in `given`
    is_implied   model files do not hold it, since it follows from the System
    """

    description: str = ""
    is_kept: bool = True
    is_implied: bool = False

    @property
    def text(self) -> str:
        """What it is, for help() and messages."""
        return self.description

    def __get__(self, element: object, owner: type) -> "Argument":
        if element is not None:  # Python asks here only if the element has no such attribute
            raise AttributeError(f"'{owner.__name__}' has no attribute '{self.name}'.", name=self.name, obj=element)
        return self


def argument(
    description: str = "", *, default: object = REQUIRED, kw_only: bool = True, is_kept: bool = True, is_implied: bool = False
) -> Any:
    """Declare an argument of the element's constructor that is not a parameter (see Argument)."""
    return Argument(description=description, default=default, kw_only=kw_only, is_kept=is_kept, is_implied=is_implied)


def parameter(
    unit: str | tuple[str, ...],
    description: str,
    *,
    default: object = REQUIRED,
    kw_only: bool = True,
    shape: tuple[int, ...] = (),
    above: float | None = None,
    below: float | None = None,
    least: float | None = None,
    greatest: float | None = None,
    is_bound: bool = False,
    is_direction: bool = False,
    is_filled: bool = False,
    is_input: bool = False,
    units_of_value: str | None = None,
) -> Any:
    """Declare a parameter of an element, or of equations, which are frozen dataclasses (see Parameter)."""
    return Parameter(
        unit=unit,
        description=description,
        default=default,
        kw_only=kw_only,
        shape=shape,
        above=above,
        below=below,
        least=least,
        greatest=greatest,
        is_bound=is_bound,
        is_direction=is_direction,
        is_filled=is_filled,
        is_input=is_input,
        units_of_value=units_of_value,
    )


def parameter_of(equations: type, *, default: object = REQUIRED, kw_only: bool = True) -> Any:
    """Declare the parameter of an element that its equations declare under the same name."""
    return Parameter(unit="", description="", default=default, kw_only=kw_only, equations=equations)


def parameters_of(cls: type) -> dict[str, Parameter[float | np.ndarray]]:
    """The parameters that a class and its bases declare, by name."""
    if cls not in _PARAMETERS:
        _PARAMETERS[cls] = {name: each for name, each in fields_of(cls).items() if isinstance(each, Parameter)}
    return _PARAMETERS[cls]
