"""Redundant rigid contacts under error control: loads that rigid bodies do not determine, and contacts that part without unloading."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, HalfSpace
from mobod.spatial import Transform, rotation_z

G = 9.81


def box_and_planes(half, q, normals, mu, down=(0, 0, -1)):
    """(system, a free box of 1 kg that planes through given points touch, their contacts)"""
    system = mb.MultibodySystem("planes")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=list(down), magnitude=G)
    box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=2 * np.array(half))), name="box")
    box.set_default_q(q)
    for i, (normal, point) in enumerate(normals):
        plane = HalfSpace.frame(normal=normal, point=point)
        mb.RigidContact(matter.ground, HalfSpace(), box, Box(half), X_B1S1=plane, static_friction=mu, name=f"plane_{i}")
    return system, box


SLOT = ([0.1, 0.05, 0.04], [1, 0, 0, 0, 0, 0, 0.04], [([0, 0, 1], [0, 0, 0]), ([0, -1, 0], [0, 0.05, 0]), ([0, 1, 0], [0, -0.05, 0])])
WEDGE = (
    [0.1, 0.05, 0.05],
    [np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0, 0, 0, 0.05 * np.sqrt(2)],
    [([0, 1, 1], [0, 0, 0]), ([0, -1, 1], [0, 0, 0])],
)


@pytest.mark.parametrize(("place", "pressure"), [(SLOT, 1.0), (WEDGE, np.sqrt(2))])
def test_a_box_slides_in_a_slot_that_fits_and_in_a_wedge(place, pressure):
    """The sides of the slot press by round-off alone. `pressure`: sum of the normal forces by the weight."""
    mu, speed = 0.3, 0.5
    system, box = box_and_planes(*place, mu)
    state = system.realize_topology()
    box.set_u(state, [0, 0, 0, speed, 0, 0])

    results = mb.Simulation(system, accuracy=1e-6).run(state, until=0.5)

    assert_allclose(box.q(results.final_state)[4], speed**2 / (2 * mu * pressure * G), rtol=1e-6)
    assert_allclose(box.u(results.final_state), 0, atol=1e-6)
    assert len(results.events) < 30


def test_a_box_rests_in_a_corner_of_three_planes():
    half = [0.1, 0.07, 0.05]
    system, box = box_and_planes(half, [1, 0, 0, 0, *half], [(normal, [0, 0, 0]) for normal in np.eye(3)], 0.3, down=[-0.5, -0.6, -0.7])

    results = mb.Simulation(system, accuracy=1e-6).run(system.realize_topology(), until=0.5)

    assert_allclose(box.q(results.final_state), [1, 0, 0, 0, *half], atol=1e-12)


HALF = 0.03  # m, of the box between pads


def box_between_pads(ratio):
    """A box on a floor, and pads on a hand that rises from 0.1 s on.

    ratio   of the friction of the pads to the weight
    """
    mu, m, half, stroke, duration = 0.6, 0.4, HALF, 0.1, 0.9
    system = mb.MultibodySystem("pads")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    box = mb.Free(matter.ground, mb.MassProperties(m, [0, 0, 0], mb.Inertia.box(mass=m, size=[2 * half] * 3)), name="box")
    box.set_default_q([1, 0, 0, 0, 0, 0, half])
    mb.RigidContact(matter.ground, HalfSpace(), box, Box([half] * 3), static_friction=mu, name="floor")
    up = Transform(mb.spatial.rotation_y(-np.pi / 2))
    point = mb.MassProperties.point(mass=0.1, p=[0, 0, 0])
    hand = mb.Slider(matter.ground, point, up, up, name="hand")
    mb.FunctionMotion(hand, mb.functions.Step(0.0, stroke, 0.1, 0.1 + duration))
    for name, R in (("left", np.eye(3)), ("right", rotation_z(np.pi))):
        finger = mb.Slider(hand, point, Transform(R, R @ [-half, 0, half]))
        mb.MobilityForce(forces, finger, force=ratio * m * G / (2 * mu))
        pad = HalfSpace.frame(normal=[1, 0, 0])
        mb.RigidContact(finger, HalfSpace(), box, Box([half] * 3), X_B1S1=pad, static_friction=mu, name=name)
    return system


@pytest.mark.fast("1.2-1")
@pytest.mark.parametrize(("ratio", "lifts"), [(0.9, 0), (1.2, 1)])
def test_pads_lift_a_box_from_a_floor_if_they_carry_it(ratio, lifts):
    """Floor and pads hold the box while they rest. No force of the floor need fall to zero before it must let go."""
    system = box_between_pads(ratio)

    results = mb.Simulation(system, accuracy=1e-6).run(system.realize_topology(), until=0.3)

    assert_allclose(results["box.q"][-1, 4:], [0, 0, HALF + lifts * results["hand.q"][-1]], atol=1e-6)
    assert results["hand.q"][-1] > 0.001
    assert len(results.events) < 40


@pytest.mark.slow
def test_fixed_steps_of_runge_kutta_name_the_contacts_that_contradict_each_other_and_what_to_do():
    """They have no event that decides which of them let go."""
    simulation = mb.Simulation(box_between_pads(1.2), integrator="RK4", step=1e-3, backend="interpreted")
    with pytest.raises(mb.errors.IntegrationError, match=r"all of 'floor', 'left', 'right'.*use Simulation\(system, accuracy=\.\.\.\)"):
        simulation.run(simulation.system.realize_topology(), until=0.2)
