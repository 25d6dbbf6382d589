"""What is paid once for a model: graphs and Systems from bodies and joints in random order, recording, compiling, exports."""

import random
from functools import partial
from pathlib import Path
from time import perf_counter

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from benchmarks.mechanisms import in_mobod, pins
from benchmarks.mixed_trees import mixed_tree
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.source.model_source import generate

GROUP = "models"

KINDS = {"pin": 1, "slider": 1, "ball": 3}


@case(GROUP, "record and lower {} pins", 30, 300, 1000, short=(7,), is_once=True)
def recording(bench: Bench, n: int) -> Columns:
    """From the elements to the first accelerations with bytecode."""
    return {"interpreted": lambda: calls(lambda: in_mobod(pins(n, is_general=True)))}


@case(GROUP, "compile {} pins", 30, 300, 1000, short=(7,), is_once=True)
def compiling(bench: Bench, n: int) -> Columns:
    return {"compiled": partial(_compiling, *in_mobod(pins(n, is_general=True)))}


@case(GROUP, "compile a mixed tree of {} bodies", 30, 300, 1000, short=(2,), is_once=True)
def compiling_a_mixed_tree(bench: Bench, n_bodies: int) -> Columns:
    """A tree with every mobilizer and every force."""
    return {"compiled": partial(_compiling, *mixed_tree(n_bodies))}


def _compiling(system: mb.MultibodySystem, state: mb.State) -> Measure:
    """From the tables of the elements to a loaded library: time that passes, since compilers are other processes."""
    return calls(lambda: NativeModel(generate(system, state)), clock=perf_counter)


@case(GROUP, "export {} pins as an interpreted FMU", 3000, short=(7,), is_once=True)
def export(bench: Bench, n: int) -> Columns:
    """Its library is compiled before."""
    small, large = (in_mobod(pins(each, is_general=True))[0] for each in (1, n))

    def exported(system: mb.MultibodySystem) -> Path:
        return mb.export_fmu(system, bench.folder / "pins.fmu", outputs=["b0.q"], code="interpreted")

    exported(small)
    return {"interpreted": lambda: calls(lambda: exported(large))}


@case(GROUP, "graph of {} bodies and joints", 10_000, short=(100,))
def making_a_graph(bench: Bench, n: int) -> Columns:
    """Joints between random bodies, in Python alone."""
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

    return {"Python": lambda: calls(make)}


@case(GROUP, "System of {} joints from a list", 1000, short=(10,))
def building_a_system(bench: Bench, n: int) -> Columns:
    """A tree, with the joints in random order and direction."""
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

    return {"Python": lambda: calls(build)}
