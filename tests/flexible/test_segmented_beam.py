"""segmented_beam: statics, large bending and frequencies, against closed forms and modal beams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from tests.flexible.reference_bodies import cases

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)
SECTION = mb.Section.rectangle(0.02, 0.03)


def clamped(segments, **options):
    system = mb.MultibodySystem("beam")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    beam = mb.segmented_beam(matter.ground, 1.7, SECTION, STEEL, segments=segments, **options)
    return system, forces, beam


def test_static_deflections_are_those_of_the_beam():
    """Timoshenko's cantilever under small loads at its end: all flexibilities, by the stiffness of the joints, whatever their number."""
    system, _forces, beam = clamped(3, shear=True)
    matter, state = system.matter, system.realize_topology()
    system.realize(state, mb.Stage.POSITION)
    J = matter.frame_jacobian(state, beam.end, beam.tip)
    K = np.array([each.default_stiffness for each in forces_of(system)])
    L, EI_y, EI_z, G = 1.7, STEEL.E * SECTION.Iy, STEEL.E * SECTION.Iz, STEEL.shear_modulus
    sheared = L / (5 / 6 * G * SECTION.A)
    flexibility = J / K @ J.T
    bending = [L**3 / (3 * EI) + sheared for EI in (EI_z, EI_y)]
    assert_allclose(np.diag(flexibility), [L / (G * SECTION.J), L / EI_y, L / EI_z, L / (STEEL.E * SECTION.A), *bending], rtol=1e-12)
    assert_allclose([flexibility[2, 4], flexibility[1, 5]], [L**2 / (2 * EI_z), -(L**2) / (2 * EI_y)], rtol=1e-12)


def forces_of(system):
    (subsystem,) = (each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    return subsystem.elements


def test_a_moment_bends_it_into_an_arc():
    """A moment of pi EI / L at the end: half a circle; the tip of the polygon of 24 elements lies within 1e-3 of it."""
    system, forces, beam = clamped(24)
    L, moment = 1.7, np.pi * STEEL.E * SECTION.Iz / 1.7
    discrete = mb.DiscreteForces(forces, system.matter, name="load")
    state = system.realize_topology()
    for body in beam.bodies[1:]:
        body.set_q(state, [0, 0, np.pi / 24])
    discrete.set_body_force(state, beam.end, [0, 0, moment, 0, 0, 0])
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(state.u_dot, 0, atol=1e-6 * moment)  # in equilibrium, with inertias from 1e-2 kg m^2
    tip = beam.end.X_GB(state).apply(beam.tip)
    assert_allclose(tip, [0, 2 * L / np.pi, 0], atol=1e-3 * L)


@pytest.mark.parametrize(
    "case", [pytest.param(each, id=each["name"]) for each in cases("statics") if each["load"] == "elastica, tip force"]
)
def test_a_force_on_the_tip_bends_it_as_the_elastica(case):
    """Loads up to 5 EI / L^2, tip rotations up to 1.2 rad: 8 elements, 0.4 / 8^2 of the length."""
    system, forces, beam = clamped(8)
    force = case["alpha"] * STEEL.E * SECTION.Iz / 1.7**2
    mb.ConstantForce(forces, beam.end, force=[0, force, 0], station=beam.tip, name="load")
    state = system.realize_topology()
    for body in beam.bodies[1:]:
        body.set_q(state, [0, 0, case["tip_rotation"] / 8])
    found = mb.find_equilibrium(system, state)
    X = beam.end.X_GB(found)
    assert_allclose(X.apply(beam.tip)[:2] / 1.7, [case["tip_x_over_L"], case["tip_y_over_L"]], atol=0.4 / 8**2)
    assert_allclose(np.arctan2(X.R[1, 0], X.R[0, 0]), case["tip_rotation"], atol=0.4 / 8**2 * case["tip_rotation"])


@pytest.mark.parametrize("segments", [8, 16])
def test_frequencies_approach_those_of_the_modal_beam(segments):
    """The error falls with the square of the number of elements."""
    system, _, _ = clamped(segments)
    state = system.realize_topology()
    system.realize(state, mb.Stage.POSITION)
    M = system.matter.mass_matrix(state)
    K = np.diag([each.default_stiffness for each in forces_of(system)])
    found = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))[:3] / (2 * np.pi)
    expected = mb.FlexibleBeam(1.7, SECTION, STEEL, modes=3, shear=False).modal.frequencies
    errors = 1 - found / expected
    assert (np.abs(errors[:2]) < 0.6 / segments**2).all()
    assert np.abs(errors[2]) < 8 / segments**2


def test_damping_is_proportional_to_the_stiffness():
    system, _, beam = clamped(2, damping=1e-3, name="rod")
    found = {each.name: each for each in forces_of(system)}
    assert found["rod.s1.damper2"].default_damping == 1e-3 * found["rod.s1.spring2"].default_stiffness
    assert [body.name for body in beam.bodies] == ["rod.s0", "rod.s1", "rod.s2"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"segments": 0}, "whole number from 1 to 500, not 0"),
        ({"length": 0.0}, "the length, 0 m, must be positive"),
        ({"section": 0.1}, "takes a parent, a length, a Section and a Material"),
        ({"parent": None}, "the parent is matter.ground or a mobilized body, not NoneType"),
    ],
)
def test_what_is_no_segmented_beam_is_refused(options, words):
    ground = mb.MatterSubsystem(mb.MultibodySystem()).ground
    given = {"parent": ground, "length": 1.0, "section": SECTION, "material": STEEL} | options
    with pytest.raises(InputError, match=words):
        mb.segmented_beam(**given)
