"""Inputs, queries and errors of MultibodyGraphMaker."""

import io
from math import inf, nan

import pytest

import mobod as mb
from mobod.errors import DuplicateNameError, GraphError, InputError, UnknownNameError


def test_the_default_mass_is_1_and_that_of_ground_infinite():
    maker = mb.MultibodyGraphMaker()
    maker.add_body("world", 3.0, must_be_base_body=True)
    maker.add_body("a")
    maker.add_body("b", mass=0.25)
    maker.generate_graph()
    assert [body.mass for body in maker.bodies] == [inf, 1.0, 0.25]
    assert maker.ground_body_name == "world"
    assert maker.n_mobilizers == 2


def test_weld_and_free_exist_from_the_start():
    types = mb.MultibodyGraphMaker().joint_types
    assert [(each.name, each.n_mobilities, each.have_good_loop_joint_available) for each in types] == [("weld", 0, True), ("free", 6, True)]


def test_numbers_and_names_find_the_same_element(make):
    maker = make("a b", "a-b b-ground")
    assert maker.add_joint_type("slider", 1) == maker.joint_type_number("slider") == 4
    assert maker.n_joint_types == 5
    assert maker.joint_type("slider") is maker.joint_type(4) is maker.joint_types[4]
    maker.generate_graph()
    assert (maker.body_number("b"), maker.joint_number("j1")) == (2, 1)
    assert maker.body("b") is maker.body(2) is maker.bodies[2]
    assert maker.joint("j1") is maker.joint(1) is maker.joints[1]
    assert (maker.n_bodies, maker.n_joints, maker.n_mobilizers, maker.n_loop_constraints) == (3, 2, 2, 0)
    assert maker.mobilizer(1) is maker.mobilizers[1]


def test_references_of_the_user_are_kept(make):
    parts = [object() for _ in range(4)]
    maker = make("")
    maker.add_joint_type("hinge", 1, user_ref=parts[0])
    maker.add_body("a", user_ref=parts[1])
    maker.add_joint("one", "hinge", "ground", "a", user_ref=parts[2])
    maker.add_joint("two", "hinge", "ground", "a", user_ref=parts[3])
    maker.generate_graph()
    assert maker.joint_type("hinge").user_ref is parts[0]
    assert maker.body("a").user_ref is maker.body("a").slaves[0].user_ref is parts[1]
    assert [each.joint.user_ref for each in maker.mobilizers] == parts[2:]


def test_deleting_a_body_deletes_its_joints(make):
    maker = make("a b c", "ground-a a-b b-c c-ground c-a")
    assert maker.delete_body("b")
    assert [body.name for body in maker.bodies] == ["ground", "a", "c"]
    assert [joint.name for joint in maker.joints] == ["j0", "j3", "j4"]
    assert (maker.body_number("c"), maker.joint_number("j4")) == (2, 2)
    assert [joint.name for joint in maker.body("c").joints] == ["j3", "j4"]
    assert [joint.name for joint in maker.body("a").joints] == ["j0", "j4"]
    maker.add_body("b")
    assert maker.body_number("b") == 3
    assert maker.body("b").joints == []


def test_a_graph_after_deletions_matches_one_without_the_deleted_elements(make, tree):
    maker, other = make("a b c", "ground-b a-b b-c c-ground"), make("a c", "c-ground")
    maker.delete_body("b")
    maker.generate_graph()
    other.generate_graph()
    assert tree(maker) == tree(other) == "ground<c ground>a"


def test_deleting_returns_whether_the_element_existed(make):
    maker = make("a", "ground-a")
    assert maker.delete_joint("j0")
    assert maker.body("a").joints == []
    assert not maker.delete_joint("j0")
    assert not maker.delete_body("b")
    assert maker.delete_body("a")
    assert not maker.delete_body("a")


