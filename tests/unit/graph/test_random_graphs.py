"""Properties of all graphs."""

import io
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mobod as mb
from mobod.errors import InputError

TYPES = {"weld": 0, "free": 6, "pin": 1, "ball": 3, "bar": 0}
GOOD_LOOP_JOINTS = {"weld", "free", "ball"}


def maker_of(bodies, joints):
    """bodies: (mass, must be a base) of each but Ground; joints: (type, parent, child, must be a loop joint), bodies by number."""
    maker = mb.MultibodyGraphMaker()
    for name in ("pin", "ball", "bar"):
        maker.add_joint_type(name, TYPES[name], name in GOOD_LOOP_JOINTS)
    maker.add_body("ground")
    for number, (mass, must_be_base) in enumerate(bodies, start=1):
        maker.add_body(f"b{number}", mass, must_be_base)
    for number, (joint_type, parent, child, must_be_loop) in enumerate(joints):
        maker.add_joint(f"j{number}", joint_type, maker.body(parent).name, maker.body(child).name, must_be_loop)
    return maker


def random_input(seed, n_bodies, n_joints, massless=0.0):
    rng = random.Random(seed)
    bodies = [(0.0 if rng.random() < massless else rng.choice([0.5, 1.0, 2.0]), rng.random() < 0.05) for _ in range(n_bodies)]
    ends = [rng.sample(range(n_bodies + 1), 2) for _ in range(n_joints)]
    return bodies, [(rng.choice(["pin", "pin", "ball", "weld", "bar", "free"]), *pair, rng.random() < 0.1) for pair in ends]


@st.composite
def inputs(draw):
    n_bodies = draw(st.integers(1, 8))
    number = st.integers(0, n_bodies)
    body = st.tuples(st.sampled_from([0.0, 1.0, 1.0, 2.0]), st.sampled_from([False, False, False, True]))
    ends = st.tuples(number, number).filter(lambda pair: pair[0] != pair[1])
    joint = st.tuples(st.sampled_from(sorted(TYPES)), ends, st.sampled_from([False, False, False, True]))
    bodies = draw(st.lists(body, min_size=n_bodies, max_size=n_bodies))
    return bodies, [(joint_type, *pair, must_be_loop) for joint_type, pair, must_be_loop in draw(st.lists(joint, max_size=14))]


def check_is_a_tree_from_ground(maker):
    """Each body has one mobilizer, on a body that has its own already: all are connected to Ground, without loops."""
    level = {maker.body(0): 0}
    for each in maker.mobilizers:
        assert each.outboard_body not in level
        assert not each.inboard_body.is_slave
        level[each.outboard_body] = level[each.inboard_body] + 1
        assert each.level == each.outboard_body.level == level[each.outboard_body]
        assert each.outboard_body.mobilizer is each
    assert level.keys() == set(maker.bodies)


def check_every_joint_is_accounted_for_once(maker):
    made = [each.joint for each in (*maker.mobilizers, *maker.loop_constraints)]
    assert len(made) == len(set(made))
    assert set(made) == set(maker.joints)
    for each in maker.mobilizers:
        ends = [each.inboard_body, each.outboard_master_body]
        joint = each.joint
        assert joint.mobilizer is each
        assert ends == ([joint.child_body, joint.parent_body] if each.is_reversed else [joint.parent_body, joint.child_body])


def check_loops_are_closed_as_asked(maker):
    for each in maker.mobilizers:
        assert each.is_slave_mobilizer or not each.joint.must_be_loop_joint
        assert not (each.is_slave_mobilizer and each.joint_type.name in GOOD_LOOP_JOINTS)
        assert not (each.is_slave_mobilizer and each.is_reversed) or each.joint.child_body.mass == 0
    assert {each.joint_type.name for each in maker.loop_constraints} <= GOOD_LOOP_JOINTS
    for body in maker.bodies:
        assert all(slave.master is body and slave.n_fragments == body.n_fragments == 1 + len(body.slaves) for slave in body.slaves)


def check_base_joints_are_added_where_needed_alone(maker):
    """Exactly one for each part that no joint of the tree connects to Ground, and for base bodies without such a joint."""
    part = {body: body for body in maker.bodies if not body.is_slave}

    def part_of(body):
        while part[body] is not body:
            part[body] = body = part[part[body]]
        return body

    ground = maker.body(0)
    added = [joint.child_body for joint in maker.joints if joint.is_added_base_joint]
    for joint in maker.joints:
        if not joint.must_be_loop_joint and not joint.is_added_base_joint:
            part[part_of(joint.parent_body)] = part_of(joint.child_body)
    required = {body for body in added if body.must_be_base_body}
    for body in required:
        to_ground = [joint for joint in body.joints if joint.other_body(body) is ground and not joint.must_be_loop_joint]
        assert [joint.is_added_base_joint for joint in to_ground] == [True]
        part[part_of(body)] = part_of(ground)
    others = [part_of(body) for body in added if body not in required]
    assert len(others) == len(set(others))
    assert {part_of(ground), *others} == {part_of(body) for body in part}
    assert all(body.level == 1 for body in maker.bodies if body.must_be_base_body)


