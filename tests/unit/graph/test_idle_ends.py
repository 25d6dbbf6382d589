"""Bodies without inertia along the motions of a joint: the tree reaches them by another one, and loops are closed at the other body."""

import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError

CRANK, ROD, SHIFT = 0.2, 0.5, 0.15  # m
POINT = mb.MassProperties.point(2.0, [0, 0, 0])


def at(*p):
    return mb.Transform(p=p)


def bar(length, mass):
    return mb.MassProperties(mass, [length / 2, 0, 0], mb.Inertia.box(mass=mass, size=[length, 0.02, 0.03]).shifted([length / 2, 0, 0]))


JOINTS = {
    "slider-crank": {
        "motor": (mb.Pin, "ground", "crank"),
        "elbow": (mb.Pin, "crank", "bar", at(CRANK, 0, 0)),
        "wrist": (mb.Pin, "bar", "block", at(ROD, 0, 0)),
        "guide": (mb.Slider, "ground", "block", at(0, SHIFT, 0)),
    },
    "quick-return": {  # its block turns with the bar
        "motor": (mb.Pin, "ground", "crank"),
        "elbow": (mb.Pin, "ground", "bar", at(-ROD, 0, 0)),
        "wrist": (mb.Pin, "crank", "block", at(CRANK, 0, 0)),
        "guide": (mb.Slider, "bar", "block"),
    },
}


def acceleration(system):
    """Of the motor under gravity, rad/s^2, at an angle and a speed."""
    mb.Gravity(mb.ForceSubsystem(system), system.matter, down=[0.3, -1, 0], magnitude=9.81)
    state, motor = system.realize_topology(), system.matter.body("motor")
    motor.set_q(state, 0.7)
    motor.set_u(state, 3.0)
    assembler = mb.Assembler(system, accuracy=1e-13)
    assembler.lock_q(motor)
    state = assembler.assemble(state, keep=["motor.u"])
    system.realize(state, mb.Stage.ACCELERATION)
    return float(motor.u_dot(state)[0])


def closed_by_a_ball(mechanism):
    """The same mechanism, whose block is on its guide, and whose wrist is a constraint."""
    system = mb.MultibodySystem()
    ground = mb.MatterSubsystem(system).ground
    crank = mb.Pin(ground, bar(CRANK, 1.0), name="motor")
    if mechanism == "slider-crank":
        elbow = mb.Pin(crank, bar(ROD, 0.7), at(CRANK, 0, 0))
        block = mb.Slider(ground, POINT, at(0, SHIFT, 0))
        mb.BallConstraint(elbow, [ROD, 0, 0], block, [0, 0, 0])
    else:
        block = mb.Slider(mb.Pin(ground, bar(ROD, 0.7), at(-ROD, 0, 0)), POINT)
        mb.BallConstraint(crank, [CRANK, 0, 0], block, [0, 0, 0])
    return system


@pytest.mark.parametrize("mechanism", JOINTS)
def test_a_loop_closed_at_a_point_mass_moves_whatever_the_order_and_the_direction_of_its_joints(mechanism):
    expected = acceleration(closed_by_a_ball(mechanism))
    names = ("motor", "elbow", "wrist", "guide")
    for order, swapped, loop_joint in (
        (names, "", ""),
        (names[::-1], "wrist", "wrist"),
        (names, "guide", "guide"),
    ):
        builder = mb.MultibodyBuilder()
        for name, mass_properties in (("crank", bar(CRANK, 1.0)), ("bar", bar(ROD, 0.7)), ("block", POINT)):
            builder.add_body(name, mass_properties)
        for name in order:
            mobilizer, parent, child, *frames = JOINTS[mechanism][name]
            if name == swapped:
                parent, child, frames = child, parent, [None, *frames]
            builder.add_joint(name, mobilizer, parent, child, *frames, must_be_loop_joint=name == loop_joint)
        # round-off of the assembly, 1e-13, and of the equations
        assert_allclose(acceleration(builder.build()), expected, rtol=1e-9, err_msg=f"{order} {swapped} {loop_joint}")


def test_the_tree_reaches_an_idle_end_by_another_joint_and_takes_the_idle_one_where_there_is_none(make, tree):
    maker = make("a b c d")
    for name, parent, child, idle in (
        ("j0", "ground", "a", ["a"]),
        ("j1", "ground", "b", []),
        ("j2", "b", "a", []),
        ("j3", "a", "c", ["c"]),
        ("j4", "c", "d", []),
    ):
        maker.add_joint(name, "pin", parent, child, idle_ends=idle)
    maker.generate_graph()
    assert tree(maker) == "ground>b b>a a>c c>d ground>#a_slave_1"


def test_a_loop_is_closed_at_the_body_with_inertia(make, tree):
    maker = make("a b", "ground-a ground-b")
    maker.add_joint("x", "pin", "a", "b", idle_ends=["b"])
    maker.generate_graph()
    assert tree(maker) == "ground>a ground>b b<#a_slave_1"


def test_an_idle_end_is_one_of_the_bodies_of_the_joint(make):
    maker = make("a b")
    with pytest.raises(InputError, match=r"joint 'x': idle_ends are \['b'\]. They can only be 'ground' and 'a'"):
        maker.add_joint("x", "pin", "ground", "a", idle_ends=["b"])
