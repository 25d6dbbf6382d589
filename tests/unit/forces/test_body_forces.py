"""Constant forces and torques, damping of one body, uniform gravity, discrete forces: closed forms, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, StageError, StateError
from mobod.spatial import rotation_about

COM = [0.1, -0.2, 0.3]
MASS = mb.MassProperties(1.3, COM, mb.Inertia.sphere(mass=1.3, radius=0.4).shifted(COM))
STATION = np.array([0.3, -0.2, 0.5])


@pytest.fixture
def forces():
    """The ForceSubsystem of a System with a free body 'hull' with tilted frames, and a slider 'load' on it."""
    system = mb.MultibodySystem("ship")
    matter = mb.MatterSubsystem(system)
    tilted = mb.Transform(rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
    hull = mb.Free(matter.ground, MASS, X_BM=tilted, name="hull")
    mb.Slider(hull, MASS, X_PF=tilted, name="load")
    return mb.ForceSubsystem(system)


@pytest.fixture
def hull(forces):
    return forces.system.matter.body("hull")


@pytest.fixture
def load(forces):
    return forces.system.matter.body("load")


def moving(forces, stage=Stage.VELOCITY):
    rng = np.random.default_rng(3)
    state = forces.system.realize_topology()
    state.q, state.u = rng.normal(size=8), rng.normal(size=7)
    forces.system.realize(state, stage)
    return state


def test_a_constant_force_acts_at_its_station(forces, hull):
    f = np.array([1.5, -2.5, 0.75])
    force = mb.ConstantForce(forces, hull, STATION, f)
    state = moving(forces)
    expected = np.zeros((3, 6))
    expected[1] = [*np.cross(hull.X_GB(state).R @ STATION, f), *f]
    actual, generalized = force.calc_force_contribution(state)
    assert_allclose(actual, expected, atol=1e-14)
    assert not generalized.any()
    assert force.calc_potential_energy_contribution(state) == 0


def test_a_constant_torque_acts_independently_of_position(forces, hull):
    force = mb.ConstantTorque(forces, hull, [1.5, -2.5, 0.75])
    expected = np.zeros((3, 6))
    expected[1, :3] = [1.5, -2.5, 0.75]
    assert_array_equal(force.calc_force_contribution(moving(forces))[0], expected)


def test_a_force_on_ground_moves_nothing(forces):
    ground = forces.system.matter.ground
    mb.ConstantTorque(forces, ground, [1.5, -2.5, 0.75])
    mb.ConstantForce(forces, ground, [0, 2, 0], [3, 0, 0])
    state = forces.system.realize_topology()
    forces.system.realize(state)
    assert not state.u_dot.any()
    assert_array_equal(forces.system.matter.body_forces(state)[0], [1.5, -2.5, 0.75 - 6, 3, 0, 0])


def test_a_body_falls_by_a_constant_force_on_its_mass_center(forces, hull):
    """One body: a = F / m of the mass center, and no rotation."""
    system = mb.MultibodySystem("stone")
    stone = mb.Free(mb.MatterSubsystem(system).ground, MASS, name="stone")
    mb.ConstantForce(mb.ForceSubsystem(system), stone, COM, [2.6, 0.0, -1.3])
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=1.5, report_every=0.5)
    assert_allclose(results["stone.p_GB"], 0.5 * results.time[:, None] ** 2 * np.array([2.0, 0.0, -1.0]), atol=1e-9)


@pytest.mark.parametrize("make", [lambda *where: mb.ConstantForce(*where, STATION, [1, 2, 3]), lambda *w: mb.ConstantTorque(*w, [1, 2, 3])])
def test_forces_act_on_bodies_of_their_own_system(forces, make):
    with pytest.raises(InputError, match=r"it acts on mobilized bodies or on matter\.ground, not on int"):
        make(forces, 1)


def test_forces_and_torques_must_be_vectors(forces, hull):
    for make in (
        lambda: mb.ConstantForce(forces, hull, STATION, 3.0, name="it"),
        lambda: mb.ConstantForce(forces, hull, [STATION], [1, 2, 3], name="it"),
        lambda: mb.ConstantTorque(forces, hull, [1, 2], name="it"),
    ):
        with pytest.raises(InputError, match=r"'it\.\w+' has shape \(3,\), but"):
            make()


# damping of a body


def test_body_damping_opposes_the_velocity_of_the_origin(forces, load):
    force = mb.BodyDamping(forces, load, angular_damping=0.7, linear_damping=2.5)
    state = moving(forces)
    V = load.V_GB(state)
    expected = np.zeros((3, 6))
    expected[2] = [*(-0.7 * V[:3]), *(-2.5 * V[3:])]
    actual, generalized = force.calc_force_contribution(state)
    assert_allclose(actual, expected, atol=1e-14)
    assert not generalized.any()
    assert_allclose(force.calc_power_dissipation_contribution(state), 0.7 * V[:3] @ V[:3] + 2.5 * V[3:] @ V[3:], rtol=1e-14)


def test_a_damped_slider_slows_down_exponentially():
    system = mb.MultibodySystem("sledge")
    sledge = mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="sledge")
    mb.BodyDamping(mb.ForceSubsystem(system), sledge, linear_damping=2.3)
    state = system.realize_topology()
    sledge.set_u(state, 3.1)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=2.0, report_every=0.25)
    assert_allclose(results["sledge.u"], 3.1 * np.exp(-2.3 / 1.7 * results.time), atol=1e-8)  # 100 times the accuracy


def test_body_damping_needs_a_mobilized_body(forces):
    with pytest.raises(InputError, match="BodyDamping: it acts on a mobilized body, not on Ground"):
        mb.BodyDamping(forces, forces.system.matter.ground, linear_damping=1.0)


# uniform gravity


def test_uniform_gravity_matches_gravity(forces):
    g = np.array([0.3, -9.5, 0.2])
    one = mb.UniformGravity(forces, forces.system.matter, gravity=g, zero_height=0.4)
    other = mb.Gravity(forces, forces.system.matter, vector=g, zero_height=0.4)
    state = moving(forces)
    assert_allclose(one.calc_force_contribution(state)[0], other.calc_force_contribution(state)[0], rtol=0, atol=1e-13)
    assert_allclose(one.calc_potential_energy_contribution(state), other.calc_potential_energy_contribution(state), rtol=1e-13)


def test_zero_uniform_gravity_has_no_energy(forces):
    force = mb.UniformGravity(forces, forces.system.matter, gravity=[0, 0, 0], zero_height=0.4)
    state = moving(forces)
    assert force.calc_potential_energy_contribution(state) == 0
    assert not force.calc_force_contribution(state)[0].any()


def test_uniform_gravity_needs_the_matter_of_its_system(forces):
    matter = mb.MatterSubsystem(mb.MultibodySystem("other"))
    for make in (mb.UniformGravity, mb.DiscreteForces):
        with pytest.raises(InputError, match="the matter belongs to System 'other', the forces to 'ship'"):
            make(forces, matter, **({"gravity": [0, 0, -9.8]} if make is mb.UniformGravity else {}))


# forces set from outside


@pytest.fixture
def pushes(forces):
    return mb.DiscreteForces(forces, forces.system.matter, name="pushes")


F = np.array([0.3, -0.4, 0.5, 1.5, -2.5, 0.75])


def test_discrete_forces_do_nothing_until_they_are_set(pushes):
    state = moving(pushes.forces)
    F_B, f = pushes.calc_force_contribution(state)
    assert not F_B.any()
    assert not f.any()


def test_discrete_forces_are_applied_as_set(pushes, hull, load):
    state = moving(pushes.forces)
    assert (
        pushes.set_body_force(state, load, F).set_mobility_force(state, hull, 2.25, speed=4).set_mobility_force(state, load, -1.5) is pushes
    )
    assert state.stage == Stage.VELOCITY
    assert_array_equal(pushes.body_force(state, load), F)
    assert_array_equal(pushes.body_forces(state), [np.zeros(6), np.zeros(6), F])
    assert (pushes.mobility_force(state, hull, 4), pushes.mobility_force(state, hull), pushes.mobility_force(state, load)) == (
        2.25,
        0,
        -1.5,
    )
    assert_array_equal(pushes.mobility_forces(state), [0, 0, 0, 0, 2.25, 0, -1.5])

    pushes.forces.system.realize(state)
    assert_allclose(pushes.forces.system.matter.body_forces(state), [np.zeros(6), np.zeros(6), F], atol=1e-15)
    assert_array_equal(pushes.forces.system.matter.mobility_forces(state), [0, 0, 0, 0, 2.25, 0, -1.5])
    pushes.clear(state)
    assert not pushes.body_forces(state).any()
    assert not pushes.mobility_forces(state).any()


def test_all_discrete_forces_are_set_at_once(pushes):
    state = moving(pushes.forces)
    F_B, f = np.arange(18.0).reshape(3, 6), np.arange(7.0)
    pushes.set_body_forces(state, F_B).set_mobility_forces(state, f)
    assert_array_equal(pushes.body_forces(state)[1:], F_B[1:])
    assert_array_equal(pushes.mobility_forces(state), f)
    pushes.clear_body_forces(state)
    assert not pushes.body_forces(state).any()
    pushes.clear_mobility_forces(state)
    assert not pushes.mobility_forces(state).any()


def test_forces_at_stations_add_up(pushes, hull):
    state = moving(pushes.forces)
    R, f = hull.X_GB(state).R, np.array([1.5, -2.5, 0.75])
    pushes.set_body_force(state, hull, F)
    pushes.add_force_at_station(state, hull, STATION, f).add_force_at_station(state, hull, -STATION, f)
    assert_allclose(pushes.body_force(state, hull), F + np.array([0, 0, 0, *(2 * f)]), atol=1e-15)
    pushes.clear(state).add_force_at_station(state, hull, STATION, f)
    assert_allclose(pushes.body_force(state, hull), [*np.cross(R @ STATION, f), *f], atol=1e-15)
    state.q = state.q
    with pytest.raises(StageError, match="POSITION"):
        pushes.add_force_at_station(state, hull, STATION, f)


def test_defaults_of_discrete_forces_are_topological(pushes, hull, load):
    before = pushes.forces.system.realize_topology()
    pushes.set_default_body_force(load, F).set_default_mobility_force(hull, np.arange(6.0))
    assert_array_equal(pushes.default_body_force(load), F)
    assert_array_equal(pushes.default_body_force(hull), np.zeros(6))
    assert_array_equal(pushes.default_mobility_force(hull), np.arange(6.0))
    with pytest.raises(StateError, match="the topology of System 'ship' changed"):
        pushes.body_force(before, load)
    state = pushes.forces.system.realize_topology()
    assert_array_equal(pushes.body_force(state, load), F)
    assert_array_equal(pushes.mobility_forces(state), [*range(6), 0])


def test_discrete_forces_reach_bodies_that_are_added_later(pushes, load):
    wing = mb.Weld(load, MASS, name="wing")
    state = pushes.forces.system.realize_topology()
    pushes.set_body_force(state, wing, F)
    assert_array_equal(pushes.body_forces(state)[3], F)
    names = {variable.name for variable in pushes.forces.system.variables(state) if variable.role == "input"}
    assert names == {f"pushes.{body}.{what}" for body in ("hull", "load", "wing") for what in ("torque", "force", "mobility_force")} - {
        "pushes.wing.mobility_force"
    }


def test_discrete_forces_are_inputs_by_name_with_the_units_of_their_entries(pushes, load):
    system = pushes.forces.system
    state = system.realize_topology()
    system.set_value(state, "pushes.load.force", [1.0, 2.0, 3.0])
    assert_array_equal(pushes.body_force(state, load), [0, 0, 0, 1, 2, 3])
    assert system.variable(state, "pushes.hull.mobility_force").units == ("N.m",) * 3 + ("N",) * 3


def test_invalid_discrete_forces_are_refused(pushes, hull, load):
    state = moving(pushes.forces)
    ground = pushes.forces.system.matter.ground
    for use, message in (
        (lambda: pushes.set_body_force(state, hull, [1, 2, 3]), r"'pushes\.body_force' has shape \(6,\), but"),
        (lambda: pushes.set_body_force(state, hull, [np.nan] * 6), "not a finite number"),
        (lambda: pushes.set_body_force(state, ground, F), "'pushes': it acts on a mobilized body, not on Ground"),
        (lambda: pushes.set_body_forces(state, np.zeros((2, 6))), r"has shape \(3, 6\), but"),
        (lambda: pushes.set_mobility_forces(state, np.zeros(8)), r"has shape \(7,\), but"),
        (lambda: pushes.set_mobility_force(state, load, 1.0, speed=1), r"'load' \(Slider\) has 1 speeds.* 1 is not one of them"),
        (lambda: pushes.set_mobility_force(state, load, [1.0]), r"'pushes\.load\.mobility_force' has shape \(\), but"),
        (lambda: pushes.add_force_at_station(state, load, [1, 2], [1, 2, 3]), r"'pushes\.station' has shape \(3,\)"),
    ):
        with pytest.raises(InputError, match=message):
            use()
    assert not pushes.body_forces(state).any()