def check_what_moves_has_mass(maker):
    """Otherwise the accelerations are not determined."""
    carried = {body: body.mass for body in maker.bodies}
    for each in sorted(maker.mobilizers, key=lambda each: -each.level):
        assert each.joint_type.n_mobilities == 0 or carried[each.outboard_body] > 0
        carried[each.inboard_body] += carried[each.outboard_body]


def check(maker):
    check_is_a_tree_from_ground(maker)
    check_every_joint_is_accounted_for_once(maker)
    check_loops_are_closed_as_asked(maker)
    check_base_joints_are_added_where_needed_alone(maker)
    check_what_moves_has_mass(maker)


def dump(maker):
    out = io.StringIO()
    maker.dump_graph(out)
    return out.getvalue()


@pytest.mark.slow
@given(inputs())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_graph_is_valid_or_has_a_massless_body_where_none_can_be(given_input):
    maker = maker_of(*given_input)
    if all(mass > 0 for mass, _ in given_input[0]):
        maker.generate_graph()
        check(maker)
    else:
        with suppress(InputError):  # the messages are tested one by one
            maker.generate_graph()
            check(maker)


@pytest.mark.parametrize("seed", range(4))
def test_200_bodies_and_300_joints_give_a_valid_graph(seed):
    maker = maker_of(*random_input(seed, 200, 300))
    maker.generate_graph()
    check(maker)
    assert maker.n_loop_constraints > 0
    assert maker.n_bodies > 201
    assert any(each.is_reversed for each in maker.mobilizers)


@pytest.mark.slow
def test_large_graphs_with_massless_bodies_are_valid_too():
    n_valid = 0
    for seed in range(30):
        maker = maker_of(*random_input(seed, 200, 600, massless=0.02))
        try:
            maker.generate_graph()
        except InputError:
            continue
        check(maker)
        n_valid += any(body.mass == 0 for body in maker.bodies)
    assert n_valid >= 5  # the others have a massless body too many at some loop


@pytest.mark.parametrize("seed", range(2))
def test_the_same_input_gives_the_same_graph(seed):
    one, other = (maker_of(*random_input(seed, 200, 300)) for _ in range(2))
    one.generate_graph()
    other.generate_graph()
    assert dump(one) == dump(other)
    one.generate_graph()
    assert dump(one) == dump(other)


# the tree in the plainest way: all joints are looked at for each level, and all bodies for each base
def plain_tree(bodies, joints):
    """[(parent, child, is added, is reversed)] of the tree, for bodies with mass."""
    joints = [(parent, child, must_be_loop, False) for _, parent, child, must_be_loop in joints]
    level, tree = {0: 0}, []

    def grow():
        outboard_level = 0
        while outboard_level <= len(bodies):
            outboard_level += 1
            for parent, child, must_be_loop, is_added in joints:
                if not must_be_loop and (parent in level) != (child in level):
                    inboard, outboard = (parent, child) if parent in level else (child, parent)
                    if level[inboard] == outboard_level - 1:
                        level[outboard] = outboard_level
                        tree.append((parent, child, is_added, inboard == child))

    ends = [each[:2] for each in joints]
    to_ground = {frozenset(each[:2]) for each in joints if 0 in each[:2] and not each[2]}
    for body, (_, must_be_base) in enumerate(bodies, start=1):
        if not any(body in pair for pair in ends) or (must_be_base and frozenset((0, body)) not in to_ground):
            joints.append((0, body, False, True))
    grow()
    while left := [body for body in range(1, len(bodies) + 1) if body not in level]:
        n_as_parent = {body: sum(parent == body for parent, _ in ends) for body in left}
        no_child = [body for body in left if all(child != body for _, child in ends)]
        most = max(no_child or left, key=n_as_parent.__getitem__)  # the first of equals
        joints.append((0, most, False, True))
        grow()
    return tree


@pytest.mark.slow
@given(inputs())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_tree_matches_a_simple_search(given_input):
    bodies = [(1.0, must_be_base) for _, must_be_base in given_input[0]]
    maker = maker_of(bodies, given_input[1])
    maker.generate_graph()

    numbers = {body: number for number, body in enumerate(maker.bodies)}
    assert plain_tree(bodies, given_input[1]) == [
        (numbers[each.joint.parent_body], numbers[each.joint.child_body], each.is_added_base_mobilizer, each.is_reversed)
        for each in maker.mobilizers
        if not each.is_slave_mobilizer
    ]


def ten_thousand(shape):
    n = 10_000
    ends = {
        "chain": [(k, k + 1) for k in range(n)],
        "star": [(0, k + 1) for k in range(n)],
        "pairs": [(1 + k, 1 + (k ^ 1)) for k in range(n)],
        "parallel": [(0, 1)] * n,
        "no joints": [],
    }
    masses = [0.0 if shape == "chain" and k % 3 == 0 else 1.0 for k in range(n)]
    masses[-1] = 1.0
    return [(mass, False) for mass in masses], [("pin", *pair, False) for pair in ends[shape]]


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["chain", "star", "pairs", "parallel", "no joints", "random"])
def test_ten_thousand_bodies_and_joints_make_a_graph(shape):
    given_input = random_input(5, 10_000, 10_000) if shape == "random" else ten_thousand(shape)
    maker = maker_of(*given_input)
    maker.generate_graph()
    assert maker.n_mobilizers == maker.n_bodies - 1
