"""Operators on the tree: products, dense matrices and the quantities of a State agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, SingularMechanismError, StateError
from tests.laws.mechanisms import random_mechanism

# different recursions over the same tree: some hundred roundings of 1e-16, times the condition of M, some 1e2 to 1e4
ROUND_OFF = 1e-11


def close(actual, expected, scale=1.0):
    size = max(np.abs(expected).max(initial=0.0), scale)
    assert_allclose(actual, expected, rtol=0, atol=ROUND_OFF * size)


def all_bodies(mechanism):
    return [mechanism.matter.ground, *mechanism.bodies]


def speeds_of(mechanism, body):
    """The indices of a body's speeds among all speeds."""
    start = sum(each.nu for each in mechanism.bodies[: body.index - 1])
    return slice(start, start + body.nu)


# the inverse of the mass matrix


@pytest.mark.slow
def test_the_inverse_mass_matrix_inverts_the_mass_matrix(mechanism, state, rng):
    """The inverse is that of the free mobilities; forces do not accelerate prescribed ones."""
    matter, free = mechanism.matter, ~mechanism.known_speeds(state)
    v = rng.normal(size=len(state.u))
    close(matter.multiply_by_mass_matrix_inverse(state, matter.multiply_by_mass_matrix(state, free * v)), free * v)
    close(free * matter.multiply_by_mass_matrix(state, matter.multiply_by_mass_matrix_inverse(state, v)), free * v)
    assert not matter.multiply_by_mass_matrix_inverse(state, v)[~free].any()


def test_the_dense_inverse_matches_the_products_and_is_symmetric(mechanism, state, rng):
    f = rng.normal(size=len(state.u))
    inverse = mechanism.matter.mass_matrix_inverse(state)
    size = np.abs(inverse).max()
    assert inverse.shape == (len(f), len(f))
    close(inverse, inverse.T, size)
    close(inverse @ f, mechanism.matter.multiply_by_mass_matrix_inverse(state, f), size)
    free = ~mechanism.known_speeds(state)
    close(inverse @ (mechanism.matter.mass_matrix(state) * free), np.diag(free), size)


def test_accelerations_match_the_inverse_mass_matrix_times_the_residual_forces(mechanism, state):
    """The residual forces are those at accelerations that are 0 except at prescribed mobilities."""
    matter, known = mechanism.matter, np.where(mechanism.known_speeds(state), state.u_dot, 0.0)
    close(matter.multiply_by_mass_matrix_inverse(state, -matter.inverse_dynamics(state, known)), state.u_dot - known)


def test_a_motion_without_inertia_has_no_inverse_and_is_named():
    system = mb.MultibodySystem("needle")
    arm = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0.3, 0.1, 0]), name="arm")
    mb.Pin(arm, mb.MassProperties.point(1.0, [0, 0, 0.3]), name="tip")
    state = system.realize_topology()
    system.realize(state, Stage.DYNAMICS)
    with pytest.raises(SingularMechanismError, match=r"mobilizer 'tip' \(Pin\).* nothing resists a motion along it"):
        system.matter.multiply_by_mass_matrix_inverse(state, [0.2, 0.4])


# the system Jacobian


def test_the_jacobian_maps_speeds_to_velocities(mechanism, state):
    close(mechanism.matter.multiply_by_system_jacobian(state, state.u), [body.V_GB(state) for body in all_bodies(mechanism)])


def test_columns_of_the_jacobian_are_velocities_for_unit_speeds(mechanism, state):
    J = mechanism.matter.system_jacobian(state)
    assert J.shape == (mechanism.matter.n_bodies, 6, len(state.u))
    other = mechanism.freed(state)
    for i, unit in enumerate(np.eye(len(state.u))):
        other.u = unit
        mechanism.system.realize(other, Stage.VELOCITY)
        close(J[:, :, i], [body.V_GB(other) for body in all_bodies(mechanism)])


