"""The problems A01 to A05 of the IFToMM library of multibody benchmarks, by their published errors and against other solutions.

Other solutions: elliptic functions, one equation of motion, numbers of the Test Set for IVP Solvers, two equations by Lagrange.
"""

from math import cos, pi, sqrt

import numpy as np
import pytest
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebpts1
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

import mobod as mb
from examples.iftomm import a01_pendulum, a02_four_bars, a03_squeezer, a04_bricard, a05_governor

G = 9.81  # m/s^2


def run(built, until, accuracy, report_every=0.01, **options):
    system, state = built
    return mb.Simulation(system, accuracy, backend="interpreted", **options).run(state, until, report_every=report_every)


def analysis(built):
    system, state = built
    system.realize(state, mb.Stage.DYNAMICS)
    return system.matter.analyze_constraints(state)


# structure


@pytest.mark.parametrize(
    ("problem", "rows", "rank"), [(a01_pendulum, 0, 0), (a02_four_bars, 4, 4), (a03_squeezer, 6, 6), (a04_bricard, 5, 4)]
)
def test_each_problem_starts_closed_with_one_degree_of_freedom(problem, rows, rank):
    built = problem.build()
    found = analysis(built)
    assert (found.degrees_of_freedom, len(found.rows), found.rank) == (1, rows, rank)
    assert mb.Assembler(built[0]).error(built[1]) < 1e-15  # m and 1, to round-off: coordinates are given with 15 digits


def test_n_four_bars_in_line_have_n_more_degrees_of_freedom():
    system, state = a02_four_bars.build(3)
    system.set_value(state, "crank0.q", 0.0)
    for body in system.matter.bodies:
        body.set_q(state, 0.0)
    assert analysis((system, state)).degrees_of_freedom == 4


def test_the_governor_is_a_tree_whose_springs_start_at_rest_length():
    system, state = a05_governor.build()
    assert analysis((system, state)).degrees_of_freedom == 4
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(system.matter.body("slider").X_GB(state).p, [0, 0, 0.5], atol=1e-15)
    assert_allclose(system.matter.body("slider").u_dot(state), [-G], atol=1e-8)  # round-off of the length, 1e-16 m, times 8e5 N/m


# default settings


@pytest.mark.fast("A01", "A04")
@pytest.mark.parametrize(
    ("problem", "bound"),
    [
        pytest.param(a01_pendulum, 5e-5, id="A01"),  # J, published
        pytest.param(a02_four_bars, 0.1, id="A02"),  # J, published
        # no bounds are published: 100 steps and more add up, of energies of about 1 J, and of a height of 0.6 m
        pytest.param(a03_squeezer, 1e-5, id="A03"),
        pytest.param(a04_bricard, 1e-5, id="A04"),
        pytest.param(a05_governor, 1e-5, id="A05"),
    ],
)
def test_default_settings_keep_the_bounds(problem, bound):
    system, state = problem.build()
    results = mb.Simulation(system, backend="interpreted").run(state, problem.UNTIL, report_every=problem.UNTIL / 1000)
    assert problem.error(results) < bound


# A01


def pendulum_after(time):
    """(m, 2) m, x and y of the mass. sin(half the angle) is sqrt(1/2) cn / dn from the lowest point, by the amplitude of pi / 2."""
    _, cn, dn, _ = ellipj(sqrt(G) * time, 0.5)
    half = np.arcsin(sqrt(0.5) * cn / dn)
    return np.column_stack([-np.sin(2 * half), -np.cos(2 * half)])


@pytest.mark.parametrize("accuracy", [1e-7, 1e-8])
def test_the_energy_of_the_pendulum_changes_less_than_is_accepted(accuracy):
    results = run(a01_pendulum.build(), a01_pendulum.UNTIL, accuracy)
    assert a01_pendulum.error(results) < a01_pendulum.ACCEPTED
    # less than 100 steps a period of 2.4 s; phases drift by the error of each of some 200 steps times the time since
    assert_allclose(results["P1.p_GB"][:, :2], pendulum_after(results.time), atol=1000 * accuracy)


@pytest.mark.slow
def test_the_pendulum_is_accurate_after_2000_seconds():
    """The problem as first published, which accepts errors of 1e-3 in x and y."""
    results = run(a01_pendulum.build(), 2000.0, 1e-11, report_every=0.5)
    assert_allclose(results["P1.p_GB"][:, :2], pendulum_after(results.time), atol=1e-4)


# A02


