"""FMUs for model exchange as components: states, events and inputs, against exact solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Checkpoint, Master, Network
from mobod.errors import FmuError, UnknownNameError, UnsupportedError
from mobod.simulate.table import Table
from tests.importer.foreign_fmus import build_foreign_fmu
from tests.unit.simulate.event_systems import bouncing_mass

ME = {"interface": "model-exchange"}
TOLERANCE = 1e-10


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    return {name: build_foreign_fmu(name, folder / f"{name}.fmu") for name in ("ball", "tank")}


def tank(foreign, **start):
    network = Network()
    network.add(foreign["tank"], "tank", start=start, **ME)
    return network


def test_state_and_time_events_are_found_within_the_steps(foreign):
    """The level falls below the limit at 0.5777 s; the ticks come each 0.3 s."""
    network = tank(foreign, tick=0.3, u=0.2, limit=0.85)
    run = Master(network, step=0.5, tolerance=TOLERANCE).run(until=2.0)
    assert_allclose(run["tank.level"], 0.4 + 0.6 * np.exp(-0.5 * run.time), rtol=1e-8)
    assert_array_equal(run["tank.ticks"], [0, 1, 3, 5, 6])
    assert_array_equal(run["tank.crossings"], [0, 0, 1, 1, 1])


def test_inputs_are_held_in_a_step_and_jump_at_its_start(foreign):
    network = tank(foreign)
    times = np.linspace(0.0, 1.0, 5)
    network.add(Table(times, {"u": np.array([0.3, -0.2, 0.9, 0.1, 0.0]), "mode": np.array([1, 2, 2, 3, 3], dtype=np.int32)}), "plan")
    network.connect("plan.u", "tank.u")
    network.connect("plan.mode", "tank.mode")
    run = Master(network, step=0.25, tolerance=TOLERANCE).run(until=1.0)
    level = [1.0]
    for u in (0.3, -0.2, 0.9, 0.1):
        level.append(2 * u + (level[-1] - 2 * u) * np.exp(-0.125))
    assert_allclose(run["tank.level"], level, rtol=1e-8)
    assert_array_equal(run["tank.seen"], [1, 2, 2, 3, 3])


def test_an_fmu_of_fmi_2_bounces_as_it_does_exactly(foreign):
    network = Network()
    network.add(foreign["ball"], "ball", start={"e": 0.5, "g": 10.0}, **ME)
    run = Master(network, step=0.2, tolerance=TOLERANCE).run(until=1.0)
    first = np.sqrt(0.2)  # s, when it hits the floor with 10 first m/s, from 1 m
    t = run.time
    exact = np.where(t < first, 1 - 5 * t**2, 5 * first * (t - first) - 5 * (t - first) ** 2)
    before_second = t < 2 * first
    assert before_second.sum() == 5
    assert_allclose(run["ball.h"][before_second], exact[before_second], atol=1e-8)
    assert_array_equal(run["ball.bounces"], [0, 0, 0, 1, 1, 2])


def test_an_fmu_ends_the_run_at_its_own_time(foreign):
    run = Master(tank(foreign, end_at=0.27), step=0.1).run(until=1.0)
    assert run.terminated_by == "tank"
    assert_allclose(run.time[-1], 0.27, rtol=1e-15)


def test_the_error_of_a_call_within_a_step_is_the_fmus(foreign):
    with pytest.raises(FmuError, match=r"(?s)FMU 'tank'.*fmi3GetContinuousStateDerivatives.*returned"):
        Master(tank(foreign, fail_at=0.15), step=0.1).run(until=1.0)


def test_an_fmu_that_cannot_save_its_state_says_so(foreign):
    with Master(tank(foreign)).start() as run, pytest.raises(UnsupportedError, match="does not declare canGetAndSetFMUState"):
        run.checkpoint()


@pytest.mark.slow
def test_a_restored_run_with_events_goes_on_with_the_same_bits(tmp_path):
    system, state, _ = bouncing_mass()
    network = Network()
    network.add(mb.export_fmu(system, tmp_path / "ball.fmu", outputs=["ball.q", "ball.u"], state=state), "ball", **ME)
    master = Master(network, step=0.1)
    with master.start() as run:
        run.until(0.5)
        checkpoint = Checkpoint.from_bytes(run.checkpoint().to_bytes())
        first = run.until(1.5)
        run.restore(checkpoint)
        again = run.until(1.5)
    with master.start() as other:
        other.restore(checkpoint)
        elsewhere = other.until(1.5)
    for name in first:
        assert_array_equal(again[name], first[name])
        assert_array_equal(elsewhere[name], first[name])


def test_an_interface_that_the_fmu_does_not_have_is_refused(foreign, fmus, tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'model-exchange'"):
        Network().add(foreign["tank"], "tank", interface="modelexchange")
    with pytest.raises(UnsupportedError, match="it is not for model-exchange, only for co-simulation"):
        Network().add(fmus["gain"], "gain", **ME)
    element = '<CoSimulation modelIdentifier="tank" canHandleVariableCommunicationStepSize="true"/>'
    only = build_foreign_fmu("tank", tmp_path / "only.fmu", (element, ""))
    assert Network().add(only).model.capabilities.handles_events == "event mode"
