"""Runs with compliant limits, regions and loops: closed forms, energy, fixed steps and their convergence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from tests.analytic.test_impacts import four_bar_with_arm
from tests.reference.user_couplings import WedgeCoupling
from tests.unit.simulate.compliant_systems import MASS, soft_hinge, soft_linkage, soft_slider

RULES = ("artisynth", "predictive")
each_rule = pytest.mark.parametrize("rule", RULES)
PARAMS = {"g": 9.8, "theta_max": 0.4}


def by_steps(system, state, until, step, rule="artisynth", **options):
    return mb.Simulation(system, integrator="velocity_level", step=step, engagement=rule, **options).run(state, until)


# closed forms
def test_a_slider_on_a_compliant_stop_matches_an_oscillator():
    """It reaches the stop at -1 m/s. There m x'' + D x' + x / C = 0 holds until the total force would pull, which a stop cannot."""
    m, C, D, gap = 2.0, 1e-3, 12.0, 0.05
    system, slider, state = soft_slider(mass=m, force=0.0, compliance=C, damping=D)
    decay, root = D / (2 * m), np.sqrt(1 / (m * C) - (D / (2 * m)) ** 2)
    inside = (np.pi - np.arctan2(2 * decay * root, root**2 - decay**2)) / root  # s, until x / C = -D x'
    at = np.exp(-decay * inside)
    x, v = (-at * np.sin(root * inside) / root, -at * (np.cos(root * inside) - decay / root * np.sin(root * inside)))
    assert x / C + D * v == pytest.approx(0, abs=1e-12)

    results = mb.Simulation(system, accuracy=1e-11, backend="interpreted").run(state, until=0.5)

    assert not results.events  # contacts with compliant rows are not reported
    final = results.final_state
    assert_allclose(slider.u(final), v, rtol=1e-9)
    assert_allclose(slider.q(final), -0.5 + x + v * (0.5 - gap - inside), rtol=1e-9)


def test_a_plane_with_two_compliant_sides_is_a_spring_and_a_damper():
    system = mb.MultibodySystem("hung")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.8)
    body = mb.Free(matter.ground, mb.MassProperties(1.5, [0, 0, 0], np.diag([0.1, 0.2, 0.3])), name="body")
    plane = mb.PlaneConnectorCoupling([0, 0, 1])
    plane.constraint(0).compliance, plane.constraint(0).damping = 4e-3, 2.0
    joint = mb.CouplingJoint(plane, body, matter.ground, X_AC=mb.Transform(), X_BD=mb.Transform())
    decay, root = 2.0 / 3.0, np.sqrt(1 / (1.5 * 4e-3) - (2.0 / 3.0) ** 2)
    rest = -9.8 * 1.5 * 4e-3

    final = mb.Simulation(system, accuracy=1e-11, backend="interpreted").run(system.realize_topology(), until=0.7).final_state

    system.realize(final, mb.Stage.ACCELERATION)
    z = rest * (1 - np.exp(-decay * 0.7) * (np.cos(root * 0.7) + decay / root * np.sin(root * 0.7)))
    error, rate = joint.position_errors(final), joint.velocity_errors(final)
    assert_allclose(error, z, rtol=1e-8)
    assert_allclose(joint.multipliers(final), error / 4e-3 + 2.0 * rate, rtol=1e-12)
    assert matter.analyze_constraints(final).degrees_of_freedom == 6


# energy
@pytest.mark.slow
def test_without_damping_energy_is_conserved():
    system, state = soft_linkage(damping=0.0, rigid=False)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=0.6, report_every=0.05)
    energy = results["energy"]
    springs = results["potential_energy"]
    assert np.ptp(results["kinetic_energy"]) > 1
    assert np.ptp(springs) > 1
    assert_allclose(energy, energy[0], rtol=0, atol=1e-7)  # 1000 times the accuracy


def test_the_lost_energy_is_the_dissipated_energy():
    """By the trapezoidal rule. It cannot integrate forces that jump, so dampers whose force jumps at contact are set to 0."""
    system, state = soft_linkage(rigid=False)
    for name in ("corners.damping_0", "arm.limit.damping", "hinge.limits.damping"):
        system.set_value(state, name, 0.0)
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=0.2, report_every=2e-4)
    lost = []
    for time, y in zip(results.time, results.y, strict=True):
        state.time, state.y = time, y
        system.realize(state, mb.Stage.DYNAMICS)
        lost.append(sum(each.power_dissipation(state) for each in system.matter.constraints))
    energy = results["energy"]
    assert energy[0] - energy[-1] > 0.05
    assert_allclose(np.trapezoid(lost, results.time), energy[0] - energy[-1], rtol=1e-4)


