"""Adjoint derivatives of FMUs of FMI 3.0: products with the transposed Jacobian, whose columns are directional derivatives."""

import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from numpy.testing import assert_allclose

import mobod as mb
from mobod import measures
from mobod.scalar import where
from tests.analytic.linkage import linkage
from tests.laws.mechanisms import random_mechanism
from tests.unit.simulate.test_delays import feedback

ROUND_OFF = 1e-12  # relative to the sum of the sizes of all terms


class Opened:
    """An instance of an FMU, and the derivatives of it. Variables are given by name; arrays count with all their entries."""

    def __init__(self, path, folder, start_time=0.0):
        description = fmpy.read_model_description(str(path))
        self.variables = {each.name: each for each in description.modelVariables}
        self.slave = FMU3Slave(
            guid=description.guid,
            unzipDirectory=fmpy.extract(str(path), unzipdir=str(folder)),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="it",
        )
        self.slave.instantiate()
        self.slave.enterInitializationMode(startTime=start_time)

    def size(self, names):
        sizes = [[int(dimension.start) for dimension in self.variables[name].dimensions] for name in names]
        return sum(int(np.prod(size)) for size in sizes)

    def references(self, names):
        return [self.variables[name].valueReference for name in names]

    def adjoint(self, unknowns, knowns, seed):
        arguments = self.references(unknowns), self.references(knowns), list(seed)
        return np.array(self.slave.getAdjointDerivative(*arguments, self.size(knowns)))

    def directional(self, unknowns, knowns, seed):
        arguments = self.references(unknowns), self.references(knowns), list(seed)
        return np.array(self.slave.getDirectionalDerivative(*arguments, self.size(unknowns)))

    def jacobian(self, unknowns, knowns):
        return np.array([self.directional(unknowns, knowns, along) for along in np.eye(self.size(knowns))]).T

    @property
    def unknowns(self):
        """All outputs and derivatives of states."""
        return [name for name, each in self.variables.items() if is_real(each) and (each.causality == "output" or each.derivative)]

    @property
    def knowns(self):
        """All states, parameters and inputs, and time."""
        states = {each.derivative.name for each in self.variables.values() if each.derivative is not None}
        kept = [name for name, each in self.variables.items() if is_real(each) and (name in states or is_set(each))]
        return [name for name in kept if not name.startswith("numerics.")]

    def check(self, unknowns, knowns, rng):
        """Check that adjoint derivatives are those of the Jacobian, and return it."""
        jacobian = self.jacobian(unknowns, knowns)
        for _ in range(2):
            seed, along = rng.normal(size=len(jacobian)), rng.normal(size=jacobian.shape[1])
            found = self.adjoint(unknowns, knowns, seed)
            assert_allclose(found, seed @ jacobian, rtol=0, atol=ROUND_OFF * (np.abs(seed) @ np.abs(jacobian)).max())
            changes = self.directional(unknowns, knowns, along)
            assert abs(seed @ changes - found @ along) <= ROUND_OFF * (np.abs(seed * changes).sum() + np.abs(found * along).sum())
        return jacobian

    def close(self):
        self.slave.freeInstance()


def is_real(variable):
    return variable.type == "Float64"


def is_set(variable):
    of_user = variable.causality == "parameter" and variable.variability == "tunable"
    return of_user or variable.causality in ("input", "independent")


@pytest.fixture
def opened(tmp_path):
    """Exports and opens FMUs."""
    found = []

    def made(system, state, outputs, *, code="interpreted", inputs=()):
        path = tmp_path / f"{len(found)}.fmu"
        mb.export_fmu(system, path, outputs=outputs, inputs=inputs, state=state, code=code, fmi_version="3.0")
        found.append(Opened(path, tmp_path / f"unzipped{len(found)}", state.time))
        return found[-1]

    yield made
    for each in found:
        each.close()