def test_the_transposed_jacobian_gives_forces_of_equal_power(mechanism, state, rng):
    matter = mechanism.matter
    u, F = rng.normal(size=len(state.u)), rng.normal(size=(matter.n_bodies, 6))
    f = matter.multiply_by_system_jacobian_transpose(state, F)
    close(f @ u, np.sum(F * matter.multiply_by_system_jacobian(state, u)), scale=10)
    close(f, np.einsum("bij,bi->j", matter.system_jacobian(state), F))


def test_body_accelerations_match_the_jacobian_and_its_bias(mechanism, state):
    matter = mechanism.matter
    A = matter.multiply_by_system_jacobian(state, state.u_dot) + matter.bias_for_system_jacobian(state)
    close(A, [body.A_GB(state) for body in all_bodies(mechanism)], scale=np.abs(state.u_dot).max())


# tasks


@pytest.fixture
def tasks(mechanism, rng):
    """Bodies with a station each; Ground and a repeated body are among them."""
    bodies = [*mechanism.bodies, mechanism.matter.ground, mechanism.bodies[-1]]
    return bodies, rng.normal(size=(len(bodies), 3))


def test_station_motion_matches_the_station_jacobian(mechanism, state, tasks):
    matter, u = mechanism.matter, state.u
    velocities = [body.station_velocity_in_ground(state, station) for body, station in zip(*tasks, strict=True)]
    close(matter.multiply_by_station_jacobian(state, *tasks, u), velocities)
    close(matter.station_jacobian(state, *tasks) @ u, velocities)
    accelerations = [body.station_acceleration_in_ground(state, station) for body, station in zip(*tasks, strict=True)]
    bias = matter.bias_for_station_jacobian(state, *tasks)
    close(matter.multiply_by_station_jacobian(state, *tasks, state.u_dot) + bias, accelerations, scale=np.abs(state.u_dot).max())


def test_frame_motion_matches_the_frame_jacobian(mechanism, state, tasks):
    matter, u = mechanism.matter, state.u
    pairs = [(body, mb.Transform(p=origin)) for body, origin in zip(*tasks, strict=True)]
    velocities = [body.frame_velocity_in_ground(state, X_BF) for body, X_BF in pairs]
    close(matter.multiply_by_frame_jacobian(state, *tasks, u), velocities)
    close(matter.frame_jacobian(state, *tasks) @ u, velocities)
    accelerations = [body.frame_acceleration_in_ground(state, X_BF) for body, X_BF in pairs]
    bias = matter.bias_for_frame_jacobian(state, *tasks)
    close(matter.multiply_by_frame_jacobian(state, *tasks, state.u_dot) + bias, accelerations, scale=np.abs(state.u_dot).max())


def test_forces_on_stations_and_frames_have_the_power_of_their_generalized_forces(mechanism, state, tasks, rng):
    matter, n = mechanism.matter, len(tasks[0])
    f, F = rng.normal(size=(n, 3)), rng.normal(size=(n, 6))
    of_stations = matter.multiply_by_station_jacobian_transpose(state, *tasks, f)
    close(of_stations, np.einsum("nij,ni->j", matter.station_jacobian(state, *tasks), f))
    of_frames = matter.multiply_by_frame_jacobian_transpose(state, *tasks, F)
    close(of_frames, np.einsum("nij,ni->j", matter.frame_jacobian(state, *tasks), F))


