"""Ports: the motion of a frame in Ground, and what a force and a torque on it do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError
from mobod.forces.port_equations import unit_quaternion
from mobod.scalar.recording import record
from mobod.spatial import from_quaternion, rotation_about, to_quaternion
from mobod.spatial.rotation import quaternion_N
from tests.equivalence.same_in_c import same_in_c
from tests.laws.mechanisms import random_frame, random_mass


class Chain:
    """Free, Gimbal and Pin in a chain with general frames, and a port on the last body."""

    def __init__(self):
        rng = np.random.default_rng(3)
        self.system = mb.MultibodySystem("chain")
        self.matter = mb.MatterSubsystem(self.system)
        self.forces = mb.ForceSubsystem(self.system)
        mb.Gravity(self.forces, self.matter, down=[0.2, -1, 0.1], magnitude=9.8)
        body = self.matter.ground
        for kind, name in ((mb.Free, "hull"), (mb.Gimbal, "arm"), (mb.Pin, "hand")):
            body = kind(body, random_mass(rng), random_frame(rng), random_frame(rng), name=name)
        self.hand, self.frame = body, random_frame(rng)

    def state(self):
        rng = np.random.default_rng(8)
        state = self.system.realize_topology()
        state.q, state.u = 0.7 * rng.normal(size=len(state.q)), rng.normal(size=len(state.u))
        return state


@pytest.fixture
def chain():
    return Chain()


def test_the_motion_of_a_port_is_that_of_its_frame(chain):
    port = mb.Port(chain.hand, chain.frame, name="tip")
    state = chain.state()
    chain.system.realize(state, Stage.ACCELERATION)
    X_GF = chain.hand.X_GB(state) @ chain.frame
    assert port.X_GF(state).isclose(X_GF)
    assert_allclose(port.p_GF(state), X_GF.p, atol=1e-14)
    assert_allclose(port.quaternion_GF(state), to_quaternion(X_GF.R), atol=1e-14)

    rates = {f"{name}.q": chain.system.value(state, f"der({name}.q)") for name in ("hull", "arm", "hand")}
    change = chain.system.directional_derivative(state, ["tip.p_GF", "tip.quaternion_GF"], rates)
    V_GF = port.V_GF(state)
    assert_allclose(V_GF[3:], change["tip.p_GF"], atol=1e-13)
    assert_allclose(quaternion_N(port.quaternion_GF(state)) @ V_GF[:3], change["tip.quaternion_GF"], atol=1e-13)

    rates |= {f"{name}.u": chain.system.value(state, f"der({name}.u)") for name in ("hull", "arm", "hand")}
    change = chain.system.directional_derivative(state, ["tip.w_GF", "tip.v_GF"], rates)
    # round-off of accelerations of some hundred m/s^2
    assert_allclose(port.A_GF(state), [*change["tip.w_GF"], *change["tip.v_GF"]], atol=1e-11)
    named = ("w_GF", "v_GF", "alpha_GF", "a_GF")
    assert_array_equal(np.concatenate([chain.system.value(state, f"tip.{name}") for name in named]), [*V_GF, *port.A_GF(state)])


def test_force_and_torque_at_a_port_do_what_a_constant_force_and_torque_do():
    chain, twin = Chain(), Chain()
    torque, force = np.array([0.7, -1.3, 2.1]), np.array([3.1, 0.4, -1.9])
    port = mb.Port(chain.hand, chain.frame, name="tip")
    mb.ConstantForce(twin.forces, twin.hand, twin.frame.p, force)
    mb.ConstantTorque(twin.forces, twin.hand, torque)
    state, other = chain.state(), twin.state()
    assert port.set_torque(state, torque).set_force(state, force) is port
    chain.system.realize(state, Stage.ACCELERATION)
    twin.system.realize(other, Stage.ACCELERATION)

    assert_allclose(chain.matter.body_forces(state), twin.matter.body_forces(other), atol=1e-14)
    assert_allclose(state.u_dot, other.u_dot, atol=1e-13 * np.abs(other.u_dot).max())
    port.disable(state)
    chain.system.realize(state, Stage.ACCELERATION)
    assert np.abs(state.u_dot - other.u_dot).max() > 1.0


def test_the_power_through_a_port_is_the_rate_of_the_energy(chain):
    port = mb.Port(chain.hand, chain.frame, torque=[0.7, -1.3, 2.1], force=[3.1, 0.4, -1.9], name="tip")
    state = chain.state()
    chain.system.realize(state, Stage.ACCELERATION)
    rates = {f"{name}.{of}": chain.system.value(state, f"der({name}.{of})") for name in ("hull", "arm", "hand") for of in "qu"}
    power = np.concatenate([port.torque(state), port.force(state)]) @ port.V_GF(state)

    assert abs(power) > 1.0
    assert_allclose(chain.system.directional_derivative(state, ["energy"], rates)["energy"], power, rtol=1e-11)
    assert port.calc_potential_energy_contribution(state) == port.calc_power_dissipation_contribution(state) == 0

    port.disable(state)
    chain.system.realize(state, Stage.ACCELERATION)
    rates = {name: chain.system.value(state, f"der({name})") for name in rates}
    assert_allclose(chain.system.directional_derivative(state, ["energy"], rates)["energy"], 0, atol=1e-11 * np.abs(state.u_dot).max())


def test_accelerations_of_one_port_by_forces_at_another_are_symmetric(chain):
    """The derivative of the motion at port A by the forces at port B is the transpose of that at B by those at A (Maxwell, Betti)."""
    mb.Port(chain.hand, chain.frame, name="A")
    mb.Port(chain.matter.body("hull"), name="B")
    state = chain.state()

    def compliance(of, along):
        columns = []
        for what in ("torque", "force"):
            for direction in np.eye(3):
                change = chain.system.directional_derivative(state, [f"{of}.alpha_GF", f"{of}.a_GF"], {f"{along}.{what}": direction})
                columns.append(np.concatenate([change[f"{of}.alpha_GF"], change[f"{of}.a_GF"]]))
        return np.transpose(columns)

    cross = compliance("A", "B")
    assert np.abs(cross).min() > 1e-3
    assert_allclose(cross, compliance("B", "A").T, atol=1e-12 * np.abs(cross).max())
    assert (np.linalg.eigvalsh(compliance("A", "A")) > 0).all()


def test_the_frame_of_a_port_can_be_set(chain):
    port = mb.Port(chain.hand, name="tip")
    state = chain.state()
    chain.system.realize(state, Stage.POSITION)
    assert port.default_frame.isclose(mb.Transform(), atol=0)
    assert_allclose(port.p_GF(state), chain.hand.X_GB(state).p, atol=1e-14)

    assert port.set_frame(state, chain.frame) is port
    assert state.stage < Stage.INSTANCE
    chain.system.realize(state, Stage.POSITION)
    assert port.X_BF(state).isclose(chain.frame, atol=0)
    assert_allclose(port.p_GF(state), (chain.hand.X_GB(state) @ chain.frame).p, atol=1e-14)

    port.set_default_frame(chain.frame)
    assert port.X_BF(chain.system.realize_topology()).isclose(chain.frame, atol=0)
    for give in (lambda: port.set_default_frame([1, 2, 3]), lambda: port.set_frame(chain.state(), None)):
        with pytest.raises(InputError, match="'tip': frame is a Transform, not "):
            give()
    with pytest.raises(InputError, match="Port: frame is a Transform, not list"):
        mb.Port(chain.hand, [1, 2, 3])


def test_a_port_belongs_to_the_first_force_subsystem_or_makes_one(chain):
    second = mb.ForceSubsystem(chain.system, "others")
    assert mb.Port(chain.hand).forces is chain.forces
    assert mb.Port(chain.hand, forces=second).forces is second

    system = mb.MultibodySystem()
    ground = mb.MatterSubsystem(system).ground
    ports = [mb.Port(ground), mb.Port(ground)]
    assert [port.name for port in ports] == ["port1", "port2"]
    assert ports[0].forces is ports[1].forces
    assert ports[0].forces.name == "ports"


def test_a_port_of_what_is_no_body_is_refused(chain):
    with pytest.raises(InputError, match=r"Port: it is fixed on a mobilized body or on matter\.ground, not on "):
        mb.Port("hand")
    with pytest.raises(InputError, match="Port: body 'hand' belongs to System 'chain'"):
        mb.Port(chain.hand, forces=mb.ForceSubsystem(Chain().system, "others"))


def test_a_saved_port_has_its_frame_and_its_forces(chain, tmp_path):
    system = mb.MultibodySystem()
    body = mb.Free(mb.MatterSubsystem(system).ground, random_mass(np.random.default_rng(1)), name="hull")
    mb.Port(body, chain.frame, force=[1, 2, 3], name="tip")
    mb.Port(body, disabled=True, name="plain")
    mb.save_model(system, tmp_path / "model.json")
    (forces,) = (each for each in mb.load_model(tmp_path / "model.json").subsystems if isinstance(each, mb.ForceSubsystem))
    tip, plain = forces.elements
    assert forces.name == "ports"
    assert tip.default_frame.isclose(chain.frame, atol=0)
    assert_array_equal(tip.default_force, [1, 2, 3])
    assert plain.is_disabled_by_default
    assert plain.default_frame.isclose(mb.Transform(), atol=0)


def test_a_handler_can_push_at_a_port():
    """A stone of 2 kg: 1 N at first, 2 N from 0.5 s on, 3 N from 1 s on."""
    system = mb.MultibodySystem("stone")
    stone = mb.Free(mb.MatterSubsystem(system).ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.sphere(mass=2.0, radius=0.5)))
    port, push = mb.Port(stone, name="tip"), np.array([1.0, 0, 0])
    mb.PeriodicEventHandler.of(system, 0.5, lambda state, event: port.set_force(state, port.force(state) + push))
    results = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), until=1.5)
    assert_allclose(results["tip.p_GF"][-1], [0.875, 0, 0], atol=1e-9)  # the accuracy
    assert_allclose(results["tip.v_GF"][-1], [1.5, 0, 0], atol=1e-9)


QUATERNIONS = [
    *np.random.default_rng(5).normal(size=(8, 4)),
    [1.0, 0, 0, 0],
    [0, 1.0, 0, 0],
    [0, 0, -1.0, 0],
    [0, 0, 0, -1.0],
    [0, 0, 0.6, -0.8],
    [0.1, 0.9, 0.2, 0.3],
    [-0.1, 0.2, 0.9, 0.3],
]


def test_the_quaternion_is_that_of_to_quaternion_in_c_too():
    rotations = [from_quaternion(np.array(e)) for e in QUATERNIONS] + [rotation_about([1, 2, 3], np.pi - 1e-9)]
    for R in rotations:
        assert_allclose(unit_quaternion(R), to_quaternion(R), atol=1e-15)
    recording = record(unit_quaternion, [np.full((3, 3), np.nan)], about="quaternion")
    assert same_in_c({"unit_quaternion": (recording, [[R] for R in rotations])})
