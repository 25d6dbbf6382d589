"""Cost of one second, and error, of the schemes for dry friction and contact: rigid under error control and in fixed steps, and as forces.

Errors, in m, are against closed forms. The quadruped has none; its error is the distance from a rigid run at accuracy 1e-9.
"""

import runpy
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case

EXAMPLES = Path(__file__).parents[2] / "examples"
GRAVITY = 9.81  # m/s^2
SCHEMES: dict[str, dict[str, Any]] = {
    "rigid, accuracy 1e-6": {"accuracy": 1e-6},
    "rigid, accuracy 1e-8": {"accuracy": 1e-8},
    "rigid, steps of 0.1 ms": {"integrator": "velocity_level", "step": 1e-4},
    "rigid, steps of 1 ms": {"integrator": "velocity_level", "step": 1e-3},
    "forces, Rodas5P, accuracy 1e-6": {"integrator": "Rodas5P", "accuracy": 1e-6},
    "forces, RK4, steps of 0.1 ms": {"integrator": "RK4", "step": 1e-4},
}
Model = tuple[mb.MultibodySystem, mb.State]

# models; each is a function of whether contact and friction are rigid

CRATE_SPEED, CRATE_FRICTION = 2.0, 0.5
BALL_SPEED, BALL_FRICTION = 8.0, 0.12
BELT_SPEED, STIFFNESS, STATIC_LIMIT, LIMIT = 0.1, 100.0, 0.6 * GRAVITY, 0.4 * GRAVITY  # m/s, N/m, N, N; of a block of 1 kg


def crate(*, is_rigid: bool, slope: float = 0.0, speed: float = CRATE_SPEED) -> Model:
    """A box of 2 kg that slides and comes to rest on its four lower corners."""
    mass, stiffness = 2.0, 1e6  # kg, N/m of each surface
    depth = mass * GRAVITY / (4 * stiffness / 2)
    inertia = mb.Inertia.box(mass=mass, size=[0.4, 0.3, 0.2])
    box = mb.contact.Box((0.2, 0.15, 0.1))
    material = mb.ContactMaterial(stiffness, 1.0, CRATE_FRICTION)
    return _on_floor(mb.MassProperties(mass, [0, 0, 0], inertia), box, None if is_rigid else material, 0.1, depth, speed, slope)


def crate_at_rest(*, is_rigid: bool) -> Model:
    """The same box on a slope of half the limit of friction, where it stays."""
    return crate(is_rigid=is_rigid, slope=CRATE_FRICTION / 2, speed=0.0)


def bowling_ball(*, is_rigid: bool) -> Model:
    """A sphere that slides and comes to roll."""
    mass, radius, stiffness = 6.8, 0.108, 1e8  # kg, m, Pa
    depth = (3 / 4 * mass * GRAVITY / np.sqrt(radius * (stiffness ** (2 / 3) / 2) ** 3)) ** (2 / 3)
    sphere = mb.MassProperties(mass, [0, 0, 0], mb.Inertia.sphere(mass=mass, radius=radius))
    material = None if is_rigid else mb.ContactMaterial(stiffness, 1.0, BALL_FRICTION)
    return _on_floor(sphere, mb.contact.Sphere(radius), material, radius, depth, BALL_SPEED)


def _on_floor(
    mass: mb.MassProperties, shape: Any, material: mb.ContactMaterial | None, height: float, depth: float, speed: float, slope: float = 0.0
) -> Model:
    """A body that is thrown along x on a floor, which goes down along x. With a material it starts at the depth that carries its weight."""
    system = mb.MultibodySystem("on_floor")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[slope, 0, -1], magnitude=GRAVITY)
    body, floor = mb.Free(matter.ground, mass, name="body"), mb.contact.HalfSpace()
    if material is None:
        friction = CRATE_FRICTION if isinstance(shape, mb.contact.Box) else BALL_FRICTION
        mb.RigidContact(matter.ground, floor, body, shape, static_friction=friction, name="floor")
    else:
        mb.CompliantContact(forces, matter.ground, floor, body, shape, material1=material, transition_speed=1e-3, name="floor")
    state = system.realize_topology()
    body.set_q(state, [1, 0, 0, 0, 0, 0, height - (0.0 if material is None else depth)])
    body.set_u(state, [0, 0, 0, speed, 0, 0])
    return system, state


