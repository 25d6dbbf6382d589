"""Random heaps: shapes of all kinds that fall into a bin or on terrain, with all kinds of friction, joints, motors and restitutions."""

from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod.contact import Box, Capsule, Cone, ConvexMesh, Cylinder, Ellipsoid, HeightField, Sphere
from mobod.spatial import Transform
from tests.analytic.scenes_of_shapes import GRAVITY, Scene, rotation

HULL = ConvexMesh.hull_of(0.08 * np.concatenate([np.eye(3), -np.eye(3)]))
SHAPES = (
    Box([0.05, 0.06, 0.08]),
    Sphere(0.06),
    Capsule(0.04, 0.07),
    Cylinder(0.05, 0.06),
    HULL,
    Cone(0.06, 0.06),
    Ellipsoid([0.08, 0.05, 0.06]),
)
ARM = 0.3  # kg
TORQUE = 0.02  # N m
INERTIA = 0.4 * 0.06**2 * np.eye(3)
STEPS = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2)


@dataclass(frozen=True)
class Heap:
    """A heap and how it is run. power: of its motors at most, W"""

    scene: Scene
    state: mb.State
    step: float
    impacts: str
    arms: tuple[mb.Pin, ...] = ()
    power: float = 0.0

    def energy(self, state):
        """J"""
        self.scene.system.realize(state)
        heights = sum(body.X_GB(state).p[2] for body in self.scene.bodies) + ARM * sum(arm.X_GB(state).p[2] for arm in self.arms)
        return self.scene.system.kinetic_energy(state) + GRAVITY * heights


def bin_of_boxes(scene, half=0.2):
    """A floor and four walls."""
    scene.fix(Box([0.4, 0.4, 0.05]), [0, 0, -0.05])
    for sign in (1, -1):
        scene.fix(Box([0.05, 0.4, 1]), [sign * half, 0, 1])
        scene.fix(Box([0.4, 0.05, 1]), [0, sign * half, 1])


def terrain(scene, random):
    """A field of hills of a few centimetres."""
    scene.fix(HeightField(0.04 * random.uniform(-1, 1, (21, 21)), 0.2), [0, 0, 0])


def random_heap(seed, n=7, *, is_plain=False):
    """A Heap of n shapes. is_plain: with torsional and rolling friction in a bin, in steps of 2 ms, without joints or bounces."""
    random = np.random.default_rng(seed)
    scene = Scene()
    kind = "bin" if is_plain else random.choice(["bin", "bin", "terrain"])
    bin_of_boxes(scene) if kind == "bin" else terrain(scene, random)
    for i in range(n):
        R = rotation("x", random.uniform(0, 3)) @ rotation("y", random.uniform(0, 3))
        p = [*random.uniform(-0.03, 0.03, 2), 0.2 + 0.24 * i]
        shape = SHAPES[i % len(SHAPES)] if is_plain else SHAPES[random.integers(len(SHAPES))]
        scene.add(shape, p, R, inertia=INERTIA, u=random.uniform(-2, 2, 6))
    arms = ()
    options = {"torsional_friction": 0.01, "rolling_friction": 0.005, "friction": 0.5}
    if not is_plain:
        options = {"friction": random.choice([0.0, 0.2, 0.5, 0.9]), "restitution": random.choice([0.0, 0.0, 0.5])}
        if random.random() < 0.6:
            options |= {"torsional_friction": random.choice([0.0, 0.003, 0.02]), "rolling_friction": random.choice([0.001, 0.005, 0.02])}
        if random.random() < 0.5:
            arms = add_arms(scene, random)
    state = scene.begin(slots=120, **options)
    if is_plain:
        return Heap(scene, state, 2e-3, "simultaneous")
    impacts = str(random.choice(["simultaneous", "sequential"]))
    return Heap(scene, state, float(random.choice(STEPS)), impacts, arms, TORQUE * 100.0 if arms else 0.0)


def add_arms(scene, random):
    """Arms on the first two bodies: one free to turn, one with a motor of constant torque."""
    arms = []
    for i in range(2):
        hinge = Transform.of(rotation("x", random.uniform(0, 3)), np.array([0, 0, 0.12]))
        of_arm = mb.MassProperties(ARM, [0, 0, 0], mb.Inertia(ARM * INERTIA))
        arm = mb.Pin(scene.bodies[i], of_arm, X_PF=hinge, X_BM=Transform(p=[0.0, 0.04, 0]), name=f"arm{i}")
        scene.shapes.add(arm, Sphere(0.03), name=f"arm{i}")
        scene.shapes.exclude(arm, scene.bodies[i])
        arms.append(arm)
    mb.MobilityConstantForce(scene.forces, arms[1], force=TORQUE)
    return tuple(arms)
