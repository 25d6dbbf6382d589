"""The forces of Simbody's cases without their mobilizers: free bodies at the poses and velocities of the file."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.spatial import to_quaternion
from tests.reference.cases import read_cases
from tests.reference.models import FORCES, Model

CASES = {case["name"]: case for case in read_cases(Path(__file__).parent / "data" / "forces.json")}
ON_BODIES = [
    "gravity_excluded",
    "uniform_gravity",
    "two_point_linear_spring",
    "two_point_linear_damper",
    "linear_bushing",
    "constant_force_torque",
]
# tolerance of velocities and energies in the data's README; the bushing's angles amplify round-off in poses by about 20
WITHIN = 1e-12


def on_free_bodies(case):
    system = mb.MultibodySystem(case["name"])
    matter = mb.MatterSubsystem(system)
    model = Model(system, matter, mb.ForceSubsystem(system), [matter.ground])
    for entry in case["model"]["bodies"][1:]:
        mass = mb.MassProperties(entry["mass"], entry["com"], entry["inertia_about_origin"])
        model.bodies.append(mb.Free(matter.ground, mass, name=entry["name"]))
    for entry in case["model"]["forces"]:
        model.forces.append(FORCES[entry["type"]](model, entry))
    return model


def at(model, entry):
    state = model.system.realize_topology()
    for body, motion in zip(model.bodies[1:], entry["outputs"]["bodies"][1:], strict=True):
        body.set_q(state, [*to_quaternion(motion["X_GB"]["R"]), *motion["X_GB"]["p"]])
        body.set_u(state, np.ravel(motion["V_GB"]))
    state.z = entry.get("z", [])
    model.system.realize(state, mb.Stage.ACCELERATION)
    return state


@pytest.mark.parametrize("name", ON_BODIES)
def test_body_forces_energies_and_rates_match_simbody(name):
    model = on_free_bodies(CASES[name])
    for entry in CASES[name]["states"]:
        state, outputs = at(model, entry), entry["outputs"]
        expected = np.array(outputs["applied_body_forces_G"]).reshape(-1, 6)

        assert_allclose(model.matter.body_forces(state), expected, rtol=0, atol=WITHIN * np.abs(expected).max())
        assert_allclose(state.z_dot, outputs.get("zdot", []), rtol=WITHIN)
        if name != "uniform_gravity":  # Simbody's energy of this force is wrong
            energies = [force.calc_potential_energy_contribution(state) for force in model.forces]
            assert_allclose(energies, outputs["pe_by_force"], rtol=WITHIN)


def test_the_energy_of_uniform_gravity_is_that_of_gravity():
    (entry,) = CASES["uniform_gravity"]["model"]["forces"]
    model = on_free_bodies(CASES["uniform_gravity"])
    gravity = mb.Gravity(model.force_subsystem, model.matter, vector=entry["g"], zero_height=entry["zero_height"])
    state = at(model, CASES["uniform_gravity"]["states"][0])
    assert_allclose(
        model.forces[0].calc_potential_energy_contribution(state), gravity.calc_potential_energy_contribution(state), rtol=1e-13
    )


def test_mobility_forces_and_their_energies_match_simbody():
    """Each coordinate on which a force of the file acts is represented by a Slider."""
    case = CASES["mobility_forces"]
    system = mb.MultibodySystem("sliders")
    matter = mb.MatterSubsystem(system)
    sliders, model = {}, Model(system, matter, mb.ForceSubsystem(system), [])
    for entry in case["model"]["forces"]:
        (key,) = entry.keys() & {"q_index", "u_index"}
        place = (entry["body"], entry[key])
        if place not in sliders:
            sliders[place] = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]))
        model.bodies = {entry["body"]: sliders[place]}
        model.forces.append(FORCES[entry["type"]](model, entry | {key: 0}))
    stops = set()
    for entry in case["states"]:
        state = system.realize_topology()
        for (body, index), slider in sliders.items():
            layout = case["model"]["bodies"][body]
            slider.set_q(state, entry["q"][layout["q_start"] + index])
            slider.set_u(state, entry["u"][layout["u_start"] + index])
        system.realize(state, mb.Stage.ACCELERATION)
        expected = [entry["outputs"]["applied_mobility_forces"][case["model"]["bodies"][b]["u_start"] + i] for b, i in sliders]
        assert_allclose(matter.mobility_forces(state), expected, rtol=0, atol=WITHIN * np.abs(expected).max())
        energies = [force.calc_potential_energy_contribution(state) for force in model.forces]
        assert_allclose(energies, entry["outputs"]["pe_by_force"], rtol=WITHIN)
        stops.add(np.sign(model.forces[3].calc_force_contribution(state)[1].sum()))
    assert len(stops) > 1  # both stops are reached
