"""Start values by each door, and derivatives against differences."""

from pathlib import Path

import numpy as np

import mobod as mb
from mobod.errors import IntegrationError
from tests.meetings.mechanism import Mechanism
from tests.meetings.runs import ACCURACY, N_POINTS, Rows, exported, of_fmu, quiet, states_of, stepped, times
from tests.meetings.verdict import AGREEMENT, DisagreementError, DoesNotApplyError, Verdict, named, same_bits

MOTION = (".q", ".u", ".eta", ".eta_dot")  # names of coordinates and speeds end so
FACTOR, SHIFT = 1.125, 1e-3  # of speeds, and of coordinates: starts that violate constraints, with quaternions of other lengths


def _moved(system: mb.MultibodySystem, state: mb.State, shift: float) -> dict[str, float]:
    """Start values that differ from those of the State, by the names of its numbers."""
    found = {}
    for each in system.variables(state):
        if each.role == "state" and each.name.endswith(MOTION):
            for name, value in zip(each.entry_names(), np.ravel(system.value(state, each)), strict=True):
                found[name] = float(FACTOR * value) if each.name.endswith((".u", ".eta_dot")) else float(value + shift)
    return found


def doors(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """body.set_u, system.set_value, a start value of an FMU, the same in a network and in an SSP archive: the same bits."""
    if not mechanism.is_recorded:
        raise DoesNotApplyError("elements that are not recorded")
    system, state = mechanism.build()
    shift = float(rng.choice([0.0, SHIFT]))
    given, names, points = _moved(system, state, shift), states_of(system, state), times(mechanism.duration)
    by_bodies, by_names = state.copy(), state.copy()
    for body in system.matter.bodies:
        if body.nu:
            body.set_q(by_bodies, body.q(state) + shift)
            body.set_u(by_bodies, FACTOR * body.u(state))
    for name, value in given.items():
        _set(system, by_names, name, value)
    reference = stepped(system, by_bodies, points)
    verdict = same_bits(reference, stepped(system, by_names, points), "set_u, set_value")
    path = exported(system, state, folder)
    start = {_start_name(name): value for name, value in given.items()}
    try:
        rows = of_fmu(path, names, mechanism.duration, start=start)
    except mb.MobodError as error:
        if reference.error is None:
            raise DisagreementError(f"set_u, start values of an FMU: {error}") from None
        return named(error)
    if reference.error is not None and rows.error is not None:
        return named(reference.error)
    same_bits(reference, rows, "set_u, start values of an FMU", also_steps=False)
    network = mb.Network()
    network.add(path, "it", start)
    network.to_ssp(folder / "it.ssp")
    read = mb.Network.from_ssp(folder / "it.ssp")
    for what, each in (("a network", network), ("an SSP", read)):
        same_bits(reference, _by_master(each, names, mechanism.duration), f"set_u, start values of {what}", also_steps=False)
    return verdict


def _by_master(network: mb.Network, names: list[str], duration: float) -> Rows:
    master = mb.Master(network, step=duration / N_POINTS, tolerance=ACCURACY)
    with quiet():
        table = master.run(until=duration, outputs=[f"it.{name}" for name in names])
    return Rows(tuple(names), table.time, np.stack([table[f"it.{name}"] for name in names], axis=1))


def _start_name(name: str) -> str:
    whole, bracket, index = name.partition("[")
    return f"{whole}_start{bracket}{index}"


def _set(system: mb.MultibodySystem, state: mb.State, name: str, value: float) -> None:
    whole, _, index = name.partition("[")
    present = system.value(state, whole)
    np.ravel(present)  # a copy, in its shape
    changed = np.array(present)
    changed.reshape(-1)[int(index.rstrip("]")) - 1 if index else 0] = value
    system.set_value(state, whole, changed)


def linearized(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """C x of a linear system whose outputs are the accelerations, and their difference between two States that are moved along x."""
    system, state = mechanism.build()
    with quiet():
        system.realize(state, mb.Stage.ACCELERATION)
        rates = [f"der({each.name})" for each in system.variables(state) if each.role == "state" and each.name.endswith(".u")]
        linear = system.linearize(state, outputs=rates)
        if not linear.states or not set(linear.states) <= set(states_of(system, state)):
            raise DoesNotApplyError("coordinates of linear systems that are no states")
        x, ends, h = rng.normal(size=len(linear.states)), [], 1e-5
        # at a kink or a jump the differences on both sides differ
        turning = {f"{body.name}.q" for body in system.matter.bodies if body.equations_in(state).quaternion_at is not None}
        x[[name.partition("[")[0] in turning for name in linear.states]] = 0.0  # their other entries would have to follow
        for sign in (1.0, 0.0, -1.0):
            moved = linear.state.copy()
            for name, each in zip(linear.states, sign * h * x, strict=True):
                _set(system, moved, name, _number(system, moved, name) + each)
            if system.matter.constraints:
                kept = [name for name in linear.states if name.partition("[")[0].endswith(MOTION)]
                moved = mb.Assembler(system, 1e-12).assemble(moved, keep=kept)
            system.realize(moved, mb.Stage.ACCELERATION)
            ends.append(np.concatenate([np.ravel(system.value(moved, name)) for name in rates]))
    expected, found = (ends[0] - ends[2]) / (2 * h), linear.C @ x
    scale = 1 + np.abs(expected).max(initial=0.0) + np.abs(linear.C).max(initial=0.0)
    half = np.abs(ends[0] - 2 * ends[1] + ends[2]) / (2 * h)  # of what the differences on both sides differ
    if half.max(initial=0.0) > 0.005 * scale:
        raise DoesNotApplyError("a kink of a force")
    error = np.abs(found - expected) / scale
    if error.max(initial=0.0) > 1e-4:
        if (error - half / scale).max() < 1e-6:
            raise DoesNotApplyError("a small kink of a force: the derivative is between the differences on both sides")
        worst = int(np.argmax(error))
        raise DisagreementError(f"linearised, differences: {linear.outputs[worst]} changes by {found[worst]:.6g} and {expected[worst]:.6g}")
    return AGREEMENT


def _number(system: mb.MultibodySystem, state: mb.State, name: str) -> float:
    whole, _, index = name.partition("[")
    return float(np.ravel(system.value(state, whole))[int(index.rstrip("]")) - 1 if index else 0])


def tangents(mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    """Sensitivities by tangents of the steps, and differences of whole runs."""
    from tests.unit.analysis.differences import central_difference

    if "event.terminate" in mechanism.kinds:
        raise DoesNotApplyError("a run that ends early")
    system, state = mechanism.build()
    names = [each.name for each in system.variables(state) if each.role == "parameter" and each.type == "real" and each.slot.size == 1]
    names = [name for name in names if name.rpartition(".")[2] in ("magnitude", "stiffness", "damping", "force", "rest_length", "q_zero")]
    if not system.matter.constraints:
        names += [name for name in states_of(system, state) if ".u" in name]
    if not names:
        raise DoesNotApplyError("no parameters")
    name = str(rng.choice(names))
    outputs = [each.name for each in system.variables(state) if each.role == "state"]
    until, every = mechanism.duration, mechanism.duration / 2
    options = {"backend": "interpreted", "max_steps": 2_000, "accuracy": 1e-9}
    with quiet():
        mb.Simulation(system, **options).run(state, until, every)
        try:
            found = mb.sensitivities(mb.Simulation(system, **options), state, [name], outputs, until=until, report_every=every)
        except IntegrationError as error:
            raise DisagreementError(f"only the run with tangents ends with an error: {error}") from None
        if any("less accurate" not in each for each in found.warnings):
            raise DoesNotApplyError(found.warnings[0][:100])
        differences = [
            central_difference(mb.Simulation(system, **(options | {"accuracy": 1e-10})), state, name, outputs, until, every, shift)
            for shift in (1e-4, 1e-5)
        ]
    if np.abs(differences[0] - differences[1]).max() > 1e-3 * (1 + np.abs(differences[1]).max()):
        raise DoesNotApplyError("the differences depend on their size")
    error = np.abs(found.derivatives[:, :, 0] - differences[1]).max() / (1 + np.abs(differences[1]).max())
    # a kink of a force, of which the doubt speaks, costs the derivatives accuracy
    if error > (2e-2 if found.warnings else 5e-3):
        raise DisagreementError(f"tangents by {found.method}, differences: {error:.2g} apart for {name}")
    return AGREEMENT


DOORS = {"doors": doors, "linearised": linearized, "tangents": tangents}
