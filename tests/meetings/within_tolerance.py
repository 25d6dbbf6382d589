"""Pairs of runs that agree within their accuracy.

Two motions may differ by three times as much as those from starts that differ by `ALLOWED` accuracies do, in speeds, and in coordinates
and speeds (a stiff contact multiplies errors of coordinates a thousandfold). A System that multiplies differences of the start multiplies
errors of steps alike, and one whose motion jumps with the start (an impact that is just missed, a
contact that slips or sticks) has no motion that could be compared.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.compilation.source.scales import estimated_scales
from tests.meetings.events import EVENTS
from tests.meetings.mechanism import MODAL, Mechanism, Units
from tests.meetings.runs import ACCURACY, N_POINTS, Rows, exported, of_fmu, quiet, simulated, states_of
from tests.meetings.same_bits import check_error_control, needs_fixed_steps, step_of, velocity_level
from tests.meetings.slots import WITH_EVENTS
from tests.meetings.verdict import AGREEMENT, CHAOTIC, DisagreementError, DoesNotApplyError, Verdict, difference, named

FINE, TIGHT = 1e-10, 1e-8  # accuracy of the run that others are compared with, and of most others
ALLOWED = 100  # accuracies: errors of a run of half a second, relative to 1 + |y|; also the change of speeds at the start
CHAOS = 0.02  # difference from which the motion counts as one that the start does not determine
N_STARTS = 4
OFF_EVENTS = 0.9 * N_POINTS  # intervals of a run: no row is at the time of a handler, which may be before or after it by round-off
STEPS = (1.0, 1 / 4, 1 / 16)  # of the fixed steps of a mechanism: those that are compared


def fine(system: mb.MultibodySystem, state: mb.State, duration: float, n_points: float = N_POINTS, **steps: Any) -> Rows:
    """steps: options of fixed steps, instead of a small accuracy"""
    return simulated(system, state, duration, n_points, **(steps or {"accuracy": FINE}))


def spread(
    system: mb.MultibodySystem,
    state: mb.State,
    duration: float,
    reference: Rows,
    accuracy: float = TIGHT,
    n_points: float = N_POINTS,
    **steps: Any,
) -> float:
    """The largest difference from the reference of motions from other starts; infinite if one ends with an error."""
    rng, found = np.random.default_rng(1), 0.0
    for number in range(N_STARTS):
        moved = state.copy()
        moved.u = _moved(state.u, accuracy, rng)
        if number % 2:
            moved.q = _moved(state.q, accuracy, rng)
            try:
                moved = assembled(system, moved)
            except mb.MobodError:  # coordinates that constraints or motions determine
                moved.q = np.array(state.q)
        rows = fine(system, moved, duration, n_points, **steps)
        if rows.error is not None:
            return np.inf
        found = max(found, difference(reference, rows)[0])
        if len(rows.time) != len(reference.time):
            found = np.inf
    return found


def _moved(values: Any, accuracy: float, rng: np.random.Generator) -> np.ndarray:
    return np.array(values) + ALLOWED * accuracy * (1 + np.abs(values)) * rng.choice([-1.0, 1.0], size=len(values))


def assembled(system: mb.MultibodySystem, state: mb.State) -> mb.State:
    """The State on its constraints."""
    with quiet():
        return mb.Assembler(system, 1e-12).assemble(state) if system.matter.constraints else state


def agree(reference: Rows, other: Rows, what: str, spread_of: Callable[[], float], accuracy: float = TIGHT) -> Verdict:
    """Whether rows of this accuracy are those of the reference."""
    allowed = ALLOWED * accuracy
    if (error := reference.error or other.error) is not None:
        if (reference.error is not None and other.error is not None) or spread_of() > CHAOS:
            return named(error)
        only = "the reference" if reference.error is not None else "the other"
        raise DisagreementError(f"{what}: only {only} ends with {type(error).__name__}: {str(error)[:200]}")
    found, where = difference(reference, other)
    if len(reference.time) != len(other.time) or abs(reference.time[-1] - other.time[-1]) > allowed:
        found, where = np.inf, f"they end at {reference.time[-1]:g} and {other.time[-1]:g} s"
    if found <= allowed:
        return AGREEMENT
    if reference.doubts or other.doubts:
        return Verdict(CHAOTIC, (reference.doubts or other.doubts)[0])
    of_starts = spread_of()
    if of_starts > CHAOS:
        return Verdict(CHAOTIC, f"{found:.2g}; other starts {of_starts:.2g}")
    if found <= allowed + 3 * of_starts:
        return AGREEMENT
    raise DisagreementError(f"{what}: {found:.2g} apart, other starts {of_starts:.2g}: {where}")


def accuracies(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    check_error_control(mechanism)
    system, state = mechanism.build()
    integrator = {"integrator": str(rng.choice(["auto", "auto", "RK23", "RK45", "DOP853", "Rodas5P"]))}
    accuracy = float(rng.choice([1e-4, 1e-6, 1e-8]))
    reference, other = (
        fine(system, state, mechanism.duration),
        simulated(system, state, mechanism.duration, accuracy=accuracy, **integrator),
    )
    what = f"accuracies {FINE:g} and {accuracy:g}, {integrator}"
    return agree(reference, other, what, lambda: spread(system, state, mechanism.duration, reference, accuracy), accuracy)


def fixed_steps(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """Errors fall with the step: a quarter of the step leaves at most 0.6 of the error of a method of first order.

    Steps that are longer than the fastest decay in the System (a smooth friction that sticks) have errors of any size while that force is
    bounded. So a quarter of the shorter step is tried too.
    """
    check_error_control(mechanism)
    integrator = str(rng.choice(["RK4", "SemiImplicitEuler", "velocity_level"]))
    if integrator == "velocity_level" and not WITH_EVENTS.isdisjoint(mechanism.kinds):
        integrator = "RK4"
    system, state = mechanism.build()
    reference = fine(system, state, mechanism.duration)
    errors, of_starts = [], 0.0
    steps = [step_of(mechanism) * each for each in STEPS]
    for step in steps:
        rows = simulated(system, state, mechanism.duration, integrator=integrator, step=step)
        if rows.error is not None:
            return named(rows.error)  # explicit steps that are too long for the System, say
        if reference.error is not None:
            return named(reference.error)
        errors.append(np.inf if len(rows.time) != len(reference.time) else difference(reference, rows)[0])
        if len(errors) == 1:
            continue
        if errors[-1] <= max(0.6 * errors[-2], ALLOWED * ACCURACY):
            return AGREEMENT
        if len(errors) == 2:
            of_starts = spread(system, state, mechanism.duration, reference, ACCURACY)
        if of_starts > CHAOS:
            return Verdict(CHAOTIC, f"errors {errors[0]:.2g}, {errors[1]:.2g}; other starts {of_starts:.2g}")
        if errors[-1] <= ALLOWED * ACCURACY + 3 * of_starts:
            return AGREEMENT
    found = ", ".join(f"{error:.2g} with {1e3 * step:g} ms" for error, step in zip(errors, steps, strict=True))
    raise DisagreementError(f"{integrator}: errors {found}; other starts {of_starts:.2g}")


def exchange(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    check_error_control(mechanism)
    system, state = mechanism.build()
    reference = fine(system, state, mechanism.duration, OFF_EVENTS)
    version = str(rng.choice(["2.0", "3.0"]))
    path, names = exported(system, state, folder, version), states_of(system, state)
    rows = of_fmu(path, names, mechanism.duration, "model-exchange", TIGHT, n_points=OFF_EVENTS)
    of_starts = partial(spread, system, state, mechanism.duration, reference, n_points=OFF_EVENTS)
    return agree(reference, rows, f"model exchange {version}", of_starts)


OTHER_UNITS = {
    "mm-g-s": Units(1e3, 1e3, 1.0),
    "mm-t-s": Units(1e-3, 1e3, 1.0),
    "km-kg-s": Units(1.0, 1e-3, 1.0),
    "m-kg-ms": Units(1.0, 1.0, 1e3),
}


def units(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The same mechanism with its numbers in other units; states are scaled back.

    A scale that nothing in the System determines is 1 of its units, and is given in the others.
    """
    if not mechanism.has_units:
        raise DoesNotApplyError("numbers without units")
    name = str(rng.choice(list(OTHER_UNITS)))
    chosen = OTHER_UNITS[name]
    system, state = mechanism.build()
    steps = steps_of_seed(mechanism, rng)
    n_points = N_POINTS if steps else OFF_EVENTS
    reference = fine(system, state, mechanism.duration, n_points, **steps)
    scaled, its_state = mechanism.build(chosen)
    sources = estimated_scales(system).sources
    sizes = {"length_scale": chosen.m, "time_scale": chosen.s, "mass_scale": chosen.kg}
    given = {each: size for each, size in sizes.items() if sources[each].startswith("1, because")}
    its_steps = {**steps, "step": steps["step"] * chosen.s} if steps else {"accuracy": TIGHT}
    rows = simulated(scaled, its_state, mechanism.duration * chosen.s, n_points, **its_steps, **given)
    if rows.error is None:
        listed = [each for each in system.variables(state) if each.role == "state"]
        factors = [chosen.factor(_unit(each, i)) for each in listed for i in range(each.slot.size)]
        rows = replace(rows, time=rows.time / chosen.s, values=rows.values / np.array(factors))
    of_starts = partial(spread, system, state, mechanism.duration, reference, n_points=n_points, **steps)
    verdict = agree(reference, rows, f"SI, {name} {steps or ''}", of_starts)
    usual = simulated(system, state, mechanism.duration, n_points, **(steps or {"accuracy": TIGHT}))
    if verdict is AGREEMENT and usual.error is None and abs(rows.steps - usual.steps) > 5 + 0.2 * usual.steps:
        raise DisagreementError(f"SI, {name}: {usual.steps} and {rows.steps} steps")
    return verdict


