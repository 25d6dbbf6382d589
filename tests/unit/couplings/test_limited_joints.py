"""Limits of couplings in a System: as mobilizers, as loops and in maximal coordinates they allow the same motion."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.couplings import CouplingMobilizer
from mobod.errors import UnsupportedError
from mobod.spatial import from_body_xyz
from tests.reference.stops import read, slotted_hinge
from tests.reference.user_couplings import WedgeCoupling

MASS = mb.MassProperties(2.0, [0, -0.4, 0], mb.Inertia.box(mass=2.0, size=[0.1, 0.8, 0.1]).shifted([0, -0.4, 0]))


def system_of(connect, gravity=(0, -9.8, 0), damping=0.0):
    system = mb.MultibodySystem("limited")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.UniformGravity(forces, matter, gravity=list(gravity))
    mb.GlobalDamper(forces, matter, damping=damping)
    joint = connect(matter)
    return system, matter, joint


def run(system, state, until, accuracy=1e-9):
    results = mb.Simulation(system, accuracy=accuracy, backend="interpreted").run(state, until=until)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results, results.final_state


def test_the_slotted_hinge_matches_the_exact_impacts():
    """The demo of the seed: a coupling with a range instead of manual limits."""
    params = read("exact_slotted_hinge_undamped_e0")["params"]
    by_hand, hinge = slotted_hinge(params)
    state = by_hand.realize_topology()
    expected = mb.Simulation(by_hand, accuracy=1e-9, backend="interpreted").run(state, until=1.3, report_every=0.1)

    system = mb.MultibodySystem("coupled")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[*params["gravity_D"], 0.0], magnitude=float(np.linalg.norm(params["gravity_D"])))
    low, high = (float(bound) for bound in hinge.limits[0].bounds(state))
    joint = mb.CouplingJoint(mb.SlottedHingeCoupling((low, high)), hinge.body, matter.ground, X_AC=hinge.X_BM, name="hinge")
    mb.BodyDamping(forces, joint, angular_damping=params["rotaryDamping"], linear_damping=params["frameDamping"])
    joint.set_default_q(hinge.default_q)
    found = mb.Simulation(system, accuracy=1e-9, backend="interpreted").run(system.realize_topology(), until=1.3, report_every=0.1)

    assert np.ptp(expected["hinge.q"][:, 0]) > 0.9 * (high - low)
    assert_allclose(found["hinge.q"], expected["hinge.q"], atol=1e-6)  # 1000 times the accuracy


def pendulum_with_stop(way):
    """An arm that falls from the horizontal and hits a stop before it hangs down.

    (system, state, function from a State to its pose and the moment of the stop)
    """
    coupling = mb.HingeCoupling((0.3, 2.0))
    if way == "mobilizer":
        system, _, joint = system_of(lambda matter: mb.CouplingJoint(coupling, MASS, matter.ground, restitution=0.4, name="arm"))
        state = system.realize_topology()
        joint.set_q(state, np.pi / 2)
        return system, state, lambda state: (joint.X_GB(state), joint.limit_force(state)[0])

    def loop(matter):
        arm = mb.Free(matter.ground, MASS, name="arm")
        return mb.CouplingJoint(coupling, arm, matter.ground, restitution=0.4, name="hinge")

    system, matter, joint = system_of(loop)
    arm = matter.body("arm")
    state = system.realize_topology()
    arm.set_q_to_fit_transform(state, mb.Transform(from_body_xyz([0, 0, np.pi / 2])))
    return system, state, lambda state: (arm.X_GB(state), joint.limits.contact_forces(state)[0])


@pytest.mark.slow
def test_a_loop_and_a_mobilizer_bounce_and_rest_alike():
    ways = {way: pendulum_with_stop(way) for way in ("mobilizer", "loop")}
    for until in (0.5, 3.0):
        (X, force), (Y, other) = (read(run(system, state, until)[1]) for system, state, read in ways.values())
        assert X.isclose(Y, atol=1e-6)  # 1000 times the accuracy
        assert other == pytest.approx(force, abs=1e-5)
    assert X.R[1, 0] == pytest.approx(np.sin(0.3), abs=1e-7)  # at rest
    assert force == pytest.approx(2.0 * 9.8 * 0.4 * np.sin(0.3), rel=1e-6)


@pytest.mark.slow
def test_all_three_uses_rest_with_the_same_force():
    """The moment of the rod at the stop is m g l sin(0.3); maximal coordinates are run without a tolerance here."""
    arm = mb.maximal.MaximalBody(MASS, mb.Transform(from_body_xyz([0, 0, np.pi / 2])))
    coupling = mb.HingeCoupling((0.3, 2.0))
    joint = mb.maximal.MaximalJoint(coupling, arm, X_AC=mb.Transform(), X_BD=mb.Transform(), rotary_tolerance=0.0)
    mb.maximal.MaximalCoordinateSimulation([arm], [joint], gravity=[0, -9.8, 0], step=0.005).run(until=3.0)
    forces = [coupling.constraint(5).multiplier]
    for way in ("mobilizer", "loop"):
        system, state, read = pendulum_with_stop(way)
        forces.append(read(run(system, state, 3.0)[1])[1])

    assert_allclose(forces, 2.0 * 9.8 * 0.4 * np.sin(0.3), rtol=1e-9)


def test_regions_that_limit_no_coordinate_work_for_mobilizers_and_loops():
    """A point slides down one half-plane to the other one, and rests in the corner."""
    wedge = WedgeCoupling([[np.sin(0.3), np.cos(0.3)], [-1.0, 0.2]])
    point = mb.MassProperties(1.5, [0, 0, 0], mb.Inertia.sphere(mass=1.5, radius=0.1))
    system, _, slide = system_of(lambda matter: mb.CouplingJoint(wedge, point, matter.ground, name="slide"))
    state = system.realize_topology()
    slide.set_q(state, [-0.8, 0.6])
    _, final = run(system, state, 3.0)
    assert_allclose(slide.q(final), 0, atol=1e-7)
    normals = np.array(wedge.normals)
    assert_allclose(slide.regions.contact_forces(final), np.linalg.solve(normals.T, [0, 1.5 * 9.8]), rtol=1e-6)

    def loop(matter):
        body = mb.Free(matter.ground, point, name="slide")
        return mb.CouplingJoint(wedge, body, matter.ground, name="wedge")

    system, matter, joint = system_of(loop)
    state = system.realize_topology()
    matter.body("slide").set_q(state, [1, 0, 0, 0, -0.8, 0.6, 0])
    _, closed = run(system, state, 3.0)
    assert_allclose(matter.body("slide").X_GB(closed).p, 0, atol=1e-7)
    assert_allclose(joint.limits.contact_forces(closed), slide.regions.contact_forces(final), rtol=1e-5)


def test_a_spherical_loop_tilts_to_its_limit():
    def loop(matter):
        return mb.CouplingJoint(mb.SphericalCoupling(max_tilt=0.6), mb.Free(matter.ground, MASS, name="bob"), matter.ground, name="socket")

    system, matter, socket = system_of(loop, gravity=[0.0, -3.0, -9.0], damping=3.0)
    bob, state = matter.body("bob"), system.realize_topology()
    _, final = run(system, state, 8.0, accuracy=1e-8)
    # the mass hangs along -y of the bob: gravity wants to turn that by 1.25 rad about x
    assert np.arccos(bob.X_GB(final).R[2, 2]) == pytest.approx(0.6, abs=1e-6)
    g, arm = np.array([0.0, -3.0, -9.0]), bob.X_GB(final).R @ [0, -0.4, 0]
    moment = socket.limits.contact_forces(final)[0]
    assert moment == pytest.approx(np.linalg.norm(2.0 * np.cross(arm, g)), rel=1e-3)  # it still creeps


def test_one_side_of_a_plane_is_a_unilateral_constraint():
    def loop(matter):
        body = mb.Free(matter.ground, MASS, name="body")
        plane = mb.PlaneConnectorCoupling([0, 1, 0], unilateral=True)
        return mb.CouplingJoint(plane, body, matter.ground, X_AC=mb.Transform(p=[0, -0.4, 0]), restitution=0.5, name="floor")

    system, matter, floor = system_of(loop)
    state = system.realize_topology()
    matter.body("body").set_q(state, [1, 0, 0, 0, 0, 1.4, 0])
    _, final = run(system, state, 5.0)
    assert isinstance(floor, mb.UnilateralConstraint)
    assert floor.distances(final)[0] == pytest.approx(0, abs=1e-8)
    assert floor.contact_forces(final)[0] == pytest.approx(2.0 * 9.8, rel=1e-7)


def test_ranges_and_regions_without_constraints_are_refused():
    for coupling, message in (
        (mb.HingeCoupling((-1, 1)), "'joint': the range of coordinate 'theta' of its coupling would be ignored"),
        (WedgeCoupling([[1, 0]]), "'joint': regions of its coupling would be ignored"),
    ):
        system = mb.MultibodySystem("loose")
        joint = CouplingMobilizer(mb.MatterSubsystem(system).ground, MASS, coupling=coupling, name="joint")
        with pytest.raises(UnsupportedError, match=message):
            system.realize_topology()
        joint.keep_ranges()
        assert [each.name for each in joint.matter.constraints] in (["joint.limit"], ["joint.region"])
        system.realize_topology()
