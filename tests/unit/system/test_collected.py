"""Deleted objects are freed: no cache keeps a System, its States or a user's elements alive."""

import gc
import weakref

import mobod as mb


class Spring(mb.CustomForce):
    def __init__(self, forces, body):
        super().__init__(forces, name="spring")
        self.body = body

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += -2.0 * self.body.q(state)[0]


def dropped():
    """A weak reference to a System that was used and then released."""
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    rod = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
    Spring(forces, rod)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    system.directional_derivative(state, ["der(rod.u)"], {"rod.q": 1.0})
    return weakref.ref(system)


def test_released_systems_with_users_forces_are_collected():
    references = [dropped() for _ in range(3)]

    gc.collect()

    assert [reference() for reference in references] == [None, None, None]


def test_a_released_state_is_freed_at_once_with_its_numbers():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
    first = system.realize_topology()
    gc.disable()
    try:
        state = first.copy()
        system.realize(state, mb.Stage.ACCELERATION)
        references = weakref.ref(state), weakref.ref(state.values)

        del state

        assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()