# fixed steps
@each_rule
@pytest.mark.parametrize("compliance", [1e-3, 1e-9])
def test_fixed_steps_treat_spring_and_damper_implicitly(rule, compliance):
    """The spring force is that of the middle of the step, the damper force that of its end, at any stiffness."""
    system, _, state = soft_slider(compliance=compliance)
    C, D, m, h, force = compliance, 3.0, 2.0, 0.01, -5.0
    q, u, impulses = -0.45, -1.0, []
    for _ in range(60):
        d, free, t = q + 0.5, u + h * force / m, 0.0
        if d <= 0 or (rule == "predictive" and d + h * free <= 0):
            # u+ = free + t / m with t = -h ((d + h u+ / 2) / C + D u+)
            u_after = (free - h * d / (C * m)) / (1 + h * (h / 2 / C + D) / m)
            t = max(0.0, m * (u_after - free))
        u = free + t / m
        q += h * u
        impulses.append(t)

    results = by_steps(system, state, 0.6, h, rule, constraints_at="begin")

    assert_allclose(results["slider.q"][-1], q, rtol=1e-9)
    assert_allclose(results["slider.limit.impulse"][1:], impulses, rtol=0, atol=1e-9 * max(impulses))
    assert max(impulses) > 0.4


@each_rule
@pytest.mark.parametrize("compliance", [1e-3, 1e-9])
def test_steps_with_rows_at_the_middle_take_the_mean_distance_of_a_spring(rule, compliance):
    """The damper force is that of the end of the step."""
    system, _, state = soft_slider(compliance=compliance)
    C, D, m, h, force = compliance, 3.0, 2.0, 0.01, -5.0
    q, u, impulses = -0.45, -1.0, []
    for _ in range(60):
        d, before, free, t = q + 0.5, u, u + h * force / m, 0.0
        if d <= 0 or (rule == "predictive" and d + h / 2 * (u + free) <= 0):
            # u+ = free + t / m with t = -h ((d + h (u + u+) / 4) / C + D u+), and d + h (u + u+) / 2 at the end
            u_after = (free - h * (d + h * u / 4) / (C * m)) / (1 + h * (h / 4 / C + D) / m)
            t = max(0.0, m * (u_after - free))
        u = free + t / m
        q += h / 2 * (before + u)
        impulses.append(t)

    results = by_steps(system, state, 0.6, h, rule, constraints_at="middle")

    assert_allclose(results["slider.q"][-1], q, rtol=1e-9)
    assert_allclose(results["slider.limit.impulse"][1:], impulses, rtol=0, atol=1e-9 * max(impulses))
    assert max(impulses) > 0.4


def test_an_undamped_spring_keeps_its_energy_in_steps_with_rows_at_the_middle():
    """The mean distance is the derivative of the energy between both ends, so that no step loses any, however long it is."""
    system, _, state = soft_slider(compliance=1e-3, damping=0.0, force=0.0)
    for slider in (system.matter.body("slider"),):
        slider.set_q(state, -0.5)
    energy = by_steps(system, state, 0.03, 0.01, "predictive")["energy"]
    assert_allclose(energy[1:], energy[0], rtol=1e-12)


@pytest.mark.fast(1)
@each_rule
@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # each run projects the given speeds
def test_fixed_steps_converge_to_the_result_with_error_control(rule):
    system, state = soft_linkage()
    exact = mb.Simulation(system, accuracy=1e-10).run(state, 0.1).final_state.y
    off = [np.abs(by_steps(system, state, 0.1, step, rule).final_state.y - exact).max() for step in (4e-4, 2e-4, 1e-4)]
    assert off[2] < 0.02
    assert_allclose(np.divide(off[:-1], off[1:]), 2, rtol=0.25)  # first order


