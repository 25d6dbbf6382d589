"""Flexible bodies on every mobilizer, and every mobilizer on their interfaces: laws of energy, inverses and reversal."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.laws.differences import rate_in_time
from mobod.laws.random_states import random_q
from tests.flexible.bodies import general_mass, random_frame, random_modal
from tests.laws.mechanisms import BOTH_WAYS


@pytest.mark.fast(3)
@pytest.mark.parametrize("name", BOTH_WAYS)
def test_a_flexible_body_obeys_the_laws_with_every_mobilizer(name):
    rng = np.random.default_rng(sorted(BOTH_WAYS).index(name))
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0.3, -9.1, 1.2])
    modal = random_modal(rng, 3, ["end", "other"])
    X_BM = mb.Transform(random_frame(rng).R, modal.interfaces["root"].X.p)
    base = BOTH_WAYS[name](matter.ground, mb.FlexibleBody(modal), random_frame(rng), X_BM, name="base")
    child = BOTH_WAYS[name](base.interface("end"), general_mass(rng), random_frame(rng), random_frame(rng), name="child")
    arm = mb.Universal(base.interface("other"), mb.FlexibleBody(random_modal(rng, 2, ["end"])), random_frame(rng), name="arm")
    state = system.realize_topology()
    for body in (base, child, arm):
        body.set_q(state, random_q(body.equations, rng))
    base.set_eta(state, 0.2 * rng.normal(size=3))
    arm.set_eta(state, 0.2 * rng.normal(size=2))
    state.u = rng.normal(size=state.u.size)
    system.realize(state, Stage.ACCELERATION)

    M = matter.mass_matrix(state)
    condition = np.linalg.cond(M)
    assert np.linalg.eigvalsh(M)[0] > 0
    assert_allclose(M @ matter.mass_matrix_inverse(state), np.eye(len(M)), atol=1e-15 * 100 * condition)
    assert_allclose(matter.inverse_dynamics(state, state.u_dot), 0, atol=1e-12 * np.abs(M).max() * np.abs(state.u_dot).max())
    lost = sum(body.eta_dot(state) @ body.flexible.modal.damping @ body.eta_dot(state) for body in (base, arm))
    size = np.abs(state.u * (M @ state.u_dot)).sum()
    assert_allclose(rate_in_time(system, state, system.energy), -lost, atol=1e-8 * size)
