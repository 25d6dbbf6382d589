"""The examples run in an empty folder, and their output and files are correct."""

import json
import re
import runpy
import subprocess
import sys
from math import acos, atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path

import fmpy
import fmpy.validation
import numpy as np
import pytest
from matplotlib.image import imread
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mobod.simulate import Table

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REFERENCE = Path(__file__).resolve().parents[1] / "reference" / "data"
GRAVITY = 9.80665  # m/s^2


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Runs an example in tmp_path; returns the numbers, and the lines, that it printed.

    In this process, since a Python of its own takes longer to start than most examples run.
    """
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)  # what Python does for a program

    def run(name: str) -> tuple[list[float], list[str]]:
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        printed, errors = capfd.readouterr()
        assert errors == ""
        return numbers_in(printed), printed.splitlines()

    return run


@pytest.fixture
def run_alone(tmp_path, monkeypatch):
    """As run, by a Python that has nothing of the tests."""
    monkeypatch.setenv("MPLBACKEND", "Agg")

    def run_alone(name: str) -> tuple[list[float], list[str]]:
        done = subprocess.run([sys.executable, EXAMPLES / name], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return numbers_in(done.stdout), done.stdout.splitlines()

    return run_alone


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w.^])-?\d+(?:\.\d+)?(?:e-?\d+)?(?!\w)", text)]


def test_every_example_is_tested_and_short():
    numbered = sorted(path.name for path in EXAMPLES.glob("[0-9]*.py"))
    text = Path(__file__).read_text(encoding="utf-8")

    assert numbered
    for name in numbered:
        assert re.search(rf'run(_alone)?\("{name}"\)', text)
        assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.slow
def test_the_double_pendulum_matches_its_equations_of_motion_and_is_written_and_plotted(run_alone, tmp_path):
    (u_dot, time, theta1, theta2, _, change_of_energy), _ = run_alone("01_double_pendulum.py")

    # two masses in line on horizontal rods: 2 theta1'' + theta2'' = -2 g/l and theta1'' + theta2'' = -g/l; printed to 1e-4
    assert u_dot == pytest.approx(-9.81, abs=1e-4)
    # the textbook equations of two point masses, integrated without this package, to the accuracy that the first slice promises
    assert time == 1
    assert_allclose([theta1, theta2], [-0.625087699806391, -1.03458508568001], rtol=0, atol=1e-8)
    # kinetic energies reach 30 J; 100 times the local accuracy
    assert change_of_energy < 1e-8
    table = Table.from_csv(tmp_path / "double_pendulum.csv")
    assert_allclose(table["upper.q"][100], theta1, rtol=0, atol=1e-10)  # the last digit printed
    assert_allclose(table["lower.p_GB[2]"], -np.cos(table["upper.q"]), rtol=0, atol=1e-12)  # the lower pin is where the upper rod ends
    pixels = imread(tmp_path / "double_pendulum.png")[..., :3].reshape(-1, 3)
    is_coloured = pixels.max(axis=1) - pixels.min(axis=1) > 0.3  # the curves; text and frame are grey
    assert is_coloured.sum() > 1000
    page = (tmp_path / "double_pendulum.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert_allclose(data["times"], table.time, rtol=0, atol=1e-9)
    assert [each["name"] for each in data["series"] if each["isShown"]] == ["upper.q", "lower.q"]


def test_the_exported_fmu_is_valid_and_starts_at_the_given_state(run, tmp_path):
    numbers, lines = run("02_export_fmu.py")

    fmu = tmp_path / "driven_pendulum.fmu"
    assert numbers[:2] == [round(fmu.stat().st_size / 1000), 0]
    assert "inputs: motor.force" in lines
    assert "outputs: elbow.p_GB[1], elbow.p_GB[2], elbow.p_GB[3], energy, shoulder.q, elbow.q" in lines
    assert any(line.startswith("parameters: shoulder.q_start, ") and "spring.stiffness" in line for line in lines)
    outputs = ["shoulder.q", "elbow.p_GB[1]", "elbow.p_GB[2]", "energy"]
    start = fmpy.simulate_fmu(str(fmu), stop_time=0.01, output=outputs)[outputs][0]
    # at the start, at rest: heights of the two mass centers are -0.5 m and -1.5 m times cos(0.4), the weights GRAVITY N; to round-off
    assert_allclose(list(start), [0.4, sin(0.4), -cos(0.4), -2.0 * GRAVITY * cos(0.4)], rtol=0, atol=1e-12)


def test_the_controlled_pendulum_rests_where_its_moments_balance(run, tmp_path):
    (start, angle, torque, time, free_angle), _ = run("03_cosimulate.py")

    # stiffness (target - q) = m g l/2 sin q; after 5 s the rest of the motion is exp(-2.5 * 5) of it, and it is printed to 1e-6
    balance = brentq(lambda q: 30 * (1.2 - q) - GRAVITY * 0.5 * sin(q), 0, 1.2, xtol=1e-12)
    assert (start, time) == (0.2, 5)
    assert_allclose([angle, torque], [balance, GRAVITY * 0.5 * sin(balance)], rtol=0, atol=1e-5)
    table = Table.from_csv(tmp_path / "controlled.csv")
    assert len(table.time) == 501
    assert_allclose(table["pendulum.arm.q"][-1], angle, rtol=0, atol=1e-6)

    # the free swing: inertia q'' = -m g l/2 sin q
    inertia = 1.0 * (0.02**2 / 4 + 1.0**2 / 12) + 1.0 * 0.5**2  # kg m^2, of the cylinder about its end
    swing = solve_ivp(lambda _, y: [y[1], -GRAVITY * 0.5 * sin(y[0]) / inertia], (0, 5), [0.2, 0], rtol=1e-11, atol=1e-12)
    assert_allclose(free_angle, swing.y[0, -1], rtol=0, atol=2e-6)  # printed to 1e-6
    assert (tmp_path / "pendulum.fmu").exists()
    assert (tmp_path / "pd_controller.fmu").exists()


def one_coordinate_after(positions, lengths, start, until):
    """The coordinate of bars of 2 kg/m that start at rest, by Lagrange's equation. positions(q): mass center (x, y) and angle of each
    bar.
    """
    masses = 2 * lengths
    inertia = np.array([[m, m, m * (0.02**2 / 4 + l**2 / 12)] for m, l in zip(masses, lengths, strict=True)]).ravel()
    h = 1e-4  # of central differences; their errors, h^2, and those of the reduced inertia's derivative are below 1e-6 of it

    def reduced_inertia(angle):
        return inertia @ ((positions(angle + h) - positions(angle - h)) / (2 * h)) ** 2

    def weight_moment(angle):
        heights = (positions(angle + h) - positions(angle - h))[1::3] / (2 * h)
        return -GRAVITY * masses @ heights

    def rates(_, y):
        slope = (reduced_inertia(y[0] + h) - reduced_inertia(y[0] - h)) / (2 * h)
        return [y[1], (weight_moment(y[0]) - slope * y[1] ** 2 / 2) / reduced_inertia(y[0])]

    return solve_ivp(rates, (0, until), [start, 0], rtol=1e-9, atol=1e-10).y[0, -1]


CRANK, COUPLER, ROCKER, BASE = 0.4, 1.1, 0.9, 1.2  # m, of the four-bar


def rocker_angle(angle):
    """The rocker's angle, by the law of cosines in the triangle of crank's end, rocker's end and rocker's pin."""
    x, y = CRANK * cos(angle) - BASE, CRANK * sin(angle)
    return pi + atan2(-y, -x) - acos((x * x + y * y + ROCKER**2 - COUPLER**2) / (2 * hypot(x, y) * ROCKER))


def four_bar_after(until):
    """The crank's angle, which starts at 0.7 rad."""

    def positions(angle):
        """Of crank, coupler, rocker."""
        end, turned = np.array([CRANK * cos(angle), CRANK * sin(angle)]), rocker_angle(angle)
        far = np.array([BASE + ROCKER * cos(turned), ROCKER * sin(turned)])
        return np.array([*end / 2, angle, *(end + far) / 2, atan2(*(far - end)[::-1]), *(np.array([BASE, 0]) + far) / 2, turned])

    return one_coordinate_after(positions, np.array([CRANK, COUPLER, ROCKER]), 0.7, until)


