"""CompliantContact: contact of any two shapes by a choice of laws."""

from typing import Literal, final

from mobod.arguments.real_numbers import real_number
from mobod.contact.curvature import patch_of
from mobod.contact.laws import Elastic, MaterialLaw
from mobod.contact.pressed_pair import number_of_pressed
from mobod.contact.shapes_in_contact import MATERIAL_NUMBERS, ShapesInContact
from mobod.errors import UnsupportedError
from mobod.system.elements import Parameter, argument, parameter

STRIBECK_SPEEDS = 10.0  # the Stribeck speed, if it is not given, in transition speeds


@final
class CompliantContact(ShapesInContact):
    """Two surfaces that press against each other, by a normal law of the depth x and its rate, and a law of friction.

    normal    "hertz"         f = f_H (1 + (3/2) c x_dot), f_H = e (4/3) E sqrt(R) x^(3/2), R = 2 / (k1 + k2) of the relative principal
                              curvatures k; e = 1 where they are equal, else that of an elliptic patch, with exact elliptic integrals
                              (Simbody approximates them, 1.7e-6 off). Slow impacts have the restitution 1 - c v.
              "linear"        f = k x (1 + c x_dot); slow impacts have the restitution 1 - (2/3) c v
              "kelvin_voigt"  f = k (x + c x_dot), c in s; it jumps to k c x_dot where contact begins
              default         "hertz", but "linear" for edges and corners, which have no curvature
    friction  "step5"         static coefficient at transition_speed, dynamic from three times that on (Simbody's)
              "hollars"       see HuntCrossleyForce
              "stribeck"      (dynamic + (static - dynamic) exp(-(s / stribeck_speed)^2)) s / sqrt(s^2 + transition_speed^2), of slip s
              "lugre"         bristles of the deflection z, a state of three numbers for each feature: holds below the static coefficient

    No force pulls; where the law would, what the surfaces have stored is dissipated. All laws of friction but "lugre" creep under a load.
    Forces of a feature act at the midpoint of its overlap, moved towards the stiffer surface. Features of a pair that mb.contact.pair_of
    knows, such as the corners of a box on a half-space, act each for itself. Other pairs of convex shapes, and convex shapes on triangles
    of terrain, touch at up to eight points, `point_0` to `point_7`, which the runtime finds at each pose; they have parts of the stiffness
    of the pair: a face that lies flat has k x, whatever the number of its points, an edge k x / 2, a corner k x / 4, and forces of the
    linear law are the gradient of one energy. They have no law "hertz" and no "lugre".

    body1, body2          mobilized bodies or Ground, not welded to each other
    shape1, shape2        shapes of mb.contact
    X_B1S1, X_B2S2        Transform  their frames on the bodies; default: the bodies' own. A half-space is below z = 0 of its frame, not at
                          x > 0 as in Simbody: see mb.contact.HalfSpace.frame_of_simbody
    material1, material2  mb.ContactMaterial: stiffness in Pa for "hertz", else in N/m; default of material2: material1
    combination           function (material1, material2) -> ContactMaterial of the contact; default: as in Simbody
    transition_speed      m/s, above 0; not of "lugre"
    stribeck_speed        m/s, above 0, of "stribeck" and "lugre"; default: 10 transition speeds
    bristle_stiffness     1/m, above 0, of "lugre": for 1 N of normal force, N/m
    bristle_damping       s/m, above 0, of "lugre": likewise, N s/m; limited so that friction is passive at every speed
    torsional_friction    m: moment against spin about the normal, per normal force at each feature
    rolling_friction      m: the same against rolling
    transition_spin       rad/s, above 0: each moment is its coefficient times the normal force times w / sqrt(w^2 + transition_spin^2)
    moments               "smooth": as above; "none": there are no moments, whatever their coefficients; default: "smooth" if a coefficient
                          is above 0. Give "smooth" to tune coefficients from 0 on

    With "lugre" what bends the bristles counts as dissipated, and comes back as negative dissipation when they straighten.

    Sources: Simbody 3.7, CompliantContactSubsystem; Johnson, Contact Mechanics (1985), chapter 4; Canudas de Wit, Olsson, Astrom,
    Lischinsky, IEEE Transactions on Automatic Control 40 (1995).
    """

    normal: Literal["hertz", "linear", "kelvin_voigt"] | None = argument("law of the normal force", default=None)
    friction: Literal["step5", "hollars", "stribeck", "lugre"] = argument("law of friction", default="step5")
    stribeck_speed: Parameter[float] = parameter("m/s", "speed at which friction falls from static to dynamic", default=None, above=0.0)
    set_stribeck_speed, default_stribeck_speed, set_default_stribeck_speed = stribeck_speed.accessors
    bristle_stiffness: Parameter[float] = parameter("1/m", "stiffness of the bristles for 1 N of normal force", default=1e5, above=0.0)
    set_bristle_stiffness, default_bristle_stiffness, set_default_bristle_stiffness = bristle_stiffness.accessors
    bristle_damping: Parameter[float] = parameter("s/m", "damping of the bristles for 1 N of normal force", default=300.0, above=0.0)
    set_bristle_damping, default_bristle_damping, set_default_bristle_damping = bristle_damping.accessors

    torsional_friction: Parameter[float] = parameter("m", "moment against spin, per normal force", default=0.0, least=0.0)
    set_torsional_friction, default_torsional_friction, set_default_torsional_friction = torsional_friction.accessors
    rolling_friction: Parameter[float] = parameter("m", "moment against rolling, per normal force", default=0.0, least=0.0)
    set_rolling_friction, default_rolling_friction, set_default_rolling_friction = rolling_friction.accessors
    transition_spin: Parameter[float] = parameter("rad/s", "angular velocity of the transition of moments", default=0.1, above=0.0)
    set_transition_spin, default_transition_spin, set_default_transition_spin = transition_spin.accessors
    moments: Literal["smooth", "none"] | None = argument("law of the moments of friction", default=None)

    def __post_init__(self) -> None:
        is_shared = number_of_pressed(self.shape1, self.shape2) is not None  # raises an error if there is no distance
        patch = "sharp" if is_shared else patch_of(self.shape1, self.shape2)
        if self.normal is None:
            self.normal = "linear" if patch == "sharp" else "hertz"
        kinds = f"a {type(self.shape1).__name__} and a {type(self.shape2).__name__}"
        if is_shared and self.normal == "hertz":
            raise UnsupportedError(
                f"CompliantContact: the points of {kinds} share one stiffness, in N/m: Hertz's law does not apply. Write normal='linear' "
                "or 'kelvin_voigt'."
            )
        if is_shared and self.friction == "lugre":
            raise UnsupportedError(
                f"CompliantContact: the points of {kinds} come and go, so that they have no bristles. Write friction='stribeck', 'step5' "
                "or 'hollars'."
            )
        if self.normal == "hertz" and patch == "sharp":
            raise UnsupportedError(
                f"CompliantContact: {kinds} touch at edges or corners, which have no curvature, so that Hertz's law does not apply. "
                "Write normal='linear', with stiffness in N/m."
            )
        round_patch: Elastic = "ellipse" if patch == "ellipse" else "circle"
        owner = self.given["name"] or "CompliantContact"
        if self.moments is None:
            given = [real_number(self.given[name], f"'{owner}.{name}'") for name in ("torsional_friction", "rolling_friction")]
            self.moments = "smooth" if max(given) > 0 else "none"
        has_moments = self.moments == "smooth"
        law = MaterialLaw(round_patch if self.normal == "hertz" else self.normal, self.friction, self.combination, has_moments, is_shared)
        numbers = {
            "step5": ("transition_speed",),
            "hollars": ("transition_speed",),
            "stribeck": ("transition_speed", "stribeck_speed"),
            "lugre": ("stribeck_speed", "bristle_stiffness", "bristle_damping"),
        }
        if self.given["stribeck_speed"] is None:
            self.given["stribeck_speed"] = STRIBECK_SPEEDS * real_number(self.given["transition_speed"], f"'{owner}.transition_speed'")
        of_moments = ("torsional_friction", "rolling_friction", "transition_spin") if has_moments else ()
        self._complete_shapes(law, (*MATERIAL_NUMBERS, *numbers[self.friction], *of_moments), "true" if self.normal == "hertz" else "none")
