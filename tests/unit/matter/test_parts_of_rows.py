"""Constraint rows in parts that share no joint, and the sparse factors of a part with many rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.matter.constraint_rows.multipliers import right_side
from mobod.matter.constraint_rows.row_pattern import TouchedRows, row_pattern
from mobod.numerics import distance_of_errors, factor_semidefinite, rank_tolerance_at_distance
from mobod.simulate.projection import project_all
from mobod.spatial import rotation_about
from tests.ensembles.alone import assert_same_as_alone

BAR = mb.MassProperties(1.3, [0.5, 0, 0], np.diag([0.02, 0.4, 0.4]))
TOP = [1.0, 0, 0]
ANGLE, RATE = 1.1, -0.7


class Windows:
    """n + 1 cranks in a row on a base, each connected with the next one by a coupler. The loops are closed by two equations, or by the
    three of a ball, of which one depends on the others, and is 0 where the base is not tilted.
    """

    def __init__(self, n, *, balls=False, base=None, order=None, system=None):
        self.system = system or mb.MultibodySystem("windows")
        matter = self.matter = self.system.matter if system else mb.MatterSubsystem(self.system)
        if not system:
            mb.Gravity(mb.ForceSubsystem(self.system), matter, down=[0.2, -1, 0.1], magnitude=9.81)
        number, base = matter.n_bodies, base or mb.Transform()
        self.cranks = [mb.Pin(matter.ground, BAR, base @ mb.Transform(p=[i, 0, 0]), name=f"crank{number + i}") for i in range(n + 1)]
        self.couplers = [mb.Pin(crank, BAR, mb.Transform(p=TOP), name=f"coupler{number + i}") for i, crank in enumerate(self.cranks[:-1])]
        self.loops = []
        for i in order or range(n):
            name, crank, coupler = f"loop{number + i}", self.cranks[i + 1], self.couplers[i]
            loop = (
                mb.BallConstraint(coupler, TOP, crank, TOP, name=name)
                if balls
                else mb.PointOnLine(crank, [0, 0, 1], TOP, coupler, TOP, name=name)
            )
            self.loops.append(loop)

    def state(self, away=0.0):
        """away: of the angles from those of closed loops, about this in rad."""
        state, rng = self.system.realize_topology(), np.random.default_rng(7)
        for bodies, sign in ((self.cranks, 1), (self.couplers, -1)):
            for body in bodies:
                body.set_q(state, sign * ANGLE + away * rng.normal())
                body.set_u(state, sign * RATE)
        return state


def tilted(p=(0.0, 0.0, 0.0)):
    return mb.Transform(rotation_about([0.3, -0.5, 0.8], 0.9), p)


def accelerations(system, state):
    system.realize(state, Stage.ACCELERATION)
    return np.array(state.u_dot)


def table_of(system, state):
    return system.matter.tree(state.layout).constraints.table


def dense_multipliers(system, state, distance=0.0):
    """Those of all rows as one dense matrix, at a distance from the constraints."""
    table, w = table_of(system, state), state.values
    active = table.active(w)
    tolerance = rank_tolerance_at_distance(len(active), distance) ** 2
    return factor_semidefinite(table.products(w, active), tolerance).solve(right_side(table, w)[active])


def multipliers(windows, state):
    return np.concatenate([loop.multipliers(state) for loop in windows.loops])


@pytest.mark.parametrize("base", [None, tilted()], ids=["a row of 0", "dependent rows"])
def test_mechanisms_side_by_side_have_the_bits_of_one_alone(base):
    alone = Windows(1, balls=True, base=base)
    both = Windows(1, balls=True, base=base)
    other = Windows(1, balls=True, base=base, system=both.system)
    expected = accelerations(alone.system, one := alone.state(away=1e-4))
    state = both.state(away=1e-4)
    for mine, its in zip((*other.cranks, *other.couplers), (*alone.cranks, *alone.couplers), strict=True):
        mine.set_q(state, its.q(one))
        mine.set_u(state, its.u(one))
    accelerations(both.system, state)

    for windows in (both, other):
        for mine, its in zip((*windows.cranks, *windows.couplers), (*alone.cranks, *alone.couplers), strict=True):
            assert mine.u_dot(state).tolist() == its.u_dot(one).tolist()
        assert multipliers(windows, state).tolist() == multipliers(alone, one).tolist()
    assert np.abs(expected).max() > 0.1

    for system, each in ((alone.system, one), (both.system, state)):
        assert project_all(system, each, 1e-12) is None
    for windows in (both, other):
        for mine, its in zip((*windows.cranks, *windows.couplers), (*alone.cranks, *alone.couplers), strict=True):
            assert mine.q(state).tolist() == its.q(one).tolist()
            assert mine.u(state).tolist() == its.u(one).tolist()


@pytest.mark.parametrize("n", [2, 8])
@pytest.mark.parametrize("base", [None, tilted()], ids=["in the plane", "tilted"])
@pytest.mark.parametrize("balls", [False, True], ids=["independent", "dependent"])
def test_multipliers_are_those_of_the_dense_matrix(n, base, balls):
    windows = Windows(n, balls=balls, base=base)
    state = windows.state()
    accelerations(windows.system, state)

    expected = dense_multipliers(windows.system, state)

    assert_allclose(multipliers(windows, state), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("away", [1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("n", [2, 8])
def test_dependent_rows_are_found_beside_the_constraints(n, away):
    """Independent rows that differ by the distance would take part of the degrees of freedom: wrong by the whole accelerations."""
    windows = Windows(n, balls=True, base=tilted())
    expected = accelerations(windows.system, windows.state())
    state = windows.state(away)
    found = accelerations(windows.system, state)
    table = table_of(windows.system, state)
    rows = table.G(state.values)
    errors = np.concatenate([loop.position_errors(state) for loop in windows.loops])

    # in proportion to the distance: 30 times it, for 2 n + 1 bodies
    assert_allclose(found, expected, rtol=0, atol=30 * away * np.abs(expected).max())
    dense = dense_multipliers(windows.system, state, distance_of_errors(rows, errors))
    assert_allclose(multipliers(windows, state), dense, rtol=0, atol=30 * away * np.abs(dense).max())


def test_the_order_of_constraints_does_not_matter():
    order = [5, 2, 7, 0, 3, 6, 1, 4]
    one, other = Windows(8), Windows(8, order=order)
    expected = accelerations(one.system, one.state())

    found = accelerations(other.system, other.state())

    assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_a_disabled_constraint_between_two_parts_does_not_join_them():
    pair = Windows(6)
    other = Windows(6, base=mb.Transform(p=[0, 0, 2.0]), system=pair.system)
    rod = mb.Rod(pair.couplers[2], [0.2, 0, 0], other.couplers[3], [0.6, 0.1, 0], 2.2, name="rod")
    state = pair.state()
    for body, like in zip((*other.cranks, *other.couplers), (*pair.cranks, *pair.couplers), strict=True):
        body.set_q(state, like.q(state))  # without speeds, so that the rod has a force when it is enabled
    rod.disable(state)
    apart = Windows(6)
    accelerations(pair.system, state)
    expected = accelerations(apart.system, apart.state())

    found = np.concatenate([body.u_dot(state) for body in (*pair.cranks, *pair.couplers)])
    assert_allclose(found, expected, rtol=0, atol=1e-14 * np.abs(expected).max())

    rod.enable(state)
    accelerations(pair.system, state)
    all_multipliers = np.concatenate([multipliers(pair, state), multipliers(other, state), rod.multipliers(state)])
    expected = dense_multipliers(pair.system, state)
    assert np.abs(rod.multipliers(state)) > 1e-3
    assert_allclose(all_multipliers, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("balls", [False, True], ids=["independent", "rows of 0"])
def test_derivatives_of_many_rows_match_differences(balls):
    windows = Windows(5, balls=balls)
    state, rng = windows.state(), np.random.default_rng(3)
    bodies = (*windows.cranks, *windows.couplers)
    along = {f"{body.name}.{kind}": rng.normal() for body in bodies for kind in "qu"}
    unknowns = [f"der({body.name}.u)" for body in bodies]

    found = windows.system.directional_derivative(state, unknowns, along)

    def accelerations_at(step):
        moved = state.copy()
        for body in bodies:
            body.set_q(moved, body.q(state) + step * along[f"{body.name}.q"])
            body.set_u(moved, body.u(state) + step * along[f"{body.name}.u"])
        return accelerations(windows.system, moved)

    step = 1e-5
    difference = (accelerations_at(step) - accelerations_at(-step)) / (2 * step)
    # central differences: the square of the step times the third derivative, and round-off / step
    assert_allclose(np.concatenate([found[name] for name in unknowns]), difference, rtol=0, atol=1e-7 * np.abs(difference).max())


@pytest.mark.parametrize("n", [4, 14])  # 28 rows are projected by sparse factors
def test_a_projection_is_the_shortest_change_that_closes_the_loops(n):
    windows = Windows(n)
    state = windows.state(away=1e-4)
    q = np.array(state.q)
    windows.system.realize(state, Stage.ACCELERATION)
    G, errors = windows.matter.constraint_matrix(state), np.concatenate([loop.position_errors(state) for loop in windows.loops])
    first_step = np.linalg.lstsq(G, errors)[0]

    assert project_all(windows.system, state, 1e-12) is None

    windows.system.realize(state, Stage.VELOCITY)
    assert max(np.abs(loop.position_errors(state)).max() for loop in windows.loops) < 1e-14
    assert max(np.abs(loop.velocity_errors(state)).max() for loop in windows.loops) < 1e-13
    # Newton's further steps are of second order: (1e-4)^2 times a curvature of order 10
    assert_allclose(q - np.array(state.q), first_step, rtol=0, atol=1e-7)


def test_many_windows_side_by_side_in_an_ensemble_have_the_bits_of_runs_alone():
    windows = Windows(14)
    states = [windows.state() for _ in range(3)]
    for state, factor in zip(states, (0.9, 1.0, 1.3), strict=True):
        state.u = factor * np.array(state.u)
    assert_same_as_alone(windows.system, states, 0.2, 0.1, ["crank1.q", "crank3.u"])


def test_a_saved_run_goes_on_alike_without_the_workspace_of_rows():
    windows = Windows(14)
    state = windows.state()
    run = mb.Simulation(windows.system, 1e-6, backend="interpreted").start(state)
    run.step(0.02)
    saved = run.save()
    run.step(0.03)
    expected = np.array(run.state.y)
    run.restore(saved)
    run.step(0.03)

    assert np.array(run.state.y).tobytes() == expected.tobytes()
    # most of the numbers of these rows are temporary; besides w there are less than 4 kB
    assert len(saved.data) < 8 * (state.layout.size - table_of(windows.system, run.state).workspace.size) + 4096


def test_windows_share_entries_with_their_neighbours_alone():
    """A factor with two blocks for each window, and not with all that came before."""
    n = 40
    parents = (0, *[0] * (n + 1), *range(1, n + 1))
    blocks = tuple(TouchedRows(2, (n + 2 + i, i + 2), False) for i in range(n))

    pattern = row_pattern(blocks, parents, (0, *[1] * (2 * n + 1)))

    assert len(pattern.parts) == 1
    elimination = pattern.parts[0].elimination
    assert sorted(elimination.order) == list(range(n))
    assert elimination.size == 4 * (2 * n - 1)
    assert pattern.size == 4 * (2 * n - 1)


def test_rows_that_all_overlap_are_factored_as_a_dense_matrix():
    """Balls to ground along a chain: each path contains those of all before."""
    parents = (0, *range(30))
    blocks = tuple(TouchedRows(3, (6 * (i + 1),), False) for i in range(5))

    (part,) = row_pattern(blocks, parents, (0, *[1] * 30)).parts

    assert (part.n_rows, part.elimination) == (15, None)


def test_joints_without_speeds_do_not_join_parts():
    parents, nu = (0, 0, 1, 1), (0, 0, 1, 1)  # two pins on a welded body

    pattern = row_pattern((TouchedRows(1, (2,), False), TouchedRows(2, (3,), False)), parents, nu)

    assert [part.blocks for part in pattern.parts] == [(0,), (1,)]
    assert pattern.size == 1 + 4