def test_renaming_the_weld_or_free_joint_type_clears_the_maker(make, tree):
    maker = make("a", "ground-a")
    maker.generate_graph()
    maker.set_weld_joint_type_name("fixed")
    assert not maker.is_generated
    assert (maker.n_bodies, maker.n_joints) == (0, 0)
    assert [each.name for each in maker.joint_types] == ["fixed", "free"]

    maker.add_body("world")
    maker.set_free_joint_type_name("floating")
    assert (maker.weld_joint_type_name, maker.free_joint_type_name, maker.n_bodies) == ("fixed", "floating", 0)
    maker.add_joint_type("free", 3)
    maker.add_body("world")
    maker.add_body("a")
    maker.generate_graph()
    assert (tree(maker), maker.mobilizer(0).joint_type.name, maker.mobilizer(0).joint.name) == ("world>a", "floating", "#world_a")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.add_body("a"), DuplicateNameError, "already a body named 'a'"),
        (lambda m: m.add_body("ground"), DuplicateNameError, "already a body named 'ground'"),
        (lambda m: m.add_joint("j0", "pin", "a", "b"), DuplicateNameError, "already a joint named 'j0'"),
        (lambda m: m.add_joint_type("pin", 2), DuplicateNameError, "already a joint type named 'pin'"),
        (lambda m: m.add_joint_type("weld", 0), DuplicateNameError, "already a joint type named 'weld'"),
        (lambda m: m.set_weld_joint_type_name("free"), DuplicateNameError, "cannot both be named 'free'"),
        (lambda m: m.set_free_joint_type_name("weld"), DuplicateNameError, "cannot both be named 'weld'"),
        (
            lambda m: m.add_joint("j", "pim", "a", "b"),
            UnknownNameError,
            r"type \(for joint 'j'\) is named 'pim'. Did you mean 'pin'\?",
        ),
        (lambda m: m.add_joint("j", "pin", "Ground", "b"), UnknownNameError, r"parent of joint 'j'\) .* mean 'ground'"),
        (lambda m: m.add_joint("j", "pin", "a", "bb"), UnknownNameError, r"child of joint 'j'\) .* mean 'b'"),
        (lambda m: m.add_joint("j", "pin", "a", "a"), InputError, "joint 'j' connects body 'a' with itself"),
        (lambda m: m.body_number("groud"), UnknownNameError, "no body is named 'groud'. Did you mean 'ground'"),
        (lambda m: m.joint("j7"), UnknownNameError, "no joint is named 'j7'. Did you mean 'j0'"),
        (lambda m: m.joint_type("balls"), UnknownNameError, "Did you mean 'ball'"),
        (lambda m: m.body(3), InputError, "there is no body 3: the numbers run from 0 to 2"),
        (lambda m: m.joint(-1), InputError, "there is no joint -1"),
        (lambda m: m.delete_body("ground"), InputError, "body 'ground' is Ground and cannot be deleted"),
        (lambda m: m.add_body("c", -0.5), InputError, "body 'c': its mass .* not -0.5"),
        (lambda m: m.add_body("c", nan), InputError, "body 'c': its mass .* not nan"),
        (lambda m: m.add_body("c", inf), InputError, "body 'c': its mass .* not inf"),
        (lambda m: m.add_body("c", "1"), InputError, "body 'c': its mass .* not '1'"),
        (lambda m: m.add_body(4), InputError, "the name of a body must be a text, not 4"),
        (lambda m: m.add_body("c", True), InputError, "body 'c': its mass .* not True"),
        (lambda m: m.add_body("c", []), InputError, r"body 'c': its mass .* not \[\]"),
        (
            lambda m: m.add_joint("j", "pin", 3.5, "a"),
            InputError,
            r"name of a body \(for the parent of joint 'j'\) must be a text, not 3\.5",
        ),
        (
            lambda m: m.add_joint("j", ["pin"], "a", "b"),
            InputError,
            r"name of a joint type \(for joint 'j'\) must be a text, not \['pin'\]",
        ),
        (lambda m: m.delete_joint({}), InputError, "the name of a joint must be a text, not {}"),
        (lambda m: m.body(1.0), InputError, r"the number of a body must be a whole number, not 1\.0"),
        (lambda m: m.body(None), InputError, "the number of a body must be a whole number, not None"),
        (lambda m: m.add_joint_type("t", True), InputError, "joint type 't' must have 0 to 6 mobilities, not True"),
        (lambda m: m.add_joint_type("t", 7), InputError, "joint type 't' must have 0 to 6 mobilities, not 7"),
        (lambda m: m.add_joint_type("t", -1), InputError, "not -1"),
        (lambda m: m.add_joint_type("t", 1.5), InputError, r"not 1\.5"),
        (lambda m: m.mobilizers, GraphError, "there is no graph"),
        (lambda m: m.n_loop_constraints, GraphError, "there is no graph"),
        (lambda m: m.plot(), GraphError, "there is no graph"),
    ],
)
def test_what_cannot_be_is_an_error_and_changes_nothing(make, call, error, message):
    maker = make("a b", "ground-a")
    before = maker.joint_types, maker.bodies, maker.joints, [body.joints for body in maker.bodies]
    with pytest.raises(error, match=message):
        call(maker)
    assert (maker.joint_types, maker.bodies, maker.joints, [body.joints for body in maker.bodies]) == before


