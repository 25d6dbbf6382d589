"""The units of all variables are consistent: a mechanism in other units of mass, length and time has the same motion."""

import numpy as np
from numpy.testing import assert_allclose

import mobod as mb
from mobod import contact
from mobod.laws.random_states import random_q
from mobod.spatial import from_quaternion
from mobod.system.units import si_exponents
from tests.laws.loops import CONSTRAINTS
from tests.laws.mechanisms import FORCES, MOBILIZERS, TETRAHEDRON, random_mass

KINDS = ("Free", "Screw", "Ellipsoid", "BendStretch", "Bushing", "Universal", "SphericalCoords", "Translation", "Cylinder", "Ball", "Free")
# excluded: elements with functions of numbers without units, or with one number for all speeds, or for m^2 and m^2/s^2
WITHOUT = (
    "FunctionBased",
    "GlobalDamper",
    "MobilityTableSpring",
    "CoordinateCoupler",
    "SpeedCoupler",
    "PrescribedMotion",
    "CustomConstraint",
    "SmoothSphereHalfSpaceForce",
    "SiteServo",
)
WITH_FRAMES = ("LinearBushing", "Port", "HuntCrossleyForce", "CompliantContact", "ElasticFoundationForce")


def mechanism(kg, m):
    """A mechanism with its masses and frames in these units; its other numbers are variables, not yet converted."""
    rng = np.random.default_rng(19)
    system = mb.MultibodySystem("scaled")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)

    def frame(rng=rng):
        return mb.Transform(from_quaternion(rng.normal(size=4)), m * rng.normal(scale=0.5, size=3))

    def above():
        """Of a half-space that fills all but what is far away."""
        return contact.HalfSpace.frame([1, 2, -3], m * np.array([2.0, 4.0, -6.0]))

    for number, kind in enumerate(KINDS):
        mass = random_mass(rng)
        scaled = mb.MassProperties(kg * mass.mass, m * mass.com, kg * m**2 * mass.inertia)
        MOBILIZERS[kind](matter.body(int(rng.integers(number + 1))), scaled, frame(), frame(), name=f"{kind} {number}")
    for name, kind in FORCES.items():
        if name not in (*WITHOUT, *WITH_FRAMES):
            kind.make(forces, matter.bodies, rng)
    gains = {"stiffness": rng.uniform(1, 20, size=6), "damping": rng.uniform(0.1, 1, size=6)}
    mb.LinearBushing(forces, matter.bodies[1], matter.bodies[5], X_B1F=frame(), X_B2M=frame(), **gains, name="bushing")
    other = np.random.default_rng(20)
    ground, surface = matter.ground, mb.ContactMaterial(0.01, 0.02, 0.4)  # whose numbers are variables
    ball = matter.bodies[2], contact.Ellipsoid(m * other.uniform(0.2, 0.6, size=3))
    mb.HuntCrossleyForce(forces, *ball, ground, contact.HalfSpace(), material1=surface, X_B1S1=frame(other), X_B2S2=above(), name="ball")
    box = matter.bodies[4], contact.Box(m * other.uniform(0.2, 0.6, size=3))
    shapes, bristles = (ground, contact.HalfSpace(), *box), {"bristle_stiffness": 0.5, "bristle_damping": 0.2, "stribeck_speed": 0.3}
    mb.CompliantContact(forces, *shapes, material1=surface, X_B1S1=above(), X_B2S2=frame(other), friction="lugre", **bristles, name="box")
    mesh = contact.TriangleMesh(m * np.array(TETRAHEDRON.vertices), TETRAHEDRON.faces)
    sphere = contact.Sphere(m * 0.9), matter.bodies[3], mesh
    mb.ElasticFoundationForce(forces, ground, *sphere, material=surface, X_B2S2=frame(other), name="foundation")
    for name, make in CONSTRAINTS.items():
        if name not in WITHOUT:
            make(matter, rng)
    mb.Port(matter.bodies[3], frame(), torque=rng.normal(size=3), force=rng.normal(size=3), name="port")
    state = system.realize_topology()
    for body in matter.bodies:
        body.set_q(state, random_q(body.equations, rng))
    state.u, state.z = rng.normal(size=len(state.u)), rng.normal(size=len(state.z))
    return system, state


def test_results_scale_with_the_units():
    kg, m, s = 0.25, 4.0, 0.5  # powers of 2 and of 4, so that the numbers have the same digits
    system, state = mechanism(1.0, 1.0)
    scaled, in_other_units = mechanism(kg, m)
    variables = system.variables(state)

    def factors(variable):
        exponents = [si_exponents(variable.unit(i)) for i in range(variable.slot.size)]
        numbers = [kg ** each.get("kg", 0) * m ** each.get("m", 0) * s ** each.get("s", 0) for each in exponents]
        return np.reshape(numbers, variable.slot.shape)

    for variable in variables:
        if variable.role in ("state", "parameter", "input") and variable.type == "real":
            scaled.set_value(in_other_units, variable.name, system.value(state, variable) * factors(variable))

    assert {each.role for each in variables} >= {"parameter", "input", "output", "derivative"}
    for variable in variables:
        expected = system.value(state, variable) * factors(variable)
        actual = scaled.value(in_other_units, scaled.variable(in_other_units, variable.name))
        # round-off: the rank of the constraints is computed from other numbers
        assert_allclose(actual, expected, rtol=0, atol=1e-9 * np.abs(expected).max(initial=1e-6), err_msg=variable.name)
