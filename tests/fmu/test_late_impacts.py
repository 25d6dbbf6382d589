"""Model exchange under masters with fixed steps and no search for events: impacts that a step has gone past."""

import re
from itertools import pairwise

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.scalar import where
from tests.fmu.bouncing_sphere import RADIUS, exact_speeds, sphere
from tests.fmu.fixed_step_master import EULER, RK4, FixedStepMaster
from tests.fmu.test_friction_fmus import SteppedImporter
from tests.laws.limited_mechanisms import falling_box, gimbal_near_its_lock, limited_tree, particle_in_funnel
from tests.reference.stops import bouncing_ball

GRAVITY = 9.81  # m/s^2
METHODS = {"Euler": EULER, "RK4": RK4}


def exported(system, state, folder, version="2.0", code="interpreted", outputs=()):
    return mb.export_fmu(
        system, folder / "it.fmu", outputs=list(outputs), state=state, fmi_version=version, code=code, reference=False
    )  # fmt: skip


@pytest.fixture(scope="module")
def balls(tmp_path_factory):
    """Balls that fall from 1 m, by restitution and version of FMI."""
    made = {}

    def ball(restitution, version="2.0"):
        if (restitution, version) not in made:
            system, _ = bouncing_ball(1.0, GRAVITY, restitution)
            made[restitution, version] = exported(system, system.realize_topology(), tmp_path_factory.mktemp("ball"), version)
        return made[restitution, version]

    return ball


def bouncing_height(times, restitution):
    """(n,) m, of a ball that falls from 1 m; bounces that are slower than 1e-9 m/s are left out."""
    fall = np.sqrt(2 / GRAVITY)
    heights = []
    for time in times:
        start, speed = fall, restitution * GRAVITY * fall
        while speed > 1e-9 and time - start > 2 * speed / GRAVITY:
            start, speed = start + 2 * speed / GRAVITY, restitution * speed
        since = time - start
        heights.append(1 - GRAVITY * time**2 / 2 if since < 0 else max(0.0, speed * since - GRAVITY * since**2 / 2))
    return np.array(heights)


# ---- closed forms ----


@pytest.mark.fast("RK4-2.0-0.5", "Euler-3.0-0.5")
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.7])
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_as_in_closed_form_to_the_first_order_of_the_step_and_comes_to_rest(balls, restitution, version, method):
    for step in (1e-2, 4e-3):
        master = FixedStepMaster(balls(restitution, version), step, METHODS[method])
        rows = master.run(3.0)
        error = np.abs(rows[:, 1] - bouncing_height(rows[:, 0], restitution)).max()
        # impact n is up to n steps late, with restitution^(n - 1) of the first speed: at most 1.5 for 0.7. Euler flies half a step ahead
        assert error < 2 * step * np.sqrt(2 * GRAVITY)
        assert_allclose(rows[-1, 1:], 0, atol=1e-15)
        n_events = master.n_events
        master.run(3.5)
        assert master.n_events == n_events
        master.close()


@pytest.mark.parametrize("method", METHODS)
def test_elastic_bounces_keep_their_energy(balls, method):
    master = FixedStepMaster(balls(1.0), 1e-2, METHODS[method])
    rows = master.run(10.0)
    energy = rows[:, 2] ** 2 / 2 + GRAVITY * rows[:, 1]
    # Euler's speeds are half a step ahead of its coordinates: g h / 2 of up to 4.5 m/s, at any number of bounces
    allowed = {"Euler": 1.01 * np.sqrt(2 * GRAVITY) * GRAVITY * 1e-2 / 2, "RK4": 1e-10}[method]  # of round-off
    assert master.n_events > 10
    assert np.abs(energy - GRAVITY).max() < allowed


STOP, RAISED = -0.6, 0.6  # rad


def bar(joint, restitution=0.7):
    """A bar that falls on a stop: a limit of its coordinate, the limit of a coupling that is its joint, or one that closes a loop."""
    system = mb.MultibodySystem("bar")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=GRAVITY)
    solid = mb.MassProperties(1.0, [0.5, 0, 0], mb.Inertia(np.diag([0.01, 0.26, 0.26])))
    coupling = mb.HingeCoupling((STOP, 2.0))
    if joint == "limit":
        body = mb.Pin(matter.ground, solid, name="bar")
        body.set_limits(lower=STOP, upper=2.0, restitution=restitution)
    elif joint == "coupling":
        body = mb.CouplingJoint(coupling, solid, matter.ground, restitution=restitution, name="bar")
    else:
        body = mb.Free(matter.ground, solid, name="bar")
        mb.CouplingJoint(coupling, body, matter.ground, restitution=restitution, name="loop")
    state = system.realize_topology()
    state.q = [np.cos(RAISED / 2), 0, 0, np.sin(RAISED / 2), 0, 0, 0] if joint == "loop" else [RAISED]
    return system, state


