"""ShapeDistance of shapes whose distance the runtime finds: closed forms, rates by differences, adjoints, FMUs, and another library."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, RoundedBox, Sphere
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start

MASS = mb.MassProperties(1.0, [0, 0, 0], 0.1 * np.eye(3))
POINTS = 0.1 * np.random.default_rng(3).normal(size=(30, 3))
SHAPES = {
    "ball": Sphere(0.08),
    "box": Box([0.1, 0.08, 0.06]),
    "capsule": Capsule(0.05, 0.1),
    "cone": Cone(0.08, 0.1),
    "cylinder": Cylinder(0.08, 0.1),
    "ellipsoid": Ellipsoid([0.1, 0.07, 0.05]),
    "hull": ConvexMesh.hull_of(POINTS),
    "rounded": RoundedBox([0.08, 0.06, 0.05], 0.02),
}
PAIRS = list(combinations_with_replacement(SHAPES, 2))


def apart(one, other):
    """Two free bodies, each with a shape off its origin, and their distance; the distance has a rate."""
    system = mb.MultibodySystem("apart")
    matter = mb.MatterSubsystem(system)
    scene = mb.ContactSet(matter)
    placed = [
        scene.add(mb.Free(matter.ground, MASS, name=name), shape, mb.Transform(p=[0.01, -0.02, 0.03]), name=name)
        for name, shape in (("one", one), ("other", other))
    ]
    gap = mb.ShapeDistance(system, *placed, name="gap")
    mb.measures.Differentiate(system, gap, name="rate")
    return system, [each.body for each in placed], system.realize_topology()


def place(bodies, state, rng, far):
    for body, p in zip(bodies, (rng.normal(size=3) * 0.01, far * rng.normal(size=3)), strict=True):
        quaternion = rng.normal(size=4)
        body.set_q(state, [*(quaternion / np.linalg.norm(quaternion)), *p])


@pytest.mark.parametrize(
    ("one", "other", "q", "distance"),
    [
        (Box([0.1, 0.2, 0.3]), Box([0.1, 0.1, 0.1]), [1, 0, 0, 0, 0.5, 0.1, 0.2], 0.3),
        (Box([0.1, 0.2, 0.3]), Box([0.1, 0.1, 0.1]), [1, 0, 0, 0, 0.5, 0.6, 0.0], np.hypot(0.3, 0.3)),
        (Box([0.1, 0.2, 0.3]), Box([0.1, 0.1, 0.1]), [1, 0, 0, 0, 0.17, 0.1, 0.1], -0.03),
        (Cylinder(0.1, 0.3), Cylinder(0.2, 0.1), [1, 0, 0, 0, 0.3, 0.4, 0.1], 0.2),
        (Cone(0.1, 0.2), RoundedBox([0.1] * 3, 0.05), [1, 0, 0, 0, 0.02, 0.03, 0.5], 0.15),
        (Ellipsoid([0.1, 0.2, 0.3]), Ellipsoid([0.3, 0.2, 0.1]), [1, 0, 0, 0, 1.0, 0, 0], 0.6),
        (Capsule(0.05, 0.1), Box([0.1] * 3), [1, 0, 0, 0, 0, 0.4, 0.05], 0.25),
    ],
)
def test_distances_of_closed_forms(one, other, q, distance):
    system, bodies, state = apart(one, other)
    bodies[1].set_q(state, q)
    system.realize(state, mb.Stage.POSITION)
    assert_allclose(system.value(state, "gap.distance"), distance, rtol=1e-12)


@pytest.mark.parametrize(("one", "other"), [("box", "hull"), ("cylinder", "ellipsoid"), ("cone", "rounded")])
def test_rates_are_those_of_differences(one, other):
    system, bodies, state = apart(SHAPES[one], SHAPES[other])
    rng = np.random.default_rng(7)
    for far in (0.4, 0.03):
        place(bodies, state, rng, far)
        state.u = rng.normal(size=len(state.u))
        system.realize(state, mb.Stage.REPORT)
        ends = []
        for by in (-1e-6, 1e-6):
            moved = state.copy()
            moved.q = state.q + by * state.q_dot
            system.realize(moved, mb.Stage.POSITION)
            ends.append(system.value(moved, "gap.distance"))
        assert_allclose(system.value(state, "rate.value"), (ends[1] - ends[0]) / 2e-6, rtol=1e-7, atol=1e-7)


def test_an_fmu_has_the_bits_of_a_run(tmp_path):
    system, bodies, state = apart(SHAPES["box"], SHAPES["hull"])
    place(bodies, state, np.random.default_rng(2), 0.5)
    bodies[1].set_u(state, [1.0, 2.0, 0.5, 0.1, -0.2, 0.3])
    path = mb.export_fmu(system, tmp_path / "apart.fmu", state=state, outputs=["gap.distance"], code="interpreted", reference=False)
    run = mb.Simulation(system, accuracy=1e-6, backend="interpreted").start(state)
    columns = run.variables("gap.distance", "rate.value")
    with start(FmuFile(path), 1e-6) as instance:
        for step in range(3):
            instance.step(0.1 * step, 0.1)
            run.step_to(0.1 * (step + 1))
            assert instance.get("gap.distance") == columns.get()[0]


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_distances_are_those_of_coal(one, other):
    coal = pytest.importorskip("coal")
    system, bodies, state = apart(SHAPES[one], SHAPES[other])
    request = coal.DistanceRequest()
    request.gjk_tolerance, request.gjk_max_iterations, request.enable_signed_distance = 1e-10, 1000, False
    for seed in range(30):
        place(bodies, state, np.random.default_rng(seed), 0.3)
        system.realize(state, mb.Stage.POSITION)
        given = []
        for body, name in zip(bodies, (one, other), strict=True):
            X = body.X_GB(state) @ mb.Transform(p=[0.01, -0.02, 0.03])
            shape, rounding = _in_coal(coal, name)
            given += [shape, coal.Transform3s(X.R, X.p)]
        rounding = sum(_in_coal(coal, name)[1] for name in (one, other))
        theirs = coal.distance(*given, request, coal.DistanceResult()) - rounding
        if theirs > -rounding + 1e-3:  # the cores are apart; where they overlap coal has a depth of a few digits
            assert_allclose(system.value(state, "gap.distance"), theirs, atol=2e-7)


def _in_coal(coal, name):
    """The core of a shape, and its rounding."""
    match SHAPES[name]:
        case Sphere(radius=r):
            return coal.Sphere(r), 0.0
        case Box(half_lengths=lengths):
            return coal.Box(*(2 * np.array(lengths))), 0.0
        case RoundedBox(half_lengths=lengths, radius=r):
            return coal.Box(*(2 * np.array(lengths))), r
        case Capsule(radius=r, half_length=length):
            return coal.Capsule(r, 2 * length), 0.0
        case Cone(radius=r, half_length=length):
            return coal.Cone(r, 2 * length), 0.0
        case Cylinder(radius=r, half_length=length):
            return coal.Cylinder(r, 2 * length), 0.0
        case Ellipsoid(radii=radii):
            return coal.Ellipsoid(*radii), 0.0
        case ConvexMesh(vertices=vertices):
            points = coal.StdVec_Vec3s()
            for each in vertices:
                points.append(np.array(each))
            return coal.ConvexBase.convexHull(points, False, "Qt"), 0.0
