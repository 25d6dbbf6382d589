"""The choice of the spanning tree, and how loops are closed. Simbody's own graphs are in tests/reference/test_graphs.py."""

from math import inf

import pytest

from mobod.errors import InputError


def test_levels_precede_joint_order_which_precedes_body_order(generate, tree):
    maker = generate("a b c d", "c-d a-b ground-c ground-a")
    assert tree(maker) == "ground>c ground>a c>d a>b"
    assert [each.level for each in maker.mobilizers] == [1, 1, 2, 2]
    assert [body.level for body in maker.bodies] == [0, 1, 2, 1, 2]


def test_the_shorter_path_to_ground_is_in_the_tree_and_the_longer_one_closes_the_loop(generate, tree):
    maker = generate("a b c", "ground-a a-b b-c ground-c:ball")
    assert tree(maker) == "ground>a ground>c a>b b>#c_slave_1"


def test_a_joint_with_a_good_loop_constraint_splits_no_body(generate, tree):
    maker = generate("a b", "ground-a ground-b a-b:ball a-b:weld b-a:free")
    assert tree(maker) == "ground>a ground>b"
    assert [(each.joint.name, each.joint_type.name) for each in maker.loop_constraints] == [("j2", "ball"), ("j3", "weld"), ("j4", "free")]
    assert [(each.parent_body.name, each.child_body.name) for each in maker.loop_constraints] == [("a", "b"), ("a", "b"), ("b", "a")]
    assert all(each.joint.loop_constraint is each for each in maker.loop_constraints)


def test_a_body_is_split_once_for_each_loop_that_it_closes(generate, tree):
    maker = generate("a b", "ground-a ground-b a-b a-b")
    assert tree(maker) == "ground>a ground>b a>#b_slave_1 a>#b_slave_2"

    b = maker.body("b")
    assert b.slaves == maker.bodies[3:]
    assert [slave.master for slave in b.slaves] == [b, b]
    assert [each.n_fragments for each in maker.mobilizers] == [1, 3, 3, 3]
    assert [each.outboard_master_body.name for each in maker.mobilizers] == ["a", "b", "b", "b"]
    assert [each.is_slave_mobilizer for each in maker.mobilizers] == [False, False, True, True]
    assert maker.joint("j3").mobilizer is b.slaves[1].mobilizer is maker.mobilizer(3)


def test_ground_is_split_where_a_loop_closes_at_it(generate, tree):
    maker = generate("a", "ground-a a-ground")
    assert tree(maker) == "ground>a a>#ground_slave_1"
    assert maker.mobilizer(1).level == 2
    assert maker.body("ground").level == 0
    assert maker.body(2).mass == inf


def test_a_loop_joint_is_not_in_the_tree_even_if_a_body_then_has_no_other_joint(generate, tree):
    maker = generate("a b", "ground-a! a-b!")
    assert tree(maker) == "ground>a ground>b ground>#a_slave_1 a>#b_slave_1"
    assert [each.joint.name for each in maker.mobilizers] == ["#ground_a", "#ground_b", "j0", "j1"]
    assert [each.is_added_base_mobilizer for each in maker.mobilizers] == [True, True, False, False]
    assert {each.joint_type.name for each in maker.mobilizers[:2]} == {"free"}


# base bodies
def test_the_base_is_the_body_of_most_children_that_is_no_child(generate, tree):
    assert tree(generate("a b c d", "a-b b-c b-d b-c:ball d-c:ball")) == "ground>a a>b b>c b>d"


def test_if_each_body_is_a_child_the_base_is_the_body_of_most_children(generate, tree):
    assert tree(generate("a b c", "a-b b-c c-a b-c:ball")) == "ground>b b<a b>c c>#a_slave_1"


def test_the_first_of_equal_candidates_becomes_the_base(generate, tree):
    assert tree(generate("c a b d", "b-d a-d")) == "ground>c ground>a a>d d<b"


def test_each_disconnected_part_has_one_base_the_best_ones_first(generate, tree):
    maker = generate("a b c d e f", "a-b c-d c-e")
    assert tree(maker) == "ground>f ground>c c>d c>e ground>a a>b"
    assert [joint.name for joint in maker.joints[3:]] == ["#ground_f", "#ground_c", "#ground_a"]


def test_a_body_that_must_be_a_base_gets_a_free_joint_only_if_it_has_no_joint_to_ground(generate):
    maker = generate("a! b! c!", "ground-a b-ground a-c")
    assert [joint.name for joint in maker.joints] == ["j0", "j1", "j2", "#ground_c"]
    assert [body.level for body in maker.bodies[:4]] == [0, 1, 1, 1]
    assert maker.body("b").mobilizer.is_reversed


def test_a_loop_joint_to_ground_does_not_make_a_base(generate, tree):
    assert tree(generate("a! b", "ground-a! b-a")) == "ground>a a<b ground>#a_slave_1"


