"""Free bodies that collide in fixed steps keep their linear and angular momentum, as in steps without an impact."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod.contact import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, Sphere

HULL = ConvexMesh.hull_of(np.random.default_rng(3).normal(size=(14, 3)) * 0.06)
SHAPES = {
    "sphere": Sphere(0.1),
    "box": Box([0.1, 0.08, 0.07]),
    "cylinder": Cylinder(0.08, 0.06),
    "capsule": Capsule(0.05, 0.06),
    "hull": HULL,
    "ellipsoid": Ellipsoid([0.1, 0.07, 0.05]),
}
STEP = 1e-3


def bodies_in_space(
    shapes, *, com=(0.0, 0.0, 0.0), inertia=(0.004, 0.004, 0.004), restitution=0.5, friction=0.3, masses=(1.0, 1.7, 0.6), g=0.0
):
    """Free bodies in a row, 0.28 m apart, of which each comes near the next one and turns."""
    system = mb.MultibodySystem("space")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=g)
    c = np.array(com)
    at_com = np.diag(inertia) + c @ c * np.eye(3) - np.outer(c, c)
    bodies = []
    for number, (_, mass) in enumerate(zip(shapes, masses, strict=False)):
        bodies.append(mb.Free(matter.ground, mb.MassProperties(mass, c, mass * at_com), name=f"body{number}"))
    for (one, other), (a, b) in zip(pairwise(shapes), pairwise(bodies), strict=True):
        rule = {} if one == other == "sphere" else {"in_fixed_steps": True}
        mb.RigidContact(
            a, SHAPES[one], b, SHAPES[other], restitution=restitution, static_friction=friction, name=f"{a.name} on {b.name}", **rule
        )
    for number, body in enumerate(bodies):
        turn = Rotation.from_euler("xyz", [0.3 - 0.4 * number, 0.5 * number, 0.2]).as_quat(scalar_first=True)
        body.set_default_q([*turn, 0.28 * number, 0.03 * number, 0.02 * number])
    state = system.realize_topology()
    for number, body in enumerate(bodies):
        body.set_u(state, [1.0 - number, 2.0 - number, 3.0 - 2 * number, 1.0 - 0.8 * number, 0.0, 0.1])
    return system, state, bodies


def momenta(system, state, *, duration=0.35, **options):
    """The momentum at the end of each step, and whether a contact had an impulse in it."""
    run = mb.Simulation(system, integrator="velocity_level", step=STEP, backend="interpreted", **options).start(state)
    values, hits = [], []
    matter = system.matter
    contacts = [each for each in matter.constraints if isinstance(each, mb.RigidContact)]
    for k in range(round(duration / STEP) + 1):
        if k:
            run.step(STEP)
        at = run.state
        system.realize(at, mb.Stage.ACCELERATION)
        values.append(np.ravel(matter.momentum_about_ground_origin(at)))
        hits.append(k > 0 and any(np.any(each.contact_impulse(at) != 0) for each in contacts))
    return np.array(values), np.array(hits)


@pytest.mark.parametrize("impacts", ["simultaneous", "sequential"])
@pytest.mark.parametrize("constraints_at", ["middle", "begin"])
@pytest.mark.parametrize("shapes", [("sphere", "sphere"), ("box", "box", "sphere"), ("hull", "cylinder"), ("capsule", "ellipsoid")])
def test_balls_of_inertia_keep_their_momentum(shapes, constraints_at, impacts):
    system, state, _ = bodies_in_space(shapes)

    p, hits = momenta(system, state, constraints_at=constraints_at, impacts=impacts)

    assert hits.any()
    assert_allclose(p - p[0], 0, atol=1e-12)


@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 0.0), (0.0, 0.8), (1.0, 0.0)])
def test_so_they_do_whatever_the_law_of_the_impact(restitution, friction):
    system, state, _ = bodies_in_space(("box", "capsule"), restitution=restitution, friction=friction)

    p, hits = momenta(system, state)

    assert hits.any()
    assert_allclose(p - p[0], 0, atol=1e-12)


@pytest.mark.parametrize("constraints_at", ["middle", "begin"])
@pytest.mark.parametrize("other", [{"inertia": (0.004, 0.006, 0.005)}, {"com": (0.02, 0.01, -0.01)}], ids=["inertia", "mass center"])
def test_a_step_with_an_impact_changes_momenta_no_more_than_one_without(other, constraints_at):
    system, state, _ = bodies_in_space(("box", "sphere"), **other)

    p, hits = momenta(system, state, constraints_at=constraints_at)

    changes = np.abs(np.diff(p, axis=0)).max(axis=1)
    assert hits.any()
    assert changes[hits[1:]].max() <= 1.1 * changes[~hits[1:]].max()


def test_in_a_fall_momentum_grows_by_weight_alone():
    g = 9.81
    system, state, _ = bodies_in_space(("box", "box"), g=g)

    p, hits = momenta(system, state)

    t = STEP * np.arange(len(p))
    assert hits.any()
    assert_allclose(p[:, 5] - p[0, 5], -2.7 * g * t, atol=1e-11)
    assert_allclose(p[:, 2] - p[0, 2], 0, atol=1e-12)  # about the vertical


def test_lanes_give_the_same_bits():
    system, state, bodies = bodies_in_space(("box", "sphere"))
    states = []
    for spin in (2.0, 1.0, -1.0, 0.5, 3.0):
        states.append(state.copy())
        bodies[0].set_u(states[-1], [spin, 2.0, 3.0, 1.0, 0.0, 0.1])
    options = {"integrator": "velocity_level", "step": STEP, "backend": "interpreted"}

    side_by_side = mb.Ensemble(system, states, **options).run(until=0.2, report_every=0.05, outputs=["body0.q", "body1.u"])

    for i, each in enumerate(states):
        alone = mb.Simulation(system, **options).run(each, until=0.2, report_every=0.05)
        for name in ("body0.q", "body1.u"):
            assert_array_equal(side_by_side[name][i], alone[name])
