"""Flexible bodies of the reference files in tests/reference/data/flexible: mass points with any shapes, whose stiffness is not diagonal."""

import json
from pathlib import Path

import numpy as np
from scipy import linalg

import mobod as mb
from mobod.flexible import ModalData, ModalInterface
from mobod.flexible.interfaces import MassPoint
from mobod.spatial import cross_matrix

FOLDER = Path(__file__).parents[1] / "reference" / "data" / "flexible"


def cases(name):
    """The cases of a reference file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]


def modal_of_points(r, m, Phi, K, D, *, Phi2=None, interfaces=()):
    """(ModalData, W): W (n, n) gives the reference's coordinates, eta = W xi, by those of unit modal mass.

    r, m, Phi, Phi2  (N, 3) m, (N,) kg, (N, 3, n), (N, 3, n, n) or None: the points and their shapes, in the axes of M about its origin
    K, D             (n, n)
    interfaces       those beside 'root', which is at M, with p0 R0 Pt Pr: 'at0', 'at1', ...
    """
    r, m, Phi = np.array(r), np.array(m), np.array(Phi)
    n = Phi.shape[2]
    squares, W = linalg.eigh(np.array(K), np.einsum("k,kai,kaj->ij", m, Phi, Phi))
    second = None if Phi2 is None else np.einsum("kaij,ip,jq->kapq", np.array(Phi2), W, W)
    points = tuple(
        MassPoint(mass, np.zeros((3, 3)), p, np.concatenate([np.zeros((3, n)), shape @ W]), None if second is None else second[k])
        for k, (mass, p, shape) in enumerate(zip(m.tolist(), r, Phi, strict=True))
    )
    total, com = m.sum(), m @ r / m.sum()
    inertia = sum(mass * (p @ p * np.eye(3) - np.outer(p, p)) for mass, p in zip(m, r, strict=True))
    frames = {"root": ModalInterface(mb.Transform(), np.zeros((6, n)))}
    for k, each in enumerate(interfaces):
        shapes = np.concatenate([np.array(each["Pr"]) @ W, np.array(each["Pt"]) @ W])
        frames[f"at{k}"] = ModalInterface(mb.Transform(np.array(each["R0"]), np.array(each["p0"])), shapes)
    modal = ModalData(
        inboard="root",
        interfaces=frames,
        mass_properties=mb.MassProperties(total, com, mb.Inertia(inertia)),
        coupling=np.concatenate(
            [sum(p.mass * cross_matrix(p.p - com) @ p.shapes[3:] for p in points), sum(p.mass * p.shapes[3:] for p in points)]
        ),
        stiffness=squares,
        damping=W.T @ np.array(D) @ W,
        size=float(np.linalg.norm(np.ptp(r, axis=0))),
        flexibility_lost=0.0,
        points=points,
    )
    return modal, W


def rotation_of(body, state):
    """(9,) the rotation of a body in Ground, row by row."""
    return body.X_GB(state).R.ravel()
