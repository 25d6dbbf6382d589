"""LinearBushing: coordinates and forces compared with the rotations of spatial/, the singularity, the dissipated energy in runs and
FMUs.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, SingularMechanismError, StageError
from mobod.spatial import from_body_xyz, rotation_about, to_body_xyz, to_quaternion

MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.box(mass=1.3, size=[0.3, 0.5, 0.4]).shifted([0.1, -0.2, 0.3]))
STIFFNESS, DAMPING = np.array([11.0, 12.0, 13.0, 140.0, 150.0, 160.0]), np.array([0.6, 0.5, 0.4, 1.3, 1.2, 1.1])
X_B1F = mb.Transform(rotation_about([0.3, 1, -0.5], 0.7), [0.3, -0.2, 0.5])
X_B2M = mb.Transform(rotation_about([-1, 0.4, 0.2], 1.2), [-0.4, 0.1, 0.25])


def pair():
    """Two free bodies with tilted mobilizer frames, and the forces."""
    system = mb.MultibodySystem("pair")
    matter = mb.MatterSubsystem(system)
    tilted = mb.Transform(rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
    mb.Free(matter.ground, MASS, X_BM=tilted, name="one")
    mb.Free(matter.ground, MASS, X_BM=tilted, name="two")
    return mb.ForceSubsystem(system)


def bushing_between(forces, body1, body2, **more):
    matter = forces.system.matter
    options = {"stiffness": STIFFNESS, "damping": DAMPING, "X_B1F": X_B1F, "X_B2M": X_B2M, "name": "bushing", **more}
    return mb.LinearBushing(forces, matter.body(body1), matter.body(body2), **options)


def placed(bushing, q, seed=3, stage=Stage.ACCELERATION):
    """A State with random body 1, body 2 at the bushing coordinates q, and both with random velocities."""
    rng = np.random.default_rng(seed)
    system = bushing.forces.system
    state = system.realize_topology()
    state.q, state.u = rng.normal(size=14), rng.normal(size=12)
    system.realize(state, Stage.POSITION)
    X_GM = bushing.X_GF(state) @ mb.Transform(from_body_xyz(q[:3]), q[3:])
    X_GB = X_GM @ bushing.frame_on_body2(state).inverse()
    X = X_GB @ bushing.body2.X_BM
    bushing.body2.set_q(state, [*to_quaternion(X.R), *X.p])
    system.realize(state, stage)
    return state


Q = np.array([2.3, -1.1, -2.9, 0.3, -0.2, 0.5])


@pytest.fixture
def bushing():
    return bushing_between(pair(), "one", "two")


def test_coordinates_are_the_body_fixed_angles_and_the_position_of_m_in_f(bushing):
    state = placed(bushing, Q)
    assert_allclose(bushing.q(state), Q, atol=1e-14)
    X_FM = bushing.X_FM(state)
    assert_allclose(bushing.q(state), [*to_body_xyz(X_FM.R), *X_FM.p], atol=1e-14)


def test_bushing_coordinate_rates_are_derivatives(bushing):
    """Central differences: the truncation is h^2, the round-off 1e-16/h."""
    state, h = placed(bushing, Q), 1e-5
    ends = []
    for sign in (1, -1):
        moved = state.copy()
        moved.q = state.q + sign * h * state.q_dot
        bushing.forces.system.realize(moved, Stage.POSITION)
        ends.append((bushing.q(moved), bushing.X_FM(moved)))
    assert_allclose(bushing.q_dot(state), (ends[0][0] - ends[1][0]) / (2 * h), atol=1e-8)
    W = (ends[0][1].R - ends[1][1].R) / (2 * h) @ bushing.X_FM(state).R.T
    v = (ends[0][1].p - ends[1][1].p) / (2 * h)
    assert_allclose(bushing.V_FM(state), [W[2, 1], W[0, 2], W[1, 0], *v], atol=1e-8)


def test_forces_along_the_coordinates_are_linear_and_do_the_work_of_the_wrenches(bushing):
    state = placed(bushing, Q)
    f, q_dot = bushing.f(state), bushing.q_dot(state)
    assert_allclose(f, -(STIFFNESS * Q + DAMPING * q_dot), rtol=1e-12)
    assert_allclose(bushing.potential_energy(state), STIFFNESS @ Q**2 / 2, rtol=1e-13)
    assert_allclose(bushing.power_dissipation(state), DAMPING @ q_dot**2, rtol=1e-13)

    F_B, _ = bushing.calc_force_contribution(state)
    power = sum(F_B[body.index] @ body.V_GB(state) for body in (bushing.body1, bushing.body2))
    assert_allclose(power, f @ q_dot, rtol=1e-12)
    for body, F, p in (
        (bushing.body2, bushing.F_GM(state), bushing.X_GM(state).p),
        (bushing.body1, bushing.F_GF(state), bushing.X_GF(state).p),
    ):
        arm = p - body.X_GB(state).p
        assert_allclose(F_B[body.index], [*(F[:3] + np.cross(arm, F[3:])), *F[3:]], atol=1e-12)


@pytest.mark.parametrize("ends", [("one", "ground"), ("ground", "two")])
def test_either_body_may_be_ground(ends):
    forces = pair()
    bushing = bushing_between(forces, *ends)
    rng = np.random.default_rng(8)
    state = forces.system.realize_topology()
    state.q, state.u = rng.normal(size=14), rng.normal(size=12)
    forces.system.realize(state)
    X_FM = bushing.X_FM(state)
    assert_allclose(bushing.q(state), [*to_body_xyz(X_FM.R), *X_FM.p], atol=1e-13)
    F_B, _ = bushing.calc_force_contribution(state)
    power = sum(F_B[body.index] @ body.V_GB(state) for body in (bushing.body1, bushing.body2))
    assert_allclose(power, bushing.f(state) @ bushing.q_dot(state), rtol=1e-11)


def test_frames_are_settable_in_a_state_and_as_defaults(bushing):
    system, frame = bushing.forces.system, mb.Transform(rotation_about([1, 1, 0], 0.3), [1, 2, 3])
    state = system.realize_topology()
    system.realize(state)
    assert bushing.set_frame_on_body1(state, frame).set_frame_on_body2(state, frame) is bushing
    assert state.stage == Stage.MODEL
    system.realize(state)
    assert bushing.frame_on_body1(state).isclose(frame)
    assert bushing.X_GM(state).isclose(bushing.body2.X_GB(state) @ frame)
    assert bushing.default_frame_on_body1 is X_B1F
    assert bushing.set_default_frame_on_body1(frame).set_default_frame_on_body2(frame) is bushing
    assert bushing.frame_on_body2(system.realize_topology()).isclose(frame)
    with pytest.raises(InputError, match="'bushing': X_B1F is a Transform, not list"):
        bushing.set_frame_on_body1(system.realize_topology(), [0, 0, 0])


def test_one_number_sets_all_six():
    bushing = bushing_between(pair(), "one", "two", stiffness=7.0, damping=0)
    assert_array_equal(bushing.default_stiffness, np.full(6, 7.0))
    assert_array_equal(bushing.default_damping, np.zeros(6))


def test_a_quantity_before_its_stage_is_refused(bushing):
    state = bushing.forces.system.realize_topology()
    for use, stage in ((bushing.q, "POSITION"), (bushing.q_dot, "VELOCITY"), (bushing.f, "DYNAMICS"), (bushing.V_FM, "VELOCITY")):
        with pytest.raises(StageError, match=stage):
            use(state)


def test_invalid_bushings_are_refused():
    forces = pair()
    for more, message in (
        ({"stiffness": [1, 2, 3]}, r"'bushing\.stiffness' has shape \(6,\), but"),
        ({"damping": -0.5}, r"'bushing\.damping' cannot be .*the least value is 0"),
        ({"X_B2M": np.eye(4)}, "'bushing': X_B2M is a Transform, not ndarray. Write Transform"),
    ):
        with pytest.raises(InputError, match=message):
            bushing_between(forces, "one", "two", **more)
    with pytest.raises(InputError, match="LinearBushing: both ends are on body 'one'"):
        bushing_between(forces, "one", "one")
    assert forces.elements == []


# the singularity


@pytest.mark.parametrize("angle", [np.pi / 2, -np.pi / 2])
def test_at_the_singularity_an_error_explains_it(bushing, angle):
    message = r"'bushing' \(LinearBushing\) is not finite .* second angle is -?90 degrees.* frames F and M"
    with pytest.raises(SingularMechanismError, match=message):
        placed(bushing, [0.4, angle, 0.3, 0.1, 0.2, 0.3])
    state = placed(bushing, [0.4, angle, 0.3, 0.1, 0.2, 0.3], stage=Stage.VELOCITY)
    with pytest.raises(SingularMechanismError, match=r"the rates of the angles of 'bushing' are not finite.*second angle"):
        bushing.q_dot(state)
    bushing.disable(state)
    bushing.forces.system.realize(state)
    assert not bushing.calc_force_contribution(state)[0].any()


@pytest.mark.parametrize("angle", [np.pi / 2, -np.pi / 2])
def test_a_bushing_without_stiffness_of_its_angles_goes_through_the_singularity(angle):
    bushing = bushing_between(pair(), "one", "two", stiffness=[0, 0, 0, 140, 150, 160], damping=[0, 0, 0, 1.3, 1.2, 1.1])
    q = np.array([0.4, angle, 0.3, 0.1, 0.2, 0.3])
    state = placed(bushing, q)
    v = bushing.V_FM(state)[3:]
    expected = -([140, 150, 160] * q[3:] + [1.3, 1.2, 1.1] * v)
    assert_allclose(bushing.F_GM(state), [0, 0, 0, *(bushing.X_GF(state).R @ expected)], atol=1e-12)
    assert_allclose(bushing.power_dissipation(state), [1.3, 1.2, 1.1] @ v**2, rtol=1e-12)


def test_near_the_singularity_results_are_accurate(bushing):
    """1e-5 rad from the singularity the rates are 1e5 times the velocities, and lose five digits."""
    q = np.array([0.4, np.pi / 2 - 1e-5, 0.3, 0.1, 0.2, 0.3])
    state = placed(bushing, q)
    assert_allclose(bushing.q(state), q, atol=1e-10)
    F_B, _ = bushing.calc_force_contribution(state)
    power = sum(F_B[body.index] @ body.V_GB(state) for body in (bushing.body1, bushing.body2))
    assert_allclose(power, bushing.f(state) @ bushing.q_dot(state), rtol=1e-9)


# the energy that it takes, in time


def hanging():
    """A body that hangs on a bushing in gravity; only the bushing dissipates energy."""
    system = mb.MultibodySystem("mount")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], name="gravity")
    engine = mb.Free(matter.ground, MASS, name="engine")
    mb.LinearBushing(
        forces, matter.ground, engine, X_B2M=mb.Transform(p=[0.1, 0.05, -0.1]), stiffness=STIFFNESS, damping=DAMPING, name="bushing"
    )
    state = system.realize_topology()
    engine.set_u(state, [0.5, -0.4, 0.3, 0.2, 0.6, -0.3])
    return system, forces.elements[1], state


def test_the_dissipated_energy_is_the_loss_of_energy():
    system, bushing, state = hanging()
    bushing.set_dissipated_energy(state, 2.5)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=2.0, report_every=0.1)
    taken = results["bushing.dissipated_energy"]
    assert taken[0] == 2.5
    assert taken[-1] > 2.8
    assert (np.diff(taken) > 0).all()
    assert_allclose(taken + results["energy"], taken[0] + results["energy"][0], atol=1e-8)  # 100 times the accuracy
    assert_allclose(bushing.dissipated_energy(results.final_state), taken[-1])
    assert_allclose(
        np.einsum("ti,i,ti->t", results["bushing.q_dot"], DAMPING, results["bushing.q_dot"]), results["der(bushing.dissipated_energy)"]
    )
    assert results["bushing.q"].shape == (21, 6)


def test_a_bushing_without_deformation_at_rest_is_linearised_with_its_stiffness_and_damping():
    system = mb.MultibodySystem("mount")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass, inertia = 2.0, np.array([0.3, 0.4, 0.5])
    stiffness, damping = np.array([10.0, 20, 30, 100, 200, 300]), np.array([1.0, 2, 3, 4, 5, 6])
    block = mb.Free(matter.ground, mb.MassProperties(mass, [0, 0, 0], np.diag(inertia)), name="block")
    mb.LinearBushing(forces, matter.ground, block, stiffness=stiffness, damping=damping, name="mount")
    linear = system.linearize(system.realize_topology())
    of_u = [linear.states.index(f"block.u[{i}]") for i in range(1, 7)]
    of_q = [linear.states.index(f"block.q[{i}]") for i in range(2, 8)]  # q[1] depends on the rest of the quaternion
    sizes = np.array([*inertia, mass, mass, mass])
    assert_allclose(linear.A[np.ix_(of_u, of_u)], -np.diag(damping / sizes), atol=1e-14)
    assert_allclose(linear.A[np.ix_(of_u, of_q)], -np.diag(np.array([2, 2, 2, 1, 1, 1]) * stiffness / sizes), atol=1e-13)