def of_mechanism(opened, seed):
    """The FMU of a random mechanism in motion, with all real outputs, and half of its real inputs."""
    mechanism = random_mechanism(seed)
    system, state = mechanism.system, mechanism.random_state(np.random.default_rng(seed))
    variables = [each for each in system.variables(state) if each.type == "real"]
    outputs = [each.name for each in variables if each.role == "output"]
    return opened(system, state, outputs, inputs=[each.name for each in variables if each.role == "input"][::2])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7, pytest.param(22, marks=pytest.mark.slow)])
def test_adjoint_derivatives_are_the_transposed_directional_ones(opened, seed):
    fmu = of_mechanism(opened, seed)
    fmu.slave.exitInitializationMode()
    roles = {fmu.variables[name].causality for name in fmu.knowns}
    assert roles >= {"local", "parameter", "independent", "input"}
    assert fmu.check(fmu.unknowns, fmu.knowns, np.random.default_rng(1)).size > 10_000


def four_bar(*, with_jerk=False):
    """A crank on Ground carries a coupler; a ball joint, of whose rows one is redundant, holds the rocker's end to it."""
    system = mb.MultibodySystem("four-bar")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mass = mb.MassProperties(1.2, [0.2, 0, 0], np.diag([0.01, 0.09, 0.09]))
    crank = mb.Pin(matter.ground, mass, name="crank")
    coupler = mb.Pin(crank, mass, X_PF=mb.Transform(p=[0.3, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, mass, X_PF=mb.Transform(p=[0.7, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [0.6, 0, 0], rocker, [0.5, 0, 0], name="ball")
    if with_jerk:
        felt = measures.Custom(system, lambda state: coupler.A_GB(state), stage=mb.Stage.ACCELERATION, shape=(6,), name="felt")
        measures.Differentiate(system, felt, name="jerk")
    state = system.realize_topology()
    crank.set_q(state, 1.1)
    crank.set_u(state, 2.0)
    coupler.set_q(state, -0.9)
    rocker.set_q(state, 1.9)
    state = mb.Assembler(system).assemble(state, keep=["crank.u"])
    return system, state


def test_constrained_systems_have_adjoint_derivatives(opened):
    made = linkage()
    for system, state, outputs in [
        (*four_bar(), ["ball.multiplier", "coupler.a_GB", "rocker.reaction"]),
        (made.system, made.state, ["ball1.multiplier", "ball2.multiplier", "crank2.reaction", "beam.a_GB"]),
    ]:
        fmu = opened(system, state, outputs)
        fmu.slave.exitInitializationMode()
        jacobian = fmu.check(fmu.unknowns, fmu.knowns, np.random.default_rng(2))
        assert np.count_nonzero(jacobian) > jacobian.size / 5


def sliding(shape, inertia, height, u, transition_speed):
    """A body that slides on a floor, and one whose joint has dry friction that grows with its load, and slips."""
    system = mb.MultibodySystem("sliding")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, 0, -1], magnitude=9.81, name="gravity")
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0.01, 0.02, 0.0], inertia), name="body")
    friction = {"static_friction": 0.4, "dynamic_friction": 0.3, "viscous_friction": 0.02}
    contact = mb.RigidContact(matter.ground, mb.contact.HalfSpace(), body, shape, **friction, name="contact")
    arm = mb.Pin(body, mb.MassProperties(0.5, [0, 0.1, 0], np.diag([0.01, 0.002, 0.01])), X_PF=mb.Transform(p=[0, 0, 0.05]), name="arm")
    load = mb.BearingLoad(friction=0.3, radius=0.1, thrust_radius=0.05, half_distance=0.5)
    mb.JointFriction(matter, arm, limit=0.2, transition_speed=transition_speed, load=load, name="bearing")
    state = system.realize_topology()
    body.set_q(state, [1, 0, 0, 0, 0, 0, height])
    body.set_u(state, u)
    arm.set_u(state, 1.5)
    state = mb.Simulation(system).run(state, until=state.time).final_state
    assert "slip" in contact.modes(state)
    assert "stick" not in contact.modes(state)
    return system, state