def test_the_assembled_four_bar_matches_its_single_equation_also_as_fmu(run, tmp_path):
    numbers, _ = run("04_four_bar.py")

    end = four_bar_after(1.5)
    gap, start, start_rocker, left, freedom, equations, independent, _, time, final, final_rocker = numbers
    assert gap > 0.5
    assert left < 1e-9
    assert (freedom, equations, independent, time) == (1, 3, 2, 1.5)
    assert_allclose([start, start_rocker], [0.7, rocker_angle(0.7)], rtol=0, atol=1e-6)  # printed so
    assert_allclose([final, final_rocker], [end, rocker_angle(end)], rtol=0, atol=1e-5)
    assert abs(final - start) > 0.1
    fmu = fmpy.simulate_fmu(str(tmp_path / "four_bar.fmu"), stop_time=1.5, output_interval=0.01, output=["crank.q", "rocker.q"])
    assert_allclose([fmu["crank.q"][-1], fmu["rocker.q"][-1]], [final, final_rocker], rtol=0, atol=2e-5)


def charges_after(strength, time=1.0):
    """Two points of 1 and 2 kg and Ground's origin that repel each other: (position of the first point, energy)."""
    start = np.array([[1.0, 0.2, -0.3], [-0.4, 0.9, 0.5]])

    def rates(_, y):
        a, b = y[:3], y[3:6]
        apart = strength * (a - b) / np.linalg.norm(a - b) ** 3
        on_a, on_b = strength * a / np.linalg.norm(a) ** 3 + apart, strength * b / np.linalg.norm(b) ** 3 - apart
        return [*y[6:], *on_a, *(on_b / 2)]

    energy = strength * sum(1 / np.linalg.norm(r) for r in (start[0], start[1], start[0] - start[1]))
    return solve_ivp(rates, (0, time), [*start.ravel(), *np.zeros(6)], rtol=1e-11, atol=1e-12).y[:3, -1], energy


