"""FMUs of closed loops: they agree with the references, keep the loops closed, and report errors of constraints."""

from itertools import pairwise
from math import cos, sin

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import functions
from mobod.cosim import FmuFile, Instance
from mobod.errors import FmuError, UnknownNameError
from mobod.fmu.names import structured_name
from tests.analytic.linkage import bar, linkage
from tests.unit.matter.test_parts_of_rows import Windows


def export(system, folder, outputs, state=None):
    return str(mb.export_fmu(system, folder / f"{system.name}.fmu", outputs=outputs, state=state))


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Starts instances of FMUs; all are closed at the end."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    instances = []

    def start(fmu, values=None, tolerance=1e-8):
        instances.append(Instance(FmuFile(fmu), "it"))
        instances[-1].set_up(0.0, None, tolerance)
        instances[-1].set(values or {})
        instances[-1].enter_initialization()
        instances[-1].exit_initialization()
        return instances[-1]

    yield start
    for instance in instances:
        instance.close()


def walk(instance, times):
    for time, after in pairwise(times):
        instance.step(time, after - time)


# references


# a linkage with redundant rows

OUTPUTS = ["ball1.multiplier", "ball2.multiplier", "ball1.position_error", "ball2.position_error", "ball1.velocity_error"]
OUTPUTS += [
    "ball2.velocity_error",
    "rod.position_error",
    "rod.velocity_error",
    "rod.multiplier",
    "crank2.reaction",
    "beam.reaction",
    "energy",
]


@pytest.fixture(scope="module")
def parallelogram(tmp_path_factory):
    made = linkage()
    made.fmu = export(made.system, tmp_path_factory.mktemp("linkage"), OUTPUTS, made.state)
    return made


def read(instance, made, *names):
    """Each output as one array."""
    values = []
    for name in names:
        entries = made.system.variable(made.state, name).entry_names()
        values.append(np.array([instance.get(structured_name(entry)) for entry in entries]))
    return values


@pytest.mark.slow
def test_multipliers_errors_and_reactions_are_outputs(parallelogram, started):
    system = parallelogram.system
    start = parallelogram.state.copy()
    system.realize(start, mb.Stage.ACCELERATION)
    assert parallelogram.matter.analyze_constraints(start).rank == 3  # six rows, four mobilities
    instance = started(parallelogram.fmu)
    instance.step(0.0, 0.6)
    final = mb.Simulation(system, accuracy=1e-10, backend="interpreted").run(parallelogram.state, until=0.6).final_state
    system.realize(final, mb.Stage.REPORT)
    for name, value in zip(OUTPUTS, read(instance, parallelogram, *OUTPUTS), strict=True):
        expected = system.value(final, system.variable(final, name))
        # forces are some tens of newtons, and errors of states some 100 times the tolerance
        assert_allclose(value, np.ravel(expected), atol=1e-5, err_msg=name)


def check_that_it_stays_closed(parallelogram, started, seconds):
    tolerance = 1e-6
    instance, names = (
        started(parallelogram.fmu, tolerance=tolerance),
        [name for name in OUTPUTS if name.startswith("ball") and "error" in name],
    )
    for step in range(10 * seconds):
        instance.step(step * 0.1, 0.1)
        for name, errors in zip(names, read(instance, parallelogram, *names), strict=True):
            assert np.abs(errors).max() <= tolerance / 10, (name, step)


def test_constraint_errors_stay_below_the_tolerance(parallelogram, started):
    check_that_it_stays_closed(parallelogram, started, 3)


@pytest.mark.slow
def test_constraint_errors_stay_below_the_tolerance_for_100_s(parallelogram, started):
    check_that_it_stays_closed(parallelogram, started, 100)


def test_a_saved_state_continues_with_the_same_bits(parallelogram, started):
    times = [0.0, 0.13, 0.2, 0.5, 0.51, 0.8]
    instance, other = started(parallelogram.fmu), started(parallelogram.fmu, {"crank0.u_start": 0.1})
    walk(instance, times[:3])
    saved = instance.save()
    data = saved.to_bytes()
    walk(instance, times[2:])
    straight_on = read(instance, parallelogram, *OUTPUTS)

    saved.restore()
    walk(instance, times[2:])
    again = read(instance, parallelogram, *OUTPUTS)
    walk(other, times[:5])
    from_bytes = other.saved(data, times[2])
    from_bytes.restore()
    walk(other, times[2:])
    elsewhere = read(other, parallelogram, *OUTPUTS)
    for state in (saved, from_bytes):
        state.free()
    assert [value.tobytes() for value in again] == [value.tobytes() for value in straight_on]
    assert [value.tobytes() for value in elsewhere] == [value.tobytes() for value in straight_on]


