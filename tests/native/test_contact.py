"""Rows, modes of friction and impacts of fmu_src/native/contact and impacts, each with tables made by hand and against closed forms.

The programs are linked with the folders up to impacts/ alone, without events and methods of integration.
"""

import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from build_scripts.native_layers import LAYERS
from mobod.native_sources import native_files, native_folders
from tests.native.sanitized import SANITIZERS, need_sanitizers
from tests.native.slave import HERE, WARNINGS, c_compiler

FOLDERS = [folder for folder in LAYERS[: LAYERS.index("impacts") + 1] if folder != "kernels"]
FLOOR, PLANE, FLOOR_2, GAP, ALONG_X, ALONG_Y, GUIDE, BAR = range(8)  # the rows of point_masses.h
OPEN, STICK, SLIP = range(3)
INTEGRATED = 0
TOLERANCE = 1e-8  # of constraints, in point_masses.c
CAPTURED = 2 * TOLERANCE / 0.1  # m/s, the least capture speed: two tolerances in SimTK's time scale

MASSES = np.array([1.7, 2.3])
G = 9.81

# The values are sums of a few products, so that round-off is a few times 1e-16; with friction, solutions have a relative residual of 1e-10
# and this is the accuracy of forces.
EXACT = {"rtol": 1e-14, "atol": 1e-14}
SOLVED = {"rtol": 1e-9, "atol": 1e-9}

Results = dict[str, np.ndarray]


