"""Every operator of `mobod.matter.queries`, on every mechanism of `operator_mechanisms`, against dense matrices."""

import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np
import pytest

import mobod as mb
from mobod.matter import queries
from tests.laws.dense_matrices import ROUND_OFF, DenseMatrices
from tests.laws.operator_mechanisms import MECHANISMS
from tests.laws.test_momentum import about_ground_origin, rotor_terms

DIFFERENCES = 1e-7  # of errors

Compared = tuple[object, object, float]
ROWS: dict[str, Callable[[DenseMatrices], list[Compared]]] = {}


def row(of_dense: Callable[[DenseMatrices], list[Compared]]) -> None:
    """The row of the operator with the name of the function: (found, expected, tolerance), as many as needed."""
    ROWS[of_dense.__name__] = of_dense


def exact(*pairs: tuple[object, object]) -> list[Compared]:
    return [(found, expected, ROUND_OFF) for found, expected in pairs]


# the mass matrix
@row
def mass_matrix(d):
    return exact((d.matter.mass_matrix(d.state), d.M))


@row
def multiply_by_mass_matrix(d):
    v = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_mass_matrix(d.state, v), d.M @ v))


@row
def mass_matrix_inverse(d):
    return exact((d.matter.mass_matrix_inverse(d.state), d.minverse))


@row
def multiply_by_mass_matrix_inverse(d):
    f = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_mass_matrix_inverse(d.state, f), d.minverse @ f))


# the system Jacobian
@row
def system_jacobian(d):
    return exact((d.matter.system_jacobian(d.state), d.J))


@row
def multiply_by_system_jacobian(d):
    v = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_system_jacobian(d.state, v), d.J @ v))


@row
def multiply_by_system_jacobian_transpose(d):
    F = d.rng.normal(size=(len(d.bodies), 6))
    return exact((d.matter.multiply_by_system_jacobian_transpose(d.state, F), np.einsum("bij,bi->j", d.J, F)))


@row
def bias_for_system_jacobian(d):
    A = [body.A_GB(d.state) for body in d.bodies]
    bias = d.matter.bias_for_system_jacobian(d.state)
    return exact((bias, d.Jdot_u), (d.J @ d.u_dot + bias, A))


# inverse dynamics
@row
def inverse_dynamics(d):
    v = d.rng.normal(size=d.nu)
    return exact((d.matter.inverse_dynamics(d.state, v), d.M @ v + d.missing))


@row
def residual_force(d):
    v, f, F = d.rng.normal(size=d.nu), d.rng.normal(size=d.nu), d.rng.normal(size=(len(d.bodies), 6))
    given = f + np.einsum("bij,bi->j", d.J, F)
    return exact((d.matter.residual_force(d.state, v), d.M @ v + d.C), (d.matter.residual_force(d.state, v, f, F), d.M @ v + d.C - given))


@row
def inverse_dynamics_with_constraints(d):
    v, multipliers = d.rng.normal(size=d.nu), d.rng.normal(size=len(d.bias))
    found = d.matter.inverse_dynamics_with_constraints(d.state, v, multipliers)
    at_rest = d.matter.inverse_dynamics_with_constraints(d.state, d.u_dot, d.matter.multipliers(d.state))
    scale = max(1.0, np.abs(d.M @ d.u_dot).max())
    return [
        (found, d.M @ v + d.missing + d.exact_G.T @ multipliers, ROUND_OFF),
        (at_rest[~d.known], np.zeros((~d.known).sum()), ROUND_OFF * scale),
    ]


@row
def motion_forces(d):
    return [(d.matter.motion_forces(d.state), d.motion_forces, DIFFERENCES)]


# stations and frames
@row
def frame_jacobian(d):
    bodies, stations, J = d.stations()
    return exact((d.matter.frame_jacobian(d.state, bodies, stations), J), (d.matter.frame_jacobian(d.state, bodies[3], stations[3]), J[3]))


@row
def multiply_by_frame_jacobian(d):
    (bodies, stations, J), v = d.stations(), d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_frame_jacobian(d.state, bodies, stations, v), J @ v))


@row
def multiply_by_frame_jacobian_transpose(d):
    bodies, stations, J = d.stations()
    F = d.rng.normal(size=(len(bodies), 6))
    return exact((d.matter.multiply_by_frame_jacobian_transpose(d.state, bodies, stations, F), np.einsum("nij,ni->j", J, F)))


@row
def bias_for_frame_jacobian(d):
    bodies, stations, _ = d.stations()
    return exact((d.matter.bias_for_frame_jacobian(d.state, bodies, stations), d.station_bias(bodies, stations)))


@row
def station_jacobian(d):
    bodies, stations, J = d.stations()
    return exact((d.matter.station_jacobian(d.state, bodies, stations), J[:, 3:]))