@pytest.mark.fast(1)
@pytest.mark.parametrize("corners", [False, True], ids=["a ball", "redundant corners"])
def test_contacts_and_joints_that_slip_have_adjoint_derivatives(opened, corners):
    inertia = np.diag([0.02, 0.03, 0.04])
    shape, u = (
        (mb.contact.Box([0.3, 0.2, 0.1]), [0, 0, 0.7, 1.0, -0.4, 0]) if corners else (mb.contact.Sphere(0.1), [3, -1, 0.7, 1.0, -0.4, 0])
    )
    system, state = sliding(shape, inertia, 0.1, u, 0.5 if corners else None)
    fmu = opened(system, state, ["contact.normal_force", "contact.friction_force", "body.a_GB", "arm.a_GB", "arm.reaction", "bearing.load"])
    fmu.slave.exitInitializationMode()
    jacobian = fmu.check(fmu.unknowns, fmu.knowns, np.random.default_rng(6))

    # rates of the speeds by differences of the same equations
    names = [name for name in fmu.knowns if ".u" in name]
    speeds = fmu.jacobian([f"der({name})" for name in names], names)
    for k, column in enumerate(speeds.T):
        ends = []
        for change in (-1e-6, 1e-6):
            moved = state.copy()
            moved.u = state.u + change * np.eye(7)[k]
            system.realize(moved, mb.Stage.ACCELERATION)
            ends.append(moved.u_dot)
        assert_allclose((ends[1] - ends[0]) / 2e-6, column, rtol=0, atol=1e-6 * np.abs(speeds).max())
    assert np.count_nonzero(jacobian) > jacobian.size / 5


@pytest.mark.slow
def test_compiled_and_interpreted_adjoints_have_the_same_bits(opened):
    made = linkage()
    found = []
    for code in ("interpreted", "compiled"):
        fmu = opened(made.system, made.state, ["ball1.multiplier", "crank2.reaction", "beam.a_GB"], code=code)
        fmu.slave.exitInitializationMode()
        seed = np.random.default_rng(3).normal(size=fmu.size(fmu.unknowns))
        found.append(fmu.adjoint(fmu.unknowns, fmu.knowns, seed))
    assert np.isfinite(found[0]).all()
    assert found[0].any()
    assert found[0].tobytes() == found[1].tobytes()


@pytest.mark.slow
def test_one_known_gives_the_number_that_it_gives_among_others(opened):
    """One is a column, several are computed backwards."""
    fmu = opened(*four_bar(), ["coupler.a_GB"])
    fmu.slave.exitInitializationMode()
    names = [name for name in fmu.knowns if fmu.size([name]) == 1]
    seed = np.random.default_rng(4).normal(size=fmu.size(fmu.unknowns))
    together = fmu.adjoint(fmu.unknowns, names, seed)
    alone = [fmu.adjoint(fmu.unknowns, [name], seed)[0] for name in names]
    assert len(names) == 9
    assert_allclose(together, alone, rtol=0, atol=ROUND_OFF * np.abs(alone).max())


