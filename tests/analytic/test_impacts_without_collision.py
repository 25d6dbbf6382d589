"""Contacts that cannot slide on (Painleve) have impacts without collision: their closed form, their limit in fixed steps, their energy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import FrictionParadoxError, MobodWarning
from tests.reference.contact_models import stopped_tip
from tests.reference.contact_motions import rod_with_tip_speed

ROD = {"half_length": 0.5, "mu": 2.0}
JAMS = 0.5, 3.0, -5.0  # angle, rate and speed of the tip: it slides for 0.044 s
CANNOT_SLIDE = 0.8, 0.5, -5.0
HEIGHT, MU = 1.0, 2.0


def jamming_run(until=0.05, **options):
    start, rod, tip = rod_with_tip_speed(ROD, *JAMS)
    with pytest.warns(MobodWarning, match=r"at 0\.0441\d* s contact 'tip.contact' could not slide on"):
        results = mb.Simulation(start.system, **({"accuracy": 1e-9} | options)).run(start, until)
    return start, rod, tip, results


def stool(n, seed):
    """A tall body that slides on n feet at different distances, and turns about its axis."""
    random = np.random.default_rng(seed)
    system = mb.MultibodySystem("stool")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    inertia = random.uniform(0.05, 0.3) * np.diag([1.0, random.uniform(0.8, 1.2), 1.0])
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia(inertia)), name="stool")
    for k in range(n):
        angle, way = 2 * np.pi * k / n + random.uniform(0, 0.3), random.uniform(0.05, 0.3)
        foot = mb.Transform(p=[way * np.cos(angle), way * np.sin(angle), 0.01 - HEIGHT])
        shapes = matter.ground, mb.contact.HalfSpace(), body, mb.contact.Sphere(0.01)
        mb.RigidContact(*shapes, X_B2S2=foot, static_friction=MU, name=f"foot{k}")
    start = system.realize_topology()
    angle, speed = random.uniform(0, 2 * np.pi), random.uniform(0.5, 3)
    body.set_q(start, [1, 0, 0, 0, 0, 0, HEIGHT])
    body.set_u(start, [0, 0, random.uniform(-2, 2), speed * np.cos(angle), speed * np.sin(angle), 0])
    return start


def energies(start, results):
    """Of all reports."""
    state, found = start.copy(), []
    for q, u in zip(results["stool.q"], results["stool.u"], strict=True):
        state.y = np.concatenate([q, u])
        start.system.realize(state, mb.Stage.DYNAMICS)
        found.append(start.system.kinetic_energy(state) + start.system.potential_energy(state))
    return np.array(found)


def largest_difference_in_fixed_steps(start, results, step, until):
    fixed = mb.Simulation(start.system, integrator="velocity_level", step=step).run(start, until, report_every=until)
    return np.abs(fixed.final_state.y - results.final_state.y)[: len(start.q)].max()


def test_a_slip_that_jams_is_stopped_by_an_impact_which_is_an_event():
    *_, tip, results = jamming_run()

    (event,) = results.events
    speeds, impulse = stopped_tip(ROD["half_length"], event.y_before[0], event.y_before[3:])
    assert (event.name, event.direction) == ("tip.contact", -1)
    assert event.time == pytest.approx(0.0441260851, abs=1e-9)
    assert_allclose(event.y_after[3:], speeds, rtol=1e-9)
    assert_allclose(event.y_after[:3], event.y_before[:3], rtol=1e-12)
    assert_allclose([tip.impulses(results.final_state)[0], tip.friction_impulses(results.final_state)[0]], impulse, rtol=1e-9)
    assert len(results.warnings) == 1
    assert tip.modes(results.final_state) == ["free"]  # the tip leaves the floor from rest
    before, after = (u @ ([1 / 12, 1, 1] * u) / 2 for u in (event.y_before[3:], event.y_after[3:]))
    assert after < before - 0.3


def test_fixed_steps_tend_to_the_same_motion_after_a_slip_that_jams():
    start, *_, results = jamming_run()

    assert largest_difference_in_fixed_steps(start, results, 2e-6, 0.05) < 2e-5


@pytest.mark.parametrize("n", [1, 2, 3])
def test_fixed_steps_tend_to_the_same_motion_as_impacts_of_several_contacts(n):
    start = stool(n, 0 if n > 1 else 3)
    with pytest.warns(MobodWarning, match=r"at 0 s contact 'foot0.point'.* could not slide on"):
        results = mb.Simulation(start.system, accuracy=1e-8).run(start, 0.1, report_every=0.01)
    coarse, fine = (largest_difference_in_fixed_steps(start, results, step, 0.1) for step in (1e-3, 1e-4))

    assert np.diff(energies(start, results)).max() < 1e-7
    assert fine < coarse / 7 < 1e-3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*could not slide on")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_stool_fails_or_gains_energy(n):
    n_impacts = 0
    for seed in range(40):
        start = stool(n, seed)
        results = mb.Simulation(start.system, accuracy=1e-8).run(start, 0.3, report_every=0.003)
        assert np.diff(energies(start, results)).max() < 1e-6
        n_impacts += len(results.warnings)

    assert n_impacts >= 10


def test_other_methods_and_both_codes_have_the_same_impact():
    *_, results = jamming_run()
    *_, compiled = jamming_run(backend="compiled")
    *_, implicit = jamming_run(integrator="Rodas5P")
    start, *_ = rod_with_tip_speed(ROD, *JAMS)
    with pytest.warns(MobodWarning, match="run 0: at .* could not slide on"):
        ensemble = mb.Ensemble(start.system, [start, start], accuracy=1e-9, outputs=["rod.u"]).run(0.05)

    assert (compiled.final_state.y == results.final_state.y).all()
    assert_allclose(implicit.final_state.y, results.final_state.y, rtol=1e-8)
    assert (ensemble["rod.u"][:, -1] == results["rod.u"][-1]).all()


def test_derivatives_of_a_slip_that_jams_are_differences_of_runs():
    start, *_ = rod_with_tip_speed(ROD, *JAMS)
    with pytest.warns(MobodWarning, match="could not slide on"):
        found = mb.sensitivities(mb.Simulation(start.system, accuracy=1e-9), start, ["rod.u[1]"], ["rod.u[2]"], until=0.05)

    assert "the time of its impact without collision has no derivative" in found.method


def test_explicit_fixed_steps_have_an_impact_where_a_slip_begins_but_none_within_a_step():
    start, rod, _ = rod_with_tip_speed(ROD, *CANNOT_SLIDE)
    speeds, _ = stopped_tip(ROD["half_length"], CANNOT_SLIDE[0], rod.u(start))
    with pytest.warns(MobodWarning, match="at 0 s contact 'tip.contact' could not slide on"):
        results = mb.Simulation(start.system, integrator="RK4", step=1e-4).run(start, 0.01)
    assert_allclose(rod.u(results.final_state), speeds - [0, 0, 9.81 * 0.01], rtol=1e-9)

    start, *_ = rod_with_tip_speed(ROD, *JAMS)
    with pytest.raises(FrictionParadoxError, match=r"at 0\.0441 s contact 'tip.contact' cannot slide on: with mu = 2 "):
        mb.Simulation(start.system, integrator="RK4", step=1e-4).run(start, 0.05)
