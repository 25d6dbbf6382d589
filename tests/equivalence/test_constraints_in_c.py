"""Constraints of every kind, motions and locks: bytecode, compiled C and the exported FMU give the same numbers."""

from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose

import mobod as mb
from mobod.fmu.names import structured_name
from tests.equivalence.compiled_system import CompiledSystem
from tests.laws.loops import CONSTRAINTS, random_loops

# In C sums have another order, and what LAPACK factors is factored otherwise: some hundred roundings, times `condition`
ROUND_OFF = 1e-13
INDEPENDENT, REDUNDANT = 83, 71  # seeds: in one the rows of all constraints are independent

# which constraints are enabled
CHOICES = {
    "all": tuple(CONSTRAINTS),
    "all, and some that are none": (*CONSTRAINTS, "kept", "held"),
    "none": (),
    "one of one row": ("Rod",),
    "one of one row that may be none": ("held",),
    "one of six rows": ("WeldConstraint",),
    "those of velocities and accelerations": ("NoSlip1D", "ConstantSpeed", "ConstantAcceleration", "SpeedCoupler"),
    "every other one": tuple(CONSTRAINTS)[::2],
    "the others": tuple(CONSTRAINTS)[1::2],
}


def loops_with_rods(seed):
    """Loops with two more rods: "kept" by a pin along whose axis it lies, "held" between a body that can be locked and its parent."""
    loops = random_loops(seed)
    pin = next(body for body in loops.matter.bodies if isinstance(body, mb.Pin))  # its axis is that of F and of M
    point = np.array([0.3, 0.4, 0.7])
    on_axis, on_body = pin.X_PF.apply([0, 0, 0.2]), pin.X_BM.apply(point)
    loops.constraints["kept"] = mb.Rod(pin.parent, on_axis, pin, on_body, float(np.linalg.norm(point - [0, 0, 0.2])), name="kept")
    locked = loops.mechanism.lockable["position"]
    loops.constraints["held"] = mb.Rod(locked.parent, [0.3, -0.2, 0.1], locked, [-0.4, 0.1, 0.5], 0.8, name="held")
    return SimpleNamespace(loops=loops, system=loops.system, matter=loops.matter)


def condition(case, state):
    """Of G M^-1 G^T with rows of one size: 1 / its smallest eigenvalue that is none of redundant rows."""
    A = case.matter.projected_mass_matrix_inverse(state)
    size = np.sqrt(A.diagonal())
    size[size < 1e-10] = 1.0
    eigenvalues = np.linalg.eigvalsh(A / np.outer(size, size))
    return 1 / eigenvalues[eigenvalues > 1e-10].min(initial=1.0)


@pytest.fixture(scope="module")
def case(own_library_cache):
    return loops_with_rods(INDEPENDENT)


@pytest.fixture(scope="module")
def compiled(case):
    return CompiledSystem(case.system)


def state_with(case, names, *, moved=False, seed=63):
    """A random State, realized, with these constraints enabled, and with all motions on and locks if `moved`."""
    state = case.loops.mechanism.random_state(np.random.default_rng(seed), moved=moved)
    for body in case.matter.bodies:  # an FMU starts with those of unit length
        if body.equations.quaternion_at is not None:
            q = np.array(body.q(state))
            body.set_q(state, np.concatenate([q[:4] / np.linalg.norm(q[:4]), q[4:]]))
    for name, constraint in case.loops.constraints.items():
        if name not in names:
            constraint.disable(state)
    case.system.realize(state, mb.Stage.REPORT)
    return state


def assert_same(actual, expected, tolerance):
    """Relative to the largest of what has the same name after its owner's: accelerations of one body are those of all others."""
    assert actual.keys() == expected.keys()
    scales = {}
    for name, value in expected.items():
        kind = name.rpartition(".")[2]
        scales[kind] = max(scales.get(kind, 1.0), np.abs(value).max(initial=0.0))
    for name, value in expected.items():
        scale = scales[name.rpartition(".")[2]]
        assert_allclose(actual[name], value, rtol=0, atol=tolerance * scale, err_msg=name)


def values(case, state):
    return {variable.name: case.system.value(state, variable) for variable in case.system.variables(state)}


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
@pytest.mark.parametrize("choice", CHOICES)
def test_compiled_c_gives_the_numbers_of_the_virtual_machine(case, compiled, choice, moved):
    state = state_with(case, CHOICES[choice], moved=moved)
    assert_same(compiled.values(state), values(case, state), ROUND_OFF * condition(case, state))


def test_constraint_forces_are_the_same(case, compiled):
    state = state_with(case, CONSTRAINTS)
    slots = case.matter.constraint_sweeps(state.layout).slots
    w = compiled.realized(state)
    for slot in (slots.constraint_body_forces, slots.constraint_mobility_forces, slots.A, slots.E):
        expected = state.values[slot.slice]
        assert_allclose(w[slot.slice], expected, rtol=0, atol=ROUND_OFF * condition(case, state) * np.abs(expected).max())


