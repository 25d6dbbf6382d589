"""RigidBody: the mass that a mobilized body carries."""

from mobod.arguments.real_numbers import numbers_text
from mobod.errors import InputError
from mobod.spatial import MassProperties, Transform
from mobod.system.named_arguments import NamedArguments


class RigidBody(NamedArguments):
    """Mass properties of a mobilized body. Several mobilized bodies may share one RigidBody."""

    def __init__(self, mass_properties: MassProperties):
        if not isinstance(mass_properties, MassProperties):
            raise InputError(f"RigidBody takes MassProperties, not {type(mass_properties).__name__}.")
        self.mass_properties = mass_properties

    def frame_of_mobilizer(self, X_BM: Transform | None, owner: str, n_speeds: int) -> Transform:
        """The pose of a mobilizer's frame M on the body; default: the body's frame."""
        return X_BM or Transform()

    def _summary(self) -> str:
        return f"of {self.mass_properties.mass:g} kg, com = {numbers_text(self.mass_properties.com, 'm')}"
