from collections.abc import Iterable

import pytest

import mobod as mb


@pytest.fixture
def make():
    """A maker of joint types pin (1 mobility) and ball (3, with a good loop joint) with Ground, and what is given in short.

    bodies  "a b:0 c" -> masses 1, 0, 1; "a!" must be a base body
    joints  "ground-a a-b:ball b-c!" -> joints j0, j1, j2 from parent to child, pins if nothing else is said; "!" must be a loop joint
    """

    def make(bodies: str, joints: str = "") -> mb.MultibodyGraphMaker:
        maker = mb.MultibodyGraphMaker()
        maker.add_joint_type("pin", 1)
        maker.add_joint_type("ball", 3, have_good_loop_joint_available=True)
        maker.add_body("ground")
        for text in bodies.split():
            name, _, mass = text.rstrip("!").partition(":")
            maker.add_body(name, float(mass or 1), must_be_base_body=text.endswith("!"))
        for number, text in enumerate(joints.split()):
            ends, _, joint_type = text.rstrip("!").partition(":")
            parent, _, child = ends.partition("-")
            maker.add_joint(f"j{number}", joint_type or "pin", parent, child, must_be_loop_joint=text.endswith("!"))
        return maker

    return make


@pytest.fixture
def generate(make):
    """The maker of `make` after its graph was generated."""

    def generate(bodies: str, joints: str = "") -> mb.MultibodyGraphMaker:
        maker = make(bodies, joints)
        maker.generate_graph()
        return maker

    return generate


@pytest.fixture
def tree():
    """The mobilizers of a graph in short: "ground>a a<b" goes from Ground to a, and by a reversed joint from a to b."""

    def tree(maker: mb.MultibodyGraphMaker) -> str:
        mobilizers: Iterable = maker.mobilizers
        return " ".join(f"{each.inboard_body.name}{'<' if each.is_reversed else '>'}{each.outboard_body.name}" for each in mobilizers)

    return tree
