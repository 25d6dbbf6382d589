"""Each example of seed 000, in the numbered examples, gives the same motion in a Simulation and in an FMU with tuned parameters."""

import runpy
from pathlib import Path

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# what is built, the parameter that is tuned, its value, until when
CASES = {
    "empty subsystem, and repulsion as subsystem": ("05_custom_subsystem.py", lambda of: of["charges"](), "repulsion.strength", 1.3, 1.0),
    "repulsion as force": ("06_custom_force.py", lambda of: of["charges"](), "repulsion.strength", 1.3, 1.0),
    "distance, and coordinates coupled by a user's function": (
        "07_custom_constraint.py",
        lambda of: of["pendulums"](of["Difference"](2)),
        "gravity.magnitude",
        8.1,
        0.6,
    ),
    "distance, and coordinates coupled by a linear function": (
        "07_custom_constraint.py",
        lambda of: of["pendulums"](mb.functions.Linear([1, -1, 0])),
        "gravity.magnitude",
        8.1,
        0.6,
    ),
    "turntable, knee by splines, translation": ("08_custom_joints.py", lambda of: of["leg"](), "gravity.magnitude", 8.1, 0.4),
}


@pytest.mark.slow
@pytest.mark.parametrize(("example", "build", "parameter", "value", "until"), CASES.values(), ids=CASES)
def test_a_simulation_and_a_tuned_fmu_give_the_same_trajectory(example, build, parameter, value, until, tmp_path):
    """At accuracy 1e-11 each trajectory has an error of about 1e-10."""
    system = build(runpy.run_path(str(EXAMPLES / example)))
    state = system.realize_topology()
    outputs = [f"{body.name}.q" for body in system.matter.bodies]
    path = mb.export_fmu(system, tmp_path / "example.fmu", outputs=outputs, state=state)

    system.set_value(state, parameter, value)
    results = mb.Simulation(system, 1e-11).run(state, until=until, report_every=until / 4)
    expected = np.hstack([results[name].reshape(5, -1) for name in outputs])
    assert np.abs(expected[-1] - expected[0]).max() > 0.05

    described = {each.name: each for each in fmpy.read_model_description(str(path)).modelVariables}
    names = [each.name for each in described.values() if each.causality == "output"]
    assert (described[parameter].causality, described[parameter].variability) == ("parameter", "tunable")
    run = fmpy.simulate_fmu(
        str(path), stop_time=until, output_interval=until / 4, relative_tolerance=1e-11, start_values={parameter: value}, output=names
    )
    assert_allclose(np.array([run[name] for name in names]).T, expected, rtol=0, atol=1e-9)
