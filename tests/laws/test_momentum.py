"""Mass center and momentum equal the sums over the bodies; reactions balance each body."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.laws.differences import rate_in_time
from tests.laws.test_kinematics import FINITE_DIFFERENCE
from tests.laws.test_operators import close, speeds_of


def close_to_rate(actual, rate, scale=1.0):
    """Compares with finite differences: see test_kinematics."""
    assert_allclose(actual, rate, rtol=0, atol=10 * FINITE_DIFFERENCE * max(scale, np.abs(rate).max(initial=0)))


def momentum_of(body, state):
    """(6,) about the Ground origin, by the body's mass properties, pose and velocity alone."""
    properties, X_GB, V_GB = body.body.mass_properties, body.X_GB(state), body.V_GB(state)
    c = X_GB.R @ properties.com
    linear = properties.mass * (V_GB[3:] + np.cross(V_GB[:3], c))
    angular = X_GB.R @ properties.inertia_about_com @ X_GB.R.T @ V_GB[:3] + np.cross(X_GB.p + c, linear)
    return np.concatenate([angular, linear])


def rotor_terms(body, state):
    """(R (nu,), N (3, nu), S (3, 3)) of the body's rotors, by the definition of their energy."""
    R, N, S = np.zeros(body.nu), np.zeros((3, body.nu)), np.zeros((3, 3))
    R_GF = body.X_GB(state).R @ body.X_BM.R @ body.X_FM(state).R.T
    for rotor in body.rotors:
        R[list(rotor.speeds)] += rotor.gear_ratio**2 * rotor.inertia
        if rotor.axis is not None:
            a = R_GF @ rotor.axis
            N[:, rotor.speeds[0]] += rotor.gear_ratio * rotor.inertia * a
            S += rotor.inertia * np.outer(a, a)
    return R, N, S


def rotor_momentum(body, state):
    """(3,) angular momentum of the rotors that turn with the body, which are on its parent."""
    _, N, S = rotor_terms(body, state)
    return S @ body.parent.V_GB(state)[:3] + N @ body.u(state)


def spin(torque):
    return np.concatenate([torque, np.zeros(3)])


def about_ground_origin(F, p):
    """Moves a force about p to the Ground origin."""
    return np.concatenate([F[:3] + np.cross(p, F[3:]), F[3:]])


# sums


@pytest.mark.slow
def test_momentum_is_the_sum_over_the_bodies(mechanism, state):
    total = sum(momentum_of(body, state) + spin(rotor_momentum(body, state)) for body in mechanism.bodies)
    close(mechanism.matter.momentum_about_ground_origin(state), total)


def test_the_mass_center_is_that_of_all_masses(mechanism, state):
    matter = mechanism.matter
    masses = [body.body.mass_properties.mass for body in mechanism.bodies]
    centers = [body.mass_center_location_in_ground(state) for body in mechanism.bodies]
    assert_allclose(matter.mass(state), sum(masses), rtol=1e-15)
    close(matter.mass_center(state), np.average(centers, axis=0, weights=masses))


def test_the_mass_center_moves_with_the_momentum(mechanism, state):
    matter = mechanism.matter
    momentum = matter.momentum_about_ground_origin(state)
    close(matter.mass_center_velocity(state), momentum[3:] / matter.mass(state))
    close_to_rate(matter.mass_center_velocity(state), rate_in_time(mechanism.system, state, matter.mass_center))
    close_to_rate(matter.mass_center_acceleration(state), rate_in_time(mechanism.system, state, matter.mass_center_velocity))


def test_central_momentum_follows_from_momentum_about_the_origin(mechanism, state):
    matter = mechanism.matter
    close(about_ground_origin(matter.central_momentum(state), matter.mass_center(state)), matter.momentum_about_ground_origin(state))


def test_only_external_forces_change_the_momentum(mechanism, state):
    """External forces: those applied to bodies, and those transmitted by mobilizers on Ground."""
    forces = zip(mechanism.matter.body_forces(state)[1:], mechanism.bodies, strict=True)
    outside = sum(about_ground_origin(F, body.X_GB(state).p) for F, body in forces)
    for body in mechanism.bodies:
        if body.parent is mechanism.matter.ground:
            gear = rotor_terms(body, state)[1] @ body.u_dot(state)  # of rotors on Ground
            outside = outside - body.reaction_on_parent_at_origin(state) + spin(gear)
    rate = rate_in_time(mechanism.system, state, mechanism.matter.momentum_about_ground_origin)
    close_to_rate(outside, rate, scale=np.abs(mechanism.matter.body_forces(state)).max())


def test_sums_are_named_variables(mechanism, state):
    matter, system = mechanism.matter, mechanism.system
    for name, value in {
        "mass_center": matter.mass_center(state),
        "mass_center_velocity": matter.mass_center_velocity(state),
        "mass_center_acceleration": matter.mass_center_acceleration(state),
        "momentum": matter.momentum_about_ground_origin(state),
        "central_momentum": matter.central_momentum(state),
    }.items():
        assert_allclose(system.value(state, system.variable(state, name)), value, rtol=1e-15, err_msg=name)


def test_without_mass_the_mass_center_is_the_ground_origin_at_rest():
    system = mb.MultibodySystem("massless")
    matter = mb.MatterSubsystem(system)
    mb.Weld(matter.ground, mb.MassProperties.massless(), mb.Transform(p=[1, 2, 3]))
    state = system.realize_topology()
    system.realize(state, Stage.ACCELERATION)
    for value in (matter.mass_center(state), matter.mass_center_velocity(state), matter.mass_center_acceleration(state)):
        assert np.array_equal(value, np.zeros(3))
    assert matter.mass(state) == 0