@pytest.fixture(scope="module", params=[False, pytest.param(True, marks=pytest.mark.slow, id="sanitized")])
def run(request, tmp_path_factory) -> Callable[..., Results]:
    """A function that runs a program with settings, (n,) or {index: value} each. Returns what it prints: name -> numbers."""
    folder = tmp_path_factory.mktemp("contact")
    flags = [*WARNINGS, "-O0", *(f"-I{path}" for path in native_folders()), f"-I{HERE}"]
    if request.param:
        need_sanitizers(folder)
        flags += ["-g", *SANITIZERS]
    sources = [path for name, path in native_files().items() if path.parent.name in FOLDERS and name.endswith(".c")]
    sources = [path for path in sources if not path.name.startswith("lanes")]
    _build([*flags, "-c", *sources, HERE / "point_masses.c"], folder)
    for program in ("rows", "modes", "impacts"):
        _build([*flags, HERE / f"{program}_driver.c", *folder.glob("*.o"), "-o", program], folder)

    def run_program(program: str, *arguments: str, **settings) -> Results:
        pairs = {name: value.items() if isinstance(value, dict) else enumerate(value) for name, value in settings.items()}
        words = [f"{name}[{index}]={float(value)!r}" for name, values in pairs.items() for index, value in values]
        result = subprocess.run([folder / program, *arguments, *words], capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")
        lines = (line.split() for line in result.stdout.splitlines())
        return {name: np.array(numbers, dtype=float) for name, *numbers in lines}

    return run_program


def _build(arguments, folder):
    built = subprocess.run([c_compiler(), *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


def on_floor(**settings):
    """Mass 1 on the floor."""
    return {"mass": MASSES, "gravity": [G], "exists": {FLOOR: 1}} | settings


@pytest.mark.slow
def test_the_units_of_contact_link_without_events_and_without_integration(run):
    assert not {"events", "integration", "velocity_level"} & set(FOLDERS)
    assert run("rows", **on_floor())["outcome"] == INTEGRATED


# ---- rows ----


def test_the_force_of_a_row_at_rest_is_the_weight_and_its_force_in_the_state_is_the_same(run):
    found = run("rows", **on_floor(force=[0.3, -0.2, -4.0, 0, 0, 0]))

    np.testing.assert_allclose(found["multipliers"], [MASSES[0] * G + 4.0], **EXACT)
    np.testing.assert_allclose(found["state_multipliers"][FLOOR], -found["multipliers"][0], **EXACT)
    np.testing.assert_allclose(found["u_dot"], [0.3 / MASSES[0], -0.2 / MASSES[0], 0, 0, 0, -G], **EXACT)
    assert found["presses"] == [1]


def test_rows_have_the_matrix_of_their_gradients_and_masses(run):
    normal = np.array([0.5, -1.2, 2.0])
    found = run("rows", mass=MASSES, gravity=[G], normal=normal, exists=[1, 1, 1, 1], is_equation={BAR: 1}, bias={GAP: 0.7})
    gradients = np.zeros((5, 6))
    gradients[0, [2, 5]] = -1, 1  # the equations come first
    gradients[1, 2] = gradients[3, 5] = 1
    gradients[2, :3] = normal
    gradients[4, [0, 3]] = -1, 1
    M_inverse = np.repeat(1 / MASSES, 3)

    assert found["rows"].tolist() == [BAR, FLOOR, PLANE, FLOOR_2, GAP]
    assert found["n_equations"] == [1]
    np.testing.assert_allclose(found["matrix"].reshape(5, 5), gradients * M_inverse @ gradients.T, **EXACT)
    np.testing.assert_allclose(found["free"], [0, -G, -2 * G, -G, 0.7], **EXACT)
    np.testing.assert_allclose(found["du"], M_inverse * (np.arange(1, 6) @ gradients), **EXACT)


def test_redundant_rows_share_the_weight_without_a_negative_force(run):
    found = run("rows", **on_floor(exists={FLOOR: 1, PLANE: 1}))

    np.testing.assert_allclose(found["multipliers"].sum(), MASSES[0] * G, **EXACT)
    assert (found["multipliers"] >= 0).all()
    np.testing.assert_allclose(found["u_dot"][2], 0, **EXACT)


def test_masses_that_are_pushed_together_press_with_the_force_of_their_common_acceleration(run):
    push, pull = 5.0, -3.0
    found = run("rows", mass=MASSES, force={0: push, 3: pull}, exists={GAP: 1})
    acceleration = (push + pull) / MASSES.sum()

    np.testing.assert_allclose(found["multipliers"], [push - MASSES[0] * acceleration], **EXACT)
    np.testing.assert_allclose(found["u_dot"][[0, 3]], acceleration, **EXACT)


def test_a_bar_lets_one_floor_carry_both_masses(run):
    found = run("rows", **on_floor(is_equation={BAR: 1}))

    np.testing.assert_allclose(np.abs(found["multipliers"]), [MASSES[1] * G, MASSES.sum() * G], **EXACT)
    np.testing.assert_allclose(found["u_dot"][[2, 5]], 0, **EXACT)


@pytest.mark.parametrize(("lift", "presses"), [(0.99, 1), (1.01, 0)])
def test_a_row_presses_until_a_force_lifts_more_than_the_weight(run, lift, presses):
    found = run("rows", **on_floor(force={2: lift * MASSES[0] * G}))

    assert found["presses"] == found["pressing"][FLOOR] == presses
    np.testing.assert_allclose(found["u_dot"][2], max(0, lift - 1) * G, rtol=1e-12, atol=1e-14)


def test_rows_that_contradict_each_other_fail_with_one_of_them(run):
    """The plane lies below the mass, upside down, and comes nearer with 1 m/s^2."""
    found = run("rows", mass=MASSES, normal=[0, 0, -1], bias={PLANE: -1}, exists={FLOOR: 1, PLANE: 1})

    assert found["outcome"] != INTEGRATED
    assert found["culprit"] in (FLOOR, PLANE)


# ---- modes ----


def with_friction(kinetic=0.3, static=0.5, **settings):
    return on_floor(has_friction=[1, 0], kinetic=[kinetic, 0], static_limit=[static, 0], **settings)


@pytest.mark.parametrize("angle", [0.0, 2.2])
@pytest.mark.parametrize("normal_force", [MASSES[0] * G, MASSES[0] * G - 6.0])
def test_a_mass_at_rest_sticks_with_the_opposite_of_a_force_below_the_limit(run, angle, normal_force):
    force = 0.99 * 0.5 * normal_force * np.array([np.cos(angle), np.sin(angle)])
    found = run("modes", **with_friction(force=[*force, normal_force * -1 + MASSES[0] * G, 0, 0, 0]))

    assert (found["modes"][0], found["pressing"][FLOOR]) == (STICK, 1)
    np.testing.assert_allclose(found["u_dot"][:3], 0, **SOLVED)
    np.testing.assert_allclose(found["multipliers"][[FLOOR, ALONG_X, ALONG_Y]], [-normal_force, *force], **SOLVED)


@pytest.mark.parametrize("angle", [0.0, 2.2])
def test_a_mass_at_rest_begins_to_slip_under_a_larger_force_against_the_kinetic_friction(run, angle):
    along = np.array([np.cos(angle), np.sin(angle)])
    weight = MASSES[0] * G
    found = run("modes", **with_friction(force=[*(1.01 * 0.5 * weight * along), 0, 0, 0, 0]))

    assert (found["modes"][0], found["pressing"][FLOOR]) == (SLIP, 1)
    np.testing.assert_allclose(found["direction"], along, **SOLVED)
    np.testing.assert_allclose(found["multipliers"][[FLOOR, ALONG_X, ALONG_Y]], [-weight, *(0.3 * weight * along)], **SOLVED)
    np.testing.assert_allclose(found["u_dot"][:3], [*((1.01 * 0.5 - 0.3) * G * along), 0], **SOLVED)


def test_friction_of_a_mass_that_moves_is_against_its_speed_whatever_the_force_is(run):
    speed, force = np.array([-0.6, 0.8]), np.array([0.4, 1.1])
    found = run("modes", **with_friction(u=[*speed, 0, 0, 0, 0], force=[*force, 0, 0, 0, 0]))

    assert found["modes"][0] == SLIP
    np.testing.assert_allclose(found["u_dot"][:2], force / MASSES[0] - 0.3 * G * speed, **SOLVED)


def test_a_contact_opens_when_it_is_pulled_and_then_has_no_friction(run):
    found = run("modes", **with_friction(force=[2.0, 0, 1.2 * MASSES[0] * G, 0, 0, 0]))

    assert (found["modes"][0], found["pressing"][FLOOR]) == (OPEN, 0)
    np.testing.assert_allclose(found["u_dot"][:3], [2.0 / MASSES[0], 0, 0.2 * G], **SOLVED)


def test_the_limit_of_friction_grows_with_the_force_that_a_bar_transmits(run):
    """Half way between the limits with the weight of one mass and of both."""
    force = 0.5 * (MASSES[0] + MASSES[1] / 2) * G
    alone, with_bar = (run("modes", **with_friction(force={0: force}, is_equation={BAR: bar})) for bar in (0, 1))

    assert (alone["modes"][0], with_bar["modes"][0]) == (SLIP, STICK)
    np.testing.assert_allclose(with_bar["multipliers"][FLOOR], -MASSES.sum() * G, **SOLVED)


@pytest.mark.parametrize(("force", "mode"), [(1.9, STICK), (-2.1, SLIP)])
def test_a_joint_sticks_up_to_its_limit_and_slips_with_its_kinetic_force(run, force, mode):
    found = run("modes", mass=MASSES, force={3: force}, has_friction=[0, 1], kinetic=[0, 1.5], static_limit=[0, 2.0])

    assert found["modes"][1] == mode
    friction = -force if mode == STICK else -1.5 * np.sign(force)
    np.testing.assert_allclose(found["u_dot"][3], (force + friction) / MASSES[1], **SOLVED)


# ---- impacts ----


def falling(speed, restitution, **settings):
    """Mass 1 at the floor, with this approach speed."""
    return on_floor(restitution={FLOOR: restitution}, u=[0.3, -0.4, -speed, 0, 0, 0]) | settings


@pytest.mark.parametrize("restitution", [0.0, 0.65, 1.0])
def test_an_impact_reverses_the_rate_times_the_restitution(run, restitution):
    found = run("impacts", **falling(2.0, restitution))

    np.testing.assert_allclose(found["u"][:3], [0.3, -0.4, 2.0 * restitution], **EXACT)
    np.testing.assert_allclose(found["impulses"][FLOOR], MASSES[0] * 2.0 * (1 + restitution), **EXACT)
    assert found["active"][FLOOR] == (restitution == 0)


@pytest.mark.parametrize(("speed", "bounces"), [(0.9 * CAPTURED, False), (1.2 * CAPTURED, False), (1.3 * CAPTURED, True)])
def test_an_impact_comes_to_rest_if_its_bounce_would_be_slower_than_the_capture_speed(run, speed, bounces):
    found = run("impacts", **falling(speed, 0.8))

    assert found["active"][FLOOR] == (not bounces)
    np.testing.assert_allclose(found["u"][2], 0.8 * speed if bounces else 0, rtol=1e-6, atol=1e-20)


def test_more_than_a_hundred_events_at_one_time_raise_the_capture_speed_ten_times(run):
    settings = falling(5 * CAPTURED, 0.8)

    assert run("impacts", *["counted"] * 100, **settings)["active"][FLOOR] == 0
    assert run("impacts", *["counted"] * 101, **settings)["active"][FLOOR] == 1


def test_two_masses_collide_with_conserved_momentum_and_newtons_law(run):
    before, restitution = np.array([1.4, -0.5]), 0.7
    found = run("impacts", mass=MASSES, exists={GAP: 1}, restitution={GAP: restitution}, u={0: before[0], 3: before[1]})
    after = found["u"][[0, 3]]

    np.testing.assert_allclose(MASSES @ after, MASSES @ before, **EXACT)
    np.testing.assert_allclose(after[1] - after[0], restitution * (before[0] - before[1]), **EXACT)
    np.testing.assert_allclose(found["impulses"][GAP], MASSES[0] * (before[0] - after[0]), **EXACT)


def test_of_redundant_rows_the_larger_restitution_counts(run):
    found = run("impacts", **on_floor(exists={FLOOR: 1, PLANE: 1}, restitution={FLOOR: 0.3, PLANE: 0.6}, u={2: -2.0}))

    np.testing.assert_allclose(found["u"][2], 1.2, **EXACT)
    np.testing.assert_allclose(found["impulses"][[FLOOR, PLANE]].sum(), MASSES[0] * 3.2, **EXACT)
    assert (found["impulses"][[FLOOR, PLANE]] >= 0).all()


def test_a_mass_in_a_corner_bounces_from_both_planes(run):
    """Both rates are reversed by their restitutions: two equations for two speeds. The normal impulses are positive."""
    wall, restitutions, u = np.array([0.8, 0, -0.3]), np.array([0.5, 0.25]), np.array([-1.0, 0, -1.5])
    settings = {"normal": wall, "exists": {FLOOR: 1, PLANE: 1}, "restitution": dict(enumerate(restitutions)), "u": [*u, 0, 0, 0]}
    found = run("impacts", **on_floor(**settings))
    normals = np.array([[0, 0, 1], wall])

    np.testing.assert_allclose(normals @ found["u"][:3], -restitutions * (normals @ u), **EXACT)
    impulses = found["impulses"][[FLOOR, PLANE]]
    np.testing.assert_allclose(normals.T @ impulses, MASSES[0] * (found["u"][:3] - u), rtol=1e-13, atol=1e-13)
    assert (impulses > 0).all()


def test_a_bar_passes_the_impulse_on_to_the_other_mass(run):
    found = run("impacts", **falling(2.0, 0.6, is_equation={BAR: 1}, u={2: -2.0, 5: -2.0}))

    np.testing.assert_allclose(found["u"][[2, 5]], 1.2, **EXACT)
    np.testing.assert_allclose(found["impulses"][FLOOR], MASSES.sum() * 3.2, **EXACT)


@pytest.mark.parametrize("slip", [5.0, 0.5])
def test_friction_in_an_impact_is_at_most_the_coefficient_times_the_normal_impulse(run, slip):
    """A fast slip loses mu (1 + e) v against its direction; a slower one stops."""
    along, speed, restitution, mu = np.array([0.6, -0.8]), 2.0, 0.5, 0.3
    settings = falling(speed, restitution, u=[*(slip * along), -speed, 0, 0, 0])
    found = run("impacts", **settings | {"has_friction": [1, 0], "kinetic": [mu, 0], "static_limit": [mu, 0]})
    lost = min(mu * (1 + restitution) * speed, slip)

    np.testing.assert_allclose(found["u"][:3], [*((slip - lost) * along), restitution * speed], **SOLVED)
    np.testing.assert_allclose(found["impulses"][[ALONG_X, ALONG_Y]], -MASSES[0] * lost * along, **SOLVED)


def test_a_mass_that_is_below_the_floor_by_more_than_tolerances_is_a_failure_of_this_row(run):
    found = run("impacts", **on_floor(exists={FLOOR: 1, FLOOR_2: 1}, r={5: -1e-3}))

    assert found["outcome"] != INTEGRATED
    assert found["culprit"] == [FLOOR_2]
