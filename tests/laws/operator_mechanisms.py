"""Mechanisms for the table of operators: a chain with a branch, with rigid or flexible links, loops, locks, Motions and rotors.

A new kind of body gets a line in MECHANISMS.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mobod as mb
from mobod.laws.random_states import random_q
from tests.flexible.bodies import general_mass, random_frame, random_modal, random_points

ALUMINIUM = mb.Material(E=7e8, nu=0.3, density=2700)  # softer than it is, so that the modes are slow
STRIP = mb.Section.rectangle(0.04, 0.02)

Body = Callable[[np.random.Generator, int], Any]


def rigid(rng: np.random.Generator, n: int) -> Any:
    return general_mass(rng)


def core(rng: np.random.Generator, n: int) -> Any:
    """Constant inertia in the mean axes."""
    return mb.FlexibleBody(random_modal(rng, n, ["end", "side"]), damping_ratio=0.05)


def full(rng: np.random.Generator, n: int) -> Any:
    """The inertia follows linear shapes."""
    return mb.FlexibleBody(random_points(rng, n, ["end", "side"], curved=False), inertia="full")


def curved(rng: np.random.Generator, n: int) -> Any:
    """The inertia follows shapes of second order."""
    return mb.FlexibleBody(random_points(rng, n, ["end", "side"], curved=True), inertia="full")


def many(rng: np.random.Generator, n: int) -> Any:
    """Constant inertia, by the steps for many modes."""
    return mb.FlexibleBody(random_modal(rng, 13, ["end", "side"]))


def many_full(rng: np.random.Generator, n: int) -> Any:
    return mb.FlexibleBody(random_points(rng, 13, ["end", "side"], curved=False), inertia="full")


@dataclass(frozen=True)
class Case:
    """A mechanism in a State that is realized to ACCELERATION.

    constraints  enabled, with independent rows of position and velocity level
    motions      enabled
    locked       bodies and modal nodes, by the level of their locks
    """

    system: mb.MultibodySystem
    state: mb.State
    constraints: list[mb.Constraint]
    motions: list[mb.Motion] = field(default_factory=list)
    locked: list[Any] = field(default_factory=list)

    @property
    def matter(self) -> mb.MatterSubsystem:
        return self.system.matter

    def freed(self) -> mb.State:
        """The same coordinates and speeds, none of them prescribed."""
        freed = self.state.copy()
        for motion in self.motions:
            motion.disable(freed)
        for body in self.locked:
            body.unlock(freed)
        return freed

    def known(self) -> np.ndarray:
        """(nu,) whether a speed belongs to what moves as prescribed."""
        known = np.zeros(len(self.state.u), dtype=bool)
        for body in (*self.locked, *(motion.body for motion in self.motions)):
            body.my_part_u(self.state, known)[:] = True
        return known


def mechanism(
    seed: int,
    links: Sequence[Body] = (rigid, rigid),
    *,
    mean: bool = False,
    loop: bool = False,
    locked: Sequence[str] = (),
    moved: bool = False,
    rotors: bool = False,
    turned: bool = False,
    angles: bool = False,
) -> Case:
    """A root on a Free, two links on it, a slider beside the second one and a tip.

    mean    the root is a beam in its mean axes
    loop    with constraints on the links, or on interfaces of flexible ones, and on a mode
    locked  which bodies or nodes are locked, each at another level
    turned  every mobilizer is reversed
    """
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem("mechanism")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    matter.set_uses_euler_angles_by_default(angles)
    mb.Gravity(forces, matter, vector=[0.7, -9.3, 2.1])
    way = {"reversed": turned}

    body = mb.FlexibleBeam(1.0, STRIP, ALUMINIUM, modes=3, elements=6, frame="mean") if mean else general_mass(rng)
    root = mb.Free(matter.ground, body, random_frame(rng), name="root", **({} if mean else way))
    on_root = root.interface("end") if mean else root
    arm = mb.Pin(on_root, links[0](rng, 3), random_frame(rng), name="arm", **way)
    fore = mb.Gimbal(_at(arm, "end"), links[1](rng, 2), random_frame(rng), name="fore", **way)
    side = mb.Slider(_at(arm, "side"), general_mass(rng), random_frame(rng), random_frame(rng), name="side", **way)
    tip = mb.Ball(_at(fore, "end"), general_mass(rng), random_frame(rng), random_frame(rng), name="tip", **way)
    frames = {"X_B1F": random_frame(rng), "X_B2M": random_frame(rng)}
    mb.LinearBushing(forces, root, tip, **frames, stiffness=[3.0] * 6, damping=[0.4] * 6, name="bushing")
    mb.ConstantForce(forces, _at(fore, "side"), [0.1, 0.2, -0.1], [1.0, 2.0, -0.7])
    if rotors:
        arm.set_rotor_inertia(0.02, 3.0, axis=[0.3, 0.5, 0.8])
        side.set_rotor_inertia(0.03, -2.0)
        tip.set_rotor_inertia(0.04, 1.5)

    constraints: list[mb.Constraint] = []
    if loop:
        constraints = [
            mb.BallConstraint(_at(fore, "end"), [0.1, 0.2, -0.1], side, [0.3, 0.1, 0.2], name="ball"),
            mb.Rod(matter.ground, [0.1, 0.5, 0.2], _at(fore, "side"), [0.2, -0.1, 0.1], 1.1, name="rod"),
            mb.PointInPlane(_at(arm, "side"), [0.2, 0.9, 0.4], 0.3, tip, [0.1, -0.2, 0.3], name="plane"),
            mb.NoSlip1D(on_root, [0.1, 0.3, 0.2], [0.4, 0.1, 0.9], matter.ground, tip, name="no slip"),
        ]
        if fore.flexible is not None and "fore.modes" not in locked:
            constraints.append(mb.ConstantSpeed(fore.flexible.node, 1, 0.4, name="speed of a mode"))
    motions: list[mb.Motion] = []
    if moved:
        motions = [
            mb.SinusoidMotion(arm, amplitude=0.4, rate=1.7, phase=0.3, level="position"),
            mb.SteadyMotion(tip, [0.6, -0.2, 0.3]),
        ]

    state = system.realize_topology()
    state.time = 0.7
    for each in matter.bodies:
        each.set_q(state, 0.15 * rng.normal(size=each.nu) if each.modes is not None else random_q(each.equations_in(state), rng))
    state.u = rng.normal(size=len(state.u))
    of_locks: list[Any] = []
    for name, level in zip(locked, ("position", "acceleration", "velocity"), strict=False):
        each = matter.body(name)
        of_locks.append(each)
        each.lock_at(state, each.q(state) if level == "position" else rng.normal(size=each.nu), level)
    system.realize(state, mb.Stage.ACCELERATION)
    return Case(system, state, constraints, motions, of_locks)


def _at(body: Any, name: str) -> Any:
    """The interface of a flexible body, a rigid body itself."""
    return body if body.flexible is None else body.interface(name)


# name -> what makes it
MECHANISMS: dict[str, Callable[[], Case]] = {
    "tree": lambda: mechanism(1),
    "tree in Euler angles": lambda: mechanism(2, angles=True),
    "loop": lambda: mechanism(3, loop=True),
    "rotors": lambda: mechanism(4, rotors=True, loop=True),
    "Motions": lambda: mechanism(5, moved=True, loop=True),
    "locks": lambda: mechanism(6, locked=["arm", "tip"], loop=True),
    "reversed mobilizers": lambda: mechanism(7, turned=True, loop=True),
    "flexible tree": lambda: mechanism(8, [core, curved]),
    "flexible loop": lambda: mechanism(9, [core, core], loop=True),
    "loop of inertia that follows linear shapes": lambda: mechanism(10, [full, core], loop=True),
    "loop of shapes of second order": lambda: mechanism(11, [core, curved], loop=True),
    "loop with a root in its mean axes": lambda: mechanism(12, [rigid, core], mean=True, loop=True),
    "loop of many modes": lambda: mechanism(13, [core, many], loop=True),
    "loop of many modes with an inertia that follows": lambda: mechanism(14, [many_full, rigid], loop=True),
    "locked modes": lambda: mechanism(15, [core, core], locked=["arm.modes"], loop=True),
    "modes and joints locked at all levels": lambda: mechanism(16, [curved, core], locked=["tip", "arm.modes", "arm"], loop=True),
    "modes locked at accelerations": lambda: mechanism(20, [core, full], locked=["arm", "fore.modes"], loop=True),
    "many modes locked at accelerations": lambda: mechanism(21, [many, many_full], locked=["tip", "fore.modes", "arm.modes"]),
    "flexible with Motions": lambda: mechanism(17, [core, curved], moved=True, loop=True),
    "flexible with rotors, reversed": lambda: mechanism(18, [full, core], rotors=True, turned=True, loop=True),
    "all": lambda: mechanism(19, [core, full], locked=["arm.modes"], moved=True, rotors=True, turned=True, loop=True),
}
