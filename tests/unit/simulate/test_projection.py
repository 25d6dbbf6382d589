"""Projections: what they change in a State, and what they keep."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.simulate.projection import project_all, project_speeds
from tests.analytic.linkage import linkage
from tests.unit.simulate.normal_part import NormalPart

NEAR = 1e-7  # rad or m: the error after a projection, for any larger tolerance (projection.c)
AWAY = 10.0 ** np.arange(-12.0, 0.0, 2.0)  # rad and rad/s: distance of the start from the manifold


def beside(away):
    """The linkage off its manifold, and y before. Three rows are redundant on the manifold, only one off it."""
    made = linkage()
    before, rng = np.array(made.state.y), np.random.default_rng(4)
    made.state.y = before + away * rng.normal(size=len(before))
    return made, before


@pytest.mark.fast(17)
@pytest.mark.parametrize("tolerance", [1e-10, 1e-7, 1e-3])
@pytest.mark.parametrize("away", AWAY)
def test_rows_redundant_on_the_manifold_remove_no_motion(away, tolerance):
    made, before = beside(away)
    assert project_all(made.system, made.state, tolerance) is None

    # the random displacements are at most 2 * away, and the correction is no longer than the displacement
    assert_allclose(made.state.y, before, atol=8 * away)
    made.system.realize(made.state, Stage.VELOCITY)
    for errors in (made.matter.constraint_position_errors(made.state), made.matter.constraint_velocity_errors(made.state)):
        assert np.abs(errors).max() <= tolerance


@pytest.mark.parametrize("away", AWAY)
def test_a_loose_tolerance_does_not_change_the_rank(away):
    made, _ = beside(away)
    assert project_all(made.system, made.state, 0.1) is None
    made.system.realize(made.state, Stage.DYNAMICS)

    assert np.abs(made.matter.constraint_position_errors(made.state)).max() <= 2 * NEAR  # for cranks up to 1 m and a beam of 2 m
    analysis = made.matter.analyze_constraints(made.state)
    assert (analysis.rank, analysis.degrees_of_freedom) == (3, 1)


@pytest.fixture(scope="module")
def normal_part(own_library_cache):
    return NormalPart(linkage().system)


@pytest.mark.parametrize("away", [0.0, *AWAY])
def test_error_components_along_the_motion_are_kept(away, normal_part):
    """Components normal to the constraints are removed."""
    made, _ = beside(away)
    along = np.array([1.0, 1.0, 1.0, -1.0])  # motion of the cranks and the beam of a parallelogram
    across = np.array([0.3, -1.0, 0.5, -0.2])
    across -= along * (across @ along) / 4
    error = 1e-5 * np.concatenate([along + across, 2 * along - 3 * across])

    cleaned = normal_part.without(made.state, error)
    # the error is of first order in the distance, and of second order in the removed error
    assert_allclose(cleaned, 1e-5 * np.concatenate([along, 2 * along]), atol=1e-4 * (5 * away + 1e-5))


def test_a_constraint_of_a_small_mechanism_is_scaled_by_its_angles():
    """1e-7 m is much for parts of a millimetre. The angles are still projected closely enough for a certain rank."""
    system = mb.MultibodySystem("watch")
    matter = mb.MatterSubsystem(system)
    wheel = mb.MassProperties(1e-6, [5e-4, 0, 0], 1e-12 * np.eye(3))
    cranks = [mb.Pin(matter.ground, wheel, X_PF=mb.Transform(p=[1e-3 * i, 0, 0]), name=f"crank{i}") for i in range(2)]
    mb.Rod(cranks[0], [5e-4, 0, 0], cranks[1], [5e-4, 0, 0], 1e-3, name="one")
    mb.Rod(cranks[0], [3e-4, 0, 0], cranks[1], [3e-4, 0, 0], 1e-3, name="other")  # redundant, as in every parallelogram
    state = system.realize_topology()
    cranks[0].set_q(state, 1.1)
    cranks[1].set_q(state, 1.1 + 1e-4)
    for crank in cranks:
        crank.set_u(state, 3.0)
    assert project_all(system, state, 1e-7) is None
    system.realize(state, Stage.DYNAMICS)

    assert matter.analyze_constraints(state).degrees_of_freedom == 1
    assert_allclose([crank.u(state)[0] for crank in cranks], 3.0, atol=1e-3)
    assert_allclose(cranks[0].q(state), cranks[1].q(state), atol=2 * NEAR)


def test_speeds_can_be_projected_alone():
    made, _ = beside(0.0)
    made.state.u = made.state.u + np.random.default_rng(9).normal(size=len(made.state.u))
    q = np.array(made.state.q)
    assert project_speeds(made.system, made.state, 1e-9) is None
    made.system.realize(made.state, Stage.VELOCITY)
    assert_array_equal(made.state.q, q)
    assert np.abs(made.matter.constraint_velocity_errors(made.state)).max() <= 1e-9
