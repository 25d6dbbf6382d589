"""Each cell of the table on the page of drives: what it claims is tried, and what is refused is refused by name."""

import warnings
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError, InputError, MobodError, UnsupportedError
from mobod.runtime.simd import available_simd
from tests.ensembles.mechanisms_with_events import Runs
from tests.ensembles.test_widths import assert_same_bits, results_of
from tests.unit.analysis.differences import largest_error

PAGE = Path(__file__).parents[3] / "docs" / "concepts" / "drives.md"
UNTIL = 0.3  # s
ACCURACY = 1e-9
CUBE = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))


def table() -> dict[str, dict[str, str]]:
    """Row of the page's last table -> column -> cell."""
    text = PAGE.read_text(encoding="utf-8").split("## What each supports")[1]
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    return {row[0].replace("`", ""): dict(zip(head[1:], row[1:], strict=True)) for row in rows}


class Arm:
    """Two links in a plane, in motion; what is tried is added to it. varied: a parameter of it."""

    def __init__(self) -> None:
        self.system = mb.MultibodySystem("arm")
        matter, self.forces = mb.MatterSubsystem(self.system), mb.ForceSubsystem(self.system)
        mb.Gravity(self.forces, matter, down=[0, -1, 0], magnitude=9.81)
        link = mb.MassProperties(0.8, [0.2, 0, 0], mb.Inertia.box(mass=0.8, size=[0.4, 0.05, 0.05]).shifted([0.2, 0, 0]))
        self.first = mb.Pin(matter.ground, link, name="first")
        self.second = mb.Pin(self.first, link, X_PF=mb.Transform(p=[0.4, 0, 0]), name="second")

    def state(self) -> mb.State:
        state = self.system.realize_topology()
        state.q, state.u = [0.3, -0.5], [0.4, 1.2]
        return state


def servo(arm: Arm, **options) -> str:
    mb.Servo(arm.forces, arm.second, **{"kp": 9.0, "kd": 0.2, "command": 0.4, "force_low": -1.5, "force_high": 3.0, **options}, name="it")
    return "it.kp"


def site_servo(arm: Arm) -> str:
    tip, wrench = mb.Transform(p=[0.4, 0, 0]), [0, 0, 0.02, 0, 1, 0]
    mb.SiteServo(arm.forces, arm.second, tip, wrench=wrench, control="velocity", kd=3.0, command=1.0, force_high=4.0, name="it")
    return "it.kd"


def tendon(arm: Arm) -> mb.FixedTendon:
    return mb.FixedTendon(arm.forces, [arm.first, arm.second], [0, 0], [0.1, -0.2], stiffness=300.0, damping=4.0, rest_high=0.1, name="it")


def fixed_tendon(arm: Arm) -> str:
    tendon(arm)
    return "it.stiffness"


def range_of_tendon(arm: Arm) -> str:
    tendon(arm).set_limits(0.02, 0.135, restitution=0.4)
    return "it.limit.lower"


def drive_limit(arm: Arm) -> str:
    servo(arm, force_low=-1e3, force_high=1e3)
    arm.second.set_drive_limit(-1.5, 3.0)
    return "second_drive_limit.high"


def motor_dc(arm: Arm) -> str:
    numbers = {"torque_constant": 0.05, "resistance": 0.8, "inductance": 0.02, "gear_ratio": 12.0, "efficiency": 0.8, "voltage": 5.0}
    mb.MotorDC(arm.forces, arm.second, **numbers, transition_speed=0.2, name="it")
    return "it.voltage"


def gear_pair(arm: Arm) -> str:
    mb.GearPair(arm.forces, arm.first, arm.second, ratio=-0.5, backlash=0.04, stiffness=60.0, dissipation=0.3, name="it")
    return "it.backlash"


def rotor_inertia(arm: Arm) -> str:
    arm.second.set_rotor_inertia(4e-4, 20.0, axis=[0.0, 0.6, 0.8])
    return "second.gear_ratio"


def activation(arm: Arm) -> str:
    servo(arm, activation="muscle", rise_time=0.03, fall_time=0.06)
    return "it.rise_time"


