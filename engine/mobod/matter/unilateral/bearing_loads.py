"""The loads of bearings and guides: what the dry friction of a joint is proportional to, from the joint's reaction."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self, final

from mobod.errors import InputError
from mobod.matter.parameters import Parametrised, equations
from mobod.scalar import Array, Scalar, is_recorded, maximum, norm, where
from mobod.system.elements import parameter
from mobod.system.named_arguments import named_arguments


class JointLoad(Parametrised, ABC):
    """Dry friction of a joint that is proportional to the load that the joint carries.

    friction         coefficient of a slip
    static_friction  at rest, at least friction; None: the same
    """

    friction: float
    static_friction: float | None

    def __post_init__(self) -> None:
        values = [getattr(self, each.name) for each in self.parameters]
        if not is_recorded(values) and not any(isinstance(value, complex) for value in values):  # complex: a derivative by a complex step
            self.checked(type(self).__name__)

    @abstractmethod
    def measured(self, torque: Array, force: Array) -> Scalar:
        """The load, N or N m, of a reaction (3,) N m and (3,) N in the axes of the mobilizer's frame M, about its origin."""

    def coefficients(self) -> tuple[float, float]:
        """(at rest, of a slip), which may be recorded."""
        return (self.friction if self.static_friction is None else self.static_friction), self.friction

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same load with other numbers, which are not checked and may be recorded; values (n_parameters,)."""
        load = object.__new__(type(self))
        load.__dict__.update(vars(self))
        load.__dict__.update(zip((each.name for each in self.parameters), values, strict=True))
        return load

    def checked(self, owner: str) -> Self:
        """The same load with numbers checked for `owner`. Raises InputError."""
        static = self.coefficients()[0]
        whole = [static if each.name == "static_friction" else getattr(self, each.name) for each in self.parameters]
        made = super(JointLoad, self.with_parameters(whole)).checked(owner)
        static, kinetic = made.coefficients()
        if static < kinetic:
            raise InputError(
                f"{owner}: its static_friction, {static:g}, is below friction, {kinetic:g}. Friction at rest is at least that of a slip."
            )
        return made


@final
@named_arguments
@equations
class BearingLoad(JointLoad):
    """The load of the bearing of a Pin: friction of N m grows by friction times

        radius |F_radial| + thrust_radius |F_axial| + radius |M_bending| / half_distance

    with the reaction of the joint about the origin of its frame M: F_radial and M_bending are normal to the axis, F_axial is along it.

    friction         coefficient of a slip, at least 0
    radius           m, of the shaft, above 0
    static_friction  at rest, at least friction; default: the same
    thrust_radius    m, mean radius of the surface that carries the axial force; default 0: it has no friction
    half_distance    m, half the distance of the two bearings that carry the moment; default 0: the moment has no friction

    The sum of the three parts is an upper bound where forces and moments press at the same places.
    """

    friction: float = parameter("1", "coefficient of friction of a slip of the bearing", least=0.0)
    radius: float = parameter("m", "radius of the shaft", above=0.0)
    static_friction: float | None = parameter("1", "coefficient of friction at rest of the bearing", default=None, least=0.0)
    thrust_radius: float = parameter("m", "mean radius of the surface that carries the axial force", default=0.0, least=0.0)
    half_distance: float = parameter(
        "m", "half the distance of the bearings that carry the moment (0: it has no friction)", default=0.0, least=0.0
    )

    def measured(self, torque: Array, force: Array) -> Scalar:
        """N m: the load of a reaction, in the axes of M."""
        from_moment = where(self.half_distance > 0, self.radius / where(self.half_distance > 0, self.half_distance, 1.0), 0.0)
        return self.radius * norm(force[:2]) + self.thrust_radius * maximum(force[2], 0.0 - force[2]) + from_moment * norm(torque[:2])


@final
@named_arguments
@equations
class GuideLoad(JointLoad):
    """The load of the guide of a Slider: friction of N grows by friction times

        |F_n| + |M| / half_length

    with the reaction of the joint about the origin of its frame M: F_n is the force normal to the guide, M the whole moment.

    friction         coefficient of a slip, at least 0
    static_friction  at rest, at least friction; default: the same
    half_length      m, half the length of the carriage, which carries the moment; default 0: the moment has no friction

    The sum is an upper bound where force and moment press at the same places.
    """

    friction: float = parameter("1", "coefficient of friction of a slip of the guide", least=0.0)
    static_friction: float | None = parameter("1", "coefficient of friction at rest of the guide", default=None, least=0.0)
    half_length: float = parameter(
        "m", "half the length of the carriage that carries the moment (0: it has no friction)", default=0.0, least=0.0
    )

    def measured(self, torque: Array, force: Array) -> Scalar:
        """N: the load of a reaction, in the axes of M."""
        from_moment = where(self.half_length > 0, 1 / where(self.half_length > 0, self.half_length, 1.0), 0.0)
        return norm(force[1:]) + from_moment * norm(torque)
