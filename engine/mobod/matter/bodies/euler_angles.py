"""Rotations by body-fixed x-y-z angles instead of quaternions for a whole System: conversion of coordinates."""

from typing import Protocol

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.system import Stage, State, System, check_state


class RotationOwner(Protocol):
    """The interface of a MatterSubsystem for the conversion of its bodies' rotations."""

    index: int

    @property
    def system(self) -> System: ...

    @property
    def bodies(self) -> list[MobilizedBody]: ...

    def uses_euler_angles(self, state: State) -> bool: ...

    def set_uses_euler_angles(self, state: State, uses_euler_angles: bool) -> None: ...


def default_q(body: MobilizedBody, *, in_euler_angles: bool) -> np.ndarray:
    """Coordinates in a new State, with angles or quaternions."""
    forward = body.equations
    return _q_of(forward.in_euler_angles() if in_euler_angles else forward, forward, body.default_q)


def converted(matter: RotationOwner, state: State, *, to_euler_angles: bool) -> State:
    """A State with the same motion and the other kind of coordinates, realized to MODEL; a copy if it already has this kind."""
    check_state(state, matter.system)
    result = state.copy()
    if matter.uses_euler_angles(state) == to_euler_angles:
        return result
    matter.set_uses_euler_angles(result, to_euler_angles)
    matter.system.realize_model(result)
    result.time, result.u, result.z = state.time, state.u, state.z
    for subsystem in matter.system.subsystems:
        if subsystem.index != matter.index:
            q = state.view(state.layout.part("q", subsystem.index))
            result.write(result.layout.part("q", subsystem.index), q, "q", Stage.POSITION)
    for body in matter.bodies:
        body.set_q(result, _q_of(body.equations_in(result), body.equations_in(state), body.q(state)))
    return result


def _q_of(wanted: MobilizerEquations, given: MobilizerEquations, q: np.ndarray) -> np.ndarray:
    """Coordinates of the wanted kind for the same pose."""
    return q if wanted.structure == given.structure else wanted.near(given.X_FM(q), np.array(wanted.default_q))
