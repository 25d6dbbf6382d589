"""A shape on a body, with what decides which others it touches."""

from dataclasses import dataclass
from typing import final

from mobod.contact.material import ContactMaterial
from mobod.contact.shapes import ContactShape
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform

Coefficients = tuple[float, float, float]  # of friction: static, dynamic, viscous
Frame = tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]  # rows of R, and p
FixedShape = tuple[ContactShape, Frame]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class PlacedShape:
    """A shape of a ContactSet.

    X_BS      pose of the shape's frame on the body
    material  None if only its friction was given, or nothing
    friction  (static, dynamic, viscous) coefficients; those of the material, if there is one
    group     bits of the groups that it belongs to
    mask      bits of the groups that it touches
    """

    name: str
    body: MobilizedBody | Ground
    shape: ContactShape
    X_BS: Transform
    material: ContactMaterial | None
    friction: Coefficients | None
    group: int
    mask: int

    def touches(self, other: "PlacedShape") -> bool:
        """Whether both masks allow contact."""
        return bool(self.group & other.mask) and bool(other.group & self.mask)

    @property
    def fixed(self) -> FixedShape:
        """The shape and X_BS as plain numbers, for the structure of recorded functions."""
        return self.shape, (tuple(tuple(row) for row in self.X_BS.R.tolist()), tuple(self.X_BS.p.tolist()))

    @property
    def of_friction(self) -> ContactMaterial | None:
        """The material, or one with the friction alone, whose stiffness of 1 stands for none."""
        if self.material is not None or self.friction is None:
            return self.material
        static, dynamic, viscous = self.friction
        return ContactMaterial(1.0, static_friction=static, dynamic_friction=dynamic, viscous_friction=viscous)
