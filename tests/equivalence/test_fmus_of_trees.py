"""Native FMUs of larger trees, stepped by FMPy, against the Simulation of the same System in Python."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.laws.mechanisms import random_frame, random_mass, random_mechanism

ACCURACY = 1e-10
WITHIN = 1e-8  # 100 times the accuracy: errors of the steps add up, and grow as the motion spreads


def humanoid():
    """A free trunk, two arms and two legs of two bodies each, and a head, on balls: 33 degrees of freedom in 43 coordinates."""
    rng = np.random.default_rng(33)
    system = mb.MultibodySystem("humanoid")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, -1, 0.2], magnitude=9.7, name="gravity")
    trunk = mb.Free(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="trunk")
    for limb, length in {"left_arm": 2, "right_arm": 2, "left_leg": 2, "right_leg": 2, "head": 1}.items():
        parent = trunk
        for number in range(length):
            parent = mb.Ball(parent, random_mass(rng), random_frame(rng), random_frame(rng), name=f"{limb}_{number}")
    state = system.realize_topology()
    state.q, state.u = rng.normal(size=len(state.q)), rng.normal(size=len(state.u))  # quaternions not of unit length
    return system, state


def states_of_fmu(fmu, until, step):
    """name -> state at the communication points but the start, in the order of the description."""
    variables = fmpy.read_model_description(str(fmu)).modelVariables
    names = [each.derivative.name for each in variables if each.derivative]
    rows = fmpy.simulate_fmu(str(fmu), stop_time=until, step_size=step, output_interval=step, relative_tolerance=ACCURACY, output=names)
    return {name: rows[name][1:] for name in names}


def states_of_simulation(system, state, until, step, names):
    """The same by a Simulation."""
    results = mb.Simulation(system, accuracy=ACCURACY, backend="interpreted").run(state, until=until, report_every=step)
    values = {}
    for name in names:
        whole, _, index = name.replace("'", "").rstrip("]").partition("[")
        values[name] = results[whole][1:, int(index) - 1] if index else results[whole][1:]
    return values


def assert_moves_as_the_simulation(system, state, folder, *, until):
    actual = states_of_fmu(mb.export_fmu(system, folder / "tree.fmu", outputs=[], state=state), until, until / 10)
    assert len(actual) == len(state.y)
    expected = states_of_simulation(system, state, until, until / 10, actual)
    for name, values in actual.items():
        assert_allclose(values, expected[name], rtol=0, atol=WITHIN * max(1, np.abs(expected[name]).max()), err_msg=name)


def test_a_humanoid_on_quaternions_moves_as_the_simulation(tmp_path):
    system, state = humanoid()
    assert_moves_as_the_simulation(system, state, tmp_path, until=1.0)


@pytest.mark.slow
def test_a_tree_of_every_mobilizer_under_every_force_moves_as_the_simulation(tmp_path):
    mechanism = random_mechanism(42)
    state = mechanism.random_state(np.random.default_rng(5))
    state.time = 0.0
    assert_moves_as_the_simulation(mechanism.system, state, tmp_path, until=0.1)
