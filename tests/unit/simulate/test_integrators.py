"""The integration methods of the C runtime: accuracy within steps, stiff systems, and when 'auto' changes the method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import start_values
from mobod.errors import InputError, IntegrationError
from mobod.runtime.integrators import INTEGRATORS, METHODS, methods_used
from mobod.scalar import where
from mobod.simulate.native_model import native_model

# Within steps


class Driven(mb.CustomSubsystem):
    """x' = -lambda (x - cos t) - sin t, with the solution cos t + (start - 1) exp(-lambda t)."""

    def __init__(self, system, fast, start=1.0, slow_from=np.inf):
        super().__init__(system, "driven")
        self.fast, self.start, self.slow_from = fast, start, slow_from

    def realize_model(self, state):
        state.allocate_z(self, self.start, "x")

    def realize_acceleration(self, state):
        x = state.handle(self, "x")
        rate = where(state.time < self.slow_from, self.fast, 1.0)
        state.set_rate(x, -rate * (state.get(x) - np.cos(state.time)) - np.sin(state.time))


def driven(**options):
    system = mb.MultibodySystem("driven")
    mb.MatterSubsystem(system)
    Driven(system, **options)
    return system, system.realize_topology()


def pendulums(n=2, down=(0.3, -1.0, 0.1)):
    system = mb.MultibodySystem("pendulums")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=list(down))
    body = matter.ground
    inertia = mb.Inertia(np.diag([0.3, 0.02, 0.31]))
    for i in range(n):
        rod = mb.MassProperties(1.0, [0, -0.5, 0], inertia)
        body = mb.Pin(body, rod, X_PF=mb.Transform(p=[0, -1.0 if i else 0, 0]), name=f"pin{i}")
    state = system.realize_topology()
    state.q = np.linspace(0.4, 0.9, n)
    return system, state


@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.parametrize("accuracy", [1e-4, 1e-7])
def test_reports_within_steps_are_as_accurate_as_the_steps(integrator, accuracy):
    system, state = pendulums()
    exact = mb.Simulation(system, 1e-13, integrator="DOP853", backend="interpreted").run(state, 1.5, report_every=0.01)
    results = mb.Simulation(system, accuracy, integrator=integrator, backend="interpreted").run(state, 1.5, report_every=0.01)
    assert results.integrator == integrator
    assert_allclose(results.y, exact.y, atol=200 * accuracy)  # some hundred steps, or interpolation errors, which are not estimated


@pytest.mark.parametrize("integrator", ["DOP853", "Rodas5P"])
def test_interpolation_does_not_change_steps(integrator):
    system, state = pendulums()
    simulation = mb.Simulation(system, 1e-6, integrator=integrator, backend="interpreted")
    with_reports, without = simulation.run(state, 1.0, report_every=0.01), simulation.run(state, 1.0)
    assert_array_equal(with_reports.final_state.y, without.final_state.y)


@pytest.mark.parametrize("integrator", METHODS)
def test_crossings_are_found_at_their_exact_times(integrator):
    """Also within a step: one of DOP853 is sampled in 7 parts, so that two crossings in one step are found."""
    system, state = driven(fast=1.0)
    heard = []
    mb.TriggeredEventReporter.of(system, lambda state: state.z[0] - 0.5, lambda state: heard.append(state.time), name="half")
    state = system.realize_topology()
    mb.Simulation(system, 1e-9, integrator=integrator, backend="interpreted").run(state, 6.0)
    assert_allclose(heard, [np.pi / 3, 5 * np.pi / 3], atol=1e-7)


# Stiff systems


class Robertson(mb.CustomSubsystem):
    """Three reactions. Source: Hairer & Wanner II, IV.1"""

    def realize_model(self, state):
        for name, start in zip("abc", (1.0, 0.0, 0.0), strict=True):
            state.allocate_z(self, start, name)

    def realize_acceleration(self, state):
        handles = [state.handle(self, name) for name in "abc"]
        a, b, c = (state.get(each) for each in handles)
        slow, back, fast = 0.04 * a, 1e4 * b * c, 3e7 * b * b
        for handle, rate in zip(handles, (back - slow, slow - back - fast, fast), strict=True):
            state.set_rate(handle, rate)


class VanDerPol(mb.CustomSubsystem):
    """Source: Hairer & Wanner II, IV.10"""

    def realize_model(self, state):
        state.allocate_z(self, 2.0, "x")
        state.allocate_z(self, 0.0, "v")

    def realize_acceleration(self, state):
        x, v = (state.handle(self, name) for name in "xv")
        state.set_rate(x, state.get(v))
        state.set_rate(v, 1e6 * ((1 - state.get(x) ** 2) * state.get(v) - state.get(x)))


def subsystem_alone(kind):
    system = mb.MultibodySystem("alone")
    mb.MatterSubsystem(system)
    kind(system, "alone")
    return system, system.realize_topology()