def test_rows_that_count_as_none_are_among_these(case):
    """One is round-off along all joints; the other has entries at speeds that are known, and at no others."""
    state = state_with(case, CHOICES["all, and some that are none"], moved=True)
    sweeps = case.matter.constraint_sweeps(state.layout)
    kept, held = (sweeps.lines(case.loops.constraints[name]).start for name in ("kept", "held"))
    E, A, (K, _) = state.view(sweeps.slots.E), state.view(sweeps.slots.A), sweeps.table.forces(state.values)
    free = ~case.loops.mechanism.known_speeds(state)
    assert np.abs(K[kept]).max() > 0.1
    assert not E[kept, free].any()
    assert not A[kept].any()
    assert np.abs(E[held]).max() > 0.1
    assert not E[held, free].any()
    assert not A[held].any()
    assert [case.loops.constraints[name].multipliers(state)[0] for name in ("kept", "held")] == [0, 0]


# the FMU: in initialization mode, where nothing has been projected


@pytest.fixture(scope="module")
def fmu(tmp_path_factory, own_library_cache):
    """slave, value references by name, names of outputs, names of what can change"""
    case = loops_with_rods(REDUNDANT)
    folder = tmp_path_factory.mktemp("fmu")
    state = state_with(case, CONSTRAINTS)
    catalogue = case.system.variables(state)
    outputs = [each.name for each in catalogue if each.role in ("output", "derivative")]
    knowns = [each.name for each in catalogue if each.role in ("state", "parameter", "input") and each.type == "real"]
    path = mb.export_fmu(case.system, folder / "loops.fmu", outputs=[name for name in outputs if not name.startswith("der(")], state=state)
    description = fmpy.read_model_description(str(path))
    slave = FMU2Slave(
        guid=description.guid,
        unzipDirectory=fmpy.extract(str(path), unzipdir=str(folder / "unzipped")),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="loops",
    )
    slave.instantiate()
    slave.setupExperiment(startTime=state.time)
    slave.enterInitializationMode()
    references = {variable.name: variable.valueReference for variable in description.modelVariables}
    knowns = [name for name in knowns if "lock" not in name]
    yield SimpleNamespace(**vars(case), slave=slave, references=references, outputs=outputs, knowns=knowns)
    slave.freeInstance()


def set_like(fmu, state):
    """What the fixtures change, in the FMU as in the State."""
    for variable in fmu.system.variables(state):
        value = fmu.system.value(state, variable)
        if variable.type == "boolean":
            fmu.slave.setBoolean([fmu.references[structured_name(variable.name)]], [bool(value)])
        elif variable.type == "integer":
            fmu.slave.setInteger([fmu.references[structured_name(variable.name)]], [int(value)])
        elif ".lock_" in variable.name:
            names = [fmu.references[structured_name(name)] for name in variable.entry_names()]
            fmu.slave.setReal(names, np.ravel(value).tolist())
        elif variable.role == "state":
            starts = [name.replace(variable.name, f"{variable.name}_start", 1) for name in variable.entry_names()]
            names = [fmu.references[structured_name(name)] for name in starts]
            fmu.slave.setReal(names, np.ravel(value).tolist())


def by_names(fmu, state, names, get):
    """name -> array, of what `get` gives for value references."""
    catalogue = {name: fmu.system.variable(state, name) for name in names}
    references = [fmu.references[structured_name(entry)] for each in catalogue.values() for entry in each.entry_names()]
    numbers = np.array(get(references))
    ends = np.cumsum([each.slot.size for each in catalogue.values()])
    parts = np.split(numbers, ends[:-1])
    return {name: part.reshape(each.slot.shape) for (name, each), part in zip(catalogue.items(), parts, strict=True)}


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
@pytest.mark.parametrize("choice", ["all", "none", "every other one"])
def test_the_fmu_has_the_numbers_of_the_virtual_machine(fmu, choice, moved):
    """Errors, multipliers and reactions among its outputs."""
    state = state_with(fmu, CHOICES[choice], moved=moved)
    set_like(fmu, state)
    expected = {name: fmu.system.value(state, fmu.system.variable(state, name)) for name in fmu.outputs}
    assert {"multiplier", "position_error", "velocity_error", "reaction"} <= {name.rpartition(".")[2] for name in expected}
    assert_same(by_names(fmu, state, fmu.outputs, fmu.slave.getReal), expected, ROUND_OFF * condition(fmu, state))


@pytest.mark.parametrize("moved", [False, True], ids=["free", "moved"])
@pytest.mark.parametrize("choice", ["all", "the others"])
def test_the_fmu_has_the_directional_derivatives_of_the_virtual_machine(fmu, choice, moved):
    state = state_with(fmu, CHOICES[choice], moved=moved)
    set_like(fmu, state)
    rng = np.random.default_rng(9)
    change = {name: rng.normal(size=fmu.system.variable(state, name).slot.shape) for name in fmu.knowns}
    expected = fmu.system.directional_derivative(state, fmu.outputs, change)
    along = [number for value in change.values() for number in np.ravel(value)]
    knowns = [fmu.references[structured_name(entry)] for name in change for entry in fmu.system.variable(state, name).entry_names()]
    actual = by_names(fmu, state, fmu.outputs, lambda unknowns: fmu.slave.getDirectionalDerivative(unknowns, knowns, along))
    # the equations for the multipliers are solved twice, one on top of the other
    assert_same(actual, expected, ROUND_OFF * condition(fmu, state) ** 2)


def test_redundant_rows_are_among_these(fmu):
    analysis = fmu.matter.analyze_constraints(state_with(fmu, CONSTRAINTS))
    assert len(analysis.rows) - analysis.rank >= 3
