"""SmoothSphereHalfSpaceForce: contact of a sphere and a half-space without any corner, for optimization."""

from typing import final

from mobod.contact.laws import SmoothLaw
from mobod.contact.material import NAMES, ContactMaterial
from mobod.contact.pair_force import PairForce
from mobod.contact.shapes import HalfSpace, Sphere
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.elements import Given, Parameter, argument, parameter


@final
class SmoothSphereHalfSpaceForce(PairForce):
    """HuntCrossleyForce of a sphere and a half-space of equal materials, with all its corners rounded, so that it acts at every distance:

        f_H = (4/3) k sqrt(R k) (x^2 + constant)^(3/4) (1 + tanh(hertz_smoothing x)) / 2,   k = stiffness^(2/3) / 2
        f_n = f_H (1 + (3/2) c x_dot) (1 + tanh(hunt_crossley_smoothing (x_dot + 2 / (3 c)))) / 2
        friction mu(s) f_n v / s against the slip v, s = sqrt(v . v + constant), mu as in HuntCrossleyForce

    body1             the body of the half-space, or Ground
    body2             the body of the sphere, or Ground
    radius            m, above 0
    center            (3,)  m  of the sphere, in the frame of body 2
    X_B1S1            Transform  frame of the half-space, which is below its z = 0 plane (in Simbody at x > 0: see
                      mb.contact.HalfSpace.frame_of_simbody); default: that of body 1
    stiffness         Pa, above 0, of both surfaces
    dissipation       s/m, at least 0
    static_friction   coefficient of friction at rest; default: dynamic_friction
    dynamic_friction  coefficient of friction while it slips, at most static_friction; default: static_friction, or 0
    viscous_friction  s/m
    transition_speed  m/s, above 0
    constant_contact_force   m^2 for the depth, m^2/s^2 for the slip, above 0: one number for both, as in Simbody
    hertz_smoothing          1/m, above 0. The smaller it is, the earlier the force begins before the shapes touch: with
                             300 per m, a gap of 1 cm has 0.25 % of the force that a depth of 1 cm has
    hunt_crossley_smoothing  s/m, at least 0

    Its potential energy is Simbody's, (2/5) f_H x, which is no potential of f_H near x = 0 and is negative outside. `power_dissipation` is
    what the force takes less what this energy gains, so that energy books balance; near x = 0 it may be negative.

    Sources: Simbody 3.7, SmoothSphereHalfSpaceForce; Serrancoli, Falisse et al., IEEE TNSRE 27 (2019).
    """

    body1: MobilizedBody | Ground = argument("the body of the half-space, or Ground", kw_only=False)
    body2: MobilizedBody | Ground = argument("the body of the sphere, or Ground", kw_only=False)
    radius: float = argument("m, of the sphere")
    center: tuple[float, float, float] = argument("(3,) m, of the sphere, in the frame of body 2", default=(0.0, 0.0, 0.0))
    X_B1S1: Given[Transform, Transform | None] = argument("frame of the half-space; default: that of body 1", default=None)
    stiffness: Parameter[float] = parameter("Pa", "stiffness of both surfaces", above=0.0)
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    dissipation: Parameter[float] = parameter("s/m", "dissipation", default=0.0, least=0.0)
    set_dissipation, default_dissipation, set_default_dissipation = dissipation.accessors
    static_friction: Parameter[float] = parameter("1", "coefficient of friction at rest", default=None, least=0.0)
    set_static_friction, default_static_friction, set_default_static_friction = static_friction.accessors
    dynamic_friction: Parameter[float] = parameter("1", "coefficient of friction while it slips", default=None, least=0.0)
    set_dynamic_friction, default_dynamic_friction, set_default_dynamic_friction = dynamic_friction.accessors
    viscous_friction: Parameter[float] = parameter("s/m", "viscous coefficient of friction", default=0.0, least=0.0)
    set_viscous_friction, default_viscous_friction, set_default_viscous_friction = viscous_friction.accessors
    transition_speed: Parameter[float] = parameter("m/s", "speed of the transition from rest to slip", default=0.01, above=0.0)
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors
    constant_contact_force: Parameter[float] = parameter("1", "added to the squares of depth and slip", default=1e-5, above=0.0)
    set_constant_contact_force, default_constant_contact_force, set_default_constant_contact_force = constant_contact_force.accessors
    hertz_smoothing: Parameter[float] = parameter("1/m", "smoothing of the elastic force", default=300.0, above=0.0)
    set_hertz_smoothing, default_hertz_smoothing, set_default_hertz_smoothing = hertz_smoothing.accessors
    hunt_crossley_smoothing: Parameter[float] = parameter("s/m", "smoothing of the release", default=50.0, least=0.0)
    set_hunt_crossley_smoothing, default_hunt_crossley_smoothing, set_default_hunt_crossley_smoothing = hunt_crossley_smoothing.accessors

    def __post_init__(self) -> None:
        center = checked_floats(self.center, (3,), "SmoothSphereHalfSpaceForce: center")
        self._place(self.body1, self.X_B1S1, self.body2, Transform(p=center))
        self.X_B1S1, self.center = self._frames[0], tuple(center.tolist())
        coefficients = {name: self.given[name] for name in NAMES if self.given[name] is not None}
        self.given.update(zip(NAMES, ContactMaterial(**coefficients).parameter_values(), strict=True))
        law_numbers = (
            "stiffness",
            "dissipation",
            "static_friction",
            "dynamic_friction",
            "viscous_friction",
            "transition_speed",
            "constant_contact_force",
            "hertz_smoothing",
            "hunt_crossley_smoothing",
        )
        self._complete_pair((HalfSpace(), Sphere(self.radius)), SmoothLaw(), law_numbers, "true")
