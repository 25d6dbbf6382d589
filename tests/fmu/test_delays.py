"""Delays in an FMU: jumps of inputs, the same motion as in a Simulation, saved states, and too short histories."""

import struct

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import measures
from mobod.cosim import FmuFile, Instance
from mobod.errors import FmuError
from mobod.simulate.delays import delay_rows
from mobod.system.state.saved_ranges import saved_ranges
from tests.native.sealing import with_number, word_of
from tests.unit.simulate.test_delays import feedback

OUTPUTS = ["pin.q", "felt late.value", "seen late.value"]
LATE = "'seen late'.value"


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    system, state = feedback()
    return mb.export_fmu(system, tmp_path_factory.mktemp("feedback") / "feedback.fmu", outputs=OUTPUTS, state=state)


def test_the_fmu_moves_as_the_simulation(fmu):
    """The steps are shorter than the delays. At accuracy 1e-11 the error is about 1e-10 of the size of each value."""
    system, state = feedback()
    results = mb.Simulation(system, 1e-11, backend="interpreted").run(state, until=0.8, report_every=0.1)
    names = ["pin.q", "'felt late'.value[3]", LATE]
    run = fmpy.simulate_fmu(str(fmu), stop_time=0.8, output_interval=0.0125, relative_tolerance=1e-11, output=names)
    expected = [results["pin.q"], results["felt late.value"][:, 2], results["seen late.value"]]
    for name, values in zip(names, expected, strict=True):
        found = run[name][::8]
        # a delay's jump may lie between a communication point and the moment before it
        assert_allclose(found, values, atol=1e-9 * np.abs(values).max(), err_msg=name)


def test_a_saved_state_contains_the_memory_bit_for_bit(fmu):
    network = mb.Network()
    network.add(fmu, "it")
    with mb.Master(network, step=0.03, tolerance=1e-8).start() as run:
        run.until(0.3)
        checkpoint = run.checkpoint()
        straight_on = run.until(0.6)
        run.restore(checkpoint)
        resumed = run.until(0.6)
    for name in straight_on:
        assert resumed[name].tobytes() == straight_on[name].tobytes()


def test_an_input_jumps_a_delay_later(tmp_path):
    system = mb.MultibodySystem("late input")
    mb.MatterSubsystem(system)
    level = measures.Variable(system, 1.0, unit="N", name="level")
    late = measures.Delay(system, level, 0.25, name="late")
    measures.Integrate(system, late, name="impulse")
    path = mb.export_fmu(system, tmp_path / "late.fmu", inputs=["level.value"], outputs=["late.value", "impulse.value"])
    with Instance(FmuFile(path), "it") as instance:
        instance.set_up(0.0, None, 1e-8)
        instance.enter_initialization()
        assert instance.get("late.value") == 1.0
        instance.set({"level.value": 2.0})  # the start value
        assert instance.get("late.value") == 2.0
        instance.exit_initialization()
        values = [2.0, 3.0, -1.0, 0.5, 0.5, 4.0, 4.0, 4.0, 4.0, 4.0]
        found = []
        for k, value in enumerate(values):
            instance.set({"level.value": value})
            instance.step(0.1 * k, 0.1)
            found.append((instance.get("late.value"), instance.get("impulse.value")))
    ends = 0.1 * np.arange(1, 11)
    assert_array_equal([late for late, _ in found], [2.0 if end < 0.25 else values[int((end - 0.25) / 0.1)] for end in ends])
    exact = 2.0 * 0.25 + 0.1 * np.cumsum(values)[6] + 0.05 * values[7]
    assert_allclose(found[-1][1], exact, rtol=1e-12)  # constant from jump to jump, where steps end


@pytest.mark.slow
def test_a_too_small_capacity_is_an_error_with_a_remedy(tmp_path):
    system, state = feedback(capacity=10)
    path = mb.export_fmu(system, tmp_path / "small.fmu", outputs=[], state=state)
    with Instance(FmuFile(path), "it") as instance:
        instance.set_up(0.0, None, 1e-10)
        instance.enter_initialization()
        instance.exit_initialization()
        with pytest.raises(FmuError, match=r"the record of delay 'felt late' is full: it has 10 entries for 0\.11 s.*capacity=20"):
            instance.step(0.0, 1.0)


@pytest.mark.slow
def test_a_saved_state_with_a_damaged_delay_record_is_refused(fmu, tmp_path):
    system, state = feedback()
    row = delay_rows(system, state)[0]
    description = fmpy.read_model_description(str(fmu))
    fmpy.extract(str(fmu), unzipdir=str(tmp_path))
    identifier = description.coSimulation.modelIdentifier
    slave = FMU2Slave(guid=description.guid, unzipDirectory=str(tmp_path), modelIdentifier=identifier, instanceName="it")
    slave.instantiate()
    slave.setupExperiment(startTime=0.0, tolerance=1e-7)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    slave.doStep(0.0, 0.2)
    saved = slave.getFMUstate()
    data = slave.serializeFMUstate(saved)
    slave.freeFMUstate(saved)
    ranges = saved_ranges(state.layout, system.variables(state))
    counts = word_of(row.memory.offset, ranges)
    count, oldest = struct.unpack_from("<dd", data, 8 * counts)
    assert 2 <= count <= row.capacity  # confirms the place of the record
    first_time = counts + 2 + int(oldest) * (row.memory.size - 2) // row.capacity
    for word, damage in [
        *((counts, damage) for damage in (-1.0, 1.5, row.capacity + 1.0, np.nan)),
        *((counts + 1, damage) for damage in (-1.0, 0.5, row.capacity, np.nan)),
        *((first_time, damage) for damage in (np.nan, np.inf, 1e9)),
    ]:
        with pytest.raises(Exception, match="fmi2DeSerializeFMUstate failed"):
            slave.deSerializeFMUstate(with_number(data, word, damage))
    slave.freeFMUstate(slave.deSerializeFMUstate(with_number(data, first_time, -1e9)))
    slave.freeInstance()
