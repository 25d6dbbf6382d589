"""The scales of a System: how they are estimated, shown and given, and what has them."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import contact
from mobod.compilation.source.scales import error_scales, estimated_scales, y_scales
from mobod.errors import InputError
from mobod.system.scales import Scales
from tests.laws.unit_models import MODELS
from tests.other_units import SYSTEMS_OF_UNITS, in_units

G = 9.81


def rods(*lengths, mass=2.0):
    """A chain of rods on pins, each of the same mass, with the mass in the middle."""
    system = mb.MultibodySystem("chain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=G, name="gravity")
    parent, place = matter.ground, mb.Transform()
    for number, length in enumerate(lengths):
        parent = mb.Pin(parent, mb.MassProperties.point(mass, [0, -length / 2, 0]), X_PF=place, name=f"rod{number}")
        place = mb.Transform(p=[0, -length, 0])
    return system, matter, forces


def numbers(system):
    scales = estimated_scales(system).scales
    return np.array([scales.length, scales.time, scales.mass])


def test_the_length_is_the_mean_of_distances_by_the_mass_that_they_carry():
    system, *_ = rods(0.6, 1.0)
    # both masses from their joints, and the second joint, which carries one mass, from the first
    length = (0.3 + 0.5 + 0.6) / 3
    assert_allclose(numbers(system), [length, 2 * np.pi * np.sqrt(length / G), 2.0], rtol=1e-14)


@pytest.mark.parametrize("name", ["mixed tree", "free pair", "arm in space"])
def test_the_scales_are_the_same_sizes_in_all_units(name):
    system, _ = MODELS[name].build()
    for units in SYSTEMS_OF_UNITS.values():
        assert_allclose(numbers(in_units(system, units)) * [units.length, units.time, units.mass], numbers(system), rtol=1e-13)


def test_a_far_shape_of_ground_and_a_far_place_of_joints_on_ground_change_no_bit():
    system, matter, _ = rods(0.6, 1.0)
    expected = numbers(system)
    far = contact.HalfSpace.frame([0, 1, 0], [0, -1e6, 0])
    mb.RigidContact(matter.ground, contact.HalfSpace(), matter.bodies[1], contact.Sphere(0.1), X_B1S1=far, name="floor")
    assert_array_equal(numbers(system), expected)
    matter.bodies[0].set_default_inboard_frame(mb.Transform(p=[1e7, 0, 0]))
    assert_array_equal(numbers(system), expected)


@pytest.mark.parametrize("far", [0.1, 100.0])
def test_a_body_of_a_millionth_of_the_mass_changes_each_scale_by_less_than_a_hundredth(far):
    system, matter, _ = rods(0.6, 1.0)
    expected = numbers(system)
    mb.Pin(matter.bodies[1], mb.MassProperties.point(4e-6, [far, 0, 0]), X_PF=mb.Transform(p=[0, far, 0]), name="grain")
    assert_allclose(numbers(system), expected, rtol=0.01)


def test_without_gravity_the_time_is_that_of_the_springs_and_without_springs_a_second():
    system, matter, forces = rods(0.6)
    forces.elements[0].set_disabled_by_default(True)
    assert estimated_scales(system).scales == Scales(0.3, 1.0, 2.0)
    assert estimated_scales(system).sources["time_scale"] == "1, because there is neither gravity nor a spring"
    mb.MobilityLinearSpring(forces, matter.bodies[0], stiffness=5.0, name="spring")  # N m/rad
    assert_allclose(estimated_scales(system).scales.time, 2 * np.pi * np.sqrt(2.0 * 0.3**2 / 5.0), rtol=1e-14)


def test_points_have_the_lengths_of_their_springs_or_the_deflection_by_their_weight():
    system = mb.MultibodySystem("points")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    point = mb.Translation(matter.ground, mb.MassProperties.point(0.5, [0, 0, 0]), name="point")
    assert estimated_scales(system).sources["length_scale"] == "1, because nothing has an extent"
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=G, name="gravity")
    mb.MobilityLinearSpring(forces, point, stiffness=40.0, name="spring")
    assert_allclose(estimated_scales(system).scales.length, 0.5 * G / 40.0, rtol=1e-14)
    mb.TwoPointLinearSpring(forces, matter.ground, [1e5, 0, 0], point, [0, 0, 0], stiffness=40.0, rest_length=0.7, name="rope")
    assert_allclose(estimated_scales(system).scales.length, 0.7, rtol=1e-14)


def test_a_system_without_bodies_has_scales_of_one():
    assert estimated_scales(mb.System("empty")).scales == Scales(1.0, 1.0, 1.0)


def test_each_kind_of_state_and_error_has_the_scale_of_its_unit():
    system, state = MODELS["slider-crank"].build()
    length, time, _ = numbers(system)
    assert_allclose(y_scales(system, state), [1, length, 1 / time, length / time], rtol=1e-15)  # pin and slider
    block = system.matter.constraint_sweeps(state.layout).table.blocks[0]
    offsets = [*block.position_errors.offsets, *block.velocity_errors.offsets]
    assert_allclose(error_scales(system, state, offsets), [length, length / time], rtol=1e-15)


class Charger(mb.CustomSubsystem):
    """Auxiliary variables with a unit, with a scale of their own, and with neither."""

    recordable = False

    def realize_model(self, state):
        state.allocate_z(self, 0.0, "heat", label=mb.Label(unit="J"))
        state.allocate_z(self, [0.0, 0.0], "charge", label=mb.Label(unit="C", scale=(1e-3, 2e-3)))
        state.allocate_z(self, 0.0, "count")


def test_auxiliary_variables_have_the_scale_of_their_label_or_of_its_unit():
    system, *_ = rods(0.6)
    Charger(system, "charger")
    length, time, mass = numbers(system)
    assert_allclose(y_scales(system, system.realize_topology())[2:], [mass * length**2 / time**2, 1e-3, 2e-3, 1.0], rtol=1e-15)


@pytest.mark.parametrize("name", ["length_scale", "time_scale", "mass_scale"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_a_scale_that_is_not_positive_is_refused(name, value):
    system, *_ = rods(0.6)
    with pytest.raises(InputError, match=rf"Simulation: {name} must be positive and finite"):
        mb.Simulation(system, **{name: value})


def test_given_scales_replace_the_estimates_and_the_others_follow():
    system, *_ = rods(0.6)
    assert mb.Simulation(system, length_scale=0.5).scales == Scales(0.5, 2 * np.pi * np.sqrt(0.5 / G), 2.0)
    assert mb.Simulation(system, length_scale=2.0, time_scale=3.0, mass_scale=4.0).scales == Scales(2.0, 3.0, 4.0)


def test_runs_stepped_runs_and_ensembles_with_given_scales_have_the_same_bits():
    system, *_ = rods(0.6, 1.0)
    state = system.realize_topology()
    state.q, state.u = [0.7, -0.4], [1.0, 2.0]
    options = {"length_scale": 0.5, "time_scale": 0.02, "backend": "interpreted"}
    results = mb.Simulation(system, **options).run(state, 0.5)
    run = mb.Simulation(system, **options).start(state)
    run.step(0.5)
    assert mb.Simulation(system, backend="interpreted").run(state, 0.5).steps != results.steps
    assert_array_equal(run["rod1.q"], results.final_state.q[1:])
    ensemble = mb.Ensemble(system, state, n=3, **options).run(0.5)
    for member in range(3):
        assert_array_equal(np.ravel(ensemble["rod1.q"][member][-1]), results.final_state.q[1:])


def test_a_simulation_with_other_scales_leaves_the_system_as_it_was():
    system, *_ = rods(0.6, 1.0)
    state = system.realize_topology()
    state.q = [0.7, -0.4]
    before = mb.Simulation(system, backend="interpreted").run(state, 0.5)
    mb.Simulation(system, backend="interpreted", length_scale=100.0, time_scale=0.01).run(state, 0.5)
    after = mb.Simulation(system, backend="interpreted").run(state, 0.5)
    assert_array_equal(after.final_state.y, before.final_state.y)
    assert after.steps == before.steps


@pytest.mark.parametrize("options", [{}, {"length_scale": 0.25}])
def test_the_nominal_values_of_an_fmu_are_the_scales_of_its_states(tmp_path, options):
    system, _ = MODELS["slider-crank"].build()
    path = mb.export_fmu(system, tmp_path / "crank.fmu", outputs=[], code="interpreted", reference=False, **options)
    declared = {each.name: each.nominal for each in fmpy.read_model_description(str(path)).modelVariables if each.nominal is not None}
    scales = mb.Simulation(system, **options).scales
    expected = {"crank.q": 1.0, "piston.q": scales.length, "crank.u": 1 / scales.time, "piston.u": scales.length / scales.time}
    assert {name: float(value) for name, value in declared.items()} == pytest.approx(expected, rel=1e-15)
