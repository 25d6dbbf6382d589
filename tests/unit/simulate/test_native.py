"""Simulation by the C runtime, compared with another method and with its documentation."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.errors import InputError, IntegrationError, NoCompilerError, SingularMechanismError, UnsupportedError


def tumbling_body_with_an_arm(damping=0.3):
    """A free body that carries a sprung pin: quaternion, forces of every kind."""
    system = mb.MultibodySystem("tumbler")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    base = mb.MassProperties(2.0, [0.1, -0.05, 0.2], [[0.685, 0.01, -0.04], [0.01, 1.2, 0.02], [-0.04, 0.02, 1.525]])
    arm = mb.MassProperties(0.7, [0, -0.4, 0.1], mb.Inertia.box(mass=0.7, size=[0.1, 0.8, 0.2]).shifted([0, -0.4, 0.1]))
    body = mb.Free(matter.ground, base, name="body")
    joint = mb.Pin(body, arm, mb.Transform(p=[0.3, 0.1, -0.2]), mb.Transform(p=[0.05, 0.2, 0.0]), name="arm")
    mb.Gravity(forces, matter, name="gravity")
    mb.MobilityLinearSpring(forces, joint, stiffness=4.0, q_zero=0.3, name="spring")
    mb.GlobalDamper(forces, matter, damping=damping, name="damper")
    state = system.realize_topology()
    body.set_u(state, [0.1, 4.0, -0.2, 1.0, 0.5, -0.3])
    return system, state


def pendulum():
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, name="gravity")
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
    state = system.realize_topology()
    matter.body("rod").set_q(state, 1.0)
    return system, state


def test_the_error_follows_the_accuracy():
    system, state = tumbling_body_with_an_arm()
    exact = mb.Simulation(system, 1e-13, backend="interpreted").run(state, 2.0).final_state.y
    for accuracy in (1e-4, 1e-6, 1e-8):
        y = mb.Simulation(system, accuracy).run(state, 2.0).final_state.y
        assert np.abs(y - exact).max() < 100 * accuracy


@pytest.mark.slow
def test_without_an_interval_each_step_is_reported_also_in_long_runs():
    system, state = pendulum()
    results = mb.Simulation(system, 1e-12, integrator="RK45", backend="compiled").run(state, 30.0)
    assert len(results.time) == results.steps + 1 > 2 * 2000  # several pieces
    assert (np.diff(results.time) > 0).all()
    assert results.time[-1] == 30.0
    assert results.evaluations >= 6 * results.steps


def test_a_run_in_pieces_has_the_same_bits():
    system, state = pendulum()
    told = []
    simulation = mb.Simulation(system, 1e-12, integrator="RK45", backend="compiled")
    results = simulation.run(state, 30.0, report_every=7.0, progress=lambda *times: told.append(times))
    assert_array_equal(results.time, [0, 7, 14, 21, 28, 30])
    assert len(told) > 2
    assert told[-1] == (30.0, 30.0)
    assert_allclose(results.final_state.y, simulation.run(state, 30.0).final_state.y, rtol=0)


def test_max_step_bounds_the_steps():
    system, state = pendulum()
    results = mb.Simulation(system, 1e-3, max_step=0.01).run(state, 1.0)
    assert np.diff(results.time).max() <= 0.01 * 1.0101  # the last step may be 1 % longer


def test_the_same_run_gives_the_same_bits():
    system, state = tumbling_body_with_an_arm()
    first, second = (mb.Simulation(system, 1e-8, backend="compiled").run(state, 1.0, report_every=0.1) for _ in range(2))
    assert_array_equal(first.y, second.y)


def test_changed_parameters_need_no_recompilation():
    system, state = tumbling_body_with_an_arm(damping=0.0)
    damped, _ = tumbling_body_with_an_arm(damping=0.5)
    state_of_damped = damped.realize_topology()
    state_of_damped.y = state.y
    system.set_value(state, "damper.damping", 0.5)
    ours = mb.Simulation(system, 1e-9, backend="compiled").run(state, 1.0)
    theirs = mb.Simulation(damped, 1e-9, backend="compiled").run(state_of_damped, 1.0)
    assert_array_equal(ours.final_state.y, theirs.final_state.y)


def test_auto_interprets_a_short_run_and_uses_compiled_code_that_is_there(caplog):
    system, state = pendulum()
    with caplog.at_level(logging.INFO, "mobod"):
        assert mb.Simulation(system, backend="auto").run(state, 0.1).backend == "interpreted"
        assert mb.Simulation(system, backend="compiled").run(state, 0.1).backend == "compiled"
        assert mb.Simulation(system, backend="auto").run(state, 0.1).backend == "compiled"
    assert caplog.text.count("System 'pendulum' was simulated by the compiled backend") == 2


def test_without_a_compiler_auto_is_interpreted_with_the_same_bits_and_compiled_is_an_error(monkeypatch, caplog):
    system, state = pendulum()
    compiled = mb.Simulation(system, backend="compiled").run(state, 0.1)
    system, state = pendulum()
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with caplog.at_level(logging.INFO, "mobod"):
        results = mb.Simulation(system, backend="auto").run(state, 0.1)
        assert mb.Simulation(system, backend="auto").chosen_backend(state) == "interpreted"  # of ensembles
    assert results.backend == "interpreted"
    assert_array_equal(results.y, compiled.y)
    assert "no C compiler was found" in caplog.text
    assert "was simulated by the interpreted backend" in caplog.text
    with pytest.raises(NoCompilerError, match="no C compiler was found"):
        mb.Simulation(system, backend="compiled").run(state, 0.1)


def test_radau_is_a_former_name_of_the_implicit_method():
    system, state = pendulum()
    with pytest.warns(mb.MobodWarning, match="integrator='Radau' is now 'Rodas5P'"):
        simulation = mb.Simulation(system, integrator="Radau", backend="interpreted")
    assert simulation.run(state, 0.1).integrator == "Rodas5P"


def test_an_unknown_backend_is_refused():
    system, _ = pendulum()
    with pytest.raises(InputError, match="unknown backend 'c'"):
        mb.Simulation(system, backend="c")


class Thruster(mb.Subsystem):
    """Computes in a Python hook."""

    def realize_dynamics(self, state):
        state.time  # noqa: B018 - reading is all that it does


@pytest.mark.slow
def test_a_subsystem_with_python_hooks_is_called_back_and_cannot_be_exported_natively():
    system, _ = pendulum()
    Thruster(system, "thruster")
    state = system.realize_topology()
    compiled, interpreted = (mb.Simulation(system, backend=backend).run(state, 0.1) for backend in ("compiled", "interpreted"))
    assert_array_equal(compiled.y, interpreted.y)
    with pytest.raises(UnsupportedError, match="subsystem 'thruster' computes in Python hooks"):
        generate(system, state)


@pytest.mark.parametrize(("word", "meaning"), [("native", "compiled"), ("vm", "interpreted")])
def test_former_names_of_backends_work_with_a_warning(word, meaning):
    system, _ = pendulum()
    with pytest.warns(mb.MobodWarning, match=f"backend='{word}' is now called '{meaning}'") as warned:
        assert mb.Simulation(system, backend=word).backend == meaning
    assert warned[0].filename == __file__


@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
def test_a_mechanism_that_is_singular_at_the_start_names_its_mobilizer(backend):
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    # the mass lies on the axis of the pin: nothing resists the rotation
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0.5]), name="needle")
    with pytest.raises(SingularMechanismError, match=r"mobilizer 'needle' \(Pin\) at time 0 s"):
        mb.Simulation(system, backend=backend).run(system.realize_topology(), 1.0)


@pytest.mark.fast(1)
@pytest.mark.parametrize("backend", ["compiled", "interpreted"])
def test_a_divergent_run_reports_the_time_and_the_state(backend):
    system = mb.MultibodySystem("s")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="block")
    mb.MobilityForce(forces, slider, force=1e308, name="push")
    state = system.realize_topology()
    with pytest.raises(IntegrationError, match=r"the integration stopped at .* s: .*'block\.u'"):
        mb.Simulation(system, 1e-6, backend=backend).run(state, 1e6)
