"""Throughput of ensembles on one core: runs side by side in vectors, one after another, in two threads, and in MuJoCo's rollout.

Runs one after another are those of MOBOD_SIMD=none: the same C, on doubles.
"""

import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case, environment
from benchmarks.mechanisms import humanoid, in_mobod, pins
from benchmarks.peers import MuJoCo
from mobod.runtime.simd import VARIABLE, available_simd

GROUP = "ensembles"
EXAMPLES = Path(__file__).parents[2] / "examples"
ACCURACY, STEP = 1e-6, 0.005
Model = tuple[mb.System, mb.State]
_ALONE = "one after another"


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


def _with_default_state(system: mb.MultibodySystem) -> Model:
    return system, system.realize_topology()


# name -> model, duration in s, rad/s by which speeds differ
MODELS: dict[str, tuple[Callable[[], Model], float, float]] = {
    "double pendulums": (lambda: _with_default_state(double_pendulum()), 4.0, 2.0),
    "chains of 7 pins": (lambda: in_mobod(pins(7, is_general=True)), 20 / 7, 0.5),
    "chains of 30 pins": (lambda: in_mobod(pins(30, is_general=True)), 20 / 30, 0.5),
    "humanoids": (lambda: in_mobod(humanoid()), 1.0, 0.5),
    "arms without limits": (lambda: _with_default_state(arm(limits=False)), 1.0, 0.5),
    "double pendulums with stops": (lambda: _with_default_state(double_pendulum(stops=True)), 4.0, 2.0),
    "arms with limits": (lambda: _with_default_state(arm(limits=True)), 2.0, 0.5),
    "four-bars": (four_bar, 4.0, 0.0),
}


@case(GROUP, "{} {}", *((1000, name) for name in MODELS), short=tuple((8, name) for name in MODELS), peers=(_ALONE,))
def side_by_side(bench: Bench, n: int, name: str) -> Columns:
    """All runs; the widest vectors first. Exits if bits differ."""
    make, until, size = MODELS[name]
    system, state = make()
    states, until = _perturbed(state, n, size), 0.1 if bench.is_short else until
    alone = _ensemble(system, states, until, "none")
    expected = alone()
    bench.figures["steps"] = float(expected.steps.sum())

    def measure(simd: str) -> Measure:
        run = _ensemble(system, states, until, simd)
        if run().values.tobytes() != expected.values.tobytes():
            raise SystemExit(f"{name}: the runs with {simd} have other bits")
        return calls(run)

    return {**{each.name: partial(measure, each.name) for each in available_simd()}, _ALONE: lambda: calls(alone)}


@case(GROUP, "{} chains of 7 pins in two threads", 1000, short=(8,), peers=("one thread",))
def two_threads(bench: Bench, n: int) -> Columns:
    """Elapsed time."""
    system, state = in_mobod(pins(7, is_general=True))
    states, until, simd = _perturbed(state, n, 0.5), 0.1 if bench.is_short else 20 / 7, available_simd()[0].name

    def measure(threads: int) -> Measure:
        return calls(_ensemble(system, states, until, simd, threads), clock=perf_counter)

    return {"two threads": partial(measure, 2), "one thread": partial(measure, 1)}


@case(GROUP, "{} chains of {} pins, {} steps of RK4", (128, 7, 994), (128, 30, 231), short=((8, 7, 4),), peers=("MuJoCo's rollout",))
def rollout(bench: Bench, n: int, n_pins: int, n_steps: int) -> Columns:
    """Exits if MuJoCo's runs end elsewhere."""
    links = pins(n_pins, is_general=True)
    system, state = in_mobod(links)
    states = _perturbed(state, n, 0.5)
    run = _ensemble(system, states, n_steps * STEP, available_simd()[0].name, integrator="RK4", step=STEP)

    def peer() -> Measure:
        import mujoco
        import mujoco.rollout

        peer = MuJoCo(links, state)
        peer.model.opt.integrator, peer.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
        initial = np.empty((n, mujoco.mj_stateSize(peer.model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        for i, each in enumerate(states):
            peer.data.qpos[:], peer.data.qvel[:] = each.q, each.u
            mujoco.mj_getState(peer.model, peer.data, initial[i], mujoco.mjtState.mjSTATE_FULLPHYSICS)

        def roll() -> Any:
            return mujoco.rollout.rollout(peer.model, peer.data, initial, nstep=n_steps)

        found = run()
        theirs, ours = roll()[0][:, -1, 1 : 1 + n_pins], np.stack([found[f"b{i}.q"][:, -1] for i in range(n_pins)], axis=1)
        if not np.allclose(theirs, ours, atol=1e-6):
            raise SystemExit(f"{n_pins} pins: MuJoCo's runs end elsewhere, by up to {np.abs(theirs - ours).max():.3g}")
        return calls(roll)

    return {"side by side": lambda: calls(run), "MuJoCo's rollout": peer}


def _perturbed(state: mb.State, n: int, size: float) -> list[mb.State]:
    """The State with other speeds."""
    rng, states = np.random.default_rng(5), []
    for _ in range(n):
        each = state.copy()
        each.u = state.u + rng.uniform(-size, size, len(state.u))
        states.append(each)
    return states


def _ensemble(
    system: mb.System, states: list[mb.State], until: float, simd: str, threads: int = 1, **options: Any
) -> Callable[[], mb.EnsembleResults]:
    """A function that makes all runs. Everything is compiled already."""
    with environment(VARIABLE, simd):
        ensemble = mb.Ensemble(system, states, threads=threads, **{"accuracy": ACCURACY, **options})
        start = states[0].time
        ensemble.run(until=start + 0.01 * until)
    return lambda: ensemble.run(until=start + until)
