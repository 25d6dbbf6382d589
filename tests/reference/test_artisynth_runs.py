"""mobod compared with runs of ArtiSynth, and tests of the comparison."""

import copy
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from mobod.maximal.simulation import Integrator, Stabilization
from tests.reference.artisynth_couplings import MAKERS, coupling_of
from tests.reference.artisynth_runs import GROUND, compare_run, read_run, simulation_of

DATA = Path(__file__).parent / "data" / "couplings"
RUNS = {path.stem: path for path in sorted(DATA.glob("*.json")) if read_run(path) is not None}


@pytest.mark.fast("two_wedge_40deg_in1_h0.01")
@pytest.mark.parametrize("name", RUNS)
def test_every_step_matches_artisynth(name):
    (run,) = read_run(RUNS[name])
    report = compare_run(run)

    assert report.trouble is None
    assert [each for each in report.compared if not each.error <= each.tolerance] == []
    assert len(report.compared) == 7


@pytest.fixture
def short():
    """The first steps of a run in which a limit is engaged."""
    (run,) = read_run(RUNS["two_wedge_40deg_in1_h0.01"])
    run["steps"] = run["steps"][:4]
    return copy.deepcopy(run)


@pytest.mark.parametrize(
    ("place", "key", "quantity", "amount"),
    [
        ("bodies", "p", "bodies", 1e-8),
        ("bodies", "v", "bodies", 1e-8),
        ("con", "coords", "coordinates", 1e-8),
        ("con", "velGD", "velocities of joints", 1e-8),
        ("con", "E", "engagement", 1),
        ("con", "cnt", "counters", 1),
        ("con", "mult", "multipliers", 1e-7),
        ("con", "dist", "distances", 1e-8),
    ],
)
def test_a_wrong_number_is_found(short, place, key, quantity, amount):
    assert compare_run(short).ok
    short["steps"][3][place][0][key][0] += amount

    assert [each.quantity for each in compare_run(short).compared if each.error > each.tolerance] == [quantity]


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({"coupling": "GearCoupling"}, "coupling GearCoupling"),
        ({"params": {"normals": [[0, 1], [1, 0]], "width": 3}}, "coupling TwoWedge with width"),
        ({"friction": 0.3}, "connector 'WedgeJoint' with friction"),
        ({"ranges": [[-1, 1], [-1e308, 1e308]]}, "connector 'WedgeJoint' with a range of coordinate 'x', which has no limit"),
        ({"flags": [11, 13, 13, 13, 2, 4]}, "TwoWedge with constraints [3, 5, 5, 5, 2, 4], which are [3, 5, 5, 5, 2, 2] here"),
        ({"compliance": [0.0] * 5}, "connector 'WedgeJoint': 5 compliance of TwoWedge, which has 6"),
        ({"compliance": [-1e-3, *[0.0] * 5]}, "connector 'WedgeJoint' with compliance -0.001 and damping 0.0"),
        ({"params": None}, "coupling TwoWedge without normals"),
        ({"locked": [0.3, False]}, "connector 'WedgeJoint' with locked [0.3, False], which are no booleans"),
        ({"locked": [True]}, "connector 'WedgeJoint': 1 locked of TwoWedge, which has 2"),
        ({"bodyB": "wall"}, "connector 'WedgeJoint' on body 'wall', which there is not"),
    ],
)
def test_an_unsupported_connector_is_named(short, change, trouble):
    short["connectors"][0] |= change

    assert compare_run(short).trouble == f"not in mobod yet: {trouble}"


@pytest.mark.parametrize(
    ("place", "change", "trouble"),
    [
        ((), {"friction": 0.3}, "not in mobod yet: a run with friction"),
        ((), {"flag_bits": {"BILATERAL": 2}}, "not in mobod yet: flag BILATERAL = 2"),
        ((), {"integrator": "Verlet"}, "InputError: MaximalCoordinateSimulation: integrator cannot be 'Verlet'."),
        ((), {"stabilization": "Local"}, "InputError: MaximalCoordinateSimulation: stabilization cannot be 'Local'."),
        ((), {"h": 0.02}, "not in mobod yet: a step at 0.01 s, which is no multiple of h = 0.02 s"),
        (("bodies", 0), {"inertialDamping": 2.0}, "not in mobod yet: body 'b' with inertialDamping"),
        (("bodies", 0), {"mass": -1.0}, "MassPropertiesError: "),
        (("steps", 1), {"energy": 2.0}, "not in mobod yet: a step with energy"),
        (("steps", 1, "con", 0), {"friction": 2.0}, "not in mobod yet: a connector in a step with friction"),
    ],
)
def test_unsupported_content_is_named(short, place, change, trouble):
    at = short
    for key in place:
        at = at[key]
    at |= change

    assert compare_run(short).trouble.startswith(trouble)


