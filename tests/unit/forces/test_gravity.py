"""Gravity, method by method (seed 003)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import FmuError, InputError, StageError, StateError


def two_pins(**gravity):
    system = mb.MultibodySystem("two pins")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    first = mb.MassProperties(1.3, [0.1, -0.4, 0.2], mb.Inertia.sphere(mass=1.3, radius=0.3).shifted([0.1, -0.4, 0.2]))
    second = mb.MassProperties(0.7, [-0.2, 0.3, 0.5], mb.Inertia.box(mass=0.7, size=[0.1, 0.4, 0.3]).shifted([-0.2, 0.3, 0.5]))
    upper = mb.Pin(matter.ground, first, mb.Transform(p=[0.1, 0.2, -0.3]), name="upper")
    mb.Pin(upper, second, mb.Transform(p=[0.0, -1.0, 0.4]), mb.Transform(p=[0.3, 0.1, -0.2]), name="lower")
    element = mb.Gravity(forces, matter, name="gravity", **gravity)
    return system, matter, element


def posed(system, matter, stage=mb.Stage.POSITION):
    state = system.realize_topology()
    state.q = [0.4, -1.1]
    state.u = [0.7, 0.3]
    system.realize(state, stage)
    return state


def mass_centers(matter, state):
    return [(body.body.mass_properties.mass, body.X_GB(state).apply(body.body.mass_properties.com)) for body in matter.bodies]


# construction


def test_down_and_magnitude_give_the_vector():
    _, _, gravity = two_pins(down=[0, 3, -4], magnitude=5.0, zero_height=2.0)
    assert_allclose(gravity.default_down_direction, [0, 0.6, -0.8], rtol=1e-15)
    assert_allclose(gravity.default_gravity_vector, [0, 3, -4], rtol=1e-15)
    assert gravity.default_magnitude == 5.0
    assert gravity.default_zero_height == 2.0


def test_a_vector_gives_direction_and_magnitude():
    _, _, gravity = two_pins(vector=[2, -3, 6])
    assert gravity.default_magnitude == 7.0
    assert_allclose(gravity.default_down_direction, [2 / 7, -3 / 7, 6 / 7], rtol=1e-15)


def test_the_zero_vector_gives_magnitude_zero_and_down_opposite_to_up():
    system = mb.MultibodySystem("s")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    system.set_up_direction([0, 0, 2])
    gravity = mb.Gravity(forces, matter, vector=[0, 0, 0])
    assert gravity.default_magnitude == 0
    assert_array_equal(gravity.default_down_direction, [0, 0, -1])


def test_a_magnitude_without_direction_points_down_as_of_construction():
    system = mb.MultibodySystem("s")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    assert_array_equal(system.up_direction, [0, 1, 0])
    gravity = mb.Gravity(forces, matter, magnitude=3.0)
    system.set_up_direction([1, 0, 0])
    assert_array_equal(gravity.default_down_direction, [0, -1, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"down": [0, 0, 0]}, "zero vector: it has no direction"),
        ({"down": [0, float("nan"), 1]}, "not a finite number"),
        ({"down": [0, 1]}, r"has shape \(3,\)"),
        ({"magnitude": -1.0}, r"cannot be -1.0 m/s2: the least value is 0"),
        ({"magnitude": float("inf")}, r"'gravity\.magnitude' cannot be inf m/s2: not a finite number"),
        ({"zero_height": float("nan")}, r"'gravity\.zero_height' cannot be nan m"),
        ({"vector": [0, 0, float("nan")]}, "not a finite number"),
        ({"vector": [0, 0, -9], "magnitude": 9.0}, "Give it alone, or down and magnitude"),
    ],
)
def test_what_is_no_gravity_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        two_pins(**arguments)


# defaults


def test_each_default_is_topological_and_the_start_value_of_new_states():
    system, _, gravity = two_pins()
    for change in (
        lambda: gravity.set_default_gravity_vector([0, 0, -2]),
        lambda: gravity.set_default_down_direction([1, 0, 0]),
        lambda: gravity.set_default_magnitude(4.5),
        lambda: gravity.set_default_zero_height(-1.5),
        lambda: gravity.set_default_body_is_excluded(1, True),
    ):
        before = system.realize_topology()
        change()
        with pytest.raises(StateError, match="topology of System 'two pins' changed"):
            system.realize(before, mb.Stage.POSITION)
    state = system.realize_topology()
    assert_array_equal(gravity.gravity_vector(state), [4.5, 0, 0])
    assert gravity.zero_height(state) == -1.5
    assert [gravity.body_is_excluded(state, b) for b in range(3)] == [True, True, False]


def test_setters_chain():
    system, _, gravity = two_pins()
    same = gravity.set_default_magnitude(1.0).set_default_down_direction([0, 0, 1]).set_default_zero_height(3.0)
    assert same.set_default_gravity_vector([0, 2, 0]).set_default_body_is_excluded(2, True) is gravity
    state = system.realize_topology()
    same = gravity.set_magnitude(state, 2.0).set_down_direction(state, [0, 1, 0]).set_zero_height(state, 1.0)
    assert same.set_gravity_vector(state, [0, 0, 1]).set_body_is_excluded(state, 1, True) is gravity


def test_a_zero_vector_changes_only_the_magnitude():
    system, _, gravity = two_pins(down=[0, 0, -1], magnitude=9.0)
    gravity.set_default_gravity_vector([0, 0, 0])
    assert gravity.default_magnitude == 0
    assert_array_equal(gravity.default_down_direction, [0, 0, -1])
    state = system.realize_topology()
    gravity.set_gravity_vector(state, [3, 0, 0]).set_gravity_vector(state, [0, 0, 0])
    assert gravity.magnitude(state) == 0
    assert_array_equal(gravity.down_direction(state), [1, 0, 0])


# in a State


def test_values_of_a_state_act_only_in_that_state():
    system, _, gravity = two_pins(down=[0, -1, 0], magnitude=9.0)
    state, other = system.realize_topology(), system.realize_topology()
    gravity.set_magnitude(state, 2.0).set_down_direction(state, [0, 0, 5]).set_zero_height(state, 0.25)
    assert (gravity.magnitude(state), gravity.zero_height(state)) == (2.0, 0.25)
    assert_array_equal(gravity.gravity_vector(state), [0, 0, 2])
    assert_array_equal(gravity.gravity_vector(other), [0, -9, 0])
    assert gravity.default_magnitude == 9.0


@pytest.mark.parametrize(
    "change",
    [
        lambda gravity, state: gravity.set_magnitude(state, 3.0),
        lambda gravity, state: gravity.set_down_direction(state, [0, 0, 1]),
        lambda gravity, state: gravity.set_zero_height(state, 3.0),
        lambda gravity, state: gravity.set_gravity_vector(state, [0, 0, 3]),
        lambda gravity, state: gravity.set_body_is_excluded(state, 2, True),
    ],
)
def test_a_setter_invalidates_dynamics_only_if_the_value_changes(change):
    system, matter, gravity = two_pins()
    state = posed(system, matter, mb.Stage.ACCELERATION)
    change(gravity, state)
    assert state.stage == mb.Stage.VELOCITY
    system.realize(state, mb.Stage.ACCELERATION)
    change(gravity, state)
    assert state.stage == mb.Stage.ACCELERATION


def test_invalid_values_are_refused_and_change_nothing():
    system, matter, gravity = two_pins(magnitude=9.0)
    state = posed(system, matter, mb.Stage.ACCELERATION)
    for change, message in (
        (lambda: gravity.set_magnitude(state, -0.1), "the least value is 0"),
        (lambda: gravity.set_magnitude(state, float("nan")), "not a finite number"),
        (lambda: gravity.set_down_direction(state, [0, 0, 0]), "no direction"),
        (lambda: gravity.set_zero_height(state, float("inf")), "not a finite number"),
        (lambda: gravity.set_body_is_excluded(state, 3, True), "there is no body 3: the indices run from 0"),
        (lambda: gravity.set_default_body_is_excluded(-1, True), "there is no body -1"),
        (lambda: gravity.body_is_excluded(state, 7), "there is no body 7"),
        (lambda: gravity.body_force(state, 7), "there is no body 7"),
    ):
        with pytest.raises(InputError, match=message):
            change()
    assert state.stage == mb.Stage.ACCELERATION
    assert gravity.magnitude(state) == 9.0


# exclusion


def test_ground_is_always_excluded_and_calls_on_it_are_ignored():
    system, matter, gravity = two_pins()
    before = system.topology_version
    gravity.set_default_body_is_excluded(matter.ground, False).set_default_body_is_excluded(0, False)
    assert system.topology_version == before
    state = posed(system, matter, mb.Stage.DYNAMICS)
    gravity.set_body_is_excluded(state, matter.ground, False)
    assert state.stage == mb.Stage.DYNAMICS
    assert gravity.default_body_is_excluded(0)
    assert gravity.body_is_excluded(state, 0)
    assert_array_equal(gravity.body_force(state, 0), np.zeros(6))


def test_an_excluded_body_has_neither_force_nor_energy():
    system, matter, gravity = two_pins(vector=[1, -9, 2], zero_height=0.5)
    state = posed(system, matter)
    gravity.set_body_is_excluded(state, matter.body("upper"), True)
    system.realize(state, mb.Stage.DYNAMICS)
    assert_array_equal(gravity.body_force(state, 1), np.zeros(6))
    assert_array_equal(matter.body_forces(state)[1], np.zeros(6))
    mass, com = mass_centers(matter, state)[1]
    magnitude = gravity.magnitude(state)
    assert_allclose(gravity.potential_energy(state), -mass * (gravity.gravity_vector(state) @ com + magnitude * 0.5), rtol=1e-14)


# forces and energy


def test_the_force_is_the_weight_at_the_mass_center_and_the_energy_its_height():
    system, matter, gravity = two_pins(vector=[1, -9, 2], zero_height=0.5)
    state = posed(system, matter)
    g, magnitude, energy = gravity.gravity_vector(state), gravity.magnitude(state), 0.0
    for body, (mass, com) in zip(matter.bodies, mass_centers(matter, state), strict=True):
        arm = com - body.X_GB(state).p
        assert_allclose(gravity.body_force(state, body), [*np.cross(arm, mass * g), *(mass * g)], rtol=1e-13)
        energy -= mass * (g @ com + magnitude * 0.5)
    assert_allclose(gravity.potential_energy(state), energy, rtol=1e-14)
    assert_allclose(system.potential_energy(state), energy, rtol=1e-14)
    assert gravity.calc_potential_energy_contribution(state) == gravity.potential_energy(state)


def test_the_contribution_of_gravity_is_its_part_of_the_sums_and_zero_if_disabled():
    system, matter, gravity = two_pins(vector=[1, -9, 2])
    state = posed(system, matter, mb.Stage.DYNAMICS)
    body_forces, mobility_forces = gravity.calc_force_contribution(state)
    assert_allclose(body_forces, gravity.body_forces(state), rtol=1e-14)
    assert_allclose(body_forces, matter.body_forces(state), rtol=1e-14)
    assert_array_equal(mobility_forces, np.zeros(2))
    gravity.disable(state)
    system.realize(state, mb.Stage.DYNAMICS)
    body_forces, _ = gravity.calc_force_contribution(state)
    assert_array_equal(body_forces, np.zeros((3, 6)))
    assert gravity.calc_potential_energy_contribution(state) == 0
    assert gravity.force_index == 0
    assert gravity.force_subsystem is gravity.forces


def test_disabled_by_default_means_disabled_in_new_states():
    system, matter, gravity = two_pins(vector=[1, -9, 2], disabled=True)
    assert gravity.is_disabled_by_default
    state = posed(system, matter, mb.Stage.DYNAMICS)
    assert gravity.is_disabled(state)
    assert_array_equal(matter.body_forces(state), np.zeros((3, 6)))
    gravity.enable(state)
    assert state.stage == mb.Stage.MODEL
    system.realize(state, mb.Stage.DYNAMICS)
    assert_allclose(matter.body_forces(state), gravity.body_forces(state), rtol=1e-14)
    gravity.set_disabled_by_default(False)
    assert not gravity.is_disabled(system.realize_topology())


def test_reading_forces_before_position_is_a_stage_error():
    system, _, gravity = two_pins()
    with pytest.raises(StageError, match=r"'gravity\.forces' needs a State realized to POSITION; this one is at MODEL"):
        gravity.body_forces(system.realize_topology())


def test_without_gravity_nothing_is_computed():
    system, matter, gravity = two_pins(magnitude=0.0)
    state = posed(system, matter, mb.Stage.ACCELERATION)
    assert gravity.potential_energy(state) == 0
    assert_array_equal(gravity.body_forces(state), np.zeros((3, 6)))
    assert gravity.num_evaluations == 0
    assert gravity.is_force_cache_valid(state)


@pytest.mark.slow
def test_a_zero_direction_set_by_a_master_is_an_error(tmp_path):
    system, _, _ = two_pins()
    path = mb.export_fmu(system, tmp_path / "two_pins.fmu", outputs=[], name="two_pins")
    network = mb.Network()
    network.add(path, "pins", start={"gravity.down[1]": 0.0, "gravity.down[2]": 0.0, "gravity.down[3]": 0.0})
    with pytest.raises(FmuError, match="nan"):
        mb.Master(network, step=0.1).run(0.5)


# the log of evaluations and cache validity that Simbody writes is compared in tests/reference
