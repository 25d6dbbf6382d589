"""Directional derivatives of a State agree with finite differences, and those of the FMU with those of the State."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.fmu.names import structured_name
from tests.analytic.linkage import linkage
from tests.laws.mechanisms import random_mechanism

OUTPUTS = ("p_GB", "R_GB", "w_GB", "v_GB", "alpha_GB", "a_GB")


@pytest.fixture(scope="module")
def mechanism(own_library_cache):
    return random_mechanism(7)


@pytest.fixture(scope="module")
def state(mechanism):
    state = mechanism.random_state(np.random.default_rng(8))
    for body in mechanism.bodies:
        if body.equations.quaternion_at is not None:  # an FMU normalizes quaternions at the start
            q = np.array(body.q(state))
            q[:4] /= np.linalg.norm(q[:4])
            body.set_q(state, q)
    mechanism.system.realize(state, mb.Stage.REPORT)
    return state


@pytest.fixture(scope="module")
def names(mechanism, state):
    """(unknowns, knowns): every output and derivative; every state, parameter and input that is a real number."""
    variables = mechanism.system.variables(state)
    unknowns = [each.name for each in variables if each.role in ("output", "derivative")]
    knowns = [each.name for each in variables if each.role in ("state", "parameter", "input") and each.type == "real"]
    return unknowns, knowns


@pytest.fixture(scope="module")
def change(mechanism, state, names):
    rng = np.random.default_rng(9)
    found = {name: rng.normal(size=mechanism.system.variable(state, name).slot.shape) for name in names[1]}
    found["smooth sphere.constant_contact_force"] *= 0.1  # by differences it must not come below 0
    return found


def values(system, state, unknowns):
    return {name: system.value(state, system.variable(state, name)) for name in unknowns}


def test_directional_derivatives_match_finite_differences(mechanism, state, names, change):
    system, unknowns = mechanism.system, names[0]
    step = 1e-5
    shifted = []
    for sign in (1, -1):
        other = state.copy()
        for name, along in change.items():
            system.set_value(other, name, system.value(state, system.variable(state, name)) + sign * step * along)
        shifted.append(values(system, other, unknowns))
    derivatives = system.directional_derivative(state, unknowns, change)
    for name in unknowns:
        difference = (shifted[0][name] - shifted[1][name]) / (2 * step)
        # central differences: step^2 of the third derivative, and round-off / step
        scale = 1 + np.abs(difference).max()
        assert_allclose(derivatives[name], difference, atol=1e-6 * scale, err_msg=name)


@pytest.mark.slow
def test_directional_derivatives_are_linear_in_the_change(mechanism, state, names, change):
    system, unknowns = mechanism.system, names[0][:5]
    whole = system.directional_derivative(state, unknowns, change)
    # in six parts with variables of all kinds; one part per variable tests no more and takes 30 times as long
    parts = [system.directional_derivative(state, unknowns, dict(list(change.items())[first::6])) for first in range(6)]
    for name in unknowns:
        total = sum(part[name] for part in parts)
        assert_allclose(total, whole[name], atol=1e-12 * (1 + np.abs(whole[name]).max()), err_msg=name)


def test_directional_derivatives_of_independent_variables_are_zero(mechanism, state):
    system = mechanism.system
    body = mechanism.bodies[0].name
    speeds = {f"{each.name}.u": np.ones(each.nu) for each in mechanism.bodies if each.nu}
    assert not system.directional_derivative(state, [f"{body}.p_GB"], speeds)[f"{body}.p_GB"].any()
    assert not system.directional_derivative(state, ["energy"], {"time": 1.0})["energy"]


def test_only_states_parameters_inputs_and_time_can_change(mechanism, state):
    system = mechanism.system
    with pytest.raises(InputError, match=r"there is no derivative along 'energy'\. Use states"):
        system.directional_derivative(state, ["energy"], {"energy": 1.0})
    with pytest.raises(InputError, match=r"there is no derivative along 'gravity\.enabled'"):
        system.directional_derivative(state, ["energy"], {"gravity.enabled": 1.0})
    with pytest.raises(InputError, match=r"'gravity\.down' has shape \(3,\), but a change of shape \(2,\)"):
        system.directional_derivative(state, ["energy"], {"gravity.down": [1.0, 2.0]})
    with pytest.raises(UnknownNameError, match=r"Did you mean 'gravity\.magnitude'"):
        system.directional_derivative(state, ["energy"], {"gravity.magnitud": 1.0})


class Drag(mb.Subsystem):
    def realize_dynamics(self, state):
        state.time  # noqa: B018 - reading is all that it does


def test_systems_with_python_hooks_have_no_directional_derivatives():
    system = mb.MultibodySystem("s")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="rod")
    Drag(system, "drag")
    with pytest.raises(UnsupportedError, match="subsystem 'drag' computes in Python hooks"):
        system.directional_derivative(system.realize_topology(), ["rod.u"], {"rod.q": 1.0})


# the FMU


@pytest.fixture(scope="module")
def instantiate(mechanism, state, names, tmp_path_factory):
    """Makes an instance of the mechanism's FMU, in initialization mode, and its name -> value reference."""
    folder = tmp_path_factory.mktemp("fmu")
    outputs = [name for name in names[0] if not name.startswith("der(")]
    inputs = [each.name for each in mechanism.system.variables(state) if each.role == "input"]
    path = mb.export_fmu(mechanism.system, folder / "mechanism.fmu", inputs=inputs, outputs=outputs, state=state)
    return maker_of_instances(path, folder / "unzipped", state.time)


