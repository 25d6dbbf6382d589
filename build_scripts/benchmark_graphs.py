"""Bodies and joints in random order, from which the benchmark makes graphs and Systems."""

import random
from collections.abc import Callable

import mobod as mb

KINDS = {"pin": 1, "slider": 1, "ball": 3}


def making_a_graph(n: int) -> Callable[[], object]:
    """A function that makes a graph of n bodies and n joints between random bodies."""
    rng = random.Random(n)
    names = ["ground", *(f"b{k}" for k in range(n))]
    ends = [rng.sample(names, 2) for _ in range(n)]
    kinds = rng.choices(list(KINDS), k=n)

    def make() -> object:
        maker = mb.MultibodyGraphMaker()
        for kind, mobilities in KINDS.items():
            maker.add_joint_type(kind, mobilities, kind == "ball")
        for name in names:
            maker.add_body(name)
        for number, (kind, (parent, child)) in enumerate(zip(kinds, ends, strict=True)):
            maker.add_joint(f"j{number}", kind, parent, child)
        maker.generate_graph()
        return maker

    return make


def building_a_system(n: int) -> Callable[[], object]:
    """A function that builds a System of a tree of n bodies, with the joints in random order and direction."""
    rng = random.Random(n)
    mass = mb.MassProperties.point(1.0, [0.1, 0.2, 0.3])
    ends = [(f"b{k}", f"b{rng.randrange(k)}" if k else "ground") for k in range(n)]
    rng.shuffle(ends)

    def build() -> object:
        builder = mb.MultibodyBuilder("tree")
        for child, _ in ends:
            builder.add_body(child, mass)
        for child, parent in ends:
            one, other = (parent, child) if rng.random() < 0.8 else (child, parent)
            builder.add_joint(f"joint of {child}", mb.Pin, one, other, mb.Transform(p=[0.1, 0, 0]))
        return builder.build()

    return build