def first_crank_after(n, time):
    """(m, 2) m, x and y of the first crank's end. All cranks are parallel: (n + 1) / 3 + n kg m^2 about one pin."""
    inertia, weight_arm = (n + 1) / 3 + n, (n + 1) / 2 + n

    def rates(_, y):
        return [y[1], -weight_arm * G * cos(y[0]) / inertia]

    solution = solve_ivp(rates, (0, time[-1]), [pi / 2, -1], "DOP853", time, rtol=1e-12, atol=1e-12)
    return np.column_stack([np.cos(solution.y[0]), np.sin(solution.y[0])])


@pytest.mark.fast(1)
@pytest.mark.parametrize("accuracy", [1e-6, 1e-8])
@pytest.mark.parametrize("n", [1, 2])
def test_four_bars_keep_their_energy_and_move_as_one_pendulum(n, accuracy):
    """Past the aligned positions. At 9 rad/s, a change of the speed by 1 changes the energy of 5 bars by about 50 J; some hundred steps."""
    results = run(a02_four_bars.build(n), a02_four_bars.UNTIL, accuracy)
    assert a02_four_bars.error(results) < min(a02_four_bars.ACCEPTED, 5000 * accuracy)
    # it makes full turns; an early error of the energy has grown tenfold in the position after 10 s
    assert_allclose(results["coupler0.p_GB"][:, :2], first_crank_after(n, results.time), atol=5000 * accuracy)


# one step passes close to the aligned positions: the interpolant of DOP853 violates the constraints there by 3e-6
@pytest.mark.filterwarnings("ignore:.* reports between the ends of steps")
@pytest.mark.slow
def test_forty_four_bars_move_as_one_pendulum_for_20_seconds():
    """The problem as first published, which accepts errors of 1e-3 in x and y."""
    results = run(a02_four_bars.build(40), 20.0, 1e-8)
    assert_allclose(results["coupler0.p_GB"][:, :2], first_crank_after(40, results.time), atol=3e-4)  # 10 times the actual error


def test_two_four_bars_match_the_final_position_of_exudyn():
    """Exudyn's example fourBarMechanismIftomm.py: 80,000 steps of 0.125 ms, with an error of the energy of 1.8e-5 J."""
    results = run(a02_four_bars.build(2), 10.0, 1e-9)
    assert_allclose(results["coupler0.p_GB"][-1, :2], [0.3284573768, 0.9445187937], atol=2e-6)


# A03

# after 0.03 s: W. M. Lioen, J. J. B. de Swart, Test Set for Initial Value Problem Solvers (1999), Andrews' squeezing mechanism
TEST_SET = {"K1": 15.81077119629904, "K2": -15.75637105984298, "K3": 0.04082224013073101, "K4": -0.5347301163226948}
TEST_SET |= {"K5": 0.5244099658805304, "K6": 0.5347301163226948, "K7": 1.048080741042263}
TEST_SET_SPEEDS = {"K1": 1139.920302151208, "K2": -1424.379294994111, "K3": 11.03291221937134, "K4": 19.29337464421385}
TEST_SET_SPEEDS |= {"K5": 0.5735699284790808, "K6": -19.29337464421385, "K7": 0.3231791658026955}


@pytest.mark.fast(2)
@pytest.mark.parametrize("accuracy", [1e-6, 1e-8, 1e-10])
def test_the_squeezer_matches_the_ivp_test_set(accuracy):
    results = run(a03_squeezer.build(), 0.03, accuracy, 0.03)
    for name, angle in TEST_SET.items():
        # of angles up to 16 rad and speeds up to 1400 rad/s, each of some hundred steps
        assert_allclose(results[f"{name}.q"][-1], angle, rtol=0, atol=100 * 16 * accuracy)
        assert_allclose(results[f"{name}.u"][-1], TEST_SET_SPEEDS[name], rtol=0, atol=100 * 1400 * accuracy)


@pytest.mark.parametrize("accuracy", [1e-6, 1e-8])
def test_the_energy_change_of_the_squeezer_equals_the_work_of_its_motor(accuracy):
    results = run(a03_squeezer.build(), a03_squeezer.UNTIL, accuracy, 1e-4)
    assert results["K1.q"][-1] > 30  # five turns: 1 J
    assert a03_squeezer.error(results) < 100 * accuracy  # J


# A04