def test_a_single_task_matches_its_row_among_several(mechanism, state, tasks, rng):
    matter, nu = mechanism.matter, len(state.u)
    body, station, u, f = tasks[0][-1], tasks[1][-1], rng.normal(size=nu), rng.normal(size=3)
    assert matter.station_jacobian(state, body, station).shape == (3, nu)
    assert matter.frame_jacobian(state, body, station).shape == (6, nu)
    for alone, several in (
        (matter.station_jacobian(state, body, station), matter.station_jacobian(state, *tasks)),
        (matter.frame_jacobian(state, body, station), matter.frame_jacobian(state, *tasks)),
        (matter.multiply_by_station_jacobian(state, body, station, u), matter.multiply_by_station_jacobian(state, *tasks, u)),
        (matter.bias_for_frame_jacobian(state, body, station), matter.bias_for_frame_jacobian(state, *tasks)),
    ):
        assert_allclose(alone, several[-1], rtol=1e-14, atol=1e-14)
    transposed = matter.multiply_by_station_jacobian_transpose(state, body, station, f)
    close(transposed, matter.station_jacobian(state, body, station).T @ f)
    assert matter.station_jacobian(state, [], np.zeros((0, 3))).shape == (0, 3, nu)


# forces that are missing


def test_the_residual_force_of_the_applied_forces_is_inverse_dynamics(mechanism, state, rng):
    matter, u_dot = mechanism.matter, rng.normal(size=len(state.u))
    residual = matter.residual_force(state, u_dot, matter.mobility_forces(state), matter.body_forces(state))
    close(residual, matter.inverse_dynamics(state, u_dot), scale=np.abs(matter.body_forces(state)).max())


def test_the_residual_force_is_inertial_minus_given_forces(mechanism, state, rng):
    matter, nu = mechanism.matter, len(state.u)
    u_dot, f, F = rng.normal(size=nu), rng.normal(size=nu), rng.normal(size=(matter.n_bodies, 6))
    alone = matter.residual_force(state, u_dot)
    given = f + matter.multiply_by_system_jacobian_transpose(state, F)
    close(matter.residual_force(state, u_dot, mobility_forces=f, body_forces=F), alone - given)
    bias = matter.residual_force(state, np.zeros(nu))
    close(alone, matter.mass_matrix(state) @ u_dot + bias, scale=np.abs(bias).max())


# coordinates and speeds


def test_N_maps_speeds_to_coordinate_rates(mechanism, state, rng):
    matter, u = mechanism.matter, rng.normal(size=len(state.u))
    close(matter.multiply_by_N(state, state.u), state.q_dot)
    other = mechanism.freed(state)
    other.u = u
    mechanism.system.realize(other, Stage.VELOCITY)
    close(matter.multiply_by_N(state, u), other.q_dot)


def test_the_inverse_of_N_inverts_N(mechanism, state, rng):
    matter, u = mechanism.matter, rng.normal(size=len(state.u))
    close(matter.multiply_by_N_inverse(state, matter.multiply_by_N(state, u)), u)


def test_the_transposes_of_N_and_its_inverse_keep_the_power(mechanism, state, rng):
    matter = mechanism.matter
    u, f, q_dot, p = (rng.normal(size=n) for n in (len(state.u), len(state.u), len(state.q), len(state.q)))
    close(matter.multiply_by_N_transpose(state, p) @ u, p @ matter.multiply_by_N(state, u), scale=10)
    close(matter.multiply_by_N_inverse_transpose(state, f) @ q_dot, f @ matter.multiply_by_N_inverse(state, q_dot), scale=10)


# all of them


def test_operators_do_not_change_the_state(mechanism, state, rng):
    """Operators compute in their own memory, not in that of realized values."""
    matter, nu = mechanism.matter, len(state.u)
    mechanism.system.realize(state, Stage.REPORT)
    before = {each.name: mechanism.system.value(state, each) for each in mechanism.system.variables(state)}
    matter.mass_matrix_inverse(state)
    matter.system_jacobian(state)
    matter.residual_force(state, rng.normal(size=nu), body_forces=rng.normal(size=(matter.n_bodies, 6)))
    matter.multiply_by_N(state, rng.normal(size=nu))
    assert state.stage == Stage.REPORT
    for each in mechanism.system.variables(state):
        assert np.array_equal(mechanism.system.value(state, each), before[each.name]), each.name


