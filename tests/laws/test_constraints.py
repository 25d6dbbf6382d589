"""Laws of constraints of every kind, on any mechanism."""

import inspect
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.laws.differences import rate_in_time
from tests.laws.loops import CONSTRAINTS, N_BODIES, random_loops, turning
from tests.laws.mechanisms import random_mechanism

# finite differences of order 6 (see rate_along_motion), of errors that change faster than poses: some 1e-12 of their size; a wrong term of
# a derivative shows at 1e-3 and more
FINITE_DIFFERENCE = 1e-9
ROUND_OFF = 1e-10  # some hundred roundings, times the condition of G M^-1 G^T, some 1e4
HOLD_STILL = ["ConstantSpeed", "ConstantAcceleration", "SpeedCoupler", "PrescribedMotion"]  # they prescribe motion: their rates are not G u


SEEDS = (70, 83)
loops_of = cache(random_loops)


@pytest.fixture(scope="module", params=SEEDS, ids=["loops70 free", "loops83 moved"])
def loops(request):
    return loops_of(request.param)


@pytest.fixture(scope="module")
def state(loops):
    """A random State with all constraints enabled, far from satisfying them; with or without motions and locks."""
    return loops.state_with(np.random.default_rng(63), *CONSTRAINTS, moved=loops is loops_of(83))


def close(actual, expected, tolerance):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1, np.abs(expected).max(initial=0)))


def at_speeds(loops, state, u):
    other = state.copy()
    other.u = u
    loops.system.realize(other, Stage.VELOCITY)
    return other


def rows_of(loops, state, name):
    """The indices of the constraint's rows in G."""
    names, own = loops.matter.constraint_rows(state), loops.constraints[name].name
    return [i for i, row in enumerate(names) if row == own or row.startswith(f"{own}[")]


def test_every_public_constraint_is_in_the_table():
    public = [value for name in mb.__all__ if inspect.isclass(value := getattr(mb, name))]
    offered = {each.__name__ for each in public if issubclass(each, mb.Constraint) and each is not mb.Constraint}

    of_friction = {
        "UnilateralConstraint",
        "RigidContact",
        "RegularisedJointFriction",
        "RigidJointFriction",
    }  # tests/analytic, tests/reference
    assert offered - of_friction == {name.split()[0] for name in CONSTRAINTS}


def test_vector_errors_have_moving_bases_in_ground_and_in_moving_ancestors():
    with_vectors = [each for seed in SEEDS for each in loops_of(seed).constraints.values() if each.equations.vectors_at]
    assert {min(each.ancestor.index, 1) for each in with_vectors if each.ancestor is not each.base} == {0, 1}