# composite bodies


def test_composite_inertias_match_blocks_of_the_mass_matrix(mechanism, state):
    """For a mobilizer's speeds and the speeds of its inward mobilizers, M contains the inertia of all outward bodies, and its rotors."""
    matter = mechanism.matter
    M, J, composite = matter.mass_matrix(state), matter.system_jacobian(state), matter.composite_body_inertias(state)
    for body in mechanism.bodies:
        own, path, (R, N, _) = speeds_of(mechanism, body), body, rotor_terms(body, state)
        while path is not matter.ground:
            theirs = speeds_of(mechanism, path)
            of_rotors = np.diag(R) if path is body else J[body.parent.index][:3, theirs].T @ N
            close(J[body.index][:, theirs].T @ composite[body.index] @ J[body.index][:, own] + of_rotors, M[theirs, own])
            path = path.parent


def test_the_composite_inertia_of_ground_is_that_of_all_bodies(mechanism, state):
    """Multiplied by the speeds of a rigid motion of all bodies, it gives their momentum."""
    matter = mechanism.matter
    whole, mass, center = matter.composite_body_inertias(state)[0], matter.mass(state), matter.mass_center(state)
    close(whole[3:, 3:], mass * np.eye(3))
    close(whole[:3, 3:] @ [0.3, -0.2, 0.5], mass * np.cross(center, [0.3, -0.2, 0.5]))
    moments = [
        body.X_GB(state).R @ body.body.mass_properties.inertia_about_com @ body.X_GB(state).R.T
        + body.body.mass_properties.mass * (r @ r * np.eye(3) - np.outer(r, r))
        for body in mechanism.bodies
        for r in [body.mass_center_location_in_ground(state) - center]
    ]
    close(matter.central_inertia(state), sum(moments) + sum(rotor_terms(body, state)[2] for body in mechanism.bodies))


# reactions


def test_reactions_and_applied_forces_balance_the_momentum_rate_of_each_body(mechanism, state):
    for body in mechanism.bodies:
        check_balance(mechanism, state, body, mechanism.matter.body_forces(state)[body.index])


def check_balance(mechanism, state, body, F_Bo_G):
    """The force on a body, besides the reactions of mobilizers, and these change its momentum and that of the rotors on it."""
    children = [child for child in mechanism.bodies if child.parent is body]
    F = F_Bo_G + body.reaction_on_body_at_origin(state) + sum(child.reaction_on_parent_at_origin(state) for child in children)
    rate = rate_in_time(mechanism.system, state, partial(momentum_with_rotors, body, children))
    close_to_rate(about_ground_origin(F, body.X_GB(state).p), rate, scale=np.abs(body.reaction_on_body_at_M(state)).max())


def momentum_with_rotors(body, children, state):
    return momentum_of(body, state) + spin(sum((rotor_momentum(child, state) for child in children), np.zeros(3)))


def test_along_its_motion_a_mobilizer_transmits_the_applied_generalized_force(mechanism, state):
    """Including the force of its motion or lock, without what accelerates its rotors."""
    check_transmitted_forces(mechanism, state, mechanism.matter.mobility_forces(state) + mechanism.matter.motion_forces(state))


def check_transmitted_forces(mechanism, state, f):
    J = mechanism.matter.system_jacobian(state)
    for body in mechanism.bodies:
        own, F = speeds_of(mechanism, body), body.reaction_on_body_at_origin(state)
        R, N, _ = rotor_terms(body, state)
        of_rotors = R * body.u_dot(state) + N.T @ body.parent.A_GB(state)[:3]
        close(J[body.index][:, own].T @ F + of_rotors, f[own], scale=np.abs(F).max())


def test_the_reaction_on_the_parent_is_the_opposite_at_every_point(mechanism, state):
    for body in mechanism.bodies:
        X_GM, X_GF = body.X_GB(state) @ body.X_BM, body.parent.X_GB(state) @ body.X_PF
        on_body = about_ground_origin(body.reaction_on_body_at_M(state), X_GM.p)
        close(about_ground_origin(body.reaction_on_body_at_origin(state), body.X_GB(state).p), on_body)
        close(about_ground_origin(body.reaction_on_parent_at_F(state), X_GF.p), -on_body)
        close(about_ground_origin(body.reaction_on_parent_at_origin(state), body.parent.X_GB(state).p), -on_body)


def test_reactions_are_named_variables_of_their_bodies(mechanism, state):
    for body in mechanism.bodies:
        variable = mechanism.system.variable(state, f"{body.name}.reaction")
        assert variable.units == ("N.m",) * 3 + ("N",) * 3
        assert np.array_equal(mechanism.system.value(state, variable), body.reaction_on_body_at_M(state))


def test_a_reaction_before_the_accelerations_is_refused_by_name(mechanism, rng):
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.DYNAMICS)
    body = mechanism.bodies[0]
    for reaction in (body.reaction_on_body_at_M, body.reaction_on_parent_at_F):
        with pytest.raises(
            mb.MobodError, match=f"reaction of '{body.name}' needs a State realized to ACCELERATION; this one is at DYNAMICS"
        ):
            reaction(state)
