"""MatterSubsystem: its place in the System, and mechanisms whose accelerations do not exist."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import DuplicateNameError, InputError, SingularMechanismError, StateError
from mobod.system import Stage, Subsystem

MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))


@pytest.fixture
def system():
    return mb.MultibodySystem("crane")


def test_a_system_can_have_only_one_matter(system):
    mb.MatterSubsystem(system)
    with pytest.raises(DuplicateNameError, match="System 'crane' already has a subsystem named 'matter'"):
        mb.MatterSubsystem(system)


def test_a_system_without_matter_raises_an_error_with_a_remedy(system):
    with pytest.raises(InputError, match=r"System 'crane' has no matter. Write MatterSubsystem\(system\) first"):
        _ = system.matter


def test_matter_with_only_ground_can_be_realized(system):
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter)
    state = system.realize_topology()
    system.realize(state)
    assert matter.mass_matrix(state).shape == matter.mass_matrix_inverse(state).shape == (0, 0)
    assert matter.system_jacobian(state).shape == (1, 6, 0)
    assert matter.multiply_by_N(state, []).shape == matter.multiply_by_N_inverse(state, []).shape == (0,)
    assert not matter.composite_body_inertias(state).any()
    assert not matter.momentum_about_ground_origin(state).any()
    assert_array_equal(matter.body_forces(state), np.zeros((1, 6)))
    assert system.energy(state) == 0


def test_ground_does_not_move(system):
    matter = mb.MatterSubsystem(system)
    state = system.realize_topology()
    assert matter.ground.X_GB(state).isclose(mb.Transform(), atol=0)
    assert not matter.ground.V_GB(state).any()
    assert not matter.ground.A_GB(state).any()


def test_energy_before_the_first_state_is_an_error_with_a_remedy(system):
    matter = mb.MatterSubsystem(system)
    with pytest.raises(StateError, match=r"System 'crane' has no States yet. Make one with its realize_topology\(\)"):
        _ = matter.kinetic_energy_entry


class Pusher(Subsystem):
    """Adds a torque to the first speed in its DYNAMICS hook, and reads the accelerations in its ACCELERATION hook."""

    def __init__(self, system):
        super().__init__(system, "pusher")
        self.torque = 0.0
        self.seen = None

    def realize_dynamics(self, state):
        slot = self.system.matter.tree(state.layout).slots.mobility_forces
        state.values[slot.offset] += self.torque

    def realize_acceleration(self, state):
        self.seen = float(state.values[state.layout.u_dot.offset])


@pytest.mark.parametrize("order", ["before the matter", "after the matter"])
def test_all_forces_are_summed_before_the_matter_solves(system, order):
    pusher = Pusher(system) if order == "before the matter" else None
    matter = mb.MatterSubsystem(system)
    pusher = pusher or Pusher(system)
    body = mb.Slider(matter.ground, MASS)
    state = system.realize_topology()
    pusher.torque = 2.6
    system.realize(state, Stage.ACCELERATION)
    assert_allclose(body.u_dot(state), 2.6 / 1.3, rtol=1e-15)
    assert pusher.seen == body.u_dot(state)[0]


# singular mechanisms


def test_a_pin_through_a_point_mass_is_named_as_singular(system):
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, MASS, name="arm")
    mb.Pin(matter.body("arm"), mb.MassProperties.point(1.0, [0, 0, 0.3]), name="needle")
    state = system.realize_topology()
    state.time = 1.5
    with pytest.raises(
        SingularMechanismError, match=r"mobilizer 'needle' \(Pin\) at time 1\.5 s: nothing resists a motion along it.*give them mass"
    ):
        system.realize(state, Stage.ACCELERATION)


def test_the_outermost_massless_body_is_named(system):
    matter = mb.MatterSubsystem(system)
    link = mb.Slider(matter.ground, mb.MassProperties.massless(), name="link")
    mb.Weld(link, mb.MassProperties.massless(), name="tip")
    with pytest.raises(SingularMechanismError, match=r"mobilizer 'link' \(Slider\)"):
        system.realize(system.realize_topology(), Stage.ACCELERATION)


def test_a_force_that_is_not_finite_is_named(system):
    matter = mb.MatterSubsystem(system)
    pusher = Pusher(system)
    mb.Slider(matter.ground, MASS)
    pusher.torque = np.inf
    with pytest.raises(
        SingularMechanismError, match=r"the sum of the generalized forces is not finite at time 0 s.*forces of System 'crane'"
    ):
        system.realize(system.realize_topology(), Stage.ACCELERATION)


def test_overflowing_speeds_are_reported_as_too_large(system):
    matter = mb.MatterSubsystem(system)
    mb.Free(matter.ground, MASS, name="body")
    state = system.realize_topology()
    matter.body("body").set_u(state, [1e200, 2e200, 0, 0, 0, 0])
    with pytest.raises(SingularMechanismError, match=r"accelerations are not finite .*q and u may be too large"):
        system.realize(state, Stage.ACCELERATION)
