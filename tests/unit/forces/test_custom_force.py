"""Users' forces are recorded, compiled, tuned and checked like built-in ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import ElementError, InputError, RecordingError, StageError
from mobod.laws.differences import rate_along_motion
from mobod.scalar import norm, where
from tests.laws.mechanisms import random_mechanism
from tests.reference.seed_elements import Repulsion


class Spring(mb.CustomForce):
    """A twin of TwoPointLinearSpring and TwoPointLinearDamper between the origin of a body and that of Ground."""

    parameters = (
        mb.ForceParameter(name="stiffness", unit="N/m", description="stiffness", minimum=0.0),
        mb.ForceParameter(name="damping", unit="N.s/m", description="damping", minimum=0.0),
    )

    def __init__(self, forces, body, *, stiffness, damping, name=None):
        self.body = body
        super().__init__(forces, {"stiffness": stiffness, "damping": damping}, name=name)

    def stretch(self, state):
        return norm(self.body.X_GB(state).p) - 0.5

    def rate(self, state):
        p = self.body.X_GB(state).p
        return p @ self.body.V_GB(state)[3:] / norm(p)

    def calc_force(self, state, body_forces, mobility_forces):
        p = self.body.X_GB(state).p
        size = self.parameter(state, "stiffness") * self.stretch(state) + self.parameter(state, "damping") * self.rate(state)
        body_forces[self.body.index, 3:] -= size * p / norm(p)

    def calc_potential_energy(self, state):
        return self.parameter(state, "stiffness") * self.stretch(state) ** 2 / 2

    def calc_power_dissipation(self, state):
        return self.parameter(state, "damping") * self.rate(state) ** 2


@pytest.fixture
def rng():
    return np.random.default_rng(17)


@pytest.fixture
def mechanism():
    return random_mechanism(3, n_bodies=6)


def test_a_custom_spring_matches_the_built_in_ones(mechanism, rng):
    forces = mb.ForceSubsystem(mechanism.system, "custom")
    body, ground = mechanism.bodies[-1], mechanism.matter.ground
    custom = Spring(forces, body, stiffness=12.0, damping=0.7, name="custom spring")
    spring = mb.TwoPointLinearSpring(forces, ground, [0, 0, 0], body, [0, 0, 0], stiffness=12.0, rest_length=0.5)
    damper = mb.TwoPointLinearDamper(forces, ground, [0, 0, 0], body, [0, 0, 0], damping=0.7)
    state = mechanism.random_state(rng)
    mechanism.system.realize(state, mb.Stage.ACCELERATION)

    expected = spring.calc_force_contribution(state)[0] + damper.calc_force_contribution(state)[0]
    ours = custom.calc_force_contribution(state)[0]
    assert_allclose(ours[1:], expected[1:], atol=1e-13 * np.abs(expected).max())  # Ground's own is not written by the custom one
    assert_allclose(custom.calc_potential_energy_contribution(state), spring.calc_potential_energy_contribution(state), rtol=1e-13)
    assert_allclose(custom.calc_power_dissipation_contribution(state), damper.calc_power_dissipation_contribution(state), rtol=1e-12)


def test_its_power_is_the_loss_of_its_energy(mechanism, rng):
    forces = mb.ForceSubsystem(mechanism.system, "custom")
    repulsion = Repulsion(forces, strength=0.8, name="repulsion")
    state = mechanism.random_state(rng)
    system = mechanism.system
    system.realize(state, mb.Stage.ACCELERATION)

    on_bodies, along = repulsion.calc_force_contribution(state)
    power = sum(F @ body.V_GB(state) for F, body in zip(on_bodies[1:], mechanism.bodies, strict=True))
    assert not along.any()
    loss = rate_along_motion(system, state, repulsion.calc_potential_energy_contribution)
    assert_allclose(power, -loss, rtol=1e-9)  # finite differences (see rate_along_motion)


def test_a_custom_force_can_be_tuned_and_disabled(mechanism, rng):
    forces = mb.ForceSubsystem(mechanism.system, "custom")
    repulsion = Repulsion(forces, strength=0.8, name="repulsion")
    state = mechanism.random_state(rng)
    system = mechanism.system
    system.realize(state, mb.Stage.DYNAMICS)
    one = repulsion.calc_force_contribution(state)[0]
    system.set_value(state, "repulsion.strength", 1.6)
    system.realize(state, mb.Stage.DYNAMICS)
    assert_allclose(repulsion.calc_force_contribution(state)[0], 2 * one, rtol=1e-14)
    assert repulsion.parameter(state, "strength") == 1.6
    repulsion.disable(state)
    system.realize(state, mb.Stage.DYNAMICS)
    assert not repulsion.calc_force_contribution(state)[0].any()


class Undecided(mb.CustomForce):
    def calc_force(self, state, body_forces, mobility_forces):
        if state.q[0] > 0:
            mobility_forces[0] += 1.0


class Late(mb.CustomForce):
    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += self.matter.bodies[0].u_dot(state)[0]


class Decided(mb.CustomForce):
    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += where(state.q[0] > 0, state.time, -2.0)


def pin_with(kind, **keywords):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    kind(mb.ForceSubsystem(system), name="mine", **keywords)
    return system, pin


def test_code_that_cannot_be_recorded_is_reported_with_the_forces_name():
    with pytest.raises(RecordingError, match=r"calc_force of force 'mine' \(Undecided\)"):
        pin_with(Undecided)[0].realize_topology()
    with pytest.raises(StageError, match=r"calc_force of force 'mine' \(Late\): u_dot of 'pin' is computed at ACCELERATION"):
        pin_with(Late)[0].realize_topology()
    with pytest.raises(InputError, match=r"Decided: its parameters are \[\], but defaults are given for \['size'\]"):
        pin_with(Decided, defaults={"size": 1.0})


def test_an_exception_during_recording_names_the_force():
    class Broken(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[7] += 1.0

    with pytest.raises(ElementError, match=r"calc_force of force 'mine' \(Broken\) failed while it was recorded: IndexError"):
        pin_with(Broken)[0].realize_topology()


@pytest.mark.parametrize("as_text", [False, True])
def test_where_decides_in_each_evaluation(as_text):
    system, pin = pin_with(Decided)
    system.as_text = as_text
    state = system.realize_topology()
    state.time = 0.7
    for q, force in ((0.1, 0.7), (-0.1, -2.0)):
        pin.set_q(state, q)
        system.realize(state, mb.Stage.ACCELERATION)
        assert_allclose(pin.u_dot(state), force, rtol=1e-14)  # mass 1 kg at 1 m


@pytest.mark.parametrize("is_recordable", [True, False])
def test_returning_a_force_instead_of_adding_it_is_an_error(is_recordable):
    class Returning(mb.CustomForce):
        recordable = is_recordable

        def calc_force(self, state, body_forces, mobility_forces):
            return [1.0]

    system, _ = pin_with(Returning)
    with pytest.raises(InputError, match=r"calc_force of force 'mine' \(Returning\): it returns something\. Add forces to"):
        system.realize(system.realize_topology(), mb.Stage.ACCELERATION)


def test_a_misspelled_hook_is_reported_at_class_definition():
    with pytest.raises(InputError, match=r"Slip: nothing calls its 'calc_potential_enrgy'\. Did you mean 'calc_potential_energy'\?"):

        class Slip(mb.CustomForce):
            def calc_potential_enrgy(self, state):
                return 0.0

    with pytest.raises(InputError, match=r"Lag: nothing calls its 'realize_aceleration'\. Did you mean 'realize_acceleration'\?"):

        class Lag(mb.CustomSubsystem):
            def realize_aceleration(self, state):
                pass

    class Named(mb.CustomSubsystem):
        def calc_charge(self, state):  # of its own, and like none
            pass
