"""Start values that violate constraints: what changes is named, and what is kept is kept exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import functions
from mobod.errors import AssemblyError, InputError, UnknownNameError
from mobod.viewer.live_model import live_model
from tests.fmu.python_instances import instance_of

RADIUS, LENGTH = 0.05, 0.15  # m, of crank and rod
SPEED = 100.0  # rad/s


def bar(mass, length):
    center = [length / 2, 0, 0]
    return mb.MassProperties(mass, center, mb.Inertia.cylinder(mass=mass, radius=0.005, length=length, axis="x").shifted(center))


def slider_crank():
    """A crank, a rod and a piston, of which the crank turns at SPEED and the others stand still; assembled at an angle of 0.7 rad."""
    system = mb.MultibodySystem("slider-crank")
    matter = mb.MatterSubsystem(system)
    crank = mb.Pin(matter.ground, bar(0.3, RADIUS), name="crank")
    rod = mb.Pin(crank, bar(0.4, LENGTH), X_PF=mb.Transform(p=[RADIUS, 0, 0]), name="rod")
    piston = mb.Slider(matter.ground, mb.MassProperties.point(0.5, [0, 0, 0]), name="piston")
    mb.PointOnLine(piston, [0, 0, 1], [0, 0, 0], rod, [LENGTH, 0, 0], name="pin")
    state = system.realize_topology()
    place(state, crank, rod, piston, 0.7)
    crank.set_u(state, SPEED)
    return system, state, crank, rod, piston


def place(state, crank, rod, piston, angle):
    """The closed form of the mechanism."""
    inclination = -np.arcsin(RADIUS * np.sin(angle) / LENGTH)
    crank.set_q(state, angle)
    rod.set_q(state, inclination - angle)
    piston.set_q(state, RADIUS * np.cos(angle) + LENGTH * np.cos(inclination))


def piston_speed(angle, speed):
    """m/s, by the closed form."""
    return -RADIUS * speed * (np.sin(angle) + RADIUS * np.sin(2 * angle) / (2 * np.sqrt(LENGTH**2 - (RADIUS * np.sin(angle)) ** 2)))


@pytest.fixture(scope="module")
def crank_and_piston():
    return slider_crank()


def least_change(angle):
    """rad/s: the crank's speed if the sum of squares of all changes of speeds is least, by the direction of the one degree of freedom.
    Lengths are relative to the length scale.
    """
    rod = -1 - RADIUS * np.cos(angle) / np.sqrt(LENGTH**2 - (RADIUS * np.sin(angle)) ** 2)
    return SPEED / (1 + rod**2 + (piston_speed(angle, 1.0) / LENGTH_SCALE) ** 2)


LENGTH_SCALE = mb.Simulation(slider_crank()[0]).scales.length
CHANGED_SPEED = rf"'crank\.u' from 100 to {least_change(0.7):.6g} rad/s"
START = rf"the start at 0 s did not satisfy the constraints, and was changed: {CHANGED_SPEED}"


def test_a_run_names_the_speed_that_was_asked_for_and_has_changed(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=START):
        results = mb.Simulation(system, backend="interpreted").run(state, until=1e-3, report_every=1e-3)
    (message,) = results.warnings
    assert f"{results['crank.u'][0]:.6g} rad/s" in message
    assert "keep=['crank.u']" in message


def test_a_stepped_run_names_changes_at_the_start_and_of_what_was_set(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=START):
        run = mb.Simulation(system, backend="interpreted").start(state)
    run.step(1e-3)
    speed = run["crank.u"]
    run.set("piston.u", 20.0)
    with pytest.warns(mb.MobodWarning, match=r"the state that was set at 0\.001 s did not satisfy .*: 'rod\.u' from .* rad/s"):
        run.step(1e-3)
    assert len(run.warnings) == 2
    assert abs(run["crank.u"] - speed) > 1  # the others followed
    run.step(1e-3)  # and without a warning again


def test_each_run_of_an_ensemble_that_was_changed_is_named(crank_and_piston):
    system, state, *_ = crank_and_piston
    good = mb.Assembler(system).assemble(state, keep=["crank.u"])
    for options in ({}, {"integrator": "velocity_level", "step": 1e-3}):
        ensemble = mb.Ensemble(system, [good, state, good], outputs=["crank.u"], backend="interpreted", **options)
        with pytest.warns(mb.MobodWarning, match=rf"Ensemble: run 1: {START}"):
            results = ensemble.run(until=1e-3)
        assert [number for number, _ in results.warnings] == [1]


@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 1e-3}])
def test_runs_of_a_stepped_ensemble_that_were_changed_are_named(crank_and_piston, options):
    system, state, *_ = crank_and_piston
    good = mb.Assembler(system).assemble(state, keep=["crank.u"])
    ensemble = mb.Ensemble(system, [good, state, good, state], outputs=["crank.u", "piston.u"], backend="interpreted", **options)
    with pytest.warns(mb.MobodWarning, match=rf"Ensemble: run 1: {START}.* There are 1 more warnings: ensemble\.warnings"):
        ensemble.reset()
    assert [number for number, _ in ensemble.warnings] == [1, 3]
    ensemble.step(1e-3)
    ensemble.reset([1], good)
    assert [number for number, _ in ensemble.warnings] == [3]
    with pytest.warns(mb.MobodWarning, match=rf"Ensemble: run 2: {START}"):
        ensemble.reset([2], state)

    # states that are set between steps: of all runs, then of one
    speeds = ensemble.observations[:, 0]
    changed = np.where([False, False, False, True], 20.0, ensemble.observations[:, 1])
    others = r"run 3: the state that was set at 0\.001 s did not satisfy .*: 'rod\.u' from"
    with pytest.warns(mb.MobodWarning, match=rf"Ensemble: {others}"):
        ensemble.step(1e-3, {"piston.u": changed})
    assert [number for number, _ in ensemble.warnings] == [2, 3, 3]
    assert abs(ensemble.observations[3, 0] - speeds[3]) > 1
    ensemble.member(0).variables("piston.u").set(30.0)
    with pytest.warns(mb.MobodWarning, match=r"Ensemble: run 0: the state that was set at 0\.002 s .* was changed: "):
        ensemble.step(1e-3)
    ensemble.step(1e-3)  # and without a warning again


def test_a_set_state_of_a_stepped_ensemble_goes_on_with_the_bits_of_a_run_alone(crank_and_piston):
    system, state, *_ = crank_and_piston
    good = mb.Assembler(system).assemble(state, keep=["crank.u"])
    ensemble = mb.Ensemble(system, good, n=2, outputs=["crank.q", "crank.u", "piston.u"], backend="interpreted")
    run = mb.Simulation(system, backend="interpreted").start(good)
    ensemble.step(1e-3)
    run.step(1e-3)
    run.set("piston.u", 20.0)
    with pytest.warns(mb.MobodWarning, match="run 1"):
        ensemble.step(1e-3, {"piston.u": [ensemble.observations[0, 2], 20.0]})
    with pytest.warns(mb.MobodWarning, match="the state that was set"):
        run.step(1e-3)
    assert_array_equal(ensemble.observations[1], [run[name][0] for name in ensemble.names])


def test_fixed_steps_name_changes_too(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=START):
        results = mb.Simulation(system, backend="interpreted", integrator="velocity_level", step=1e-3).run(state, until=2e-3)
    assert len(results.warnings) == 1


def test_sensitivities_name_changes_too(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=rf"sensitivities: {START}"):
        mb.sensitivities(mb.Simulation(system, backend="interpreted"), state, ["crank.u"], ["piston.q"], until=1e-3)


@pytest.mark.fast("SemiImplicitEuler")
@pytest.mark.parametrize("integrator", ["auto", "SemiImplicitEuler"])
def test_a_fit_names_changes_of_the_start_that_it_has_found_once(crank_and_piston, integrator):
    """By tangents and by differences of runs: trials do not warn. The data are those of the speed that becomes of 100 rad/s."""
    system, state, crank, *_ = crank_and_piston
    options = {"integrator": integrator, **({} if integrator == "auto" else {"step": 1e-4})}
    simulation = mb.Simulation(system, backend="interpreted", **options)
    with pytest.warns(mb.MobodWarning, match=START):
        results = simulation.run(state, until=2e-3, report_every=1e-3)
    first = state.copy()
    crank.set_u(first, 90.0)
    with pytest.warns(mb.MobodWarning, match=rf"fit: {START}"):
        fit = mb.fit(simulation, results, ["crank.u"], state=first)
    assert len(fit.warnings) == 1
    assert fit["crank.u"] == pytest.approx(SPEED, rel=1e-4)  # the speeds of the data are exact to the accuracy of runs, 1e-6


def test_an_fmu_logs_changes(crank_and_piston):
    system, state, *_ = crank_and_piston
    instance, _ = instance_of(system, state)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    instance.exit_initialization()
    (message,) = instance.messages
    assert message.category == "logStatusWarning"
    assert f"the start did not satisfy the constraints, and was changed: 'crank.u' from 100 to {least_change(0.7):.6g}" in message.text
    assert message.text.endswith(" rad/s.")


def test_a_changed_coordinate_is_named_with_its_unit(crank_and_piston):
    system, state, *_, piston = crank_and_piston
    state = state.copy()
    state.u = np.zeros(3)
    piston.set_q(state, piston.q(state) + 2e-4)
    with pytest.warns(mb.MobodWarning, match=r"'piston\.q' from 0\.18\d+ to 0\.18\d+ m\."):
        mb.Simulation(system, backend="interpreted").run(state, until=0.0)


def test_a_start_at_rest_that_round_off_moves_does_not_warn(crank_and_piston):
    """Nor do errors within the tolerance, 1e-7 m: coordinates typed with 9 digits."""
    system, state, *_ = crank_and_piston
    state = state.copy()
    state.u = np.zeros(3)
    state.q = np.round(state.q, 9)
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.0)
    assert results.warnings == ()


def test_a_page_names_changes_too(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=rf"page of System 'slider-crank': {START}"):
        live_model(system, state, mb.Simulation(system))


def test_speeds_that_nobody_gave_follow_a_driven_constraint_without_a_warning():
    system = mb.MultibodySystem("driven")
    matter = mb.MatterSubsystem(system)
    slider = mb.Slider(matter.ground, bar(1.0, 1.0), name="slider")
    mb.PrescribedMotion(matter, functions.Polynomial([0.7, 0.3]), slider, 0, name="drive")
    motor = mb.Pin(matter.ground, bar(1.0, 1.0), name="motor")
    mb.SinusoidMotion(motor, amplitude=0.7, rate=1.3, phase=0.4)
    state = mb.Assembler(system).assemble(system.realize_topology())
    assert_allclose([slider.q(state)[0], slider.u(state)[0]], [0.3, 0.7], rtol=1e-12)
    motor.set_q(state, 3.0)  # which the motion replaces: it is no start value
    motor.set_u(state, 3.0)
    assert mb.Simulation(system, backend="interpreted").run(state, until=0.0).warnings == ()


def test_an_assembler_names_a_speed_that_it_has_changed(crank_and_piston):
    system, state, *_ = crank_and_piston
    with pytest.warns(mb.MobodWarning, match=rf"Assembler of System 'slider-crank': {START}"):
        mb.Assembler(system).assemble(state)


# keep
def test_kept_values_stay_exactly_and_the_run_begins_with_them(crank_and_piston):
    system, state, crank, rod, piston = crank_and_piston
    start = state.copy()
    place(start, crank, rod, piston, 0.9)
    kept_position = piston.q(start)[0]
    crank.set_q(start, 0.7)  # a rough start: the piston is at an angle of 0.9 rad
    found = mb.Assembler(system).assemble(start, keep=["crank.u", "piston.q"])
    assert crank.u(found)[0] == SPEED
    assert piston.q(found)[0] == kept_position
    assert_allclose(crank.q(found), 0.9, atol=1e-9)  # by the closed form; errors of 1e-16 m over a lever of 0.05 m, and some iterations
    assert_allclose(piston.u(found)[0], piston_speed(crank.q(found)[0], SPEED), rtol=1e-10)
    results = mb.Simulation(system, backend="interpreted").run(found, until=1e-4, report_every=1e-4)
    assert results.warnings == ()
    assert_allclose([results["crank.u"][0], results["piston.q"][0]], [SPEED, kept_position], rtol=1e-12)


def test_other_speeds_change_by_the_least_kinetic_energy():
    """Five-bar chain closed by a rod: three degrees of freedom are left, of which one speed is kept.

    du^T M du is least if M du has no part along the motions that the constraint and the kept speed allow.
    """
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    body = matter.ground
    for k in range(4):
        body = mb.Pin(body, bar(0.5 + k, 0.4), X_PF=mb.Transform(p=[0.4 if k else 0, 0, 0]), name=f"bar{k}")
    mb.Rod(body, [0.4, 0, 0], matter.ground, [0.7, 0.1, 0], 0.3, name="rod")
    state = system.realize_topology()
    state.q = [0.8, -0.5, -0.9, 0.4]
    state.u = [1.1, -0.7, 0.4, 2.0]
    found = mb.Assembler(system).assemble(state, keep=["bar1.u", "bar2.q"])
    assert found.u[1] == -0.7
    assert found.q[2] == -0.9
    rows = np.vstack([matter.constraint_matrix(found), [0, 1, 0, 0]])
    free = np.linalg.svd(rows)[2][2:]
    assert_allclose(free @ rows.T, 0, atol=1e-14)
    change = found.u - state.u
    assert np.abs(change).max() > 0.01
    assert_allclose(free @ matter.mass_matrix(found) @ change, 0, atol=1e-10)
    # coordinates: the change has no part along the free motions, to second order of the change; 1e-6 is the Assembler's accuracy
    normal = np.linalg.svd(np.vstack([matter.constraint_matrix(found), [0, 0, 1, 0]]))[2][2:]
    assert_allclose(normal @ (found.q - state.q), 0, atol=1e-6)


@pytest.mark.parametrize(
    ("position", "speed", "keep", "message"),
    [
        (0.3, 0.0, ["piston.q"], r"position error of 'pin\[\d\]' is .* m .*with 'piston\.q' at 0\.3 m kept"),
        (None, 3.0, ["piston.u", "crank.u"], r"with 'piston\.u' at 3 m/s, 'crank\.u' at 100 rad/s kept: the velocity error of 'pin\[\d\]'"),
    ],
)
def test_values_that_cannot_be_kept_are_named_with_the_constraint(crank_and_piston, position, speed, keep, message):
    system, state, _, _, piston = crank_and_piston
    state = state.copy()
    piston.set_u(state, speed)
    if position is not None:
        piston.set_q(state, position)
    with pytest.raises(AssemblyError, match=message):
        mb.Assembler(system).track(state, keep=keep)


def test_a_value_that_a_motion_replaces_cannot_be_kept():
    system = mb.MultibodySystem("driven")
    matter = mb.MatterSubsystem(system)
    motor = mb.Pin(matter.ground, bar(1.0, 1.0), name="motor")
    mb.SteadyMotion(motor, 2.5)
    state = system.realize_topology()
    motor.set_u(state, 3.0)
    with pytest.raises(
        AssemblyError, match=r"'motor\.u' cannot be kept at 3 rad/s: a motion or a lock gives it the value 2\.5 rad/s at 0 s"
    ):
        mb.Assembler(system).assemble(state, keep=["motor.u"])


def test_names_that_cannot_be_kept_are_refused(crank_and_piston):
    system, state, *_ = crank_and_piston
    assembler = mb.Assembler(system)
    with pytest.raises(InputError, match=r"keep is a list of names. Write keep=\['crank\.u'\]"):
        assembler.assemble(state, keep="crank.u")
    with pytest.raises(UnknownNameError, match=r"'crank\.w'"):
        assembler.assemble(state, keep=["crank.w"])
    with pytest.raises(InputError, match=r"'crank\.p_GB' cannot be kept"):
        assembler.assemble(state, keep=["crank.p_GB"])


def test_an_entry_of_a_quaternion_keeps_all_four():
    system = mb.MultibodySystem("hung")
    matter = mb.MatterSubsystem(system)
    free = mb.Free(matter.ground, bar(1.0, 1.0), name="free")
    mb.Rod(free, [1.0, 0, 0], matter.ground, [0, 0, 0], 2.0, name="rod")
    state = system.realize_topology()
    attitude = np.array([0.8, 0.4, 0.4, -0.2])
    free.set_q(state, [*attitude, 0.6, 0.7, 0.8])
    free.set_u(state, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    found = mb.Assembler(system).assemble(state, keep=["free.q[2]", "free.q[5]", "free.u[4]"])
    assert_array_equal(found.q[:5], [*attitude, 0.6])
    assert found.u[3] == 0.4
    system.realize(found, mb.Stage.VELOCITY)
    assert_allclose(matter.constraint_velocity_errors(found), 0, atol=1e-12)
