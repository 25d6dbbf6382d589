"""linearize: the matrices A, B, C and D of a System at a State. See System.linearize."""

from collections.abc import Sequence
from typing import get_args

import numpy as np

from mobod.analysis.linear_in_frames import MotionAt, named_rows, plain_and_vectors
from mobod.analysis.linearization import coordinates_of, linearization
from mobod.analysis.named_numbers import named_numbers, sources
from mobod.analysis.on_constraints import copy_on_constraints
from mobod.analysis.singular_coordinates import check_coordinates
from mobod.analysis.steady_frames import FrameName, steady_frames
from mobod.analysis.vector_deviations import BODY, PARENT, DeviationRow
from mobod.contact.fixed_steps_only import check_derivatives
from mobod.errors import InputError, MobodWarning
from mobod.linear.linear_system import LinearSystem
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system
from mobod.system.named_numbers import NamedNumber


def linearize(
    system: System,
    state: State,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    coordinates: Sequence[str] = (),
    frame: FrameName | None = None,
) -> LinearSystem:
    """The matrices A, B, C and D. See System.linearize."""
    checked_system(system, "linearize", System)
    check_state(state, system)
    if frame is not None and frame not in get_args(FrameName):
        known = ", ".join(repr(each) for each in get_args(FrameName))
        raise InputError(f"linearize: the frame is one of {known} or None, not {frame!r}.")
    check_derivatives(system, "linearize")
    at = copy_on_constraints(system, state, "linearize")
    check_coordinates(system, at, "linearize")
    of_inputs = _inputs(system, at, inputs)
    if frame is not None:
        return _in_frame(system, at, of_inputs, outputs, coordinates, frame)
    of_outputs = coordinates_of(system, at) if outputs is None else named_numbers(system, at, outputs, "outputs")
    made = linearization(system, at, of_inputs, of_outputs, named_numbers(system, at, coordinates, "coordinates"))
    n = len(made.space.states)
    return LinearSystem(
        A=made.M[:n, :n],
        B=made.M[:n, n:],
        C=made.M[n:, :n],
        D=made.M[n:, n:],
        states=tuple(entry.name for entry in made.space.states),
        inputs=tuple(entry.name for entry in of_inputs),
        outputs=tuple(entry.name for entry in of_outputs),
        state_units=tuple(entry.unit for entry in made.space.states),
        input_units=tuple(entry.unit for entry in of_inputs),
        output_units=tuple(entry.unit for entry in of_outputs),
        rates=made.rates,
        state=at,
        turning=tuple(MotionAt(system, made).turning_coordinates()),
    )


def _inputs(system: System, state: State, names: Sequence[str] | None) -> list[NamedNumber]:
    """The named inputs and parameters; default: all inputs."""
    if names is None:
        names = [each.name for each in system.variables(state) if each.role == "input" and each.type == "real"]
    return sources(system, state, names, "inputs")


def _in_frame(
    system: System,
    at: State,
    inputs: list[NamedNumber],
    outputs: Sequence[str] | None,
    coordinates: Sequence[str],
    frame: FrameName,
) -> LinearSystem:
    """The linear system of deviations from the motion."""
    chosen, required = plain_and_vectors(system, at, coordinates, "coordinates")
    of_outputs, _ = plain_and_vectors(system, at, outputs or (), "outputs")
    motion = MotionAt(system, linearization(system, at, inputs, of_outputs, chosen, of_all_rates=True))
    if frame == "steady":
        found = steady_frames(motion, frame)
        frames, title = found.frames, found.title
        if found.doubt:
            MobodWarning.warn(f"linearize: {found.doubt}", stacklevel=4)
    else:
        of_all = BODY if frame == "body" else PARENT
        frames, title = dict.fromkeys(motion.parts, of_all), of_all.title
    linear = motion.in_frames(frames, [*required, *(entry.name for entry in chosen)])
    rows = motion.rows(frames)
    shown: list[NamedNumber | DeviationRow] = []
    if outputs is None:
        shown += [row for row in rows if row.kind == "q"]
    for name in outputs or ():
        numbers, vectors = plain_and_vectors(system, at, [name], "outputs")
        shown += numbers or named_rows(rows, vectors, "outputs")
    plain = iter(zip(linear.C, linear.D, strict=True))
    C_and_D = [
        (row.values @ linear.by_states, row.values @ linear.by_inputs) if isinstance(row, DeviationRow) else next(plain) for row in shown
    ]
    n_x, n_u = len(linear.A), len(inputs)
    return LinearSystem(
        A=linear.A,
        B=linear.B,
        C=np.array([C for C, _ in C_and_D]).reshape(len(shown), n_x),
        D=np.array([D for _, D in C_and_D]).reshape(len(shown), n_u),
        states=tuple(row.name for row in linear.rows),
        inputs=tuple(entry.name for entry in inputs),
        outputs=tuple(each.name for each in shown),
        state_units=tuple(row.unit for row in linear.rows),
        input_units=tuple(entry.unit for entry in inputs),
        output_units=tuple(each.unit for each in shown),
        rates=np.zeros(n_x),
        state=at,
        frame=title,
    )