@pytest.mark.fast(12)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_velocity_errors_begin_with_the_rates_of_position_errors(loops, state, name):
    constraint = loops.constraints[name]
    n = constraint.equations.n_position
    errors = constraint.position_errors(state).copy()

    rate = rate_in_time(loops.system, state, constraint.position_errors) - turning(constraint, state, errors)
    close(constraint.velocity_errors(state)[:n], rate, FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_acceleration_errors_begin_with_the_rates_of_velocity_errors(loops, state, name):
    """Vectors are relative to the base, with the Coriolis acceleration of points that move in it."""
    constraint = loops.constraints[name]
    n = constraint.equations.n_position + constraint.equations.n_velocity
    errors = constraint.velocity_errors(state).copy()

    rate = rate_in_time(loops.system, state, constraint.velocity_errors)
    seen = rate + turning(constraint, state, errors)  # less once for the turning base, plus twice for Coriolis
    close(constraint.acceleration_errors(state)[:n], seen, FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_G_is_the_derivative_of_errors_with_respect_to_speeds(loops, state, name):
    """Position errors by differences along the motion at speeds v; velocity errors by differences in the speeds."""
    constraint, rng = loops.constraints[name], np.random.default_rng(64)
    n_p, n_v = constraint.equations.n_position, constraint.equations.n_velocity
    v = rng.normal(size=len(state.u)) * ~loops.mechanism.known_speeds(state, "velocity")
    moving, still = at_speeds(loops, state, v), at_speeds(loops, state, np.zeros(len(v)))

    def position_rate(at):
        loops.system.realize(at, Stage.ACCELERATION)
        errors = constraint.position_errors(at).copy()
        return rate_in_time(loops.system, at, constraint.position_errors) - turning(constraint, at, errors)

    expected = [position_rate(moving) - position_rate(still)]
    step = 1e-3  # velocity errors are at most quadratic in the speeds: central differences are exact
    later, earlier = (at_speeds(loops, state, state.u + sign * step * v) for sign in (1, -1))
    difference = (constraint.velocity_errors(later)[n_p:] - constraint.velocity_errors(earlier)[n_p:]) / (2 * step)
    expected.append(difference)
    G_v = loops.matter.multiply_by_constraint_matrix(state, v)[rows_of(loops, state, name)]
    close(G_v[: n_p + n_v], np.concatenate(expected), FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraint_forces_are_the_transpose_of_G_times_multipliers(loops, state, name):
    """Their power at any speeds v is lambda . G v."""
    constraint, rng = loops.constraints[name], np.random.default_rng(65)
    v = rng.normal(size=len(state.u))
    on_bodies, on_mobilities = constraint.forces(state)
    V = [body.V_GB(at_speeds(loops, loops.mechanism.freed(state), v)) for body in loops.matter.bodies]
    G_v = loops.matter.multiply_by_constraint_matrix(state, v)[rows_of(loops, state, name)]

    assert np.abs(constraint.multipliers(state)).min() > 1e-6
    scale = max(1, np.abs(on_bodies).max(), np.abs(on_mobilities).max())
    assert_allclose(np.sum(on_bodies[1:] * V) + on_mobilities @ v, constraint.multipliers(state) @ G_v, atol=ROUND_OFF * scale)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_power_is_minus_multipliers_times_rates(loops, state, name):
    constraint = loops.constraints[name]
    multipliers = constraint.multipliers(state)
    G_u = loops.matter.multiply_by_constraint_matrix(state, state.u)[rows_of(loops, state, name)]

    scale = max(1, np.abs(multipliers).max())
    assert_allclose(constraint.power(state), -multipliers @ G_u, rtol=0, atol=ROUND_OFF * scale)
    if name not in HOLD_STILL:
        assert_allclose(constraint.power(state), -multipliers @ constraint.velocity_errors(state), rtol=0, atol=ROUND_OFF * scale)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_forces_between_bodies_balance(loops, state, name):
    """Therefore constraints change momentum only through Ground."""
    on_bodies, _ = loops.constraints[name].forces(state)
    origins = [np.zeros(3), *(body.X_GB(state).p for body in loops.matter.bodies)]
    about_origin = on_bodies[:, :3] + np.cross(origins, on_bodies[:, 3:])

    scale = max(1, np.abs(on_bodies).max())
    assert_allclose(about_origin.sum(axis=0), 0, atol=ROUND_OFF * scale)
    assert_allclose(on_bodies[:, 3:].sum(axis=0), 0, atol=ROUND_OFF * scale)


def test_accelerations_satisfy_the_constraints(loops, state):
    G_u_dot = loops.matter.multiply_by_constraint_matrix(state, state.u_dot)
    close(loops.matter.constraint_acceleration_errors(state), G_u_dot + loops.matter.constraint_bias(state), ROUND_OFF)
    close(loops.matter.constraint_acceleration_errors(state), 0 * loops.matter.multipliers(state), 1e-8)  # at accelerations of some 1e3


def test_equations_of_motion_hold_with_constraint_forces(loops, state):
    """M u_dot + C + G^T lambda = f + the forces of motions and locks."""
    matter = loops.matter
    of_constraints = matter.multiply_by_constraint_matrix_transpose(state, matter.multipliers(state))
    scale = np.abs(of_constraints).max()
    missing, known = matter.inverse_dynamics(state, state.u_dot) + of_constraints, loops.mechanism.known_speeds(state)
    assert_allclose(missing, matter.motion_forces(state), atol=ROUND_OFF * scale)
    assert_allclose(missing[~known], 0, atol=ROUND_OFF * scale)

    on_bodies, on_mobilities = matter.constraint_forces(state)
    each = [constraint.forces(state) for constraint in loops.constraints.values()]
    assert_allclose(on_bodies, sum(bodies for bodies, _ in each), atol=ROUND_OFF * scale)
    assert_allclose(on_mobilities, sum(mobilities for _, mobilities in each), atol=ROUND_OFF * scale)


def test_constraint_operators_match_the_dense_matrix(loops, state):
    matter, rng = loops.matter, np.random.default_rng(66)
    G, M = matter.constraint_matrix(state), matter.mass_matrix(state)
    v, multipliers = rng.normal(size=G.shape[1]), rng.normal(size=G.shape[0])

    close(matter.multiply_by_constraint_matrix(state, v), G @ v, 1e-13)
    close(matter.multiply_by_constraint_matrix_transpose(state, multipliers), G.T @ multipliers, 1e-13)
    free = ~loops.mechanism.known_speeds(state)
    close(matter.projected_mass_matrix_inverse(state), G[:, free] @ np.linalg.solve(M[np.ix_(free, free)], G[:, free].T), ROUND_OFF)
    analysis = matter.analyze_constraints(state)
    assert analysis.rows == tuple(matter.constraint_rows(state))
    assert analysis.rank == np.linalg.matrix_rank(G[:, free]) == len(G)


def test_rows_are_ordered_by_level(loops, state):
    rows, matter = loops.matter.constraint_rows(state), loops.matter
    equations = [each.equations for each in loops.constraints.values()]
    n_p, n_v, n_a = (sum(getattr(each, f"n_{level}") for each in equations) for level in ("position", "velocity", "acceleration"))

    assert (len(rows), len(set(rows))) == (n_p + n_v + n_a, len(rows))
    assert len(matter.constraint_position_errors(state)) == n_p
    assert len(matter.constraint_velocity_errors(state)) == n_p + n_v
    assert rows[-n_a] == loops.constraints["ConstantAcceleration"].name
    assert_allclose(matter.constraint_position_errors(state)[:3], loops.constraints["BallConstraint"].position_errors(state))
    assert matter.constraint_velocity_errors(state)[n_p] == loops.constraints["ConstantSpeed"].velocity_errors(state)[0]


@pytest.mark.slow
def test_disabled_constraints_have_no_effect(loops):
    """The accelerations are those of the unconstrained mechanism; disabled constraints do not change those of a single enabled one."""
    state = loops.state_with(np.random.default_rng(67), "Rod")
    free = random_mechanism(int(loops.system.name.split()[-1]), n_bodies=N_BODIES)
    other = free.system.realize_topology()
    other.time, other.y = state.time, state.y
    loops.constraints["Rod"].disable(state)
    for system, each in ((loops.system, state), (free.system, other)):
        system.realize(each, Stage.ACCELERATION)

    assert_allclose(state.u_dot, other.u_dot, rtol=0, atol=1e-13 * np.abs(other.u_dot).max())
    assert loops.matter.constraint_matrix(state).shape == (0, len(state.u))
    for constraint in loops.constraints.values():
        assert constraint.is_disabled(state)
        assert not constraint.multipliers(state).any()
        assert constraint.power(state) == 0


@pytest.mark.fast(1)
def test_the_numpy_code_of_constraints_matches_the_recording(loops, state):
    text = state.copy()
    loops.system.as_text = True
    try:
        loops.system.realize(text, Stage.ACCELERATION)
    finally:
        loops.system.as_text = False

    matter = loops.matter
    close(matter.constraint_matrix(text), matter.constraint_matrix(state), 1e-13)
    close(matter.constraint_bias(text), matter.constraint_bias(state), 1e-13)
    close(text.u_dot, state.u_dot, 1e-9)  # round-off times the condition of the system


def test_without_the_cache_the_bits_are_the_same(loops, state):
    other = state.copy()
    loops.system.uses_cache = False
    try:
        loops.system.realize(other, Stage.ACCELERATION)
        other.u = -state.u
        loops.system.realize(other, Stage.ACCELERATION)
        other.u = state.u
        loops.system.realize(other, Stage.ACCELERATION)
    finally:
        loops.system.uses_cache = True
    for quantity in ("multipliers", "constraint_bias", "constraint_position_errors", "constraint_matrix"):
        assert getattr(loops.matter, quantity)(other).tobytes() == getattr(loops.matter, quantity)(state).tobytes()
    assert other.u_dot.tobytes() == state.u_dot.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "moved"), [(83, False), (71, True)], ids=["loops83 free", "loops71 moved"])
def test_directional_derivatives_are_the_limits_of_differences(seed, moved):
    """Also with redundant rows, such as the second, which contradict each other off the manifold."""
    loops = loops_of(seed)
    state = loops.state_with(np.random.default_rng(63), *CONSTRAINTS, moved=moved)
    system, rng = loops.system, np.random.default_rng(68)
    catalogue = [each for each in system.variables(state) if each.role in ("state", "parameter") and each.type == "real"]
    own = {constraint.name for constraint in loops.constraints.values()}
    known = [each for each in catalogue if each.role == "state" or each.name.split(".")[0] in own]
    change = {each.name: rng.normal(size=each.slot.shape) for each in known}
    ends = ("velocity_error", "position_error", "multiplier")
    unknown = [
        each.name
        for each in system.variables(state)
        if each.name.split(".")[-1] in ends or (each.role == "derivative" and ".u" in each.name)
    ]
    exact = system.directional_derivative(state, unknown, {**change, "time": 0.7})

    step, sides = 1e-5, []
    for sign in (1, -1):
        moved = state.copy()
        moved.time = state.time + sign * step * 0.7
        for each in known:
            system.set_value(moved, each.name, system.value(state, each) + sign * step * change[each.name])
        sides.append({name: system.value(moved, system.variable(moved, name)) for name in unknown})
    scales = {"der": np.abs(state.u_dot).max(), "mul": np.abs(loops.matter.multipliers(state)).max()}
    for name in unknown:
        difference = (sides[0][name] - sides[1][name]) / (2 * step)
        # truncation and round-off: some 1e-8 of the large accelerations and multipliers of so many constraints
        scale = max(1, np.abs(difference).max(initial=0), scales["der"] if name.startswith("der") else scales["mul"])
        assert_allclose(exact[name], difference, rtol=0, atol=1e-5 * scale, err_msg=name)


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [67, 71])
def test_multipliers_of_redundant_rows_have_least_norm(seed):
    """Some rows are combinations of others, and off the manifold no accelerations satisfy all of them: the nearest accelerations are
    used.
    """
    loops = loops_of(seed)
    state, matter = loops.state_with(np.random.default_rng(63), *CONSTRAINTS), loops.matter
    analysis, G = matter.analyze_constraints(state), matter.constraint_matrix(state)

    assert analysis.rank == np.linalg.matrix_rank(G, tol=1e-7 * np.linalg.norm(G)) < len(G)
    of_speeds = [i for i, row in enumerate(analysis.rows) if row != loops.constraints["ConstantAcceleration"].name]
    assert analysis.degrees_of_freedom == G.shape[1] - np.linalg.matrix_rank(G[of_speeds], tol=1e-7 * np.linalg.norm(G))
    without = [i for i, row in enumerate(analysis.rows) if row not in analysis.redundant]
    assert np.linalg.matrix_rank(G[without], tol=1e-7 * np.linalg.norm(G)) == len(without)
    null = np.linalg.svd(G.T)[2][analysis.rank :]  # combinations of rows without effect
    multipliers = matter.multipliers(state)
    assert_allclose(null @ multipliers, 0, atol=1e-7 * np.abs(multipliers).max())  # the square root of the rank tolerance of G M^-1 G^T
