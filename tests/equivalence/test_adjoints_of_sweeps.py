"""The adjoint of every call of the sweeps is the transpose of its tangent, wherever its inputs and outputs lie."""

import numpy as np
import pytest

import mobod as mb
from mobod.scalar.adjoint import adjoint_twin
from mobod.scalar.bytecode import adjoint_program_of, program_of
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedProcedure, LoadedProgram
from mobod.scalar.procedure import Procedure
from tests.analytic.linkage import linkage
from tests.laws.loops import CONSTRAINTS, random_loops
from tests.unit.matter.test_parts_of_rows import Windows
from tests.unit.simulate.test_delays import feedback

ROUND_OFF = 1e-14  # some roundings of the largest terms


class Transposed:
    """The tangents and adjoints of calls, on the numbers of a State."""

    def __init__(self, state):
        self.state, self._made = state, {}

    def _kernels(self, call):
        if isinstance(call, Procedure):
            return LoadedProcedure(call, "tangent"), LoadedProcedure(call, "adjoint")
        if call.kind not in self._made:
            kind = call.kind
            tangent = program_of(kind.tangent(), adds=kind.adds, is_tangent=True)
            adjoint = adjoint_program_of(adjoint_twin(kind.recording()), adds=kind.adds)
            self._made[kind] = LoadedProgram(tangent), LoadedProgram(adjoint)
        return self._made[call.kind]

    def miss(self, call, rng):
        """|seed . L v - L^T seed . v| relative to the terms, for the tangent L of a call, and random seed and v."""
        at = () if isinstance(call, Procedure) else tuple(slot.offset for slot in (*call.inputs, *call.outputs))
        places = sorted({offset for slot in (*call.inputs, *call.outputs) for offset in slot.offsets})
        v, seed = np.zeros((2, self.state.layout.size))
        v[places], seed[places] = rng.normal(size=(2, len(places)))
        forward, backward = v.copy(), seed.copy()
        w = self.state.values.copy()
        for kernel, numbers in zip(self._kernels(call), (forward, backward), strict=True):
            KernelCalls([KernelCall(kernel, at)])(w, numbers)
        before, after = (seed * forward)[places], (backward * v)[places]
        assert np.isfinite(before).all()
        return abs(before.sum() - after.sum()) / max(np.abs(before).sum(), np.abs(after).sum(), 1e-300)


def procedures_of(state):
    return [call for sweep in state.layout.sweeps.values() for call in sweep.calls if isinstance(call, Procedure)]


@pytest.mark.slow
def test_all_calls_of_mechanisms_with_constraints_have_transposed_adjoints():
    loops = random_loops(83)
    rng = np.random.default_rng(4)
    state = loops.state_with(rng, *CONSTRAINTS)
    transposed = Transposed(state)
    for sweep in state.layout.sweeps.values():
        for call in sweep.calls:
            assert transposed.miss(call, rng) < ROUND_OFF


@pytest.mark.parametrize("moved", [0.0, 1e-3], ids=["assembled", "off the constraints"])
@pytest.mark.parametrize("changed", ["nothing", "a rod", "a lock"])
def test_procedures_of_dependent_rows_have_transposed_adjoints(changed, moved):
    """Off the constraints the dependent rows contradict each other, and their residuals count."""
    made = linkage()
    state, rng = made.state, np.random.default_rng(5)
    if changed == "a rod":
        made.rod.enable(state)
    if changed == "a lock":
        made.cranks[1].lock(state, "velocity")
    for crank in made.cranks:
        crank.set_q(state, crank.q(state) + moved * rng.normal())
        crank.set_u(state, crank.u(state) + moved * rng.normal())
    made.system.realize(state, mb.Stage.ACCELERATION)
    transposed = Transposed(state)
    procedures = procedures_of(state)
    assert len(procedures) == 2
    for procedure in procedures:
        assert transposed.miss(procedure, rng) < ROUND_OFF


def test_procedures_of_rows_with_sparse_factors_have_transposed_adjoints():
    made = Windows(8)
    state, rng = made.state(), np.random.default_rng(8)
    made.system.realize(state, mb.Stage.ACCELERATION)
    transposed, procedures = Transposed(state), procedures_of(state)
    assert len(procedures) == 2
    for procedure in procedures:
        assert transposed.miss(procedure, rng) < ROUND_OFF


@pytest.mark.fast(1)
@pytest.mark.parametrize("is_recorded", [False, True])
def test_delays_have_transposed_adjoints(is_recorded):
    system, state = feedback()
    if is_recorded:
        state = mb.Simulation(system, 1e-6, backend="interpreted").run(state, until=0.3).final_state
    system.realize(state, mb.Stage.ACCELERATION)
    transposed, rng = Transposed(state), np.random.default_rng(6)
    assert len(procedures_of(state)) == 2
    for procedure in procedures_of(state):
        assert transposed.miss(procedure, rng) < ROUND_OFF
