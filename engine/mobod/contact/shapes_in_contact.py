"""ShapesInContact: a contact force between any two shapes that touch, of given materials."""

from abc import ABC
from typing import Any

from mobod.contact.curvature import Curvature
from mobod.contact.laws import MaterialLaw
from mobod.contact.material import NAMES, Combination, MaterialParameter, checked_material, material_of, parameters_of_material
from mobod.contact.pair_force import PairForce
from mobod.contact.shapes import ContactShape
from mobod.errors import InputError
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.system.elements import Given, Parameter, argument, parameter

MATERIAL_NUMBERS = tuple(f"{name}{surface}" for surface in (1, 2) for name in NAMES)


class ShapesInContact(PairForce, ABC):
    """Bodies, shapes and materials; subclasses say which law they have.

    A surface without a material of its own has that of the other.
    """

    parameters: Any = (*parameters_of_material("1"), *parameters_of_material("2"))

    body1: MobilizedBody | Ground = argument("a body, or Ground", kw_only=False)
    shape1: ContactShape = argument("the shape on body 1", kw_only=False)
    body2: MobilizedBody | Ground = argument("another body, or Ground", kw_only=False)
    shape2: ContactShape = argument("the shape on body 2", kw_only=False)
    material1: MaterialParameter = material_of("1", "material of surface 1")
    set_material1, default_material1, set_default_material1 = material1.accessors
    material2: MaterialParameter = material_of("2", "material of surface 2; default: the same as that of surface 1", default=None)
    set_material2, default_material2, set_default_material2 = material2.accessors
    X_B1S1: Given[Transform, Transform | None] = argument("frame of shape 1 on body 1; default: the body's own", default=None)
    X_B2S2: Given[Transform, Transform | None] = argument("frame of shape 2 on body 2; default: the body's own", default=None)
    combination: Combination | None = argument(
        "function (material1, material2) -> ContactMaterial of the contact; default: as in Simbody", default=None
    )
    transition_speed: Parameter[float] = parameter("m/s", "speed of the transition from rest to slip", default=0.01, above=0.0)
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors

    def _complete_shapes(self, law: MaterialLaw, law_numbers: tuple[str, ...], curvature: Curvature) -> None:
        """The end of a subclass's `__post_init__`; see _complete_pair."""
        self._place(self.body1, self.X_B1S1, self.body2, self.X_B2S2)
        self.X_B1S1, self.X_B2S2 = self._frames
        is_hertz = curvature != "none"
        self.stiffness_unit = "Pa" if is_hertz else "N/m"
        self.dissipation_unit = "s" if law.elastic == "kelvin_voigt" else "s/m"
        owner = self.given["name"] or type(self).__name__
        if self.combination is not None and not callable(self.combination):
            raise InputError(
                f"'{owner}': combination is a function of two materials that returns a ContactMaterial, not {self.combination!r}."
            )
        for surface in (1, 2):
            given = self.given[f"material{surface}"]
            given = self.given["material1"] if given is None else given
            of_surface = checked_material(given, f"'{owner}': material{surface}").parameter_values()
            self.given.update(zip((f"{name}{surface}" for name in NAMES), of_surface, strict=True))
        self._complete_pair((self.shape1, self.shape2), law, law_numbers, curvature)
