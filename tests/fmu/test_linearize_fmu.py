"""Linear systems of FMUs agree with those of the Systems from which they were exported, and with closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from tests.importer.foreign_fmus import build_foreign_fmu

OUTPUTS = ["tip.p_GB", "arm.q", "energy"]


@pytest.fixture(scope="module")
def system_and_state():
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    properties = mb.MassProperties(1.2, [0.1, -0.5, 0], np.diag([0.6, 0.2, 0.7]))
    arm = mb.Pin(matter.ground, properties, name="arm")
    tip = mb.Cylinder(arm, properties, X_PF=mb.Transform(mb.spatial.rotation_x(0.5), p=[0, -1, 0]), name="tip")
    mb.MobilityForce(forces, arm, name="motor")
    mb.MobilityForce(forces, tip, speed=1, name="push")
    mb.MobilityLinearSpring(forces, tip, stiffness=30.0, coordinate=1, name="spring")
    state = system.realize_topology()
    state.q, state.u = [0.3, -0.4, 0.1], [1.0, 0.6, -0.2]
    return system, state


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_the_matrices_of_an_fmu_are_those_of_its_system(system_and_state, version, tmp_path):
    system, state = system_and_state
    inputs = ["motor.force", "push.force"]
    path = mb.export_fmu(system, tmp_path / "arm.fmu", inputs=inputs, outputs=OUTPUTS, state=state, fmi_version=version)
    linear = mb.linearize_fmu(path)
    expected = system.linearize(state, inputs=inputs, outputs=OUTPUTS)
    assert not linear.by_differences
    assert (linear.states, linear.state_units, linear.input_units) == (expected.states, expected.state_units, expected.input_units)
    rows = [linear.outputs.index(name) for name in expected.outputs]
    assert [linear.output_units[row] for row in rows] == list(expected.output_units)
    scale = np.abs(expected.A).max()
    columns = [linear.inputs.index(name) for name in expected.inputs]
    for ours, theirs in (
        (linear.A, expected.A),
        (linear.B[:, columns], expected.B),
        (linear.C[rows], expected.C),
        (linear.D[rows][:, columns], expected.D),
        (linear.rates, expected.rates),
    ):
        assert_allclose(ours, theirs, atol=1e-13 * scale)

    # other start values, states and time
    values = {"start": {"gravity.magnitude": 3.0}, "states": {"arm.q": 1.1, "tip.u[2]": 0.4}}
    moved = mb.linearize_fmu(path, ["motor.force"], ["energy"], **values)
    other = state.copy()
    system.set_value(other, "gravity.magnitude", 3.0)
    other.q, other.u = [1.1, -0.4, 0.1], [1.0, 0.6, 0.4]
    assert_allclose(moved.A, system.linearize(other).A, atol=1e-13 * scale)
    assert (moved.inputs, moved.outputs) == (("motor.force",), ("energy",))


def test_an_fmu_without_derivatives_is_differentiated_by_differences(tmp_path):
    path = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    linear = mb.linearize_fmu(path, start={"u": 2.0, "rate": 0.4}, states={"level": 1.5})
    assert linear.by_differences
    assert (linear.states, linear.inputs, linear.outputs) == (("level",), ("u",), ("level", "y[1]", "y[2]", "y[3]"))
    # level' = u - rate level, y = (1, 2, 3) level
    for ours, exact in zip(linear, ([[-0.4]], [[1]], [[1], [1], [2], [3]], [[0]] * 4), strict=True):
        assert_allclose(ours, exact, atol=1e-10)
    assert_allclose(linear.rates, [2.0 - 0.4 * 1.5], rtol=1e-14)
    assert repr(linear).endswith("by finite differences")


@pytest.mark.slow
def test_an_fmu_for_co_simulation_alone_and_wrong_names_are_refused(system_and_state, tmp_path):
    system, state = system_and_state
    path = mb.export_fmu(system, tmp_path / "arm.fmu", outputs=OUTPUTS, state=state)
    with pytest.raises(UnknownNameError, match="continuous state of arm"):
        mb.linearize_fmu(path, states={"arm.w": 1.0})
    with pytest.raises(InputError, match=r"outputs: 'gravity\.magnitude' has causality parameter"):
        mb.linearize_fmu(path, outputs=["gravity.magnitude"])
    with pytest.raises(InputError, match=r"Write outputs=\['energy'\]"):
        mb.linearize_fmu(path, outputs="energy")
    exchange = '<ModelExchange modelIdentifier="tank" providesDirectionalDerivatives="false"/>'
    with pytest.raises(UnsupportedError, match=r"it is for co-simulation only, which does not show its states"):
        mb.linearize_fmu(build_foreign_fmu("tank", tmp_path / "tank.fmu", (exchange, "")))
