"""The effort and the velocity of a joint in a robot file limit its drives, not the joint."""

import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from tests.unit.files.conftest import joint


def loaded(file, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return mb.load_urdf(file, gravity=0.0, **options)


def acceleration(system, **values):
    state = system.realize_topology()
    for name, value in values.items():
        system.set_value(state, name.replace("__", "."), value)
    system.realize(state, mb.Stage.ACCELERATION)
    return float(state.u_dot[0])


def test_effort_limits_the_sum_of_the_drive_forces_of_a_joint(urdf):
    file = urdf(joint())  # effort 30 N m
    limited, free = loaded(file), loaded(file, drive_limits=False)
    one = acceleration(free, pin_motor__force=1.0)
    for asked, given in ((12.5, 12.5), (31.5, 30.0), (-400.0, -30.0)):
        assert_allclose(acceleration(limited, pin_motor__force=asked), given * one, rtol=1e-12)  # round-off
        assert_allclose(acceleration(free, pin_motor__force=asked), asked * one, rtol=1e-12)


def test_effort_limits_a_users_drive_beside_the_motor_too(urdf):
    system = loaded(urdf(joint()))
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    mb.Servo(forces, system.matter.body("pin"), control="force", command=70.0, name="own")
    state = system.realize_topology()
    system.realize(state, mb.Stage.DYNAMICS)
    assert system.value(state, "pin_drive_limit.unlimited_force") == 70.0
    assert system.value(state, "pin_drive_limit.force") == 30.0
    bare = loaded(urdf(joint()), motors=False)  # a joint without drives needs no limit of them
    assert not any("drive_limit" in each.name for each in bare.variables(bare.realize_topology()))


@pytest.mark.parametrize("effort", ["0", f"{sys.float_info.max!r}"])
def test_an_effort_that_means_unknown_limits_nothing(urdf, effort):
    file = urdf(joint(content=f'<limit lower="-1" upper="2" effort="{effort}" velocity="0"/>'))
    system = loaded(file)
    assert all("drive_limit" not in each.name for each in system.variables(system.realize_topology()))
    assert not mb.read_urdf(file).findings


def test_findings_say_what_effort_and_velocity_limit_without_a_warning(urdf):
    findings = mb.read_urdf(urdf(joint())).findings
    assert [(each.kind, each.line, each.is_information) for each in findings] == [("effort", 11, True), ("velocity", 11, True)]
    assert "'<joint>_drive_limit'" in findings[0].message
    assert "The joint itself can be faster" in findings[1].message


def test_the_elastic_stops_and_the_limit_of_drives_are_in_different_subsystems(urdf):
    system = loaded(urdf(joint()), limits="stops")
    one = acceleration(loaded(urdf(joint()), drive_limits=False), pin_motor__force=1.0)
    assert_allclose(acceleration(system, pin_motor__force=90.0), 30.0 * one, rtol=1e-12)  # round-off


def test_a_motor_that_follows_a_speed_is_limited_by_effort_and_velocity(urdf):
    system = loaded(urdf(joint()), motors="velocity")
    servo = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    assert servo is not None
    state = system.realize_topology()
    system.set_value(state, "pin_motor.command", 9.0)  # rad/s; the velocity of the file is 4
    body = system.matter.body("pin")
    body.set_u(state, 3.998)
    system.realize(state, mb.Stage.DYNAMICS)
    gain = 30.0 / (0.01 * 4.0)
    assert_allclose(system.value(state, "pin_motor.force"), gain * (4.0 - 3.998), rtol=1e-10)
    body.set_u(state, -1.0)
    system.realize(state, mb.Stage.DYNAMICS)
    assert system.value(state, "pin_drive_limit.force") == 30.0


def test_the_gain_of_motors_that_follow_a_speed_is_needed_where_the_file_has_no_effort(urdf):
    file = urdf(joint("continuous"))
    with pytest.raises(UnsupportedError, match=r"joint 'pin' has no effort and velocity.*velocity_gain"):
        loaded(file, motors="velocity")
    system = loaded(file, motors="velocity", velocity_gain=2.5)
    one = acceleration(loaded(file), pin_motor__force=1.0)
    assert_allclose(acceleration(system, pin_motor__command=3.0), 7.5 * one, rtol=1e-12)  # round-off


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"motors": "torque"}, "motors is 'torque'. Valid values: True, 'force', 'velocity', False"),
        ({"velocity_gain": 2.0}, "velocity_gain applies only to motors='velocity'"),
        ({"links": ["bar"]}, "links are those that touch others, but contact is None"),
        ({"links": "bar", "contact": "rigid"}, "links is 'bar'. Give several names"),
        ({"equality": "soft"}, "equality is 'soft'. Valid values: 'rigid', 'ignore'"),
        ({"gravity": [1.0, 2.0]}, "It is a magnitude along -z, or a vector of three numbers"),
        ({"mesh_folders": "meshes"}, "mesh_folders is 'meshes'. Give a list of folders"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(urdf, options, message):
    with pytest.raises(InputError, match=message):
        mb.load_urdf(urdf(joint()), **options)


def test_gravity_can_be_a_vector(urdf):
    system = mb.load_urdf(urdf(joint()), gravity=[1.5, -2.0, 0.5])
    state = system.realize_topology()
    g = np.array([1.5, -2.0, 0.5])
    assert_allclose(system.value(state, "gravity.magnitude") * np.array(system.value(state, "gravity.down")), g, rtol=1e-15)  # round-off


def test_rigid_friction_holds_a_joint_at_rest(urdf):
    system = loaded(urdf(joint("continuous", '<dynamics friction="5"/>')), friction="rigid")
    (friction,) = system.matter.constraints
    assert isinstance(friction, mb.RigidJointFriction)
    assert friction.default_limit == 5.0
