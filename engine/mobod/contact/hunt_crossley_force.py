"""HuntCrossleyForce: contact by the laws of Hertz and of Hunt and Crossley."""

from typing import Literal, final

from mobod.contact.curvature import patch_of
from mobod.contact.laws import MaterialLaw
from mobod.contact.pairs import pair_of
from mobod.contact.shapes_in_contact import MATERIAL_NUMBERS, ShapesInContact
from mobod.errors import UnsupportedError
from mobod.system.elements import argument


@final
class HuntCrossleyForce(ShapesInContact):
    """Two round surfaces that press against each other, by Simbody's laws:

        f_H = (4/3) E sqrt(R) x^(3/2),   f_n = max(0, f_H (1 + (3/2) c x_dot)),   friction mu(s) f_n against the slip

    of depth x, with stiffness E, dissipation c and coefficients mu of both materials together (see mb.ContactMaterial), and
    1 / R = sqrt(k1 k2), k1 and k2 the relative principal curvatures. Slow impacts have the restitution 1 - c v. Friction rises to the
    static coefficient at transition_speed and falls slowly from there; it never holds. Forces act at the midpoint of the overlap, moved
    towards the stiffer surface. Potential energy (2/5) f_H x.

    body1, body2          mobilized bodies or Ground, not welded to each other
    shape1, shape2        shapes of mb.contact, round ones
    X_B1S1, X_B2S2        Transform  their frames on the bodies; default: the bodies' own. A half-space is below z = 0 of its frame, not at
                          x > 0 as in Simbody: see mb.contact.HalfSpace.frame_of_simbody
    material1, material2  mb.ContactMaterial, stiffness in Pa; default of material2: material1
    combination           function (material1, material2) -> ContactMaterial; default: as in Simbody
    transition_speed      m/s, above 0
    effective_radius      "curvature", or "simbody" for an ellipsoid's radius as in Simbody, to compare with it

    Two defects of Simbody's are not copied. There, a contact that pulls ends the loop over the others of its set, so that they have no
    force; here each pair is a force of its own. And there an ellipsoid has R = sqrt(r1 r2), r the radii of its section through the center,
    which is a radius of curvature only for a sphere: at the end of the axis c, sqrt(a b) in place of a b / c.

    The energy depends on the curvature: with ellipsoids and tori that roll, energy books are off by what it changes, as in Simbody.

    Edges and corners have no curvature: use CompliantContact for them. A capsule counts as the ball about its nearest center.

    Sources: Simbody 3.7, HuntCrossleyForce; K. H. Hunt and F. R. E. Crossley, J. Applied Mechanics 42 (1975).
    """

    effective_radius: Literal["curvature", "simbody"] = argument("of an ellipsoid", default="curvature")

    def __post_init__(self) -> None:
        pair_of(self.shape1, self.shape2)  # raises an error if there is no distance
        if patch_of(self.shape1, self.shape2) == "sharp":
            raise UnsupportedError(
                f"HuntCrossleyForce: a {type(self.shape1).__name__} and a {type(self.shape2).__name__} touch at edges or corners, which "
                "have no curvature, so that Hertz's law does not apply. Use CompliantContact, whose stiffness is in N/m for them."
            )
        law = MaterialLaw("circle", "hollars", self.combination)
        self._complete_shapes(law, (*MATERIAL_NUMBERS, "transition_speed"), "simbody" if self.effective_radius == "simbody" else "true")