@row
def multiply_by_station_jacobian(d):
    (bodies, stations, J), v = d.stations(), d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_station_jacobian(d.state, bodies, stations, v), J[:, 3:] @ v))


@row
def multiply_by_station_jacobian_transpose(d):
    bodies, stations, J = d.stations()
    f = d.rng.normal(size=(len(bodies), 3))
    return exact((d.matter.multiply_by_station_jacobian_transpose(d.state, bodies, stations, f), np.einsum("nij,ni->j", J[:, 3:], f)))


@row
def bias_for_station_jacobian(d):
    bodies, stations, _ = d.stations()
    return exact((d.matter.bias_for_station_jacobian(d.state, bodies, stations), d.station_bias(bodies, stations)[:, 3:]))


# q_dot = N u
@row
def multiply_by_N(d):
    v = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_N(d.state, v), d.N @ v), (d.matter.multiply_by_N(d.state, d.state.u), d.state.q_dot))


@row
def multiply_by_N_transpose(d):
    p = d.rng.normal(size=d.nq)
    return exact((d.matter.multiply_by_N_transpose(d.state, p), d.N.T @ p))


@row
def multiply_by_N_inverse(d):
    q_dot = d.rng.normal(size=d.nq)
    return exact((d.matter.multiply_by_N_inverse(d.state, q_dot), np.linalg.pinv(d.N) @ q_dot))


@row
def multiply_by_N_inverse_transpose(d):
    f = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_N_inverse_transpose(d.state, f), np.linalg.pinv(d.N).T @ f))


@row
def along_coordinates(d):
    return exact((d.matter.along_coordinates(d.state, d.exact_G), d.exact_G @ np.linalg.pinv(d.N)))


# constraints
@row
def constraint_rows(d):
    names = d.in_levels(
        lambda each: (
            np.array([each.name] * each.equations.n_position, dtype=object),
            np.array([each.name] * each.equations.n_velocity, dtype=object),
        ),
        (),
    )
    assert [name.split("[")[0] for name in d.matter.constraint_rows(d.state)] == list(names)
    return []


@row
def constraint_position_errors(d):
    expected = d.in_levels(lambda each: (each.position_errors(d.state), np.zeros(0)), ())
    return exact((d.matter.constraint_position_errors(d.state), expected))


@row
def constraint_velocity_errors(d):
    still = d.matter.constraint_velocity_errors(d.at_speeds(np.zeros(d.nu)))
    found = d.matter.constraint_velocity_errors(d.state)
    return [(found - still, d.exact_G @ d.state.u, ROUND_OFF), (found - still, d.G @ d.state.u, DIFFERENCES)]


@row
def constraint_acceleration_errors(d):
    found = d.matter.constraint_acceleration_errors(d.state)
    return [
        (found, np.zeros(len(d.bias)), ROUND_OFF * max(1.0, np.abs(d.u_dot).max())),
        (found, d.G @ d.u_dot + d.bias, DIFFERENCES * max(1.0, np.abs(d.u_dot).max())),
    ]


@row
def quaternion_errors(d):
    bodies = [body for body in d.matter.bodies if body.equations_in(d.state).quaternion_at is not None]
    starts = [body.equations_in(d.state).quaternion_at for body in bodies]
    lengths = [np.linalg.norm(body.q(d.state)[at : at + 4]) for body, at in zip(bodies, starts, strict=True)]
    return exact((d.matter.quaternion_errors(d.state), np.array(lengths) - 1))


@row
def multipliers(d):
    return [(d.matter.multipliers(d.state), d.multipliers, DIFFERENCES), (d.u_dot, d.solved, DIFFERENCES)]


@row
def constraint_forces(d):
    on_bodies, on_mobilities = d.matter.constraint_forces(d.state)
    forces = np.einsum("bij,bi->j", d.J, on_bodies) + on_mobilities
    return exact((forces, d.exact_G.T @ d.matter.multipliers(d.state)))


@row
def constraint_matrix(d):
    return [(d.matter.constraint_matrix(d.state), d.G, DIFFERENCES)]


@row
def multiply_by_constraint_matrix(d):
    v = d.rng.normal(size=d.nu)
    return exact((d.matter.multiply_by_constraint_matrix(d.state, v), d.exact_G @ v))


@row
def multiply_by_constraint_matrix_transpose(d):
    multipliers = d.rng.normal(size=len(d.bias))
    return exact((d.matter.multiply_by_constraint_matrix_transpose(d.state, multipliers), d.exact_G.T @ multipliers))