def maker_of_instances(path, folder, start_time):
    description = fmpy.read_model_description(str(path))
    assert description.coSimulation.providesDirectionalDerivative
    unzipped = fmpy.extract(str(path), unzipdir=str(folder))
    references = {variable.name: variable.valueReference for variable in description.modelVariables}

    def made():
        slave = FMU2Slave(
            guid=description.guid, unzipDirectory=unzipped, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="it"
        )
        slave.instantiate()
        slave.setupExperiment(startTime=start_time)
        slave.enterInitializationMode()
        return slave, references

    return made


@pytest.fixture(scope="module")
def fmu(instantiate):
    """(instance in step mode, name -> value reference)"""
    slave, references = instantiate()
    slave.exitInitializationMode()
    yield slave, references
    slave.terminate()
    slave.freeInstance()


def references_and_numbers(mechanism, state, references, arrays):
    """The entries of named arrays as the FMU has them: value references and numbers."""
    found, numbers = [], []
    for name, array in arrays.items():
        for entry, number in zip(mechanism.system.variable(state, name).entry_names(), np.ravel(array), strict=True):
            found.append(references[structured_name(entry)])
            numbers.append(float(number))
    return found, numbers


@pytest.mark.slow
def test_directional_derivatives_of_the_fmu_match_those_of_the_state(mechanism, state, names, change, fmu):
    slave, references = fmu
    expected = mechanism.system.directional_derivative(state, names[0], change)
    unknowns, numbers = references_and_numbers(mechanism, state, references, expected)
    knowns, along = references_and_numbers(mechanism, state, references, change)
    ours = np.array(slave.getDirectionalDerivative(unknowns, knowns, along))
    # the same operations but for the order of sums: to round-off of the largest
    assert_allclose(ours, numbers, atol=1e-13 * np.abs(numbers).max())


