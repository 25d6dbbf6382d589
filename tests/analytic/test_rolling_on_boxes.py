"""Round shapes that roll on a box in fixed steps: neither faster nor slower, and without sinking."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, Cone, Cylinder, Ellipsoid, RoundedBox
from mobod.spatial import rotation_x, to_quaternion

RADIUS, SPEED = 0.08, 5.0  # m, rad/s


@pytest.mark.parametrize(
    "shape",
    [Cylinder(RADIUS, 0.1), Capsule(RADIUS, 0.1), Ellipsoid([RADIUS, RADIUS, 0.1])],
    ids=lambda shape: type(shape).__name__,
)
def test_what_rolls_keeps_its_speed_and_its_height(shape):
    system = mb.MultibodySystem("rolling")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.004, 0.004, 0.003])), name="wheel")
    body.set_default_q([*to_quaternion(rotation_x(np.pi / 2)), 0, 0, RADIUS])
    table = Box([3.0, 1.0, 0.1])
    mb.RigidContact(matter.ground, table, body, shape, X_B1S1=mb.Transform(p=[0, 0, -0.1]), static_friction=0.5, name="floor")
    state = system.realize_topology()
    body.set_u(state, [0, SPEED, 0, SPEED * RADIUS, 0, 0])
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.005, backend="interpreted")

    final = simulation.run(state, until=0.25, report_every=0.25).final_state
    system.realize(final, mb.Stage.POSITION)

    # round-off of 50 steps. With points that are fixed on the body it would be faster by 5 % by then, and 3e-5 m lower
    assert_allclose(body.u(final), [0, SPEED, 0, SPEED * RADIUS, 0, 0], atol=1e-10)
    x, *others = body.X_GB(final).p
    assert_allclose(others, [0, RADIUS], atol=1e-10)
    assert_allclose(x, SPEED * RADIUS * 0.25, atol=1e-6)  # the first step is short by 5e-7 m, of the third power of the step


@pytest.mark.parametrize("shape", [Cone(0.1, 0.1), RoundedBox([0.08, 0.06, 0.05], 0.02)], ids=["cone", "rounded box"])
def test_what_stands_rests(shape):
    system = mb.MultibodySystem("standing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    properties = mb.MassProperties.from_shapes([(mb.Transform(), shape)], density=1000.0)
    body = mb.Free(matter.ground, properties, name="body")
    height = 0.1 if isinstance(shape, Cone) else 0.07
    body.set_default_q([1, 0, 0, 0, 0.2, 0.1, height])
    table = Box([1.0, 1.0, 0.1])
    contact = mb.RigidContact(matter.ground, table, body, shape, X_B1S1=mb.Transform(p=[0, 0, -0.1]), static_friction=0.5, name="floor")
    simulation = mb.Simulation(system, integrator="velocity_level", step=0.005, backend="interpreted")

    final = simulation.run(system.realize_topology(), until=0.1, report_every=0.1).final_state
    system.realize(final, mb.Stage.ACCELERATION)

    assert_allclose(body.X_GB(final).p, [0.2, 0.1, height], atol=1e-12)
    assert_allclose(contact.normal_force(final).sum(), properties.mass * 9.81, rtol=1e-9)
