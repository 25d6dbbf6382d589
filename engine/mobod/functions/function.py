"""Function: what the engine asks of a function of real numbers, and what it makes from its value alone, the derivatives."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from math import inf
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.overrides import check_overrides
from mobod.errors import InputError, UnsupportedError, described
from mobod.functions.annotated import annotation_of, checked_as
from mobod.functions.checked import checked_count
from mobod.functions.derivative import derivative_of_value, shape_of_value
from mobod.functions.derivative_check import compare_derivatives
from mobod.scalar import Array, is_recorded


def _with_checked_argument(value: Callable[..., object]) -> Callable[..., Any]:
    @wraps(value)
    def checked(self: "Function", x: ArrayLike) -> Any:
        return _as_result(value(self, self._checked_argument(x)))

    return checked


def _with_checked_components(derivative: Callable[..., object]) -> Callable[..., Any]:
    @wraps(derivative)
    def checked(self: "Function", components: Sequence[int], x: ArrayLike) -> Any:
        return _as_result(derivative(self, self._checked_components(components), self._checked_argument(x)))

    return checked


def _as_result(result: object) -> Any:
    """A scalar, or an array of several."""
    return np.asarray(result)[()]


class Function(ABC):
    """A function of one or several real numbers, with one value or several. Write a subclass:

        class Cam(mb.Function):
            def value(self, x):
                return 0.02 * np.sin(x[0]) ** 2

    value(x)                   x (n_args,) -> scalar or (m,); NumPy on floats and on recorded scalars
    derivative(components, x)  as `value`, differentiated by each argument that the components number: (0,) is the first derivative by
                               x[0], (0, 1) the mixed second one. Made by differentiating `value`, unless you write it.
    argument_size              given to __init__ as n_args, or a property of yours; 1 without
    antiderivative()           None, unless you write it
    max_derivative_order       given to __init__, or a property of yours; infinite without. Say it if you write `derivative`, or if the
                               value is not smooth.

    The fields of a dataclass are checked by their annotations: a `float` is a finite number (see checked_as).
    Elements take functions as structure: a Function must not change, and equal ones must be equal (a frozen dataclass, or always the same
    object). Given derivatives can be checked by `check_derivatives`. One whose value takes plain numbers alone says `recordable = False`:
    it serves in a CustomForce that says the same, and nowhere else.
    Asking for what is not there, and arguments of another number, raise InputError.
    """

    recordable = True
    _argument_size = 1
    _max_derivative_order: float = inf

    def __init__(self, n_args: int = 1, *, max_derivative_order: float = inf):
        """Raises InputError unless there is an argument, and the order is a whole number or infinity."""
        self._argument_size = checked_count(n_args, f"{self}: n_args", least=1)
        if max_derivative_order != inf:
            checked_count(max_derivative_order, f"{self}: max_derivative_order", least=0)
        self._max_derivative_order = max_derivative_order

    def __post_init__(self) -> None:
        """Of a dataclass: its fields are checked by their annotations (see checked_as). Raises InputError."""
        own: Any = self
        for each in fields(own):
            value = checked_as(annotation_of(type(self), each.name), getattr(self, each.name), f"{self}: {each.name}")
            object.__setattr__(self, each.name, value)

    def __init_subclass__(cls, **keywords: object) -> None:
        """Who writes `value` and `derivative` need not check what they get."""
        super().__init_subclass__(**keywords)
        check_overrides(cls)
        if "value" in cls.__dict__:
            cls.value = _with_checked_argument(cls.__dict__["value"])  # type: ignore[method-assign] # as written, but checked
        if "derivative" in cls.__dict__:
            cls.derivative = _with_checked_components(cls.__dict__["derivative"])  # type: ignore[method-assign] # the same

    @staticmethod
    def of(function: Callable[[Array], ArrayLike], n_args: int = 1, *, name: str | None = None) -> "Function":
        """A plain callable as a Function; equal to others of the same callable.

        function   x (n_args,) -> scalar or (m,); NumPy on floats and on recorded scalars
        name       for messages; the callable's own if left out
        """
        return _Callable(function, n_args, str(name or getattr(function, "__name__", type(function).__name__)))

    @property
    def name(self) -> str:
        """For messages: the name of its class."""
        return type(self).__name__

    @property
    def argument_size(self) -> int:
        """The number of arguments."""
        return self._argument_size

    @property
    def max_derivative_order(self) -> float:
        """A whole number, or infinity."""
        return self._max_derivative_order

    @abstractmethod
    def value(self, x: Any) -> Any:
        """x (n_args,) -> scalar or (m,); NumPy on floats and on recorded scalars."""

    def derivative(self, components: Sequence[int], x: Any) -> Any:
        """The derivative at x (n_args,) by the arguments that the components number; (0, 0) is the second one by x[0]."""
        return derivative_of_value(self, self._checked_components(components), self._checked_argument(x))

    def __call__(self, *arguments: ArrayLike) -> Any:
        """The value at these arguments, or at an array x (n_args,): `table(q)`, `map(q, u)`. A CustomForce can call it, too."""
        return self.value(np.concatenate([np.ravel(each) for each in arguments]) if arguments else np.zeros(0))

    def antiderivative(self) -> "Function | None":
        """A function of the same arguments whose derivative by the first one is this function; None if none is known.

        Built-in functions have one. Write it in yours if something needs it: the energy of a MobilityTableSpring does.
        """
        return None

    def check_derivatives(self, x: ArrayLike, order: int = 2, *, step: float = 1e-5) -> None:
        """Compare the derivatives, up to an order, with those of the value: exact ones, if it can be recorded, and central differences.

        x     (n_args,)  where the function is smooth
        step             of the differences, in each argument; much smaller than what the function varies over
        raises           InputError, which names the first derivative that differs, and both numbers
        """
        compare_derivatives(self, self._checked_argument(x).astype(float), int(min(order, self.max_derivative_order)), step)

    def check_fits(self, needed_by: str, *, argument_size: int, derivative_order: int) -> None:
        """Raises InputError unless the function has as many arguments, and derivatives of that order; UnsupportedError if it cannot be
        recorded.

        needed_by  for messages: "mobilizer 'knee'"
        """
        if not self.recordable:
            raise UnsupportedError(
                f"{needed_by} needs exact derivatives, and {self} says recordable = False. Fit a Spline to its values "
                "(functions.Spline.fit), or call it in a CustomForce that says recordable = False as well."
            )
        if self.argument_size != argument_size:
            raise InputError(f"{needed_by}: {self} has {self.argument_size} arguments. {argument_size} are given to it.")
        if self.max_derivative_order < derivative_order:
            raise InputError(f"{needed_by} needs derivatives of order {derivative_order}. {self._what_it_has()}")
        try:
            hash(self)
        except TypeError as error:
            raise InputError(f"{needed_by}: {self} cannot be hashed. Make it a dataclass with frozen=True.") from error

    def check_one_value(self, needed_by: str) -> None:
        """Raises InputError if the function has several values. needed_by: for messages."""
        shape = shape_of_value(self)
        if shape != ():
            raise InputError(f"{needed_by}: {self} has values of shape {shape}. One number is needed.")

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # it does not change, and copies of a System share what was recorded

    def __str__(self) -> str:
        return f"function '{self.name}'"

    def _checked_argument(self, x: ArrayLike) -> np.ndarray:
        array = np.asarray(x)
        if not array.ndim and self.argument_size == 1:
            array = array.reshape(1)
        if array.shape != (self.argument_size,):
            raise InputError(f"{self} was given an argument of shape {np.shape(x)}. Its shape is ({self.argument_size},).")
        if array.dtype.kind in "fc" or is_recorded(array):
            return array
        if array.dtype.kind not in "biu":
            raise InputError(f"{self} was given {x!r}. Numbers are needed.")
        return array.astype(float)

    def _checked_components(self, components: Sequence[int]) -> tuple[int, ...]:
        try:
            numbers = tuple(index(component) for component in components)
        except TypeError:
            raise InputError(f"{self}: the components of a derivative are {components!r}. A list of argument numbers is needed.") from None
        if not numbers:
            raise InputError(f"{self}: a derivative by nothing was asked for. Ask for the value, or name components.")
        for component in numbers:
            if not 0 <= component < self.argument_size:
                raise InputError(f"{self}: there is no argument {component}. They are numbered from 0 to {self.argument_size - 1}.")
        if len(numbers) > self.max_derivative_order:
            raise InputError(f"{self}: a derivative of order {len(numbers)} was asked for, {numbers}. {self._what_it_has()}")
        return numbers

    def _what_it_has(self) -> str:
        if self.max_derivative_order < 1:
            return f"{self} has no derivatives."
        return f"{self} has none above order {self.max_derivative_order:g}."


class _Callable(Function):
    """See Function.of."""

    def __init__(self, function: Callable[[Array], ArrayLike], n_args: int, name: str):
        self._function = function
        self._name = name
        super().__init__(n_args)

    @property
    def name(self) -> str:
        return self._name

    @property
    def callable(self) -> Callable[[Array], ArrayLike]:
        return self._function

    def value(self, x: Array) -> Any:
        return self._function(x)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Callable):
            return NotImplemented
        return self._function == other._function and self.argument_size == other.argument_size

    def __hash__(self) -> int:
        return hash((self._function, self.argument_size))


def checked_is_function(function: object, what: str) -> Function:
    """The function itself. Raises InputError unless it is a Function; `what` takes it, for the message."""
    if isinstance(function, Function):
        return function
    remedy = "Write mb.Function.of(callable, n_args)" if callable(function) else "See mobod.functions"
    raise InputError(f"{what}: the function is a Function, not {described(function)}. {remedy}.")
