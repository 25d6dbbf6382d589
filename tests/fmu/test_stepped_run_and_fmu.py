"""A stepped run in Python and a native FMU take the same steps, to the bit."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start
from tests.unit.simulate.test_called_back import with_handlers
from tests.unit.simulate.test_stepped_run import hinge, motorised_arm

TOLERANCE = 1e-8
TIMES = 0.02 * np.arange(16)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["arm", "handlers", "limits", "RK4", "velocity level"])
def test_a_stepped_run_equals_the_fmu_to_the_bit(case, tmp_path):
    options = {"RK4": {"integrator": "RK4", "step": 0.003}, "velocity level": {"integrator": "velocity_level", "step": 0.002}}.get(case, {})
    system, state, *_ = {"handlers": lambda: with_handlers(True), "limits": hinge, "velocity level": hinge}.get(case, motorised_arm)()
    states = [each.name for each in system.variables(state) if each.role == "state"]
    inputs = ["motor.force"] if case in ("arm", "RK4") else []
    path = mb.export_fmu(system, tmp_path / "it.fmu", inputs=inputs, outputs=states, state=state, code="interpreted", **options)
    simulation = mb.Simulation(system, backend="interpreted", **({} if case == "velocity level" else {"accuracy": TOLERANCE}), **options)
    run, columns = simulation.start(state), None
    columns = run.variables(*states)
    with start(FmuFile(path), TOLERANCE) as instance:
        for number, (time, after) in enumerate(pairwise(TIMES)):
            for name in inputs:
                run.set(name, 0.5 * number)
                instance.set({name: 0.5 * number})
            instance.step(time, after - time)
            run.step_to(after)
            assert run.time == instance.get("time")
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
