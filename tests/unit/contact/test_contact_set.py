"""mb.ContactSet: which pairs of shapes become contacts, with which coefficients."""

import numpy as np
import pytest

import mobod as mb
from mobod.contact import Box, HalfSpace, Sphere, Torus
from mobod.errors import DuplicateNameError, InputError, UnsupportedError

BALL = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1))
RUBBER = mb.ContactMaterial(1e5, 0.5, 0.9, 0.8, 0.1)
STEEL = mb.ContactMaterial(1e9, 0.1, 0.3, 0.2)


@pytest.fixture
def matter():
    return mb.MatterSubsystem(mb.MultibodySystem("m"))


def names(contacts):
    return [each.name for each in contacts]


def test_each_pair_of_free_bodies_and_ground_becomes_a_contact_in_the_order_of_the_shapes(matter):
    contacts = mb.ContactSet(matter)
    bodies = [mb.Free(matter.ground, BALL, name=name) for name in "ab"]
    for body in bodies:
        contacts.add(body, Sphere(0.1), mb.Transform(p=[0, 0, 0.5]), friction=0.5)
    contacts.add(matter.ground, HalfSpace(), friction=0.5, name="floor")
    made = contacts.rigid(restitution=0.25)
    assert names(made) == ["a_b", "floor_a", "floor_b"]
    assert made == tuple(matter.constraints)
    assert [(each.body1, each.body2) for each in made] == [tuple(bodies), *((matter.ground, body) for body in bodies)]
    np.testing.assert_array_equal(made[1].X_B2S2.p, [0, 0, 0.5])
    assert made[0].equations.restitution == 0.25


def test_shapes_of_a_rigid_body_and_of_parent_and_child_do_not_touch(matter):
    a = mb.Pin(matter.ground, BALL, name="a")
    b = mb.Pin(a, BALL, name="b")
    welded = mb.Weld(b, BALL, name="welded")
    c = mb.Pin(welded, BALL, name="c")
    loose = mb.Free(c, BALL, name="loose")
    contacts = mb.ContactSet(matter)
    for body in (a, b, welded, c, loose):
        contacts.add(body, Sphere(0.1), friction=0.1)
    contacts.add(b, Sphere(0.2), friction=0.1)
    contacts.add(matter.ground, HalfSpace(), friction=0.1, name="floor")
    touching = {(one.name, other.name) for one, other in contacts.pairs()}
    at_floor = {("floor", name) for name in ("a", "b", "b_2", "welded", "c", "loose")}
    of_loose = {(name, "loose") for name in ("a", "b", "welded", "c")} | {("loose", "b_2")}
    assert touching == at_floor | of_loose | {("a", "c")}


def test_groups_masks_and_exclude(matter):
    bodies = {name: mb.Free(matter.ground, BALL, name=name) for name in "abc"}
    contacts = mb.ContactSet(matter)
    contacts.add(bodies["a"], Sphere(0.1), friction=0, group=0b01, mask=0b10)
    contacts.add(bodies["b"], Sphere(0.1), friction=0, group=0b10, mask=0b01)
    contacts.add(bodies["c"], Sphere(0.1), friction=0, group=0b11)  # its mask has all, b's and a's have it
    assert [(one.name, other.name) for one, other in contacts.pairs()] == [("a", "b"), ("a", "c"), ("b", "c")]
    contacts.add(mb.Free(matter.ground, BALL, name="d"), Sphere(0.1), friction=0, group=0b01)  # of a's group, which a's mask has not
    assert [(one.name, other.name) for one, other in contacts.pairs()][2:] == [("b", "c"), ("b", "d"), ("c", "d")]
    contacts.exclude(bodies["c"], bodies["b"])
    assert ("b", "c") not in [(one.name, other.name) for one, other in contacts.pairs()]


def test_coefficients_are_combined_as_simbodys_or_by_a_function(matter):
    contacts = mb.ContactSet(matter)
    contacts.add(matter.ground, HalfSpace(), material=STEEL, name="floor")
    contacts.add(mb.Free(matter.ground, BALL, name="a"), Sphere(0.1), material=RUBBER)
    contacts.add(mb.Free(matter.ground, BALL, name="b"), Sphere(0.1), friction=[0.9, 0.0])
    at_floor, of_both, _ = contacts.rigid()
    assert at_floor.name == "floor_a"
    assert of_both.name == "floor_b"
    assert at_floor.equations.friction == pytest.approx((2 * 0.9 * 0.3 / 1.2, 2 * 0.8 * 0.2 / 1.0, 0.0))
    assert of_both.equations.friction == pytest.approx((2 * 0.9 * 0.3 / 1.2, 0.0, 0.0))


def test_a_users_combination_and_one_coefficient_for_all(matter):
    ball = mb.Free(matter.ground, BALL, name="a")
    contacts = mb.ContactSet(matter)
    contacts.add(matter.ground, HalfSpace(), material=STEEL, name="floor")
    contacts.add(ball, Sphere(0.1), material=RUBBER)
    (made,) = contacts.rigid(combination=lambda one, other: max(one, other, key=lambda each: each.static_friction))
    assert made.equations.friction == (0.9, 0.8, 0.1)
    other = mb.ContactSet(matter)
    other.add(matter.ground, HalfSpace(), name="table")
    other.add(ball, Sphere(0.1))
    (made,) = other.rigid(static_friction=0.7)
    assert made.name == "table_a"
    assert made.equations.friction == (0.7, 0.7, 0.0)


