"""Loads of joints with dry friction in a model file."""

from mobod.files.model.codecs import NUMBER
from mobod.files.model.elements import Family, FileField, Spec
from mobod.matter.unilateral.bearing_loads import BearingLoad, GuideLoad

_COEFFICIENTS = {"friction": FileField(NUMBER), "static_friction": FileField(NUMBER, default=None)}
_LENGTHS = {"radius": FileField(NUMBER), "thrust_radius": FileField(NUMBER, default=0.0), "half_distance": FileField(NUMBER, default=0.0)}

JOINT_LOAD = Family(
    "joint_load",
    {
        "BearingLoad": Spec(BearingLoad, {**_COEFFICIENTS, **_LENGTHS}),
        "GuideLoad": Spec(GuideLoad, {**_COEFFICIENTS, "half_length": FileField(NUMBER, default=0.0)}),
    },
)
