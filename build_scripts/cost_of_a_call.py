"""Processor time of single calls from Python, against the same of peers: forward dynamics after the coordinates were set (Pinocchio),
and a step of semi-implicit Euler (MuJoCo).

    python build_scripts/cost_of_a_call.py        # needs a compiler; peers that are not installed are left out
"""

from collections.abc import Callable
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np
from benchmarks.mechanisms import in_mobod, pins
from benchmarks.peers import MuJoCo, Pinocchio

import mobod as mb

N_BATCHES, N_CALLS = 60, 200
STEP = 1e-4  # s, with which semi-implicit Euler is stable for 30 pins

Call = Callable[[], Any]


def least_times(calls: dict[str, Call]) -> dict[str, float]:
    """us of one call each. Batches of all of them follow each other, so that they are measured at the same speed of the machine."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(N_BATCHES):
        for name, call in calls.items():
            start = thread_time()
            for _ in range(N_CALLS):
                call()
            best[name] = min(best[name], (thread_time() - start) / N_CALLS * 1e6)
    return best


def realizations(n: int) -> dict[str, Call]:
    """Setting a coordinate of n pins; with realizing them to ACCELERATION after it, compiled; with `aba` of Pinocchio after it, which so
    runs after the same Python code as our realization; and `aba` alone.
    """
    links = pins(n, is_general=True)
    system, state = in_mobod(links)
    mb.compile(system)
    body = system.matter.bodies[0]
    value = float(body.q(state)[0])

    def set_and_realize() -> None:
        body.set_q(state, value)
        system.realize(state, mb.Stage.ACCELERATION)

    calls: dict[str, Call] = {"set_q": lambda: body.set_q(state, value), "set_q, realize": set_and_realize}
    if not find_spec("pinocchio"):
        return calls
    aba = Pinocchio(links, state).call()

    def set_and_aba() -> None:
        body.set_q(state, value)
        aba()

    return {**calls, "set_q, pin.aba": set_and_aba, "pin.aba": aba}


def steps(n: int) -> dict[str, Call]:
    """A step of n pins by semi-implicit Euler, compiled, in a run with a history and without; and MuJoCo's."""
    links = pins(n, is_general=True)
    system, state = in_mobod(links)
    simulation = mb.Simulation(system, integrator="SemiImplicitEuler", step=STEP, backend="compiled")
    runs = {"run.step": simulation.start(state), "run.step, without history": simulation.start(state, report_every=np.inf)}
    calls: dict[str, Call] = {name: _stepping(run) for name, run in runs.items()}
    return {**calls, "mj_step": _step_in_mujoco(links, state)} if find_spec("mujoco") else calls


def _stepping(run: Any) -> Call:
    return lambda: run.step(STEP)


def _step_in_mujoco(links: Any, state: mb.State) -> Call:
    import mujoco

    peer = MuJoCo(links, state)
    model, data = peer.model, peer.data
    model.opt.timestep = STEP
    return lambda: mujoco.mj_step(model, data)


if __name__ == "__main__":
    for make in (realizations, steps):
        for size in (1, 7, 30):
            times = least_times(make(size))
            *ours, (peer, theirs) = times.items()
            for name, time in ours:
                ratio = f", {time / theirs:.2f} of {peer}" if peer in ("pin.aba", "mj_step") else ""
                print(f"{size:3} pins  {name:28}{time:8.2f} us{ratio}", flush=True)
            if "pin.aba" in times:
                realize, aba = (times[f"set_q, {name}"] - times["set_q"] for name in ("realize", "pin.aba"))
                print(f"{size:3} pins  {'realize after set_q':28}{realize:8.2f} us, {realize / aba:.2f} of pin.aba after set_q", flush=True)
