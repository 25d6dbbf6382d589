"""FlexibleBeam: its mesh, points and sections; stiffening by rotation, buckling, and motions of other programs' nonlinear beams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from tests.flexible.frame_elements import beam
from tests.flexible.test_modal_data import CANTILEVER

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)


def flat(EI, EA, density, *, E=1e11):
    """A section and a material that bend along y alone; bending along z and torsion are a thousand times stiffer."""
    A, I = EA / E, EI / E
    return mb.Section(A=A, Iy=1000 * I, Iz=I, J=1000 * I), mb.Material(E=E, G=E, density=density / A)


def rotor(EI, EA, density, length, motion, *, down=None, **options):
    system = mb.MultibodySystem("rotor")
    matter = mb.MatterSubsystem(system)
    if down is not None:
        mb.Gravity(mb.ForceSubsystem(system), matter, down=down, magnitude=9.81)
    body = mb.FlexibleBeam(length, *flat(EI, EA, density), shear=False, at=[0.5], **options)
    beam = mb.Pin(matter.ground, body, name="beam")
    if motion is not None:
        motion(beam)
    return system, beam


def test_a_beam_has_the_frequencies_and_the_mass_of_its_elements():
    section = mb.Section.rectangle(0.02, 0.03)
    body = mb.FlexibleBeam(1.7, section, STEEL, modes=4, elements=10)
    numbers = {"E": 2.1e11, "G": STEEL.shear_modulus, "rho": 7850.0, "kappa": 5 / 6}
    M, K, _ = beam(1.7, 10, **numbers, A=section.A, Iy=section.Iy, Iz=section.Iz, J=section.J)
    squares = np.linalg.eigvals(np.linalg.solve(M[6:, 6:], K[6:, 6:])).real
    assert_allclose(2 * np.pi * body.modal.frequencies, np.sqrt(np.sort(squares))[:4], rtol=1e-8)
    EI = 2.1e11 * section.Iz
    assert_allclose(2 * np.pi * body.modal.frequencies[0], CANTILEVER[0] ** 2 * np.sqrt(EI / (7850 * section.A)) / 1.7**2, rtol=1e-3)
    assert_allclose(body.modal.mass_properties.mass, 7850 * section.A * 1.7, rtol=1e-12)


def test_a_beam_that_is_a_million_times_stiffer_one_way_bends_right_the_other_way():
    """40 elements: 3e-9 by their number; the stiff direction takes no digits."""
    I, length = 1e-12, 0.4
    body = mb.FlexibleBeam(
        length, mb.Section(A=1.0, Iy=1e6 * I, Iz=I, J=1e6 * I), mb.Material(E=1e12, G=1e12, density=0.2), shear=False, modes=1, elements=40
    )
    assert_allclose(2 * np.pi * body.modal.frequencies[0], CANTILEVER[0] ** 2 * np.sqrt(1e12 * I / 0.2) / length**2, rtol=1e-8)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_the_points_have_the_modal_masses_and_the_inertia_of_the_mesh(axis):
    """12 Gauss points on shapes that are cubic element by element: 3e-5."""
    modal = mb.FlexibleBeam(1.7, mb.Section.rectangle(0.02, 0.03), STEEL, modes=4, axis=axis).modal
    mass = sum(p.mass * p.shapes[3:].T @ p.shapes[3:] + p.shapes[:3].T @ p.inertia @ p.shapes[:3] for p in modal.points)
    assert_allclose(mass, np.eye(4), atol=1e-4)
    inertia = sum(p.inertia + p.mass * (p.p @ p.p * np.eye(3) - np.outer(p.p, p.p)) for p in modal.points)
    assert_allclose(inertia, modal.mass_properties.inertia, rtol=1e-9, atol=1e-12)
    assert_allclose(sum(p.mass * p.p for p in modal.points), modal.total_mass * modal.mass_properties.com, rtol=1e-9, atol=1e-12)
    assert_allclose(modal.interfaces["end"].X.p, 1.7 * np.eye(3)["xyz".index(axis)], atol=1e-12)


def test_a_load_along_the_beam_buckles_it():
    """Euler's load of a clamped beam, of which the stiffness of four modes in one plane is singular: 1e-3."""
    length, EI = 1.7, 1400.0
    critical = np.pi**2 * EI / (4 * length**2)
    least = []
    for load in (0.99 * critical, 1.01 * critical):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        discrete = mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="load")
        body = mb.Weld(matter.ground, mb.FlexibleBeam(length, *flat(EI, 4e7, 1.6), shear=False, modes=4), name="beam")
        state = system.realize_topology()
        discrete.set_body_force(state, body.interface("end"), [0, 0, 0, -load, 0, 0])
        found = mb.inverse_dynamics_derivatives(system, state, np.zeros(4))
        least.append(np.linalg.eigvalsh((found.by_q + found.by_q.T) / 2)[0])
    assert least[0] > 0 > least[1]


