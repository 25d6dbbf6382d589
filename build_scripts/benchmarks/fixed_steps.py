"""Fixed steps of 1 ms with rigid contacts: balls on a floor, which share no body, stacks of boxes, walls of bricks.

Rows are at the middle of a step and, for comparison, at its beginning. Stacks are compared with MuJoCo, whose boxes sink in.
"""

from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from benchmarks.quadruped import Place, seconds_of_a_step

_STATIC, _DYNAMIC = 0.6, 0.5


@case("fixed steps", "{} balls on a floor", 1, 10, 40, 100, short=(1, 10), peers=("compiled at begin",))
def steps_of_balls(bench: Bench, n: int) -> Columns:
    return _steps(bench, balls(n), n)


@case("fixed steps", "a stack of {} boxes", 1, 2, 5, 10, 20, short=(1,), peers=("MuJoCo", "compiled at begin"))
def steps_of_boxes(bench: Bench, n: int) -> Columns:
    return {**_steps(bench, boxes(n), n), "MuJoCo": partial(boxes_in_mujoco, n, 100)}


@case("fixed steps", "a wall of {} rows of bricks", 3, 5, 8, 11, short=(2,), peers=("MuJoCo", "compiled at begin"))
def steps_of_bricks(bench: Bench, n: int) -> Columns:
    return {**_steps(bench, wall(n), n * (n + 1) // 2), "MuJoCo": partial(bricks_in_mujoco, n, 100)}


def _steps(bench: Bench, system: mb.MultibodySystem, n: int) -> Columns:
    n_steps = max((100 if bench.is_short else 2000) // n, 100)
    return {
        "compiled": partial(steps_at_rest, system, n_steps),
        "compiled at begin": partial(steps_at_rest, system, n_steps, "begin"),
    }


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


def boxes_in_mujoco(n: int, n_steps: int) -> Measure:
    """The same stack in MuJoCo, with its default solver."""
    return _steps_in_mujoco(*stack_in_mujoco(n), n_steps)


def bricks_in_mujoco(n: int, n_steps: int) -> Measure:
    """The same wall in MuJoCo, with bricks that are boxes."""
    places = [[0.2 * column + 0.1 * row, 0, 0.05 + 0.1 * row] for row in range(n) for column in range(n - row)]
    return _steps_in_mujoco(*_in_mujoco([0.1, 0.05, 0.05], places), n_steps)


def stack_in_mujoco(n: int) -> tuple[Any, Any]:
    """The model of n cubes, and its data after 1 s."""
    return _in_mujoco([0.1, 0.1, 0.1], [[0, 0, 0.1 + 0.2 * i] for i in range(n)])


def _steps_in_mujoco(model: Any, data: Any, n_steps: int) -> Measure:
    import mujoco

    return calls(lambda: mujoco.mj_step(model, data, n_steps), n_steps)


def _in_mujoco(half: list[float], places: list[list[float]]) -> tuple[Any, Any]:
    """The model of boxes of 1 kg on a floor, and its data after 1 s, in which they sink in."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-3
    friction = [_STATIC, 5e-3, 1e-4]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1], friction=friction)
    for place in places:
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half, mass=1.0, friction=friction)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 1000)
    return model, data


def steps_at_rest(system: mb.MultibodySystem, n_steps: int, place: Place = "middle") -> Measure:
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3, constraints_at=place, backend="compiled")
    return seconds_of_a_step(simulation, system.realize_topology(), n_steps)


def _on_earth(name: str) -> tuple[mb.MultibodySystem, mb.MatterSubsystem]:
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    return system, matter