def test_the_repulsion_subsystem_matches_its_equations_and_conserves_energy(run):
    numbers, _ = run("05_custom_subsystem.py")
    for strength, x, y, z, _, before, after in np.array(numbers).reshape(2, 7):
        position, energy = charges_after(strength)
        assert_allclose([x, y, z], position, rtol=0, atol=2e-8)  # printed so
        assert_allclose([before, after], energy, rtol=0, atol=2e-8)


def test_the_repulsion_force_gives_the_same_motion_and_a_wrong_energy_is_reported(run, tmp_path):
    _, lines = run("06_custom_force.py")
    assert lines[0].endswith("All hold.")
    assert lines[2].startswith("- the potential energy has the wrong sign")
    after = next(line for line in lines if line.startswith("after 1 s"))
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", after)]
    assert_allclose(numbers, charges_after(0.8)[0], rtol=0, atol=2e-8)
    stronger = fmpy.simulate_fmu(
        str(tmp_path / "charges.fmu"), stop_time=1.0, output_interval=0.5, start_values={"repulsion.strength": 2.0}
    )
    assert_allclose([stronger[f"charge1.p_GB[{i}]"][-1] for i in (1, 2, 3)], charges_after(2.0)[0], rtol=0, atol=1e-4)  # its own tolerance


def test_pendulums_coupled_by_a_constraint_move_as_a_double_pendulum(run):
    _, lines = run("07_custom_constraint.py")
    assert all(line.endswith("All hold.") for line in lines[:2])

    l, l2, rod, m, m2, ball = 0.5, 0.4, 0.7, 1.0, 3.0, 0.4

    def rates(_, y):
        """Angles of both pendulums and of the rod, and their rates, by Lagrange's equations."""
        a, b, da, db = y
        B = ball * l * rod
        M = [[(m + ball) * l**2 + m2 * l2**2, B * cos(a - b)], [B * cos(a - b), ball * rod**2]]
        weight = GRAVITY * np.array([((m + ball) * l + m2 * l2) * sin(a), ball * rod * sin(b)])
        return [da, db, *np.linalg.solve(M, -weight - B * sin(a - b) * np.array([db**2, -(da**2)]))]

    end = solve_ivp(rates, (0, 1), [0.6, 0, 0, 0], rtol=1e-11, atol=1e-12).y[0, -1]
    for line in lines[2:]:
        first, second, off = (float(number) for number in re.findall(r"-?\d+\.\d+|\de-\d+", line))
        assert_allclose([first, second], end, rtol=0, atol=2e-8)  # printed so
        assert off < 1e-10


def test_custom_joints_are_consistent_and_conserve_energy(run):
    _, lines = run("08_custom_joints.py")
    assert all(line.endswith("All hold.") for line in lines[:2])
    shin, x, y, z = (float(number) for number in re.findall(r"-?\d+\.\d*", lines[2])[1:])
    before, after = (float(number) for number in re.findall(r"-?\d+\.\d+", lines[3]))
    assert abs(shin + 0.9) > 0.1
    assert_allclose([x, y, z], [0, -GRAVITY * 0.4**2 / 2, 0], rtol=0, atol=2e-8)
    assert_allclose(after, before, rtol=0, atol=2e-8)