@pytest.mark.fast("limit-Euler")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joint", ["limit", "coupling", "loop"])
def test_a_bar_on_a_stop_rises_after_each_bounce_as_in_closed_form(tmp_path, joint, method):
    """Each bounce leaves restitution^2 of the height of the centre of mass above the stop."""
    fmu = exported(*bar(joint), tmp_path)
    for step in (8e-3, 2e-3):
        master = FixedStepMaster(fmu, step, METHODS[method])
        rows = master.run(1.7)
        angle = 2 * np.arctan2(rows[:, 4], rows[:, 1]) if joint == "loop" else rows[:, 1]
        bounces = np.flatnonzero((angle[1:-1] < angle[:-2]) & (angle[1:-1] < angle[2:])) + 1
        tops = np.array([angle[start:end].max() for start, end in pairwise(bounces)])
        height = 0.7 ** (2 * np.arange(1, len(tops) + 1)) * (np.sin(RAISED) - np.sin(STOP))
        assert len(tops) >= 2
        # 1 m/s^2 for the accelerations along the circle, 20 rad/s^2 at most, of which speeds have up to a step too much
        assert_allclose(np.sin(tops) - np.sin(STOP), height, atol=2 * step)
        master.close()


@pytest.mark.fast("RK4-2.0")
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("method", METHODS)
def test_a_sphere_that_bounces_slides_and_rolls_as_in_closed_form(tmp_path, method, version):
    fmu, until = exported(*sphere(0.3, 0.15, 0.1), tmp_path, version), 0.18
    for step in (4e-3, 2e-3):
        rows = FixedStepMaster(fmu, step, METHODS[method]).run(until)
        spins, speeds = np.split(exact_speeds([rows[-1, 0]], 0.3, 0.1)[0], 2)
        # friction takes mu g from the slip in each step, of which 2.5 / r turns the sphere
        assert_allclose(rows[-1, 11:], speeds, atol=0.1 * GRAVITY * step)
        assert_allclose(rows[-1, 8:11], spins, atol=2.5 / RADIUS * 0.1 * GRAVITY * step)
        assert rows[-1, 7] == pytest.approx(RADIUS, abs=1e-12)


# ---- several at once ----

MECHANISMS = {
    "tree": lambda: limited_tree(2),
    "tree6": lambda: limited_tree(6),
    "loop": lambda: limited_tree(6, with_rods=True),
    "loop2": lambda: limited_tree(2, with_rods=True),
    "box": lambda: falling_box(3),
    "box1": lambda: falling_box(1),
    "funnel": lambda: particle_in_funnel(2),
    "gimbal": lambda: gimbal_near_its_lock(3),
}


@pytest.mark.fast("loop-RK4")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_several_impacts_at_once_leave_no_overlap_and_add_no_energy(tmp_path, name, method):
    system, state = MECHANISMS[name]()
    master = FixedStepMaster(exported(system, state, tmp_path), 4e-3, METHODS[method])

    def energy(y):
        state.y = y
        system.realize(state, mb.Stage.VELOCITY)
        return system.kinetic_energy(state) + system.potential_energy(state)

    n_impacts, energies = 0, [energy(master.states())]
    while master.time < 1.0:
        if master.take_step():
            n_impacts += (master.indicators() < -1e-6).any()  # deeper than tolerances
            master.update()
            assert master.indicators().min() > 0
        energies.append(energy(master.states()))
    assert n_impacts > 3
    # Euler's steps add energy, a part of the order of the step; RK4's do not
    assert max(energies) - energies[0] < (0.1 if method == "Euler" else 1e-6) * np.ptp(energies)
    master.close()


# ---- masters ----


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_master_that_reads_no_indicators_is_asked_to_enter_event_mode(balls, version):
    looks, asked = (FixedStepMaster(balls(0.5, version), 1e-2, RK4, looks=looks) for looks in (True, False))
    assert_array_equal(looks.run(1.5), asked.run(1.5))
    assert looks.n_events == asked.n_events > 3


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_states_are_reported_as_changed_and_one_warning_is_logged(balls, version):
    master = FixedStepMaster(balls(0.5, version), 1e-2)
    changed = [master.update() for _ in range(150) if master.take_step()]
    assert changed[:4] == [True] * 4
    warnings = [line for line in master.log if "below zero" in line]
    assert len(warnings) == 1
    assert re.search(r"at time 0\.46 s 'ball\.lower_limit' is 0\.0153 below zero: a step of 0\.01 s has gone past its impact", warnings[0])


