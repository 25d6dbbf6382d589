"""FMUs that end the simulation: the last row, the messages, and a continued run."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.cli import main
from mobod.cosim import Master, Network
from mobod.errors import FmuCallError

END = np.sqrt(2 * 0.7 / 9.81)  # s, of a fall by 0.7 m


@pytest.fixture(scope="module", params=["native", "python"])
def falling(request, tmp_path_factory, own_library_cache):
    """The FMU of a mass that falls from 0.7 m, and ends the simulation on the ground."""
    system = mb.MultibodySystem("fall")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.81)
    mass = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="mass")
    mass.set_default_q(0.7)

    class Landing(mb.TriggeredEventHandler):
        def witness(self, state):
            return mass.q(state)[0]

        def handle_event(self, state, event):
            event.terminate_when(True)

    Landing(system, stage=mb.Stage.POSITION, direction="falling", name="landing")
    return mb.export_fmu(system, tmp_path_factory.mktemp(request.param) / "fall.fmu", kind=request.param, outputs=["mass.q", "mass.u"])


@pytest.mark.slow
def test_the_last_row_of_a_single_fmu_is_at_its_end(falling):
    network = Network()
    network.add(falling, "fall")
    results = Master(network, step=0.05, tolerance=1e-9).run(until=2.0)
    assert results.terminated_by == "fall"
    assert_allclose(results.time, [*np.arange(8) * 0.05, END], atol=1e-8)
    assert_allclose(results["fall.mass.q"], 0.7 - 9.81 * results.time**2 / 2, atol=1e-8)
    assert_allclose(results["fall.mass.u"][-1], -9.81 * END, rtol=1e-7)


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_the_last_row_of_several_fmus_is_at_their_last_common_time(falling, fmus, algorithm):
    network = Network()
    network.add(fmus["spring_mass"], "mass", isolate=False)
    network.add(falling, "fall", isolate=False)
    with Master(network, step=0.05, algorithm=algorithm).start() as run:
        results = run.until(2.0)
        assert results.terminated_by == "fall"
        assert_allclose(results.time, np.arange(8) * 0.05, atol=1e-15)
        with pytest.raises(FmuCallError, match=r"until was called after the end\. FMU 'fall' ended the simulation at 0\.37777"):
            run.until(3.0)


def test_a_restored_run_reaches_the_same_end(falling):
    network = Network()
    network.add(falling, "fall", isolate=False)
    with Master(network, step=0.05).start() as run:
        run.until(0.2)
        checkpoint = run.checkpoint()
        first = run.until(1.0)
        run.restore(checkpoint)
        again = run.until(1.0)
    assert again.terminated_by == first.terminated_by == "fall"
    assert first.time.tobytes() == again.time.tobytes()
    assert first["fall.mass.q"].tobytes() == again["fall.mass.q"].tobytes()


@pytest.mark.slow
def test_an_fmu_that_ends_the_simulation_is_validated_until_its_end(falling):
    (check,) = validate_fmu(falling, until=1.0, step=0.05, checks=["run.co-simulation"]).checks
    assert check.outcome == "passed"
    assert "It ended the simulation at 0.37777" in check.detail


@pytest.mark.fast(1)
def test_the_command_reports_the_fmu_that_ended_the_run(falling):
    told = json.loads(CliRunner().invoke(main, ["cosim", str(falling), "--json"]).output)
    assert (told["terminated_by"], told["steps"]) == ("fall", 38)
    assert_allclose(told["time"], END, atol=1e-6)
    assert "after 38 steps, where 'fall' ended the simulation" in CliRunner().invoke(main, ["cosim", str(falling)]).output