@row
def constraint_bias(d):
    found = d.matter.constraint_bias(d.state)
    errors = d.matter.constraint_acceleration_errors(d.state)
    return [(found, d.bias, DIFFERENCES), (found + d.exact_G @ d.u_dot, errors, ROUND_OFF * max(1.0, np.abs(d.u_dot).max()))]


@row
def projected_mass_matrix_inverse(d):
    return exact((d.matter.projected_mass_matrix_inverse(d.state), d.exact_G @ d.minverse @ d.exact_G.T))


@row
def analyze_constraints(d):
    found = d.matter.analyze_constraints(d.state)
    known = d.known.copy()
    for body in d.case.locked:
        if body.lock_level(d.state) == "acceleration":
            body.my_part_u(d.state, known)[:] = False  # its speeds are not known
    rank, of_speeds = (np.linalg.matrix_rank(d.G[:, ~each], tol=1e-6) if len(d.bias) else 0 for each in (d.known, known))
    return exact(([found.rank, found.degrees_of_freedom], [rank, d.nu - known.sum() - of_speeds]))


# mass and momentum
@row
def mass(d):
    return exact((d.matter.mass(d.state), (d.rigid_motion().T @ d.M @ d.rigid_motion())[5, 5]))


@row
def mass_center(d):
    whole = d.rigid_motion().T @ d.M @ d.rigid_motion()
    return exact((d.matter.mass_center(d.state), np.array([whole[2, 4], whole[0, 5], whole[1, 3]]) / whole[5, 5]))


@row
def mass_center_velocity(d):
    found = d.matter.mass_center_velocity(d.state)
    momentum = (d.rigid_motion().T @ d.M @ d.state.u)[3:]
    return [(found, momentum / d.matter.mass(d.state), ROUND_OFF), (found, d.rate(d.matter.mass_center), DIFFERENCES)]


@row
def mass_center_acceleration(d):
    scale = max(1.0, np.abs(d.u_dot).max())
    return [(d.matter.mass_center_acceleration(d.state), d.rate(d.matter.mass_center_velocity), DIFFERENCES * scale)]


@row
def momentum_about_ground_origin(d):
    return exact((d.matter.momentum_about_ground_origin(d.state), d.rigid_motion().T @ d.M @ d.state.u))


@row
def central_momentum(d):
    whole = d.rigid_motion().T @ d.M @ d.state.u
    return exact((about_ground_origin(d.matter.central_momentum(d.state), d.matter.mass_center(d.state)), whole))


@row
def composite_body_inertias(d):
    found = d.matter.composite_body_inertias(d.state)
    compared = [(found[0], d.rigid_motion().T @ d.M @ d.rigid_motion())]
    starts = np.cumsum([0, 0, *(body.nu for body in d.matter.bodies)])
    for body in (each for each in d.matter.bodies if each.nu and each.modes is None):
        own = slice(starts[body.index], starts[body.index] + body.nu)
        H = d.J[body.index][:, own]
        compared.append((H.T @ found[body.index] @ H + np.diag(rotor_terms(body, d.state)[0]), d.M[own, own]))
    return exact(*compared)


@row
def central_inertia(d):
    whole, c = d.rigid_motion().T @ d.M @ d.rigid_motion(), d.matter.mass_center(d.state)
    return exact((d.matter.central_inertia(d.state), whole[:3, :3] - whole[5, 5] * (c @ c * np.eye(3) - np.outer(c, c))))


@cache
def dense(name: str) -> DenseMatrices:
    return DenseMatrices(MECHANISMS[name]())


def operators() -> set[str]:
    """The names of all operators: functions of a matter and a State in the files of `queries`."""
    modules = [import_module(f"{queries.__name__}.{each.name}") for each in pkgutil.iter_modules(queries.__path__)]
    functions = [
        each for module in modules for _, each in inspect.getmembers(module, inspect.isfunction) if each.__module__ == module.__name__
    ]
    return {
        each.__name__
        for each in functions
        if not each.__name__.startswith("_")
        and each.__module__ != "mobod.matter.queries.queried_matter"
        and list(inspect.signature(each).parameters)[:2] == ["matter", "state"]
    }


def test_every_operator_has_a_row():
    assert operators() == set(ROWS)
    assert all(getattr(mb.MatterSubsystem, name).__module__.startswith("mobod.matter.queries.") for name in ROWS)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_operators_equal_their_dense_matrices(mechanism):
    d = dense(mechanism)
    misses = {}
    for name, of_dense in ROWS.items():
        for found, expected, tolerance in of_dense(d):
            found, expected = np.asarray(found), np.asarray(expected)
            assert found.shape == expected.shape, name
            miss = np.abs(found - expected).max(initial=0.0) / max(1.0, np.abs(expected).max(initial=0.0))
            if not miss < tolerance:
                misses[name] = max(miss, misses.get(name, 0.0))
    assert not misses