def belt(*, is_rigid: bool) -> Model:
    """A block on a belt, tied to a wall by a spring: it sticks and slips in turn."""
    system = mb.MultibodySystem("belt")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    point = mb.MassProperties.point(mass=1.0, p=[0, 0, 0])
    moving = mb.Slider(matter.ground, point, name="belt")
    mb.SteadyMotion(moving, BELT_SPEED)
    block = mb.Slider(moving, point, name="block")
    mb.TwoPointLinearSpring(forces, matter.ground, [-1, 0, 0], block, [0, 0, 0], stiffness=STIFFNESS, rest_length=1.0, name="spring")
    if is_rigid:
        mb.RigidJointFriction(block, limit=LIMIT, static_limit=STATIC_LIMIT, name="friction")
    else:
        mb.JointFriction(forces, block, limit=LIMIT, static_limit=STATIC_LIMIT, transition_speed=1e-3, name="friction")
    return system, system.realize_topology()


def quadruped(*, is_rigid: bool) -> Model:
    """The robot of examples/19_quadruped.py, which trots."""
    example = runpy.run_path(str(EXAMPLES / "19_quadruped.py"))
    soft = mb.UrdfContact(kind="compliant", material=mb.ContactMaterial(1e5, 1.0, 1.0))
    system = mb.load_urdf(EXAMPLES / "quadruped.urdf", floating_base=True, motors=False, contact="rigid" if is_rigid else soft)
    moving: Callable[[str], Any] = system.matter.body
    gait = example["Gait"](system.subsystems[-1], name="gait")
    for leg in example["LEGS"]:
        for joint, angle in zip(example["JOINTS"], example["STANCE"], strict=True):
            moving(f"{leg}_{joint}").set_default_q(angle)
    moving("body").set_default_q([1, 0, 0, 0, 0, 0, 0.4 * np.cos(example["STANCE"][1]) + 0.02])
    state = system.realize_topology()
    gait.set_stride(state, 0.1)
    return system, state


# errors at the end of a run


def error_of_crate(results: mb.Results) -> float:
    return abs(results["body.q"][-1, 4] - CRATE_SPEED**2 / (2 * CRATE_FRICTION * GRAVITY))


def error_of_rest(results: mb.Results) -> float:
    return abs(results["body.q"][-1, 4])


def error_of_ball(results: mb.Results) -> float:
    slows, time = BALL_FRICTION * GRAVITY, results.time[-1]
    rolls = 2 * BALL_SPEED / (7 * slows)
    return abs(results["body.q"][-1, 4] - (BALL_SPEED * rolls - slows * rolls**2 / 2 + 5 / 7 * BALL_SPEED * (time - rolls)))


def error_of_belt(results: mb.Results) -> float:
    w, middle, swing = np.sqrt(STIFFNESS), LIMIT / STIFFNESS, (STATIC_LIMIT - LIMIT) / STIFFNESS
    slip, stick = 2 * (np.pi - np.arctan(swing * w / BELT_SPEED)) / w, 2 * swing / BELT_SPEED
    since = (results.time[-1] - STATIC_LIMIT / STIFFNESS / BELT_SPEED) % (slip + stick)
    slipping = middle + swing * np.cos(w * since) + BELT_SPEED / w * np.sin(w * since)
    exact = slipping if since < slip else middle - swing + BELT_SPEED * (since - slip)
    return abs(results["belt.q"][-1] + results["block.q"][-1] - exact)


def error_of_quadruped(results: mb.Results) -> float:
    system, state = quadruped(is_rigid=True)
    exact = mb.Simulation(system, accuracy=1e-9).run(state, results.time[-1], report_every=results.time[-1])
    return float(np.linalg.norm(results["body.p_GB"][-1] - exact["body.p_GB"][-1]))


# name -> model, duration in s, error
MODELS: dict[str, tuple[Callable[..., Model], float, Callable[[mb.Results], float]]] = {
    "crate": (crate, 1.0, error_of_crate),
    "crate at rest": (crate_at_rest, 10.0, error_of_rest),
    "bowling ball": (bowling_ball, 3.0, error_of_ball),
    "belt": (belt, 10.0, error_of_belt),
    "quadruped": (quadruped, 2.0, error_of_quadruped),
}


@case("contact schemes", "{}", *MODELS, short=("bowling ball",))
def schemes(bench: Bench, name: str) -> Columns:
    model, duration, error = MODELS[name]

    def measure(scheme: str) -> Measure:
        system, state = model(is_rigid=scheme.startswith("rigid"))
        simulation = mb.Simulation(system, backend="compiled", **SCHEMES[scheme])
        run = partial(simulation.run, state, duration, report_every=duration)
        bench.figures[f"error of {scheme}"] = error(run())
        return calls(run, duration)

    return {scheme: partial(measure, scheme) for scheme in SCHEMES}
