"""Own constraint errors of a subsystem, over its q and u: 0 in runs on all backends and in FMUs; unsatisfiable ones are reported."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import mobod as mb
from mobod.errors import AssemblyError, UnsupportedError
from mobod.scalar import norm


class Bead(mb.CustomSubsystem):
    """A point on a circle in its own q and u, under its own gravity. The circle's radius grows at the rate `growth`."""

    def realize_topology(self, state):
        self.gravity = state.allocate_discrete_variable(self, "gravity", 9.8, mb.Stage.DYNAMICS, label=mb.Label(unit="m/s2"))
        self.growth = state.allocate_discrete_variable(self, "growth", 0.0, mb.Stage.TIME, label=mb.Label(unit="m/s"))
        self.off = state.allocate_q_error(self, 1, "off", label=mb.Label(unit="m"))
        self.leaving = state.allocate_u_error(self, 1, "leaving", label=mb.Label(unit="m/s"))

    def realize_model(self, state):
        state.allocate_q(self, [0.8, -0.6], label=mb.Label(unit="m"))
        state.allocate_u(self, [0.3, 0.4], label=mb.Label(unit="m/s"))

    def of(self, state, name):
        return state.get(state.handle(self, name))

    def realize_position(self, state):
        q = self.of(state, "q")
        state.set_cached(self.off, np.array([norm(q) - 1 - state.get(self.growth) * state.time]))

    def realize_velocity(self, state):
        q, u = self.of(state, "q"), self.of(state, "u")
        state.set_rate(state.handle(self, "q"), u)
        state.set_cached(self.leaving, np.array([q @ u / norm(q) - state.get(self.growth)]))

    def realize_acceleration(self, state):
        q, u = self.of(state, "q"), self.of(state, "u")
        weight = np.array([0.0, -1.0]) * state.get(self.gravity)
        along = (q @ weight + u @ u - state.get(self.growth) ** 2) / (q @ q)  # so that the error's second derivative is 0
        state.set_rate(state.handle(self, "u"), weight - along * q)


def bead(with_linkage=False):
    """with_linkage: adds a ball and a pin whose ends a rod joins; their variables come after the bead's in the State."""
    system = mb.MultibodySystem("bead")
    Bead(system, "bead")
    if with_linkage:
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.8)
        ends = [mb.Ball(matter.ground, mb.MassProperties(1.0, [0, -1, 0], np.diag([1.1, 0.1, 1.1])), name="ball")]
        ends.append(mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), X_PF=mb.Transform(p=[1.0, 0, 0]), name="pin"))
        mb.Rod(ends[0], [0, -1, 0], ends[1], [0, -1, 0], 1.0, name="rod")
        ends[1].set_default_q(0.4)
    return system


def exact(time):
    """The angle from the vertical, by the pendulum's equation."""
    start = np.arctan2(0.8, 0.6)
    return solve_ivp(lambda _, y: [y[1], -9.8 * np.sin(y[0])], (0, time), [start, 0.5], rtol=1e-12, atol=1e-13).y[0, -1]


@pytest.mark.parametrize("with_linkage", [False, True])
@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the projection is what is tested
def test_a_bead_stays_on_its_circle_and_matches_the_equation_of_its_angle(with_linkage):
    system = bead(with_linkage)
    state = system.realize_topology()
    results = mb.Simulation(system, 1e-10).run(state, until=3.0)
    assert_allclose(results["bead.off"], 0, atol=1e-11)  # the constraint tolerance
    assert_allclose(results["bead.leaving"], 0, atol=1e-11)
    angle = exact(3.0)
    assert_allclose(results["bead.q"][-1], [np.sin(angle), -np.cos(angle)], atol=1e-7)  # errors grow over 3 s of motion
    if with_linkage:
        assert_allclose(results["rod.position_error"], 0, atol=1e-11)
        assert np.abs(np.diff(results["pin.q"])).max() > 1e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the start at:mobod.MobodWarning")  # the projection is what is tested
def test_an_fmu_matches_also_beside_a_linkage_and_when_tuned(tmp_path):
    system = bead(True)
    state = system.realize_topology()
    path = mb.export_fmu(system, tmp_path / "bead.fmu", outputs=["bead.q", "pin.q", "bead.off"], state=state)
    system.set_value(state, "bead.gravity", 4.0)
    results = mb.Simulation(system, 1e-11).run(state, until=1.0)
    expected = [*results["bead.q"][-1], results["pin.q"][-1]]
    run = fmpy.simulate_fmu(
        str(path),
        stop_time=1.0,
        output_interval=0.25,
        relative_tolerance=1e-11,
        start_values={"bead.gravity": 4.0},
        output=["bead.q[1]", "bead.q[2]", "pin.q", "bead.off"],
    )
    assert_allclose([run["bead.q[1]"][-1], run["bead.q[2]"][-1], run["pin.q"][-1]], expected, atol=1e-9)
    assert_allclose(run["bead.off"], 0, atol=1e-11)