# massless bodies
def test_from_a_massless_body_the_tree_continues_to_the_heaviest_body_behind_a_forward_joint(generate, tree):
    maker = generate("m:0 a b:3 c:2 d:9", "ground-m ground-a m-b m-c d-m m-a")
    assert tree(maker) == "ground>m m>b ground>a m>c m<d m>#a_slave_1"
    assert [each.level for each in maker.mobilizers] == [1, 2, 1, 2, 2, 2]


def test_from_a_massless_body_a_reversed_joint_is_used_only_without_a_forward_one(generate, tree):
    assert tree(generate("m:0 a:2 b:5 c", "ground-m a-m b-m m-c")) == "ground>m m>c m<a m<b"
    assert tree(generate("m:0 a:2 b:5 c:5", "ground-m a-m b-m c-m")) == "ground>m m<b m<a m<c"


def test_chains_of_massless_bodies_are_followed_to_a_body_with_mass(generate, tree):
    assert tree(generate("m:0 n:0 o:0 a", "ground-m m-n o-n o-a")) == "ground>m m>n n<o o>a"


def test_a_dead_end_does_not_hide_another_path_from_a_massless_body(generate, tree):
    maker = generate("m:0 dead:0 n:0 a", "ground-m m-dead:weld m-n n-a")
    assert tree(maker) == "ground>m m>n n>a m>dead"


def test_massless_bodies_reach_mass_by_the_fewest_joints(generate, tree):
    maker = generate("m:0 n:0 o:0 p:0 a b", "ground-m m-p p-b m-n n-o o-a b-a")
    assert tree(maker) == "ground>m m>p p>b m>n n>o o>a b>#a_slave_1"


def test_a_weld_may_end_at_a_massless_body(generate, tree):
    assert tree(generate("a m:0 n:0", "ground-a a-m:weld ground-n:weld")) == "ground>a ground>n a>m"


@pytest.mark.parametrize(
    ("bodies", "joints", "message"),
    [
        ("m:0", "", "body 'm' is massless and has no joint"),
        ("a m:0", "ground-a a-m", "body 'm' is massless and a terminal body: its only joint, 'j1', is movable"),
        ("a m:0", "ground-a a-m!", "body 'm' is massless and a terminal body"),
        ("m:0 n:0", "ground-m m-n:weld", "body 'm' is massless and would be a terminal body"),
        ("m:0 n:0", "m-n:weld", "body 'm' is massless and would be a terminal body"),
        # all neighbours are nearer to Ground on other ways
        ("a m:0 c", "ground-a a-m m-c ground-c", r"body 'm' .* terminal body .* \('j2', 'j1'\) .* is already in the tree"),
        # the way on is kept for another purpose
        ("m:0 a", "ground-m m-a! ground-a:ball", "is behind a joint that must be a loop joint"),
        ("m:0 a!", "ground-m m-a", "body 'm' is massless and would be a terminal body"),
        ("m:0 n:0 a b", "ground-m ground-n m-a n-b m-n", "joint 'j4' closes a loop between two massless bodies, 'n' and 'm'"),
    ],
)
def test_a_massless_terminal_body_is_an_error(make, bodies, joints, message):
    maker = make(bodies, joints)
    with pytest.raises(InputError, match=message):
        maker.generate_graph()
    assert not maker.is_generated
    assert all(body.mobilizer is None and body.slaves == [] for body in maker.bodies)
    assert len(maker.joints) == len(joints.split())
    assert sum(len(body.joints) for body in maker.bodies) == 2 * len(joints.split())


def test_a_loop_closing_at_a_massless_child_splits_the_parent(generate, tree):
    """A slave of the child would be a massless terminal body."""
    maker = generate("m:0 a b", "ground-m m-a ground-b b-m ground-m")
    assert tree(maker) == "ground>m m>a ground>b m<#b_slave_1 m<#ground_slave_1"
    assert [each.is_reversed for each in maker.mobilizers] == [False, False, False, True, True]
    assert [each.level for each in maker.mobilizers] == [1, 2, 1, 2, 2]
    assert maker.body("m").slaves == []


def test_names_of_users_are_not_generated_again(make):
    maker = make("a b #a_slave_1 ##a_slave_1", "ground-b:weld ground-b:weld")
    maker.add_joint("#ground_a", "free", "ground", "b")
    maker.add_joint("x", "pin", "a", "b")
    maker.add_joint("y", "pin", "b", "a")
    maker.generate_graph()
    assert [body.name for body in maker.bodies[5:]] == ["###a_slave_1"]
    assert len({joint.name for joint in maker.joints}) == maker.n_joints

    maker.clear_graph()
    maker.delete_joint("x")
    maker.delete_joint("y")
    maker.generate_graph()
    assert [joint.name for joint in maker.joints if joint.child_body.name == "a"] == ["##ground_a"]


def test_joints_are_found_from_their_bodies(generate):
    maker = generate("a b", "ground-a b-a")
    assert [joint.name for joint in maker.body("a").joints_as_child] == ["j0", "j1"]
    assert [joint.name for joint in maker.body("b").joints_as_parent] == ["j1"]
    assert maker.joint("j1").other_body(maker.body("a")) is maker.body("b")
    assert maker.body("b").mobilizer is maker.joint("j1").mobilizer is maker.mobilizer(1)
