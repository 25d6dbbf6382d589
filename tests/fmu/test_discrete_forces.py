"""Forces that are inputs of an FMU."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb


@pytest.mark.slow
def test_discrete_forces_are_inputs_of_an_fmu(tmp_path):
    """A stone of 2 kg, with its mass center in its origin, pushed along x and turned about z."""
    system = mb.MultibodySystem("stone")
    matter = mb.MatterSubsystem(system)
    inertia = mb.Inertia.sphere(mass=2.0, radius=0.5)  # 0.2 kg m^2
    mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], inertia), name="stone")
    mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="pushes")
    fmu = mb.export_fmu(
        system,
        tmp_path / "stone.fmu",
        inputs=["pushes.stone.torque", "pushes.stone.force", "pushes.stone.mobility_force[5]"],
        outputs=["stone.p_GB", "stone.w_GB"],
        state=system.realize_topology(),
    )
    description = fmpy.read_model_description(str(fmu))
    causality = {variable.name: (variable.causality, variable.unit) for variable in description.modelVariables}
    assert causality["pushes.stone.torque[3]"] == ("input", "N.m")
    assert causality["pushes.stone.mobility_force[5]"] == ("input", "N")
    assert causality["pushes.stone.mobility_force[4]"] == ("parameter", "N")

    names = ["time", "pushes.stone.force[1]", "pushes.stone.torque[3]", "pushes.stone.mobility_force[5]"]
    pushed = np.array([(0.0, 3.0, 0.1, -1.0), (1.0, 3.0, 0.1, -1.0)], dtype=[(name, float) for name in names])
    results = fmpy.simulate_fmu(str(fmu), stop_time=1.0, output_interval=0.1, relative_tolerance=1e-9, input=pushed)
    time = results["time"]
    assert_allclose(results["stone.p_GB[1]"], 3.0 / 2 * time**2 / 2, atol=1e-8)  # ten times the tolerance
    assert_allclose(results["stone.p_GB[2]"], -1.0 / 2 * time**2 / 2, atol=1e-8)
    assert_allclose(results["stone.w_GB[3]"], 0.1 / 0.2 * time, atol=1e-8)
