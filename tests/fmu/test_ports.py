"""FMUs with ports and input motions: driven by a master, compiled and interpreted."""

import ctypes
from functools import cache

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import errors
from mobod.cosim import FmuFile
from mobod.spatial import rotation_about
from tests.fmu.stepped import start

FRAME = mb.Transform(rotation_about([1, -2, 0.5], 0.9), [0.2, -0.7, 0.1])
MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))
MOTION = ["tip.p_GF", "tip.quaternion_GF", "tip.w_GF", "tip.v_GF", "tip.alpha_GF", "tip.a_GF"]
STEP, STEPS = 0.05, 8


def arm():
    """A gimbal and a pin, with a port on the second body."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
    shoulder = mb.Gimbal(matter.ground, MASS, name="shoulder")
    mb.Pin(shoulder, MASS, X_PF=FRAME, name="elbow")
    mb.Port(matter.body("elbow"), FRAME, name="tip")
    state = system.realize_topology()
    state.q, state.u = [0.3, -0.4, 0.5, 0.9], [0.7, -0.2, 0.4, 1.1]
    return system, state


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder, (system, state) = tmp_path_factory.mktemp("ports"), arm()
    options = {"name": "arm", "inputs": ["tip.torque", "tip.force"], "outputs": MOTION, "state": state}
    return {code: FmuFile(mb.export_fmu(system, folder / f"{code}.fmu", code=code, **options)) for code in ("compiled", "interpreted")}


@pytest.fixture(params=["compiled", "interpreted"])
def fmu(request, fmus):
    return fmus[request.param]


def wrench(k):
    """N m, N: during communication step k."""
    return np.array([0.3 * k, -0.2, 0.1 * k**2]), np.array([1.5 - k, 0.4 * k, 0.7])


def entries(name, n):
    return [f"{name}[{i + 1}]" for i in range(n)]


def vector(instance, name, n=3):
    return np.array([instance.get(entry) for entry in entries(name, n)])


def derivatives(instance, fmu, unknowns, known):
    """Of these variables along an input."""
    references = [fmu.variables[name].valueReference for name in unknowns]
    change, n = (ctypes.c_double * len(references))(), len(references)
    along = (ctypes.c_uint * 1)(fmu.variables[known].valueReference)
    instance.call("fmi2GetDirectionalDerivative", (ctypes.c_uint * n)(*references), n, along, 1, (ctypes.c_double * 1)(1.0), change)
    return list(change)


@pytest.mark.slow
def test_a_master_pushes_at_a_port_and_reads_its_motion(fmu):
    system, state = arm()
    (tip,) = (force for force in system.subsystems[-1].elements if isinstance(force, mb.Port))
    with start(fmu) as instance:
        for k in range(STEPS):
            torque, force = wrench(k)
            instance.set(dict(zip([*entries("tip.torque", 3), *entries("tip.force", 3)], [*torque, *force], strict=True)))
            instance.step(k * STEP, STEP)
            tip.set_torque(state, torque).set_force(state, force)
            state = mb.Simulation(system, accuracy=1e-11).run(state, until=(k + 1) * STEP).final_state
        system.realize(state)
        for name in MOTION:
            expected = system.value(state, name)
            # the FMU's tolerance is 1e-10; accelerations are some hundred times as large as coordinates
            assert_allclose(vector(instance, name, len(expected)), expected, atol=1e-7, err_msg=name)
    assert np.abs(tip.A_GF(state)).min() > 1e-2


@pytest.mark.fast(1)
def test_a_port_is_zero_unless_it_is_driven_and_the_fmu_is_valid(fmu):
    assert not validate_fmu(str(fmu.path))
    description = fmpy.read_model_description(str(fmu.path))
    inputs = {variable.name: (variable.start, variable.unit) for variable in description.modelVariables if variable.causality == "input"}
    assert inputs == dict.fromkeys(entries("tip.torque", 3), ("0.0", "N.m")) | dict.fromkeys(entries("tip.force", 3), ("0.0", "N"))
    # positions and velocities do not depend directly on what a master sets: no false loop
    known = {unknown.variable.name: {each.name for each in unknown.dependencies} for unknown in description.outputs}
    for name, n in (("tip.p_GF", 3), ("tip.quaternion_GF", 4), ("tip.w_GF", 3), ("tip.v_GF", 3)):
        assert all(not known[entry] & inputs.keys() for entry in entries(name, n))
    assert all(known[entry] > inputs.keys() for entry in entries("tip.a_GF", 3))


def test_the_derivatives_of_a_ports_motion_by_its_forces_are_exact(fmu):
    system, state = arm()
    unknown = [*entries("tip.alpha_GF", 3), *entries("tip.a_GF", 3)]
    columns, expected = [], []
    with start(fmu) as instance:
        for name in ("tip.torque", "tip.force"):
            for i in range(3):
                columns.append(derivatives(instance, fmu, unknown, f"{name}[{i + 1}]"))
                exact = system.directional_derivative(state, ["tip.alpha_GF", "tip.a_GF"], {name: np.eye(3)[i]})
                expected.append([*exact["tip.alpha_GF"], *exact["tip.a_GF"]])
    assert_allclose(columns, expected, rtol=1e-12, atol=1e-12)
    assert_allclose(columns, np.transpose(columns), atol=1e-12)  # a mobility is symmetric


def test_compiled_and_interpreted_ports_give_the_same_bits(fmus):
    results = []
    for fmu in fmus.values():
        with start(fmu) as instance:
            instance.set({"tip.force[2]": 1.3})
            instance.step(0.0, 0.2)
            results.append([vector(instance, name) for name in MOTION])
    assert_array_equal(*results)


# the other side of a cut: a body that follows the master, with a pendulum on it
FOLLOWED = ["carrier.motion.q", "carrier.motion.u", "carrier.motion.u_dot"]
READ = ["carrier.motion.load", "rod.p_GB", "rod.v_GB", "carrier.p_GB"]


def follower():
    system = mb.MultibodySystem("follower")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
    carrier = mb.Free(matter.ground, mb.MassProperties(0, [0, 0, 0], np.zeros((3, 3))), name="carrier")
    mb.Pin(carrier, MASS, X_PF=FRAME, name="rod")
    mb.InputMotion(carrier, q=[1, 0, 0, 0, 0.1, 0.2, 0.3])
    state = system.realize_topology()
    matter.body("rod").set_q(state, 0.9)
    return system, state


@pytest.fixture(scope="module")
def followers(tmp_path_factory):
    folder, (system, state) = tmp_path_factory.mktemp("followers"), follower()
    options = {"name": "follower", "inputs": FOLLOWED, "outputs": READ, "state": state}
    return cache(lambda code: FmuFile(mb.export_fmu(system, folder / f"{code}.fmu", code=code, **options)))


def motion(k):
    """q, u, u_dot during communication step k."""
    rng = np.random.default_rng([7, k])
    return np.array([1, 0.1 * k, -0.2, 0.3, 0.1, 0.2 + 0.03 * k, 0.3]), rng.normal(size=6), rng.normal(size=6)


@pytest.mark.slow
@pytest.mark.parametrize("code", [pytest.param("compiled", marks=pytest.mark.slow), "interpreted"])
def test_a_master_moves_a_body_and_reads_its_load(followers, code):
    assert not validate_fmu(str(followers(code).path))
    system, state = follower()
    moved = system.matter.body("carrier").motion
    names = [entry for name, n in zip(FOLLOWED, (7, 6, 6), strict=True) for entry in entries(name, n)]
    with start(followers(code)) as instance:
        for k in range(STEPS):
            q, u, u_dot = motion(k)
            instance.set(dict(zip(names, [*q, *u, *u_dot], strict=True)))
            moved.set_q(state, q).set_u(state, u).set_u_dot(state, u_dot)
            system.realize(state)
            # what is read after inputs were set belongs to them; the FMU's tolerance is 1e-10
            for name in READ:
                expected = system.value(state, name)
                assert_allclose(vector(instance, name, len(expected)), expected, atol=1e-8 * max(1, np.abs(expected).max()), err_msg=name)
            instance.step(k * STEP, STEP)
            state = mb.Simulation(system, accuracy=1e-11).run(state, until=(k + 1) * STEP).final_state
    system.realize(state)
    assert np.abs(moved.load(state)).min() > 1e-3


def test_the_derivatives_of_a_load_by_the_motion_are_exact(followers):
    system, state = follower()
    fmu = followers("interpreted")
    with start(fmu) as instance:
        for name, n in zip(FOLLOWED, (7, 6, 6), strict=True):
            for i in range(n):
                change = derivatives(instance, fmu, entries("carrier.motion.load", 6), f"{name}[{i + 1}]")
                exact = system.directional_derivative(state, ["carrier.motion.load"], {name: np.eye(n)[i]})["carrier.motion.load"]
                assert_allclose(change, exact, rtol=1e-11, atol=1e-11, err_msg=f"{name}[{i}]")


@pytest.mark.slow
def test_compiled_and_interpreted_followers_give_the_same_bits(followers):
    results = []
    for fmu in map(followers, ("compiled", "interpreted")):
        with start(fmu) as instance:
            instance.set({"carrier.motion.u_dot[5]": 1.3, "carrier.motion.q[6]": -0.4})
            instance.step(0.0, 0.2)
            results.append([vector(instance, name) for name in READ])
    assert_array_equal(*results)


def test_vectors_of_ports_and_motions_are_connected_entry_by_entry(fmus, followers):
    network = mb.Network()
    network.add(fmus["interpreted"].path, "arm")
    network.add(followers("interpreted").path, "follower")
    with pytest.raises(errors.ConnectionError, match="they have 3 and 6 entries"):
        network.connect_vectors("arm.tip.p_GF", "follower.carrier.motion.u")
    with pytest.raises(errors.UnknownNameError, match=r"Did you mean 'tip\.p_GF'"):
        network.connect_vectors("arm.tip.p_G", "arm.tip.force")
    with pytest.raises(errors.ConnectionError, match="their units are 'm' "):
        network.connect_vectors("arm.tip.p_GF", "arm.tip.force")
    assert not network.connections
