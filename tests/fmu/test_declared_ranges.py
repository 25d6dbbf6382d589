"""Ranges that FMUs declare: min and max of limited coordinates, and of motors with an effort."""

from math import inf

import fmpy
import pytest

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.errors import InputError
from mobod.fmu.limits import limits_of_coordinates


def arms():
    """A pin, and a free body, whose first four coordinates are a quaternion."""
    system = mb.MultibodySystem("arms")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    mass = mb.MassProperties(1.5, [0, -0.7, 0], mb.Inertia.sphere(mass=1.5, radius=0.3).shifted([0, -0.7, 0]))
    arm = mb.Pin(matter.ground, mass, name="arm")
    arm.set_default_q(0.5)
    mb.Free(matter.ground, mass, name="stone")
    return system, arm


def limited():
    system, arm = arms()
    arm.set_limits(-1.0, 1.5)
    mb.MobilityForce(mb.ForceSubsystem(system, "motors"), arm, effort=0.75, name="motor")
    return system, arm


@pytest.mark.parametrize("fmi_version", ["2.0", "3.0"])
def test_limited_coordinates_and_motors_declare_their_ranges(tmp_path, fmi_version):
    system, _ = limited()
    fmu = mb.export_fmu(
        system, tmp_path / "it.fmu", inputs=["motor.force"], outputs=["arm.q"], fmi_version=fmi_version, code="interpreted", reference=False
    )
    ranges = {each.name: (each.min, each.max) for each in fmpy.read_model_description(str(fmu)).modelVariables}
    assert tuple(map(float, ranges["arm.q"])) == (-1.0, 1.5)
    assert tuple(map(float, ranges["motor.force"])) == (-0.75, 0.75)
    assert ranges["arm.u"] == ranges["arm.q_start"] == (None, None)


def test_ranges_are_those_of_limits_that_act_and_hold_at_the_start():
    system, arm = limited()
    state = system.realize_topology()
    arm.limits[0].disable(state)
    assert limits_of_coordinates(generate(system, state)) == {}
    arm.limits[0].enable(state)
    arm.limits[0].set_bounds(state, -inf, 1.5)
    assert list(limits_of_coordinates(generate(system, state)).values()) == [(-inf, 1.5)]
    arm.set_q(state, 2.0)
    assert limits_of_coordinates(generate(system, state)) == {}
    with pytest.raises(InputError, match=r"MobilityForce on 'arm': the effort is -2 N\.m\. It must be positive"):
        mb.MobilityForce(mb.ForceSubsystem(system, "others"), arm, effort=-2.0)