def test_without_ground_there_is_no_graph():
    with pytest.raises(GraphError, match=r"there are no bodies\. Add bodies, the first of which is Ground"):
        mb.MultibodyGraphMaker().generate_graph()
    with pytest.raises(GraphError, match="there is no Ground yet"):
        mb.MultibodyGraphMaker().ground_body_name  # noqa: B018 - reading it is what raises


def test_ground_alone_is_a_graph(generate):
    maker = generate("")
    assert (maker.n_bodies, maker.n_joints, maker.n_mobilizers, maker.n_loop_constraints) == (1, 0, 0, 0)
    with pytest.raises(InputError, match="there is no mobilizer 0: there are none"):
        maker.mobilizer(0)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.add_joint_type("slider", 1),
        lambda m: m.add_body("c"),
        lambda m: m.add_joint("j", "pin", "a", "b"),
        lambda m: m.delete_body("a"),
        lambda m: m.delete_joint("j0"),
    ],
)
def test_a_graph_is_cleared_before_anything_is_changed(generate, change):
    maker = generate("a b", "ground-a a-b b-ground")
    bodies, joints = maker.bodies, maker.joints
    with pytest.raises(GraphError, match=r"while a graph exists. Call clear_graph\(\) first"):
        change(maker)
    assert (maker.bodies, maker.joints) == (bodies, joints)
    maker.clear_graph()
    change(maker)


def test_generated_elements_are_deleted_with_the_graph_and_not_found_by_name(generate):
    maker = generate("a b c", "ground-a ground-b a-b")
    assert (maker.body(4).name, maker.joint(3).name) == ("#b_slave_1", "#ground_c")
    for missing in (lambda: maker.body("#b_slave_1"), lambda: maker.joint_number("#ground_c")):
        with pytest.raises(UnknownNameError):
            missing()

    maker.clear_graph()
    assert (maker.n_bodies, maker.n_joints) == (4, 3)
    assert maker.body("c").joints == maker.body("b").slaves == []
    assert maker.body("a").mobilizer is maker.joint("j0").mobilizer is None


def test_generating_again_gives_the_same_graph(generate, tree):
    maker = generate("a! b c m:0 d", "a-b b-c c-a m-d b-m a-d:ball!")
    before, names = tree(maker), [joint.name for joint in maker.joints]
    maker.generate_graph()
    assert (tree(maker), [joint.name for joint in maker.joints]) == (before, names)


def test_the_dump_contains_everything(generate):
    out = io.StringIO()
    generate("a b! m:0", "a-ground ground-a:ball a-b! b-m:weld").dump_graph(out)
    assert out.getvalue() == DUMP


def test_the_dump_goes_to_the_standard_output_and_needs_no_graph(make, capsys):
    make("a:2.5").dump_graph()
    lines = capsys.readouterr().out.splitlines()
    assert "     1  a       2.5 kg" in lines
    assert lines[-1] == "loop constraints: 0"


DUMP = """\
joint types: 4
     0  weld  mobilities: 0  good loop joint
     1  free  mobilities: 6  good loop joint
     2  pin   mobilities: 1
     3  ball  mobilities: 3  good loop joint

bodies: 5
     0  ground      inf kg
     1  a           1 kg
     2  b           1 kg    must be a base body, 2 fragments
     3  m           0 kg
     4  #b_slave_1  1 kg    slave of b

joints: 5
     0  j0         pin   a -> ground
     1  j1         ball  ground -> a
     2  j2         pin   a -> b       must be a loop joint
     3  j3         weld  b -> m
     4  #ground_b  free  ground -> b  added

mobilizers: 4
     0  level 1  ground -> a      j0         pin   reversed
     1  level 1  ground -> b      #ground_b  free  added
     2  level 2  b -> m           j3         weld
     3  level 2  a -> #b_slave_1  j2         pin   slave

loop constraints: 1
     0  j1  ball  ground -> a
"""
