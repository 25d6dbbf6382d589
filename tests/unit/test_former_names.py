"""Names of 0.1 that have another name now: they work in 0.2, with a warning that has both names and the version that removes them."""

import pytest

import mobod as mb
from mobod import files


def test_a_former_name_of_a_class_warns_and_is_the_class():
    with pytest.warns(mb.MobodWarning, match=r"'mobod\.files\.UrdfRobot' is now called 'Robot'.* removed in mobod 0\.3"):
        former = files.UrdfRobot

    assert former is files.Robot
    assert "UrdfRobot" not in files.__all__


def test_other_names_that_a_module_does_not_have_are_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'mobod\.files' has no attribute 'UrdfRobots'"):
        files.UrdfRobots  # noqa: B018


def test_former_names_of_backends_and_of_an_integrator_warn():
    system = mb.MultibodySystem("empty")

    for arguments in ({"backend": "native"}, {"backend": "vm"}, {"integrator": "Radau"}):
        with pytest.warns(mb.MobodWarning, match=r"is now.* removed in mobod 0\.3"):
            mb.Simulation(system, **arguments)
