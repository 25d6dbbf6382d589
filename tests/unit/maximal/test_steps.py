"""Each integrator of maximal coordinates compared with the same steps in plain NumPy, for a single hinge."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod.maximal import MaximalBody, MaximalCoordinateSimulation, MaximalJoint
from mobod.maximal.simulation import _STEPS
from tests.unit.maximal import plain_hinge

COM, MASS = np.array([0.12, -0.31, 0.07]), 1.7
R_CA, P_CA = Rotation.from_rotvec([0.3, -0.5, 0.2]).as_matrix(), np.array([0.05, 0.4, -0.1])
R_D, P_D = Rotation.from_rotvec([-1.1, 0.4, 0.3]).as_matrix(), np.array([0.2, -0.1, 0.6])
N_STEPS = 60


def models(compliance, damping):
    """(plain one with its start, the simulation of mobod as a function of the integrator with its joint)."""
    inertia = mb.Inertia.box(mass=MASS, size=[0.3, 0.8, 0.2]).shifted(COM)
    properties = mb.MassProperties(MASS, COM, inertia)
    X_C = mb.Transform(R_D @ Rotation.from_rotvec([0, 0, 0.4]).as_matrix() @ Rotation.from_rotvec([0.01, -0.02, 0]).as_matrix(), P_D + 0.01)
    X_W = X_C @ mb.Transform(R_CA, P_CA).inverse()  # neither in place nor along the axis: the first correction has something to do
    speeds, force = np.array([0.1, 0.3, -0.2, 0.7, -0.4, 1.2]), np.array([0.5, -0.3, 1.1, 0.2, -0.1, 0.4])
    gravity = np.array([-1.5, 8.9, -3.0])
    plain = plain_hinge.Model(
        h=0.01,
        mass=MASS,
        com=COM,
        J=np.asarray(properties.inertia),
        R_CA=R_CA,
        p_CA=P_CA,
        R_D=R_D,
        p_D=P_D,
        gravity=gravity,
        force=force,
        dampings=(0.8, 0.15),
        upper=0.55,
        tolerance=2e-4,
        compliance=compliance,
        damping=damping,
    )

    def simulation(integrator):
        body = MaximalBody(properties, X_W, velocity=speeds, external_force=force)
        coupling = mb.HingeCoupling((-np.inf, 0.55))
        coupling.constraint(5).compliance, coupling.constraint(5).damping = compliance, damping
        joint = MaximalJoint(coupling, body, X_AC=mb.Transform(R_CA, P_CA), X_BD=mb.Transform(R_D, P_D), rotary_tolerance=2e-4)
        damped = {"frame_damping": 0.8, "rotary_damping": 0.15}
        return MaximalCoordinateSimulation([body], [joint], step=0.01, gravity=gravity, integrator=integrator, **damped), joint

    return plain, plain_hinge.Moment(X_W.p, X_W.R, speeds), simulation


@pytest.mark.slow
@pytest.mark.parametrize(("compliance", "damping"), [(0.0, 0.0), (2e-3, 5.0)], ids=["rigid", "compliant"])
@pytest.mark.parametrize("integrator", sorted(plain_hinge.STEPS))
def test_every_integrator_matches_the_numpy_reference(integrator, compliance, damping):
    plain, start, make = models(compliance, damping)
    simulation, joint = make(integrator)
    body, limit = joint.body_A, joint.coupling.constraint(5)

    expected = plain_hinge.run(plain, start, integrator, N_STEPS)
    engaged = []
    for moment in expected[1:]:
        simulation.step()
        # some dozens of operations a step; round-off grows as the motion does, by a few powers of ten in 60 steps
        assert_allclose(body.position, moment.p, rtol=0, atol=1e-11)
        assert_allclose(body.X_WB.R, moment.R, rtol=0, atol=1e-11)
        assert_allclose(body.velocity, moment.u, rtol=0, atol=1e-10)
        assert joint.coupling.coordinate(0).value == pytest.approx(moment.theta, abs=1e-11)
        assert (limit.engaged, limit.engaged_count) == (moment.E, moment.count)
        assert limit.multiplier == pytest.approx(moment.multiplier, rel=1e-9, abs=1e-9)
        engaged.append(moment.E)

    assert 0 in engaged[:5]  # the limit is met on the way, and presses
    assert -1 in engaged
    assert max(moment.multiplier for moment in expected) > 1


def test_all_integrators_are_there():
    assert plain_hinge.STEPS.keys() == _STEPS.keys()
