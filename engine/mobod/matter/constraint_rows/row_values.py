"""What the rows of all constraints give at the values w of a State: products with G, errors, forces."""

import numpy as np

from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.matter.constraint_rows.row_table import at
from mobod.matter.equations.motion_equations import Level


def active_G(sweeps: ConstraintSweeps, w: np.ndarray, level: Level) -> np.ndarray:
    """The rows of G for the errors of this level of enabled constraints, with 0 for known mobilities."""
    enabled = [block for block in sweeps.table.blocks if w[block.enabled.offset]]
    lines = [block.first + i for block in enabled for i in range(block.errors(level).size)]
    return sweeps.table.G(w, of_known=False)[np.array(lines, dtype=np.intp)]


def along(sweeps: ConstraintSweeps, w: np.ndarray, v: np.ndarray, V: np.ndarray) -> np.ndarray:
    """(n_rows,) G v of enabled constraints, 0 for disabled ones.

    v  (nu,)         speeds
    V  (n_bodies, 6) the velocities of the bodies at the origins of M for these speeds
    """
    rates = np.zeros(sweeps.table.n_rows)
    for lines, body, K in sweeps.table.on_bodies(w):
        rates[lines] += K @ V[body]
    for lines, speeds, k in sweeps.table.on_mobilities(w):
        rates[lines] += k @ v[speeds]
    return rates


def forces_of(sweeps: ConstraintSweeps, w: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The forces of multipliers (n_rows,) on the bodies about the origins of M (n_bodies, 6), and on the mobilities (nu,).

    Multipliers of disabled constraints count as 0.
    """
    F, f = np.zeros((sweeps.table.n_bodies, 6)), np.zeros(sweeps.tree.all_u.size)
    for lines, body, K in sweeps.table.on_bodies(w):
        F[body] += multipliers[lines] @ K
    for lines, speeds, k in sweeps.table.on_mobilities(w):
        f[speeds] += multipliers[lines] @ k
    return F, f


def acceleration_errors(sweeps: ConstraintSweeps, w: np.ndarray) -> np.ndarray:
    """(n_rows,) G u_dot + bias; 0 for disabled constraints."""
    # the bias includes the known part of u_dot
    errors = sweeps.table.G(w) @ (at(w, sweeps.tree.u_dot) - at(w, sweeps.prescription.slots.known_u_dot))
    active = sweeps.table.active(w)
    errors[active] += at(w, sweeps.slots.bias)[active]
    return errors


def forces(sweeps: ConstraintSweeps, w: np.ndarray, constraint: ConstraintRows, *, with_compliant: bool) -> tuple[np.ndarray, np.ndarray]:
    """G^T lambda of one constraint: (n_bodies, 6) about the bodies' origins, (nu,).

    with_compliant  whether compliant rows are included
    """
    lines = sweeps.lines(constraint)
    K, k = sweeps.table.forces(sweeps.table.with_acting_rows(w, with_compliant=with_compliant))
    multipliers = at(w, sweeps.slots.multipliers)[lines]
    on_bodies = np.einsum("r,rbs->bs", multipliers, K[lines])
    on_bodies[:, :3] += np.cross(on_bodies[:, 3:], at(w, sweeps.tree.slots.r))
    if any(body.index == 0 for body in (constraint.base, *constraint.followers)):
        # rows have no entry for Ground, which cannot move: it gets the opposite of the sum of forces on the bodies
        about_origin = on_bodies[:, :3] + np.cross(at(w, sweeps.tree.slots.p_GB), on_bodies[:, 3:])
        on_bodies[0] = -np.concatenate([about_origin.sum(axis=0), on_bodies[:, 3:].sum(axis=0)])
    return on_bodies, multipliers @ k[lines]
