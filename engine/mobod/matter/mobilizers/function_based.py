"""FunctionBased: rotations and translations that are functions of the coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.functions import Constant, Function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations, Rotation
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform, rotation_about, rotation_x, rotation_y, rotation_z
from mobod.spatial.checked import checked_axis, checked_floats
from mobod.system.elements import Given, argument

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) * 2
_ROTATIONS = dict(zip(AXES, (rotation_x, rotation_y, rotation_z), strict=False))  # fewer operations than about any axis


@final
@dataclass(frozen=True)
class FunctionBasedEquations(MobilizerEquations):
    """R_FM = R(a0, f0) R(a1, f1) R(a2, f2) and p_FM = a3 f3 + a4 f4 + a5 f5, with functions f of the coordinates, along unit axes a.

    q  (n,)  rad or m      rad if a rotation depends on it
    u  (n,)  rad/s or m/s  their rates

    coordinate_indices  for each function the coordinates that are its arguments
    Source: Seth et al., Minimal formulation of joint motion for biomechanisms, Nonlinear Dynamics 62 (2010).
    """

    functions: tuple[Function, ...]
    coordinate_indices: tuple[tuple[int, ...], ...]
    axes: tuple[tuple[float, float, float], ...] = AXES

    @property
    def nq(self) -> int:
        return 1 + max(index for indices in self.coordinate_indices for index in indices)

    @property
    def nu(self) -> int:
        return self.nq

    @property
    def q_units(self) -> tuple[str, ...]:
        turning = {index for indices in self.coordinate_indices[:3] for index in indices}
        return tuple("rad" if each in turning else "m" for each in range(self.nq))

    @property
    def u_units(self) -> tuple[str, ...]:
        return tuple(f"{unit}/s" for unit in self.q_units)

    @property
    def default_q(self) -> tuple[float, ...]:
        return (0.0,) * self.nq

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return tuple(range(self.nq))

    @property
    def rotation(self) -> Rotation:
        return "any" if any(self.coordinate_indices[:3]) else "none"

    def X_FM(self, q: Array) -> Transform:
        first, second, third = self._rotations(q)
        return Transform.of(first @ second @ third, self._along(3, q) + self._along(4, q) + self._along(5, q))

    def H_FM(self, q: Array) -> Array:
        """Column j is the velocity for a unit rate of coordinate j: each axis where its rotation takes place, times df/dq_j."""
        first, second, _ = self._rotations(q)
        turned = [np.array(axis) for axis in self.axes]
        turned[1] = first @ turned[1]
        turned[2] = first @ (second @ turned[2])
        columns = []
        for j in range(self.nq):
            slopes = [self._slope(k, j, q) for k in range(6)]
            w = slopes[0] * turned[0] + slopes[1] * turned[1] + slopes[2] * turned[2]
            v = slopes[3] * turned[3] + slopes[4] * turned[4] + slopes[5] * turned[5]
            columns.append(np.concatenate([w, v]))
        return np.array(columns).T

    def q_dot(self, q: Array, u: Array) -> Array:
        return u

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return q  # functions have no inverse that is known: fitting begins here

    def _arguments(self, k: int, q: Array) -> Array:
        """Of function k; a constant without coordinates does not look at its own."""
        indices = self.coordinate_indices[k]
        return q[list(indices)] if indices else np.zeros(self.functions[k].argument_size)

    def _value(self, k: int, q: Array) -> Scalar:
        value = self.functions[k].value(self._arguments(k, q))
        if np.shape(value):
            raise InputError(f"FunctionBased: function {k} has a value of shape {np.shape(value)}. One number is needed.")
        return value

    def _slope(self, k: int, j: int, q: Array) -> Scalar:
        """df_k/dq_j; a coordinate may be several of its arguments."""
        places = [place for place, index in enumerate(self.coordinate_indices[k]) if index == j]
        slopes = [self.functions[k].derivative((place,), self._arguments(k, q)) for place in places]
        return sum(slopes[1:], start=slopes[0]) if slopes else 0

    def _rotations(self, q: Array) -> list[Array]:
        angles = [self._value(k, q) for k in range(3)]
        pairs = zip(self.axes[:3], angles, strict=True)
        return [_ROTATIONS[axis](angle) if axis in _ROTATIONS else rotation_about(axis, angle) for axis, angle in pairs]

    def _along(self, k: int, q: Array) -> Array:
        return np.array(self.axes[k]) * self._value(k, q)


@final
class FunctionBased(MobilizedBody):
    """A body whose pose is given by six functions of one to six coordinates (see FunctionBasedEquations).

    functions           six, with second derivatives: three angles (rad), three distances (m); a number stands for a constant
    coordinate_indices  six sequences: for each function the numbers of the coordinates that are its arguments; none for a constant
    axes                six, (3,) each, of any length but 0: of the rotations, each in the frame that those before it have turned, and
                        of the translations, in F; default: x, y, z, x, y, z
    """

    functions: Given[tuple[Function, ...], Sequence[Function | float]] = argument("six: three angles, rad, and three distances, m")
    coordinate_indices: Given[tuple[tuple[int, ...], ...], Sequence[Sequence[int]]] = argument("for each function its coordinates")
    axes: Given[tuple[tuple[float, float, float], ...], Sequence[ArrayLike] | None] = argument("six, of any length but 0", default=AXES)

    def __post_init__(self) -> None:
        name = self.given["name"]
        what = "FunctionBased" if name is None else f"FunctionBased '{name}'"
        indices = self.coordinate_indices = _checked_indices(_six(self.coordinate_indices, f"{what}: coordinate_indices"), what)
        functions = _six(self.functions, f"{what}: functions")
        self.functions = tuple(_checked_function(each, indices[k], f"{what}: function {k}") for k, each in enumerate(functions))
        axes: object = self.axes
        each_axis = enumerate(_six(AXES if axes is None else axes, f"{what}: axes"))
        self.axes = tuple(checked_axis(axis, f"{what}: axis {k}") for k, axis in each_axis)
        self.equations = FunctionBasedEquations(self.functions, indices, self.axes)
        super().__post_init__()


def _six(values: Any, what: str) -> list[Any]:
    try:
        found = list(values)
    except TypeError:
        raise InputError(f"{what} is {values!r}. Six are needed: for three rotations, then for three translations.") from None
    if len(found) != 6:
        raise InputError(f"{what}: there are {len(found)}. Six are needed: for three rotations, then for three translations.")
    return found


def _checked_indices(coordinate_indices: list[Any], what: str) -> tuple[tuple[int, ...], ...]:
    checked = []
    for k, indices in enumerate(coordinate_indices):
        try:
            numbers = tuple(index(number) for number in indices)
        except TypeError:
            raise InputError(f"{what}: coordinate_indices[{k}] is {indices!r}. A list of coordinate numbers is needed.") from None
        if not all(0 <= number < 6 for number in numbers):
            raise InputError(f"{what}: coordinate_indices[{k}] is {list(numbers)}. Coordinates are numbered from 0 to at most 5.")
        checked.append(numbers)
    used = {number for numbers in checked for number in numbers}
    if not used:
        raise InputError(f"{what}: no function has a coordinate. Give coordinate_indices to at least one, or use a Weld.")
    unused = sorted(set(range(max(used))) - used)
    if unused:
        raise InputError(f"{what}: nothing depends on coordinate {unused[0]}. Number the coordinates from 0 without gaps.")
    return tuple(checked)


def _checked_function(function: object, indices: tuple[int, ...], what: str) -> Function:
    if not isinstance(function, Function):
        try:
            function = Constant(float(checked_floats(function, (), what)), max(len(indices), 1))
        except InputError:
            raise InputError(f"{what} is {function!r}. A Function or a number is needed; see Function.of.") from None
    if not indices and not isinstance(function, Constant):
        raise InputError(f"{what} has no coordinates, and is not a constant. Give its coordinate_indices.")
    if indices:
        function.check_fits(what, argument_size=len(indices), derivative_order=2)
    return function
