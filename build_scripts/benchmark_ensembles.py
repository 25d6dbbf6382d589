"""Throughput of ensembles: runs side by side in vectors, against the same runs one after another, two threads, and MuJoCo's rollout.

    python build_scripts/benchmark_ensembles.py [--short] [--only NAME]

All times are of processor time on one thread, if not said otherwise. The batches of a measurement and of its peers alternate, and the
shortest batch counts. Runs one after another are those of MOBOD_SIMD=none: the same C, on doubles. MuJoCo is omitted if it is not
installed; `python -m pip install -e ".[bench]"` installs it.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from benchmark_mechanisms import humanoid, in_mobod, pins
from benchmark_peers import MuJoCo

import mobod as mb
from mobod.runtime.simd import VARIABLE, available_simd

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ACCURACY, STEP = 1e-6, 0.005


@dataclass(frozen=True)
class Case:
    """n  runs; until: s"""

    system: mb.System
    states: list[mb.State]
    until: float


def _perturbed(state: mb.State, n: int, size: float) -> list[mb.State]:
    """The State with other speeds."""
    rng, states = np.random.default_rng(5), []
    for _ in range(n):
        each = state.copy()
        each.u = state.u + rng.uniform(-size, size, len(state.u))
        states.append(each)
    return states


def double_pendulum(*, stops: bool = False) -> mb.MultibodySystem:
    """Two point masses on rods; with stops, the lower rod bounces off two limits."""
    system = mb.MultibodySystem("double pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    upper = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="upper")
    lower = mb.Pin(upper, mb.MassProperties.point(mass=0.5, p=[0, -0.8, 0]), X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    if stops:
        lower.set_limits(-1.0, 1.2, restitution=0.6)
    return system


def four_bar() -> tuple[mb.MultibodySystem, mb.State]:
    """A crank, a coupler and a rocker. A ball closes the planar loop, so that one of its three rows depends on the others."""
    system = mb.MultibodySystem("four-bar")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)

    def bar(length: float) -> mb.MassProperties:
        inertia = mb.Inertia.box(mass=length, size=[length, 0.1, 0.1]).shifted([length / 2, 0, 0])
        return mb.MassProperties(length, [length / 2, 0, 0], inertia)

    crank = mb.Pin(matter.ground, bar(1.0), name="crank")
    coupler = mb.Pin(crank, bar(1.7), X_PF=mb.Transform(p=[1.0, 0, 0]), name="coupler")
    rocker = mb.Pin(matter.ground, bar(1.3), X_PF=mb.Transform(p=[1.9, 0, 0]), name="rocker")
    mb.BallConstraint(coupler, [1.7, 0, 0], rocker, [1.3, 0, 0], name="joint")
    state = system.realize_topology()
    for body, angle in ((crank, 1.2), (coupler, -0.9), (rocker, 1.5)):
        body.set_q(state, angle)
    return system, mb.Assembler(system).assemble(state)


def arm(*, limits: bool) -> mb.MultibodySystem:
    """examples/arm.urdf, which falls onto its limits."""
    text = (EXAMPLES / "arm.urdf").read_text()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arm.urdf"
        file.write_text(text if limits else re.sub('lower="[^"]*" upper="[^"]*"', "", text.replace("revolute", "continuous")))
        return mb.load_urdf(file)


def cases(*, is_short: bool) -> Iterator[tuple[str, Case]]:
    """By name."""
    many = 8 if is_short else 1000

    def case(system: mb.System, state: mb.State | None, n: int, until: float, size: float = 0.5) -> Case:
        return Case(system, _perturbed(system.realize_topology() if state is None else state, n, size), 0.1 if is_short else until)

    yield "double pendulums", case(double_pendulum(), None, many, 4.0, 2.0)
    for n in (7, 30):
        system, state = in_mobod(pins(n, is_general=True))
        yield f"chains of {n} pins", case(system, state, many, 20.0 / n)
    system, state = in_mobod(humanoid())
    yield "humanoids (33 degrees of freedom)", case(system, state, many, 1.0)
    yield "arms without limits", case(arm(limits=False), None, many, 1.0)
    yield "double pendulums with stops", case(double_pendulum(stops=True), None, many, 4.0, 2.0)
    yield "arms with limits", case(arm(limits=True), None, many, 2.0)
    system, state = four_bar()
    yield "four-bars", Case(system, [state] * many, 0.1 if is_short else 4.0)


@contextmanager
def _simd(name: str) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _run(case: Case, simd: str, threads: int = 1, **options: Any) -> Callable[[], mb.EnsembleResults]:
    """A function that makes all runs. Everything is compiled already."""
    with _simd(simd):
        ensemble = mb.Ensemble(case.system, case.states, threads=threads, **{"accuracy": ACCURACY, **options})
        start = case.states[0].time
        ensemble.run(until=start + 0.01 * case.until)
    return lambda: ensemble.run(until=start + case.until)


def _shortest(calls: Mapping[str, Callable[[], Any]], batches: int, clock: Callable[[], float]) -> dict[str, float]:
    """The time of the shortest of several alternating calls, s."""
    times = dict.fromkeys(calls, np.inf)
    for _ in range(batches):
        for name, call in calls.items():
            start = clock()
            call()
            times[name] = min(times[name], clock() - start)
    return times


def side_by_side(name: str, case: Case, batches: int) -> str:
    """A line with the ratios of throughput on one core."""
    calls = {simd: _run(case, simd) for simd in ("none", *(each.name for each in available_simd()))}
    found = {simd: call() for simd, call in calls.items()}
    for simd, results in found.items():
        if results.values.tobytes() != found["none"].values.tobytes():
            raise SystemExit(f"{name}: the runs with {simd} have other bits")
    times = _shortest(calls, batches, process_time)
    ratios = "  ".join(f"{simd} {times['none'] / seconds:5.2f}" for simd, seconds in times.items() if simd != "none")
    steps = int(found["none"].steps.sum())
    return f"{name:36} {len(case.states):5} runs  {1e6 * times['none'] / steps:8.2f} us a step alone   {ratios}"


def two_threads(name: str, case: Case, batches: int) -> str:
    """A line with the ratio of elapsed times."""
    calls = {str(n): _run(case, available_simd()[0].name, threads=n) for n in (1, 2)}
    times = _shortest(calls, batches, perf_counter)
    return f"{name:36} two threads {times['1'] / times['2']:.2f} times one"


def against_rollout(n_pins: int, n: int, n_steps: int, batches: int) -> str:
    """A line with the ratio to MuJoCo's rollout, on one thread, of the same chain with the same RK4 steps."""
    import mujoco
    import mujoco.rollout

    links = pins(n_pins, is_general=True)
    system, state = in_mobod(links)
    peer = MuJoCo(links, state)
    peer.model.opt.integrator, peer.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    initial = np.empty((n, mujoco.mj_stateSize(peer.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    states = _perturbed(state, n, 0.5)
    for i, each in enumerate(states):
        peer.data.qpos[:], peer.data.qvel[:] = each.q, each.u
        mujoco.mj_getState(peer.model, peer.data, initial[i], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    case = Case(system, states, n_steps * STEP)
    calls: dict[str, Callable[[], Any]] = {
        simd: _run(case, simd, integrator="RK4", step=STEP) for simd in ("none", *(each.name for each in available_simd()))
    }
    calls["rollout"] = lambda: mujoco.rollout.rollout(peer.model, peer.data, initial, nstep=n_steps)
    found = calls["none"]()
    theirs, ours = calls["rollout"]()[0][:, -1, 1 : 1 + n_pins], np.stack([found[f"b{i}.q"][:, -1] for i in range(n_pins)], axis=1)
    if not np.allclose(theirs, ours, atol=1e-6):
        raise SystemExit(f"{n_pins} pins: MuJoCo's runs end elsewhere, by up to {np.abs(theirs - ours).max():.3g}")
    times = _shortest(calls, batches, process_time)
    ratios = "  ".join(f"{simd} {times['rollout'] / seconds:5.1f}" for simd, seconds in times.items() if simd != "rollout")
    return f"{n_pins} pins, RK4, {n} runs of {n_steps} steps: mujoco.rollout takes longer by   {ratios}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Throughput of ensembles, as ratios in the same run.")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    parser.add_argument("--only", default="", metavar="NAME", help="the cases with this text in their names")
    arguments = parser.parse_args()
    batches = 1 if arguments.short else 5
    print("throughput on one core, against the same runs one after another")
    for name, case in cases(is_short=arguments.short):
        if arguments.only in name:
            print(side_by_side(name, case, batches), flush=True)
            if name == "chains of 7 pins":
                print(two_threads(name, case, batches), flush=True)
    if find_spec("mujoco") and arguments.only in "rollout":
        for n_pins in (7, 30):
            print(against_rollout(n_pins, *((8, 4) if arguments.short else (128, 1000 // n_pins * 7)), batches), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
