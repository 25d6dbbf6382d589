"""FMUs in whose steps bodies jam: they count these steps as a stepped run does, warn of the first one, and save the count."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.fmu.export import exported_steps
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from tests.analytic.test_jammed_bodies import ball_between_walls
from tests.fmu.python_instances import begun
from tests.fmu.stepped import start, walked_thrice

STEP, TIMES = 2e-3, 0.01 * np.arange(13)
COUNT = "numerics.jammed_steps"
OPTIONS = {"integrator": "velocity_level", "step": STEP}


@pytest.fixture(scope="module")
def jam():
    """The counts of a stepped run at TIMES[1:], of a ball that jams at 0.087 s."""
    system, state, ball, _ = ball_between_walls(8)
    with mb.Simulation(system, backend="interpreted", **OPTIONS).start(state) as run:
        counts = []
        for time in TIMES[1:]:
            run.step_to(time)
            counts.append(run.jammed_steps)
    assert counts == [0] * 8 + [1] * 4
    return system, state, ball, counts


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_counts_the_steps_in_which_bodies_jam_and_warns_of_the_first(jam, version, tmp_path):
    system, state, ball, counts = jam
    options = {"outputs": [f"{ball.name}.q"], "state": state, "code": "interpreted", "reference": False, "arrays": "scalars"}
    file = FmuFile(mb.export_fmu(system, tmp_path / "jam.fmu", fmi_version=version, **options, **OPTIONS))

    first, again, elsewhere = walked_thrice(file, TIMES, 6, [COUNT, *(f"{ball.name}.q[{i}]" for i in range(1, 8))])

    assert_array_equal(first[:, 0], counts[6:])
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)
    with start(file) as instance:
        assert instance.get(COUNT) == 0
        for time in TIMES[:-1]:
            instance.step(time, 0.01)
        assert instance.get(COUNT) == counts[-1]
        warnings = [line.message for line in instance.log.lines if line.status == "warning"]
    assert ["at time 0.087 s bodies jam" in text for text in warnings] == [True]


def test_a_python_fmu_counts_the_same(jam):
    system, state, _, counts = jam
    options = StepOptions(integrator="velocity_level", fixed_steps=FixedSteps(STEP, "automatic", 1, "middle"))
    steps = exported_steps("it", system, state, options)
    instance, references = begun(system, state, options=options, fixed_steps=steps)
    found = []
    for time in TIMES[:-1]:
        instance.do_step(time, 0.01)
        found += instance.get([references[COUNT]], "real")
    assert found == counts
    assert sum("bodies jam" in message.text for message in instance.messages) == 1
