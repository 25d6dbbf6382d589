"""A flat disc under even pressure that slides and spins at once (Contensou), by ElasticFoundationForce: friction on each face of a mesh.

Rigid contacts have no such law: their points carry loads that nothing but the law of a rigid body decides.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

import mobod as mb
from mobod.contact import HalfSpace, TriangleMesh
from tests.reference.models import check_keys

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance

RADIUS, DEPTH, FRICTION = 0.3, 1e-3, 0.4
RINGS, SECTORS = 16, 64
OF_MESH = 1e-3  # of the greatest force and moment: friction acts at the middle of each face, and the disc is a polygon


def disc_mesh() -> TriangleMesh:
    """A flat cylinder, closed, whose lower face has rings of triangles; its polygon has the area of the disc."""
    angles = 2 * np.pi * np.arange(SECTORS) / SECTORS
    outer = RADIUS * np.sqrt(2 * np.pi / (SECTORS * np.sin(2 * np.pi / SECTORS)))
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = [np.column_stack([outer * k / RINGS * circle, np.zeros(SECTORS)]) for k in range(1, RINGS + 1)]
    top = rings[-1] + [0, 0, 0.1]
    vertices = np.concatenate([[[0, 0, 0]], *rings, top, [[0, 0, 0.1]]])
    faces, last = [], len(vertices) - 1
    for i in range(SECTORS):
        j = (i + 1) % SECTORS
        faces.append([0, 1 + j, 1 + i])  # downwards
        for k in range(RINGS):
            a, b = 1 + k * SECTORS + i, 1 + k * SECTORS + j
            c, d = a + SECTORS, b + SECTORS
            faces += [[a, b, c], [b, d, c]] if k < RINGS - 1 else [[a, b, d], [a, d, c]]
    return TriangleMesh(vertices, [_turned(vertices, face) for face in [*faces, *_lid(last)]])


def _lid(last: int) -> list[list[int]]:
    first = 1 + RINGS * SECTORS
    return [[last, first + i, first + (i + 1) % SECTORS] for i in range(SECTORS)]


def _turned(vertices: np.ndarray, face: list[int]) -> list[int]:
    """Counter-clockwise from outside: the middle of the cylinder is inside."""
    a, b, c = vertices[face]
    return face if np.cross(b - a, c - a) @ (a - [0, 0, 0.05]) > 0 else face[::-1]


@cache
def _disc() -> tuple[mb.MultibodySystem, mb.Free, mb.ElasticFoundationForce]:
    system = mb.MultibodySystem("disc")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    disc = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="disc")
    material = mb.ContactMaterial(stiffness=1e5, dissipation=0.0, static_friction=FRICTION, dynamic_friction=FRICTION, viscous_friction=0.0)
    force = mb.ElasticFoundationForce(
        forces, matter.ground, HalfSpace(), disc, disc_mesh(), material=material, transition_speed=1e-6, name="contact"
    )
    return system, disc, force


def friction_of(slip_over_R_spin: float) -> np.ndarray:
    """(2,) force / (mu N) against the slip, moment / (mu N R) against the spin."""
    system, disc, force = _disc()
    state = system.realize_topology()
    disc.set_q(state, [1, 0, 0, 0, 0, 0, -DEPTH])
    disc.set_u(state, [0, 0, 1.0, slip_over_R_spin * RADIUS, 0, 0])
    system.realize(state, mb.Stage.DYNAMICS)
    on_bodies, _ = force.calc_force_contribution(state)
    torque, pull = on_bodies[disc.index][:3], on_bodies[disc.index][3:]
    return -np.array([pull[0], torque[2] / RADIUS]) / (FRICTION * pull[2])


def contensou_disc(case: Mapping[str, Any]) -> Found:
    check_keys(case, frozenset(["slip_over_R_spin", "force_over_mu_N", "moment_over_mu_N_R"]), "a disc that slides and spins")
    force, moment = friction_of(case["slip_over_R_spin"])
    return {
        "force": (force - case["force_over_mu_N"], 0.0, OF_MESH),
        "moment": (moment - case["moment_over_mu_N_R"], 0.0, OF_MESH),
    }


def disc_slides_and_spins(case: Mapping[str, Any]) -> Found:
    """The ratio of slip and spin that friction keeps, since it slows both alike: F / slip = 2 M / R of a disc."""
    check_keys(case, frozenset(["limit_of_v_over_R_w", "tolerance"]), "a disc that stops")

    def unequal(ratio: float) -> float:
        force, moment = friction_of(ratio)
        return float(force / ratio - 2 * moment)

    found = brentq(unequal, 0.3, 1.2, xtol=1e-5)
    return {"limit_of_v_over_R_w": (found - case["limit_of_v_over_R_w"], 0.0, max(case["tolerance"], OF_MESH))}


FAMILIES = {each.__name__: each for each in (contensou_disc, disc_slides_and_spins)}