@pytest.mark.slow
def test_numpy_code_gives_the_same_products(rng):
    mechanism = random_mechanism(24)
    matter, state = mechanism.matter, mechanism.random_state(rng)
    mechanism.system.realize(state, Stage.ACCELERATION)
    v, F = rng.normal(size=len(state.u)), rng.normal(size=(matter.n_bodies, 6))

    def products():
        yield matter.multiply_by_mass_matrix_inverse(state, v)
        yield matter.multiply_by_system_jacobian(state, v)
        yield matter.multiply_by_system_jacobian_transpose(state, F)
        yield matter.multiply_by_N(state, v)

    recorded = list(products())
    mechanism.system.as_text = True
    for ours, text in zip(recorded, products(), strict=True):
        close(ours, text)


def operators(matter, nu, nq):
    v, body = np.ones(nu), matter.ground
    return {
        "the inverse of the mass matrix": (lambda state: matter.multiply_by_mass_matrix_inverse(state, v), Stage.DYNAMICS),
        "the system Jacobian": (lambda state: matter.system_jacobian(state), Stage.POSITION),
        "the bias of the system Jacobian": (lambda state: matter.bias_for_system_jacobian(state), Stage.VELOCITY),
        "a station or frame Jacobian": (lambda state: matter.station_jacobian(state, body, [0, 0, 1]), Stage.POSITION),
        "the residual force": (lambda state: matter.residual_force(state, v), Stage.VELOCITY),
        "N": (lambda state: matter.multiply_by_N_inverse(state, np.ones(nq)), Stage.POSITION),
        "composite body inertias": (lambda state: matter.composite_body_inertias(state), Stage.POSITION),
        "'momentum'": (lambda state: matter.momentum_about_ground_origin(state), Stage.VELOCITY),
        "'mass_center_acceleration'": (lambda state: matter.mass_center_acceleration(state), Stage.ACCELERATION),
    }


@pytest.mark.fast(1)
def test_an_operator_before_its_stage_or_with_a_foreign_state_is_refused(mechanism, rng):
    other = random_mechanism(25).system.realize_topology()
    fresh = mechanism.random_state(rng)
    for what, (operator, stage) in operators(mechanism.matter, len(fresh.u), len(fresh.q)).items():
        state = fresh.copy()
        mechanism.system.realize(state, stage.previous())
        with pytest.raises(mb.MobodError, match=f"{what} needs a State realized to {stage.name}; this one is at {stage.previous().name}"):
            operator(state)
        mechanism.system.realize(state, stage)
        operator(state)
        with pytest.raises(StateError, match="was given to System"):
            operator(other)


def test_arrays_of_wrong_shape_or_without_numbers_are_refused(mechanism, state):
    matter, nu, n = mechanism.matter, len(state.u), mechanism.matter.n_bodies
    with pytest.raises(InputError, match=rf"a vector of generalized forces has shape \({nu},\), not \({nu + 1},\)"):
        matter.multiply_by_mass_matrix_inverse(state, np.ones(nu + 1))
    with pytest.raises(InputError, match=rf"an array of forces on all bodies has shape \({n}, 6\), not \({n - 1}, 6\)"):
        matter.multiply_by_system_jacobian_transpose(state, np.ones((n - 1, 6)))
    with pytest.raises(InputError, match="must be finite; this one has nan among its entries"):
        matter.multiply_by_system_jacobian(state, np.full(nu, np.nan))
    with pytest.raises(InputError, match="a vector of rates of coordinates takes numbers, not 'fast'"):
        matter.multiply_by_N_inverse(state, "fast")
    with pytest.raises(InputError, match=r"an array of stations has shape \(2, 3\), not \(3,\)"):
        matter.station_jacobian(state, mechanism.bodies[:2], [0, 0, 1])
    with pytest.raises(InputError, match=r"a station or frame Jacobian takes a body, not str; matter\.body\(...\) finds one"):
        matter.station_jacobian(state, ["Pin 1"], [[0, 0, 1]])
