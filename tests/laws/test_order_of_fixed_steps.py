"""Fixed steps at velocity level are of second order: all mobilizers, motions, locks and forces, and all constraints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.laws.loops import CONSTRAINTS, random_loops


@pytest.mark.slow
@pytest.mark.parametrize("names", [(), tuple(CONSTRAINTS)], ids=["without constraints", "with all"])
@pytest.mark.filterwarnings("ignore::mobod.MobodWarning")  # of the start, which each run projects
def test_errors_fall_fourfold_with_half_the_step(names):
    made = random_loops(7)
    state = made.state_with(np.random.default_rng(5), *names)
    if names:
        state = mb.Assembler(made.system).assemble(state)
    end = state.time + 5e-4  # before random springs and stops, which are stiff, act otherwise
    exact = mb.Simulation(made.system, 1e-12, backend="interpreted").run(state, end).final_state.y

    errors = [
        np.abs(
            mb.Simulation(made.system, integrator="velocity_level", step=step, backend="interpreted").run(state, end).final_state.y - exact
        )
        for step in (1.25e-5, 6.25e-6)
    ]

    seen = errors[1] > 1e-10  # others are near the error of the exact motion
    assert seen.sum() > 50
    assert_allclose(errors[0][seen] / errors[1][seen], 4, rtol=0.15)
