"""modes: natural frequencies, damping ratios and shapes of a System at a State. See System.modes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from mobod.analysis.linear_in_frames import MotionAt, plain_and_vectors
from mobod.analysis.linearization import coordinates_of, linearization
from mobod.analysis.on_constraints import copy_on_constraints
from mobod.analysis.singular_coordinates import check_coordinates
from mobod.analysis.steady_frames import FrameName, steady_frames
from mobod.compilation.source.scales import estimated_scales, y_scales
from mobod.contact.fixed_steps_only import check_derivatives
from mobod.errors import InputError, MobodWarning
from mobod.linear.modes import Modes, damped_modes, undamped_modes
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system

_AT_REST = 1e-6  # rates of speeds and auxiliary variables that count as 0, and speeds, relative to their scales


def modes(system: System, state: State, *, damped: bool = True, coordinates: Sequence[str] = (), frame: FrameName | None = None) -> Modes:
    """Natural frequencies, damping ratios and shapes. See System.modes."""
    checked_system(system, "modes", System)
    check_state(state, system)
    if frame is not None and frame not in get_args(FrameName):
        known = ", ".join(repr(each) for each in get_args(FrameName))
        raise InputError(f"modes: the frame is one of {known} or None, not {frame!r}.")
    if frame is not None and not damped:
        raise InputError("modes: undamped modes belong to a State at rest, where a frame makes no difference. Leave out `frame`.")
    check_derivatives(system, "modes")
    at = copy_on_constraints(system, state, "modes")
    check_coordinates(system, at, "modes")
    chosen, required = plain_and_vectors(system, at, coordinates, "coordinates")
    motion = MotionAt(system, linearization(system, at, [], coordinates_of(system, at), chosen, of_all_rates=True))
    if damped and (motion.turning or frame in ("parent", "body")):
        return _of_motion(motion, frame or "steady", [*required, *(entry.name for entry in chosen)])
    if required:
        raise InputError(f"coordinates: '{required[0]}' belongs to a frame. Give `frame`, or a State in which an orientation turns.")
    return _of_plain_states(motion, damped=damped)


def _of_plain_states(motion: MotionAt, *, damped: bool) -> Modes:
    """By entries of q, u and z."""
    made, at = motion.made, motion.state
    space, n_y, first = made.space, at.layout.n_y, at.layout.y.offset
    states = [entry.offset - first for entry in space.states]
    A, rates = made.M[states], made.rates[states]
    scales = y_scales(motion.system, at)
    _warn_if_accelerated(
        [entry.name for entry in space.states], rates, scales[states] / estimated_scales(motion.system).scales.time, space.n_q
    )
    names = tuple(entry.name for entry in made.outputs)
    q_of_x = made.M[n_y:]
    if damped:
        return damped_modes(A, names, q_of_x)
    if (np.abs(at.u) > _AT_REST * scales[at.layout.n_q : at.layout.n_q + at.layout.n_u]).any():
        raise InputError("modes: undamped modes belong to a State at rest. Use damped=True for a steady motion.")
    q, u = slice(0, space.n_q), slice(space.n_q, space.n_q + space.n_u)
    return undamped_modes(A[u, q] @ A[q, u], names, q_of_x[:, q] @ A[q, u])


def _of_motion(motion: MotionAt, frame: FrameName, required: Sequence[str]) -> Modes:
    """By vectors in a frame, where an orientation turns."""
    found = steady_frames(motion, frame)
    if found.doubt:
        MobodWarning.warn(f"modes: {found.doubt}", stacklevel=4)
    linear = motion.in_frames(found.frames, required)
    of_q = [row for row in motion.rows(found.frames) if row.kind == "q"]
    shapes = np.array([row.values for row in of_q]) @ linear.by_states
    return replace(damped_modes(linear.A, tuple(row.name for row in of_q), shapes), frame=found.title)


def _warn_if_accelerated(names: Sequence[str], rates: np.ndarray, scales: np.ndarray, n_q: int) -> None:
    moving = np.abs(rates) > _AT_REST * scales
    moving[:n_q] = False  # coordinates turn in steady motion
    if moving.any():
        worst = int(np.argmax(np.abs(rates) / scales * moving))
        MobodWarning.warn(
            f"modes: the State is no equilibrium: the rate of '{names[worst]}' is {rates[worst]:.3g} in SI units. Use "
            "find_equilibrium first.",
            stacklevel=5,
        )
