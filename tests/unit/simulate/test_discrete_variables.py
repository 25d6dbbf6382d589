"""Discrete variables during a run: auto-update variables, and variables that change the set of variables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.errors import IntegrationError, SingularMechanismError, StageError, UnsupportedError
from mobod.runtime.integrators import METHODS
from mobod.system import CatalogueVariable, Stage, Subsystem, System


class Ratchet(Subsystem):
    """q'' = -push. The auto-update variable push is -1 until the speed, which starts at 1, exceeds 2; then it is 3."""

    def __init__(self, system):
        super().__init__(system, "ratchet")
        self.update_times = []

    def realize_topology(self, state):
        self.push = state.allocate_auto_update_discrete_variable(self, "push", -1.0, Stage.ACCELERATION, update_depends_on=Stage.VELOCITY)
        self.load = state.allocate_cache_entry(self, "load", Stage.ACCELERATION, shape=(), computed_by=Stage.ACCELERATION)

    def realize_model(self, state):
        state.allocate_q(self, [0.0])
        state.allocate_u(self, [1.0])

    def realize_velocity(self, state):
        state.values[state.layout.q_dot.slice] = state.u
        state.set_cached(self.push.update, 3.0 if state.u[0] > 2 else state.get(self.push))

    def realize_acceleration(self, state):
        state.values[state.layout.u_dot.slice] = -state.get(self.push)
        state.set_cached(self.load, 10 * state.get(self.push))

    def variables(self, layout):
        return [
            CatalogueVariable(
                name="load", slot=layout.slots[self.load], stage=Stage.ACCELERATION, role="output", units=("N",), description="load"
            ),
            CatalogueVariable(
                name="push",
                slot=layout.slots[self.push],
                stage=Stage.MODEL,
                role="parameter",
                units=("N",),
                description="push",
                discrete=self.push,
            ),
        ]


@pytest.fixture
def ratchet():
    return Ratchet(System("ratchet"))


@pytest.mark.parametrize("method", METHODS)
def test_an_auto_update_variable_changes_at_the_start_of_a_step(ratchet, method):
    system = ratchet.system
    results = mb.Simulation(system, accuracy=1e-9, integrator=method, max_step=0.1).run(system.realize_topology(), until=2.0)
    u, push = results.y[:, 1], results["push"]
    crossed = np.flatnonzero(u > 2)[0]  # the first step that ends above 2; push changes in the next step
    assert_array_equal(push[: crossed + 1], -1)
    assert_array_equal(push[crossed + 1 :], 3)
    # exact motion: acceleration 1 up to there, then -3
    t = results.time[crossed]
    assert u[crossed] == pytest.approx(1 + t, abs=1e-9)
    assert_allclose(u[crossed:], 1 + t - 3 * (results.time[crossed:] - t), atol=1e-9)
    assert results.final_state.get(ratchet.push) == 3


def test_recorded_values_belong_to_their_own_time(ratchet):
    system = ratchet.system
    results = mb.Simulation(system, accuracy=1e-9, max_step=0.1).run(system.realize_topology(), until=2.0, report_every=0.05)
    assert_array_equal(results["load"], 10 * results["push"])
    acceleration = np.diff(results.y[:, 1]) / 0.05
    both_before, both_after = results["push"][1:] == -1, results["push"][:-1] == 3
    assert both_before.sum() >= 10
    assert both_after.sum() >= 10
    assert_allclose(acceleration[both_before], 1, atol=1e-7)  # accuracy divided by the interval
    assert_allclose(acceleration[both_after], -3, atol=1e-7)


def test_a_run_in_two_parts_updates_like_a_single_run(ratchet):
    system = ratchet.system
    simulation = mb.Simulation(system, accuracy=1e-9, max_step=0.1)
    first = simulation.run(system.realize_topology(), until=1.5)
    second = simulation.run(first.final_state, until=2.0)
    assert first.final_state.get(ratchet.push) == 3
    assert_allclose(np.diff(second.y[:, 1]) / np.diff(second.time), -3, atol=1e-7)


def test_a_run_does_not_change_the_given_state(ratchet):
    system = ratchet.system
    state = system.realize_topology()
    mb.Simulation(system).run(state, until=2.0)
    assert state == system.realize_topology()


class Recordable(Subsystem):
    recordable = True

    def realize_topology(self, state):
        state.allocate_auto_update_discrete_variable(self, "memory", 0.0, Stage.REPORT, update_depends_on=Stage.POSITION)


def test_an_unrecorded_auto_update_prevents_native_export():
    system = System("clock")
    Recordable(system, "counter")
    with pytest.raises(UnsupportedError, match=r"variable 'memory' of subsystem 'counter' is updated .* no hook that is recorded sets"):
        generate(system)


class Meddler(Subsystem):
    """Sets a MODEL-stage variable, or fails, at 0.5 s."""

    def __init__(self, system, act):
        super().__init__(system, "meddler")
        self.act = act

    def realize_topology(self, state):
        self.option = state.allocate_discrete_variable(self, "option", "wide", Stage.MODEL)

    def realize_model(self, state):
        state.allocate_z(self, [0.0])

    def realize_acceleration(self, state):
        if state.time > 0.5:
            self.act(self, state)
        state.values[state.layout.z_dot.slice] = 1.0


def fail(subsystem, state):
    raise SingularMechanismError("stuck")


def test_the_set_of_variables_cannot_change_during_a_run():
    system = System("meddled")
    meddler = Meddler(system, lambda subsystem, state: state.set(subsystem.option, "narrow"))
    state = system.realize_topology()
    with pytest.raises(StageError, match="'option' cannot be set during a run"):
        mb.Simulation(system).run(state, until=1.0)
    state.set(meddler.option, "narrow")
    system.realize_model(state)


def test_the_set_of_variables_can_change_after_a_run_even_if_it_failed():
    system = System("meddled")
    seen = []
    meddler = Meddler(system, lambda subsystem, state: None)
    final = mb.Simulation(system).run(system.realize_topology(), until=1.0).final_state
    final.set(meddler.option, "narrow")

    meddler.act = lambda subsystem, state: (seen.append(state), fail(subsystem, state))
    with pytest.raises(IntegrationError, match="stuck"):
        mb.Simulation(system).run(system.realize_topology(), until=1.0)
    seen[-1].set(meddler.option, "narrow")