@pytest.mark.fast(1)
@each_rule
def test_a_rod_rests_where_its_compliant_stop_carries_its_weight(rule):
    system, hinge = soft_hinge(PARAMS, 5e-3, 20.0)
    rest = by_steps(system, system.realize_topology(), 6.0, 0.004, rule).final_state
    system.realize(rest, mb.Stage.ACCELERATION)

    moment = 2.0 * 9.8 * 0.5 * np.cos(hinge.q(rest)[0])
    assert_allclose(hinge.q(rest), 0.4 + 5e-3 * moment, rtol=1e-12)
    assert_allclose(hinge.limit_force(rest), -moment, rtol=1e-11)
    assert_allclose(hinge.limit_impulse(rest), -0.004 * moment, rtol=1e-11)  # the same force times the step
    assert_array_equal(hinge.engaged(rest), [-1])
    assert_allclose(hinge.u(rest), 0, atol=1e-13)


@pytest.mark.slow
def test_fixed_steps_of_a_limit_match_maximal_coordinates():
    """Both methods are of first order, with different errors. The rotary tolerance is 0, since a spring needs no deadband."""
    compliance, damping = 5e-3, 2.0
    coupling = mb.HingeCoupling((-1.0, PARAMS["theta_max"]))
    coupling.constraint(5).compliance, coupling.constraint(5).damping = compliance, damping
    rod = mb.maximal.MaximalBody(mb.MassProperties(2.0, [0.5, 0, 0], np.diag([0.01, 0.7, 0.7])), mb.Transform())
    joint = mb.maximal.MaximalJoint(coupling, rod, X_AC=mb.Transform(), X_BD=mb.Transform(), rotary_tolerance=0.0)
    literal = mb.maximal.MaximalCoordinateSimulation([rod], [joint], gravity=[0, 9.8, 0], step=2e-3)
    literal.run(until=0.4)
    system, hinge = soft_hinge(PARAMS, compliance, damping)
    ours = by_steps(system, system.realize_topology(), 0.4, 2e-3).final_state
    exact = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), 0.4).final_state

    system.realize(exact, mb.Stage.DYNAMICS)
    assert hinge.engaged(exact)[0] == -1
    for q in (ours.q[0], coupling.coordinate(0).value):
        assert q == pytest.approx(exact.q[0], abs=5e-3)


def test_a_nearly_rigid_limit_matches_a_rigid_one():
    """A loop keeps a body with an arm in a plane. Steps are much longer than the period of the stiff spring."""
    finals = []
    for compliance in (0.0, 1e-12):
        system = mb.MultibodySystem("stiff")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        mb.Gravity(forces, matter, down=[0.3, 0, -1], magnitude=9.8)
        body = mb.Free(matter.ground, MASS, name="body")
        plane = mb.PlaneConnectorCoupling([0, 0, 1])
        plane.constraint(0).compliance, plane.constraint(0).damping = compliance, 5e9  # errors fade within 5 ms
        joint = mb.CouplingJoint(plane, body, matter.ground, X_AC=mb.Transform(p=[0.1, -0.05, 0.2]), X_BD=mb.Transform(p=[0, 0, 0.2]))
        arm = mb.Pin(body, MASS, X_PF=mb.Transform(p=[0, 0.3, 0]), name="arm")
        state = system.realize_topology()
        arm.set_u(state, 2.0)
        body.set_u(state, [0, 0, 0.5, 0.1, 0.2, 0.0])  # along the plane
        final = by_steps(system, state, 0.3, 0.002).final_state
        finals.append(np.array(final.y))
        system.realize(final, mb.Stage.POSITION)
        assert np.abs(joint.position_errors(final)).max() < 1e-4  # of second order in the step

    assert np.abs(finals[0]).max() > 1
    assert_allclose(finals[1], finals[0], rtol=0, atol=0.02)  # of first order: errors fade in time, and are not corrected at once


def test_compliant_and_rigid_rows_can_be_in_one_step():
    """A four-bar with a rigid stop is closed by a rigid ball; the arm on it has a compliant stop."""
    system, state, _ = four_bar_with_arm(0.3)
    arm = system.matter.body("arm")
    arm.set_limits(-2.9, 2.0, compliance=1e-3, damping=0.05)
    state = _again(system, state)

    results = by_steps(system, state, 0.5, 0.0025)

    assert np.abs(results["loop.position_error"]).max() < 1e-5
    assert results["arm.limit.engaged"].max() == 1
    assert np.abs(results["rocker.limit.impulse"]).max() > 0.1


def _again(system, state):
    """A new State of the changed System with the same y."""
    new = system.realize_topology()
    new.y = state.y
    return new


