"""check_element finds inconsistencies of users' elements, and none in correct elements."""

from dataclasses import dataclass

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError
from mobod.scalar import is_recorded, norm
from mobod.spatial import from_quaternion, rotation_x, rotation_z
from tests.laws.loops import CONSTRAINTS, random_loops
from tests.laws.mechanisms import FORCES, MOBILIZERS, random_mass, random_mechanism
from tests.reference.seed_elements import DistanceEquations, DistanceEquationsOfTheSeed, Repulsion


def two_bodies():
    system = mb.MultibodySystem("two")
    matter = mb.MatterSubsystem(system)
    for k in (1, 2):
        mb.Translation(matter.ground, mb.MassProperties.point(1.0 * k, [0, 0, 0]), name=f"body {k}")
    return system, matter, mb.ForceSubsystem(system)


def only_problem(element, **keywords):
    check = mb.check_element(element, **keywords)
    assert not check.is_consistent
    (problem,) = check.problems
    assert problem in str(check)
    return problem


# seed 000's own elements


def test_the_repulsion_is_consistent_but_not_with_the_energy_of_the_seed():
    _, _, forces = two_bodies()
    assert mb.check_element(Repulsion(forces, strength=0.7)).problems == ()
    wrong = Repulsion(forces, strength=0.7, sign=-1, name="wrong")
    assert only_problem(wrong).startswith("the potential energy has the wrong sign: it grows by ")


def test_the_wrong_rate_of_the_seeds_distance_constraint_is_reported():
    _, matter, _ = two_bodies()
    assert mb.check_element(mb.CustomConstraint(DistanceEquations(0.7), matter.bodies)).problems == ()
    problem = only_problem(mb.CustomConstraint(DistanceEquationsOfTheSeed(0.7), matter.bodies, name="wrong"))
    assert problem.startswith("position_rates of DistanceEquationsOfTheSeed are not the derivative of position_errors (here ")


# what mobod itself has is consistent


@pytest.mark.fast("LinearBushing")
@pytest.mark.parametrize("name", FORCES)
def test_built_in_forces_are_consistent(name):
    mechanism = random_mechanism(7, n_bodies=5)
    assert mb.check_element(mechanism.forces[name], n_states=2).problems == ()


@pytest.mark.parametrize("name", MOBILIZERS)
@pytest.mark.fast(8)
def test_built_in_mobilizers_are_consistent(name):
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    for is_reversed in (False, True):
        body = MOBILIZERS[name](matter.ground, random_mass(np.random.default_rng(3)), name=f"{is_reversed}", reversed=is_reversed)
        assert mb.check_element(body, n_states=3).problems == ()


@pytest.mark.slow
def test_built_in_constraints_are_consistent():
    loops = random_loops(64, n_bodies=12)  # one constraint at a time needs no more
    states = [loops.mechanism.random_state(np.random.default_rng(5))]
    for name in CONSTRAINTS:
        for other, constraint in loops.constraints.items():  # all at once ask for more motions than there are
            (constraint.enable if other == name else constraint.disable)(states[0])
        assert mb.check_element(loops.constraints[name], states).problems == (), name


# slips


class Lossy(mb.CustomForce):
    """A spring with half its potential energy, or with undeclared friction."""

    def __init__(self, forces, slip, **keywords):
        self.slip = slip
        super().__init__(forces, **keywords)

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] -= 3.0 * state.q[0]
        if self.slip in ("friction", "negative"):
            mobility_forces[0] -= 0.7 * state.u[0]

    def calc_potential_energy(self, state):
        return 3.0 * state.q[0] ** 2 / (1 if self.slip == "half" else 2)

    def calc_power_dissipation(self, state):
        return (-0.7 if self.slip == "negative" else 0.0) * state.u[0] ** 2


@pytest.mark.parametrize("slip", ["half", "friction"])
def test_a_wrong_power_is_reported_with_its_amount(slip):
    _, _, forces = two_bodies()
    assert "W come from nowhere" in only_problem(Lossy(forces, slip))


def test_a_negative_dissipation_is_reported_with_the_wrong_power():
    _, _, forces = two_bodies()
    problems = mb.check_element(Lossy(forces, "negative")).problems
    assert len(problems) == 2
    assert problems[0].startswith("the power dissipation is negative")


@dataclass(frozen=True)
class WrongForces(DistanceEquations):
    factor: float

    def constraint_forces(self, motion, multipliers):
        r = motion.X[1].p - motion.X[0].p
        F = np.concatenate([np.zeros(3), self.factor * multipliers[0] * r / norm(r)])
        return [-F, F], []


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("factor", "told"), [(-1.0, "They have the wrong sign."), (2.0, "are not the transpose of the errors' derivative")]
)
def test_constraint_forces_that_are_not_the_transpose_are_reported(factor, told):
    _, matter, _ = two_bodies()
    assert mb.check_element(mb.CustomConstraint(WrongForces(0.7, 1.0), matter.bodies)).problems == ()
    assert told in only_problem(mb.CustomConstraint(WrongForces(0.7, factor), matter.bodies))


@dataclass(frozen=True)
class Quadratic(mb.ConstraintEquations):
    acceleration_units = ("m2/s4",)

    def acceleration_errors(self, motion):
        return np.array([motion.A[0][3] * motion.A[1][4]])