@pytest.mark.parametrize("integrator", ["auto", "Rodas5P"])
def test_robertson_s_reactions(integrator):
    system, state = subsystem_alone(Robertson)
    results = mb.Simulation(system, 1e-8, integrator=integrator, backend="interpreted").run(state, 40.0)
    # CVODE's example cvRoberts_dns with tolerances of 1e-14
    assert_allclose(results.y[-1], [0.7158270687, 9.185534764e-6, 0.2841637457], atol=5e-8)  # error of some tens of steps
    assert_allclose(results.y[-1, 1], 9.185534764e-6, rtol=1e-6)  # it is in equilibrium with the others
    assert results.evaluations < 1000  # an explicit method needs some hundred thousand
    assert "Rodas5P" in results.integrator


@pytest.mark.parametrize("integrator", ["auto", "Rodas5P"])
def test_van_der_pol_s_oscillator(integrator):
    system, state = subsystem_alone(VanDerPol)
    results = mb.Simulation(system, 1e-8, integrator=integrator, backend="interpreted").run(state, 2.0)
    # the reference solution of Mazzia & Magherini, Test Set for IVP Solvers (2008)
    assert_allclose(results.y[-1], [1.706167732170483, -0.8928097010247975], atol=1e-7)
    assert results.evaluations < 30000  # an explicit method needs some million


@pytest.mark.parametrize("integrator", METHODS)
def test_the_error_of_a_stiff_equation_follows_the_accuracy(integrator):
    system, state = driven(fast=1e3, start=1.5)
    for accuracy in (1e-3, 1e-6):
        results = mb.Simulation(system, accuracy, integrator=integrator, backend="interpreted").run(state, 1.0)
        exact = np.cos(results.time) + 0.5 * np.exp(-1e3 * results.time)
        assert_allclose(results.y[:, 0], exact, atol=10 * accuracy)


def mounted_pendulum():
    """A pendulum on a block in a stiff rubber mount, whose decay rates are 50 1/s and up to 1.6e5 1/s."""
    system = mb.MultibodySystem("mounted")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0])
    block = mb.Bushing(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia(np.diag([0.1, 0.12, 0.15]))), name="block")
    mb.LinearBushing(forces, matter.ground, block, stiffness=1e6, damping=2e4, name="mount")
    rod = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia(np.diag([0.34, 0.01, 0.34])))
    mb.Pin(block, rod, X_PF=mb.Transform(p=[0.05, -0.1, 0.02]), name="pendulum")
    state = system.realize_topology()
    system.set_value(state, "pendulum.q", 0.4)
    return system, state


def test_auto_needs_few_steps_for_a_stiff_mount():
    system, state = mounted_pendulum()
    exact = mb.Simulation(system, 1e-10, integrator="Rodas5P", backend="interpreted").run(state, 2.0)
    results = mb.Simulation(system, 1e-6, backend="interpreted").run(state, 2.0)
    assert results.integrator == "RK45 and Rodas5P"
    assert results.evaluations < 1500  # RK45 alone takes 560,000
    assert_allclose(results.y[-1], exact.y[-1], atol=1e-5)


@pytest.mark.slow
def test_compiled_and_interpreted_tangents_give_the_same_bits():
    system, state = mounted_pendulum()
    compiled, interpreted = (
        mb.Simulation(system, 1e-5, backend=each).run(state, 0.5, report_every=0.05) for each in ("compiled", "interpreted")
    )
    assert compiled.integrator == interpreted.integrator == "RK45 and Rodas5P"
    assert_array_equal(compiled.y, interpreted.y)


def test_auto_selects_by_accuracy_without_stiffness():
    system, state = pendulums()
    assert mb.Simulation(system, 1.01e-8, backend="interpreted").run(state, 0.5).integrator == "RK45"
    assert mb.Simulation(system, 1e-8, backend="interpreted").run(state, 0.5).integrator == "DOP853"


def test_auto_switches_back_when_the_system_is_not_stiff_any_more():
    system, state = driven(fast=1e5, slow_from=1.0)
    with open_native(native_model(system, state, "interpreted"), start_values(state), 1e-6) as run:
        methods = []
        for until in (0.5, 1.0, 8.0, 12.0):
            time, used = -1.0, 0
            while time < until:
                integration, times, *_ = run.run(until, report_times=None, most_steps=100, most_rows=100)
                used |= integration.methods
                time = times[-1] if len(times) else time
            methods.append(methods_used(used))
        assert_allclose(run.values()[system.realize_topology().layout.y.slice], np.cos(12.0), atol=1e-5)
    assert methods[:2] == [("RK45", "Rodas5P"), ("Rodas5P",)]
    assert methods[3] == ("RK45",)


def test_an_oscillation_limited_by_accuracy_is_not_treated_as_stiff():
    system = mb.MultibodySystem("spring")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.Slider(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia(np.diag([1.0, 1, 1]))), name="mass")
    mb.MobilityLinearSpring(forces, mass, stiffness=1e6)
    state = system.realize_topology()
    state.q = [0.3]
    results = mb.Simulation(system, 1e-6, backend="interpreted").run(state, 1.0)
    assert results.integrator == "RK45"
    assert_allclose(results.y[-1, 0], 0.3 * np.cos(1e3), atol=1e-2)  # 3000 steps


