"""export_fmu makes an FMU of a System, and reports what is not supported."""

from math import pi, sqrt

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose
from scipy.special import ellipk

import mobod as mb
from mobod.errors import MobodWarning, UnsupportedError
from mobod.fmu.export import export_fmu

LENGTH, G = 0.8, 9.81  # m, m/s^2


@pytest.fixture
def arm():
    """A point mass on a rod without mass, under a motor."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=G, name="gravity")
    com = np.array([0, -LENGTH, 0])
    about_origin = 1.3 * (com @ com * np.eye(3) - np.outer(com, com))
    arm = mb.Pin(matter.ground, mb.RigidBody(mb.MassProperties(mass=1.3, com=com, inertia=about_origin)), name="arm")
    mb.MobilityForce(forces, arm, name="motor")
    return arm


@pytest.fixture
def pendulum(arm):
    return arm.matter.system


def start_of(fmu, name):
    (variable,) = [variable for variable in read_model_description(str(fmu)).modelVariables if variable.name == name]
    return float(variable.start)


def test_an_exported_pendulum_swings_with_the_period_of_the_elliptic_integral(pendulum, tmp_path):
    amplitude = 2.0  # rad, far beyond small angles
    period = 4 * sqrt(LENGTH / G) * ellipk(np.sin(amplitude / 2) ** 2)
    fmu = export_fmu(pendulum, tmp_path / "pendulum.fmu", inputs=["motor.force"], outputs=["arm.q", "arm.u", "arm.p_GB"])
    assert validate_fmu(str(fmu)) == []

    results = simulate_fmu(
        str(fmu), stop_time=period, output_interval=period / 4, start_values={"arm.q_start": amplitude}, relative_tolerance=1e-10
    )
    # 100 times the tolerance: errors of some hundred steps add up
    assert_allclose(results["arm.q"], [amplitude, 0, -amplitude, 0, amplitude], atol=1e-8)


@pytest.mark.slow
def test_a_torque_set_by_the_master_holds_the_pendulum(pendulum, tmp_path):
    fmu = export_fmu(pendulum, tmp_path / "pendulum.fmu", inputs=["motor.force"], outputs=["arm.q"])
    held = {"arm.q_start": pi / 6, "motor.force": 1.3 * G * LENGTH * 0.5}
    results = simulate_fmu(str(fmu), stop_time=0.5, output_interval=0.1, start_values=held)
    assert_allclose(results["arm.q"], pi / 6, atol=1e-12)  # an equilibrium: round-off alone


def test_the_fmu_has_the_systems_name_and_default_state(pendulum, tmp_path):
    fmu = export_fmu(pendulum, str(tmp_path / "x.fmu"), outputs=[])
    assert fmu == tmp_path / "x.fmu"
    assert read_model_description(str(fmu)).modelName == "pendulum"
    assert start_of(fmu, "arm.q_start") == 0


def test_an_fmu_without_inputs_and_outputs_warns_unless_requested(pendulum, tmp_path):
    with pytest.warns(MobodWarning, match=r"no inputs and no outputs.*inputs=\['motor\.force'\], outputs=\['arm\.q'\]") as caught:
        fmu = export_fmu(pendulum, tmp_path / "x.fmu")
    assert caught[0].filename == __file__
    assert fmu.exists()
    export_fmu(pendulum, tmp_path / "x.fmu", outputs=[])  # in these tests a warning is an error


@pytest.mark.slow
def test_another_name_and_state_can_be_given(arm, pendulum, tmp_path):
    state = pendulum.realize_topology()
    arm.set_q(state, -0.45)
    arm.set_u(state, 0.7)
    fmu = export_fmu(pendulum, tmp_path / "x.fmu", outputs=[], name="my pendulum", state=state)
    assert read_model_description(str(fmu)).modelName == "my pendulum"
    assert (start_of(fmu, "arm.q_start"), start_of(fmu, "arm.u_start")) == (-0.45, 0.7)


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"fmi_version": "1.0"}, r"fmi_version '1\.0' .* There are '2\.0' and '3\.0'"),
        ({"kind": "matlab"}, "kind 'matlab' .* There are 'native' and 'python'"),
    ],
)
def test_unsupported_options_are_refused(pendulum, tmp_path, choice, message):
    with pytest.raises(UnsupportedError, match=message):
        export_fmu(pendulum, tmp_path / "x.fmu", **choice)
    assert list(tmp_path.iterdir()) == []
