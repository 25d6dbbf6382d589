"""The JSON of a scene places every body as mobod does."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.poses import poses
from tests.fmu.test_couplings import RackAndPinion
from tests.laws.mechanisms import random_frame, random_mass, random_mechanism


def values_of(system, state):
    """Name of each variable -> its value in a State, as results name them."""
    variables = [each for each in system.variables(state) if each.role in ("state", "parameter")]
    pairs = [(name, state.values[each.slot.offset + i]) for each in variables for i, name in enumerate(each.entry_names())]
    return {name: float(value) for name, value in pairs}


def assert_places_bodies(system, matter, scene, state):
    system.realize(state, mb.Stage.POSITION)
    found = poses(scene, values_of(system, state))
    assert len(found) == matter.n_bodies
    for body in matter.bodies:
        X = body.X_GB(state)
        assert_allclose(found[body.index].R, X.R, rtol=0, atol=1e-14)
        assert_allclose(found[body.index].p, X.p, rtol=0, atol=1e-14 * max(1, np.abs(X.p).max()))  # deep trees are far from Ground


@pytest.mark.slow
@pytest.mark.parametrize("in_euler_angles", [False, True])
@pytest.mark.parametrize("seed", [3, 8])
def test_bodies_of_every_mobilizer_are_where_mobod_places_them(seed, in_euler_angles):
    mechanism = random_mechanism(seed, in_euler_angles=in_euler_angles)
    rng = np.random.default_rng(seed)
    scene = json.loads(make_scene(mechanism.system, mechanism.system.realize_topology()).to_json())
    assert_places_bodies(mechanism.system, mechanism.matter, scene, mechanism.random_state(rng))


def test_values_that_are_missing_are_those_of_the_state_of_the_scene():
    mechanism = random_mechanism(5, n_bodies=6)
    state = mechanism.random_state(np.random.default_rng(5))
    mechanism.system.realize(state, mb.Stage.POSITION)
    found = poses(json.loads(make_scene(mechanism.system, state).to_json()))
    body = mechanism.matter.bodies[-1]
    assert found[body.index].isclose(body.X_GB(state), atol=1e-14)


def test_frames_and_parameters_of_a_state_are_in_the_scene():
    """Frames are those of the State that the scene is of; a parameter is a value that a result file may change."""
    rng = np.random.default_rng(7)
    system = mb.MultibodySystem("screw")
    matter = mb.MatterSubsystem(system)
    screw = mb.Screw(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), pitch=0.2, name="screw", reversed=True)
    state = system.realize_topology()
    screw.set_q(state, 0.7)
    screw.set_inboard_frame(state, random_frame(rng))
    scene = json.loads(make_scene(system, state).to_json())
    screw.set_parameter(state, "pitch", -0.4)
    assert_places_bodies(system, matter, scene, state)
    assert scene["bodies"][1]["parameters"] == [{"variable": "screw.pitch", "start": 0.2}]


def test_coupling_joints_are_placed():
    rng = np.random.default_rng(2)
    system = mb.MultibodySystem("couplings")
    matter = mb.MatterSubsystem(system)
    upper = mb.CouplingJoint(mb.UniversalCoupling(), random_mass(rng), matter.ground, X_AC=random_frame(rng), X_BD=random_frame(rng))
    mb.CouplingJoint(RackAndPinion(0.2), upper, random_mass(rng), X_AC=random_frame(rng), X_BD=random_frame(rng))
    state = system.realize_topology()
    scene = json.loads(make_scene(system, state).to_json())
    state.q = rng.uniform(-0.6, 0.6, size=len(state.q))
    assert_places_bodies(system, matter, scene, state)


def test_a_joint_with_splines_is_placed():
    knots = np.linspace(-2, 2, 9)
    spline = mb.functions.Spline.fit(knots, np.sin(knots))
    system = mb.MultibodySystem("knee")
    matter = mb.MatterSubsystem(system)
    fixed = mb.functions.Constant(0.1)
    six = [fixed, fixed, mb.functions.Linear([1.0, 0.0]), spline, fixed, spline]
    mb.FunctionBased(matter.ground, random_mass(np.random.default_rng(1)), functions=six, coordinate_indices=[[], [], [0], [0], [], [0]])
    state = system.realize_topology()
    scene = json.loads(make_scene(system, state).to_json())
    for q in (-3.0, -1.3, 0.0, 2.6):  # beyond the ends too
        state.q = [q]
        assert_places_bodies(system, matter, scene, state)


def test_an_array_gives_the_entry_of_a_quantity():
    """As the results of an FMU of FMI 3.0 do."""
    system = mb.MultibodySystem("free")
    matter = mb.MatterSubsystem(system)
    free = mb.Translation(matter.ground, random_mass(np.random.default_rng(1)), name="free")
    state = system.realize_topology()
    names = {offset: ("free.q", i) for i, offset in enumerate(matter.tree(state.layout).q(free).offsets)}
    scene = json.loads(make_scene(system, state, names).to_json())
    assert_allclose(poses(scene, {"free.q": [0.1, 0.2, 0.3]})[1].p, [0.1, 0.2, 0.3])
