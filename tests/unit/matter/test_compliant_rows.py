"""Compliant rows: their forces, energies and parameters, and which rows cannot be compliant."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, StageError, UnsupportedError
from mobod.spatial import from_body_xyz
from tests.reference.user_couplings import WedgeCoupling
from tests.unit.simulate.compliant_systems import MASS, CornersOverPlanes, soft_hinge_coupling, soft_linkage, soft_slider


def soft_constraints(system):
    return [each for each in system.matter.constraints if each.compliant_rows]


def random_states(n=4, **options):
    """Random States of a linkage beyond its limits, at general poses and speeds."""
    rng = np.random.default_rng(5)
    system, state = soft_linkage(**options)
    for _ in range(n):
        other = state.copy()
        other.q = state.q + 0.08 * rng.standard_normal(state.q.size)
        other.u = rng.standard_normal(state.u.size)
        system.realize(other, mb.Stage.ACCELERATION)
        yield system, other


# forces
def test_a_compliant_limit_pushes_with_spring_and_damper_and_never_pulls():
    system, slider, state = soft_slider(mass=2.0, force=0.0, compliance=1e-3, damping=3.0)
    limits = slider.limits[0]
    for q, u, force in ((-0.6, -1.0, 103.0), (-0.6, 2.0, 94.0), (-0.501, 5.0, 0.0), (-0.4, -9.0, 0.0), (0.52, 0.5, -21.5)):
        slider.set_q(state, q)
        slider.set_u(state, u)
        system.realize(state, mb.Stage.ACCELERATION)
        assert_allclose(slider.u_dot(state), force / 2.0, rtol=1e-12)
        assert_allclose(slider.limit_force(state), force, rtol=1e-12)
        assert_allclose(system.matter.mobility_forces(state), force, rtol=1e-12)  # an applied force, and no constraint's
        assert_array_equal(system.matter.constraint_forces(state)[1], 0)
        assert limits.engaged(state) == np.sign(force)
        assert not limits.is_held(state).any()
        assert_allclose(limits.forces(state)[1], -force, rtol=1e-12)
    assert_allclose(limits.compliant_forces(state), [0, 21.5], rtol=1e-12)
    assert_allclose(limits.multipliers(state), [0, -21.5], rtol=1e-12)
    limits.disable(state)
    system.realize(state, mb.Stage.ACCELERATION)
    assert slider.u_dot(state)[0] == limits.potential_energy(state) == 0.0


@pytest.mark.parametrize("shift", [[0.3, -0.2, 0.1, 0, 0, 0], [0, 0, 0, 0, 0.4, 0]], ids=["translation", "rotation"])
def test_a_compliant_solid_coupling_matches_a_bushing(shift):
    """For a single rotation, angles and rotation vectors are equal."""
    compliance, damping = np.array([1e-3, 2e-3, 5e-4, 4e-3, 1e-3, 2e-3]), np.array([3.0, 1.0, 2.0, 0.5, 0.2, 0.7])
    u_dots = []
    for is_coupling in (True, False):
        system = mb.MultibodySystem("solid")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        base, moved = (mb.Free(matter.ground, MASS, name=name) for name in ("base", "moved"))
        X_BD = mb.Transform(from_body_xyz([0.3, 0.1, -0.4]), [0.2, 0.1, -0.3])
        if is_coupling:
            solid = mb.SolidCoupling()
            for constraint, C, D in zip(solid.constraints, compliance, damping, strict=True):
                constraint.compliance, constraint.damping = C, D
            mb.CouplingJoint(solid, moved, base, X_AC=mb.Transform(), X_BD=X_BD)
        else:
            order = [3, 4, 5, 0, 1, 2]
            mb.LinearBushing(forces, base, moved, X_B1F=X_BD, X_B2M=mb.Transform(), stiffness=1 / compliance[order], damping=damping[order])
        state = system.realize_topology()
        X_GB = mb.Transform(from_body_xyz([-0.2, 0.5, 0.3]), [0.1, 0.2, 0.3])
        base.set_q_to_fit_transform(state, X_GB)
        moved.set_q_to_fit_transform(state, X_GB @ X_BD @ mb.Transform(from_body_xyz(shift[3:]), shift[:3]))
        system.realize(state, mb.Stage.ACCELERATION)
        u_dots.append(np.array(state.u_dot))

    assert np.abs(u_dots[0]).max() > 10
    assert_allclose(u_dots[0], u_dots[1], rtol=0, atol=1e-11 * np.abs(u_dots[1]).max())


@pytest.mark.fast(1)
@pytest.mark.parametrize("rigid", [True, False])
def test_the_power_of_compliant_rows_is_their_energy_loss_minus_dissipation(rigid):
    eps = 1e-6
    pressing = 0
    for system, state in random_states(rigid=rigid):
        for constraint in soft_constraints(system):
            energies = []
            for sign in (-1, 1):
                beside = state.copy()
                beside.q = state.q + sign * eps * state.q_dot
                system.realize(beside, mb.Stage.POSITION)
                energies.append(constraint.potential_energy(beside))
            rate, lost = (energies[1] - energies[0]) / (2 * eps), constraint.power_dissipation(state)
            rigid_rows = constraint.multipliers(state) * [row not in constraint.compliant_rows for row in range(constraint.equations.n)]
            of_rigid = -float(rigid_rows @ constraint.velocity_errors(state))
            size = 1 + np.abs(constraint.multipliers(state)) @ np.abs(constraint.velocity_errors(state))
            assert_allclose(constraint.power(state) - of_rigid, -rate - lost, rtol=0, atol=1e-7 * size)  # of the difference quotient
            assert lost >= 0
            pressing += int((constraint.compliant_forces(state) != 0).sum())
    assert pressing > 10


@pytest.mark.fast(1)
@pytest.mark.parametrize("rigid", [True, False])
def test_equations_of_motion_hold_with_compliant_forces_as_applied_forces(rigid):
    for system, state in random_states(rigid=rigid):
        matter = system.matter
        tau = matter.inverse_dynamics_with_constraints(state, state.u_dot, matter.multipliers(state))
        on_bodies, on_mobilities = matter.body_forces(state), matter.mobility_forces(state)
        size = np.abs(on_bodies).max() + np.abs(on_mobilities).max()
        assert_allclose(tau, 0, atol=1e-11 * size)
        total = sum(each.compliant_forces(state) @ each.velocity_errors(state) for each in soft_constraints(system))
        assert_allclose(sum(each.power(state) for each in soft_constraints(system)), total + _rigid_power(system, state), atol=1e-10 * size)


def _rigid_power(system, state):
    powers = []
    for each in soft_constraints(system):
        rows = [row for row in range(each.equations.n) if row not in each.compliant_rows]
        powers.append(-each.multipliers(state)[rows] @ each.velocity_errors(state)[rows])
    return sum(powers)


@pytest.mark.slow
def test_springs_are_part_of_the_energy_of_the_system():
    system, state = soft_linkage(rigid=False)
    system.realize(state, mb.Stage.VELOCITY)
    springs = sum(each.potential_energy(state) for each in soft_constraints(system))
    assert springs > 0.1
    assert_allclose(system.matter.potential_energy(state), springs, rtol=1e-14)
    of_others = sum(each.potential_energy(state) for each in system.subsystems if each is not system.matter)
    assert_allclose(system.potential_energy(state), of_others + springs, rtol=1e-14)


# parameters
@pytest.mark.slow
def test_each_compliant_constraint_of_a_coupling_has_its_own_parameters():
    system, state = soft_linkage()
    hinge, corners = (next(each for each in system.matter.constraints if each.name == name) for name in ("hinge", "corners"))

    assert hinge.compliant_rows == (0, 2, 4)
    assert_array_equal(hinge.compliance(state), [1e-3, 0, 2e-3, 0, 5e-3])
    assert_array_equal(hinge.damping(state), [3.0, 0, 0, 0, 0.4])
    assert_array_equal(hinge.limits.compliance(state), [2e-3, 2e-3])  # both ends of a range
    assert_array_equal(corners.damping(state), [40.0, 0, 0])
    units = {each.name: each.units for each in system.variables(state) if each.name.startswith(("hinge.", "arm.limit.", "corners."))}
    assert units["hinge.compliance_0"] == ("m/N",)
    assert units["hinge.compliance_4"] == ("rad/(N.m)",)
    assert units["arm.limit.damping"] == ("N.m.s/rad",)
    assert {"hinge.limits.compliance", "corners.compliance_2", "corners.restitution"} <= units.keys()
    assert not {"hinge.limits.restitution", "arm.limit.restitution", "hinge.compliance_1"} & units.keys()

    system.set_value(state, "hinge.compliance_2", 4e-3)
    hinge.set_compliance(state, 7e-3, 0.1, row=4)
    assert_array_equal(hinge.compliance(state), [1e-3, 0, 4e-3, 0, 7e-3])
    hinge.limits.set_compliance(state, 3e-3)
    assert_array_equal(hinge.limits.compliance(state), [3e-3, 3e-3])
    with pytest.raises(InputError, match="row 1 is rigid"):
        hinge.set_compliance(state, 1e-3, row=1)
    with pytest.raises(InputError, match="the least value is 1e-30"):
        hinge.set_compliance(state, 0.0)
    with pytest.raises(InputError, match="1e-30"):
        system.set_value(state, "hinge.compliance_2", 0.0)
    with pytest.raises(StageError, match="DYNAMICS"):
        hinge.compliant_forces(state)


def test_compliant_limits_can_be_changed_and_stay_compliant():
    _, slider, _ = soft_slider()
    slider.set_limits(-0.4, 0.4, compliance=2e-3)
    state = slider.matter.system.realize_topology()
    assert slider.limits[0].bounds(state) == (-0.4, 0.4)
    assert_array_equal(slider.limits[0].compliance(state), 2e-3)
    assert_array_equal(slider.limits[0].damping(state), 0)
    with pytest.raises(InputError, match=r"'slider.limit': the limits have a compliance already"):
        slider.set_limits(-0.4, 0.4)
    with pytest.raises(InputError, match=r"a restitution of 0.3 needs a rigid row"):
        slider.set_limits(-0.4, 0.4, 0.3, compliance=2e-3)
    pin = mb.Pin(slider, MASS, name="pin")
    with pytest.raises(InputError, match=r"pin.*a damping of 3 needs a compliant row"):
        pin.set_limits(-1, 1, damping=3.0)
    pin.set_limits(-1, 1)
    with pytest.raises(InputError, match="the limits are rigid already"):
        pin.set_limits(-1, 1, compliance=1e-3)


def test_limits_of_several_coordinates_can_have_different_compliances():
    planar = mb.Planar(mb.MatterSubsystem(mb.MultibodySystem()).ground, MASS, name="planar")
    planar.set_limits([-1, -2, -np.inf], [1, 2, 3], restitution=[0.4, 0, 0], compliance=[0, 1e-3, 2e-3], damping=[0, 0, 5.0])
    state = planar.matter.system.realize_topology()
    assert planar.limits[0].compliant_rows == ()
    assert planar.limits[0].restitution(state) == 0.4
    assert [planar.limits[i].compliance(state)[0] for i in (1, 2)] == [1e-3, 2e-3]
    assert [planar.limits[i].damping(state)[0] for i in (1, 2)] == [0, 5.0]


# what cannot be
def test_arguments_that_contradict_a_compliance_are_errors():
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    box, tip = mb.Free(matter.ground, MASS), mb.Free(matter.ground, MASS)
    bodies = [matter.ground, box, tip]
    for options, words in (
        ({"compliance": [1e-3, 0.0]}, r"compliance is one number, or \(3,\)"),
        ({"compliance": -1e-3}, "compliance"),
        ({"damping": 2.0}, "a damping of 2 needs a compliant row"),
        ({"compliance": [1e-3, 0, 0], "damping": [0, 1.0, 0]}, "a damping of 1 needs a compliant row"),
        ({"compliance": 1e-3, "restitution": 0.5}, r"a restitution of 0\.5 needs a rigid row"),
    ):
        with pytest.raises(InputError, match=words):
            mb.UnilateralConstraint(CornersOverPlanes(), bodies=bodies, **options)
    soft = soft_hinge_coupling([0.0] * 5 + [1e-3], [0.0] * 6)
    with pytest.raises(InputError, match=r"a restitution of 0\.2 needs a rigid row"):
        mb.CouplingJoint(soft, tip, box, restitution=0.2)
    with pytest.raises(UnsupportedError, match=r"bilateral constraint 0 of HingeCoupling is compliant.*let the joint close a loop"):
        mb.CouplingJoint(soft_hinge_coupling([1e-3] * 6, [0.0] * 6), MASS, box)


class Rail(mb.Coupling):
    """Translation along x with a range, and a region that is not a limit of a coordinate: constraints 5 and 6."""

    def initialize_constraints(self):
        for i in range(1, 6):
            self.add_constraint(self.BILATERAL | (self.LINEAR if i < 3 else self.ROTARY), np.eye(6)[i])
        self.add_coordinate(-1.0, 1.0, self.add_constraint(self.LINEAR, np.eye(6)[0]), name="x")
        self.add_constraint(self.LINEAR, np.eye(6)[0])

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([coordinates[0], 0, 0]))

    def TCD_to_coordinates(self, TCD):
        return TCD.p[:1]

    def project_to_constraints(self, TCD):
        return mb.Transform(p=np.array([TCD.p[0], 0, 0]))

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.update_engaged(self.constraint(6), TGD.p[0], -0.5, np.inf)


def rail(limit, region):
    coupling = Rail()
    coupling.constraint(5).compliance, coupling.constraint(6).compliance = limit, region
    return coupling


def test_a_restitution_applies_only_to_rigid_limits():
    for limit, region in ((1e-3, 0.0), (0.0, 1e-3)):
        matter = mb.MatterSubsystem(mb.MultibodySystem())
        joint = mb.CouplingJoint(rail(limit, region), MASS, matter.ground, restitution=0.4, name="slide")
        state = matter.system.realize_topology()
        rigid, soft = (joint.regions, joint.limits[0]) if limit else (joint.limits[0], joint.regions)
        assert rigid.restitution(state) == 0.4
        assert set(soft.compliance(state)) == {1e-3}
    with pytest.raises(InputError, match=r"'slide': a restitution of 0\.4 needs a rigid row"):
        mb.CouplingJoint(rail(1e-3, 1e-3), MASS, mb.MatterSubsystem(mb.MultibodySystem()).ground, restitution=0.4, name="slide")


def test_a_range_without_a_limit_constraint_is_rigid_in_a_loop():
    """The range is of a coordinate without a limit constraint; later rows keep their own compliance."""
    coupling = WedgeCoupling([[0.0, 1.0]])
    coupling.constraint(4).compliance = 2e-3
    coupling.coordinate(0).set_range(-1.0, 1.0)
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    joint = mb.CouplingJoint(coupling, mb.Free(matter.ground, MASS), matter.ground, X_AC=mb.Transform(), X_BD=mb.Transform())
    assert_array_equal(joint.limits.compliance(matter.system.realize_topology()), [0, 0, 2e-3])


def test_refused_arguments_change_nothing():
    system, slider, state = soft_slider(compliance=1e-3, damping=3.0)
    limits = slider.limits[0]
    with pytest.raises(InputError, match="damping"):
        limits.set_compliance(state, 2e-3, -1.0)
    assert_array_equal(limits.compliance(state), 1e-3)
    with pytest.raises(InputError):
        slider.set_limits(-0.1, 0.1, compliance=2e-3, damping=-1.0)
    assert limits.bounds(system.realize_topology()) == (-0.5, 0.5)
