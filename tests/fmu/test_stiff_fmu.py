"""FMUs of stiff systems: the integration method is selected automatically, and saved states contain the selection."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from tests.fmu.stepped import start, walk, walked_thrice
from tests.unit.simulate.test_integrators import driven, mounted_pendulum


def export(path, made, **options):
    system, state = made
    return FmuFile(mb.export_fmu(system, path, outputs=[], state=state, code="interpreted", **options))


def test_a_stiff_mount_needs_as_few_steps_as_in_a_simulation(tmp_path):
    made = mounted_pendulum()
    with start(export(tmp_path / "mounted.fmu", made), 1e-6) as instance:
        (q,) = walk(instance, [0.0, 1.0], ["pendulum.q"])[0]
    system, state = made
    results = mb.Simulation(system, 1e-6, backend="interpreted").run(state, 1.0)
    assert results.integrator == "RK45 and Rodas5P"
    assert q == results["pendulum.q"][-1]  # with RK45 alone the bits would differ


@pytest.mark.fast(1)
@pytest.mark.parametrize("middle", [1, 4, 6], ids=["while it is stiff", "later", "after it went back"])
def test_restored_states_choose_the_same_methods(middle, tmp_path):
    """The system is fast until 0.3 s; the integrator selects its method within steps, and again after each of these times."""
    times = [0.0, 0.01, 0.1, 0.2, 0.3, 1.0, 6.0, 8.0]
    file = export(tmp_path / "driven.fmu", driven(fast=1e5, start=1.2, slow_from=0.3))
    first, again, another = walked_thrice(file, times, middle, ["driven.x"])
    assert_array_equal(again, first)
    assert_array_equal(another, first)
    assert_allclose(first[:, 0], np.cos(times[middle + 1 :]), atol=1e-7)


@pytest.mark.fast(1)
@pytest.mark.parametrize("integrator", ["RK23", "Rodas5P"])
def test_the_method_can_be_chosen(integrator, tmp_path):
    system, state = driven(fast=20.0)
    with start(export(tmp_path / "driven.fmu", (system, state), integrator=integrator), 1e-6) as instance:
        (x,) = walk(instance, [0.0, 1.0], ["driven.x"])[0]
    results = mb.Simulation(system, 1e-6, integrator=integrator, backend="interpreted").run(state, 1.0)
    assert x == results.y[-1, 0]
