"""Displacements of second order of beams along lines with corners: exact kinematics, buckling, rotation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import null_space
from scipy.optimize import brentq

import mobod as mb
from mobod.flexible.beam_line import BeamLine
from mobod.flexible.beam_second_order import SecondOrder
from mobod.flexible.beams import BeamMesh
from mobod.flexible.sections import SectionsAlong
from mobod.matter.equations.interface_equations import rotation_of_vector

STEEL = mb.Material(E=2.1e11, nu=0.3, density=7850)
LINE = np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0], [0.2, 0.3, 0.5]])


def test_strains_that_are_linear_move_the_line_by_phi_and_phi2():
    """Against an integration of the strains with rotations of any size, by second differences: 400 steps, 1e-5."""
    line = BeamLine.through(LINE, "x")
    beam = BeamMesh(line, SectionsAlong(np.array([0, 1.0]), [mb.Section.rectangle(0.05, 0.08)]), STEEL, 4, has_shear=True)
    rng = np.random.default_rng(3)
    basis, eta = np.zeros((6 * len(beam.nodes), 2)), np.array([0.7, -1.1])
    basis[6:] = rng.normal(size=(len(basis) - 6, 2)) * np.tile([0.1] * 3 + [1.0] * 3, len(beam.nodes) - 1)[:, None]
    x = 0.83 * line.stations[-1]

    def position(eta, steps=100):
        R, r = np.eye(3), np.zeros(3)
        for element, h in enumerate(beam.h):
            part = min(1.0, (x - beam.stations[element]) / h)
            if part <= 0:
                break
            middles, ds = (np.arange(steps) + 0.5) / steps * part, part * h / steps
            _, rates, strain = beam.rotations_on(element, middles, basis)
            tangent = beam.axes[element][:, 0] + strain @ eta
            for rate in rates:
                turn = rotation_of_vector(rate @ eta * ds / 2)
                r, R = r + ds * (R @ turn @ tangent), R @ turn @ turn
        return r

    step = 1e-3
    ahead, behind, at_rest = (position(factor * step * eta) for factor in (1, -1, 0))
    assert_allclose((ahead - behind) / (2 * step), beam.shapes_at(x, basis)[3:] @ eta, rtol=1e-4, atol=1e-4 * np.abs(basis).max())
    expected = np.einsum("aij,i,j->a", SecondOrder(beam, basis).at(x), eta, eta)
    assert_allclose((ahead + behind - 2 * at_rest) / step**2, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def stiffness_under_load(body, name, force):
    """(n, n) of the modes of a body that is welded to Ground, with a force on an interface."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    discrete = mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="load")
    welded = mb.Weld(matter.ground, body, name="frame")
    state = system.realize_topology()
    discrete.set_body_force(state, welded.interface(name), [0, 0, 0, *force])
    found = mb.inverse_dynamics_derivatives(system, state, np.zeros(body.modal.n))
    return (found.by_q + found.by_q.T) / 2


def test_a_load_on_the_corner_of_a_frame_buckles_it():
    """A column that is clamped at its base, and a beam of the same length from its top to a pinned support: kL = 5.192, ten modes 1 %."""
    circle = mb.Section.circle(0.01)
    plane = mb.Section(A=circle.A, Iy=1000 * circle.Iy, Iz=circle.Iz, J=1000 * circle.J)  # bends in the plane of the frame alone
    body = mb.FlexibleBeam(
        points=[[0, 0, 0], [0, 0, 1], [1, 0, 1]], section=plane, material=STEEL, shear=False, modes=10, at=[0.5], axis="z"
    )
    # the rotational stiffness of the column's top, and 3 EI / L of the beam
    kl = brentq(lambda x: x * (np.sin(x) - x * np.cos(x)) / (2 - 2 * np.cos(x) - x * np.sin(x)) + 3, 4.0, 6.2)
    supported = null_space(body.modal.interfaces["end"].shapes[3:])
    least = []
    for part in (0.99, 1.01):
        K = stiffness_under_load(body, "at0", [0, 0, -part * kl**2 * 2.1e11 * circle.Iz])
        least.append(np.linalg.eigvalsh(supported.T @ K @ supported)[0])
    assert least[0] > 0 > least[1]


def test_a_load_across_a_narrow_beam_buckles_it_sideways():
    """A clamped strip with a force on its end: 4.013 sqrt(EI GJ) / L^2 (Timoshenko, Gere, Theory of Elastic Stability, 6.3); 1 %."""
    length = 1.0
    strip = mb.Section(A=1e-4, Iy=1e-6, Iz=1e-10, J=4e-10)
    body = mb.FlexibleBeam(length, strip, STEEL, shear=False, modes=10)
    critical = 4.013 * np.sqrt(2.1e11 * strip.Iz * STEEL.shear_modulus * strip.J) / length**2
    least = [np.linalg.eigvalsh(stiffness_under_load(body, "end", [0, 0, part * critical]))[0] for part in (0.99, 1.01)]
    assert least[0] > 0 > least[1]


def test_a_curve_of_many_pieces_has_few_points():
    angles = np.linspace(0, np.pi / 2, 25)
    curve = np.array([np.sin(angles), 1 - np.cos(angles), 0 * angles]).T
    modal = mb.FlexibleBeam(points=curve, section=mb.Section.circle(0.01), material=STEEL, modes=4).modal
    assert len(modal.points) < 30
    mass = sum(p.mass * p.shapes[3:].T @ p.shapes[3:] + p.shapes[:3].T @ p.inertia @ p.shapes[:3] for p in modal.points)
    assert_allclose(mass, np.eye(4), atol=1e-3)


@pytest.mark.slow
def test_an_angle_that_is_spun_up_bends_as_rigid_segments():
    """An L spun to 0.4 of its first frequency: the end's deflection 0.03071 m by rigid segments, extrapolated from 16 and 32 of them, and
    0.0350 m with linear shapes. It turns by 0.08 rad: 1 %.
    """
    section, T = mb.Section.rectangle(0.004, 0.04), 2.0
    body = mb.FlexibleBeam(points=[[0, 0, 0], [1, 0, 0], [1, 0.6, 0]], section=section, material=STEEL, modes=4, shear=False)
    speed, t = 0.4 * 2 * np.pi * body.modal.frequencies[0], np.linspace(0, 2 * T, 200)
    angle = np.where(t < T, speed * (t**2 / (2 * T) + T / (4 * np.pi**2) * (np.cos(2 * np.pi * t / T) - 1)), speed * (t - T / 2))
    system = mb.MultibodySystem()
    angled = mb.Pin(mb.MatterSubsystem(system).ground, body, name="angle")
    mb.FunctionMotion(angled, [mb.functions.Spline.fit(t, angle, degree=5)], level="position")
    results = mb.Simulation(system, accuracy=1e-6).run(system.realize_topology(), until=T, report_every=T)
    assert not results.warnings
    assert_allclose(results["angle.end.deflection"][-1, [3, 4]], [0.03071, -0.012376], rtol=0.015)
