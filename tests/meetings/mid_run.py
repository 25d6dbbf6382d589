"""What is done in the middle of a run: numbers that are set, results that are read, a run that goes on from a final State."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.errors import MobodError
from mobod.importer.fmu_model import FmuModel
from mobod.system.elements import NO_BOUND
from tests.meetings.mechanism import Mechanism
from tests.meetings.runs import ACCURACY, MAX_STEPS, Rows, exported, quiet, times
from tests.meetings.same_bits import integration_of_seed, only_steps
from tests.meetings.verdict import AGREEMENT, DisagreementError, DoesNotApplyError, Verdict, named
from tests.meetings.within_tolerance import TIGHT, agree, fine, spread

STARTS = (0.0, 0.0, 0.3, -0.2, 40.0)  # s
CHANGED_AT = (2, 3)  # points
NOT_SET = ("enabled", "disabled")


def changed(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """All results of a stepped run and of an FMU that starts at another time, with tunable parameters and inputs that change."""
    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    options = integration_of_seed(mechanism, rng)
    system, state = mechanism.build()
    state.time = float(rng.choice(STARTS))
    results = [each.name for each in system.variables(state) if each.role in ("state", "output", "derivative") and each.type == "real"]
    inputs = [each.name for each in system.variables(state) if each.role == "input" and each.type == "real"]
    path = exported(system, state, folder, outputs=results, inputs=inputs, **options)
    names = [name for each in system.variables(state) if each.name in results for name in each.entry_names()]
    tunable = [
        each.name
        for each in FmuModel(path).with_causality("parameter", "input")
        if (each.variability == "tunable" or each.causality == "input") and each.type == "Real" and not each.name.startswith("numerics.")
    ]
    tunable = [name for name in tunable if _is_known(system, state, name)]
    chosen = [str(each) for each in rng.choice(tunable, size=min(2, len(tunable)), replace=False)] if tunable else []
    factors = rng.uniform(0.9, 1.1, size=len(CHANGED_AT))
    points = state.time + times(mechanism.duration)
    with quiet():
        by_python, error = _steps_in_python(system, state, points, names, chosen, factors, options)
        tolerance = None if options.get("integrator") == "velocity_level" else ACCURACY  # of which Simulation takes none either
        by_fmu, its_error = _steps_of_fmu(path, points, names, chosen, factors, tolerance)
    n = min(len(by_python), len(by_fmu))
    if not np.array_equal(by_python[:n], by_fmu[:n], equal_nan=True):
        row, column = np.argwhere(~((by_python[:n] == by_fmu[:n]) | np.isnan(by_python[:n])))[0]
        a, b = by_python[row, column], by_fmu[row, column]
        raise DisagreementError(
            f"stepped run, FMU: {names[column]} at point {row} from {state.time:g} s is {a!r} and {b!r} {options or ''}, set {chosen}"
        )
    if (error is None) != (its_error is None) and "event.terminate" not in mechanism.kinds:
        raise DisagreementError(f"stepped run, FMU: only one ends with an error: {error or its_error}")
    return AGREEMENT if error is None else named(error)


def _is_known(system: mb.MultibodySystem, state: mb.State, name: str) -> bool:
    """And a number that can be multiplied: not a bound that stands for infinity."""
    whole = name.partition("[")[0]
    found = [each for each in system.variables(state) if each.name == whole]
    return whole.rpartition(".")[2] not in NOT_SET and bool(found) and bool(np.all(np.abs(system.value(state, found[0])) < NO_BOUND / 2))


def _steps_in_python(
    system: mb.MultibodySystem,
    state: mb.State,
    points: np.ndarray,
    names: list[str],
    chosen: list[str],
    factors: np.ndarray,
    options: dict[str, Any],
) -> tuple[np.ndarray, MobodError | None]:
    made = {"accuracy": ACCURACY, "backend": "interpreted"} | ({} if "step" in options else {"max_steps": MAX_STEPS}) | options
    if options.get("integrator") == "velocity_level":
        del made["accuracy"]
    rows: list[np.ndarray] = []
    try:
        with mb.Simulation(system, **made).start(state, report_every=np.inf) as run:
            columns = run.variables(*names)
            for number, (_, after) in enumerate(pairwise(points)):
                if number in CHANGED_AT:
                    for name in chosen:
                        handle = run.variables(name)
                        handle.set(handle.get() * factors[CHANGED_AT.index(number)])
                run.step_to(after)
                if run.terminated_by:
                    break
                rows.append(np.array(columns.get()))
    except MobodError as error:
        return np.reshape(rows, (-1, len(names))), error
    return np.reshape(rows, (-1, len(names))), None


def _steps_of_fmu(
    path: Path, points: np.ndarray, names: list[str], chosen: list[str], factors: np.ndarray, tolerance: float | None
) -> tuple[np.ndarray, MobodError | None]:
    from mobod.cosim import Instance

    rows: list[list[Any]] = []
    try:
        with Instance(FmuFile(path), "it") as instance:
            instance.set_up(float(points[0]), None, tolerance)
            instance.enter_initialization()
            instance.exit_initialization()
            for number, (time, after) in enumerate(pairwise(points)):
                if number in CHANGED_AT:
                    factor = factors[CHANGED_AT.index(number)]
                    instance.set({name: float(instance.get(name)) * factor for name in chosen})
                instance.step(time, after - time)
                rows.append([instance.get(name) for name in names])
    except MobodError as error:
        return np.reshape(np.array(rows, dtype=float), (-1, len(names))), error
    return np.reshape(np.array(rows, dtype=float), (-1, len(names))), None


def two_runs(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """A run, and two runs of which the second goes on from the final State of the first."""
    if {"PeriodicEventHandler", "SampleAndHold"} & set(mechanism.kinds):
        raise DoesNotApplyError("periods that begin with a run")
    system, state = mechanism.build()
    duration, steps = mechanism.duration, only_steps(mechanism)
    reference = fine(system, state, duration, **steps)
    middle = float(rng.uniform(0.2, 0.8)) * duration
    if steps:
        middle = steps["step"] * round(middle / steps["step"])
    if reference.error is not None:
        return named(reference.error)
    with quiet():
        options: dict[str, Any] = {"backend": "interpreted", **(steps or {"accuracy": TIGHT, "max_steps": MAX_STEPS})}
        first = mb.Simulation(system, **options).run(state, middle)
        if first.terminated_by:
            raise DoesNotApplyError("it ends before the middle")
        second = mb.Simulation(system, **options).run(first.final_state, duration)
    values = np.array([[second[name][-1] for name in reference.names]])
    last = Rows(reference.names, reference.time[-1:], reference.values[-1:])
    other = Rows(reference.names, second.time[-1:], values, second.steps)
    return agree(last, other, "one run, two runs", lambda: spread(system, state, duration, reference, **steps))


def ensemble_steps(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """Runs of an ensemble that are advanced step by step, and stepped runs of each."""
    system, state = mechanism.build()
    states = [state]
    for _ in range(3):
        states.append(state.copy())
        states[-1].u = np.array(state.u) * rng.uniform(0.9, 1.1)
    options = integration_of_seed(mechanism, rng, may_be_bounded=False)
    made = {"accuracy": ACCURACY, "backend": "interpreted"} | ({} if "step" in options else {"max_steps": MAX_STEPS}) | options
    if options.get("integrator") == "velocity_level":
        del made["accuracy"]
    duration = mechanism.duration / 5
    names = [each.name for each in system.variables(state) if each.role == "state"]
    verdict = AGREEMENT
    with quiet():
        runs = [mb.Simulation(system, **made).start(each, report_every=np.inf) for each in states]
        ensemble = mb.Ensemble(system, states, threads=1, outputs=names, **made)
        left = dict(enumerate(runs))
        for step in range(5):
            ensemble.step(duration)
            failed, seen = dict(ensemble.failed), ensemble.observations
            for number, run in list(left.items()):
                try:
                    run.step(duration)
                except MobodError as alone:
                    if failed.get(number) is None:
                        raise DisagreementError(f"ensemble: run {number} fails only alone, in step {step}: {alone}") from None
                    verdict = named(alone)
                    del left[number]
                    continue
                if number in failed:
                    raise DisagreementError(f"ensemble: run {number} fails, but not alone, in step {step}: {failed[number]}")
                wanted = np.concatenate([np.ravel(run[name]) for name in names])
                if seen[number].tobytes() != wanted.tobytes():
                    raise DisagreementError(f"ensemble: run {number} has other states than alone after step {step} {options or ''}")
                if run.terminated_by:
                    del left[number]
    return verdict


MID_RUN = {"changed": changed, "two runs": two_runs, "ensemble steps": ensemble_steps}