ADDED: dict[str, Callable[[Arm], str]] = {
    "Servo": servo,
    "SiteServo": site_servo,
    "FixedTendon": fixed_tendon,
    "range of a FixedTendon": range_of_tendon,
    "DriveLimit": drive_limit,
    "MotorDC": motor_dc,
    "GearPair": gear_pair,
    "rotor inertia": rotor_inertia,
    "activation": activation,
}


def final_q(arm: Arm, **options) -> np.ndarray:
    return mb.Simulation(arm.system, backend="interpreted", **options).run(arm.state(), until=UNTIL).final_state.q


def tried_by_error_control(arm: Arm, _parameter: str) -> None:
    exact = final_q(arm, accuracy=1e-11)
    for integrator in ("RK45", "Rodas5P"):
        assert_allclose(final_q(arm, accuracy=ACCURACY, integrator=integrator), exact, rtol=0, atol=1e-6)  # kinks within steps cost digits


def tried_at_velocity_level(arm: Arm, _parameter: str) -> None:
    exact = final_q(arm, accuracy=ACCURACY)
    coarse, fine = (np.abs(final_q(arm, integrator="velocity_level", step=step) - exact).max() for step in (1e-3, 1e-4))
    assert coarse < 1e-2
    assert fine < 0.3 * coarse  # of first order


def tried_in_model_exchange(arm: Arm, _parameter: str, folder: Path) -> None:
    exact = final_q(arm, accuracy=ACCURACY)
    names = ["first.q", "second.q"]
    path = mb.export_fmu(arm.system, folder / "arm.fmu", state=arm.state(), outputs=names, code="interpreted", reference=False)
    found = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=UNTIL, relative_tolerance=1e-9, output=names)
    assert_allclose([found[name][-1] for name in names], exact, rtol=0, atol=1e-4)  # CVODE with its own absolute tolerance


def tried_in_lanes(arm: Arm, _parameter: str) -> None:
    for options in ({"accuracy": 1e-7, "integrator": "RK45"}, {"integrator": "RK4", "step": 1e-3}):
        states = [arm.state() for _ in range(12)]  # more than there are lanes
        for number, state in enumerate(states):
            state.u = [0.4, 1.2 - 0.15 * number]
        runs = Runs(arm.system, states, options)
        expected, _ = results_of(runs, UNTIL, "none", "interpreted")
        results, (in_lanes, _) = results_of(runs, UNTIL, available_simd()[0].name, "interpreted")
        assert_same_bits(results, expected)
        assert in_lanes > 0


