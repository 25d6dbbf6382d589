"""Bodies that cannot turn need no inertia of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import SingularMechanismError

CRANK, ROD = 0.2, 0.5  # m


def bar(length, mass):
    return mb.MassProperties(mass, [length / 2, 0, 0], mb.Inertia.box(mass=mass, size=[length, 0.02, 0.03]).shifted([length / 2, 0, 0]))


def slider_crank(holds, inertia):
    """(system, state, block, the constraint that holds the block's orientation) of a slider-crank in motion, with a block on a pin."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    motor = mb.Pin(matter.ground, bar(CRANK, 1.0))
    elbow = mb.Pin(motor, bar(ROD, 0.7), mb.Transform(p=[CRANK, 0, 0]))
    block = mb.Pin(elbow, mb.MassProperties(2.0, [0, 0, 0], inertia * np.eye(3)), mb.Transform(p=[ROD, 0, 0]))
    guide = mb.Slider(matter.ground, mb.MassProperties(0.3, [0, 0, 0], np.eye(3) * 0.01))
    if holds == "a weld to a slider":
        held = mb.WeldConstraint(guide, mb.Transform(), block, mb.Transform())
    else:
        mb.PointOnLine(matter.ground, [1, 0, 0], [0, 0, 0], block, [0, 0, 0])
        if holds == "a constant orientation":  # of the guide to the block
            held = mb.ConstantOrientation(block, np.eye(3), guide, np.eye(3))
        else:
            held = mb.ConstantAngle(block, [0.6, 0.8, 0.3], guide, [0.8, -0.6, 0.2], np.arccos(0.06 / 1.09**0.5 / 1.04**0.5))
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -1, 0], magnitude=9.81)
    state = system.realize_topology()
    angle, rate = 0.7, 3.0  # rad, rad/s of the crank; those of the rod follow
    of_rod = -np.arcsin(CRANK * np.sin(angle) / ROD)
    rate_of_rod = -CRANK * np.cos(angle) * rate / (ROD * np.cos(of_rod))
    x, v = CRANK * np.cos(angle) + ROD * np.cos(of_rod), -CRANK * np.sin(angle) * rate - ROD * np.sin(of_rod) * rate_of_rod
    for body, q, u in ((motor, angle, rate), (elbow, of_rod - angle, rate_of_rod - rate), (block, -of_rod, -rate_of_rod), (guide, x, v)):
        body.set_q(state, q)
        body.set_u(state, u)
    system.realize(state, mb.Stage.ACCELERATION)
    return system, state, block, held


@pytest.mark.parametrize("holds", ["a weld to a slider", "a constant orientation", "a constant angle"])
def test_a_block_that_cannot_turn_moves_alike_with_any_inertia_of_its_own(holds):
    """The inertia that stands for the missing one has no effect on accelerations, multipliers, reactions, energy and momentum."""
    found = []
    for inertia in (0.0, 0.02, 0.3):
        system, state, block, held = slider_crank(holds, inertia)
        of_block = block.reaction_on_body_at_M(state)
        found.append(
            [
                *state.u_dot,
                *held.multipliers(state),
                *of_block,
                system.kinetic_energy(state),
                *system.matter.momentum_about_ground_origin(state),
            ]
        )
    for each in found[1:]:
        assert_allclose(found[0], each, atol=1e-11)  # round-off of 50 N


def test_the_inertia_that_stands_for_the_missing_one_is_in_no_inertia_of_the_bodies():
    system, state, block, _ = slider_crank("a weld to a slider", 0.0)
    assert not block.mass_properties(state).inertia.any()
    composite = system.matter.composite_body_inertias(state)[block.index]
    assert_allclose(composite, np.diag([0, 0, 0, 2.0, 2.0, 2.0]), atol=0)
    assert_allclose(system.matter.mass_matrix(state)[2, 2], 0, atol=1e-15)


def test_a_block_without_inertia_needs_the_constraint_that_holds_it():
    system, state, _, held = slider_crank("a weld to a slider", 0.0)
    held.disable(state)
    with pytest.raises(SingularMechanismError, match=r"no inertia along that motion.* Constraints replace no inertia, unless"):
        system.realize(state, mb.Stage.ACCELERATION)
    held.enable(state)
    system.realize(state, mb.Stage.ACCELERATION)