def _unit(variable: Any, entry: int) -> str:
    kind = variable.name.rpartition(".")[2]
    return {"eta": MODAL, "eta_dot": f"{MODAL}/s"}.get(kind) or str(variable.unit(entry))


def order(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The same elements, declared in another order."""
    return of_other(mechanism, mechanism.reordered(rng), "orders of declaration", steps_of_seed(mechanism, rng))


def of_other(mechanism: Mechanism, other: Mechanism, what: str, steps: dict) -> Verdict:
    """Whether a mechanism that has the same states moves alike. steps: see steps_of_seed"""
    system, state = mechanism.build()
    reference = fine(system, state, mechanism.duration, **steps)
    rows = simulated(*other.build(), mechanism.duration, **(steps or {"accuracy": TIGHT}))
    return agree(reference, rows, f"{what} {steps or ''}", lambda: spread(system, state, mechanism.duration, reference, **steps))


def steps_of_seed(mechanism: Mechanism, rng: np.random.Generator) -> dict:
    """Options of fixed steps, which are the same in both runs: where nothing else is possible, and sometimes elsewhere. Else none."""
    if needs_fixed_steps(mechanism) or (rng.random() < 0.2 and WITH_EVENTS.isdisjoint(mechanism.kinds)):
        return {**velocity_level(mechanism), "impacts": str(rng.choice(["simultaneous", "sequential"]))}
    return {}


def reversed_joints(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The same mechanism with another body as the root of its tree."""
    of = {each.number: each for each in mechanism.bodies}
    roots = []
    for each in mechanism.bodies:
        at, path = each, [each.kind]
        while at.parent:
            at = of[at.parent]
            path.append(at.kind)
        if len(path) > 1 and path[-1] == "Free" and "CouplingJoint" not in path and not at.is_reversed:
            roots.append((each.number, at.number))
    if not roots or "Euler angles" in mechanism.kinds or any(each.is_flexible for each in mechanism.bodies):
        raise DoesNotApplyError("no tree on a Free joint")
    if {"GlobalDamper", *EVENTS} & set(mechanism.kinds):
        raise DoesNotApplyError("a speed that is set or damped alone leaves that of the root, which is another body")
    number, root = roots[int(rng.integers(len(roots)))]
    other = mechanism.rerooted(number)
    system, state = mechanism.build()
    reference, rows = fine(system, state, mechanism.duration), simulated(*other.build(), mechanism.duration, accuracy=TIGHT)
    # the free joint moves another body
    left = tuple(name for name in reference.names if not name.startswith(f"joint{root}."))
    columns = [reference.names.index(name) for name in left]
    if reference.error is None:
        reference = replace(reference, names=left, values=reference.values[:, columns])
    return agree(reference, rows, f"root {root}, root {number}", lambda: _spread_of(system, state, mechanism.duration))


def _spread_of(system: Any, state: Any, duration: float) -> float:
    whole = fine(system, state, duration)
    return spread(system, state, duration, whole)


WITHIN_TOLERANCE = {
    "accuracies": accuracies,
    "fixed steps": fixed_steps,
    "exchange": exchange,
    "units": units,
    "order": order,
    "reversed": reversed_joints,
}
