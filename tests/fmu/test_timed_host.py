"""A C host steps FMUs of bounded work: nothing allocates memory, and nothing calls the operating system."""

import sys

import numpy as np
import pytest
from latency import export, host, measured

import mobod as mb
from tests.ensembles.models import four_bar

pytestmark = [
    pytest.mark.slow,  # compiles FMUs
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux, whose system calls can be forbidden"),
]


def bouncing():
    system = mb.MultibodySystem("bouncing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.81, name="gravity")
    for i in range(3):
        ball = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name=f"ball{i}")
        ball.set_limits(0.0, np.inf, 0.7)
        ball.set_default_q([0.1 + 0.02 * i])
    return system, system.realize_topology()


@pytest.mark.parametrize("integrator", ["RK4", "SemiImplicitEuler", "velocity_level"])
@pytest.mark.parametrize("make", [bouncing, four_bar])
def test_steps_allocate_nothing_and_make_no_system_call(tmp_path, make, integrator):
    found = measured(host(tmp_path), export(*make(), tmp_path, integrator=integrator, step=1e-3), 2000, 1e-3)
    assert found.n_calls == 0
    assert found.makes_no_system_call
    assert found.median > 0
