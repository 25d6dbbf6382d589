"""Users' forces that cannot be recorded run as plain Python, and all other elements stay compiled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import ElementError, StageError, UnsupportedError
from mobod.laws.differences import rate_along_motion
from tests.laws.mechanisms import random_mechanism
from tests.reference.seed_elements import Repulsion
from tests.unit.forces.test_custom_force import Spring


class PythonRepulsion(Repulsion):
    recordable = False


class PythonSpring(Spring):
    recordable = False


class Table(mb.CustomForce):
    """Looks the force up in a table of floats, which cannot be recorded, and counts its calls."""

    recordable = False
    parameters = (mb.ForceParameter(name="gain", unit="1", description="factor"),)

    def __init__(self, forces, body, *, gain=1.0, name=None, disabled=False):
        self.body = body
        self.count = 0
        super().__init__(forces, {"gain": gain}, name=name, disabled=disabled)

    def calc_force(self, state, body_forces, mobility_forces):
        self.count += 1
        force = float(np.interp(float(self.body.q(state)[0]), [-1.0, 0.0, 1.0], [3.0, 0.5, -4.0]))
        if state.u[0] > 0.25:  # a decision by value
            force -= 0.7
        mobility_forces[self.body.index - 1] += self.parameter(state, "gain") * force


class Faulty(mb.CustomForce):
    """A force that raises from a given time on."""

    recordable = False

    def __init__(self, forces, fail, name="wind"):
        self.fail = fail
        super().__init__(forces, name=name)

    def calc_force(self, state, body_forces, mobility_forces):
        if state.time > 0.3:
            self.fail(self, state, body_forces)


def pin_with(force, *arguments, **keywords):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.5, [0, -0.8, 0]), name="pin")
    forces = mb.ForceSubsystem(system)
    mb.MobilityLinearSpring(forces, pin, stiffness=5.0, q_zero=0.2, name="spring")
    element = force(forces, *([pin] if issubclass(force, Table) else []), *arguments, **keywords)
    return system, pin, element


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [3, 11])
@pytest.mark.parametrize("as_text", [False, True])
def test_an_unrecorded_force_matches_the_recorded_one(seed, as_text):
    ends = []
    for repulsion, spring in ((Repulsion, Spring), (PythonRepulsion, PythonSpring)):
        mechanism = random_mechanism(seed, n_bodies=6)
        forces = mb.ForceSubsystem(mechanism.system, "custom")
        first = repulsion(forces, strength=0.8, name="repulsion")
        mb.GlobalDamper(forces, mechanism.matter, damping=0.3, name="between")  # recorded, between the two
        second = spring(forces, mechanism.bodies[-1], stiffness=12.0, damping=0.7, name="custom spring")
        mechanism.system.as_text = as_text
        state = mechanism.random_state(np.random.default_rng(17))
        mechanism.system.realize(state, mb.Stage.ACCELERATION)
        energies = [each.calc_potential_energy_contribution(state) for each in (first, second)]
        lost = [each.calc_power_dissipation_contribution(state) for each in (first, second)]
        contributions = [part for each in (first, second) for part in each.calc_force_contribution(state)]
        ends.append([state.u_dot, mechanism.system.energy(state), energies, lost, *contributions])

    for expected, ours in zip(*ends, strict=True):
        assert_allclose(ours, expected, rtol=1e-11, atol=1e-12 * np.abs(expected).max(initial=1.0))  # sums in another order


def test_its_power_is_the_loss_of_its_energy():
    mechanism = random_mechanism(5, n_bodies=5)
    repulsion = PythonRepulsion(mb.ForceSubsystem(mechanism.system, "custom"), strength=0.8, name="repulsion")
    state = mechanism.random_state(np.random.default_rng(2))
    mechanism.system.realize(state, mb.Stage.ACCELERATION)
    on_bodies, _ = repulsion.calc_force_contribution(state)
    power = sum(F @ body.V_GB(state) for F, body in zip(on_bodies[1:], mechanism.bodies, strict=True))
    loss = rate_along_motion(mechanism.system, state, repulsion.calc_potential_energy_contribution)
    assert_allclose(power, -loss, rtol=1e-9)  # finite differences (see rate_along_motion)


def test_an_unrecorded_force_can_decide_by_values():
    system, pin, _ = pin_with(Table, gain=2.0, name="table")
    state = system.realize_topology()
    for q, u, force in ((0.5, 0.1, 2 * -1.75), (-0.5, 0.1, 2 * 1.75), (-0.5, 0.4, 2 * (1.75 - 0.7))):
        pin.set_q(state, q)
        pin.set_u(state, u)
        system.realize(state, mb.Stage.ACCELERATION)
        assert_allclose(pin.u_dot(state), (force - 5 * (q - 0.2)) / (1.5 * 0.8**2), rtol=1e-13)


def test_parameters_and_the_enabled_flag_work_as_for_any_force():
    system, _, table = pin_with(Table, name="table")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(table.calc_force_contribution(state)[1], [0.5])
    system.set_value(state, "table.gain", 3.0)
    system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(table.calc_force_contribution(state)[1], [1.5])
    table.disable(state)
    count = table.count
    system.realize(state, mb.Stage.ACCELERATION)
    assert table.count == count  # a force that is switched off is not asked
    assert not table.calc_force_contribution(state)[1].any()


def test_an_unchanged_state_does_not_call_it_again():
    system, _, table = pin_with(Table, name="table")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    system.realize(state, mb.Stage.REPORT)
    assert table.count == 1


@pytest.mark.slow
def test_the_c_runtime_calls_it_back_with_compiled_and_interpreted_code():
    system, pin, table = pin_with(Table, name="table")
    state = system.realize_topology()
    pin.set_q(state, 0.4)
    runs = {backend: mb.Simulation(system, 1e-9, backend=backend).run(state, 1.0) for backend in ("interpreted", "compiled", "auto")}
    assert [run.backend for run in runs.values()] == ["interpreted", "compiled", "compiled"]
    assert_array_equal(runs["interpreted"].y, runs["compiled"].y)
    other = mb.Simulation(system, 1e-9, integrator="DOP853").run(state, 1.0)
    assert_allclose(runs["compiled"].y[-1], other.y[-1], atol=1e-6)  # the table has corners, where each method errs in its own way
    assert runs["compiled"].evaluations <= table.count


def test_a_parameter_set_by_a_handler_acts_in_callbacks():
    system, pin, table = pin_with(Table, name="table")
    mb.PeriodicEventHandler.of(system, 0.2, lambda s, e: table.set_parameter(s, "gain", -1.0), name="turn")
    state = system.realize_topology()
    pin.set_q(state, 0.4)
    ends = [mb.Simulation(system, 1e-9, integrator=integrator).run(state, 0.6).y[-1] for integrator in ("RK45", "DOP853")]
    assert_allclose(ends[0], ends[1], atol=1e-6)
    table.set_disabled_by_default(True)
    state = system.realize_topology()
    pin.set_q(state, 0.4)
    assert abs(mb.Simulation(system, 1e-9, backend="interpreted").run(state, 0.6).y[-1] - ends[0]).max() > 0.01


@pytest.mark.parametrize("error", [ZeroDivisionError("by nothing"), KeyboardInterrupt()])
def test_an_exception_in_a_callback_ends_the_run_and_keeps_the_state(error):
    def fail(self, state, body_forces):
        raise error

    system, pin, _ = pin_with(Faulty, fail)
    state = system.realize_topology()
    pin.set_q(state, 0.4)
    before = state.to_bytes()
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ElementError
    with pytest.raises(expected, match=None if expected is KeyboardInterrupt else r"force 'wind' \(Faulty\) failed at 0\.3\d* s"):
        mb.Simulation(system, 1e-9).run(state, 1.0)
    assert state.to_bytes() == before


def test_a_callback_may_realize_other_states():
    class Curious(Table):
        def calc_force(self, state, body_forces, mobility_forces):
            other = self.forces.system.realize_topology()
            self.body.set_q(other, 0.7)
            self.body.set_u(other, -0.2)
            is_inner, self.is_inner = getattr(self, "is_inner", False), True
            if not is_inner:
                self.forces.system.realize(other, mb.Stage.ACCELERATION)
            self.is_inner = is_inner
            super().calc_force(state, body_forces, mobility_forces)

    ends = []
    for kind in (Table, Curious):
        system, pin, _ = pin_with(kind, name="table")
        state = system.realize_topology()
        pin.set_q(state, 0.4)
        ends.append(mb.Simulation(system, 1e-7, backend="interpreted").run(state, 0.5).y[-1])
    assert_array_equal(*ends)


def test_native_export_refuses_it_by_name_and_suggests_the_python_fmu(tmp_path):
    system, _, _ = pin_with(Table, name="table")
    with pytest.raises(UnsupportedError, match=r"force 'table' \(Table\) runs as Python.*kind='python'"):
        mb.export_fmu(system, tmp_path / "s.fmu")
    assert not list(tmp_path.iterdir())


def test_a_system_with_it_has_no_derivatives_and_the_error_names_it():
    system, _, _ = pin_with(Table, name="table")
    with pytest.raises(UnsupportedError, match=r"force 'table' \(Table\) runs as Python, which has no derivatives"):
        system.directional_derivative(system.realize_topology(), ["der(pin.u)"], {"pin.q": 1.0})


def divide(force, state, body_forces):
    1 / 0  # noqa: B018 - for its error


def wrong_shape(force, state, body_forces):
    body_forces[1] += np.ones(5)


@pytest.mark.parametrize(("fail", "told"), [(divide, "ZeroDivisionError: division by zero"), (wrong_shape, "ValueError: .*shape")])
def test_an_error_in_it_is_reported_with_name_and_time_and_keeps_the_state(fail, told):
    system, pin, _ = pin_with(Faulty, fail)
    state = system.realize_topology()
    pin.set_q(state, 0.4)
    before = state.copy()
    with pytest.raises(ElementError, match=rf"calc_force of force 'wind' \(Faulty\) failed at 0\.\d+ s\. {told}"):
        mb.Simulation(system).run(state, 1.0)
    assert state == before

    state.time = 0.5
    before = state.copy()
    with pytest.raises(ElementError, match=r"'wind' \(Faulty\) failed at 0\.5 s"):
        system.realize(state, mb.Stage.ACCELERATION)
    assert state == before
    assert state.stage == mb.Stage.VELOCITY
    state.time = 0.1
    system.realize(state, mb.Stage.ACCELERATION)  # it goes on where nothing fails
    assert np.isfinite(state.u_dot).all()


def test_a_value_that_is_not_finite_is_reported_with_the_forces_name():
    def nan(force, state, body_forces):
        body_forces[1] += np.nan

    system, _, _ = pin_with(Faulty, nan)
    state = system.realize_topology()
    state.time = 0.5
    with pytest.raises(mb.MobodError, match=r"force 'wind' \(Faulty\) is not finite at time 0.5 s"):
        system.realize(state, mb.Stage.ACCELERATION)


def read_acceleration(force, state, body_forces):
    force.matter.bodies[0].u_dot(state)


def test_it_may_not_read_later_stages_of_a_fully_realized_state():
    system, _, _ = pin_with(Faulty, read_acceleration)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    state.time = 0.5
    told = r"calc_force of force 'wind' \(Faulty\): u_dot of 'pin' is computed at ACCELERATION, .* known at VELOCITY"
    with pytest.raises(StageError, match=told):
        system.realize(state, mb.Stage.ACCELERATION)

    class Curious(Faulty):
        def calc_potential_energy(self, state):
            return float(self.matter.bodies[0].V_GB(state)[5])

    system, _, _ = pin_with(Curious, divide)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    with pytest.raises(StageError, match=r"calc_potential_energy of force 'wind'.*V_GB of 'pin' is computed at VELOCITY"):
        system.potential_energy(state)


def test_it_reads_variables_by_their_names_as_far_as_it_may():
    read = []

    def look(force, state, body_forces):
        read.append(force.forces.system.value(state, "pin.q"))
        force.forces.system.value(state, "der(pin.u)")

    system, pin, _ = pin_with(Faulty, look)
    state = system.realize_topology()
    pin.set_q(state, 0.7)
    state.time = 0.5
    with pytest.raises(StageError, match=r"calc_force of force 'wind' \(Faulty\): 'der\(pin.u\)' is computed at ACCELERATION"):
        system.realize(state, mb.Stage.ACCELERATION)
    assert_array_equal(read, [[0.7]])


def set_time(force, state, body_forces):
    state.time = 0.0


def test_it_cannot_change_the_state_that_it_reads():
    system, _, _ = pin_with(Faulty, set_time)
    state = system.realize_topology()
    state.time = 0.5
    with pytest.raises(ElementError, match=r"calc_force of force 'wind' \(Faulty\) failed at 0.5 s. AttributeError"):
        system.realize(state, mb.Stage.ACCELERATION)

    def set_q(force, state, body_forces):
        state.q[0] = 1.0

    system, _, _ = pin_with(Faulty, set_q)
    state = system.realize_topology()
    state.time = 0.5
    with pytest.raises(ElementError, match="read-only"):
        system.realize(state, mb.Stage.ACCELERATION)


def test_it_may_use_operators_of_the_matter():
    """The momentum of all bodies: lazy values and operators give the same results as for a State."""

    class Braking(mb.CustomForce):
        recordable = False

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces -= 0.2 * self.matter.multiply_by_mass_matrix(state, state.u)
            body_forces[1, 3:] -= 0.1 * self.matter.mass_center_velocity(state)

    mechanism = random_mechanism(4, n_bodies=4)
    force = Braking(mb.ForceSubsystem(mechanism.system, "users"), name="braking")
    state = mechanism.random_state(np.random.default_rng(8))
    mechanism.system.realize(state, mb.Stage.ACCELERATION)
    on_bodies, on_mobilities = force.calc_force_contribution(state)
    assert_allclose(on_mobilities, -0.2 * mechanism.matter.mass_matrix(state) @ state.u, rtol=1e-10, atol=1e-12)
    assert_allclose(on_bodies[1, 3:], -0.1 * mechanism.matter.mass_center_velocity(state), rtol=1e-12)


class Jump(mb.Function):
    recordable = False

    def value(self, x):
        return 1.0 if x[0] > 0 else 0.0


def test_unrecordable_functions_are_refused_by_elements_that_need_derivatives():
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    with pytest.raises(UnsupportedError, match=r"PrescribedMotion needs .* function 'Jump' says recordable = False. Fit a Spline"):
        mb.PrescribedMotion(matter, Jump(), pin, 0, name="drive")

    class Equations(mb.CustomEquations):
        recordable = False
        nq = 1

        def X_FM(self, q):
            return mb.Transform(p=[float(q[0]), 0, 0])

    with pytest.raises(UnsupportedError, match=r"CustomMobilizer 'rail' needs exact derivatives, and Equations has recordable = False"):
        mb.CustomMobilizer(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), Equations(), name="rail")

    class Errors(mb.ConstraintEquations):
        recordable = False
        position_units = ("m",)

    with pytest.raises(UnsupportedError, match=r"CustomConstraint 'slot' needs exact derivatives, and Errors has recordable = False"):
        mb.CustomConstraint(Errors(), mobilizers=[pin], name="slot")


def test_an_unrecordable_function_works_in_an_unrecorded_force():
    class Stepped(mb.CustomForce):
        recordable = False
        jump = Jump()

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 2.5 * self.jump.value(state.q[:1])

    system, pin, force = pin_with(Stepped, name="stepped")
    state = system.realize_topology()
    for q, expected in ((0.3, 2.5), (-0.3, 0.0)):
        pin.set_q(state, q)
        system.realize(state, mb.Stage.ACCELERATION)
        assert force.calc_force_contribution(state)[1][0] == expected
