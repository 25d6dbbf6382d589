"""Mobilizers with known motion, by a Motion or a lock. Their u_dot are not solved for.

A known u_dot is included in A_c, the reference accelerations, and nothing remains to be solved: D^-1 and G are 0, so that forces
and inertias pass the joint as if it were rigid.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mobod.errors import UnsupportedError
from mobod.matter.equations.motion_equations import ACCELERATION, FREE, LEVELS, POSITION, VELOCITY, PrescribedEquations
from mobod.matter.tree.tree_body import TreeBody
from mobod.matter.tree.tree_table import TreeTable
from mobod.scalar import Array, Scalar, Slot, Sweep, where
from mobod.system import Layout


@dataclass(frozen=True, kw_only=True)
class PrescriptionSlots:
    """Arrays with the body as their first axis, Ground at 0, or flat, with an entry for each coordinate, speed or parameter.

    instance  lock_levels (see motion_equations); lock_q: values of position locks; lock_values: speeds or accelerations of other locks
              motion_enabled motion_parameters
    position  known_levels
    velocity  known_u_dot: 0 where u_dot is unknown
    """

    lock_levels: Slot
    lock_q: Slot
    lock_values: Slot
    motion_enabled: Slot
    motion_parameters: Slot
    known_levels: Slot
    known_u_dot: Slot


class Prescription:
    """Writes the rows of bodies that may have a known motion, and finds their slots."""

    def __init__(self, bodies: Sequence[TreeBody], slots: PrescriptionSlots, tree: TreeTable, layout: Layout):
        self.bodies = bodies
        self.slots = slots
        self._tree = tree
        self._time = layout.time
        self._motion_starts: dict[int, int] = {}
        n = 0
        for body in tree.bodies:
            self._motion_starts[body.index] = n
            n += body.motion.equations.n_parameters if body.motion is not None else 0
        self._indices = {body.index for body in bodies}

    def concerns(self, body: TreeBody) -> bool:
        """Whether the body may have a known motion."""
        return body.index in self._indices

    def level(self, body: TreeBody) -> Slot:
        return self.slots.known_levels[body.index]

    def u_dot(self, body: TreeBody) -> Slot:
        return self._tree.speeds(self.slots.known_u_dot, body)

    def motion_parameters(self, body: TreeBody) -> Slot:
        n = body.motion.equations.n_parameters if body.motion is not None else 0
        return Slot(self.slots.motion_parameters.offset + self._motion_starts[body.index], (n,))

    def position(self, sweep: Sweep) -> None:
        """Replace known coordinates of the State."""
        s, tree = self.slots, self._tree
        for body in self.bodies:
            b, q = body.index, tree.q(body)
            if body.motion is not None and body.motion.equations.level == "position" and q.size != body.equations.nq:
                raise UnsupportedError(
                    f"the motion of '{body.name}' prescribes a quaternion, but rotations have Euler angles here. Use quaternions, or "
                    "level='velocity'."
                )
            inputs = [self._time, q, s.lock_levels[b], tree.coordinates(s.lock_q, body), *self._of_motion(body)]
            sweep.add(known_q, inputs, [q, s.known_levels[b]], structure=(self._motion(body),))

    def velocity(self, sweep: Sweep) -> None:
        """Replace known speeds of the State."""
        s, tree = self.slots, self._tree
        for body in self.bodies:
            b, u = body.index, tree.u(body)
            inputs = [self._time, u, s.lock_levels[b], tree.speeds(s.lock_values, body), *self._of_motion(body)]
            sweep.add(known_u, inputs, [u, self.u_dot(body)], structure=(self._motion(body),))

    def _motion(self, body: TreeBody) -> PrescribedEquations | None:
        return None if body.motion is None else body.motion.equations.structure

    def _of_motion(self, body: TreeBody) -> list[Slot]:
        if body.motion is None:
            return []
        parameters = self.motion_parameters(body)
        return [self.slots.motion_enabled[body.index], *([parameters] if parameters.size else [])]


def known_q(
    motion: PrescribedEquations | None, t: Scalar, q: Array, lock_level: Scalar, lock_q: Array, *of_motion: Array
) -> tuple[Array, Scalar]:
    """(q, known level)."""
    level: Scalar = FREE
    if motion is not None:
        enabled, *parameters = of_motion
        level = where(enabled, LEVELS[motion.level], FREE)
        if motion.level == "position":
            q = where(enabled, motion.with_parameters(*parameters or ((),)).value(t), q)
    is_locked = lock_level > FREE
    return where(lock_level == POSITION, lock_q, q), where(is_locked, lock_level, level)


def known_u(
    motion: PrescribedEquations | None, t: Scalar, u: Array, lock_level: Scalar, lock_values: Array, *of_motion: Array
) -> tuple[Array, Array]:
    """(u, known u_dot)."""
    zero = np.zeros(len(u))
    u_dot: Array = zero
    if motion is not None:
        enabled, *parameters = of_motion
        motion = motion.with_parameters(*parameters or ((),))
        if motion.level == "position":
            u, u_dot = where(enabled, motion.first_derivative(t), u), where(enabled, motion.second_derivative(t), zero)
        elif motion.level == "velocity":
            u, u_dot = where(enabled, motion.value(t), u), where(enabled, motion.first_derivative(t), zero)
        else:
            u_dot = where(enabled, motion.value(t), zero)
    u = where(lock_level == POSITION, zero, where(lock_level == VELOCITY, lock_values, u))
    return u, where(lock_level > FREE, where(lock_level == ACCELERATION, lock_values, zero), u_dot)
