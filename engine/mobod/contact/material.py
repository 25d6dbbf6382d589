"""ContactMaterial: what the surface of a shape is made of, and how the materials of two surfaces combine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np

from mobod.errors import InputError
from mobod.matter.parameters import Parametrised, equations
from mobod.scalar import Array, Scalar, is_recorded, where
from mobod.system.elements import REQUIRED, Composed, Parameter, parameter, parameters_of
from mobod.system.named_arguments import named_arguments

NAMES = ("stiffness", "dissipation", "static_friction", "dynamic_friction", "viscous_friction")


@final
@named_arguments
@equations
class ContactMaterial(Parametrised):
    """The material of a surface in contact.

    stiffness         Pa, plane strain modulus Y / (1 - nu^2), of Hertz's law; N/m of linear laws; above 0
    dissipation       s/m, at least 0: the loss of slow impacts by their speed (see the force); s of a law of Kelvin and Voigt
    static_friction   coefficient of friction at rest; default: dynamic_friction
    dynamic_friction  coefficient of friction while it slips, at most static_friction; default: static_friction, or 0
    viscous_friction  s/m, coefficient for each m/s of slip

    Two materials combine as Simbody's do (see `combined_hertz` and `combined_linear`), or by a function of the user's.
    """

    stiffness: float = parameter("Pa", "stiffness", above=0.0, kw_only=False)
    dissipation: float = parameter("s/m", "dissipation", default=0.0, least=0.0, kw_only=False)
    static_friction: float = parameter("1", "coefficient of friction at rest", default=None, least=0.0, kw_only=False)
    dynamic_friction: float = parameter("1", "coefficient of friction while it slips", default=None, least=0.0, kw_only=False)
    viscous_friction: float = parameter("s/m", "viscous coefficient of friction", default=0.0, least=0.0, kw_only=False)

    def __post_init__(self) -> None:
        values = [getattr(self, each.name) for each in self.parameters]
        if is_recorded(values) or any(isinstance(value, complex) for value in values):  # complex: a derivative by a complex step
            return
        coefficients: dict[str, object] = {name: getattr(self, name) for name in ("static_friction", "dynamic_friction")}
        given = [each for each in coefficients.values() if each is not None]
        for name, value in coefficients.items():
            if value is None:
                object.__setattr__(self, name, given[0] if given else 0.0)
        for each in self.parameters:
            object.__setattr__(self, each.name, float(each.checked(getattr(self, each.name), f"ContactMaterial: {each.name}")))
        if self.static_friction < self.dynamic_friction:
            raise InputError(
                f"ContactMaterial: static_friction, {self.static_friction:g}, is below dynamic_friction, {self.dynamic_friction:g}. "
                "Friction at rest is at least that of slip: raise it, or leave it out."
            )

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same with other numbers, which are not checked and may be recorded; values (5,), in the order of the fields."""
        return self.unchecked(values)

    @classmethod
    def unchecked(cls, values: Sequence[Scalar] | Array) -> Self:
        """The material of numbers that are not checked and may be recorded; values (5,), in the order of the fields."""
        material = object.__new__(cls)
        material.__dict__.update(zip(NAMES, values, strict=True))
        return material


Combination = Callable[[ContactMaterial, ContactMaterial], ContactMaterial]


def combined_hertz(material1: ContactMaterial, material2: ContactMaterial) -> ContactMaterial:
    """The material of a contact by Hertz's law, as in Simbody: stiffness^(2/3) = s E1^(2/3) with the share s = E2^(2/3) /
    (E1^(2/3) + E2^(2/3)) of the depth that is in surface 1, dissipation s c1 + (1 - s) c2, friction 2 m1 m2 / (m1 + m2).

    Source: Simbody 3.7, HuntCrossleyForce. Hertz's own is 1/E = 1/E1 + 1/E2; both are the same in the limits.
    """
    s = share_of_depth(material1, material2, 2 / 3)
    return _combined(material1, material2, s, s * np.sqrt(s) * material1.stiffness)


def combined_linear(material1: ContactMaterial, material2: ContactMaterial) -> ContactMaterial:
    """The material of a contact by a linear law, two springs in series: stiffness k1 k2 / (k1 + k2), others as in combined_hertz."""
    s = share_of_depth(material1, material2, 1.0)
    return _combined(material1, material2, s, s * material1.stiffness)


def share_of_depth(material1: ContactMaterial, material2: ContactMaterial, exponent: float) -> Scalar:
    """() 1, how much of the depth is in surface 1; stiffness^exponent of both gives it."""
    return 1 / (1 + (material1.stiffness / material2.stiffness) ** exponent)


def _combined(material1: ContactMaterial, material2: ContactMaterial, share: Scalar, stiffness: Scalar) -> ContactMaterial:
    dissipation = share * material1.dissipation + (1 - share) * material2.dissipation
    friction = [_harmonic(getattr(material1, name), getattr(material2, name)) for name in NAMES[2:]]
    return ContactMaterial.unchecked([stiffness, dissipation, *friction])


def _harmonic(one: Scalar, other: Scalar) -> Scalar:
    """Twice the product over the sum; 0 if both are 0."""
    total = one + other
    return where(total > 0, 2 * one * other / where(total > 0, total, 1.0), 0.0)


@final
@dataclass(frozen=True, kw_only=True)
class MaterialParameter(Composed[ContactMaterial]):
    """The material of a surface, whose numbers are parameters of the force."""

    part_shapes: ClassVar[tuple[tuple[int, ...], ...]] = ((),) * 5

    def split(self, value: object, what: str) -> tuple[np.ndarray, ...]:
        """The numbers in the order of ContactMaterial. Raises InputError unless it is one."""
        return tuple(np.array(each) for each in checked_material(value, what).parameter_values())

    def joined(self, *parts: Any) -> ContactMaterial:
        """The material of these numbers."""
        return ContactMaterial(*parts)


def material_of(surface: str, description: str, *, default: object = REQUIRED) -> Any:
    """Declare a material; its parameters are 'stiffness' and so on, followed by `surface`, which may be empty."""
    return MaterialParameter(parts=tuple(f"{name}{surface}" for name in NAMES), description=description, default=default)


def parameters_of_material(surface: str = "") -> tuple[Parameter[float | np.ndarray], ...]:
    """The parameters of an element for a material, whose attributes stiffness_unit and dissipation_unit are the units of these."""
    declared = parameters_of(ContactMaterial)
    return tuple(
        replace(
            declared[name],
            name=f"{name}{surface}",
            unit="{element." + f"{name}_unit" + "}" if name in ("stiffness", "dissipation") else declared[name].unit,
            description=f"{declared[name].description}{f' of surface {surface}' if surface else ''}",
        )
        for name in NAMES
    )


def checked_material(material: object, what: str) -> ContactMaterial:
    """Raises InputError unless it is a ContactMaterial."""
    if not isinstance(material, ContactMaterial):
        raise InputError(
            f"{what} is a ContactMaterial, not {type(material).__name__}. Write mb.ContactMaterial(stiffness=..., dynamic_friction=...)."
        )
    return material
