"""Modes against closed forms."""

import numpy as np
import pytest
from numpy.polynomial import laguerre
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, MobodWarning
from tests.unit.analysis.mechanisms import G, begun, body, chain


@pytest.mark.parametrize("damped", [True, False])
def test_five_equal_point_masses_on_a_string_have_the_roots_of_a_laguerre_polynomial(damped):
    length = 0.7
    system, links = chain(5, length, mass=1.9)
    modes = system.modes(system.realize_topology(), damped=damped)
    assert_allclose(modes.frequencies**2, G / length * laguerre.lagroots([0, 0, 0, 0, 0, 1]), rtol=1e-11)
    assert_allclose(modes.frequencies_hz, modes.frequencies / (2 * np.pi))
    assert_allclose(modes.damped_frequencies, modes.frequencies)
    assert not modes.damping_ratios.any()
    # at mass i, counted from below, the deflections of a mode are L_i: the absolute angles are their differences
    root = laguerre.lagroots([0, 0, 0, 0, 0, 1])[1]
    deflections = [laguerre.lagval(root, np.eye(6)[i]) for i in range(6)]
    angles = [deflections[4 - i] - deflections[5 - i] for i in range(5)]
    relative = np.diff([0.0, *angles])
    assert_allclose(modes.shapes[:, 1], relative / relative[np.argmax(np.abs(relative))], atol=1e-10)
    assert list(modes.shape(1)) == [f"{link.name}.q" for link in links]


def coupled_sliders(damping):
    """Two masses m on a line with a spring between them."""
    system, matter, forces = begun("sliders")
    for name in ("left", "right"):
        mb.Slider(matter.ground, mb.MassProperties.point(2.0, [0, 0, 0]), name=name)
    left, right = matter.bodies
    mb.TwoPointLinearSpring(forces, left, [0, 0, 0], right, [1, 0, 0], stiffness=36.0, rest_length=1.0)
    mb.GlobalDamper(forces, matter, damping=damping)
    return system


def test_a_rigid_body_mode_is_zero_and_a_damping_ratio_that_of_the_oscillator():
    system = coupled_sliders(0.0)
    for damped in (True, False):
        modes = system.modes(system.realize_topology(), damped=damped)
        assert len(modes) == 2
        assert modes.eigenvalues[0] == 0
        assert_allclose(modes.eigenvalues[1], 6j, rtol=1e-12)  # sqrt(2 k / m)
        assert_allclose(modes.shapes, [[1, 1], [1, -1]], atol=1e-12)
    system = coupled_sliders(1.2)
    modes = system.modes(system.realize_topology())
    assert_allclose(modes.frequencies, [0, 0.6, 6], atol=1e-12)  # the rigid-body speed decays with d / m
    assert_allclose(modes.damping_ratios, [0, 1, 0.05], atol=1e-12)
    assert_allclose(modes.damped_frequencies[2], 6 * np.sqrt(1 - 0.05**2), rtol=1e-12)
    lines = repr(modes).splitlines()
    assert lines[0].split() == ["mode", "rad/s", "Hz", "damping", "shape"]
    assert lines[3].split()[:4] == ["3", "6", "0.95493", "0.05"]
    assert lines[3].endswith("left.q 1, right.q -1")


def test_a_steady_motion_has_modes_and_an_accelerated_one_warns():
    """A pendulum on a shaft that turns at a constant rate: omega^2 = rate^2 sin^2(angle)."""
    system, matter, _ = begun("governor")
    shaft = mb.Pin(matter.ground, body(), X_PF=mb.Transform(mb.spatial.rotation_x(-np.pi / 2)), name="shaft")
    arm = mb.Pin(shaft, mb.MassProperties.point(1.0, [0, -1, 0]), X_PF=mb.Transform(mb.spatial.rotation_x(np.pi / 2)), name="arm")
    state = system.realize_topology()
    shaft.lock_at(state, 5.0, "velocity")
    arm.set_q(state, np.arccos(G / 25))
    modes = system.modes(state)
    assert_allclose(modes.frequencies, [0, 5 * np.sqrt(1 - (G / 25) ** 2)], atol=1e-9)
    with pytest.raises(InputError, match="undamped modes belong to a State at rest"):
        system.modes(state, damped=False)
    arm.set_q(state, 0.3)
    with pytest.warns(MobodWarning, match=r"the State is no equilibrium: the rate of 'arm\.u' is 4\.1"):
        system.modes(state)


def test_an_inverted_pendulum_has_a_mode_that_grows():
    system, (link,) = chain(1, 2.0, mass=1.0)
    state = system.realize_topology()
    link.set_q(state, np.pi)
    assert_allclose(np.sort(system.modes(state).eigenvalues.real), [-np.sqrt(G / 2), np.sqrt(G / 2)], rtol=1e-12)
    assert_allclose(system.modes(state, damped=False).damping_ratios, [-1.0])
