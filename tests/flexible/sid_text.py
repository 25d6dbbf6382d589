"""SID texts, written from matrices of finite elements: shapes are any of the free body's, relative to its origin."""

import numpy as np


def sid_text(M, K, nodes, rigid, shapes, kept, damping=None):
    """rigid: (dof, 6) rotations, then displacements, about the origin; shapes (dof, n); kept: numbers of nodes, 6 freedoms each."""
    n = shapes.shape[1]
    inertia, coupling = rigid.T @ M @ rigid, rigid.T @ M @ shapes
    F = inertia[:3, 3:]
    lines = [f"{len(kept)} {n} Geo_Stiff= no", "part", "new modal", "refmod", f"mass = {_fortran(inertia[5, 5])}", f"nelastq = {n}"]
    lines += [f"ielastq ( {k + 1}) = Eigen Mode {k + 1} : 1.0 Hz" for k in range(n)]
    lines += ["end refmod", "frame"]
    for number in kept:
        part = shapes[6 * number : 6 * number + 6]
        lines += [f"new node = {number + 1}", "rframe = body ref"]
        lines += series("origin", nodes[number][:, None], n, order=1)
        lines += ["m1( 1, 1, 1) = 1.0D+00"]  # terms of first order are left out
        lines += ["end origin", *series("phi", part[:3], n), "end phi", *series("psi", part[3:], n), "end psi", "end node"]
    lines += ["end frame"]
    de = np.zeros((n, n)) if damping is None else damping
    mdcm = np.array([F[2, 1], F[0, 2], F[1, 0]])[:, None]
    parts = {"mdCM": mdcm, "J": inertia[:3, :3], "Ct": coupling[3:].T, "Cr": coupling[:3].T, "Me": shapes.T @ M @ shapes}
    for name, matrix in (parts | {"Ke": shapes.T @ K @ shapes, "De": de}).items():
        lines += [*series(name, matrix, n, structure=2 if name in ("J", "Me", "Ke") else 3), f"end {name}"]
    return "\n".join([*lines, "end modal", "end part", ""])


def series(name, matrix, n, structure=3, order=0):
    rows, columns = matrix.shape
    entries = [(i, j) for i in range(rows) for j in range(columns) if structure != 2 or j >= i]
    return [
        name,
        *(
            f"{key} = {value}"
            for key, value in (("order", order), ("nrow", rows), ("ncol", columns), ("nq", n), ("nqn", 0), ("structure", structure))
        ),
        *(f"m0( {i + 1}, {j + 1}) = {_fortran(matrix[i, j])}" for i, j in entries if matrix[i, j] != 0),
    ]


def _fortran(number):
    return f"{number:.16E}".replace("E", "D")
