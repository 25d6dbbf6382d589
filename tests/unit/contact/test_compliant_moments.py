"""Moments of friction of CompliantContact: against spin and against rolling, by a smooth law."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.errors import InputError

MASS, RADIUS, GRAVITY, STIFFNESS = 1.5, 0.1, 9.81, 1e6
MOMENTS = {"torsional_friction": 0.002, "rolling_friction": 0.005, "transition_spin": 1e-3}


def ball_on_floor(**options):
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY)
    of_ball = mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.sphere(mass=MASS, radius=RADIUS))
    ball = mb.Free(matter.ground, of_ball, name="ball")
    material = mb.ContactMaterial(STIFFNESS, 1.0, 0.5)
    shapes = matter.ground, HalfSpace(), ball, Sphere(RADIUS)
    contact = mb.CompliantContact(forces, *shapes, material1=material, normal="linear", name="floor", **options)
    ball.set_default_q([1, 0, 0, 0, 0, 0, RADIUS - 2 * MASS * GRAVITY / STIFFNESS])  # two equal surfaces
    state = system.realize_topology()
    ball.set_u(state, [0, 20.0, 8.0, 2.0, 0, 0])
    return system, ball, contact, state


@pytest.mark.parametrize("friction", [{"friction": "stribeck", "transition_speed": 1e-4}, {"friction": "lugre"}], ids=["stribeck", "lugre"])
def test_a_ball_slows_down_by_the_closed_forms(friction):
    system, ball, contact, state = ball_on_floor(**friction, **MOMENTS)
    time, weight = 0.4, MASS * GRAVITY

    final = mb.Simulation(system, 1e-8, integrator="Rodas5P", backend="interpreted").run(state, time).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    w_x, w_y, w_z, v = ball.u(final)[:4]

    tolerance = 2 * weight / STIFFNESS / RADIUS  # relative: the depth shortens the radius
    assert_allclose(2.0 - v, 5 / 7 * 0.005 * GRAVITY / RADIUS * time, rtol=tolerance + 5e-3)  # 5e-3: the slip begins in the transition
    assert_allclose(8.0 - w_z, 0.002 * weight / (0.4 * MASS * RADIUS**2) * time, rtol=1e-5)
    assert_allclose(contact.friction_moment(final)[0], [0, -0.005 * weight, -0.002 * weight], atol=1e-5 * weight)
    lost = -contact.friction_moment(final)[0] @ [w_x, w_y, w_z]
    assert contact.power_dissipation(final)[0] >= lost > 0


def test_the_law_is_that_of_both_angular_velocities_and_acts_on_both_bodies():
    system, ball, contact, state = ball_on_floor(friction="stribeck", **(MOMENTS | {"transition_spin": 3.0}))
    ball.set_u(state, [1.2, -0.7, 4.0, 0, 0, 0])
    system.realize(state, mb.Stage.DYNAMICS)
    normal, rolls = contact.normal_force(state)[0], np.array([1.2, -0.7])

    of_rolling = -0.005 * normal * rolls / np.sqrt(rolls @ rolls + 9.0)
    of_spin = -0.002 * normal * 4.0 / np.sqrt(16.0 + 9.0)
    assert_allclose(contact.friction_moment(state)[0], [*of_rolling, of_spin], rtol=1e-12)


def test_a_coefficient_is_tuned_if_the_law_has_moments_and_without_them_it_has_no_part():
    for moments, expected in (("smooth", -0.01), (None, 0.0), ("none", 0.0)):
        system, _, contact, state = ball_on_floor(friction="stribeck", transition_spin=1e-6, moments=moments)
        assert contact.moments == ("smooth" if moments == "smooth" else "none")
        contact.set_rolling_friction(state, 0.01)
        system.realize(state, mb.Stage.ACCELERATION)
        if moments == "smooth":
            assert_allclose(contact.friction_moment(state)[0, 1], expected * contact.normal_force(state)[0], rtol=1e-9)
        else:
            with pytest.raises(InputError, match="'floor' has no moments of friction"):
                contact.friction_moment(state)


def test_model_files_keep_the_law_of_moments(tmp_path):
    for options in ({}, MOMENTS, {"moments": "smooth"}):
        system, _, contact, _ = ball_on_floor(friction="lugre", **options)
        path = mb.save_model(system, tmp_path / "ball.json")
        again = mb.load_model(path)

        (found,) = (each for each in again.subsystems[-1].elements if isinstance(each, mb.CompliantContact))
        assert (found.moments, found.law) == (contact.moments, contact.law)
        assert path.read_bytes() == mb.save_model(again, tmp_path / "again.json").read_bytes()
