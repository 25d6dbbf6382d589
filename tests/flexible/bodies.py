"""Flexible bodies with general numbers."""

from dataclasses import replace

import numpy as np

import mobod as mb
from mobod.flexible import ModalData, ModalInterface
from mobod.flexible.interfaces import MassPoint
from tests.flexible.frame_elements import beam

SECTION = {"E": 7e10, "G": 2.6e10, "rho": 2700.0, "A": 6e-4, "Iy": 4.5e-8, "Iz": 2e-8, "J": 4.7e-8, "kappa": 5 / 6}


def random_rotation(rng):
    q = rng.normal(size=4)
    return mb.spatial.from_quaternion(q / np.linalg.norm(q))


def random_modal(rng, n, interfaces, *, damped=True):
    """Modal data of no real body, with n modes and these interfaces beside 'root', all frames general."""
    inertia = mb.Inertia(np.diag([0.3, 0.5, 0.6])).rotated(random_rotation(rng)).matrix
    mass, com = rng.uniform(1, 3), rng.normal(scale=0.3, size=3)
    coupling = np.concatenate([0.2 * rng.normal(size=(3, n)), 0.3 * rng.normal(size=(3, n))])
    A = rng.normal(size=(n, n))
    frames = {"root": ModalInterface(mb.Transform(random_rotation(rng), 0.3 * rng.normal(size=3)), np.zeros((6, n)))}
    for name in interfaces:
        shapes = np.concatenate([0.3 * rng.normal(size=(3, n)), 0.2 * rng.normal(size=(3, n))])
        frames[name] = ModalInterface(mb.Transform(random_rotation(rng), rng.normal(size=3)), shapes)
    return ModalData(
        inboard="root",
        interfaces=frames,
        mass_properties=mb.MassProperties(mass, com, mb.Inertia(inertia).shifted(com, mass=mass)),
        coupling=coupling / max(1.0, 1.2 * np.sqrt(np.linalg.eigvalsh(coupling.T @ _inverse(mass, inertia) @ coupling).max(initial=0.0))),
        stiffness=np.sort(rng.uniform(30, 900, n)),
        damping=0.3 * A @ A.T if damped else np.zeros((n, n)),
        size=2.0,
        flexibility_lost=0.0,
    )


def _inverse(mass, inertia):
    return np.block([[np.linalg.inv(inertia), np.zeros((3, 3))], [np.zeros((3, 3)), np.eye(3) / mass]])


def beam_modal(length=1.7, elements=10, modes=6, inboard="start", **options):
    """A beam along x with the interfaces 'start' and 'end'."""
    M, K, nodes = beam(length, elements, **SECTION)
    return ModalData.from_matrices(M, K, nodes, {"start": 0, "end": elements}, inboard=inboard, modes=modes, **options)


def general_mass(rng):
    inertia = mb.Inertia(np.diag([0.03, 0.05, 0.06])).rotated(random_rotation(rng)).matrix
    com = 0.2 * rng.normal(size=3)
    return mb.MassProperties(0.7, com, mb.Inertia(inertia).shifted(com, mass=0.7))


def random_frame(rng):
    return mb.Transform(random_rotation(rng), 0.4 * rng.normal(size=3))


def random_points(rng, n, interfaces, *, curved, rotary=False):
    """Modal data of mass points with general shapes, of first or of second order; rotary: two of them have an inertia and turn."""

    def second():
        shapes = 0.15 * rng.normal(size=(3, n, n))
        return (shapes + shapes.transpose(0, 2, 1)) / 2 if curved else None

    modal = random_modal(rng, n, interfaces)
    root = modal.interfaces["root"].X.p
    points = []
    for k in range(7):
        shapes = np.concatenate([np.zeros((3, n)), 0.3 * rng.normal(size=(3, n))])
        turns = rotary and k < 2
        shapes[:3] = 0.2 * rng.normal(size=(3, n)) if turns else 0.0
        points.append(
            MassPoint(rng.uniform(0.1, 0.6), np.diag([0.02, 0.03, 0.04]) * turns, root + 0.5 * rng.normal(size=3), shapes, second())
        )
    frames = {name: each if name == "root" else ModalInterface(each.X, each.shapes, second()) for name, each in modal.interfaces.items()}
    return replace(modal, points=tuple(points), interfaces=frames)
