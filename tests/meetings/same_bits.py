"""Pairs of runs that have the same bits."""

import copy
from pathlib import Path

import numpy as np

import mobod as mb
from mobod.errors import MobodError
from tests.meetings.mechanism import Mechanism
from tests.meetings.runs import ACCURACY, N_POINTS, Rows, exported, of_fmu, quiet, simulated, states_of, stepped, times
from tests.meetings.slots import IN_FIXED_STEPS, WITH_EVENTS
from tests.meetings.verdict import AGREEMENT, DisagreementError, DoesNotApplyError, Verdict, named, same_bits

UNBOUNDED = {"Delay", "RigidJointFriction with load", "OwnFollower"}  # of which steps are not bounded, or which may follow one
STEP = 2e-3  # s, of fixed steps
FAST = {"flexible body", "segmented_beam"}  # have modes of 1000 to 2000 rad/s, at which explicit steps of 2 ms diverge


def integration_of_seed(mechanism: Mechanism, rng: np.random.Generator, *, may_be_bounded: bool = True) -> dict:
    """Options of the integration: variable steps mostly, fixed steps of a kind else, some of bounded work. Some resolve impacts in turn."""
    options = _integration(mechanism, rng)
    if rng.random() < 0.2:
        options["impacts"] = "sequential"
    if may_be_bounded and "step" in options and rng.random() < 0.3 and not UNBOUNDED & set(mechanism.kinds):
        options["bounded"] = True
    return options


def _integration(mechanism: Mechanism, rng: np.random.Generator) -> dict:
    """Of the steps. Contacts with slots touch at velocity level only."""
    choice = rng.random()
    if needs_fixed_steps(mechanism) and choice < 0.9:
        return velocity_level(mechanism)
    if choice < 0.6:
        return {}
    if choice < 0.75:
        has_events = not WITH_EVENTS.isdisjoint(mechanism.kinds)
        return {} if has_events else velocity_level(mechanism)
    if choice < 0.85:
        return {"integrator": "RK4", "step": step_of(mechanism)}
    return {"integrator": str(rng.choice(["RK23", "DOP853", "Rodas5P"]))}


def step_of(mechanism: Mechanism) -> float:
    """s, of fixed steps."""
    return STEP if FAST.isdisjoint(mechanism.kinds) else STEP / 4


def velocity_level(mechanism: Mechanism) -> dict:
    """Options of fixed steps with impulses."""
    return {"integrator": "velocity_level", "step": step_of(mechanism)}


def needs_fixed_steps(mechanism: Mechanism) -> bool:
    """Whether it touches at velocity level alone."""
    return not IN_FIXED_STEPS.isdisjoint(mechanism.kinds)


def check_error_control(mechanism: Mechanism) -> None:
    """Raises DoesNotApplyError for a mechanism that a pair of runs with error control cannot run."""
    if needs_fixed_steps(mechanism):
        raise DoesNotApplyError("shapes that touch in fixed steps only")


def only_steps(mechanism: Mechanism) -> dict:
    """Options of the integration: fixed steps where nothing else is possible."""
    return velocity_level(mechanism) if needs_fixed_steps(mechanism) else {}


