"""Scenes of boxes and capsules that lie on each other, for fixed steps at velocity level."""

from dataclasses import dataclass, field

import numpy as np

import mobod as mb
from mobod.contact import Box, ContactShape
from mobod.spatial import Transform, to_quaternion

GRAVITY = 9.81
STEP = 0.005


def rotation(axis, angle):
    """(3, 3) about 'x', 'y' or 'z'."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def inertia_of_box(mass, half_lengths):
    x, y, z = np.square(half_lengths)
    return mass / 3 * np.diag([y + z, x + z, x + y])


@dataclass
class Scene:
    """Bodies that move freely, whose shapes all touch each other. down: direction of gravity"""

    down: tuple = (0.0, 0.0, -1.0)
    bodies: list = field(default_factory=list)
    starts: list = field(default_factory=list)

    def __post_init__(self):
        self.system = mb.MultibodySystem("scene")
        self.matter = mb.MatterSubsystem(self.system)
        self.forces = mb.ForceSubsystem(self.system)
        mb.Gravity(self.forces, self.matter, down=list(self.down), magnitude=GRAVITY)
        self.shapes = mb.ContactSet(self.matter)

    def fix(self, shape, p, R=None, name=None):
        """A shape on Ground."""
        self.shapes.add(self.matter.ground, shape, Transform.of(np.eye(3) if R is None else R, np.array(p, dtype=float)), name=name)

    def floor(self):
        """A large box below z = 0."""
        self.fix(Box([3.0, 3.0, 0.5]), [0, 0, -0.5], name="floor")

    def add(self, shape: ContactShape, p, R=None, mass=1.0, inertia=None, u=None, name=None):
        """A free body with a shape about its center."""
        if inertia is None:
            inertia = inertia_of_box(mass, shape.half_lengths)
        name = f"body{len(self.bodies)}" if name is None else name
        body = mb.Free(self.matter.ground, mb.MassProperties(mass, [0, 0, 0], inertia), name=name)
        self.shapes.add(body, shape, name=name)
        self.bodies.append(body)
        self.starts.append((np.eye(3) if R is None else R, np.array(p, dtype=float), u))
        return body

    def begin(self, friction=0.5, **options):
        """Make the contacts. Returns the State at the start."""
        self.contacts = {each.name: each for each in self.shapes.rigid(static_friction=friction, **options)}
        state = self.system.realize_topology()
        for body, (R, p, u) in zip(self.bodies, self.starts, strict=True):
            body.set_q(state, [*to_quaternion(R), *p])
            if u is not None:
                body.set_u(state, u)
        return state

    def run(self, state, until, step=STEP, backend="interpreted", report_every=None, **options):
        simulation = mb.Simulation(self.system, integrator="velocity_level", step=step, backend=backend, **options)
        results = simulation.run(state, until, report_every=until if report_every is None else report_every)
        self.system.realize(results.final_state, mb.Stage.ACCELERATION)
        return results

    def largest_move(self, state):
        """m, of a center or of a point at 1 m from it, since the start."""
        moves = [0.0]
        for body, (R, p, _) in zip(self.bodies, self.starts, strict=True):
            X = body.X_GB(state)
            moves += [np.abs(X.p - p).max(), np.abs(X.R - R).max()]
        return max(moves)

    def load(self, name, state):
        """N, the sum of normal forces of a contact."""
        return self.contacts[name].normal_force(state).sum()


def box_on_box(angle=0.0, friction=0.5, gap=0.0, **options):
    """A cube on a floor that is inclined by an angle; (scene, State)."""
    scene = Scene(down=(np.sin(angle), 0.0, -np.cos(angle)))
    scene.floor()
    scene.add(Box([0.1, 0.1, 0.1]), [0, 0, 0.1 + gap])
    return scene, scene.begin(friction, **options)


def pyramid(rows, half=0.1, gap=0.02):
    """Cubes in rows, each on the middle of two others; (scene, State)."""
    scene = Scene()
    scene.floor()
    for row in range(rows):
        for k in range(rows - row):
            scene.add(Box([half] * 3), [(2 * half + gap) * (k - (rows - row - 1) / 2), 0.003 * row, half * (2 * row + 1)])
    return scene, scene.begin()


def wall(rows, columns, gap=0.002):
    """Bricks of 0.2 m, every other row with half bricks at its ends; only neighbours have contacts. (scene, State)"""
    scene, bricks, pitch = Scene(), [], 0.2 + gap
    scene.floor()
    for row in range(rows):
        places = [(pitch * k, 0.1) for k in range(columns)]
        if row % 2:
            ends = [(x, 0.05 - gap / 4) for x in (-0.05 - gap / 4, pitch * (columns - 1) + 0.05 + gap / 4)]
            places = [ends[0], *((x + pitch / 2, half) for x, half in places[:-1]), ends[1]]
        for x, half in places:
            body = scene.add(Box([half, 0.05, 0.04]), [x, 0, 0.04 * (2 * row + 1)], mass=10 * half)
            for other, other_row, other_x, other_half in bricks:
                if row - other_row > 1 or abs(x - other_x) > half + other_half + 0.01:
                    scene.shapes.exclude(body, other)
            if row:
                scene.shapes.exclude(body, scene.matter.ground)
            bricks.append((body, row, x, half))
    return scene, scene.begin(0.6)


def tumbling(n, seed=4, **options):
    """Boxes and capsules that fall on a floor and on each other; (scene, State)."""
    random = np.random.default_rng(seed)
    scene = Scene()
    scene.floor()
    for i in range(n):
        R = rotation("x", random.uniform(0, 3)) @ rotation("y", random.uniform(0, 3))
        p = [0.1 * random.uniform(-1, 1), 0.1 * random.uniform(-1, 1), 0.3 + 0.4 * i]
        u = random.uniform(-3, 3, 6)
        if i % 2:
            scene.add(mb.contact.Capsule(0.06, 0.1), p, R, inertia=np.diag([0.01, 0.012, 0.003]), u=u)
        else:
            scene.add(Box([0.08, 0.1, 0.13]), p, R, u=u)
    return scene, scene.begin(0.4, **options)