def test_nonlinear_acceleration_errors_are_reported():
    _, matter, _ = two_bodies()
    forces = mb.CustomConstraint(Quadratic(), matter.bodies, name="quadratic")
    assert only_problem(forces).startswith("acceleration_errors of Quadratic are not linear in A and u_dot")


@dataclass(frozen=True)
class Screw(mb.CustomEquations):
    """A screw; slip: the error that is built in."""

    slip: str

    nq = 1

    def X_FM(self, q):
        R = rotation_z(q[0])
        return mb.Transform.of(R * 1.1 if self.slip == "no rotation" and not _is_zero(q[0]) else R, np.array([0, 0, 0.3 * q[0]]))

    def H_FM(self, q):
        if self.slip == "wrong H":
            return np.array([[0, 0, 1, 0, 0, -0.3]]).T
        return np.array([[0, 0, 1, 0, 0, 0.3]]).T

    def H_dot_u(self, q, u):
        return np.array([0, 0, 0, 0, 0, u[0] ** 2]) if self.slip == "wrong Hdot" else np.zeros(6)

    def q_dot(self, q, u):
        return {"not linear": np.array([u[0] * (1 + 0.1 * u[0])]), "not its speed": np.array([2 * u[0]])}.get(self.slip, u)


def _is_zero(q):
    return not is_recorded(q) and q == 0


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        ("no rotation", "R of X_FM of Screw is no rotation: R R^T is off by 0.21"),
        ("wrong H", "H_FM of Screw is not how X_FM moves"),
        ("wrong Hdot", "H_dot_u of Screw is not the rate of H_FM times u"),
        ("not linear", "q_dot of Screw is not linear in u"),
        ("not its speed", "speed_of of Screw says that the rate of coordinate 0 is speed 0"),
    ],
)
def test_errors_of_a_mobilizer_are_reported(slip, told):
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    body = mb.CustomMobilizer(matter.ground, mb.MassProperties.point(1.0, [0, 1, 0]), Screw(slip), name="screw")
    assert any(problem.startswith(told) for problem in mb.check_element(body).problems)


@dataclass(frozen=True)
class Twice(mb.CustomEquations):
    """Two coordinates that turn about the same axis."""

    nq = 2

    def X_FM(self, q):
        return mb.Transform.of(rotation_x(q[0] + 2 * q[1]), np.zeros(3))


@dataclass(frozen=True)
class Stretched(mb.CustomEquations):
    """A mobilizer whose pose depends on the length of its quaternion."""

    has_quaternion = True
    nq = 4

    def X_FM(self, q):
        turn = rotation_z(0.2 * (q @ q - 1))
        return mb.Transform.of(from_quaternion(q) @ turn, np.zeros(3))


@pytest.mark.slow
def test_dependent_speeds_and_length_dependent_quaternions_are_reported():
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    body = mb.CustomMobilizer(matter.ground, mb.MassProperties.point(1.0, [0, 1, 0]), Twice(), name="twice")
    assert any("do not move M independently: the rank of H_FM is 1" in problem for problem in mb.check_element(body).problems)
    mass = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))
    body = mb.CustomMobilizer(matter.ground, mass, Stretched(), name="stretched")
    assert any("depends on the length of its quaternion" in problem for problem in mb.check_element(body).problems)


class WrongSlope(mb.Function):
    def value(self, x):
        return np.sin(x[0])

    def derivative(self, components, x):
        return np.cos(x[0]) * 1.01


def test_functions_are_checked_alone_and_in_elements():
    assert mb.check_element(mb.functions.Sinusoid(0.7, 1.9, 0.4)).is_consistent
    assert "derivative" in only_problem(WrongSlope(max_derivative_order=1))
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    zero = mb.functions.Constant(0.0)
    body = mb.FunctionBased(
        matter.ground,
        mb.MassProperties(1.0, [0, 0, 0], np.eye(3)),
        functions=[WrongSlope(max_derivative_order=2), *[zero] * 5],
        coordinate_indices=[[0], [], [], [], [], []],
    )
    assert any("WrongSlope" in problem for problem in mb.check_element(body).problems)


class TypeDependent(mb.CustomForce):
    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += 1.0 if is_recorded(state.q) else 2.0


def test_code_that_behaves_differently_while_recorded_is_reported():
    _, _, forces = two_bodies()
    assert only_problem(TypeDependent(forces)).startswith("'mobility_forces' differs between what is recorded and plain numbers")


class Wrong(mb.CustomForceSubsystem):
    def realize_dynamics(self, state):
        self.mobility_forces(state)[0] -= 2 * state.q[0]

    def calc_potential_energy(self, state):
        return -(state.q[0] ** 2)


def test_subsystems_are_checked_as_forces_are():
    system, _, _ = two_bodies()
    assert only_problem(Wrong(system, "wrong")).startswith("the potential energy has the wrong sign")


@pytest.mark.slow
def test_an_object_that_is_not_an_element_is_refused():
    with pytest.raises(
        InputError,
        match="check_element takes a force, a constraint, a mobilized body, a motion, a measure, a custom subsystem or a function",
    ):
        mb.check_element("wrong")