def tried_for_derivatives(arm: Arm, parameter: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*less accurate than the motion", mb.MobodWarning)  # at kinks
        error, found = largest_error(arm.system, arm.state(), [parameter, "first.u"], ["first.q", "second.u"], until=UNTIL, every=UNTIL)
    assert error < 2e-5  # of both, the tangents and the differences with a shift of 1e-5, over kinks
    assert found.method.startswith("tangents of the steps")


def tried_in_jax(arm: Arm, _parameter: str) -> None:
    jax = pytest.importorskip("jax", reason="the column of JAX needs the extra 'jax'")
    before, state = jax.config.jax_enable_x64, arm.state()
    jax.config.update("jax_enable_x64", True)
    try:
        model = mb.to_jax(arm.system, state)
        with jax.disable_jit():
            rates = model.rates(state.time, state.y)
    finally:
        jax.config.update("jax_enable_x64", before)
    arm.system.realize(state, "acceleration")
    assert_allclose(rates, state.y_dot, rtol=1e-12, atol=1e-12)  # round-off


TRIED = {
    "error control": tried_by_error_control,
    "fixed steps, velocity level": tried_at_velocity_level,
    "ensembles in lanes": tried_in_lanes,
    "derivatives": tried_for_derivatives,
    "JAX": tried_in_jax,
}
if not available_simd():
    del TRIED["ensembles in lanes"]
CELLS = [(row, column) for row in ADDED for column in TRIED if row != "range of a FixedTendon" or column != "JAX"]


def test_the_table_has_a_row_for_each_and_claims_what_is_tried():
    rows = table()
    assert list(rows) == list(ADDED) == list(REFUSED)
    for row, columns in rows.items():
        claimed = {name for name, cell in columns.items() if cell.startswith("yes")}
        assert claimed == {column for each, column in CELLS if each == row} | {"model exchange", "ensembles in lanes"}
        assert columns["refuses"]


@pytest.mark.fast(
    "Servo-error control",
    "range of a FixedTendon-fixed steps, velocity level",
    "SiteServo-derivatives",
    "GearPair-ensembles in lanes",
    "MotorDC-JAX",
)
@pytest.mark.parametrize(("row", "column"), CELLS, ids=lambda each: each)
def test_a_claim_of_the_table_holds(row, column):
    arm = Arm()
    TRIED[column](arm, ADDED[row](arm))


@pytest.mark.slow
@pytest.mark.parametrize("row", ADDED)
def test_model_exchange_has_the_motion_of_a_run(row, tmp_path):
    arm = Arm()
    tried_in_model_exchange(arm, ADDED[row](arm), tmp_path)


def _other(arm: Arm) -> mb.ForceSubsystem:
    return mb.ForceSubsystem(arm.system, "other")


def _ball(arm: Arm) -> mb.Ball:
    return mb.Ball(arm.second, CUBE, name="wrist")


def _start_beyond(arm: Arm) -> None:
    tendon(arm).set_limits(0.2, 0.3)
    final_q(arm, accuracy=ACCURACY)


def _drive_of_another(arm: Arm) -> None:
    arm.second.set_drive_limit(-1.0, 1.0)
    mb.MobilityForce(_other(arm), arm.second, name="stray")
    arm.state()


def _inductance_comes(arm: Arm) -> None:
    motor = mb.MotorDC(arm.forces, arm.second, torque_constant=0.05, resistance=0.8, name="it")
    motor.set_inductance(arm.state(), 0.01)


# what the last column says, in its order
REFUSED: dict[str, list[tuple[Callable[[Arm], object], type[MobodError], str]]] = {
    "Servo": [
        (lambda arm: mb.Servo(arm.forces, _ball(arm), kp=1.0), UnsupportedError, r"speed 0 of 'wrist' \(Ball\) is no rate of a coordinate"),
        (lambda arm: mb.Servo(_other(arm), tendon=tendon(arm)), InputError, "tendon 'it' belongs to another ForceSubsystem"),
    ],
    "SiteServo": [(lambda arm: mb.SiteServo(arm.forces, arm.first, wrench=[0, 0, 0, 1, 0, 0]), InputError, "a site has no length")],
    "FixedTendon": [(lambda arm: mb.FixedTendon(arm.forces, [_ball(arm)], [1], [0.1]), InputError, r"coordinate 1 of 'wrist' \(Ball\)")],
    "range of a FixedTendon": [
        (_start_beyond, EventError, "'it.lower_limit'.*The length of tendon 'it' is 0.13 m, and its limit is 0.2 m")
    ],
    "DriveLimit": [(_drive_of_another, UnsupportedError, "'stray' belongs to another ForceSubsystem")],
    "MotorDC": [
        (
            lambda arm: mb.MotorDC(arm.forces, mb.Ellipsoid(arm.second, CUBE, radii=[1, 2, 3]), 4, torque_constant=1, resistance=1),
            InputError,
            "MotorDC",
        ),
        (_inductance_comes, InputError, "'it': the inductance cannot become 0.01 H"),
    ],
    "GearPair": [
        (lambda arm: mb.GearPair(arm.forces, arm.first, arm.first, ratio=2.0, stiffness=1.0), InputError, "'first' is given twice")
    ],
    "rotor inertia": [
        (lambda arm: _ball(arm).set_rotor_inertia(1e-3, 2.0, speed=1), UnsupportedError, "speed 1 of a Ball is no rate of a coordinate"),
        (lambda arm: _ball(arm).set_rotor_inertia(1e-3, 2.0, axis=[0, 0, 1]), InputError, "a Ball has no axis"),
    ],
    "activation": [(lambda arm: servo(arm, activation="neuron"), InputError, "Servo: activation is 'neuron'. It can be 'none', 'filter'")],
}


@pytest.mark.parametrize(("row", "number"), [(row, number) for row, each in REFUSED.items() for number in range(len(each))])
def test_what_the_table_refuses_is_refused_by_name(row, number):
    make, error, text = REFUSED[row][number]
    assert len(table()[row]["refuses"].split(";")) == len(REFUSED[row])
    with pytest.raises(error, match=text):
        make(Arm())