def late_crane(until, step=1e-3):
    """(t, angle, speed) of the crane's load, by the Runge-Kutta method of order 4 with cubic interpolation of the past; the delay of 50 ms
    is 50 steps.
    """
    mass, length, gain, lag = 200.0, 8.0, 2000.0, 50

    def rates(y, late):
        return np.array([y[1], -GRAVITY / length * sin(y[0]) - gain * late / (mass * length**2)])

    def late_speed(k, fraction):
        if k < lag:
            return 0.0  # at rest until it is let go
        (v0, a0), (v1, a1) = past[k - lag], past[k - lag + 1]
        s = fraction
        return (1 + 2 * s) * (1 - s) ** 2 * v0 + step * s * (1 - s) ** 2 * a0 + s * s * (3 - 2 * s) * v1 + step * s * s * (s - 1) * a1

    y, path, past = np.array([0.7, 0.0]), [], []
    for k in range(round(until / step) + 1):
        first = rates(y, late_speed(k, 0.0) if k > lag else 0.0)
        past.append((y[1], first[1]))
        path.append((k * step, *y))
        middle, last = (late_speed(k, 0.5), late_speed(k, 1.0)) if k >= lag else (0.0, 0.0)
        second = rates(y + step / 2 * first, middle)
        third = rates(y + step / 2 * second, middle)
        fourth = rates(y + step * third, last)
        y = y + step / 6 * (first + 2 * second + 2 * third + fourth)
    return np.transpose(path)


def test_the_crane_with_measures_matches_its_delay_equation_also_as_fmu(run, tmp_path):
    (lowest, turned, falls, work, difference), _ = run("10_measures.py")

    t, angle, speed = late_crane(5.0)
    i = angle.argmin()
    assert_allclose(lowest, 8 * sin(angle[i]), atol=2e-6)  # printed to 1e-6, a parabola's top within one step of 1e-3 s
    zero = np.interp(0, speed[i - 1 : i + 2], t[i - 1 : i + 2])
    assert_allclose(turned, zero, atol=2e-6)
    assert_allclose(falls, -(8 * np.sin(angle) * speed).min(), atol=1e-4)  # printed so
    energy = 200 * (32 * speed[[0, -1]] ** 2 - 8 * GRAVITY * np.cos(angle[[0, -1]]))
    assert_allclose(work, energy[0] - energy[1], rtol=1e-6)
    assert abs(difference) < 1e-4  # of 2,000 J, at accuracy 1e-9
    names = ["'other side'.value", "climb.value", "seen.value"]
    fmu = fmpy.simulate_fmu(str(tmp_path / "crane.fmu"), stop_time=5.0, output_interval=0.01, relative_tolerance=1e-9, output=names)
    assert_allclose(fmu[names[0]][-1], lowest, atol=2e-6)
    assert_allclose(fmu["seen.value"][10:], speed[50:-50:10], atol=1e-7)


def test_a_ball_bounces_three_times_and_ends_the_run_in_python_and_fmpy(run):
    numbers, lines = run("09_events.py")

    first, speed = sqrt(2 / 9.8), sqrt(2 * 9.8)
    bounces = [first, first + 2 * 0.8 * speed / 9.8, first + 2 * (0.8 + 0.64) * speed / 9.8]
    assert_allclose(numbers[:3], bounces, rtol=0, atol=1e-9)  # the last digit printed
    assert_allclose(numbers[3:5], [0.8**2, 0.8**4], rtol=0, atol=1e-9)
    assert numbers[5] == 1.75  # the last communication point before the third bounce
    assert len(lines) == 3


def guide_position(angle):
    """The position along the line through the crank's pin of the end of a rod of 0.9 m on the crank."""
    return CRANK * cos(angle) + sqrt(0.9**2 - (CRANK * sin(angle)) ** 2)


def slider_crank_after(until):
    """The crank's angle, which starts at 0.5 rad."""

    def positions(angle):
        """Of piston, crank, rod."""
        end, at = np.array([CRANK * cos(angle), CRANK * sin(angle)]), np.array([guide_position(angle), 0.0])
        return np.array([at[0] + 0.05, 0, 0, *end / 2, angle, *(end + at) / 2, atan2(*(at - end)[::-1])])

    return one_coordinate_after(positions, np.array([0.1, CRANK, 0.9]), 0.5, until)


