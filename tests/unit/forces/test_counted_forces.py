"""Forces on bodies that a DriveLimit counts: their generalized forces, files, and what is refused."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, ModelFileError
from mobod.spatial import rotation_x, rotation_z

LINK = mb.MassProperties(0.8, [0.2, 0.1, 0], mb.Inertia.box(mass=0.8, size=[0.4, 0.05, 0.1]).shifted([0.2, 0.1, 0]))


def frame(angle, p):
    return mb.Transform(rotation_x(angle) @ rotation_z(0.7 - angle), p)


def branched():
    """A free base with two branches, forces between and on them, and a limit of each speed that counts them all."""
    system = mb.MultibodySystem("branched")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    base = mb.Free(matter.ground, LINK, X_BM=frame(0.2, [0.1, 0, 0.2]), name="base")
    upper = mb.Universal(base, LINK, X_PF=frame(0.4, [0.4, 0, 0]), X_BM=frame(-0.3, [0, 0.1, 0]), name="upper")
    lower = mb.Screw(upper, LINK, X_PF=frame(1.1, [0.3, 0.1, 0]), pitch=0.2, name="lower")
    other = mb.Pin(base, LINK, X_PF=frame(-0.8, [0, -0.4, 0.1]), name="other")
    on_ground = mb.SiteServo(
        forces, lower, frame(0.5, [0.1, 0.2, 0]), wrench=[0.1, 0, 0.3, 1, 2, 0], control="velocity", kd=0.4, command=1.0, name="jet"
    )
    between = mb.SiteServo(
        forces,
        lower,
        frame(-0.5, [0, 0.2, 0.1]),
        wrench=[0.2, -0.1, 0, 0.3, 0, 1],
        control="force",
        command=-1.7,
        reference=other,
        reference_frame=frame(0.9, [0.2, 0, 0.3]),
        axes="reference",
        name="between",
    )
    weight = mb.ConstantForce(forces, other, [0.2, 0.1, 0], [0.3, -0.4, 5.0], name="weight")
    counted = (on_ground, between, weight)
    for body in (base, upper, lower, other):
        for speed in range(body.nu):
            body.set_drive_limit(-0.3, 0.5, speed=speed, further=counted)
    return system, forces, counted


def general(system):
    state, rng = system.realize_topology(), np.random.default_rng(7)
    for body in system.matter.bodies:
        q = rng.normal(size=body.nq)
        body.set_q(state, q / np.linalg.norm(q[:4]) if body.nq == 7 else q)
    state.u = rng.normal(size=state.u.size)
    system.realize(state, mb.Stage.ACCELERATION)
    return state


def test_a_limit_counts_the_generalized_forces_along_its_speed():
    """J^T F, in which F are forces on bodies about the bodies' own origins; what acts is the sum in its range."""
    system, forces, counted = branched()
    state = general(system)
    on_bodies = sum(force.calc_force_contribution(state)[0] for force in counted)
    limits = [force for force in forces.elements if isinstance(force, mb.DriveLimit)]
    expected = system.matter.multiply_by_system_jacobian_transpose(state, on_bodies)
    assert_allclose([limit.unlimited_force(state) for limit in limits], expected, rtol=1e-12, atol=1e-13)
    assert_allclose([limit.drive_force(state) for limit in limits], np.clip(expected, -0.3, 0.5), rtol=1e-12, atol=1e-13)
    applied = system.matter.mobility_forces(state)
    assert_allclose(applied, np.clip(expected, -0.3, 0.5) - expected, rtol=1e-12, atol=1e-13)
    assert 3 < np.sum((expected < -0.3) | (expected > 0.5)) < len(expected)


def test_what_a_limit_counts_lies_in_a_model_file(tmp_path):
    system, _, _ = branched()
    loaded = mb.load_model(mb.save_model(system, tmp_path / "model.json"))
    assert mb.save_model(loaded, tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    assert general(loaded).u_dot.tobytes() == general(system).u_dot.tobytes()
    text = re.sub(r'("further": \[\s*)"jet"', r'\1"jot"', (tmp_path / "model.json").read_text(encoding="utf-8"))
    (tmp_path / "wrong.json").write_text(text, encoding="utf-8")
    with pytest.raises(ModelFileError, match="no force is named 'jot'"):
        mb.load_model(tmp_path / "wrong.json")


def test_a_disabled_force_does_not_count_and_a_limit_keeps_what_it_counts():
    system, forces, (jet, between, weight) = branched()
    base = system.matter.bodies[0]
    base.set_drive_limit(-2.0, 2.0)
    limit = next(force for force in forces.elements if isinstance(force, mb.DriveLimit))
    assert limit.counted == (jet, between, weight)
    base.set_drive_limit(-2.0, 2.0, further=[])
    state = general(system)
    assert limit.unlimited_force(state) == 0.0
    base.set_drive_limit(-2.0, 2.0, further=[weight])
    state = system.realize_topology()
    weight.disable(state)
    system.realize(state, mb.Stage.DYNAMICS)
    assert limit.unlimited_force(state) == 0.0


@pytest.mark.parametrize(
    ("further", "text"),
    [
        (lambda system, forces: [mb.Gravity(forces, system.matter, down=[0, 0, -1], magnitude=9.81)], "SiteServos and ConstantForces"),
        (lambda system, forces: 3.0, "SiteServos and ConstantForces"),
        (
            lambda system, forces: [
                mb.ConstantForce(mb.ForceSubsystem(system, name="others"), system.matter.bodies[0], [0, 0, 0], [1, 0, 0])
            ],
            "belongs to another ForceSubsystem",
        ),
        (lambda system, forces: [mb.ConstantForce(forces, system.matter.bodies[0], [0, 0, 0], [1, 0, 0])], "Set the limit after"),
    ],
)
def test_what_cannot_be_counted_is_refused(further, text):
    system, forces, _ = branched()
    with pytest.raises(InputError, match=text):
        system.matter.bodies[0].set_drive_limit(-1.0, 1.0, further=further(system, forces))
