"""A step that ends before a singularity is discarded, so that a master can try a shorter one; reactions of masters."""

from dataclasses import replace

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.simulation import simulate_fmu

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.cosim import FmuFile, Instance, Master, Network
from mobod.cosim.instance import StepDiscardedError
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError

SINGULAR = 0.5553  # s, after which the force below is NaN


class Ending(mb.CustomForce):
    """A torque on a pin in N m that is NaN after SINGULAR."""

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += np.sqrt(SINGULAR - state.time)


def ending_system():
    system = mb.MultibodySystem("ending")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(mass=1.3, com=[0.2, 0.1, 0], inertia=mb.Inertia.sphere(mass=1.3, radius=0.3).shifted([0.2, 0.1, 0]))
    mb.Pin(matter.ground, mb.RigidBody(mass), name="pin")
    Ending(forces, name="ending")
    return system


@pytest.fixture(scope="module", params=["adaptive", "fixed steps"])
def ending(request, tmp_path_factory):
    options = {"integrator": "velocity_level", "step": 0.01} if request.param == "fixed steps" else {}
    return mb.export_fmu(ending_system(), tmp_path_factory.mktemp("ending") / "ending.fmu", outputs=["pin.q"], **options)


@pytest.fixture
def instance(ending):
    with Instance(FmuFile(ending), "lever") as instance:
        instance.set_up(0.0, None, 1e-8)
        instance.enter_initialization()
        instance.exit_initialization()
        yield instance


@pytest.mark.fast(1)
def test_a_discarded_step_can_be_taken_to_the_time_that_it_reached(instance):
    instance.step(0.0, 0.5)
    with SavedState.of(instance) as before:
        message = r"FMU 'lever' .*fmi2DoStep at 0\.5 s returned discard: it cannot take this step of 0\.1 s; it came to 0\.5[56]"
        with pytest.raises(StepDiscardedError, match=message) as caught:
            instance.step(0.5, 0.1)
        reached = caught.value.reached
        assert SINGULAR - 1e-4 < reached < SINGULAR + 0.01  # a fixed step needs no force at its end

        with pytest.raises(FmuError, match=r"not allowed in the mode stepFailed: the last step was discarded\. Restore a state"):
            instance.step(0.5, 0.01)
        before.restore()
        instance.step(0.5, reached - 0.5)
        assert instance.get("time") == reached
        with pytest.raises(FmuError, match=r"returned (error|discard)"):  # the singularity cannot be passed
            instance.step(reached, 0.02)


def test_fmpy_ends_a_run_at_a_discarded_step_with_an_error(ending):
    with pytest.raises(FMICallException, match="fmi2DoStep failed with status 3"):
        simulate_fmu(str(ending), stop_time=1.0, output_interval=0.1, fmi_call_logger=None)
    assert fmpy.read_model_description(str(ending)).coSimulation.canGetAndSetFMUstate


def test_the_included_master_names_the_fmu_and_the_time_reached(ending):
    network = Network()
    network.add(ending, "lever")
    with pytest.raises(StepDiscardedError, match=r"FMU 'lever' .*fmi2DoStep at 0\.5 s returned discard: .* came to 0\.5[56]"):
        Master(network, step=0.1).run(until=1.0)


def test_validation_reports_where_a_step_was_discarded(ending):
    report = validate_fmu(ending, until=1.0, step=0.1, checks=["run.co-simulation"])
    failed = {check.claim: check.detail for check in report.checks if check.outcome == "failed"}
    assert failed
    assert any("returned discard" in detail and "a step to 0.5" in detail for detail in failed.values())


def test_a_run_is_unchanged_if_an_fmu_refuses_its_part_of_a_checkpoint(ending):
    network = Network()
    network.add(ending, "first")
    network.add(ending, "second")
    with Master(network, step=0.1).start() as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        run.until(0.3)
        second = checkpoint.components["second"]
        spoilt = bytes([*second.data[:100], second.data[100] ^ 1, *second.data[101:]])
        damaged = replace(checkpoint, components={**checkpoint.components, "second": replace(second, data=spoilt)})
        with pytest.raises(FmuError, match=r"FMU 'second' .*fmi2DeSerializeFMUstate.*(?s:.*)its checksum is wrong"):
            run.restore(damaged)
        assert run.time == 0.3
        after = run.until(0.5)
        run.restore(checkpoint)
        assert run.until(0.5)["first.pin.q"][-1] == after["first.pin.q"][-1]


@pytest.mark.slow
def test_a_python_fmu_fails_a_step_that_a_native_fmu_discards_with_the_same_message(tmp_path, start):
    instance = start(mb.export_fmu(ending_system(), tmp_path / "ending.fmu", kind="python", outputs=["pin.q"]))
    instance.step(0.0, 0.5)
    failed = r"fmi2DoStep: at time 0\.555\d* s the derivative of 'pin\.u' is -?nan"
    with pytest.raises(FmuError, match=rf"{failed}.* fmi2DoStep: a step to 0\.555\d* s is possible, from a state"):
        instance.step(0.5, 0.1)
