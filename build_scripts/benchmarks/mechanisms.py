"""Mechanisms of the benchmark, as data from which each engine builds its own model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod.matter.constraints.rod import Rod

_SIZES = {"pin": (1, 1), "ball": (4, 3), "free": (7, 6)}  # numbers of coordinates and of speeds


@dataclass(frozen=True)
class Link:
    """A body, its joint with the parent, and the placement of the joint's frame on the parent. The joint's frame on the body is the body's
    frame.
    """

    parent: int  # number of the link; -1: ground
    joint: Literal["pin", "ball", "free"]
    R: np.ndarray
    p: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # about the mass center


def pins(n: int, *, is_general: bool) -> list[Link]:
    """A chain of n pins."""
    rng = np.random.default_rng(n)
    return [_general("pin", i - 1, rng) if is_general else _simple_pin(i - 1) for i in range(n)]


def tree_of_33_dof() -> list[Link]:
    """A free trunk with five branches of pins: 33 degrees of freedom, as many as a humanoid."""
    return _with_branches("pin", (6, 6, 6, 6, 3))


def humanoid() -> list[Link]:
    """A free trunk with two arms and two legs of two bodies each and a head, on ball joints with quaternions: 33 degrees of freedom."""
    return _with_branches("ball", (2, 2, 2, 2, 1))


def _with_branches(joint: Literal["pin", "ball"], lengths: tuple[int, ...]) -> list[Link]:
    rng = np.random.default_rng(33)
    links = [Link(-1, "free", np.eye(3), np.zeros(3), 10.0, rng.normal(size=3) * 0.1, np.diag([0.9, 0.7, 0.5]))]
    for length in lengths:
        parent = 0
        for _ in range(length):
            links.append(_general(joint, parent, rng))
            parent = len(links) - 1
    return links


def _simple_pin(parent: int) -> Link:
    p = np.array([0, 0.0 if parent < 0 else -1.0, 0])
    return Link(parent, "pin", np.eye(3), p, 1.0, np.array([0, -0.5, 0]), np.diag([0.08, 0.01, 0.08]))


def _general(joint: Literal["pin", "ball"], parent: int, rng: np.random.Generator) -> Link:
    R, turn = (Rotation.random(random_state=rng).as_matrix() for _ in range(2))
    p, mass, com = rng.uniform(-0.5, 0.5, 3), rng.uniform(0.5, 2), rng.uniform(-0.3, 0.3, 3)
    return Link(parent, joint, R, p, mass, com, turn @ np.diag([0.09, 0.07, 0.05]) @ turn.T)


def slices(links: list[Link]) -> Iterator[tuple[Link, slice, slice]]:
    """Yields each link with its slices of the coordinates and of the speeds."""
    q = u = 0
    for link in links:
        n_q, n_u = _SIZES[link.joint]
        yield link, slice(q, q + n_q), slice(u, u + n_u)
        q, u = q + n_q, u + n_u


def in_mobod(links: list[Link], rods: int = 0) -> tuple[mb.MultibodySystem, mb.State]:
    """A System and a realized State with nonzero speeds; with `rods`, up to that many rods from each third body to ground."""
    system = mb.MultibodySystem("benchmark")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mobilizers = {"pin": mb.Pin, "ball": mb.Ball, "free": mb.Free}
    bodies: list[Any] = []
    for i, link in enumerate(links):
        about_origin = link.inertia + link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com))
        parent = matter.ground if link.parent < 0 else bodies[link.parent]
        mass = mb.MassProperties(link.mass, link.com, about_origin)
        bodies.append(mobilizers[link.joint](parent, mass, mb.Transform(link.R, link.p), name=f"b{i}"))
    if rods:
        open_system, open_state = in_mobod(links)
        for k in range(1, rods + 1):
            station, on_ground = np.array([0.1, -0.2, 0.15]), np.array([1.0 + 0.1 * k, 2.0, -0.5])
            body = open_system.matter.body(3 * k)
            length = np.linalg.norm(body.X_GB(open_state).apply(station) - on_ground)
            Rod(bodies[3 * k - 1], station, matter.ground, on_ground, float(length), name=f"rod{k}")
    state = system.realize_topology()
    for i, (link, body) in enumerate(zip(links, bodies, strict=True)):
        quaternion = np.array([1.0, 0.3, -0.4 + 0.02 * i, 0.2])
        quaternion /= np.linalg.norm(quaternion)
        q = {"pin": [0.3 + 0.02 * i], "ball": quaternion, "free": [*quaternion, 0.2, -0.1, 0.3]}
        body.set_q(state, q[link.joint])
        body.set_u(state, 0.2 - 0.01 * (i + np.arange(body.nu)))
    system.realize(state, mb.Stage.ACCELERATION)
    return system, state
