"""Redundant bilateral rows beside contacts with friction, in fixed steps."""

import numpy as np
import pytest

import mobod as mb
from mobod import contact


def test_redundant_rows_that_a_step_leaves_by_its_error_admit_a_contact_with_friction():
    """A body on a ball joint rolls on Ground by a sphere on it: three rows of rank two, which within a step, off the manifold, differ by
    the step's error. Its other spheres hit a wall and stay there.
    """
    system = mb.MultibodySystem("top")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=(-0.9, 0.1, -0.4), magnitude=9.81)
    inertia = mb.MassProperties(2.0, [0.1, 0.05, 0.2], mb.Inertia(np.diag([1.0, 0.9, 0.8])))
    ball = mb.Ball(matter.ground, inertia, X_PF=mb.Transform(p=[0, 0, 0.9]), name="ball")
    mb.SphereOnPlaneContact(matter.ground, mb.Transform(), ball, [0.7, 0.1, -0.6], 0.3, rolling=True, name="rolls")
    wall, on_wall = contact.HalfSpace.frame([0, -1, 0.2], [0, 0.63, 0.9]), {"static_friction": 0.9, "dynamic_friction": 0.7}
    places = ([0.1, 0.5, 0.1], [0.2, 0.5, -0.1])
    for p in places:
        mb.RigidContact(matter.ground, contact.HalfSpace(), ball, contact.Sphere(0.1), X_B1S1=wall, X_B2S2=mb.Transform(p=p), **on_wall)
    state = system.realize_topology()
    ball.set_u(state, -0.9 * np.array([0.7, 0.1, -0.9]))  # about the line from the joint to the point that rolls

    final = mb.Simulation(system, integrator="velocity_level", step=2e-3, backend="interpreted").run(state, 0.2).final_state

    system.realize(final, mb.Stage.VELOCITY)
    assert abs(ball.u(final)).max() < 1e-9
    gaps = [wall.inverse().apply(ball.X_GB(final).apply(p))[2] - 0.1 for p in places]
    assert min(gaps) == pytest.approx(0.0, abs=1e-6)