@pytest.mark.slow
def test_directional_derivatives_do_not_depend_on_earlier_calls(mechanism, state, names, fmu):
    """Directions that begin at different stages, in any order, each twice."""
    slave, references = fmu
    body = next(each for each in mechanism.bodies if each.nu)
    outputs = [f"{body.name}.{what}" for what in OUTPUTS]
    for name in ("gravity.magnitude", f"{body.name}.u", f"{body.name}.q", "gravity.magnitude", f"{body.name}.q", f"{body.name}.u"):
        change = {name: np.ones(mechanism.system.variable(state, name).slot.shape)}
        expected = mechanism.system.directional_derivative(state, outputs, change)
        unknowns, numbers = references_and_numbers(mechanism, state, references, expected)
        knowns, along = references_and_numbers(mechanism, state, references, change)
        ours = slave.getDirectionalDerivative(unknowns, knowns, along)
        assert_allclose(ours, numbers, atol=1e-13 * (1 + np.abs(numbers).max()), err_msg=name)


def test_directional_derivatives_do_not_change_values(mechanism, names, state, fmu):
    slave, references = fmu
    unknowns = [references[structured_name(entry)] for name in names[0] for entry in mechanism.system.variable(state, name).entry_names()]
    before = slave.getReal(unknowns)
    slave.getDirectionalDerivative(unknowns, [references["gravity.magnitude"]], [1.0])
    assert slave.getReal(unknowns) == before


def test_the_fmu_refuses_computed_variables_and_changes_that_are_not_finite(mechanism, fmu):
    slave, references = fmu
    body = mechanism.bodies[0].name
    for known, along in (
        ([references[structured_name(f"{body}.p_GB[1]")]], [1.0]),
        ([references["gravity.magnitude"]], [float("nan")]),
        ([10**6], [1.0]),
    ):
        with pytest.raises(FMICallException, match="fmi2GetDirectionalDerivative failed"):
            slave.getDirectionalDerivative([references["energy"]], known, along)


@pytest.mark.slow
def test_directional_derivatives_with_redundant_constraints_match_in_an_fmu(tmp_path):
    """Derivatives of multipliers, reactions and accelerations along states and parameters."""
    made = linkage()
    system, state = made.system, made.state
    system.realize(state, mb.Stage.REPORT)
    assert made.matter.analyze_constraints(state).redundant
    outputs = ["ball1.multiplier", "ball2.multiplier", "crank2.reaction", "beam.a_GB"]
    fmu = mb.export_fmu(system, tmp_path / "linkage.fmu", outputs=outputs, state=state)
    rng = np.random.default_rng(9)
    change = {name: rng.normal(size=system.variable(state, name).slot.shape) for name in ("beam.q", "crank0.u", "crank1.u", "gravity.down")}

    slave, references = maker_of_instances(fmu, tmp_path / "unzipped", state.time)()
    slave.exitInitializationMode()
    expected = system.directional_derivative(state, outputs, change)
    unknowns, numbers = references_and_numbers(made, state, references, expected)
    knowns, along = references_and_numbers(made, state, references, change)
    ours = slave.getDirectionalDerivative(unknowns, knowns, along)
    slave.terminate()
    slave.freeInstance()
    # the equations for the multipliers are solved twice, the second time with the first solution
    assert_allclose(ours, numbers, rtol=0, atol=1e-9 * np.abs(numbers).max())


@pytest.mark.slow
def test_before_initialization_ends_changes_of_initial_conditions_change_the_states(mechanism, state, instantiate):
    body = next(each for each in mechanism.bodies if each.equations.quaternion_at is None and each.nu)
    slave, references = instantiate()
    entry = f"{body.name}.u_start" if body.nu == 1 else f"{body.name}.u_start[1]"
    change = np.eye(body.nu)[0]
    expected = mechanism.system.directional_derivative(state, ["energy"], {f"{body.name}.u": change})["energy"]
    assert_allclose(
        slave.getDirectionalDerivative([references["energy"]], [references[structured_name(entry)]], [1.0]), [expected], rtol=1e-12
    )
    slave.exitInitializationMode()
    assert slave.getDirectionalDerivative([references["energy"]], [references[structured_name(entry)]], [1.0]) == [0.0]
    slave.terminate()
    slave.freeInstance()
