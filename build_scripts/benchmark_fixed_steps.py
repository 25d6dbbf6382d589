"""Fixed steps of 1 ms with rigid contacts: balls on a floor, which share no body, and stacks of boxes.

    python build_scripts/benchmark_fixed_steps.py [--short]

prints these times and those of the quadruped (benchmark_quadruped.py) alone, with rows at the middle of a step and at its beginning
in turn; benchmark.py measures the first ones among all others. Stacks are compared with MuJoCo, whose boxes sink in.
"""

import argparse
import sys
from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import Any, Literal

import numpy as np
from benchmark_quadruped import STRIDES, Place, seconds_of_a_step, steps_in_mujoco, steps_of_quadruped, why_without_mujoco

import mobod as mb

_STATIC, _DYNAMIC = 0.6, 0.5
_STACKS = (1, 2, 5, 10, 20)
_BACKENDS: tuple[Literal["compiled", "interpreted"], ...] = ("compiled", "interpreted")


def balls(n: int) -> mb.MultibodySystem:
    """Balls of 0.2 kg at rest on a floor."""
    system, matter = _on_earth("balls")
    for i in range(n):
        ball = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name=f"ball{i}")
        ball.set_default_q([1, 0, 0, 0, 0.3 * i, 0, 0.1])
        mb.RigidContact(
            matter.ground,
            mb.contact.HalfSpace(),
            ball,
            mb.contact.Sphere(0.1),
            static_friction=_STATIC,
            dynamic_friction=_DYNAMIC,
            name=f"floor{i}",
        )
    return system


def boxes(n: int) -> mb.MultibodySystem:
    """Cubes of 1 kg at rest, one on top of the other; each touches the plane on the one below with its corners."""
    system, matter = _on_earth("boxes")
    below: Any = matter.ground
    for i in range(n):
        box = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.2, 0.2, 0.2])), name=f"box{i}")
        box.set_default_q([1, 0, 0, 0, 0, 0, 0.1 + 0.2 * i])
        top = mb.Transform(p=[0, 0, 0.1 if i else 0])
        cube = mb.contact.Box((0.1, 0.1, 0.1))
        mb.RigidContact(
            below, mb.contact.HalfSpace(), box, cube, X_B1S1=top, static_friction=_STATIC, dynamic_friction=_DYNAMIC, name=f"contact{i}"
        )
        below = box
    return system


def wall(n: int) -> mb.MultibodySystem:
    """n rows of n, n - 1, ... bricks of 1 kg at rest, each with two corners on each of the two bricks below, or with four on the ground."""
    system, matter = _on_earth("wall")
    half, radius = np.array([0.1, 0.05, 0.05]), 0.01
    mass, rows = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=2 * half)), list[list[Any]]()
    for row in range(n):
        rows.append([])
        for column in range(n - row):
            brick = mb.Free(matter.ground, mass, name=f"brick{row}_{column}")
            brick.set_default_q([1, 0, 0, 0, 0.2 * column + 0.1 * row, 0, 0.05 + 0.1 * row])
            rows[row].append(brick)
            for side in (-1, 1):
                top = mb.Transform(p=[0, 0, half[2] if row else 0])
                for depth in (-1, 1):
                    corner = mb.Transform(p=[side * (half[0] - radius), depth * (half[1] - radius), radius - half[2]])
                    mb.RigidContact(
                        rows[row - 1][column + (side > 0)] if row else matter.ground,
                        mb.contact.HalfSpace(),
                        brick,
                        mb.contact.Sphere(radius),
                        X_B1S1=top,
                        X_B2S2=corner,
                        static_friction=_STATIC,
                        dynamic_friction=_DYNAMIC,
                        name=f"corner{row}_{column}_{side}_{depth}",
                    )
    return system