def compiled(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    system, state = mechanism.build()
    options = integration_of_seed(mechanism, rng)
    one = simulated(system, state, mechanism.duration, **options)
    other = simulated(system, state, mechanism.duration, backend="compiled", **options)
    return same_bits(one, other, f"interpreted, compiled {options or ''}")


def run_and_steps(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """Simulation.run, and a SteppedRun that is advanced once; its end."""
    system, state = mechanism.build()
    options = integration_of_seed(mechanism, rng)
    one = stepped(system, state, np.array([0, mechanism.duration]), **options)
    other = simulated(system, state, mechanism.duration, **options)
    if one.error is None and other.error is None:
        one, other = (Rows(each.names, each.time[-1:], each.values[-1:], each.steps) for each in (one, other))
    return same_bits(one, other, f"stepped run, run {options or ''}")


def lanes(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    system, state = mechanism.build()
    states = [state]
    for _ in range(4):
        states.append(state.copy())
        states[-1].u = np.array(state.u) * rng.uniform(0.9, 1.1)  # constraints that are linear in speeds stay satisfied
    options = integration_of_seed(mechanism, rng, may_be_bounded=False)
    made = {"accuracy": ACCURACY, "backend": "interpreted"} | ({} if "step" in options else {"max_steps": 20_000}) | options
    if options.get("integrator") == "velocity_level":
        del made["accuracy"]
    with quiet():
        results = mb.Ensemble(system, states, threads=1, **made).run(mechanism.duration, mechanism.duration / N_POINTS)
        failed, simulation = dict(results.failed), mb.Simulation(system, **made)
        verdict = AGREEMENT
        for number, each in enumerate(states):
            try:
                alone = simulation.run(each, mechanism.duration, mechanism.duration / N_POINTS)
            except MobodError as error:
                if failed.pop(number, None) != f"run {number}: {error}":
                    raise DisagreementError(f"run {number} of an ensemble: only alone it ends with {error}") from None
                verdict = named(error)
                continue
            if number in failed:
                raise DisagreementError(f"run {number}: only in the ensemble it ends with {failed[number]}")
            final = results.final_states[number]
            if final.y.tobytes() != alone.final_state.y.tobytes() or not final == alone.final_state:
                raise DisagreementError(f"run {number} of an ensemble: another final State than alone {options or ''}")
            if results.steps[number] != alone.steps:
                raise DisagreementError(f"run {number} of an ensemble: {results.steps[number]} steps, alone {alone.steps}")
    return verdict


def saved(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """A SteppedRun that is saved, goes on and is restored."""
    system, state = mechanism.build()
    options = integration_of_seed(mechanism, rng)
    points = times(mechanism.duration)
    one = stepped(system, state, points, **options)
    other = stepped(system, state, points, save_at=int(rng.integers(1, N_POINTS)), **options)
    return same_bits(one, other, f"uninterrupted, restored {options or ''}", also_steps=False)


def _fmu(mechanism: Mechanism, rng: np.random.Generator, folder: Path, version: str) -> Verdict:
    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    system, state = mechanism.build()
    options = integration_of_seed(mechanism, rng)
    one = stepped(system, state, times(mechanism.duration), **options)
    path = exported(system, state, folder, version, **options)
    other = of_fmu(path, states_of(system, state), mechanism.duration)
    if one.error is None and "step" not in options:
        return same_bits(one, other, f"stepped run, FMU {version} {options or ''}", also_steps=False)
    if one.error is not None and other.error is not None:
        return named(one.error)
    return same_bits(one, other, f"stepped run, FMU {version} {options or ''}", also_steps=False)


def fmu_2(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    return _fmu(mechanism, rng, folder, "2.0")


def fmu_3(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    return _fmu(mechanism, rng, folder, "3.0")


def restored_fmu(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """An FMU of FMI 2.0 from a saved state, and from the bytes of one in another instance."""
    from mobod.cosim.fmu_file import FmuFile
    from tests.fmu.stepped import walked_thrice

    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    if "event.terminate" in mechanism.kinds:
        raise DoesNotApplyError("it ends within the steps that are compared")
    system, state = mechanism.build()
    path = exported(system, state, folder, **integration_of_seed(mechanism, rng))
    try:
        first, again, elsewhere = walked_thrice(FmuFile(path), times(mechanism.duration), 2, states_of(system, state))
    except MobodError as error:
        return named(error)
    for what, rows in (("restored", again), ("from bytes in another instance", elsewhere)):
        if first.tobytes() != rows.tobytes():
            raise DisagreementError(f"FMU {what}: {np.abs(first - rows).max():.3g} from the uninterrupted run")
    return AGREEMENT


def model_file(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The System as a model file, read again."""
    from mobod.errors import UnsupportedError
    from mobod.files.model.model import load_model, save_model

    system, state = mechanism.build()
    try:
        save_model(system, folder / "it.json")
    except UnsupportedError as error:
        raise DoesNotApplyError(str(error)) from None
    read = load_model(folder / "it.json", allow_imports=True)
    again = read.realize_topology()
    for each in system.variables(state):
        if each.role == "state":
            read.set_value(again, each.name, system.value(state, each))
    for body in system.matter.bodies:
        if body.is_locked(state):
            read.matter.body(body.name).lock_at(again, body.lock_value(state), body.lock_level(state))
    options = only_steps(mechanism)
    one = simulated(system, state, mechanism.duration, **options)
    other = simulated(read, again, mechanism.duration, **options)
    return same_bits(one, other, "System, model file")


def copied(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """A deep copy of the System and its State, and a State from its bytes."""
    system, state = mechanism.build()
    other_system, other_state = copy.deepcopy((system, state))
    options = only_steps(mechanism)
    one = simulated(system, state, mechanism.duration, **options)
    return same_bits(one, simulated(other_system, other_state, mechanism.duration, **options), "System, deep copy")


def page(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """The runtime of pages, WebAssembly."""
    from mobod.viewer.live_model import live_model
    from tests.view.live_runtime import FAILED, LiveRun

    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    system, state = mechanism.build()
    options = integration_of_seed(mechanism, rng, may_be_bounded=False)
    points = times(mechanism.duration)
    one = stepped(system, state, points, **options)
    made = {"accuracy": ACCURACY, "backend": "interpreted"} | options
    if options.get("integrator") == "velocity_level":
        del made["accuracy"]
    with quiet():
        try:
            live = LiveRun(*live_model(system, state, mb.Simulation(system, **made), ()))
        except MobodError as error:
            if one.error is not None:
                return named(one.error)
            if "page" in str(error):
                raise DoesNotApplyError(str(error)) from None
            raise
    if not live.is_open:
        if one.error is not None:
            return named(one.error)
        raise DisagreementError(f"page: {live.message()}")
    for number, point in enumerate(points[1:], 1):
        result = live.step_to(float(point))
        if result == FAILED:
            if one.error is None:
                raise DisagreementError(f"only the page fails: {live.message()}")
            return named(one.error)
        if one.error is None:
            numbers = live.numbers()
            found = np.array([numbers[live.entry(name)["at"]] for name in one.names])
            if number >= len(one.time) or live("live_time") != one.time[number] or found.tobytes() != one.values[number].tobytes():
                raise DisagreementError(f"page: another state at {point:g} s {options or ''}")
            if number == len(one.time) - 1:
                return AGREEMENT
    if one.error is not None:
        raise DisagreementError(f"only the stepped run fails: {one.error}")
    return AGREEMENT


def bounded(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """Fixed steps, and those of bounded work that exceed no bound."""
    if UNBOUNDED & set(mechanism.kinds):
        raise DoesNotApplyError("its steps have no bounds")
    system, state = mechanism.build()
    integrators = ["RK4", "RK3", "SemiImplicitEuler"] if not needs_fixed_steps(mechanism) else []
    if WITH_EVENTS.isdisjoint(mechanism.kinds):
        integrators.append("velocity_level")
    options = {"integrator": str(rng.choice(integrators)), "step": step_of(mechanism)}
    points = times(mechanism.duration)
    one, other = stepped(system, state, points, **options), stepped(system, state, points, bounded=True, **options)
    if other.doubts:
        raise DoesNotApplyError(other.doubts[0])
    return same_bits(one, other, f"unbounded, bounded {options}")


SAME_BITS = {
    "compiled": compiled,
    "run and steps": run_and_steps,
    "lanes": lanes,
    "saved": saved,
    "CS 2.0": fmu_2,
    "CS 3.0": fmu_3,
    "saved FMU": restored_fmu,
    "model file": model_file,
    "copied": copied,
    "page": page,
    "bounded": bounded,
}