@pytest.mark.slow
def test_adjoint_and_directional_derivatives_do_not_depend_on_earlier_calls(opened):
    fmu = opened(*four_bar(), ["coupler.a_GB"])
    fmu.slave.exitInitializationMode()
    rng = np.random.default_rng(5)
    unknowns, names = ["coupler.a_GB"], ["crank.q", "rocker.u", "gravity.magnitude", "coupler.q"]
    seed, along = rng.normal(size=3), rng.normal(size=4)
    first = fmu.adjoint(unknowns, names, seed), fmu.directional(unknowns, names, along), fmu.adjoint(unknowns, names[1:2], seed)
    fmu.adjoint(fmu.unknowns, fmu.knowns, rng.normal(size=fmu.size(fmu.unknowns)))
    fmu.directional(fmu.unknowns, ["rocker.u"], [1.0])
    again = fmu.adjoint(unknowns, names, seed), fmu.directional(unknowns, names, along), fmu.adjoint(unknowns, names[1:2], seed)
    for a, b in zip(first, again, strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.slow
def test_delayed_values_have_adjoints(opened):
    system, state = feedback()
    fmu = opened(system, state, ["pin.q", "felt late.value", "seen late.value", "ball.a_GB"])
    knowns = [name for name in fmu.knowns if not name.startswith("ball.q")]  # a quaternion's states have other units
    fmu.slave.exitInitializationMode()
    fmu.check(fmu.unknowns, knowns, np.random.default_rng(6))
    fmu.slave.doStep(0.0, 0.2)
    jacobian = fmu.check(fmu.unknowns, knowns, np.random.default_rng(7))
    assert jacobian[:, -1].any() or jacobian[:, 0].any()


@pytest.mark.slow
def test_before_initialization_ends_initial_conditions_are_the_states(opened):
    fmu = opened(*four_bar(), ["coupler.a_GB"])
    starts = [name for name in fmu.variables if name.endswith("_start")]
    states = [name.removesuffix("_start") for name in starts]
    assert len(starts) == 6
    seed = np.random.default_rng(8).normal(size=3)
    before = fmu.adjoint(["coupler.a_GB"], starts, seed)
    assert np.count_nonzero(before) >= 5
    assert before.tobytes() == fmu.adjoint(["coupler.a_GB"], states, seed).tobytes()
    fmu.slave.exitInitializationMode()
    assert not fmu.adjoint(["coupler.a_GB"], starts, seed).any()


def test_columns_decide_where_the_backward_sweep_is_not_finite(opened):
    """The slope of the root is infinite at 0, where `where` chooses the product.

    The backward sweep multiplies it by 0, which is not a number; the columns give the derivatives.
    """
    system = mb.MultibodySystem("root")
    mb.MatterSubsystem(system)
    x, y = (measures.Variable(system, value, name=name) for name, value in (("x", 0.0), ("y", 0.7)))
    root = measures.Custom(system, lambda state: np.sqrt(x.value(state)), stage=mb.Stage.POSITION, name="root")
    chosen = measures.Custom(
        system,
        lambda state: where(x.value(state) > 0, root.value(state), x.value(state) * y.value(state)),
        stage=mb.Stage.VELOCITY,
        name="chosen",
    )
    fmu = opened(system, system.realize_topology(), [f"{chosen.name}.value"], inputs=["x.value", "y.value"])
    fmu.slave.exitInitializationMode()
    assert fmu.adjoint(["chosen.value"], ["x.value", "y.value"], [2.0]).tolist() == [1.4, 0.0]


@pytest.mark.slow
def test_derivatives_that_do_not_exist_are_errors(opened):
    """Such as those of the rate of an acceleration in a loop."""
    fmu = opened(*four_bar(with_jerk=True), ["jerk.value", "coupler.a_GB"])
    fmu.slave.exitInitializationMode()
    fmu.check(["coupler.a_GB"], ["crank.q", "crank.u"], np.random.default_rng(9))
    with pytest.raises(FMICallException):
        fmu.adjoint(["jerk.value"], ["crank.q", "crank.u"], np.ones(6))
    # nothing of that is left
    fmu.check(["coupler.a_GB"], ["crank.q", "crank.u"], np.random.default_rng(9))


@pytest.mark.slow
def test_only_fmus_of_fmi_3_contain_adjoints(tmp_path):
    system, state = four_bar()
    for version, has_adjoints in (("2.0", False), ("3.0", True)):
        path = mb.export_fmu(system, tmp_path / f"{version}.fmu", outputs=[], state=state, code="compiled", fmi_version=version)
        with zipfile.ZipFile(path) as archive:
            files = [name for name in archive.namelist() if name.startswith("sources/adjoint")]
            model = archive.read("sources/model.c").decode()
        assert bool(files) == has_adjoints
        assert ("adjoint" in model) == has_adjoints


@pytest.mark.slow
@pytest.mark.parametrize("seed", [[1.0, float("nan"), 1.0], [1.0, 1.0]])
def test_seeds_that_are_not_finite_or_too_few_are_refused(opened, seed):
    fmu = opened(*four_bar(), ["coupler.a_GB"])
    fmu.slave.exitInitializationMode()
    with pytest.raises(FMICallException):
        fmu.adjoint(["coupler.a_GB"], ["crank.q", "crank.u"], seed)
