"""FMUs of compliant constraints give the Simulation's results: with error control, with fixed steps, tuned, saved and restored."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from tests.fmu.stepped import start, walk, walked_thrice
from tests.unit.simulate.compliant_systems import soft_linkage, soft_slider

STEP = 0.004
OUTPUTS = ["arm.limit.engaged", "arm.limit.force", "hinge.multiplier", "corners.force", "hinge.limits.impulse", "energy"]
NAMES = ["arm.q", "box.q[5]", "arm.limit.engaged", "arm.limit.force", "hinge.multiplier[1]", "corners.force[1]", "energy"]
TIMES = np.arange(0, 0.301, 0.02)
FIXED = {"integrator": "velocity_level", "step": STEP}


@pytest.mark.fast("fixed steps")
@pytest.mark.parametrize("options", [{}, FIXED], ids=["error control", "fixed steps"])
def test_a_state_saved_with_active_compliant_rows_continues_with_the_same_bits(options, tmp_path):
    system, state = soft_linkage()
    fmu = FmuFile(mb.export_fmu(system, tmp_path / "linkage.fmu", state=state, outputs=OUTPUTS, **options))
    first, again, elsewhere = walked_thrice(fmu, TIMES, 10, NAMES)
    assert first[0, 5] > 0  # the row is active
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)


@pytest.mark.slow
def test_compliance_and_damping_can_be_tuned_during_a_run(tmp_path):
    system, _, state = soft_slider(force=-5.0, damping=100.0)
    names = ["slider.q", "slider.limit.force", "slider.limit.engaged"]
    fmu = FmuFile(mb.export_fmu(system, tmp_path / "slider.fmu", state=state, outputs=names, **FIXED))
    with start(fmu) as instance:
        rest = walk(instance, [0.0, 6.0], names)[-1]
        instance.set({"slider.limit.compliance": 4e-3, "slider.limit.damping": 50.0})
        softer = walk(instance, [6.0, 20.0], names)[-1]

    assert_allclose(rest, [-0.505, 5.0, 1.0], rtol=1e-8)
    assert_allclose(softer, [-0.52, 5.0, 1.0], rtol=1e-8)