def boxes_in_mujoco(n: int, n_steps: int) -> Callable[[int], float]:
    """The same stack in MuJoCo, with its default solver: a function that measures n times, and returns the seconds of one step."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    friction = [_STATIC, 5e-3, 1e-4]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], friction=friction)
    for i in range(n):
        body = spec.worldbody.add_body(pos=[0, 0, 0.1 + 0.2 * i])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1], mass=1.0, friction=friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)  # sinks in

    def seconds(times: int) -> float:
        start = thread_time()
        mujoco.mj_step(model, data, times * n_steps)
        return (thread_time() - start) / times / n_steps

    return seconds


def steps_at_rest(system: mb.MultibodySystem, n_steps: int, place: Place = "middle") -> Callable[[int], float]:
    """A function that measures n times, and returns the seconds of one step, of n_steps."""
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, constraints_at=place)
    return seconds_of_a_step(simulation, system.realize_topology(), n_steps)


def runs_of_contacts(*, is_short: bool, place: Place = "middle") -> dict[str, Callable[[int], float]]:
    """Functions by name, which measure n times and return the seconds of a step."""
    n_steps = 100 if is_short else 2000
    runs = {}
    for n in (1, 10) if is_short else (1, 10, 40, 100):
        runs[f"step of {n} ball{'s' if n > 1 else ''} on a floor"] = steps_at_rest(balls(n), max(n_steps // n, 100), place)
    for n in _STACKS[:1] if is_short else _STACKS:
        runs[_name_of_stack(n)] = steps_at_rest(boxes(n), max(n_steps // n, 100), place)
    return runs


def _name_of_stack(n: int) -> str:
    return f"step of a stack of {n} box{'es' if n > 1 else ''}"


def runs_of_quadruped(place: Place = "middle") -> dict[str, dict[str, Callable[[int], float]]]:
    """The same of the quadruped: motion -> compiled, interpreted and, if it is installed, MuJoCo."""
    reason = why_without_mujoco()
    if reason is not None:
        print(reason)
    runs: dict[str, dict[str, Callable[[int], float]]] = {}
    for motion in STRIDES:
        runs[motion] = {
            "compiled": steps_of_quadruped(motion, "compiled", place),
            "interpreted": steps_of_quadruped(motion, "interpreted", place),
        }
        if reason is None:
            runs[motion]["MuJoCo"] = steps_in_mujoco(motion)
    return runs


def _on_earth(name: str) -> tuple[mb.MultibodySystem, mb.MatterSubsystem]:
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    return system, matter


def main() -> int:
    parser = argparse.ArgumentParser(description="Time of fixed steps with rigid contacts, in microseconds.")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    is_short = parser.parse_args().short
    batches = 1 if is_short else 15
    for motion, runs in runs_of_quadruped().items():
        begin = {f"{backend} at begin": steps_of_quadruped(motion, backend, "begin") for backend in _BACKENDS}
        found = _medians({**runs, **begin}, batches)
        ratio = f"   compiled/MuJoCo {found['compiled'] / found['MuJoCo']:.2f}" if "MuJoCo" in found else ""
        rise = f"   middle/begin {found['compiled'] / found['compiled at begin']:.2f}"
        print(f"a quadruped {motion}:   " + "   ".join(f"{key} {value:.1f} us" for key, value in found.items()) + ratio + rise)
    begin = runs_of_contacts(is_short=is_short, place="begin")
    has_mujoco = why_without_mujoco() is None
    peers = {_name_of_stack(n): boxes_in_mujoco(n, 100) for n in _STACKS} if has_mujoco else {}
    for name, run in runs_of_contacts(is_short=is_short).items():
        found = _medians({"middle": run, "begin": begin[name]} | ({"MuJoCo": peers[name]} if name in peers else {}), batches)
        ratio = f"   MuJoCo {found['MuJoCo']:.2f} us, ratio {found['middle'] / found['MuJoCo']:.2f}" if name in peers else ""
        print(f"{name}:   {found['middle']:.2f} us, at begin {found['begin']:.2f} us, ratio {found['middle'] / found['begin']:.2f}{ratio}")
    return 0


def _medians(runs: dict[str, Callable[[int], float]], batches: int) -> dict[str, float]:
    """The median times of these functions, called in turn, us."""
    times: dict[str, list[float]] = {key: [] for key in runs}
    for run in runs.values():
        run(1)  # compiles
    for _ in range(batches):
        for key, run in runs.items():
            times[key].append(1e6 * run(1))
    return {key: median(values) for key, values in times.items()}


if __name__ == "__main__":
    sys.exit(main())
