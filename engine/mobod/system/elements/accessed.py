"""How the parameters of an element are read and set: four methods for each of them."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from numpy.typing import ArrayLike

from mobod.system.elements.field import REQUIRED, Field
from mobod.system.state.state import State

T = TypeVar("T")
V = TypeVar("V", contravariant=True)
R = TypeVar("R", covariant=True)
E = TypeVar("E")


class TunedElement(Protocol):
    """An Element, whose parameters are read and set by name."""

    name: Any

    def parameter(self, state: State, name: str) -> Any: ...
    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None: ...
    def default_parameter(self, name: str) -> Any: ...
    def set_default_parameter(self, name: str, value: ArrayLike) -> None: ...


def _is_element(owner: type) -> bool:
    """Whether the class that declares the field is one of elements. Others are equations, which are dataclasses."""
    return hasattr(owner, "set_default_parameter")


class Setter(Protocol[V]):
    """The method `set_NAME(state, value)`. It returns the element."""

    def __get__(self, element: E, owner: type) -> Callable[[State, V], E]: ...


class DefaultSetter(Protocol[V]):
    """The method `set_default_NAME(value)`. It returns the element."""

    def __get__(self, element: E, owner: type) -> Callable[[V], E]: ...


class Default(Protocol[R]):
    """The property `default_NAME`."""

    def __get__(self, element: object, owner: type) -> R: ...


@dataclass(frozen=True, kw_only=True)
class Accessed(Field, Generic[T]):
    """A field of an element that has four methods. With

        pitch: Parameter[float] = parameter("m/rad", "travel along the axis for each radian")
        set_pitch, default_pitch, set_default_pitch = pitch.accessors

    an element `screw` has:

        screw.pitch(state)               the value in a State
        screw.set_pitch(state, value)    sets it there, and returns the element
        screw.default_pitch              the value in new States
        screw.set_default_pitch(value)   sets it, and returns the element; topological: States made before raise when used
    """

    @abstractmethod
    def read(self, element: TunedElement, state: State) -> T:
        """The value in a State."""

    @abstractmethod
    def put(self, element: TunedElement, state: State, value: object) -> None:
        """Set it in a State."""

    @abstractmethod
    def default_of(self, element: TunedElement) -> T:
        """The value in new States."""

    @abstractmethod
    def put_default(self, element: TunedElement, value: object) -> None:
        """Set it in new States."""

    @property
    def accessors(self) -> "tuple[Setter[T], Default[T], DefaultSetter[T]]":
        """(set_NAME, default_NAME, set_default_NAME), for the class of the element that declares the parameter."""
        return self._methods[1:]

    if TYPE_CHECKING:  # the constructor takes a value; nothing else is ever assigned

        def __set__(self, element: object, value: T) -> None: ...

    @overload
    def __get__(self, element: None, owner: type) -> Any: ...
    @overload
    def __get__(self, element: object, owner: type) -> Callable[[State], T]: ...
    def __get__(self, element: object, owner: type) -> Any:
        """Of an element the method that reads it. Of equations, which are dataclasses, the default of the field."""
        if _is_element(owner):
            read = self._methods[0]
            return read if element is None else MethodType(read, element)
        if self.default is REQUIRED:
            raise AttributeError(f"{owner.__name__}.{self.name} has no default.")
        return self.default

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        if not _is_element(owner):
            return
        read, put, default, put_default = self._methods
        default.__doc__ = f"{self.text}, in new States."
        for method, full_name, text in (
            (read, name, self.text),
            (put, f"set_{name}", f"{self.text}. Invalidates the stage that depends on it. Returns the element."),
            (
                put_default,
                f"set_default_{name}",
                f"{self.text}, in new States. Topological: existing States become unusable. Returns the element.",
            ),
        ):
            method.__name__, method.__qualname__, method.__doc__ = full_name, f"{owner.__qualname__}.{full_name}", text

    def __getstate__(self) -> dict[str, object]:
        """Without the methods, which are functions made here: a pickle would hold their code."""
        return {name: value for name, value in self.__dict__.items() if name != "_methods"}

    @cached_property
    def _methods(self) -> Any:
        """Of an element: NAME, set_NAME, default_NAME, set_default_NAME."""

        def read(element: TunedElement, state: State) -> T:
            return self.read(element, state)

        def put(element: TunedElement, state: State, value: object) -> TunedElement:
            self.put(element, state, value)
            return element

        def default(element: TunedElement) -> T:
            return self.default_of(element)

        def put_default(element: TunedElement, value: object) -> TunedElement:
            self.put_default(element, value)
            return element

        return read, put, property(default), put_default