def test_linkages_from_joint_lists_match_their_single_equation(run):
    _, lines = run("11_joint_list.py")

    assert lines[0] == "four_bar: ['bearing', 'motor', 'elbow', 'last'], closed by ['last_weld']"
    assert lines[2] == "slider_crank: ['guide', 'motor', 'elbow', 'wrist'], closed by ['wrist_weld']"
    for line, motor_after, follower_at in ((lines[1], four_bar_after, rocker_angle), (lines[3], slider_crank_after, guide_position)):
        _, motor, follower, energy, energy_at_start = [float(number) for number in re.findall(r"-?\d+\.\d+", line)]
        assert_allclose(motor, motor_after(0.5), rtol=0, atol=1e-5)
        assert_allclose(follower, follower_at(motor), rtol=0, atol=2e-6)  # both are printed to 1e-6
        assert_allclose(energy, energy_at_start, rtol=0, atol=1e-6)


def test_an_arm_from_a_urdf_file_has_the_same_bits_after_a_model_file_round_trip(run, tmp_path):
    _, lines = run("12_files.py")

    assert "elbow: revolute, upper_arm -> forearm, from -2.3 to 2.6 rad" in lines
    assert lines[-1] == "from arm.json the motion is the same to the last bit: True"
    x, y, z = [float(number) for number in re.findall(r"-?\d+\.\d+", lines[-2])]
    assert hypot(x, y, z - 0.41) < 1.4  # within reach of the shoulder
    assert (tmp_path / "arm.json").stat().st_size > 5000


def test_a_joint_with_limits_matches_the_exact_motion_also_as_fmu(run, tmp_path):
    _, lines = run("13_joint_with_limits.py")

    exact = json.loads((REFERENCE / "couplings" / "exact_custom_joint_demo_e0.json").read_text(encoding="utf-8"))
    for line, y_line, known in zip(lines[0:6:2], lines[1:6:2], exact["events"], strict=True):
        assert line.startswith(f"{known['type']} at hinge.{known['side']}_limit_0")
        # printed to 1e-8, at accuracy 1e-9
        assert_allclose(float(re.search(r"(\d\.\d+) s", line)[1]), known["t"], rtol=0, atol=2e-8)
        assert_allclose([float(value) for value in y_line.split()[2:]], known.get("u_plus", known.get("u")), rtol=0, atol=1e-7)
    there, here = (float(re.search(r"(-\d\.\d+) m", line)[1]) for line in lines[-2:])
    (end,) = (y[0] for t, y, *_ in exact["steps"] if abs(t - 2.0) < 1e-9)
    assert_allclose([there, here], end, rtol=0, atol=2e-6)  # printed so
    rests = [float(value) for value in re.findall(r"\d\.\d\d(?= )", lines[-2])]
    assert rests == [1.2, 1.76]  # within exact rest, at communication points
    assert imread(tmp_path / "custom_joint_demo.png").size > 1000


@pytest.mark.parametrize("seconds", [0.5, pytest.param(10.0, marks=pytest.mark.slow)])
def test_the_iftomm_problems_are_solved_with_the_accepted_errors(run, monkeypatch, seconds):
    monkeypatch.setattr("iftomm.a05_governor.UNTIL", seconds)  # of the stiff one, whose solution to compare with takes long

    _, lines = run("14_validation.py")

    assert [line[:3] for line in lines[::7]] == ["A01", "A02", "A03", "A04", "A05"]
    assert "5 constraint equations, 4 of them independent" in lines[21]
    errors = [float(re.search(r": (\d\.\de-\d\d)", line)[1]) for line in lines if "largest" in line]
    # at accuracies 1e-6, 1e-7 and 1e-8: J and m. The pendulum needs more than 1e-6 for the accepted 5e-5 J
    bounds = [1e-3, 5e-5, 5e-6, 0.1, 5e-4, 1e-5, 1e-4, 1e-5, 1e-6, 1e-4, 1e-5, 1e-6, 1e-5, 1e-7, 1e-8]
    assert all(error < bound for error, bound in zip(errors, bounds, strict=True))