@pytest.mark.slow
def test_bars_of_fmpy_with_fixed_steps_agree_with_its_cvode(tmp_path):
    fmu = exported(*bar("limit", 0.5), tmp_path, outputs=["bar.q"])
    for step in (1e-2, 4e-3):
        options = {
            "fmi_type": "ModelExchange",
            "stop_time": 1.0,
            "output_interval": step,
            "logger": lambda *_: None,
            "record_events": False,
        }
        exact = fmpy.simulate_fmu(str(fmu), relative_tolerance=1e-8, **options)["bar.q"]
        found = fmpy.simulate_fmu(str(fmu), solver="Euler", step_size=step, **options)["bar.q"]
        assert np.abs(found - exact).max() < 6.5 * step  # rad/s: the largest speed


@pytest.mark.parametrize("setter", ["set_states", "setReal"])
def test_an_importer_with_events_gets_the_bounce_however_it_sets_states(balls, setter):
    class ByReal(SteppedImporter):
        def set_states(self, values):
            self.model.setReal([self.references["ball.q"], self.references["ball.u"]], list(values))

    importer = (ByReal if setter == "setReal" else SteppedImporter)(balls(0.5))
    importer.step = 1e-2
    while not importer.to_event_or_end_of_step():
        pass
    importer.model.enterEventMode()
    before = importer.states()
    importer.update()
    assert_allclose(importer.states(), [before[0], -0.5 * before[1]], rtol=1e-12, atol=1e-12)


# ---- saved states ----


@pytest.mark.fast("3.0")
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_state_saved_around_a_late_impact_continues_with_the_same_bits(balls, version):
    master, other = (FixedStepMaster(balls(0.5, version), 1e-2, RK4) for _ in range(2))

    def saved():
        state = master.model.getFMUState()
        data = master.model.serializeFMUState(state)
        master.model.freeFMUState(state)
        return data, master.n_steps

    def go_on(one, until):
        if one.is_in_event_mode:
            one.update()
        return one.run(until)

    moments = []
    while len(moments) < 9:
        before = saved()
        if master.take_step():
            moments += [(*before, False), (*saved(), True)]
            master.update()
            moments.append((*saved(), False))
    for data, n_steps, in_event_mode in moments:
        runs = []
        for one in (master, other):
            one.model.setFMUState(one.model.deserializeFMUState(data))
            one.n_steps, one.is_in_event_mode = n_steps, in_event_mode
            runs.append(go_on(one, 2.0))
        assert_array_equal(*runs)
    assert_array_equal(runs[0], FixedStepMaster(balls(0.5, version), 1e-2, RK4).run(2.0)[-len(runs[0]) :])


@pytest.mark.slow
def test_compiled_and_interpreted_fmus_have_the_same_bits(tmp_path):
    rows = []
    for code in ("compiled", "interpreted"):
        system, state = falling_box(3)
        rows.append(FixedStepMaster(exported(system, state, tmp_path, code=code), 2e-3, RK4).run(1.0))
    assert_array_equal(*rows)


# ---- states that a host or a handler sets ----


def outside(log):
    return [line for line in log if "is outside its limit" in line]


@pytest.mark.parametrize("how", ["in event mode", "as states, at the same time", "as states, after a step"])
def test_an_overlap_that_a_host_sets_is_an_error(balls, how):
    master = FixedStepMaster(balls(0.5), 1e-2, RK4)
    master.run(0.44)  # just before the impact, at 4.3 m/s
    if how == "in event mode":
        master.model.enterEventMode()
        master.set([master.references["ball.q"]], [-0.01])
    else:
        time = master.time if how == "as states, at the same time" else master.time + master.step
        master.move(time, [-0.2, -4.4])
        assert master.model.completedIntegratorStep()[0]
        master.model.enterEventMode()
    with pytest.raises(FMICallException):
        master.update()
    assert outside(master.log)
    with pytest.raises(FMICallException):
        master.model.enterContinuousTimeMode()


def test_an_overlap_that_a_handler_sets_after_a_late_impact_is_an_error(tmp_path):
    system, ball = bouncing_ball(1.0, GRAVITY, 0.5)
    mb.TimeAdvancedEventHandler.of(
        system, lambda state, event: ball.set_q(state, where(state.time > 0.455, -0.02, ball.q(state)[0])), name="digger"
    )
    master = FixedStepMaster(exported(system, system.realize_topology(), tmp_path), 1e-2, RK4)
    with pytest.raises(FMICallException):
        master.run(0.5)
    assert master.time == pytest.approx(0.46)  # where the step goes past the impact, by more than 0.02 m
    assert re.search(r"at time 0\.46 s .*distance is -0\.02 m,", outside(master.log)[0])