def test_an_assembler_respects_only_rigid_limits():
    """A slider can rest beyond a compliant stop."""
    for compliance, q in ((1e-3, -0.505), (0.0, -0.5)):
        system = mb.MultibodySystem("stops")
        slider = mb.Slider(mb.MatterSubsystem(system).ground, MASS, name="slider")
        slider.set_limits(lower=-0.5, compliance=compliance)
        assembler = mb.Assembler(system)
        assembler.add(mb.QValue(slider, 0, -0.505))
        assert_allclose(slider.q(assembler.assemble(system.realize_topology())), q, rtol=1e-9)


def test_a_step_ends_where_a_damper_becomes_active():
    """The slider reaches its stop after 0.05 s. The error estimate alone may miss the jump of the force."""
    system, _, state = soft_slider(force=0.0, damping=300.0)
    results = mb.Simulation(system, accuracy=1e-6, integrator="RK45").run(state, until=0.2)
    assert np.abs(results.time - 0.05).min() < 1e-12


def test_a_disabled_limit_is_passed_by_fixed_steps():
    system, slider, state = soft_slider(force=0.0)
    slider.limits[0].disable(state)
    results = by_steps(system, state, 0.2, 0.004, "predictive")
    assert_allclose(results["slider.q"][-1], -0.65, rtol=1e-12)


@pytest.mark.slow
def test_regions_of_mobilizers_and_loops_can_be_compliant():
    """A point falls into a wedge, as a mobilizer and on a plane of a loop, and rests where both sides carry it."""
    normals = np.array([[np.sin(0.3), np.cos(0.3)], [-1.0, 0.2]])
    forces = np.linalg.solve(normals.T, [0, 1.5 * 9.8])
    depth = 2e-3 * forces  # of each side
    for is_loop in (False, True):
        system = mb.MultibodySystem("wedge")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
        wedge = WedgeCoupling(normals.tolist())
        for constraint in wedge.constraints[4:]:
            constraint.compliance, constraint.damping = 2e-3, 100.0
        point = mb.MassProperties(1.5, [0, 0, 0], mb.Inertia.sphere(mass=1.5, radius=0.1))
        body = mb.Free(matter.ground, point, name="point") if is_loop else point
        joint = mb.CouplingJoint(wedge, body, matter.ground, name="wedge")
        final = by_steps(system, system.realize_topology(), 4.0, 0.004).final_state
        system.realize(final, mb.Stage.ACCELERATION)
        regions = joint.limits if is_loop else joint.regions
        assert regions.compliant_rows == (0, 1)
        assert_allclose(regions.contact_forces(final), forces, rtol=1e-8)
        assert_allclose(regions.distances(final), -depth, rtol=1e-8)
        assert regions.is_engaged(final).all()


def test_a_coupling_with_only_unilateral_constraints_can_be_compliant():
    system = mb.MultibodySystem("mat")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.8)
    ball = mb.Free(matter.ground, mb.MassProperties(1.5, [0, 0, 0], np.eye(3)), name="ball")
    mat = mb.PlaneConnectorCoupling([0, 0, 1], unilateral=True)
    mat.constraint(0).compliance, mat.constraint(0).damping = 1e-3, 50.0
    joint = mb.CouplingJoint(mat, ball, matter.ground, X_AC=mb.Transform(), X_BD=mb.Transform(), name="mat")
    final = mb.Simulation(system, accuracy=1e-8).run(system.realize_topology(), until=3.0).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    assert_allclose(joint.distances(final), -1e-3 * 1.5 * 9.8, rtol=1e-6)
    assert_allclose(joint.contact_forces(final), 1.5 * 9.8, rtol=1e-6)


@pytest.mark.slow
def test_a_free_mobilizer_transmits_no_contact_force():
    system, state = soft_linkage()
    state = mb.Assembler(system).assemble(state, keep=["box.u[1]"])
    final = mb.Simulation(system, accuracy=1e-8).run(state, until=0.25).final_state
    system.realize(final, mb.Stage.ACCELERATION)
    corners = next(each for each in system.matter.constraints if each.name == "corners")
    assert corners.compliant_forces(final).max() > 10
    for name in ("box", "tip"):
        assert_allclose(system.matter.body(name).reaction_on_body_at_origin(final), 0, atol=1e-9)