@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the projection is what is tested
def test_a_nearly_consistent_start_is_corrected():
    system = bead()
    state = system.realize_topology()
    system.set_value(state, "bead.growth", 0.2)
    state.q, state.u = [0.805, -0.601], [0.31, 0.39]
    results = mb.Simulation(system, 1e-9).run(state, until=1.5)
    assert_allclose(np.linalg.norm(results["bead.q"], axis=1), 1 + 0.2 * results.time, atol=1e-10)
    assert_allclose(results["bead.q"][0], np.array([0.805, -0.601]) / np.hypot(0.805, 0.601), atol=1e-9)  # the nearest point


def test_errors_that_no_change_of_q_satisfies_are_reported_by_name():
    class Never(Bead):
        def realize_position(self, state):
            state.set_cached(self.off, np.array([self.of(state, "q") @ self.of(state, "q") + 1.0]))

    system = mb.MultibodySystem("never")
    Never(system, "bead")
    with pytest.raises(AssemblyError, match=r"the position error of 'bead.off' is "):
        mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.1)


class Follower(mb.CustomSubsystem):
    def __init__(self, system, pin, case):
        self.pin, self.case = pin, case
        super().__init__(system, "follower")

    def realize_topology(self, state):
        if self.case == "u_dot":
            state.allocate_u_dot_error(self, 1)
        self.off = state.allocate_q_error(self, 1, "off")

    def realize_model(self, state):
        state.allocate_q(self, [0.5])

    def realize_position(self, state):
        own = state.get(state.handle(self, "q"))[0] if self.case == "own" else 0.0
        state.set_cached(self.off, np.array([self.pin.q(state)[0] - own]))

    def realize_velocity(self, state):
        state.set_rate(state.handle(self, "q"), np.array([0.0]))


def follower(case, recordable=True):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    type("Kind", (Follower,), {"recordable": recordable})(system, pin, case)
    return system


@pytest.mark.filterwarnings("ignore:the start at:mobod.MobodWarning")  # the projection is what is tested
def test_an_error_that_depends_on_a_mobilizer_changes_only_the_subsystem():
    system = follower("own")
    state = system.realize_topology()
    system.matter.body("pin").set_u(state, 0.7)
    results = mb.Simulation(system, 1e-8).run(state, until=1.0)
    assert_allclose(results["follower.q"].ravel(), results["pin.q"], atol=1e-9)
    assert_allclose(results["pin.q"], 0.7 * results.time, atol=1e-12)


@pytest.mark.parametrize(
    ("case", "recordable", "message"),
    [
        ("mobilizer", True, "'off' of subsystem 'follower' do not depend on q of the subsystem, .* write a CustomConstraint"),
        ("u_dot", True, "'u_dot_error' of u_dot, which the engine cannot enforce"),
        ("own", False, "'off', but its hooks run as plain Python, so that the errors have no derivatives"),
    ],
)
def test_errors_that_cannot_be_enforced_are_refused(case, recordable, message):
    with pytest.raises(UnsupportedError, match=message):
        follower(case, recordable).realize_topology()


def test_arrays_of_bodies_do_not_include_the_subsystems_variables():
    """The bead's variables come first in the State."""
    system = bead(True)
    matter = system.matter
    discrete = mb.DiscreteForces(mb.ForceSubsystem(system, "discrete"), matter)
    state = system.realize_topology()
    assert (len(state.q), len(state.u), len(matter.u(state))) == (7, 6, 4)
    discrete.set_mobility_forces(state, [0.1, 0.2, 0.3, 0.4])
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(matter.mobility_forces(state), [0.1, 0.2, 0.3, 0.4], rtol=1e-15)
    discrete.clear(state)
    state.q = [*state.q[:2] * 0.5, *state.q[2:]]
    in_angles = matter.convert_to_euler_angles(state)
    assert_allclose(in_angles.q[:2], [0.4, -0.3], rtol=1e-15)
    for each in (state, in_angles):
        system.realize(each, mb.Stage.ACCELERATION)
    assert_allclose(in_angles.u_dot, state.u_dot, atol=1e-12)
