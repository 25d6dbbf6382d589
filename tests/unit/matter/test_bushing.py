"""Bushing: seed 001, method by method, and its description: the equivalent mechanism, and its singularity."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import IntegrationError, SingularMechanismError, StageError, StateError
from mobod.matter.equations.orientation import NEAR_SINGULAR
from mobod.spatial import from_body_xyz, rotation_about, rotation_x, rotation_y, rotation_z
from mobod.system import Stage

MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.box(mass=1.3, size=[0.3, 0.2, 0.5]).shifted([0.1, -0.2, 0.3]))
TILTED = mb.Transform(rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
OTHER = mb.Transform(rotation_about([0.3, 1, 0.2], -0.6), [-0.1, 0.4, 0.2])
Q = np.array([0.4, -0.7, 1.1, 0.5, -0.6, 0.8])
U = np.array([0.9, 0.3, -0.5, 0.2, 1.1, -0.4])


@pytest.fixture
def matter():
    matter = mb.MatterSubsystem(mb.MultibodySystem("car"))
    mb.Gravity(mb.ForceSubsystem(matter.system), matter, down=[0, 0, -1], magnitude=9.81)
    return matter


@pytest.fixture
def bushing(matter):
    mb.Pin(matter.ground, MASS, name="before")
    return mb.Bushing(matter.ground, MASS, TILTED, OTHER, name="mount")


def state_of(body, q=Q, u=U):
    state = body.matter.system.realize_topology()
    body.set_q(state, q)
    body.set_u(state, u)
    return state


def test_frames_are_the_body_frames_by_default(matter):
    body = mb.Bushing(matter.ground, MASS)
    for frame in (body.X_PF, body.X_BM, body.default_transform):
        assert frame.isclose(mb.Transform(), atol=0)


def test_default_frames_can_be_changed_which_is_topological(bushing):
    system = bushing.matter.system
    before = state_of(bushing)
    bushing.set_default_inboard_frame(OTHER)
    bushing.set_default_outboard_frame(TILTED)
    with pytest.raises(StateError, match="the topology of System 'car' changed"):
        bushing.q(before)
    state = state_of(bushing)
    system.realize(state, Stage.POSITION)
    assert bushing.X_GB(state).isclose(OTHER @ mb.Transform(from_body_xyz(Q[:3]), Q[3:]) @ TILTED.inverse(), atol=1e-14)


def test_the_default_pose_is_set_by_q_or_by_a_transform_whose_position_is_taken_as_it_is(bushing):
    assert_array_equal(bushing.default_q, np.zeros(6))
    bushing.set_default_q(Q)
    assert_array_equal(bushing.q(bushing.matter.system.realize_topology()), Q)
    assert bushing.default_transform.isclose(mb.Transform(from_body_xyz(Q[:3]), Q[3:]), atol=1e-15)

    bushing.set_default_transform(TILTED)
    assert_array_equal(bushing.default_q[3:], TILTED.p)
    assert bushing.default_transform.isclose(TILTED, atol=1e-15)
    assert bushing.default_q[1] == pytest.approx(np.arcsin(TILTED.R[0, 2]))


def test_rotations_are_body_fixed_xyz_and_do_not_move_the_origin(bushing):
    state = state_of(bushing)
    bushing.matter.system.realize(state, Stage.POSITION)
    assert bushing.X_FM(state).isclose(mb.Transform(rotation_x(Q[0]) @ rotation_y(Q[1]) @ rotation_z(Q[2]), Q[3:]), atol=1e-15)


def test_each_quantity_has_its_stage_and_speeds_are_rates_of_coordinates(bushing):
    system = bushing.matter.system
    for quantity, stage in (("q_dot", Stage.VELOCITY), ("u_dot", Stage.ACCELERATION), ("q_dot_dot", Stage.ACCELERATION)):
        state = state_of(bushing)
        assert_array_equal(bushing.q(state), Q)
        assert_array_equal(bushing.u(state), U)
        system.realize(state, stage.previous())
        with pytest.raises(StageError, match=f"{quantity} of 'mount' needs a State realized to {stage.name}"):
            getattr(bushing, quantity)(state)
        system.realize(state, stage)
    assert_array_equal(bushing.q_dot(state), U)
    assert_array_equal(bushing.q_dot_dot(state), bushing.u_dot(state))
    assert_allclose(bushing.V_FM(state)[3:], U[3:], atol=0)
    assert not np.allclose(bushing.V_FM(state)[:3], U[:3], atol=1e-2)  # rates of angles are no angular velocity


def test_setting_q_and_u_invalidates_their_stages(bushing):
    state = state_of(bushing)
    for setter, value, stage in ((bushing.set_q, Q, Stage.POSITION), (bushing.set_u, U, Stage.VELOCITY)):
        bushing.matter.system.realize(state, Stage.REPORT)
        setter(state, value)
        assert state.stage == stage.previous()


def test_its_parts_of_arrays_of_the_system_can_be_read_and_written(bushing):
    state = state_of(bushing)
    q_like, u_like = np.arange(7.0), np.arange(10.0, 17.0)
    assert_array_equal(bushing.my_part_q(state, q_like), q_like[1:])
    assert_array_equal(bushing.my_part_u(state, u_like), u_like[1:])
    bushing.my_part_q(state, q_like)[:] = 3.5
    assert_array_equal(q_like, [0, *[3.5] * 6])


def test_decorations_are_kept_with_their_frames(bushing):
    sphere = mb.decorations.Sphere(0.1)
    bushing.add_body_decoration(TILTED, sphere)
    bushing.add_outboard_decoration(OTHER, sphere)
    bushing.add_inboard_decoration(mb.Transform(), sphere)
    assert [each.frame for each in bushing.decorations] == ["body", "outboard", "inboard"]
    assert bushing.decorations[0].X.isclose(TILTED, atol=0)
    assert all(each.geometry is sphere for each in bushing.decorations)


# z of the frame is the axis, so a Pin between such frames turns about it, and at 0 the bodies' own axes coincide
ABOUT = {"x": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], "y": [[0, 1, 0], [0, 0, 1], [1, 0, 0]], "z": np.eye(3)}


def test_a_bushing_matches_a_translation_and_three_pins_on_massless_bodies():
    """Within 1e-10 along a trajectory, a hundred times the accuracy of the runs."""
    runs = []
    for as_bushing in (True, False):
        system = mb.MultibodySystem("equal")
        matter = mb.MatterSubsystem(system)
        forces = mb.ForceSubsystem(system)
        mb.Gravity(forces, matter, down=[0.2, -0.1, -1], magnitude=9.81)
        mb.GlobalDamper(forces, matter, damping=0.3)
        if as_bushing:
            parts = [(mb.Bushing(matter.ground, MASS, TILTED, OTHER, name="body"), slice(0, 6))]
        else:
            nothing, frames = mb.MassProperties.massless(), {axis: mb.Transform(R) for axis, R in ABOUT.items()}
            b0 = mb.Translation(matter.ground, nothing, TILTED, name="b0")
            b1 = mb.Pin(b0, nothing, frames["x"], frames["x"], name="b1")
            b2 = mb.Pin(b1, nothing, frames["y"], frames["y"], name="b2")
            body = mb.Pin(b2, MASS, frames["z"], OTHER, name="body")
            parts = [(b1, slice(0, 1)), (b2, slice(1, 2)), (body, slice(2, 3)), (b0, slice(3, 6))]
        for index, stiffness in ((1, 9.0), (4, 30.0)):
            (part, start) = next((part, where.start) for part, where in parts if where.start <= index < where.stop)
            mb.MobilityLinearSpring(forces, part, coordinate=index - start, stiffness=stiffness, q_zero=0.1)
        state = system.realize_topology()
        for part, where in parts:
            part.set_q(state, Q[where])
            part.set_u(state, U[where])
        results = mb.Simulation(system, accuracy=1e-12).run(state, until=1.5, report_every=0.05)
        q, u = np.zeros((2, len(results.time), 6))
        for part, where in parts:
            q[:, where] = results[f"{part.name}.q"].reshape(len(results.time), -1)
            u[:, where] = results[f"{part.name}.u"].reshape(len(results.time), -1)
        runs.append((q, u, results["body.p_GB"], results["body.R_GB"]))
    assert np.abs(np.cos(runs[0][0][:, 1])).min() > 0.1  # far from the singularity
    assert np.ptp(runs[0][0], axis=0).min() > 0.1  # all coordinates move
    for one, other in zip(*runs, strict=True):
        assert_allclose(one, other, rtol=0, atol=1e-10)


# its singularity


def near_singular(offset):
    return [0.1, np.pi / 2 + offset, 0.4, 0, 0, 0]


@pytest.mark.parametrize("offset", [0.0, 1e-9, -3e-6])
def test_at_its_singularity_it_has_no_accelerations_and_the_error_explains_why(bushing, offset):
    state = state_of(bushing, near_singular(offset))
    bushing.matter.system.realize(state, Stage.VELOCITY)
    message = r"mobilizer 'mount' \(Bushing\) at time 0 s: .* coordinates: the middle angle q\[1\] = 1\.57\d* rad is at or near 90 degrees"
    with pytest.raises(SingularMechanismError, match=message):
        bushing.matter.system.realize(state, Stage.ACCELERATION)


def test_away_from_its_singularity_no_message_is_given(bushing):
    for offset, is_near in ((0.5 * NEAR_SINGULAR, True), (2 * NEAR_SINGULAR, False)):
        state = state_of(bushing, near_singular(offset))
        bushing.matter.system.realize(state, Stage.ACCELERATION)
        assert ("'mount' (Bushing): the middle angle" in bushing.matter.explain_failure(state)) == is_near


def test_a_run_into_its_singularity_ends_with_an_explanation():
    system = mb.MultibodySystem("car")
    body = mb.Bushing(mb.MatterSubsystem(system).ground, MASS, name="mount")
    state = state_of(body, np.zeros(6), [1e-7, 1.0, 3e-8, 0, 0, 0])  # all but about y, which leads to the singularity
    message = r"stopped at 1\.570\d* s.*'mount' \(Bushing\).*the middle angle q\[1\] = 1\.570\d* rad is at or near 90 degrees.*Free"
    with pytest.raises(IntegrationError, match=message):
        mb.Simulation(system, accuracy=1e-8).run(state, until=3.0)