def rod_length(instance):
    angle = instance.get("crank2.q")
    return float(np.hypot(1.8 + 0.5 * cos(angle) - 1.2, 0.5 * sin(angle) - 0.3))


def test_a_constraint_enabled_between_steps_holds_from_then_on(parallelogram, started):
    instance = started(parallelogram.fmu)
    instance.step(0.0, 0.3)
    energy = instance.get("energy")
    assert instance.get("rod.multiplier") == 0
    # slightly off the manifold: positions are projected, and speeds that violate the constraints are removed
    instance.set({"rod.length": rod_length(instance) + 1e-3, "rod.enabled": True})
    assert abs(instance.get("rod.velocity_error")) > 0.1
    assert abs(instance.get("rod.position_error") + 1e-3) < 1e-12
    angle = instance.get("crank0.q")  # reading values changes nothing: the step begins with the rod closed
    instance.step(0.3, 1e-9)
    moved = instance.get("crank0.q") - angle
    instance.step(0.3 + 1e-9, 0.1 - 1e-9)
    assert 1e-4 < abs(moved) < 1e-2
    assert_allclose(instance.get("crank0.q"), angle + moved, atol=1e-9)
    errors = read(instance, parallelogram, "rod.position_error", "rod.velocity_error", "ball1.position_error", "ball2.velocity_error")
    for each in errors:
        assert np.abs(each).max() <= 1e-9
    # the rod removes the only degree of freedom
    assert_allclose([instance.get(f"crank{i}.u") for i in range(3)], 0, atol=1e-9)
    assert instance.get("energy") < energy - 0.1
    assert abs(instance.get("rod.multiplier")) > 1

    instance.set({"rod.enabled": False})
    instance.step(0.4, 0.2)
    assert abs(instance.get("crank1.u")) > 0.03  # it falls from rest
    assert instance.get("rod.multiplier") == 0


def test_enabling_and_disabling_without_a_step_has_no_effect(parallelogram, started):
    ends = []
    for is_touched in (False, True):
        instance = started(parallelogram.fmu)
        instance.step(0.0, 0.3)
        if is_touched:
            instance.set({"rod.enabled": True})
            read(instance, parallelogram, *OUTPUTS)
            instance.set({"rod.enabled": False})
        instance.step(0.3, 0.3)
        ends.append(read(instance, parallelogram, "crank0.q", "energy"))
    # they may differ by the correction of a projection at the start of the second step
    for untouched, touched in zip(*ends, strict=True):
        assert_allclose(touched, untouched, atol=1e-7)


def test_setting_the_lock_level_locks_a_body(parallelogram, started):
    """At position level no degree of freedom is left; at velocity level the linkage turns at the locked speed."""
    instance = started(parallelogram.fmu)
    instance.step(0.0, 0.2)
    angle = instance.get("crank1.q")
    instance.set({"crank1.lock_q": angle, "crank1.lock_level": 3.0})
    instance.step(0.2, 0.3)
    assert_allclose([instance.get(f"crank{i}.q") for i in range(3)], angle, atol=1e-8)
    assert_allclose([instance.get(f"crank{i}.u") for i in range(3)], 0, atol=1e-8)

    instance.set({"crank1.lock_value": 0.4, "crank1.lock_level": 2.0})
    instance.step(0.5, 0.5)
    assert_allclose([instance.get(f"crank{i}.q") for i in range(3)], angle + 0.5 * 0.4, atol=1e-8)
    instance.set({"crank1.lock_level": 0.0})
    instance.step(1.0, 0.5)
    assert abs(instance.get("crank2.u") - 0.4) > 0.1


def test_a_body_that_is_not_lockable_has_no_lock_level(parallelogram, started):
    with pytest.raises(UnknownNameError):
        started(parallelogram.fmu).get("crank0.lock_level")


# errors


def test_an_impossible_start_names_the_constraint_and_its_error(parallelogram, started):
    with pytest.raises(FmuError, match=r"the start does not satisfy constraint 'rod': its position error is -?\d.*nearly satisfy it"):
        started(parallelogram.fmu, {"rod.enabled": True, "rod.length": 9.0})


def test_a_start_that_nearly_satisfies_the_constraints_is_projected(parallelogram, started):
    instance = started(parallelogram.fmu, {"crank2.q_start": -1.95, "beam.q_start": 1.97})
    angles = [instance.get(name) for name in ("crank0.q", "crank1.q", "crank2.q")]
    assert_allclose(angles, angles[0], atol=1e-8)
    assert -2.05 < angles[0] < -1.95


