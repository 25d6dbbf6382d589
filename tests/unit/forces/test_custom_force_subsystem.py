"""Users' subsystems that apply forces give the same results as a CustomForce with the same equations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import SingularMechanismError, StageError
from mobod.laws.differences import rate_along_motion
from mobod.scalar import norm, where
from tests.laws.mechanisms import random_mechanism
from tests.reference.seed_elements import Repulsion


class RepulsionSubsystem(mb.CustomForceSubsystem):
    """The forces of Repulsion, and damping of all speeds, so that there are mobility forces too."""

    def __init__(self, system, strength, damping=0.0):
        super().__init__(system, "charges")
        self.defaults = (strength, damping)

    def realize_topology(self, state):
        self.strength = state.allocate_discrete_variable(
            self, "strength", self.defaults[0], mb.Stage.DYNAMICS, label=mb.Label(unit="N.m2", description="force at a distance of 1 m")
        )
        self.damping = state.allocate_discrete_variable(self, "damping", self.defaults[1], mb.Stage.DYNAMICS)

    def pairs(self, state):
        for i in range(self.matter.n_bodies):
            for j in range(i):
                yield i, j, self.matter.body(i).X_GB(state).p - self.matter.body(j).X_GB(state).p

    def realize_dynamics(self, state):
        body_forces = self.body_forces(state)
        for i, j, r in self.pairs(state):
            force = state.get(self.strength) * r / norm(r) ** 3
            body_forces[i, 3:] += force
            body_forces[j, 3:] -= force
        mobility_forces = self.mobility_forces(state)
        for body in self.matter.bodies:
            body.my_part_u(state, mobility_forces)[:] -= state.get(self.damping) * body.u(state)

    def calc_potential_energy(self, state):
        return sum(state.get(self.strength) / norm(r) for _, _, r in self.pairs(state))


class RepulsionAsPython(RepulsionSubsystem):
    recordable = False


@pytest.mark.fast("RepulsionAsPython")
@pytest.mark.parametrize("kind", [RepulsionSubsystem, RepulsionAsPython])
def test_a_force_subsystem_applies_the_same_forces_as_a_custom_force(kind):
    """On a mechanism with general frames M on the bodies, and with other forces."""
    rng = np.random.default_rng(23)
    mechanism = random_mechanism(5, n_bodies=6)
    forces = mb.ForceSubsystem(mechanism.system, "twins")
    repulsion = Repulsion(forces, strength=0.8, name="repulsion")
    damper = mb.GlobalDamper(forces, mechanism.matter, damping=0.4, name="twin damper")
    subsystem = kind(mechanism.system, 0.8, 0.4)
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, mb.Stage.ACCELERATION)

    on_bodies, along = subsystem.calc_force_contribution(state)
    scale = 1e-13 * np.abs(on_bodies).max()
    assert_allclose(on_bodies, repulsion.calc_force_contribution(state)[0], atol=scale)
    assert_allclose(along, damper.calc_force_contribution(state)[1], rtol=1e-15)
    assert_allclose(subsystem.potential_energy(state), repulsion.calc_potential_energy_contribution(state), rtol=1e-14)
    u_dot = np.array(state.u_dot)
    repulsion.disable(state)
    damper.disable(state)
    for name in ("strength", "damping"):
        mechanism.system.set_value(state, f"charges.{name}", 2 * subsystem.defaults[name == "damping"])
    mechanism.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(state.u_dot, u_dot, atol=1e-11 * np.abs(u_dot).max())  # the same sums, in another order
    assert_allclose(subsystem.calc_force_contribution(state)[0], 2 * on_bodies, atol=scale)


def test_its_power_is_the_loss_of_its_energy():
    mechanism = random_mechanism(5, n_bodies=6)
    subsystem = RepulsionSubsystem(mechanism.system, 0.8)
    state = mechanism.random_state(np.random.default_rng(17))  # no two origins are so near that differences fail
    mechanism.system.realize(state, mb.Stage.ACCELERATION)
    F, _ = subsystem.calc_force_contribution(state)
    power = sum(F[body.index] @ body.V_GB(state) for body in mechanism.bodies)
    assert abs(power) > 1e-3
    assert_allclose(power, -rate_along_motion(mechanism.system, state, subsystem.potential_energy), rtol=1e-9)  # finite differences


def two_charges(kind, strength=0.8):
    system = mb.MultibodySystem("two charges")
    matter = mb.MatterSubsystem(system)
    for k in (1, 2):
        mb.Translation(matter.ground, mb.MassProperties.point(1.0 * k, [0, 0, 0]), name=f"charge{k}")
    kind(system, strength, 0.1)
    state = system.realize_topology()
    state.q, state.u = [1.0, 0.2, -0.3, -0.4, 0.9, 0.5], [0.1, -0.2, 0.3, 0.2, 0.1, -0.1]
    return system, state


def test_derivatives_include_the_hooks():
    system, state = two_charges(RepulsionSubsystem)
    system.realize(state, mb.Stage.ACCELERATION)
    change = system.directional_derivative(state, ["der(charge1.u)", "potential_energy"], {"charges.strength": 1.0})
    F, _ = system.subsystems[-1].calc_force_contribution(state)
    assert_allclose(change["der(charge1.u)"], F[1, 3:] / 0.8, rtol=1e-13)  # 1 kg; forces are in proportion to the strength
    assert_allclose(change["potential_energy"], system.potential_energy(state) / 0.8, rtol=1e-14)


@pytest.mark.parametrize("recordable", [True, False])
def test_forces_can_be_added_only_at_dynamics(recordable):
    class Early(mb.CustomForceSubsystem):
        def realize_velocity(self, state):
            self.body_forces(state)[1, 3] += 1.0

    Early.recordable = recordable
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]))
    early = Early(system, "early")
    with pytest.raises(
        StageError, match=r"realize_velocity of subsystem 'early' \(Early\): body forces can be added only by the hook of stage DYNAMICS"
    ):
        system.realize(system.realize_topology())
    with pytest.raises(StageError, match="body forces can be added only by the hook of stage DYNAMICS, during a realization"):
        early.body_forces(mb.MultibodySystem("other").realize_topology())


@pytest.mark.parametrize("recordable", [True, False])
def test_values_that_are_not_finite_are_reported_with_the_subsystems_name(recordable):
    class Singular(mb.CustomForceSubsystem):
        def realize_dynamics(self, state):
            self.mobility_forces(state)[0] += np.sqrt(where(state.time > 0.5, -1.0, 1.0))

    Singular.recordable = recordable
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]))
    Singular(system, "singular")
    state = system.realize_topology()
    state.time = 0.75
    message = r"what subsystem 'singular' \(Singular\) applies is not finite at time 0.75 s"
    with pytest.raises(SingularMechanismError, match=message), np.errstate(invalid="ignore"):
        system.realize(state)
