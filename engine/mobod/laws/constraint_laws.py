"""Laws of a constraint's equations: rates are derivatives of errors, forces are the transpose of these."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from mobod.laws.comparison import differ, factor, shown
from mobod.laws.differences import estimated_difference
from mobod.matter import Constraint, ConstraintEquations, MobilizerEquations
from mobod.matter.equations.constraint_equations import RelativeMotion
from mobod.scalar import Array
from mobod.spatial import Transform
from mobod.system import State


def constraint_laws(constraint: Constraint, state: State, rng: np.random.Generator) -> Iterator[str]:
    """Messages about inconsistencies at a State that is realized to VELOCITY."""
    equations = _with_parameters_of(state, constraint)
    mobilizers = tuple(body.equations_in(state) for body in constraint.mobilizers)
    motion = _motion(constraint, state)
    name = type(equations).__name__
    if equations.n_position and equations.gives_position_rates:
        derivative, uncertainty = estimated_difference(lambda h: _errors(equations.position_errors(_moved(motion, mobilizers, h))))
        given = _errors(equations.position_rates(motion))
        if differ(given, derivative, uncertainty=uncertainty):
            multiple = factor(given, derivative)
            by = "" if multiple is None else f" (here {multiple:.6g} times it)"
            yield (
                f"position_rates of {name} are not the derivative of position_errors{by}: {shown(given, derivative)}. Accelerations and "
                "forces follow position_rates, and a projection goes astray. Leave position_rates out: the derivative is made by itself."
            )
    yield from _linear_in_accelerations(equations, motion, rng)
    yield from _forces_are_the_transpose(equations, mobilizers, motion, rng)


def _linear_in_accelerations(equations: ConstraintEquations, motion: RelativeMotion, rng: np.random.Generator) -> Iterator[str]:
    if not equations.n_acceleration:
        return
    one, other = _random_accelerations(motion, rng), _random_accelerations(motion, rng)
    both = replace(motion, A=_sum(one.A, other.A), u_dot=_sum(one.u_dot, other.u_dot))
    none = replace(motion, A=_sum(one.A, one.A, -1), u_dot=_sum(one.u_dot, one.u_dot, -1))
    of_both, of_each = (
        _errors(equations.acceleration_errors(both)),
        sum(_errors(equations.acceleration_errors(each)) for each in (one, other)) - _errors(equations.acceleration_errors(none)),
    )
    if differ(of_both, of_each):
        yield (
            f"acceleration_errors of {type(equations).__name__} are not linear in A and u_dot: those of a sum are not the sum, "
            f"{shown(of_both, of_each)}. Multipliers cannot satisfy them."
        )


def _forces_are_the_transpose(
    equations: ConstraintEquations, mobilizers: tuple[MobilizerEquations, ...], motion: RelativeMotion, rng: np.random.Generator
) -> Iterator[str]:
    multipliers = rng.normal(size=equations.n)
    given = equations.constraint_forces(motion, multipliers)
    if given is None:
        return
    on_bodies, on_mobilizers = given
    counts = (len(motion.X), len(motion.q))
    if (len(on_bodies), len(on_mobilizers)) != counts:
        yield (
            f"constraint_forces of {type(equations).__name__} gives forces on {len(on_bodies)} bodies and {len(on_mobilizers)} mobilizers; "
            f"there are {counts[0]} and {counts[1]}."
        )
        return
    V, u = tuple(rng.normal(size=6) for _ in motion.X), tuple(rng.normal(size=np.shape(each)) for each in motion.u)
    rates, uncertainty = _rates_along(equations, mobilizers, motion, V, u)
    power = sum(float(F @ v) for F, v in zip(on_bodies, V, strict=True)) + sum(float(f @ v) for f, v in zip(on_mobilizers, u, strict=True))
    expected = float(multipliers @ rates)
    if differ(power, expected, uncertainty=uncertainty * float(np.abs(multipliers).sum())):
        multiple = factor([power], [expected])
        opposite = " They have the wrong sign." if multiple is not None and abs(multiple + 1) < 1e-6 else ""
        yield (
            f"constraint_forces of {type(equations).__name__} are not the transpose of the errors' derivative: at velocities V their power "
            f"is {power:.6g} W, and the multipliers times the rates of the errors are {expected:.6g} W.{opposite} Leave constraint_forces "
            "out: the engine takes the transpose in every case."
        )


def _rates_along(
    equations: ConstraintEquations,
    mobilizers: tuple[MobilizerEquations, ...],
    motion: RelativeMotion,
    V: tuple[Array, ...],
    u: tuple[Array, ...],
) -> tuple[Array, float]:
    """(n,) G times the velocities, and its uncertainty."""
    still = replace(motion, V=tuple(0 * v for v in V), u=tuple(0 * v for v in u))
    along = replace(motion, V=V, u=u)
    parts: list[tuple[np.ndarray, float]] = []
    if equations.gives_position_rates:
        parts.append((_errors(equations.position_rates(along)) - _errors(equations.position_rates(still)), 0.0))
    elif equations.n_position:
        parts.append(estimated_difference(lambda h: _errors(equations.position_errors(replace(_moved(along, mobilizers, h), t=motion.t)))))
    if equations.n_velocity:

        def velocity(h: float) -> np.ndarray:
            faster = replace(motion, V=_sum(motion.V, V, h), u=_sum(motion.u, u, h))
            return _errors(equations.velocity_errors(faster))

        parts.append(estimated_difference(velocity))
    if equations.n_acceleration:
        errors = [_errors(equations.acceleration_errors(replace(motion, A=each.V, u_dot=each.u))) for each in (along, still)]
        parts.append((errors[0] - errors[1], 0.0))
    return np.concatenate([rates for rates, _ in parts]), sum(uncertainty for _, uncertainty in parts)


def _with_parameters_of(state: State, constraint: Constraint) -> ConstraintEquations:
    slot = constraint.matter.constraint_sweeps(state.layout).part(constraint, "constraint_parameters")
    return constraint.equations.with_parameters(state.view(slot))


def _motion(constraint: Constraint, state: State) -> RelativeMotion:
    base = constraint.base
    return RelativeMotion(
        t=state.time,
        X=tuple(base.X_GB(state).inverse() @ each.X_GB(state) for each in constraint.followers),
        V=tuple(np.array(each.V_AB(state, base)) for each in constraint.followers),
        q=tuple(np.array(each.q(state)) for each in constraint.mobilizers),
        u=tuple(np.array(each.u(state)) for each in constraint.mobilizers),
    )


def _moved(motion: RelativeMotion, mobilizers: tuple[MobilizerEquations, ...], h: float) -> RelativeMotion:
    """The motion a time h later, at constant speeds."""
    turned = (Rotation.from_rotvec(h * V[:3]).as_matrix() @ X.R for X, V in zip(motion.X, motion.V, strict=True))
    X = tuple(Transform.of(R, X.p + h * V[3:]) for R, X, V in zip(turned, motion.X, motion.V, strict=True))
    q_dot = (np.asarray(each.q_dot(q, u)) for each, q, u in zip(mobilizers, motion.q, motion.u, strict=True))
    return replace(motion, t=motion.t + h, X=X, q=tuple(q + h * rate for q, rate in zip(motion.q, q_dot, strict=True)))


def _random_accelerations(motion: RelativeMotion, rng: np.random.Generator) -> RelativeMotion:
    return replace(motion, A=tuple(rng.normal(size=6) for _ in motion.X), u_dot=tuple(rng.normal(size=np.shape(u)) for u in motion.u))


def _sum(one: tuple[Array, ...], other: tuple[Array, ...], weight: float = 1.0) -> tuple[Array, ...]:
    return tuple(a + weight * b for a, b in zip(one, other, strict=True))


def _errors(value: ArrayLike | None) -> np.ndarray:
    return np.atleast_1d(np.asarray(value, dtype=float))
