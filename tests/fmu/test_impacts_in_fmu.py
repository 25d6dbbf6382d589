"""FMUs with impacts='sequential': the bits of a stepped run, saved states, FMI 2.0 and 3.0, co-simulation and model exchange."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues
from tests.fmu.fixed_step_master import EULER, RK4, FixedStepMaster
from tests.fmu.stepped import start, walked_thrice
from tests.reference.rows_of_balls import row_of_balls, started

TOLERANCE = 1e-8
TIMES = 0.004 * np.arange(8)


def row():
    """(system, State) of a row that is hit, with a gap: the impacts happen at 2 ms and at 9 ms."""
    system, balls, _ = row_of_balls([0.3, 0.7, 0.2, 0.5], [1.0, 0.7, 0.4], gaps=[2e-3, 0.0, 5e-3], friction=0.2)
    return system, started(system, balls, [1.0, 0, 0, 0])


@pytest.mark.parametrize(("version", "options"), [("2.0", {}), ("3.0", {"integrator": "velocity_level", "step": 1e-3})])
def test_an_fmu_has_the_bits_of_a_stepped_run_and_goes_on_from_saved_states(version, options, tmp_path):
    system, state = row()
    options = options | {"impacts": "sequential"}
    states = [each.name for each in system.variables(state) if each.role == "state"]
    export = {"outputs": states, "state": state, "code": "interpreted", "reference": False, "fmi_version": version, "arrays": "scalars"}
    file = FmuFile(mb.export_fmu(system, tmp_path / "row.fmu", **export, **options))
    accuracy = {} if "step" in options else {"accuracy": TOLERANCE}
    run = mb.Simulation(system, backend="interpreted", **accuracy, **options).start(state)
    columns = run.variables(*states)

    with start(file, TOLERANCE) as instance:
        for time, after in pairwise(TIMES):
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
    first, again, elsewhere = walked_thrice(file, TIMES, 2, columns.names)

    assert run["ball3.u"][0] > 0.1  # the last ball was hit
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)


def test_model_exchange_and_an_exported_simulation_have_the_same_law(tmp_path):
    system, state = row()
    simulation = mb.Simulation(system, accuracy=TOLERANCE, impacts="sequential", backend="interpreted")
    expected = simulation.run(state, TIMES[-1]).final_state
    path = tmp_path / "row.fmu"
    mb.export_fmu(system, path, outputs=["ball3.u"], state=state, code="interpreted", reference=False, **simulation.export_options())

    model = FmuModel(path)
    options = {"interface": "model-exchange", "until": TIMES[-1], "accuracy": TOLERANCE}
    table = FmuRun(model, StartValues(model), outputs=["ball3.u"], **options).run()

    assert_allclose(table["ball3.u"][-1], expected.u[3], rtol=1e-6)


@pytest.mark.parametrize("method", [EULER, RK4], ids=["Euler", "RK4"])
@pytest.mark.fast(1)
def test_a_master_with_fixed_steps_that_goes_past_impacts_gets_as_many_balls_as_arrive(method, tmp_path):
    """Coordinates move back to the bounds, where the rounds take place (late_impacts.h)."""
    for gaps, speeds, expected in ((2e-3, [1, 0, 0, 0], [0, 0, 0, 1]), ([2e-3, 0, 2e-3], [1, 0, 0, -1], [-1, 0, 0, 1])):
        system, balls, _ = row_of_balls([0.3] * 4, gaps=gaps)
        options = {"state": started(system, balls, speeds), "impacts": "sequential", "code": "interpreted", "reference": False}
        path = mb.export_fmu(system, tmp_path / "row.fmu", outputs=["ball3.u"], **options)

        master = FixedStepMaster(path, 1.3e-3, method)
        master.run(0.05)

        assert_allclose(master.states()[4:], expected, atol=1e-9)