@pytest.mark.parametrize("law", [mb.CompliantContact, mb.HuntCrossleyForce])
def test_compliant_contacts_press(matter, law):
    forces = mb.ForceSubsystem(matter.system)
    ball = mb.Free(matter.ground, BALL, name="ball")
    contacts = mb.ContactSet(matter, forces)
    contacts.add(ball, Sphere(0.1), material=RUBBER)
    contacts.add(matter.ground, HalfSpace(), mb.Transform(p=[0, 0, -1]), material=STEEL, name="floor")
    (made,) = contacts.compliant(law, transition_speed=0.02)
    assert isinstance(made, law)
    assert made.name == "floor_ball"
    assert made in forces.elements
    state = matter.system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0, -0.901])
    matter.system.realize(state, mb.Stage.DYNAMICS)
    np.testing.assert_allclose(made.distance(state), -0.001, atol=1e-12)
    assert made.normal_force(state)[0] > 0.1
    assert made.default_parameter("transition_speed") == 0.02


def test_pairs_without_a_distance_are_an_error_or_left_out(matter):
    contacts = mb.ContactSet(matter)
    for name, shape in (("a", Box((0.1, 0.1, 0.1))), ("b", Torus(0.1, 0.02))):
        contacts.add(mb.Free(matter.ground, BALL, name=name), shape, friction=0.3)
    contacts.add(matter.ground, HalfSpace(), friction=0.3, name="floor")
    with pytest.raises(UnsupportedError, match=r"'a' on 'a' and 'b' on 'b': .* no distance between a Box and a Torus.* unsupported='skip'"):
        contacts.rigid()
    assert not matter.constraints
    assert names(contacts.rigid(unsupported="skip")) == ["floor_a", "floor_b"]
    with pytest.raises(InputError, match=r"unsupported is 'ignore'. Valid values: 'error', 'skip'"):
        contacts.pairs(unsupported="ignore")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"friction": -0.1}, "static_friction"),
        ({"friction": (0.2, 0.3)}, "static_friction, 0.2, is below dynamic_friction, 0.3"),
        ({"friction": (0.2, 0.3, 0.4)}, r"friction is \(0.2, 0.3, 0.4\). It is a coefficient, or two"),
        ({"friction": "big"}, "friction"),
        ({"friction": 0.1, "material": STEEL}, "both material and friction"),
        ({"material": 0.3}, "material is a ContactMaterial, not float"),
        ({"group": -1}, "group is -1"),
        ({"group": 0.5}, "group is 0.5. It is a whole number"),
        ({"mask": "all"}, "mask is 'all'"),
        ({"X_BS": [0, 0, 1]}, "X_BS"),
        ({"name": ""}, "cannot be named ''"),
    ],
)
def test_bad_arguments_are_named(matter, arguments, message):
    with pytest.raises(InputError, match=message):
        mb.ContactSet(matter).add(matter.ground, HalfSpace(), **arguments)


def test_bad_bodies_shapes_and_calls_are_named(matter):
    contacts, other = mb.ContactSet(matter), mb.MatterSubsystem(mb.MultibodySystem("other"))
    with pytest.raises(InputError, match="belongs to System 'other'"):
        contacts.add(other.ground, HalfSpace())
    with pytest.raises(InputError, match="takes a body, not str"):
        contacts.add("ground", HalfSpace())
    with pytest.raises(InputError, match=r"a shape of mobod.contact is needed.*not Sphere of mobod.matter"):
        contacts.add(matter.ground, mb.decorations.Sphere(0.1))
    with pytest.raises(InputError, match="both bodies are 'ground'"):
        contacts.exclude(matter.ground, matter.ground)
    with pytest.raises(InputError, match="matter is a MatterSubsystem, not MultibodySystem"):
        mb.ContactSet(matter.system)
    contacts.add(matter.ground, HalfSpace(), name="floor")
    with pytest.raises(DuplicateNameError, match="a shape named 'floor' already"):
        contacts.add(matter.ground, HalfSpace(), name="floor")
    contacts.add(mb.Free(matter.ground, BALL, name="ball"), Sphere(0.1), friction=0.4)
    with pytest.raises(InputError, match="shape 'floor' on 'ground' has no friction"):
        contacts.rigid()
    with pytest.raises(InputError, match="dynamic_friction needs static_friction"):
        contacts.rigid(dynamic_friction=0.3)
    with pytest.raises(InputError, match="a ForceSubsystem is needed"):
        contacts.compliant()
    with_forces = mb.ContactSet(matter, mb.ForceSubsystem(matter.system))
    with_forces.add(matter.ground, HalfSpace(), friction=1.0, name="floor")
    with_forces.add(matter.body("ball"), Sphere(0.1), material=STEEL)
    with pytest.raises(InputError, match="shape 'floor' on 'ground' has no material"):
        with_forces.compliant()
    with pytest.raises(InputError, match=r"law is .*RigidContact"):
        with_forces.compliant(mb.RigidContact)
