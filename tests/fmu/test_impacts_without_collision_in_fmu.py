"""Contacts that cannot slide on (Painleve) have the impacts of the Simulation in FMUs."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from tests.fmu.stepped import start, walked_thrice
from tests.reference.contact_motions import rod_with_tip_speed


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_slip_that_jams_has_the_impact_of_the_simulation(tmp_path, version):
    started, *_ = rod_with_tip_speed({"half_length": 0.5, "mu": 2.0}, 0.5, 3.0, -5.0)
    options = {"outputs": ["rod.q", "rod.u"], "fmi_version": version, "code": "interpreted", "reference": False}
    fmu = FmuFile(mb.export_fmu(started.system, tmp_path / "it.fmu", state=started, **options))
    with pytest.warns(mb.errors.MobodWarning, match="could not slide on"):
        results = mb.Simulation(started.system, accuracy=1e-10).run(started, 0.1)
    names = [f"rod.{what}[{k}]" for what in "qu" for k in (1, 2, 3)]
    with start(fmu, 1e-10) as instance:
        instance.step(0.0, 0.1)
        assert_array_equal([float(instance.get(name)) for name in names], results.final_state.y)
        (warning,) = (line.message for line in instance.log.lines if line.status == "warning")
    assert "at time 0.0441260" in warning
    assert "contact 'tip.contact' could not slide on" in warning
    first, again, elsewhere = walked_thrice(fmu, np.linspace(0, 0.1, 21), 10, names)  # saved after the impact
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)


@pytest.mark.slow
def test_a_slip_that_cannot_go_on_at_an_event_has_an_impact_in_model_exchange(tmp_path):
    started, *_ = rod_with_tip_speed({"half_length": 0.5, "mu": 2.0}, 0.8, 0.5, -5.0)
    options = {"outputs": ["rod.u"], "fmi_version": "2.0", "code": "interpreted", "reference": False, "state": started}
    fmu = mb.export_fmu(started.system, tmp_path / "it.fmu", **options)
    with pytest.warns(mb.errors.MobodWarning, match="could not slide on"):
        results = mb.Simulation(started.system, accuracy=1e-9).run(started, 0.05)
    of_run = {"fmi_type": "ModelExchange", "stop_time": 0.05, "relative_tolerance": 1e-9, "output": ["rod.u[1]", "rod.u[2]"]}
    assert_allclose(list(fmpy.simulate_fmu(str(fmu), **of_run)[-1])[1:], results["rod.u"][-1, :2], rtol=1e-7)