# Special cases of implicit steps


def test_cyclic_coordinates_are_supported():
    system, state = pendulums(down=(0, -1, 0))
    matter = system.matter
    mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia(np.diag([0.1, 0.1, 0.2]))), name="wheel")
    state = system.realize_topology()
    state.q, state.u = [0.5, 0.7, 0.0], [0.0, 0.0, 30.0]
    system.realize(state, mb.Stage.ACCELERATION)
    results = mb.Simulation(system, 1e-6, integrator="Rodas5P", backend="interpreted").run(state, 50.0)
    assert_allclose(results["wheel.q"], 30 * results.time, rtol=1e-12)
    assert_allclose(results["energy"], results["energy"][0], atol=2e-3)  # of 30 J, after 2000 steps


@pytest.mark.slow
def test_rows_of_constraints_and_quaternions_hold_after_implicit_steps():
    system = mb.MultibodySystem("loop")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0])
    solid = mb.MassProperties(1.3, [0.1, -0.2, 0.05], mb.Inertia(np.diag([0.2, 0.15, 0.25])))
    first = mb.Ball(matter.ground, solid, name="first")
    second = mb.Free(first, solid, name="second")
    rod = mb.Rod(first, [0.3, 0, 0], second, [0, 0.2, 0], 0.8)
    mb.LinearBushing(forces, first, second, stiffness=[0, 0, 0, 40, 40, 40], damping=[3e3, 3e3, 3e3, 4e3, 4e3, 4e3])
    state = system.realize_topology()
    second.set_q(state, [1, 0.1, 0, 0.2, 0.9, -0.3, 0.2])
    state.u = np.linspace(-0.5, 0.8, len(state.u))
    state = mb.Assembler(system).assemble(state, keep=["first.u"])
    exact = mb.Simulation(system, 1e-9, integrator="RK45", backend="interpreted").run(state, 0.2, report_every=0.1)
    results = mb.Simulation(system, 1e-6, integrator="Rodas5P", backend="interpreted").run(state, 0.2, report_every=0.1)
    assert_allclose(results.y, exact.y, atol=2e-5)
    assert results.steps < exact.steps / 5
    final = results.final_state
    system.realize(final, mb.Stage.VELOCITY)
    assert np.abs(rod.position_errors(final)).max() < 1e-7
    assert np.abs(rod.velocity_errors(final)).max() < 1e-7
    assert_allclose(np.linalg.norm(first.q(final)), 1, rtol=1e-15)


class Drag(mb.CustomForce):
    """Force -c u^3 - d u on one body, recorded or as plain Python."""

    def __init__(self, forces, body, recordable):
        self.body, self.recordable = body, recordable
        super().__init__(forces, name="drag")

    def calc_force(self, state, body_forces, mobility_forces):
        u = self.body.u(state)[0]
        mobility_forces[0] += -2e3 * u - 500.0 * u**3


@pytest.mark.parametrize("integrator", ["auto", "Rodas5P"])
def test_forces_in_plain_python_are_differentiated_by_differences(integrator):
    runs = []
    for recordable in (True, False):
        system = mb.MultibodySystem("dragged")
        matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
        mb.Gravity(forces, matter, down=[0, -1, 0])
        pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
        Drag(forces, pin, recordable)
        state = system.realize_topology()
        state.q = [1.0]
        runs.append(mb.Simulation(system, 1e-6, integrator=integrator, backend="interpreted").run(state, 2.0))
    recorded, called = runs
    assert recorded.integrator == called.integrator
    assert_allclose(called.y[-1], recorded.y[-1], atol=1e-6)
    assert called.steps == pytest.approx(recorded.steps, abs=3)
    assert called.evaluations > recorded.evaluations


def test_a_derivative_that_is_not_finite_is_reported():
    class Wall(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, 1.0, "x")

        def realize_acceleration(self, state):
            x = state.handle(self, "x")
            state.set_rate(x, -1.0 / state.get(x))

    system, state = subsystem_alone(Wall)
    with pytest.raises(IntegrationError, match=r"the integration stopped at 0\.(5|49999).* s"):
        mb.Simulation(system, 1e-6, integrator="Rodas5P", backend="interpreted").run(state, 1.0)


def test_names_are_checked():
    system, _ = pendulums()
    with pytest.raises(
        InputError,
        match=rf"unknown integrator 'Rodas'\. Valid names: {', '.join(INTEGRATORS)}, velocity_level",
    ):
        mb.Simulation(system, integrator="Rodas")


def test_dop853_needs_fewer_evaluations_for_high_accuracy():
    system, state = pendulums(7)
    fine, coarse = (
        mb.Simulation(system, 1e-10, integrator=each, backend="interpreted").run(state, 1.0).evaluations for each in ("DOP853", "RK45")
    )
    assert fine < 0.6 * coarse
