"""Closed loops over long times: they stay closed, keep their energy, and redundant rows do no harm."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import IntegrationError, MobodError
from tests.analytic.linkage import bar, linkage

BACKENDS = ["vm", "native"]


def run_and_check(backend, seconds, accuracy):
    """Errors below the tolerance at each report, and by how much the energy changes, relative to what moves."""
    made = linkage()
    system, matter, start = made.system, made.matter, made.state
    tolerance = accuracy / 10
    results = mb.Simulation(system, accuracy, backend=backend).run(start, until=seconds)
    state, energies, kinetic = start.copy(), [], []
    for time, y in list(zip(results.time, results.y, strict=True))[:: max(1, len(results.time) // 200)]:
        state.time, state.y = time, y
        system.realize(state, mb.Stage.ACCELERATION)
        assert np.abs(matter.constraint_position_errors(state)).max() <= tolerance, time
        assert np.abs(matter.constraint_velocity_errors(state)).max() <= tolerance, time
        energies.append(system.energy(state))
        kinetic.append(system.kinetic_energy(state))
    assert len(energies) > 40
    return np.abs(np.array(energies) - energies[0]).max() / max(kinetic)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_redundant_parallelogram_stays_closed_and_keeps_its_energy(backend):
    # some 100 steps a second, each with an error of 1e-9 of coordinates and speeds of size 1
    assert run_and_check(backend, 5.0, 1e-9) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_redundant_parallelogram_stays_closed_for_100_s(backend):
    assert run_and_check(backend, 100.0, 1e-8) < 1e-4


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_linkage_follows_a_crank_that_is_locked_at_a_speed(backend):
    """Only that crank's coordinate is not projected; the others follow."""
    made = linkage()
    made.cranks[1].lock_at(made.state, 0.9, "velocity")
    final = mb.Simulation(made.system, 1e-8, backend=backend).run(made.state, until=0.5).final_state
    assert_allclose([crank.q(final)[0] for crank in made.cranks], -2.0 + 0.5 * 0.9, atol=1e-8)
    assert_allclose([crank.u(final)[0] for crank in made.cranks], 0.9, atol=1e-8)


def test_native_rates_are_those_of_the_virtual_machine_after_projections():
    """Loops on two branches: what a projection leaves in the workspace of one must not be taken for a row of the other."""
    system = mb.MultibodySystem("branches")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -1, 0.1], magnitude=9.81, name="gravity")
    tips = []
    for branch in range(3):
        first = mb.Ball(matter.ground, bar(0.5), X_PF=mb.Transform(p=[branch, 0, 0]), name=f"first{branch}")
        tips.append(mb.Ball(first, bar(0.7), X_PF=mb.Transform(p=[0.5, 0, 0]), name=f"second{branch}"))
    mb.Rod(tips[0], [0.7, 0, 0], tips[1], [0.7, 0, 0], 1.0, name="between")
    mb.Rod(matter.ground, [1.9, 0.3, 0.2], tips[2], [0.7, 0.1, 0], 1.4, name="held")
    state = system.realize_topology()
    rng = np.random.default_rng(3)
    for body in matter.bodies:  # bent: a straight arm cannot give way along itself
        q = np.array([1.0, 0, 0, 0]) + 0.3 * rng.normal(size=4)
        body.set_q(state, q / np.linalg.norm(q))
    state.u = 0.5 * rng.normal(size=len(state.u))
    ends = []
    for backend in BACKENDS:
        final = mb.Simulation(system, 1e-10, backend=backend).run(state, until=0.5).final_state
        ends.append(np.array(final.y))
        system.realize(final, mb.Stage.ACCELERATION)
        assert np.abs(matter.constraint_position_errors(final)).max() <= 1e-11
    assert_allclose(ends[1], ends[0], atol=1e-7)  # 1000 times the accuracy


def contradicting_at(time):
    """A coordinate that is to stay, and a motion that stands still until a time."""
    system = mb.MultibodySystem("pins")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, bar(0.5), name="pin")
    mb.ConstantCoordinate(pin, 0, 0.0, name="still")
    mb.PrescribedMotion(matter, mb.functions.Step(0.0, 0.4, time, 1.0), pin, 0, name="swing")
    return SimpleNamespace(system=system, state=system.realize_topology())


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_contradiction_on_the_way_stops_the_run_where_it_begins(backend):
    made = contradicting_at(0.3)
    with pytest.raises(IntegrationError, match=r"stopped at 0\.3\d* s.*(still|swing)") as raised:
        mb.Simulation(made.system, 1e-8, backend=backend).run(made.state, until=1.0)
    assert isinstance(raised.value, MobodError)
