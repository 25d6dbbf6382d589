"""FMUs of an arm with sampled sensors: the bits of a stepped run, in co-simulation and with saved states; model exchange."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.system.measures import MeasureSubsystem
from tests.fmu.stepped import assert_bits_of_a_stepped_run, walked_thrice
from tests.fmu.test_driven_arm import commands, driven_arm

TOLERANCE = 1e-8
TIMES = 0.06 * np.arange(8)  # s
PERIOD = 0.012
OUTPUTS = ["joint6.q", "felt.acceleration", "felt.angular_velocity", "carried.torque", "carried.force"]
NOISE = {"seed": 12, "noise_density": 0.02, "bias": 0.1}


def sampled_arm():
    system = driven_arm()
    measures = {each.name: each for each in MeasureSubsystem.of(system).measures}
    mb.Sampled(system, measures["imu"], PERIOD, **NOISE, name="felt")
    mb.Sampled(system, measures["flange"], PERIOD, **NOISE, name="carried")
    return system


def exported(folder, version, **options):
    inputs = [f"servo{number}.command" for number in range(1, 6)]
    options = {"inputs": inputs, "outputs": OUTPUTS, "code": "interpreted", "reference": False, "fmi_version": version, **options}
    return mb.export_fmu(sampled_arm(), folder / f"arm_{version}.fmu", **options)


@pytest.mark.fast(1)
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.002}])
def test_co_simulation_has_the_bits_of_a_stepped_run(tmp_path, version, options):
    of_run = options or {"accuracy": TOLERANCE}
    assert_bits_of_a_stepped_run(sampled_arm(), exported(tmp_path, version, **options), OUTPUTS, TIMES, commands, **of_run)


def test_the_unit_of_noise_has_a_name_and_no_base_units_which_fmi_has_with_whole_exponents_alone(tmp_path):
    described = fmpy.read_model_description(exported(tmp_path, "2.0"))
    (unit,) = [each for each in described.unitDefinitions if each.name == "m/(s2.sqrtHz)"]
    assert unit.baseUnit is None
    (density,) = [each for each in described.modelVariables if each.name == "felt.noise_density[2]"]
    assert (density.unit, density.causality, float(density.start)) == (unit.name, "parameter", 0.02)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_model_exchange_has_the_numbers_of_a_run(tmp_path, version):
    path = exported(tmp_path, version)
    system = sampled_arm()
    state = system.realize_topology()
    given = {**commands(0.1), "felt.seed": 77.0}
    for name, value in commands(0.1).items():
        system.set_value(state, name, value)
    system.set_value(state, "felt.seed", 77.0)
    expected = mb.Simulation(system, accuracy=TOLERANCE, backend="interpreted").run(state, until=0.4)
    results = fmpy.simulate_fmu(
        str(path),
        fmi_type="ModelExchange",
        stop_time=0.4,
        relative_tolerance=1e-8,
        start_values=given,
        output=["joint6.q", *([f"felt.acceleration[{i}]" for i in (1, 2, 3)] if version == "2.0" else ["felt.acceleration"])],
    )
    assert_allclose(results["joint6.q"][-1], expected["joint6.q"][-1], atol=1e-5)
    felt = np.ravel([results[name][-1] for name in results.dtype.names if name.startswith("felt")])
    assert_allclose(felt, expected["felt.acceleration"][-1], atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.002}])
def test_a_state_saved_between_readings_continues_with_the_same_bits(tmp_path, options):
    fmu = FmuFile(exported(tmp_path, "2.0", **options))
    names = ["joint6.q", "felt.acceleration[2]", "felt.angular_velocity[3]", "carried.force[3]"]
    first, again, elsewhere = walked_thrice(fmu, TIMES, 4, names)
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)
    assert len(np.unique(first[:, 1])) == len(first)