def bricard_at(others, angle):
    """Of each rod: its pin's axis and place, its middle, its orientation; and where the last one ends. The angles are those of the pins."""
    R, end, rods = np.eye(3), np.zeros(3), []
    for axis, rod, turn in zip(a04_bricard.AXES, a04_bricard.RODS, [angle, *others], strict=True):
        R = R @ Rotation.from_rotvec(turn * axis).as_matrix()
        rods.append((R @ axis, end, end + R @ rod / 2, R))
        end = end + R @ rod
    return rods, end


def bricard_gap(others, angle):
    rods, end = bricard_at(others, angle)
    return [*(end - [0, 0, 1]), *rods[-1][3][0, 1:]]  # x of Ground is x of the last rod


def bricard_in_one_angle(size=61):
    """Polynomials of the first angle: inertia (kg m^2), potential energy (J), x, y, z of P3 (m). The loop is closed at as many angles."""
    domain = (-0.05, pi + 0.05)
    angles = np.interp(chebpts1(size), (-1, 1), domain)
    others, values = np.zeros(4), []
    for angle in angles:
        others = least_squares(bricard_gap, others, args=(angle,), xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        rods, end = bricard_at(others, angle)
        closing = np.array([[*np.cross(axis, end - pin), *axis[1:]] for axis, pin, _, _ in rods]).T  # velocity of the gap
        rates = np.array([1, *np.linalg.lstsq(closing[:, 1:], -closing[:, 0], rcond=None)[0]])
        inertia = 0.0
        for k, (_, _, middle, R) in enumerate(rods):
            v = sum(rate * np.cross(axis, middle - pin) for rate, (axis, pin, _, _) in zip(rates, rods[: k + 1], strict=False))
            w = sum(rate * axis for rate, (axis, _, _, _) in zip(rates, rods[: k + 1], strict=False))
            along = R @ a04_bricard.RODS[k]
            inertia += v @ v + (w @ w * (1 + 0.1**2) - (w @ along) ** 2 * (1 - 0.1**2)) / 12
        values.append([inertia, G * sum(middle[1] for _, _, middle, _ in rods), *rods[2][1]])
    return [Chebyshev.fit(angles, column, size - 1, domain=domain) for column in np.transpose(values)]


def bricard_after(time):
    """(m, 3) m, P3, by Lagrange's equation of the first angle."""
    inertia, potential, *p3 = bricard_in_one_angle()
    slope, weight = inertia.deriv(), potential.deriv()

    def rates(_, y):
        return [y[1], -(weight(y[0]) + slope(y[0]) * y[1] ** 2 / 2) / inertia(y[0])]

    solution = solve_ivp(rates, (0, time[-1]), [0, 0], "DOP853", time, rtol=1e-12, atol=1e-13)
    return np.column_stack([coordinate(solution.y[0]) for coordinate in p3])


@pytest.mark.fast(1)
@pytest.mark.parametrize("accuracy", [1e-6, 1e-8, 1e-10])
def test_bricards_mechanism_keeps_its_energy(accuracy):
    results = run(a04_bricard.build(), a04_bricard.UNTIL, accuracy)
    assert a04_bricard.error(results) < 300 * accuracy  # J; within steps of DOP853, whose interpolant errs more than its steps
    assert results["rod1.q"].max() > 3.14  # it folds over to the other side, and back


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [1e-6, 1e-8, 1e-10])
def test_bricards_mechanism_keeps_its_energy_at_the_ends_of_steps(accuracy):
    results = run(a04_bricard.build(), a04_bricard.UNTIL, accuracy, report_every=None)
    assert a04_bricard.error(results) < 40 * accuracy  # J


@pytest.mark.slow
def test_bricards_mechanism_matches_its_single_equation_of_motion():
    results = run(a04_bricard.build(), a04_bricard.UNTIL, 1e-8)
    assert_allclose(results["rod3.p_GB"], bricard_after(results.time), atol=1e-6)  # 100 times the accuracy


# A05


@pytest.mark.slow
def test_the_governors_initial_accelerations_match_lagranges_equations():
    results = run(a05_governor.build(), 0.5, 1e-8)
    assert results["slider.q"].max() > 0.74  # it starts at 0.5 m
    assert a05_governor.error(results) < 1e-7  # m; 10 times the accuracy


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["auto", "Rodas5P"])
@pytest.mark.parametrize("accuracy", [1e-6, 1e-8])
def test_the_governor_matches_lagranges_equations(accuracy, integrator):
    results = run(a05_governor.build(), a05_governor.UNTIL, accuracy, integrator=integrator)
    assert a05_governor.error(results) < 10 * accuracy  # m
