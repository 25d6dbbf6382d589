"""Compile times of functions of JAX, and steps per second of many members, against mb.Ensemble on this machine's processor.

    python build_scripts/jax_throughput.py [--only TEXT] [--members 1,64,1024] [--steps 100] [--gradients] [--float32] [--no-options]

JAX takes the accelerator that it finds; JAX_PLATFORMS=cpu keeps it on the processor. Compile times are processor time of all threads, and
so are the others on a processor, so that other programs count little. --gradients also compiles the gradient of a rollout.
--no-options leaves out the options of XLA that models have (compiler_options): gradients of larger trees then compile for minutes.
"""

import argparse
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

import jax
import numpy as np
from benchmarks.ensembles import double_pendulum, four_bar
from benchmarks.mechanisms import humanoid, in_mobod, pins

import mobod as mb

STEP = 2e-3  # s
MECHANISMS: dict[str, Callable[[], tuple[mb.System, mb.State]]] = {
    "double pendulum": lambda: ((system := double_pendulum()), system.realize_topology()),
    "four-bar closed by a ball": four_bar,
    "7 pins": lambda: in_mobod(pins(7, is_general=True)),
    "30 pins": lambda: in_mobod(pins(30, is_general=True)),
    "humanoid without contacts": lambda: in_mobod(humanoid()),
}


def starts(state: mb.State, n: int) -> list[mb.State]:
    """States whose speeds differ by a factor, so that closed loops stay closed."""
    found = []
    for factor in np.linspace(1, 1.001, n):
        each = state.copy()
        each.u = factor * state.u
        found.append(each)
    return found


def compiled(function: Callable[..., Any], options: Any, *arguments: Any) -> tuple[Any, float]:
    """The function, compiled with these options of XLA, and its processor time, s, with tracing."""
    start = process_time()
    result = jax.jit(function, compiler_options=options).lower(*arguments).compile()
    return result, process_time() - start


def least_time(call: Callable[[], Any], clock: Callable[[], float], repeats: int = 5) -> float:
    """s, of one call"""
    jax.block_until_ready(call())  # the first call may load code
    start = clock()
    jax.block_until_ready(call())
    count = 1 + int(0.05 / max(clock() - start, 1e-6))  # a measurement takes 0.05 s and more
    times = []
    for _ in range(repeats):
        start = clock()
        for _ in range(count):
            jax.block_until_ready(call())
        times.append((clock() - start) / count)
    return min(times)


def measure(name: str, members: list[int], steps: int, *, gradients: bool, dtype: Any, with_options: bool) -> None:
    system, state = MECHANISMS[name]()
    model = mb.to_jax(system, state, dtype=dtype)
    options = model.compiler_options if with_options else None

    def end(y: Any) -> Any:
        return model.rollout(y, step=STEP, steps=steps)[-1]

    _, of_rates = compiled(lambda y: model.rates(0.0, y), options, model.y0)
    _, of_rollout = compiled(end, options, model.y0)
    print(f"{name}: compiled rates in {of_rates:.1f} s, a rollout in {of_rollout:.1f} s of processor time", flush=True)
    device = jax.devices()[0]
    clock, of = (process_time, "processor time") if device.platform == "cpu" else (perf_counter, "time")
    if gradients:
        gradient, of_gradient = compiled(jax.grad(lambda y: jax.numpy.sum(end(y) ** 2)), options, model.y0)
        runs = least_time(partial(gradient, model.y0), clock)
        print(f"  its gradient in {of_gradient:.1f} s, which runs for {1e3 * runs:.1f} ms", flush=True)
    for n in members:
        states = starts(state, n)
        y = jax.numpy.asarray(np.array([each.y for each in states]), dtype)
        many, _ = compiled(jax.vmap(end), options, y)
        print(f"  {n} members: {n * steps / least_time(partial(many, y), clock):,.0f} steps/s of {of} in JAX on {device}", flush=True)
        ensemble = mb.Ensemble(system, states, threads=1, integrator="RK4", step=STEP)
        run = partial(ensemble.run, until=state.time + steps * STEP)
        print(f"  {n} members: {n * steps / least_time(run, process_time):,.0f} steps/s of processor time in mb.Ensemble", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compile times and throughput of functions of JAX.")
    parser.add_argument("--only", default="", metavar="TEXT", help="the mechanisms with this text in their names")
    parser.add_argument("--members", default="1,64,1024", help="numbers of members")
    parser.add_argument("--steps", type=int, default=100, help="of a rollout")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--no-options", action="store_true", help="of XLA")
    options = parser.parse_args()
    if not options.float32:
        jax.config.update("jax_enable_x64", True)
    for name in MECHANISMS:
        if options.only in name:
            members = [int(each) for each in options.members.split(",")]
            dtype = "float32" if options.float32 else "float64"
            measure(name, members, options.steps, gradients=options.gradients, dtype=dtype, with_options=not options.no_options)


if __name__ == "__main__":
    main()
