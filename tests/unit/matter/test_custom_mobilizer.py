"""A user's mobilizer defined by its pose alone: twins of every built-in mobilizer, and errors."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from mobod.matter.mobilizers.custom import CustomEquations
from mobod.spatial import rotation_z
from tests.laws.mechanisms import EQUATIONS, MOBILIZERS, random_frame, random_mass


@dataclass(frozen=True)
class Twin(CustomEquations):
    """A mobilizer with the pose of another mobilizer's equations, and the definition of its speeds."""

    of: object

    @property
    def nq(self):
        return self.of.nq

    @property
    def nu(self):
        return self.of.nu

    @property
    def q_units(self):
        return self.of.q_units

    @property
    def u_units(self):
        return self.of.u_units

    @property
    def default_q(self):
        return self.of.default_q

    @property
    def speed_of(self):
        return self.of.speed_of

    @property
    def quaternion_at(self):
        return self.of.quaternion_at

    def X_FM(self, q):
        return self.of.X_FM(q)

    def q_dot(self, q, u):
        return self.of.q_dot(q, u)


def chain(middle):
    """A Free body, the tested mobilizer, and a Pin on it, under gravity."""
    rng = np.random.default_rng(31)
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.3], magnitude=9.8)
    base = mb.Free(matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="base")
    body = middle(base, random_mass(rng), random_frame(rng), random_frame(rng))
    mb.Pin(body, random_mass(rng), random_frame(rng), random_frame(rng), name="tip")
    return system


def accelerations(system):
    state = system.realize_topology()
    rng = np.random.default_rng(32)
    state.q, state.u = rng.uniform(0.3, 0.9, size=len(state.q)), rng.normal(size=len(state.u))
    system.realize(state, mb.Stage.ACCELERATION)
    return np.array(state.q_dot), np.array(state.u_dot)


@pytest.mark.parametrize("name", MOBILIZERS)
@pytest.mark.fast(8)
def test_custom_mobilizers_match_the_built_in_ones(name):
    is_reversed = list(MOBILIZERS).index(name) % 2 == 1
    equations = EQUATIONS[name]
    built_in = chain(lambda *arguments: MOBILIZERS[name](*arguments, name="middle", reversed=is_reversed))
    custom = chain(
        lambda parent, body, X_PF, X_BM: mb.CustomMobilizer(parent, body, Twin(equations), X_PF, X_BM, name="middle", reversed=is_reversed)
    )
    for ours, expected in zip(accelerations(custom), accelerations(built_in), strict=True):
        assert_allclose(ours, expected, atol=1e-10 * max(1, np.abs(expected).max()))


@dataclass(frozen=True)
class Slot(CustomEquations):
    """A hinge that slides along a parabola as it turns: (q, bend q^2, 0), turned by q about z."""

    bend: float

    nq = 1
    q_units = ("rad",)
    parameters = (mb.Parameter(name="bend", unit="m/rad2", description="bend of the slot"),)

    def X_FM(self, q):
        return mb.Transform.of(rotation_z(q[0]), np.array([q[0], self.bend * q[0] ** 2, 0]))


def slotted():
    rng = np.random.default_rng(5)
    system = mb.MultibodySystem("slot")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
    body = mb.CustomMobilizer(matter.ground, random_mass(rng), Slot(0.4), random_frame(rng), random_frame(rng), name="body")
    return system, body


def test_a_mobilizer_defined_only_by_its_pose_conserves_energy():
    system, body = slotted()
    state = system.realize_topology()
    body.set_q(state, 0.3)
    system.realize(state, mb.Stage.VELOCITY)
    before = system.energy(state)
    end = mb.Simulation(system, 1e-10).run(state, until=2.0).final_state
    system.realize(end, mb.Stage.VELOCITY)
    assert abs(body.q(end)[0] - 0.3) > 0.01
    assert_allclose(system.energy(end), before, atol=1e-8)  # some hundred steps, each right to 1e-10 of the state


def test_its_parameter_can_be_tuned_and_its_pose_fitted():
    system, body = slotted()
    state = system.realize_topology()
    system.set_value(state, "body.bend", 0.9)
    body.set_q(state, 0.5)
    system.realize(state, mb.Stage.POSITION)
    assert_allclose(body.X_FM(state).p, [0.5, 0.9 * 0.25, 0], atol=1e-15)
    body.set_q_to_fit_transform(state, mb.Transform(rotation_z(-0.7), [-0.7, 0.9 * 0.49, 0]))
    assert_allclose(body.q(state), -0.7, atol=1e-7)


@dataclass(frozen=True)
class Skewed(CustomEquations):
    nq = 1

    def X_FM(self, q):
        return mb.Transform.of(np.diag([1.0, 2.0, 1.0]), np.zeros(3))


@dataclass
class Mutable(CustomEquations):
    nq = 1

    def X_FM(self, q):
        return mb.Transform.of(rotation_z(q[0]), np.zeros(3))


@dataclass(frozen=True)
class Miscounted(CustomEquations):
    nq = 2
    q_units = ("rad",)

    def X_FM(self, q):
        return mb.Transform.of(rotation_z(q[0]), np.zeros(3))


@pytest.mark.fast(3)
@pytest.mark.parametrize(
    ("equations", "message"),
    [
        (Skewed(), "X_FM of Skewed is not a pose at default_q: R R\\^T differs from 1 by 3"),
        (Mutable(), "Mutable has no hash"),
        (Miscounted(), "q_units of Miscounted has 1 entries, not 2"),
        (3.0, "the equations are CustomEquations, not float"),
    ],
)
def test_invalid_equations_are_refused_by_name(equations, message):
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    with pytest.raises(InputError, match=f"CustomMobilizer 'mine': {message}"):
        mb.CustomMobilizer(matter.ground, mb.MassProperties.point(1.0, [0, 1, 0]), equations, name="mine")
    assert matter.bodies == []