def test_enabling_a_constraint_that_cannot_be_satisfied_fails_the_step(parallelogram, started):
    instance = started(parallelogram.fmu)
    instance.step(0.0, 0.3)
    instance.set({"rod.length": 7.0, "rod.enabled": True})
    with pytest.raises(FmuError, match=r"the state at the start of the step does not satisfy constraint 'rod': its position error is 6\."):
        instance.step(0.3, 0.1)


@pytest.mark.parametrize("is_read", [False, True])
def test_a_lock_that_contradicts_a_constraint_fails_the_step_with_both_names(parallelogram, started, is_read):
    """A rod holds the linkage, and a lock prescribes a crank's rotation: the step fails at once, whatever was read before."""
    instance = started(parallelogram.fmu, {"crank1.lock_level": 0.0})
    instance.step(0.0, 0.1)
    instance.set({"rod.length": rod_length(instance), "rod.enabled": True, "crank1.lock_value": 0.4, "crank1.lock_level": 2.0})
    if is_read:
        assert abs(instance.get("rod.velocity_error")) > 0.01
    message = r"the state at the start of the step does not satisfy constraint '(rod|ball1|ball2)': its velocity error is 0\.[0-9]+"
    with pytest.raises(FmuError, match=message):
        instance.step(0.1, 0.1)


@pytest.fixture(scope="module")
def pins(tmp_path_factory):
    """A pin with a pair of accelerations that may contradict each other, and a pin that starts at its prescribed angle."""
    system = mb.MultibodySystem("pins")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    pin, other = (mb.Pin(matter.ground, bar(0.5), name=name) for name in ("pin", "other"))
    mb.ConstantAcceleration(pin, 0, 1.5, name="fast")
    mb.ConstantAcceleration(pin, 0, 1.5, name="slow")
    mb.ConstantCoordinate(other, 0, 0.0, name="still", disabled=True)
    swing = functions.Step(0.0, 0.4, 0.3, 1.0)
    mb.PrescribedMotion(matter, swing, other, 0, name="swing", disabled=True)
    return export(system, tmp_path_factory.mktemp("pins"), ["fast.multiplier", "slow.multiplier"])


@pytest.mark.slow
def test_consistent_redundant_acceleration_constraints_share_the_force(pins, started):
    instance = started(pins)
    instance.step(0.0, 0.4)
    assert_allclose(instance.get("pin.u"), 1.5 * 0.4, atol=1e-10)
    assert_allclose(instance.get("fast.multiplier"), instance.get("slow.multiplier"), rtol=1e-10)


CONTRADICTION = (
    r"constraints contradict each other: no accelerations satisfy all of 'fast', 'slow'; the nearest accelerations violate them by 0\.25 in"
)


def test_a_start_with_contradictory_accelerations_is_refused_by_name(pins, started):
    with pytest.raises(FmuError, match=rf"fmi2ExitInitializationMode: at time 0 s {CONTRADICTION}"):
        started(pins, {"slow.acceleration": 1.0})


def test_accelerations_that_become_contradictory_fail_that_step(pins, started):
    instance = started(pins)
    instance.step(0.0, 0.4)
    instance.set({"slow.acceleration": 1.0})
    with pytest.raises(FmuError, match=rf"fmi2DoStep: at time 0\.4 s {CONTRADICTION}"):
        instance.step(0.4, 0.1)


def test_a_motion_that_contradicts_a_constraint_names_both_and_the_time(pins, started):
    """A coordinate that moves from 0.3 s on is also held at zero. The other pin has rows of its own, with accelerations of 1.5 rad/s^2: a
    contradiction is relative to the rows that share joints with it, and so it is found as soon as the motion begins.
    """
    instance = started(pins, {"still.enabled": True, "swing.enabled": True})
    instance.step(0.0, 0.2)
    message = r"at time 0\.300\d* s constraints contradict each other: no accelerations satisfy all of 'still', 'swing'; the nearest"
    with pytest.raises(FmuError, match=message):
        instance.step(0.2, 0.8)


# many rows


def test_an_interpreted_fmu_with_sparse_factors_moves_as_the_simulation(tmp_path, started):
    """Its tables come from resources, and are checked."""
    windows = Windows(14)
    state = windows.state()
    names = ["crank1.q", "coupler6.u"]
    file = mb.export_fmu(windows.system, tmp_path / "windows.fmu", outputs=names, state=state, code="interpreted")
    instance = started(str(file), tolerance=1e-9)

    instance.step(0.0, 0.1)

    results = mb.Simulation(windows.system, 1e-9, backend="interpreted").run(state, until=0.1)
    for name in names:
        assert_allclose(instance.get(name), results[name][-1], rtol=1e-13)