@pytest.mark.slow
def test_a_cut_pendulum_moves_as_the_whole_one(run, tmp_path):
    _, lines = run("15_cut_pendulum.py")

    # two rods by Lagrange's equations in the angles from the vertical, without this package: M theta'' = f
    def rate(t, y):
        (a, b), (u, v) = y[:2], y[2:]
        m, n = 10.0, 1.0
        across = n / 2 * cos(a - b)
        moments = [-n / 2 * sin(a - b) * v**2 - (m / 2 + n) * GRAVITY * sin(a), n / 2 * sin(a - b) * u**2 - n / 2 * GRAVITY * sin(b)]
        thickness = 0.02**2 / 4  # of a cylinder about its center, m^2 for each kg
        return [u, v, *np.linalg.solve([[m * (1 / 3 + thickness) + n, across], [across, n * (1 / 3 + thickness)]], moments)]

    exact = solve_ivp(rate, (0, 2), [1.0, -0.4, 0, 0], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]
    whole, *errors = [[float(number) for number in re.findall(r"-?\d+\.\d+(?:e-\d+)?", line)] for line in lines[:5]]
    assert_allclose(whole, exact, rtol=0, atol=1e-7)  # at accuracy 1e-10
    coarse, fine, coarse_parabolas, parabolas = (np.array(each[-2:]) for each in errors)
    assert_allclose(coarse / fine, 2, atol=0.02)  # of first order
    assert (fine < [2e-3, 1e-2]).all()
    assert (parabolas < 1e-6).all()
    assert (coarse_parabolas / parabolas > 6).all()  # of third order
    for name in ("upper", "lower"):
        assert not fmpy.validation.validate_fmu(str(tmp_path / f"{name}.fmu"))


def test_the_iftomm_problems_are_short():
    for path in (EXAMPLES / "iftomm").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 60, path.name


@pytest.mark.slow
def test_the_quadruped_stands_and_walks_also_as_an_fmu(run, tmp_path):
    numbers, _ = run("19_quadruped.py")

    stands, walks, fmu = (np.array(numbers[start : start + 3]) for start in (0, 3, 6))
    assert abs(stands[2] - (0.4 * cos(0.6) + 0.02)) < 0.01  # the servos yield a little
    assert np.abs(stands[:2]).max() < 0.01
    assert walks[0] > 0.3
    assert abs(walks[2] - stands[2]) < 0.02
    assert_allclose(fmu, walks, rtol=0, atol=1e-3)
    feet = [f"floor_{side}_foot.normal_force" for side in ("front_left", "front_right", "rear_left", "rear_right")]
    still = fmpy.simulate_fmu(str(tmp_path / "quadruped.fmu"), stop_time=2.0, output_interval=0.1, output=feet)
    # 12 kg at rest
    assert_allclose(sum(still[foot][-1] for foot in feet), 12 * GRAVITY, rtol=1e-3)


def test_a_block_on_an_incline_sticks_below_the_angle_of_friction_and_slides_above_it(run):
    _, lines = run("16_block_on_incline.py")

    critical = np.arctan(0.5)
    slid = 9.81 * (sin(critical + 1e-6) - 0.4 * cos(critical + 1e-6)) / 2
    assert "stick" in lines[0]
    assert "slip" in lines[1]
    assert_allclose([numbers_in(line)[1] for line in lines[:2]], [0, slid], rtol=0, atol=2e-9)  # printed to 1e-9
    slows = 9.81 * (0.4 * cos(0.3) - sin(0.3))
    _, stops, _, at = numbers_in(lines[2])
    assert_allclose([stops, at], [1 / slows, 1 / slows / 2], rtol=0, atol=2e-9)
    assert_allclose(numbers_in(lines[3])[0], -2 * 9.81 * sin(0.3), rtol=0, atol=1e-6)
    assert_allclose(numbers_in(lines[4])[1], 1 / slows / 2, rtol=0, atol=1e-3)  # the speed of 1 m/s in half a step of 1 ms


@pytest.mark.slow
def test_the_belt_oscillator_has_the_periods_of_the_closed_form(run):
    _, lines = run("17_belt_oscillator.py")

    slip, stick = 2 * (pi - np.arctan(1.962)) / 10, 2 * 0.01962 / 0.1
    begins = 0.6 * 9.81 / 10
    assert_allclose(numbers_in(lines[0]), [begins, begins + slip, begins + slip + stick, begins + 2 * slip + stick], rtol=0, atol=2e-9)
    assert_allclose(numbers_in(lines[1])[0], slip + stick, rtol=0, atol=2e-9)
    assert_allclose(numbers_in(lines[2])[::2], [slip, stick], rtol=0, atol=2e-9)
    steps, periods = np.transpose([numbers_in(line) for line in lines[3:]])
    assert (np.abs(periods - slip - stick) <= steps).all()