def test_rotation_stiffens_bending():
    """The first frequencies of flapping at 0, 3 and 6 times sqrt(EI / (density L^4)), by Wright and others (1982): 1e-3 with four modes."""
    for speed, expected in ((0.0, 3.516), (3.0, 4.7973), (6.0, 7.3604)):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        E, A, I = 1e11, 1e-6, 1e-11
        section = mb.Section(A=A, Iy=I, Iz=1000 * I, J=1000 * I)
        body = mb.FlexibleBeam(1.0, section, mb.Material(E=E, G=E, density=1 / A), shear=False, modes=3)
        hub = mb.Pin(matter.ground, body, name="hub")
        mb.SteadyMotion(hub, speed)
        state = system.realize_topology()
        A_lin = mb.forward_dynamics_derivatives(system, state).by_q
        names = slice(1, None)
        squares = np.linalg.eigvals(-A_lin[names, names])
        assert_allclose(np.sqrt(squares.real.min()), expected, rtol=2e-3)


def test_a_soft_pendulum_keeps_its_energy():
    """It bends by 7 % of its length. Undamped: the accuracy of the run, over its oscillations."""
    system, _beam = rotor(2.0, 20000.0, 0.5, 1.0, None, down=[0, -1, 0], modes=2)
    results = mb.Simulation(system, accuracy=1e-8).run(system.realize_topology(), until=0.5)
    assert np.abs(results["beam.end.deflection"][:, 4]).max() > 0.04
    assert_allclose(results["energy"][-1], results["energy"][0], atol=1e-6 * np.ptp(results["kinetic_energy"]))


@pytest.mark.slow
def test_a_beam_that_is_spun_up_above_its_frequency_bends_as_rigid_segments():
    """Simo and Vu-Quoc's beam: largest deflection of the tip 0.5712 m by 24 rigid segments, extrapolated; to 1 %."""
    T, speed, t = 15.0, 6.0, np.linspace(0, 21, 400)
    angle = np.where(t < T, speed * (t**2 / (2 * T) + T / (4 * np.pi**2) * (np.cos(2 * np.pi * t / T) - 1)), speed * (t - T / 2))
    spun = mb.functions.Spline.fit(t, angle, degree=5)
    system, _ = rotor(14000.0, 2.8e7, 1.2, 10.0, lambda beam: mb.FunctionMotion(beam, [spun], level="position"), modes=4)
    results = mb.Simulation(system, accuracy=1e-6).run(system.realize_topology(), until=20.0, report_every=0.5)
    assert not results.warnings
    assert_allclose(np.abs(results["beam.end.deflection"][:, 4]).max(), 0.5712, rtol=0.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, below=0.1), r"no mode lies below 0.1 Hz; the lowest is \d.* Hz"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, modes=13), "at most 12"),
        (lambda: mb.FlexibleBeam(1.0, 0.01, STEEL), "takes a length, a Section and a Material"),
        (lambda: mb.FlexibleBeam(0.0, mb.Section.circle(0.01), STEEL), "must be positive"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, axis="w"), "axis is 'x', 'y' or 'z'"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, at=[1.0]), "fractions of the length"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, at=0.5), "at has fractions of the length.*not 0.5"),
        (
            lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, geometric_stiffening=1.5),
            "is True, False, or left out, not 1.5",
        ),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, elements=1), "whole number from 2 on"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, elements=10**9), "1000000000 elements; there are at most 500"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, at=0.5), "fractions of the length"),
        (lambda: mb.FlexibleBeam(1.0, mb.Section.circle(0.01), STEEL, elements=2, modes=11), "11 modes; 2 elements have 10"),
        (lambda: mb.Material(E="1e9", nu=0.3, density=1000.0), "E takes numbers, not '1e9'"),
        (lambda: mb.Section.circle([0.01, 0.02]), "radius takes one number"),
        (lambda: mb.Section.tube(0.01, 0.02), "is not above the inner one"),
        (lambda: mb.Section.rectangle(0.0, 0.02), "must be positive"),
        (lambda: mb.Material(E=1e9, density=1000.0), "give nu or G, one of them"),
        (lambda: mb.Material(E=1e9, nu=0.7, density=1000.0), "above -1 and at most 0.5"),
    ],
)
def test_what_is_no_beam_is_refused(make, words):
    with pytest.raises((InputError, UnsupportedError), match=words):
        make()


def test_sections_have_the_moments_of_their_shapes():
    """J of a square: 0.1406 b^4 (Timoshenko, Goodier)."""
    square = mb.Section.rectangle(0.02, 0.02)
    assert_allclose([square.A, square.Iy, square.Iz, square.J], [4e-4, 0.02**4 / 12, 0.02**4 / 12, 0.140577 * 0.02**4], rtol=1e-4)
    tube, hole = mb.Section.tube(0.02, 0.01), mb.Section.circle(0.01)
    assert_allclose(tube.J + hole.J, mb.Section.circle(0.02).J, rtol=1e-12)


def test_modes_have_the_same_signs_in_each_system_of_units():
    """An eigensolver leaves them open: in km they came out with other signs than in m."""
    points, modal = np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0.2]]), []
    for m in (1.0, 1e-3, 1e3):
        material = mb.Material(E=5e8 / m, nu=0.3, density=2500 / m**3)
        modal.append(mb.FlexibleBeam(points=m * points, section=mb.Section.rectangle(0.04 * m, 0.03 * m), material=material, modes=4).modal)
    for other in modal[1:]:
        assert_allclose(other.interfaces["end"].shapes[3:], modal[0].interfaces["end"].shapes[3:], atol=1e-6)
