"""Balls on smooth height fields: closed forms under error control, in fixed steps and in compliant contact."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, HeightField, Sphere, pair_of
from mobod.errors import UnsupportedError
from mobod.spatial import Transform

GRAVITY, SPACING = 9.81, 0.01
HILLS = HeightField(0.02 * np.random.default_rng(5).random((7, 9)), (0.2, 0.15), smooth=True)


def ball_in_trough(amplitude, wave_length, radius, x, kind="rigid"):
    """A ball that touches z = -A cos(2 pi x / L) at x; (system, ball, State)"""
    n = round(wave_length / SPACING) + 1
    heights = -amplitude * np.cos(2 * np.pi / wave_length * SPACING * (np.arange(n) - (n - 1) / 2))
    field = HeightField(np.repeat(heights[:, None], 3, axis=1), (SPACING, 0.5), smooth=True)
    system = mb.MultibodySystem("trough")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY)
    ball = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], 0.4 * radius**2 * np.eye(3)), name="ball")
    pair = matter.ground, field, ball, Sphere(radius)
    if kind == "rigid":
        mb.RigidContact(*pair, static_friction=2.0, name="contact")
    else:
        material = mb.ContactMaterial(1e7, dissipation=0.0, static_friction=2.0, dynamic_friction=2.0)
        mb.CompliantContact(forces, *pair, material1=material, friction="lugre", name="contact")
    state = system.realize_topology()
    jet = field.smooth_heights.at(x, 0.0)
    normal = np.array([-jet.slopes[0], 0.0, 1.0])
    ball.set_q(state, [1, 0, 0, 0, *([x, 0, jet.height] + radius * normal / np.linalg.norm(normal))])
    return system, ball, state


# periods of balls that roll without slip, by quadrature: computed elsewhere, to 1e-7
@pytest.mark.parametrize(
    ("trough", "period"),
    [
        ((0.02, 1.0, 0.05, 0.02), 2.620850870684669),
        pytest.param((0.02, 1.0, 0.05, 0.2), 2.927060685263972, marks=pytest.mark.slow),
        pytest.param((0.1, 2.0, 0.05, 0.5), 2.864119578668413, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("options", [{"accuracy": 1e-8}, {"integrator": "velocity_level", "step": 1e-3}], ids=["error control", "steps"])
def test_a_ball_in_a_trough_has_its_period_and_keeps_its_energy(trough, period, options):
    system, ball, state = ball_in_trough(*trough)
    until = period if "accuracy" in options else round(period, 3)

    results = mb.Simulation(system, backend="interpreted", **options).run(state, until, report_every=until)

    start, end = ball.q(state)[4:], ball.q(results.final_state)[4:]
    peak = np.pi * trough[3] / period  # m/s, nearly the speed at the bottom
    # it is at rest again; the spline is 1e-4 off in its curvature between points, steps of 1 ms round the period
    assert np.linalg.norm(ball.u(results.final_state)[3:]) < (1e-3 if "accuracy" in options else 4e-3) * peak
    assert_allclose(end, start, rtol=0, atol=1e-5 * trough[3])
    assert np.ptp(results["energy"]) < 1e-8


@pytest.mark.slow
def test_a_ball_in_a_trough_with_compliant_contact_has_nearly_its_period():
    system, ball, state = ball_in_trough(0.02, 1.0, 0.05, 0.02, kind="compliant")
    results = mb.Simulation(system, backend="interpreted", accuracy=1e-6).run(state, 2.6208508, report_every=2.6208508)
    assert_allclose(ball.q(results.final_state)[4], ball.q(state)[4], rtol=1e-2)


def test_the_surface_is_a_natural_spline_and_goes_on_straight():
    surface, heights = HILLS.smooth_heights, np.array(HILLS.heights)
    x, y = ((np.arange(n) - (n - 1) / 2) * step for n, step in zip(heights.shape, HILLS.spacing, strict=True))
    spline = scipy.interpolate.CubicSpline
    for place in np.random.default_rng(1).uniform(-0.6, 0.6, (5, 2)):
        along_y = spline(x, heights, bc_type="natural")(place[0])
        assert_allclose(surface.at(*place).height, spline(y, along_y, bc_type="natural")(place[1]), atol=1e-15)
    border, beyond = surface.at(x[-1], 0.1), surface.at(x[-1] + 0.3, 0.1)
    assert_allclose(beyond.height, border.height + 0.3 * border.slopes[0], atol=1e-15)
    step = np.array([1e-3, -2e-3])
    jet, moved = surface.at(0.11, 0.07), surface.at(0.11 + step[0], 0.07 + step[1])
    for name, next_order in (("height", 1e-9), ("slopes", 1e-6), ("bends", 1e-3)):
        assert_allclose(getattr(jet.moved(step), name), getattr(moved, name), rtol=0, atol=next_order)


def test_the_distance_of_a_ball_is_that_of_the_nearest_point():
    random, pair, r = np.random.default_rng(2), pair_of(HILLS, Sphere(0.05)), 0.05
    surface = HILLS.smooth_heights
    for _ in range(4):
        c = np.array([*random.uniform(-0.4, 0.4, 2), random.uniform(0.03, 0.1)])

        def squared(place, c=c):
            return np.sum((place - c[:2]) ** 2) + (surface.at(*place).height - c[2]) ** 2

        nearest = scipy.optimize.minimize(squared, c[:2], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-17})
        for shapes, X, sign in (
            ((HILLS, Sphere(r)), (Transform(), Transform(p=c)), 1),
            ((Sphere(r), HILLS), (Transform(p=c), Transform()), -1),
        ):
            (found,) = pair_of(*shapes).proximities(shapes[0], X[0], shapes[1], X[1])
            assert_allclose(found.gap, np.sqrt(nearest.fun) - r, atol=1e-12)
            assert_allclose(sign * found.normal, (c - [*nearest.x, surface.at(*nearest.x).height]) / np.sqrt(nearest.fun), atol=1e-6)
    assert pair.names == ("point",)


def test_other_shapes_are_refused_by_name():
    with pytest.raises(UnsupportedError, match=r"between a HeightField and a Box\. A HeightField with smooth=True touches balls alone"):
        pair_of(HILLS, Box([0.1, 0.1, 0.1]))
    with pytest.raises(UnsupportedError, match="Triangles are touched in rigid contact in fixed steps alone"):
        pair_of(HeightField(np.zeros((2, 2)), 1.0), Sphere(0.1))