def test_the_woodpecker_pecks_as_by_small_time_steps(run):
    (first, second, fallen, _, _, by_steps, *_), _ = run("18_woodpecker.py")

    # Moreau's midpoint rule with steps of 5e-6 s, within what its results change with steps of 1e-5 s
    assert_allclose([first, second], [0.08102, 0.22692], rtol=0, atol=2e-4)
    assert_allclose(fallen, 41.340, rtol=0, atol=0.06)
    assert_allclose(by_steps, 41.340, rtol=0, atol=0.2)


def test_the_bowling_ball_comes_to_roll_as_the_closed_form_also_as_an_fmu(run):
    _, lines = run("20_bowling_ball.py")

    slows, until = 0.12 * 9.81, 3.0
    rolls = 2 * 8.0 / 7 / slows
    way = 8.0 * rolls - slows * rolls**2 / 2 + 5 / 7 * 8.0 * (until - rolls)
    assert lines[0].endswith("now: stick")
    assert_allclose(numbers_in(lines[0])[0], rolls, rtol=0, atol=2e-9)  # printed to 1e-9
    assert_allclose(numbers_in(lines[1])[0], 8.0 * 5 / 7, rtol=0, atol=2e-9)
    at, _, energy, _ = numbers_in(lines[2])
    assert_allclose(at, way, rtol=0, atol=1e-8)
    assert_allclose(energy, 6.8 * (9.81 * 0.108 + 32.0 * 5 / 7), rtol=0, atol=2e-6)
    coarse, fine = (abs(way - numbers_in(line)[2]) for line in lines[3:5])
    # exact while it slides and while it rolls; the friction of the step in which it comes to roll is wrong by the order of its length
    assert coarse < slows * 0.01**2
    assert fine < slows * 0.001**2
    for line in lines[5:]:
        n, apart, mode = numbers_in(line)[-3:]
        assert (n, mode) == (31, 1)
        assert apart < 1e-8


@pytest.mark.slow
def test_a_brick_slides_or_tips_by_its_width_and_height(run):
    _, lines = run("21_tipping_brick.py")

    for line, ratio in zip(lines[:4], (0.2, 0.45, 0.55, 0.75), strict=True):
        assert f"begins to {'slide' if ratio > 0.5 else 'tip'} at" in line
        assert_allclose(numbers_in(line)[1], np.arctan(min(0.5, ratio)), rtol=0, atol=2e-6)
    assert_allclose(numbers_in(lines[4])[1], 0.3 * 9.81 * (sin(0.5) - 0.5 * cos(0.5)), rtol=0, atol=2e-6)

    # about the edge: 4/3 r^2 angle'' = g r sin(angle), where angle is that of the radius from the vertical
    r = hypot(0.02, 0.1)
    falls = solve_ivp(lambda _, y: [y[1], 9.81 / (4 / 3 * r) * sin(y[0])], (0, 0.2), [0.25 - atan2(0.02, 0.1), 0], rtol=1e-10, atol=1e-12)
    assert_allclose(numbers_in(lines[5])[1], falls.y[1, -1], rtol=0, atol=2e-6)
    assert numbers_in(lines[6])[0] == 0.02
    assert lines[6].count("'stick'") == lines[6].count("'free'") == 4


@pytest.mark.slow
def test_a_gripper_lifts_a_box_if_its_force_carries_the_weight(run):
    _, lines = run("22_gripper.py")

    limit, slightly_more = 0.4 * 9.81 / (2 * 0.6), 0.03 * 9.81
    assert_allclose(numbers_in(lines[0])[0], limit, rtol=0, atol=1e-4)
    (_, none, _), (_, part, _), (_, all_of_it, stroke) = (numbers_in(line) for line in lines[1:4])
    assert none == 0
    assert all_of_it == stroke == 0.1
    # it is left behind where the hand accelerates more, and holds again where both are equally fast
    s = np.linspace(0, 1, 1_000_001)
    hand, rate, change = 0.1 * s**3 * (10 - 15 * s + 6 * s**2), 3 * s**2 * (1 - s) ** 2, 6 * s * (1 - s) * (1 - 2 * s)  # of the hand
    begins = np.flatnonzero(change > slightly_more)[0]
    box = rate[begins] + slightly_more * (s - s[begins])
    ends = begins + 1000 + np.flatnonzero(box[begins + 1000 :] >= rate[begins + 1000 :])[0]
    behind = hand[ends] - hand[begins] - (s[ends] - s[begins]) * (rate[begins] + box[ends]) / 2
    assert_allclose(part, 0.1 - behind, rtol=0, atol=2e-5)  # steps of 1 ms
    assert behind > 0.01
    assert_allclose(numbers_in(lines[4])[0], 0.1, rtol=0, atol=1e-6)
    assert_allclose(numbers_in(lines[5]), 0.999 * limit, rtol=0, atol=1e-4)  # the force falls by a thousandth a step
    assert_allclose(numbers_in(lines[6])[0], 9.81 / 2, rtol=0, atol=2e-6)


