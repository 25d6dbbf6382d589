"""Static correction of beams: deflections under loads on interfaces are those of all elements, or of closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)


def deflection(section, length, force, moment, **options):
    """(6,) of the end of a beam that is clamped at its start, at rest."""
    system = mb.MultibodySystem("shelf")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    beam = mb.Weld(matter.ground, mb.FlexibleBeam(length, section, STEEL, **options), name="beam")
    mb.ConstantForce(forces, beam.interface("end"), [0, 0, 0], force)
    mb.ConstantTorque(forces, beam.interface("end"), moment)
    state = system.realize_topology()
    mb.deflect_at_rest(system, state, [beam])
    return beam.interface("end").deflection(state)


def flexibility(modal):
    """Displacements and rotations of all interfaces for unit loads on them."""
    shapes = np.concatenate([each.shapes for each in modal.interfaces.values()])
    return (shapes / modal.stiffness) @ shapes.T


def test_a_beam_with_static_correction_has_the_deflection_of_euler_under_a_load_at_its_end():
    """0.46 % with four modes, two of them in each plane."""
    section, length, F = mb.Section.rectangle(0.02, 0.018), 0.9, 1e-3  # so small that terms of second order vanish
    right = F * length**3 / (3 * STEEL.E * section.Iy)
    load = {"force": [0, 0, F], "moment": [0, 0, 0], "shear": False, "modes": 4}
    assert_allclose(deflection(section, length, **load)[5] / right - 1, -0.0046, atol=1e-4)
    found = deflection(section, length, **load, static_correction="forces")
    assert_allclose(found[5], right, rtol=1e-8)
    assert_allclose(-found[1], 1.5 * right / length, rtol=1e-8)


def test_corrections_of_all_loads_include_bending_and_torsion_by_moments():
    section, length, moment = (
        mb.Section.rectangle(0.02, 0.012),
        0.9,
        np.array([2e-6, -1e-6, 3e-6]),
    )  # so small that terms of second order vanish
    found = deflection(section, length, [0, 0, 0], moment, modes=2, static_correction="loads")
    bends = [STEEL.shear_modulus * section.J, STEEL.E * section.Iy, STEEL.E * section.Iz]
    assert_allclose(found[:3], moment * length / bends, rtol=1e-8)
    assert_allclose(found[4:], [moment[2] * length**2 / (2 * bends[2]), -moment[1] * length**2 / (2 * bends[1])], rtol=1e-8)


@pytest.mark.parametrize("frame", ["inboard", "mean"])
@pytest.mark.parametrize("correction", ["forces", "loads"])
def test_corrections_give_the_flexibility_of_all_modes(frame, correction):
    options = {"elements": 4, "at": [0.3], "frame": frame, "geometric_stiffening": False}
    beam = [[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0.1]], mb.Section.rectangle(0.02, 0.012), STEEL
    n_all = 24
    whole = mb.FlexibleBeam(points=beam[0], section=beam[1], material=beam[2], modes=n_all, **options).modal
    modal = mb.FlexibleBeam(points=beam[0], section=beam[1], material=beam[2], modes=3, static_correction=correction, **options).modal
    assert 3 < modal.n < n_all
    assert_allclose(modal.frequencies[:3], whole.frequencies[:3], rtol=1e-9)
    assert (np.diff(modal.frequencies) > 0).all()
    right, found = flexibility(whole), flexibility(modal)
    if correction == "forces":
        forces = [6 * k + axis for k in range(3) for axis in (3, 4, 5)]
        right, found = right[:, forces], found[:, forces]
    assert_allclose(found, right, rtol=0, atol=1e-7 * np.abs(right).max())


def test_corrections_that_do_not_exist_or_are_too_many_are_refused():
    with pytest.raises(InputError, match="static_correction is 'forces', 'loads', or left out, not True"):
        mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, static_correction=True)
    with pytest.raises(UnsupportedError, match=r"14 modes; .*The shapes of the static correction count. Give fewer modes"):
        mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, modes=4, at=[0.5], static_correction="loads", geometric_stiffening=True)
