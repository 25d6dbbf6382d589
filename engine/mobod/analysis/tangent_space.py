"""The motions that constraints allow near a State, in independent coordinates and speeds.

Position errors, and the lengths of quaternions, determine dependent coordinates from independent ones; velocity errors determine dependent
speeds. Both are differentiated, so the velocity errors also along the coordinates: that is the second-order part of a motion.
"""

# Decision: docs/decisions/123-independent-states.md

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import linalg

from mobod.analysis.jacobian import jacobian
from mobod.analysis.named_numbers import state_numbers
from mobod.errors import InputError
from mobod.matter import MatterSubsystem, MultibodySystem
from mobod.matter.constraint_rows import row_values
from mobod.matter.equations.motion_equations import POSITION, VELOCITY
from mobod.numerics import rank_tolerance_at_distance
from mobod.system import State, System
from mobod.system.named_numbers import NamedNumber

_LESS = 1e-3  # weight of speeds that should be independent in the search of dependent ones


@final
@dataclass(frozen=True)
class TangentSpace:
    """Changes of the states y = (q, u, z) that the constraints and known motions allow.

    states     independent entries of y, in the order q, u, z
    n_q, n_u   numbers of independent coordinates and speeds
    by_states  (ny, nx)  change of y for a change of each independent state
    by_inputs  (ny, n)   change of y for a change of each input, with constant independent states
    """

    states: list[NamedNumber]
    n_q: int
    n_u: int
    by_states: np.ndarray
    by_inputs: np.ndarray


def matter_of(system: System) -> MatterSubsystem | None:
    """The bodies of a System, if it has any."""
    return system.matter if isinstance(system, MultibodySystem) and system.has_matter else None


def tangent_space(system: System, state: State, inputs: Sequence[int], chosen: Sequence[NamedNumber] = ()) -> TangentSpace:
    """At a State that is realized to ACCELERATION and satisfies the constraints.

    inputs  offsets
    chosen  coordinates and speeds that shall be independent

    Raises InputError if the constraints determine one of these from the others.
    """
    layout, named = state.layout, state_numbers(system, state)
    first, n_q, n_u, n = layout.y.offset, layout.n_q, layout.n_u, len(inputs)
    free_q, free_u = free_coordinates(system, state), free_speeds(system, state)
    for entry in chosen:
        index = entry.offset - first
        if entry.offset not in named or index >= n_q + n_u:
            raise InputError(f"coordinates: '{entry.name}' is neither a coordinate nor a speed, such as 'crank.q'.")
        if index not in free_q and index - n_q not in free_u:
            raise InputError(f"coordinates: '{entry.name}' is not free: a motion or a lock determines it.")
    indices = [entry.offset - first for entry in chosen]

    q_errors = _restricting(system, state, "q")
    J = jacobian(system, state, q_errors, [*range(first, first + n_q), *inputs])
    lengths = _quaternion_rows(system, state)
    C_q, C_p = np.vstack([J[:, :n_q], lengths]), np.vstack([J[:, n_q:], np.zeros((len(lengths), n))])
    names = [named[offset].name for offset in range(first, first + n_q + n_u)]
    q = _split(C_q, free_q, [i for i in indices if i < n_q], [], names[:n_q])
    by_q = np.zeros((n_q, len(q.independent) + n))
    by_q[q.independent, range(len(q.independent))] = 1.0
    by_q[q.dependent] = q.solved(np.hstack([C_q[:, q.independent], C_p]))

    u_errors = _restricting(system, state, "u")
    J = jacobian(system, state, u_errors, [*range(first, first + n_q + n_u), *inputs])
    C_u = J[:, n_q : n_q + n_u]
    along_q = J[:, :n_q] @ by_q
    along_q[:, len(q.independent) :] += J[:, n_q + n_u :]
    matched = _matching_speeds(system, state, q.independent)
    u = _split(C_u, free_u, [i - n_q for i in indices if i >= n_q], matched, names[n_q:])
    by_u = np.zeros((n_u, len(q.independent) + len(u.independent) + n))
    by_u[u.independent, range(len(q.independent), len(q.independent) + len(u.independent))] = 1.0
    right = np.hstack([along_q[:, : len(q.independent)], C_u[:, u.independent], along_q[:, len(q.independent) :]])
    by_u[u.dependent] = u.solved(right)

    m_q, m_u, n_z = len(q.independent), len(u.independent), layout.n_z
    m = m_q + m_u + n_z
    change = np.zeros((layout.n_y, m + n))
    change[:n_q, :m_q], change[:n_q, m:] = by_q[:, :m_q], by_q[:, m_q:]
    change[n_q : n_q + n_u, : m_q + m_u], change[n_q : n_q + n_u, m:] = by_u[:, : m_q + m_u], by_u[:, m_q + m_u :]
    change[n_q + n_u :, m_q + m_u : m] = np.eye(n_z)
    independent = [*q.independent, *(n_q + i for i in u.independent), *range(n_q + n_u, layout.n_y)]
    return TangentSpace([named[first + i] for i in independent], m_q, m_u, change[:, :m], change[:, m:])


def free_coordinates(system: System, state: State) -> list[int]:
    """Indices of the coordinates in q that no motion or lock determines."""
    return _without_known(system, state, POSITION, "q")


def free_speeds(system: System, state: State) -> list[int]:
    """Indices of the speeds in u that no motion or lock determines."""
    return _without_known(system, state, VELOCITY, "u")


