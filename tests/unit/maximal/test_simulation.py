"""The time stepper of maximal coordinates, compared with results other than runs of ArtiSynth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from mobod.maximal import MaximalBody, MaximalCoordinateCoupling, MaximalCoordinateSimulation, MaximalJoint
from mobod.maximal.simulation import _STEPS, default_penetration_tolerance
from mobod.spatial import from_body_xyz

INTEGRATORS = sorted(_STEPS)
ONE_STEP_ORDERS = {"RungeKutta4": 4}  # of free bodies; the others have order 1, but for Trapezoidal where damping alone acts


def brick(**options):
    com = np.array([0.1, -0.2, 0.05])
    inertia = mb.Inertia.box(mass=2.0, size=[0.3, 0.5, 0.9]).shifted(com)
    return MaximalBody(mb.MassProperties(2.0, com, inertia), **options)


def tumbled(integrator, step, until=0.4):
    body = brick(velocity=[0.3, -0.2, 0.5, 1.0, -2.0, 1.5])
    MaximalCoordinateSimulation([body], step=step, integrator=integrator).run(until)
    return np.concatenate([body.pose, body.velocity])


@pytest.fixture(scope="module")
def exact_tumbling():
    """By a System of mobilizers."""
    system = mb.MultibodySystem("tumbling")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.UniformGravity(forces, matter, gravity=[0, 0, -9.8])
    body = mb.Free(matter.ground, brick().mass_properties, name="body")
    state = system.realize_topology()
    body.set_u(state, [1.0, -2.0, 1.5, 0.3, -0.2, 0.5])
    results = mb.Simulation(system, accuracy=1e-12).run(state, until=0.4, report_every=0.4)
    q, u = results["body.q"][-1], results["body.u"][-1]
    return np.concatenate([q[4:], q[:4] * np.sign(q[0]), u[3:], u[:3]])


@pytest.mark.fast(7)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_tumbling_free_body_converges_with_the_order_of_the_integrator(integrator, exact_tumbling):
    errors = [np.abs(tumbled(integrator, step) - exact_tumbling).max() for step in (0.01, 0.005)]
    order = ONE_STEP_ORDERS.get(integrator, 1)
    assert errors[1] < {1: 0.2, 4: 1e-8}[order]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_hinge_falls_on_its_stop_and_rests_there_with_the_right_force(integrator):
    """m l^2 / 3 about the pivot, gravity 9.8, a stop at 60 degrees below the horizon: as it is computed by hand."""
    rod = MaximalBody(mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[1, 0.1, 0.1])), mb.Transform(p=[0.5, 0, 0]))
    axis = mb.Transform(from_body_xyz([-np.pi / 2, 0, 0]))  # its z is world y
    hinge = mb.HingeCoupling((-np.inf, np.pi / 3))
    joint = MaximalJoint(hinge, rod, X_WD=axis)
    simulation = MaximalCoordinateSimulation([rod], [joint], step=0.004, integrator=integrator)
    theta, limit = hinge.coordinate(0), hinge.constraint(5)
    while not limit.engaged:
        simulation.step()
    inertia = 2.0 * (0.25 + (1 + 0.01) / 12)
    rate = np.sqrt(2 * 2.0 * 9.8 * 0.5 * np.sin(np.pi / 3) / inertia)
    assert simulation.time == pytest.approx(0.385175212376307, abs=0.012)  # a few steps
    assert rod.velocity[4] == pytest.approx(rate, rel=0.03)  # first order in the step

    simulation.run(until=0.8)
    assert limit.engaged == -1
    assert theta.value == pytest.approx(np.pi / 3 + 1e-4, abs=1e-6)  # inside by the tolerance, after one linear correction
    assert limit.multiplier == pytest.approx(2.0 * 9.8 * 0.5 * np.cos(theta.value), rel=1e-6)
    assert_allclose(rod.velocity, 0, atol=1e-12)


@pytest.mark.slow  # always: the 250 steps at rest of a run of ArtiSynth
@pytest.mark.parametrize("tolerance", [1e-4, 0.0])
def test_a_hinge_at_rest_does_not_move_for_a_thousand_steps(tolerance):
    """Beyond its limit by the tolerance, round-off decides nothing. Without one it is let go every third step, falls, and is put back:
    by a linear correction of 7e-4 rad, whose square is off by 5e-11 rad."""
    rod = MaximalBody(mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[1, 0.1, 0.1])), mb.Transform(p=[0.5, 0, 0]))
    hinge = mb.HingeCoupling((-np.inf, np.pi / 3))
    joint = MaximalJoint(hinge, rod, X_WD=mb.Transform(from_body_xyz([-np.pi / 2, 0, 0])), rotary_tolerance=tolerance)
    simulation = MaximalCoordinateSimulation([rod], [joint], step=0.01)
    simulation.run(until=0.8)
    theta, limit = hinge.coordinate(0), hinge.constraint(5)
    start, before = theta.value, limit.engaged_count
    assert start == pytest.approx(np.pi / 3 + tolerance, abs=1e-6)  # after one linear correction from the impact

    values, counts = [], []
    for _ in range(1000):
        simulation.step()
        values.append(theta.value)
        counts.append(limit.engaged_count)

    if tolerance:
        assert_allclose(values, start, rtol=0, atol=1e-12)
        assert counts == list(range(before + 1, before + 1001))
    else:
        assert_allclose(values, np.pi / 3, rtol=0, atol=1e-10)


@pytest.mark.slow
def test_a_compliant_limit_rests_where_its_force_balances_the_load():
    """Inside by compliance times force, and by the tolerance."""
    cart = MaximalBody(mb.MassProperties(3.0, [0, 0, 0], mb.Inertia.box(mass=3.0, size=[1, 1, 1])))
    slider = mb.SliderCoupling((-0.1, np.inf))
    slider.constraint(5).compliance, slider.constraint(5).damping = 1e-3, 200.0
    joint = MaximalJoint(slider, cart, penetration_tolerance=2e-3)
    MaximalCoordinateSimulation([cart], [joint], step=0.005).run(until=3.0)
    assert slider.coordinate(0).value == pytest.approx(-0.1 - 2e-3 - 1e-3 * 3.0 * 9.8, abs=1e-9)
    assert slider.constraint(5).multiplier == pytest.approx(3.0 * 9.8, rel=1e-9)
    assert_allclose(joint.constraint_wrench()[:3], [0, 0, 3.0 * 9.8], atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [{"max_tilt": 0.6}, {"max_rotation": 0.6}], ids=["tilt", "rotation"])
def test_a_spherical_pendulum_rests_on_its_limit_with_the_right_moment(limit):
    """Its mass is above the pivot along z of C, and falls to the side."""
    inertia = mb.Inertia.box(mass=1.5, size=[0.1, 0.1, 0.4]).shifted([0, 0, 0.4])
    start = from_body_xyz([0.2, 0.1, 0])
    bob = MaximalBody(mb.MassProperties(1.5, [0, 0, 0.4], inertia), mb.Transform(start))
    spherical = mb.SphericalCoupling(**limit)
    joint = MaximalJoint(spherical, bob, X_BD=mb.Transform(), X_AC=mb.Transform())
    MaximalCoordinateSimulation([bob], [joint], rotary_damping=0.5).run(until=4.0)
    tilt = np.arccos(bob.X_WB.R[2, 2])
    assert spherical.constraint(3).engaged == -1
    assert tilt == pytest.approx(0.6 + 1e-4, abs=1e-4)
    assert spherical.constraint(3).multiplier == pytest.approx(1.5 * 9.8 * 0.4 * np.sin(tilt), rel=1e-2)  # it still slides along the limit


def test_an_upper_limit_pushes_down_in_the_wrench_of_the_joint():
    cart = MaximalBody(mb.MassProperties(3.0, [0, 0, 0], mb.Inertia.box(mass=3.0, size=[1, 1, 1])), external_force=[0, 0, 50, 0, 0, 0])
    slider = mb.SliderCoupling((-np.inf, 0.1))
    joint = MaximalJoint(slider, cart)
    MaximalCoordinateSimulation([cart], [joint]).run(until=2.0)
    assert joint.constraint_wrench()[2] == pytest.approx(3.0 * 9.8 - 50, rel=1e-9)


def test_a_locked_coordinate_keeps_its_value():
    cart = MaximalBody(mb.MassProperties(3.0, [0, 0, 0], mb.Inertia.box(mass=3.0, size=[1, 1, 1])), mb.Transform(p=[0, 0, 0.3]))
    slider = mb.SliderCoupling((-1, 1))
    joint = MaximalJoint(slider, cart, X_BD=mb.Transform())
    slider.coordinate(0).lock()
    simulation = MaximalCoordinateSimulation([cart], [joint])
    simulation.run(until=0.5)
    assert cart.position[2] == pytest.approx(0.3, abs=1e-14)
    assert slider.constraint(5).multiplier == pytest.approx(3.0 * 9.8)
    slider.coordinate(0).unlock()
    simulation.run(until=0.6)
    assert cart.position[2] < 0.29


@pytest.mark.slow
def test_a_redundant_parallelogram_with_compliance_matches_a_pendulum():
    """Four hinges of which three rows are redundant: the coupler goes round in a circle and does not turn."""
    length = 0.7
    cranks = [
        MaximalBody(
            mb.MassProperties(0.4, [0, 0, 0], mb.Inertia.box(mass=0.4, size=[0.05, 0.05, length])), mb.Transform(p=[x, 0, -length / 2])
        )
        for x in (0, 1)
    ]
    coupler = MaximalBody(
        mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[1, 0.05, 0.05])), mb.Transform(p=[0.5, 0, -length])
    )
    turn = from_body_xyz([-np.pi / 2, 0, 0])
    joints = []
    for x, crank in zip((0, 1), cranks, strict=True):
        joints.append(MaximalJoint(mb.HingeCoupling(), crank, X_WD=mb.Transform(turn, [x, 0, 0])))
        joints.append(MaximalJoint(mb.HingeCoupling(), coupler, crank, X_WD=mb.Transform(turn, [x, 0, -length])))
    for joint in joints:
        for constraint in joint.coupling.constraints:
            if constraint.is_bilateral:
                constraint.compliance = 1e-6
    for body in (*cranks, coupler):
        body.velocity[0] = 0.2 * (length / 2 if body is not coupler else length)
    for crank in cranks:
        crank.velocity[4] = -0.2
    simulation = MaximalCoordinateSimulation([*cranks, coupler], joints, step=0.004)
    inertia = 2 * 0.4 * (length**2 / 4 + (length**2 + 0.05**2) / 12) + 2.0 * length**2
    stiffness = 9.8 * (2 * 0.4 * length / 2 + 2.0 * length)
    quarter = np.pi / 2 * np.sqrt(inertia / stiffness)  # of a small swing
    simulation.run(until=quarter)
    assert coupler.position[0] - 0.5 == pytest.approx(0.2 * np.sqrt(inertia / stiffness) * length, rel=0.03)  # first order in the step
    assert_allclose(coupler.quaternion[1:], 0, atol=1e-4)


def test_tolerances_follow_the_size_of_the_model():
    body = brick(X_WB=mb.Transform(p=[3.0, 0, 4.0]))
    joint = MaximalJoint(mb.SolidCoupling(), body, X_WD=mb.Transform(p=[3.1, -0.2, 4.05]))
    assert default_penetration_tolerance([body], [joint]) == pytest.approx(1e-4)  # all in one point
    other = MaximalJoint(mb.SolidCoupling(), body, X_AC=mb.Transform(p=[0.1, -0.2, 2.05]), X_BD=mb.Transform(p=[3.1, -0.2, 6.05]))
    assert default_penetration_tolerance([body], [joint, other]) == pytest.approx(1e-4)
    far = MaximalJoint(mb.SolidCoupling(), body, X_AC=mb.Transform(p=[0.1, -0.2, 8.05]))
    box = np.array([3.1, 0.2, 12.05])
    assert default_penetration_tolerance([body], [far]) == pytest.approx(1e-4 * np.linalg.norm(box) / 2)


@pytest.mark.slow
def test_a_pendulum_of_two_hinges_converges_to_the_mobilizers_motion():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.UniformGravity(forces, matter, gravity=[0, 0, -9.8])
    link = mb.MassProperties(1.0, [0, 0, -0.25], mb.Inertia.box(mass=1.0, size=[0.1, 0.1, 0.5]).shifted([0, 0, -0.25]))
    turn = mb.Transform(from_body_xyz([np.pi / 2, 0, 0]))
    upper = mb.Pin(matter.ground, link, turn, turn, name="upper")
    lower = mb.Pin(upper, link, mb.Transform(turn.R, [0, 0, -0.5]), turn, name="lower")
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    lower.set_q(state, -0.4)
    system.realize(state, mb.Stage.POSITION)
    expected = mb.Simulation(system, accuracy=1e-11).run(state, until=0.5, report_every=0.5)["lower.p_GB"][-1]

    def error(step):
        bodies = [MaximalBody(link, body.X_GB(state), name=body.name) for body in (upper, lower)]
        joints = [
            MaximalJoint(mb.HingeCoupling(), bodies[0], X_WD=turn),
            MaximalJoint(mb.HingeCoupling(), bodies[1], bodies[0], X_AC=turn, X_BD=mb.Transform(turn.R, [0, 0, -0.5])),
        ]
        MaximalCoordinateSimulation(bodies, joints, step=step).run(until=0.5)
        return np.linalg.norm(bodies[1].position - expected)

    coarse, fine = error(0.01), error(0.005)
    assert fine < 0.03
    assert coarse / fine == pytest.approx(2, rel=0.2)  # first order


def test_what_cannot_be_is_said():
    body = brick(name="brick")
    with pytest.raises(InputError, match="integrator cannot be 'Verlet'"):
        MaximalCoordinateSimulation([body], integrator="Verlet")
    with pytest.raises(InputError, match="'brick', which was not given in bodies"):
        MaximalCoordinateSimulation([], [MaximalJoint(mb.HingeCoupling(), body)])
    hinge = mb.HingeCoupling()
    with pytest.raises(InputError, match="share a coupling"):
        MaximalCoordinateSimulation([body], [MaximalJoint(hinge, body), MaximalJoint(hinge, body)])
    with pytest.raises(InputError, match="so it needs mass properties"):
        MaximalBody(name="ghost")
    with pytest.raises(InputError, match="give X_WD, or X_AC and X_BD"):
        MaximalJoint(mb.HingeCoupling(), body, X_WD=mb.Transform(), X_AC=mb.Transform())


def gears(function):
    """Two wheels on fixed parallel axes, the first driven; (simulation, wheels, coupling)."""
    wheels, joints = [], []
    for x in (0.0, 0.5):
        inertia = mb.Inertia.cylinder(mass=1.0 + x, radius=0.2, length=0.1, axis="z")
        wheel = MaximalBody(
            mb.MassProperties(1.0 + x, [0, 0, 0], inertia), mb.Transform(p=[x, 0, 0]), external_force=[0, 0, 0, 0, 0, 0.3 - x]
        )
        wheels.append(wheel)
        joints.append(MaximalJoint(mb.HingeCoupling(), wheel, X_WD=wheel.X_WB, name=f"hinge at {x}"))
    coupling = MaximalCoordinateCoupling(function, joints, [0, 0])
    return MaximalCoordinateSimulation(wheels, [*joints, coupling], step=0.005), joints, coupling


def test_coupled_coordinates_share_their_inertia_and_stay_coupled():
    """theta2 = -2 theta1: of torques 0.3 and -0.2, the first gets 0.3 + 2 * 0.2."""
    simulation, joints, coupling = gears(mb.functions.Linear([2.0, 1.0, 0.0]))
    simulation.run(until=0.5)
    first, second = (joint.coupling.coordinate(0) for joint in joints)
    I1, I2 = (mass * 0.2**2 / 2 for mass in (1.0, 1.5))
    assert first.speed == pytest.approx(0.5 * (0.3 + 2 * 0.2) / (I1 + 4 * I2), rel=1e-12)
    assert second.value == pytest.approx(-2 * first.value, rel=1e-12)
    assert coupling.constraint.multiplier == pytest.approx(-0.2 * -1 + I2 * -2 * first.speed / 0.5, rel=1e-9)


@pytest.mark.slow
def test_a_nonlinear_coupling_holds_to_first_order_in_the_step():
    function = mb.functions.MultiPoly(2, [(1.0, [0, 1]), (-0.7, [2, 0]), (0.2, [1, 1])])
    simulation, joints, _ = gears(function)
    simulation.run(until=0.5)
    first, second = (joint.coupling.coordinate(0) for joint in joints)
    assert abs(first.value) > 0.3
    assert second.value * (1 + 0.2 * first.value) == pytest.approx(0.7 * first.value**2, abs=1e-6)
    slope = [-1.4 * first.value + 0.2 * second.value, 1 + 0.2 * first.value]
    assert slope[0] * first.speed + slope[1] * second.speed == pytest.approx(0, abs=0.01)  # the rate is that of the step's start


def test_a_coordinate_coupling_needs_existing_coordinates():
    _, joints, _ = gears(mb.functions.Linear([2.0, 1.0, 0.0]))
    with pytest.raises(InputError, match="has no coordinate 1, but 1 coordinates, counted from 0"):
        MaximalCoordinateCoupling(mb.functions.Linear([2.0, 1.0, 0.0]), joints, [0, 1])
    with pytest.raises(InputError, match="it takes one coordinate for each joint"):
        MaximalCoordinateCoupling(mb.functions.Linear([2.0, 1.0, 0.0]), joints[:1], [0, 0])


def test_dependent_coordinates_at_the_start_are_logged(caplog):
    """A gimbal in lock: roll and yaw turn about the same axis. Its wrenches are bounded there, and it goes on."""
    body = brick(X_WB=mb.Transform(from_body_xyz([0, np.pi / 2, 0])))
    joint = MaximalJoint(mb.GimbalCoupling(), body, X_AC=mb.Transform(), X_BD=mb.Transform(), name="wrist")
    assert "Joint 'wrist': 3 coordinates of GimbalCoupling move C in only 2 independent directions at the start" in caplog.text
    MaximalCoordinateSimulation([body], [joint]).run(until=0.05)
    assert np.isfinite(body.pose).all()


def test_wrenches_that_cannot_be_derived_are_named():
    class Twice(mb.Coupling):
        def initialize_constraints(self):
            for _ in range(4):
                self.add_constraint(self.BILATERAL | self.LINEAR | self.ROTARY)
            for name in ("a", "b"):
                self.add_coordinate(limit_constraint=self.add_constraint(self.LINEAR), name=name)

        def coordinates_to_TCD(self, coordinates):
            return mb.Transform(p=np.array([coordinates[0] + 2 * coordinates[1], 0, coordinates[1] ** 2]))

    with pytest.raises(InputError, match=r"joint 'rail': the wrench of constraint 0 of Twice is \[.*nan.* at coordinates"):
        MaximalJoint(Twice(), brick(), X_AC=mb.Transform(), X_BD=mb.Transform(), name="rail")


def two_moving_bodies(coupling, q):
    """A joint of two bodies that both move, at its coordinates q and with a velocity that it allows; (joint, coordinates' rates)."""
    rates = np.array([0.7, -1.1, 0.4, 0.9, -0.5, 0.3])[: len(q)]
    base = brick(
        X_WB=mb.Transform(from_body_xyz([0.4, -0.3, 0.8]), [0.5, 0.2, -0.4]), velocity=[0.4, -0.7, 0.2, 0.9, 1.3, -0.6], name="base"
    )
    X_BD, X_AC = (
        mb.Transform(from_body_xyz([0.3, 0.5, -0.2]), [0.1, 0.4, 0.2]),
        mb.Transform(from_body_xyz([-0.6, 0.1, 0.4]), [0.3, -0.2, 0.1]),
    )
    for coordinate, value in zip(coupling.coordinates, q, strict=True):
        coordinate.value = value
    X_WD = base.X_WB @ X_BD
    X_WC = X_WD @ coupling.coordinates_to_TCD(np.array(q))
    X_WA = X_WC @ X_AC.inverse()
    J = coupling.recorded.twists(np.array(q))
    w = base.velocity[3:] + X_WC.R @ (J[3:] @ rates)
    at_C = base.velocity[:3] + np.cross(base.velocity[3:], X_WC.p - base.position) + X_WC.R @ (J[:3] @ rates)
    arm = brick(X_WB=X_WA, velocity=[*(at_C + np.cross(w, X_WA.p - X_WC.p)), *w], name="arm")
    return MaximalJoint(coupling, arm, base, X_AC=X_AC, X_BD=X_BD), rates


def moved_by(joint, time):
    for body in (joint.body_A, joint.body_B):
        body.move(time * body.velocity)
    joint.update(update_engaged=False)


BETWEEN_BODIES = [
    (mb.HingeCoupling, [0.7]),
    (mb.CylindricalCoupling, [0.3, 0.7]),
    (mb.SlottedHingeCoupling, [0.3, 0.7]),
    (mb.UniversalCoupling, [0.4, -0.6]),
    (mb.GimbalCoupling, [0.4, -0.6, 0.2]),
    (mb.PlanarCoupling, [0.3, -0.2, 0.7]),
    (mb.FreeCoupling, [0.3, -0.2, 0.1, 0.4, -0.6, 0.2]),
]


@pytest.mark.parametrize(("kind", "q"), BETWEEN_BODIES)
def test_between_moving_bodies_coordinate_speeds_are_rates_of_coordinates(kind, q):
    joint, rates = two_moving_bodies(kind(), q)
    to_A, to_B, _ = joint.motion()
    bilateral = [each.wrench_G @ joint.velGD for each in joint.coupling.constraints if each.is_bilateral]
    assert_allclose(joint.velGD, to_A @ joint.body_A.velocity + to_B @ joint.body_B.velocity, rtol=0, atol=1e-14)
    assert_allclose(bilateral, np.zeros(len(bilateral)), rtol=0, atol=1e-13)
    assert_allclose([each.speed for each in joint.coupling.coordinates], rates, rtol=0, atol=1e-13)

    eps = 1e-5
    moved_by(joint, eps)
    later = np.array([each.value for each in joint.coupling.coordinates])
    moved_by(joint, -2 * eps)
    before = np.array([each.value for each in joint.coupling.coordinates])

    assert_allclose((later - before) / (2 * eps), rates, rtol=0, atol=1e-8)  # the square of eps, and round-off over it


@pytest.mark.parametrize(("kind", "q"), BETWEEN_BODIES)
def test_between_moving_bodies_rates_of_rows_are_derivatives(kind, q):
    """Of rows times velocities, while these stay: bodies move by their constant velocities, in world axes."""
    joint, _ = two_moving_bodies(kind(), q)
    for limit in (each.limit_constraint for each in joint.coupling.coordinates):
        limit.engaged = 1
    rates = [row.rate for row in joint.rows()]

    def rows_times_velocities(time):
        moved_by(joint, time)
        return np.array([sum(part @ body.velocity for body, part in row.on_bodies) for row in joint.rows()])

    eps = 1e-5
    later = rows_times_velocities(eps)
    before = rows_times_velocities(-2 * eps)

    assert_allclose(rates, (later - before) / (2 * eps), rtol=0, atol=1e-7)  # some 10 of them, and round-off over eps