@pytest.mark.slow
def test_a_controller_holds_the_slip_of_a_wheel_that_spins_without_it(run, tmp_path):
    _, lines = run("23_wheel_slip_control.py")

    drive = 0.3 * 340 * 9.81
    spins = (0.25 * (450 - 0.3 * drive) - 0.3 * 9.81) * 3
    (speed, _, slip, heat), (speed_alone, _, slip_alone, lost) = (numbers_in(line) for line in lines[:2])
    assert_allclose(slip, 0.3 + 0.1 * speed, rtol=0, atol=2e-4)  # printed to 1e-4
    assert_allclose(speed_alone, 0.3 * 9.81 * 3, rtol=0, atol=1e-4)
    assert_allclose([slip_alone, numbers_in(lines[2])[0]], spins, rtol=0, atol=1e-4)
    assert_allclose(lost, drive * spins * 3 / 2 / 1000, rtol=0, atol=6e-3)
    assert 0 < heat < lost / 50
    assert numbers_in(lines[3])[0] < 1e-7
    torque, _, exact = numbers_in(lines[4])
    assert_allclose([torque, exact], drive * 0.3 + 1.2 * 1.1 * 0.3 * 9.81 / 0.3, rtol=0, atol=1e-4)
    for name in ("vehicle", "slip_controller"):
        assert not fmpy.validation.validate_fmu(str(tmp_path / f"{name}.fmu"))


@pytest.mark.slow
def test_a_quadruped_learns_to_walk_and_its_fmus_go_the_same_way(run, tmp_path):
    pytest.importorskip("moviepy", reason="Gymnasium writes films by the package moviepy")
    _, lines = run("24_learning_to_walk.py")

    walks, distances, ends = (numbers_in(line) for line in lines[-3:])
    assert walks[0] >= 8  # of 10 starts, floors, robots and pushes that it has not seen
    assert (np.array(distances) > 3.0).sum() >= walks[0]  # 0.3 m/s for 10 s
    way, apart = ends
    assert way in distances
    assert apart < 1e-6  # m; round-off grows with the contacts of 10 s
    assert (tmp_path / "film" / "walk-episode-0.mp4").stat().st_size > 100_000
    for name in ("robot", "policy"):
        assert not fmpy.validation.validate_fmu(str(tmp_path / f"{name}.fmu"))


@pytest.mark.slow
def test_a_bracket_from_a_mesh_is_a_spring_for_a_sensor_and_an_fmu(run, tmp_path):
    pytest.importorskip("skfem", reason="the bracket needs scikit-fem, of the extra 'fem'")
    _, lines = run("25_bracket.py")

    bending, length, plate = 7e10 * 0.04 * 0.008**3 / 12, 0.076, 2700 * 0.008 * 0.04 * 0.072  # N m^2, m, kg
    # clamped at the middle of the base plate; at its face, 8 % higher
    by_hand = sqrt(3 * bending / length**3 / (0.2 + 0.24 * plate)) / (2 * pi)
    assert_allclose(numbers_in(lines[-1])[0], by_hand, rtol=0.1)
    assert (tmp_path / "bracket_modes.html").stat().st_size > 100_000
    fmu = tmp_path / "bracket.fmu"
    assert not fmpy.validation.validate_fmu(str(fmu))
    found = fmpy.simulate_fmu(str(fmu), stop_time=0.1, start_values={"shaker.force": 20.0}, output=["table.q"], output_interval=0.01)
    omega = sqrt(2e4 / (5.2 + 2700 * (0.06 * 0.04 * 0.008) + plate))  # as a rigid body: the bracket gives way by 1e-4 of this motion
    assert_allclose(found["table.q"], 20.0 / 2e4 * (1 - np.cos(omega * found["time"])), atol=2e-6)