def error_offsets(system: System, state: State, kind: str) -> list[int]:
    """Offsets of the errors of active constraints that restrict q ("q"), or u ("u", which has the rates of the others)."""
    slots = [each.errors for each in state.layout.errors if each.kind == kind]
    matter = matter_of(system)
    sweeps = None if matter is None else matter.tree(state.layout).constraints
    if sweeps is not None:
        of_blocks = [block for block in sweeps.table.blocks if state.values[block.enabled.offset]]
        slots += [block.errors("position" if kind == "q" else "velocity") for block in of_blocks]
    return [offset for slot in slots for offset in slot.offsets]


def _restricting(system: System, state: State, kind: str) -> list[int]:
    """The error_offsets, without those of rows that the joints already satisfy: their derivatives are round-off."""
    offsets, matter = error_offsets(system, state, kind), matter_of(system)
    sweeps = None if matter is None else matter.tree(state.layout).constraints
    if sweeps is None:
        return offsets
    G = row_values.active_G(sweeps, state.values, "position" if kind == "q" else "velocity")
    n_own = len(offsets) - len(G)  # of subsystems
    return [*offsets[:n_own], *(offset for offset, row in zip(offsets[n_own:], G, strict=True) if row.any())]


def free_quaternions(system: System, state: State) -> list[int]:
    """Indices in q of the first entries of quaternions that no motion or lock determines."""
    free, first = set(free_coordinates(system, state)), state.layout.q.offset
    return [offset - first for offset in state.layout.quaternions if offset - first in free]


@dataclass(frozen=True)
class _Split:
    """Unknowns of C x = b: dependent ones, (r,) as many as C has independent rows, and independent ones, both ascending."""

    C: np.ndarray
    dependent: list[int]
    independent: list[int]

    def solved(self, right: np.ndarray) -> np.ndarray:
        """(r, n) the dependent unknowns of C x + right = 0, where `right` is (rows, n)."""
        if not self.dependent or not right.shape[1]:
            return np.zeros((len(self.dependent), right.shape[1]))
        return linalg.lstsq(self.C[:, self.dependent], -right)[0]


def _split(C: np.ndarray, free: list[int], chosen: list[int], preferred: list[int], names: list[str]) -> _Split:
    """chosen: unknowns that must be independent; preferred: that should be, if others determine as much."""
    sizes = np.linalg.norm(C[:, free], axis=1)
    rows = C[sizes > 0] / sizes[sizes > 0, None]
    all_of_them = _pivots(rows, free, [])
    dependent = _pivots(rows, [i for i in free if i not in chosen], preferred)[: len(all_of_them)]
    if len(dependent) < len(all_of_them):
        freedom = len(free) - len(all_of_them)
        raise InputError(
            f"coordinates: {', '.join(repr(names[i]) for i in chosen)} cannot be independent together at this State. The constraints "
            f"leave {freedom} independent, for example {', '.join(names[i] for i in free if i not in all_of_them)}."
        )
    return _Split(C, sorted(dependent), [i for i in free if i not in dependent])


def _pivots(C: np.ndarray, columns: list[int], avoided: list[int]) -> list[int]:
    """As many of the columns as the matrix has independent rows, the best first. avoided: columns to be used only where others are bad."""
    part = C[:, columns] * np.where(np.isin(columns, avoided), _LESS, 1.0)
    if not part.size:
        return []
    R, order = linalg.qr(part, mode="r", pivoting=True)
    pivots = np.abs(np.diag(R))
    tolerance = rank_tolerance_at_distance(len(C), 0.0) * (_LESS if avoided else 1.0)
    return [columns[order[k]] for k in range(len(pivots)) if pivots[k] > tolerance]


def _quaternion_rows(system: System, state: State) -> np.ndarray:
    """(n, nq) the derivatives of the lengths of free quaternions."""
    starts = free_quaternions(system, state)
    rows, q = np.zeros((len(starts), state.layout.n_q)), state.view(state.layout.q)
    for row, start in zip(rows, starts, strict=True):
        row[start : start + 4] = q[start : start + 4]
    return rows


def _without_known(system: System, state: State, level: float, kind: str) -> list[int]:
    layout, matter = state.layout, matter_of(system)
    whole = layout.q if kind == "q" else layout.u
    known: set[int] = set()
    if matter is not None:
        tree = matter.tree(layout)
        for body in tree.prescription.bodies:
            if state.view(tree.prescription.level(body)) >= level:
                known.update((tree.q(body) if kind == "q" else tree.u(body)).offsets)
    return [offset - whole.offset for offset in whole.offsets if offset not in known]


def _matching_speeds(system: System, state: State, coordinates: list[int]) -> list[int]:
    """Indices in u of the speeds that belong to independent coordinates (indices in q); of a quaternion three numbers are independent."""
    independent = set(coordinates)
    return [u for q, u in coordinates_and_speeds(system, state) if len(independent.intersection(q)) == min(len(q), 3)]


def coordinates_and_speeds(system: System, state: State) -> list[tuple[list[int], int]]:
    """Which coordinates belong to a speed: (indices in q, index in u). A quaternion belongs to each of three speeds."""
    layout, matter = state.layout, matter_of(system)
    if matter is None:
        return []
    tree = matter.tree(layout)
    found: list[tuple[list[int], int]] = []
    for body in tree.bodies:
        at = tree.equations(body).quaternion_at
        q = [[offset - layout.q.offset] for offset in tree.q(body).offsets]
        u = [offset - layout.u.offset for offset in tree.u(body).offsets]
        if at is not None:
            q[at : at + 4] = [[each[0] for each in q[at : at + 4]]] * 3
        if len(q) == len(u):
            found += zip(q, u, strict=True)
    return found
