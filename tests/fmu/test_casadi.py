"""CasADi reads our models for exchange: its values and Jacobians, by directional derivatives of the FMU, are those of the System."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.analytic.linkage import linkage
from tests.laws.mechanisms import random_mechanism

casadi = pytest.importorskip("casadi", reason="casadi is not installed (extra peers)")
pytestmark = pytest.mark.slow


def four_bar():
    made = linkage()
    return made.system, made.state


def tree():
    mechanism = random_mechanism(11, n_bodies=4)
    state = mechanism.random_state(np.random.default_rng(2))
    state.time = 0.0
    return mechanism.system, state


# CasADi 3.8 does not read arrays of FMI 3.0, so the tree, which has vectors, is of FMI 2.0 alone
@pytest.mark.parametrize(("build", "version"), [(four_bar, "2.0"), (four_bar, "3.0"), (tree, "2.0")])
def test_values_and_jacobians_of_casadi_are_those_of_the_system(tmp_path, build, version):
    system, state = build()
    inputs = [variable.name for variable in system.variables(state) if variable.role == "input" and variable.slot.size == 1][:1]
    fmu = mb.export_fmu(system, tmp_path / "it.fmu", state=state, inputs=inputs, outputs=[], fmi_version=version, code="interpreted")
    model = casadi.DaeBuilder("it", str(fmpy.extract(str(fmu))))
    y, u = np.concatenate([state.q, state.u, state.z]), [float(system.value(state, name).ravel()[0]) for name in inputs]
    system.realize(state, mb.Stage.ACCELERATION)
    assert (model.nx(), model.nu()) == (y.size, len(inputs))

    rates = model.create("rates", ["x", "u"], ["ode"])(y, u)
    assert_allclose(np.array(rates).ravel(), state.y_dot, rtol=1e-12, atol=1e-12)
    jacobian = np.array(model.create("jacobian", ["x", "u"], ["jac_ode_x"])(y, u))
    assert_allclose(jacobian, ours(system, state, y.size), rtol=1e-9, atol=1e-9)


def ours(system, state, n_y):
    """By System.directional_derivative, column by column."""
    of_role = {role: [each for each in system.variables(state) if each.role == role] for role in ("state", "derivative")}
    jacobian = np.zeros((n_y, n_y))
    for known in of_role["state"]:
        for i in range(known.slot.size):
            changes = system.directional_derivative(
                state, [each.name for each in of_role["derivative"]], {known.name: np.eye(known.slot.size)[i]}
            )
            for each in of_role["derivative"]:
                first = each.slot.offset - state.layout.y_dot.offset
                jacobian[first : first + each.slot.size, known.slot.offset - state.layout.y.offset + i] = np.ravel(changes[each.name])
    return jacobian