def test_missing_content_is_named(short):
    del short["steps"][2]["bodies"][0]["v"], short["rotaryDamping"]

    assert compare_run(short).trouble == "not in mobod yet: a run without rotaryDamping"
    short["rotaryDamping"] = 0.0
    assert compare_run(short).trouble == "not in mobod yet: a body in a step without v"


@pytest.mark.parametrize("stabilization", get_args(Stabilization))
@pytest.mark.parametrize("integrator", get_args(Integrator))
def test_a_file_with_any_integrator_and_stabilization_is_run(short, integrator, stabilization):
    report = compare_run(short | {"integrator": integrator, "stabilization": stabilization})

    assert report.trouble is None
    assert report.ok == (stabilization != "None")  # it starts beyond both limits, and only their correction moves it


def hanging(coupling, **changes):
    """A run without expected values: a damped body starts about 0.1 m and 0.1 rad from its joint's frame."""
    made = coupling_of(coupling, changes.get("params", {}), changes.pop("flags", []), exact_rates=False)
    c, s = np.cos(0.4), np.sin(0.4)
    n = len(made.constraints)
    body = {
        "name": "body",
        "dynamic": True,
        "mass": 1.3,
        "com": [0.1, -0.2, 0.3],
        "J_com": [[0.2, 0.01, 0], [0.01, 0.3, -0.02], [0, -0.02, 0.25]],
        "pose0": {"R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "p": [0.1, 0.2, -0.3]},
        "vel0": [0.0] * 6,
        "externalForce": [0.3, 0, 0.1, 0, 0.2, 0],
    }
    connector = {
        "type": "joint",
        "coupling": coupling,
        "bodyA": "body",
        "bodyB": GROUND,
        "TCA": {"R": np.eye(3).tolist(), "p": [0, 0, 0.1]},
        "TDB": {"R": [[c, -s, 0], [s, c, 0], [0, 0, 1]], "p": [0.12, 0.2, -0.22]},
        "penetrationTol": -1.0,
        "rotaryLimitTol": 1e-4,
        "compliance": [0.0] * n,
        "damping": [0.0] * n,
        "flags": [int(each.flags) for each in made.constraints],
        "ranges": [[-1e10, 1e10]] * len(made.coordinates),
    }
    at_start = {"coords": [0.0] * len(made.coordinates), "velGD": [0.0] * 6, "errC": [0.0] * 6, "E": [0] * n, "cnt": [0] * n}
    at_start |= {"mult": [0.0] * n, "dist": [0.0] * n}
    return {
        "name": coupling,
        "integrator": "ConstrainedBackwardEuler",
        "stabilization": "GlobalMass",
        "h": 0.01,
        "gravity": [0.5, 1.0, -9.8],
        "penetrationTol": 1e-4,
        "rotaryLimitTol": 1e-4,
        "frameDamping": 0.5,
        "rotaryDamping": 0.4,
        "bodies": [body],
        "connectors": [connector | changes],
        "steps": [{"t": 0.0, "bodies": [{"p": [0.1, 0.2, -0.3], "q": [1, 0, 0, 0], "v": [0.0] * 6}], "con": [at_start]}],
    }


PARAMETERS = {
    "TwoWedge": {"normals": [[0.0, 1.0], [0.8, 0.6]]},
    "Universal": {"axes": "XY", "skewAngle": 0.2},
    "Gimbal": {"axes": "XYZ"},
    "Spherical": {"maxTilt": 0.3},
    "Ellipsoid": {"A": 0.2, "B": 0.3, "C": 0.1, "alpha": 0.3, "openSim": True},
    "Ellipsoid3d": {"radii": [0.2, 0.3, 0.1]},
}
FLAGS = {"Planar(FullPlanar)": [0] * 6, "Plane": [2]}


@pytest.mark.fast(8)
@pytest.mark.parametrize("ground", ["A", "B"])
@pytest.mark.parametrize("name", sorted(MAKERS.keys() - {"SkewedUniversal"}))
def test_every_joint_holds_with_the_ground_on_either_side(name, ground):
    params = {"params": PARAMETERS[name]} if name in PARAMETERS else {}
    run = hanging(name, flags=FLAGS.get(name, []), **params)
    if ground == "A":
        connector = run["connectors"][0]
        connector["bodyA"], connector["bodyB"] = connector["bodyB"], connector["bodyA"]
        connector["TCA"], connector["TDB"] = connector["TDB"], connector["TCA"]
    simulation = simulation_of(run)
    (joint,) = simulation.joints
    simulation.run(until=0.3)

    bilateral = [each for each in joint.coupling.constraints if each.is_bilateral]
    errors = [each.wrench_G @ joint.errC for each in bilateral]
    speeds = [each.wrench_G @ joint.velGD for each in bilateral]
    assert np.abs(errors).max(initial=0) < 1e-3  # of second order in the motion of a step
    assert np.abs(speeds).max(initial=0) < 0.3  # speeds are some m/s, and are those at the start of the step
    assert np.isfinite(simulation.bodies[0].velocity).all()


def test_angles_continue_from_the_stored_values():
    """An angle of more than three half turns, with limits in this range."""
    run = hanging("HingeCoupling", ranges=[[4 * np.pi, 5 * np.pi]])
    turned = 4 * np.pi - 0.4
    run["steps"][0]["con"][0]["coords"] = [turned]
    (joint,) = simulation_of(run).joints

    assert joint.coupling.coordinate(0).value == pytest.approx(turned, abs=1e-12)


def test_a_locked_coordinate_keeps_the_value_of_the_file():
    run = hanging("Slider", locked=[True])
    simulation = simulation_of(run)
    z = simulation.joints[0].coupling.coordinate(0)
    before = z.value
    simulation.run(until=0.5)

    assert z.value == pytest.approx(before, abs=1e-9)
    assert abs(simulation.joints[0].coupling.constraint(5).multiplier) > 10  # its weight


def test_stabilization_by_stiffness_equals_that_by_mass_without_pose_dependent_forces():
    states = []
    for stabilization in ("GlobalMass", "GlobalStiffness", "None"):
        simulation = simulation_of(hanging("SlottedHinge", ranges=[[-0.02, 0.02], [-1e10, 1e10]]) | {"stabilization": stabilization})
        simulation.run(until=0.3)
        states.append(np.concatenate([simulation.bodies[0].pose, simulation.bodies[0].velocity]))

    assert np.array_equal(states[0], states[1])
    assert np.abs(states[0] - states[2]).max() > 1e-4


@pytest.mark.parametrize("name", ["Revolute", "RollPitch", "SphericalRpy"])
def test_wrenches_of_old_joints_are_dual_to_their_twists(name):
    coupling = coupling_of(name, {}, [], exact_rates=True)
    q = np.array([0.7, -0.4, 0.9])[: len(coupling.coordinates)]
    for coordinate, value in zip(coupling.coordinates, q, strict=True):
        coordinate.value = value
    T = coupling.coordinates_to_TCD(q)

    J = coupling.recorded.twists(q)
    W = coupling.recorded.rows(T, T, q, np.zeros(6), np.zeros(6))[0]
    limits = [coordinate.limit_constraint.index for coordinate in coupling.coordinates]

    assert np.allclose(coupling.TCD_to_coordinates(T), q, rtol=0, atol=1e-14)
    assert np.allclose(W[limits] @ J, np.eye(len(q)), rtol=0, atol=1e-13)
    bilateral = [each.index for each in coupling.constraints if each.is_bilateral]
    assert np.allclose(W[bilateral] @ J, 0, rtol=0, atol=1e-13)


def test_a_cylindrical_joint_of_a_run_turns_counter_clockwise_and_the_coupling_alone_clockwise():
    flags = [int(each.flags) for each in coupling_of("Cylindrical", {}, [], exact_rates=False).constraints]
    run = hanging("Cylindrical", flags=flags)
    (of_coupling,) = simulation_of(run).joints
    run["connectors"][0]["type"] = "CylindricalJoint"
    (of_joint,) = simulation_of(run).joints

    assert of_coupling.coupling.clockwise
    assert not of_joint.coupling.clockwise
