"""Throughput of ensembles with contacts in fixed steps of 1 ms, on one core: runs side by side in vectors, one after another, and in
MuJoCo's rollout, which has soft contacts.

Runs differ in the speeds of their joints at the start.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.ensembles import GROUP, _ensemble
from benchmarks.fixed_steps import boxes, stack_in_mujoco
from benchmarks.harness import Bench, Columns, Measure, calls, case, without
from benchmarks.quadruped import STEP, STRIDES, joint_names, quadruped, quadruped_in_mujoco
from mobod.runtime.simd import available_simd

_PEERS = ("MuJoCo's rollout", "one after another")
_SPEED = 0.2  # rad/s, the largest speed of a joint at the start
_FRICTION = 0.8
_LEG = 0.3  # m, of a thigh and of a shank
_STIFFNESS, _DAMPING = 200.0, 1.0  # N m/rad, N m s/rad
_FEET = 0.02  # m, radius of heels and toes
States = list[mb.State]
Roll = Callable[[int], object]  # steps of all runs in MuJoCo


@case(GROUP, "{} quadrupeds: each {}, {} steps of 1 ms", *((128, each, 400) for each in STRIDES), short=((8, "stands", 20),), peers=_PEERS)
def quadrupeds(bench: Bench, n: int, motion: str, n_steps: int) -> Columns:
    system, state = quadruped(motion)
    names = joint_names()
    states, speeds = _with_speeds(system, state, names, n)

    def peer() -> Roll:
        model, data, targets = quadruped_in_mujoco(motion, system, state, n_steps)
        return _rollout(model, data, speeds, np.broadcast_to(targets[None], (n, *targets.shape)))

    return _columns(bench, system, states, n_steps, peer)


@case(GROUP, "{} bipeds, {} steps of 1 ms", (128, 400), short=((8, 20),), peers=_PEERS)
def bipeds(bench: Bench, n: int, n_steps: int) -> Columns:
    """On heels and toes, with springs and dampers in the joints."""
    system = biped()
    states, speeds = _with_speeds(system, system.realize_topology(), _joints_of_biped(), n)

    def peer() -> Roll:
        model, data = _biped_in_mujoco()
        return _rollout(model, data, speeds, None)

    return _columns(bench, system, states, n_steps, peer)


@case(GROUP, "{} stacks of 10 boxes at rest, {} steps of 1 ms", (64, 200), short=((8, 10),), peers=_PEERS)
def stacks(bench: Bench, n: int, n_steps: int) -> Columns:
    system = boxes(10)
    states = [system.realize_topology() for _ in range(n)]

    def peer() -> Roll:
        model, data = stack_in_mujoco(10)
        return _rollout(model, data, np.zeros((n, 0)), None)

    return _columns(bench, system, states, n_steps, peer)


def biped() -> mb.MultibodySystem:
    """A trunk of 8 kg on two legs of two links, each with a heel and a toe."""
    system = mb.MultibodySystem("biped")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    trunk = mb.Free(matter.ground, mb.MassProperties(8.0, [0, 0, 0], mb.Inertia.box(mass=8.0, size=[0.2, 0.3, 0.4])), name="trunk")
    trunk.set_default_q([1, 0, 0, 0, 0, 0, 0.2 + 2 * _LEG + _FEET])
    link = mb.MassProperties(1.0, [0, 0, -_LEG / 2], mb.Inertia.box(mass=1.0, size=[0.06, 0.06, _LEG]).shifted([0, 0, -_LEG / 2]))
    y_axis = mb.Transform(np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]))  # its z axis is y
    for side, sign in (("left", 1), ("right", -1)):
        above: Any = trunk
        for name, place in (("hip", [0, 0.12 * sign, -0.2]), ("knee", [0, 0, -_LEG]), ("ankle", [0, 0, -_LEG])):
            body = link if name != "ankle" else mb.MassProperties(0.8, [0, 0, 0], mb.Inertia.box(mass=0.8, size=[0.25, 0.1, 0.08]))
            above = mb.Pin(above, body, X_PF=mb.Transform(y_axis.R, place), X_BM=mb.Transform(y_axis.R), name=f"{side}_{name}")
            mb.MobilityLinearSpring(forces, above, stiffness=_STIFFNESS, q_zero=0.0, name=f"spring of the {side} {name}")
            mb.MobilityLinearDamper(forces, above, damping=_DAMPING, name=f"damper of the {side} {name}")
        for part, x in (("heel", -0.1), ("toe", 0.1)):
            mb.RigidContact(
                matter.ground,
                mb.contact.HalfSpace(),
                above,
                mb.contact.Sphere(_FEET),
                X_B2S2=mb.Transform(p=[x, 0, 0]),
                static_friction=_FRICTION,
                name=f"{side} {part}",
            )
    return system


def _joints_of_biped() -> list[str]:
    return [f"{side}_{name}" for side in ("left", "right") for name in ("hip", "knee", "ankle")]


def _biped_in_mujoco() -> tuple[Any, Any]:
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = STEP, [0, 0, -9.81]
    spec.option.integrator, spec.option.cone = mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], contype=1, conaffinity=0, friction=[_FRICTION, 0, 0])

    def body(above: Any, name: str, place: list[float], mass: float, com: list[float], size: list[float]) -> Any:
        made = above.add_body(name=name, pos=place)
        made.mass, made.ipos, made.explicitinertial = mass, com, True
        made.inertia = [
            mass / 12 * (size[1] ** 2 + size[2] ** 2),
            mass / 12 * (size[0] ** 2 + size[2] ** 2),
            mass / 12 * (size[0] ** 2 + size[1] ** 2),
        ]
        return made

    trunk = body(spec.worldbody, "trunk", [0, 0, 0.2 + 2 * _LEG + _FEET], 8.0, [0, 0, 0], [0.2, 0.3, 0.4])
    trunk.add_freejoint()
    for side, sign in (("left", 1), ("right", -1)):
        above = trunk
        for name, place in (("hip", [0, 0.12 * sign, -0.2]), ("knee", [0, 0, -_LEG]), ("ankle", [0, 0, -_LEG])):
            of_link = (1.0, [0, 0, -_LEG / 2], [0.06, 0.06, _LEG]) if name != "ankle" else (0.8, [0, 0, 0], [0.25, 0.1, 0.08])
            above = body(above, f"{side}_{name}", place, *of_link)
            above.add_joint(name=f"{side}_{name}", axis=[0, 1, 0], stiffness=_STIFFNESS, damping=_DAMPING)
        for x in (-0.1, 0.1):
            above.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[_FEET, 0, 0],
                pos=[x, 0, 0],
                contype=0,
                conaffinity=1,
                friction=[_FRICTION, 0, 0],
                mass=0,
            )
    model = spec.compile()
    return model, mujoco.MjData(model)


def _with_speeds(system: mb.MultibodySystem, state: mb.State, joints: list[str], n: int) -> tuple[States, np.ndarray]:
    """States with other speeds of these joints, and the speeds (n, joints)."""
    speeds, states = np.random.default_rng(5).uniform(-_SPEED, _SPEED, (n, len(joints))), []
    for own in speeds:
        states.append(state.copy())
        for joint, speed in zip(joints, own, strict=True):
            system.matter.body(joint).set_u(states[-1], speed)
    return states, speeds


def _rollout(model: Any, data: Any, speeds: np.ndarray, control: np.ndarray | None) -> Roll:
    """From the numbers in `data`, with these speeds of the joints, which are the last ones."""
    import mujoco
    import mujoco.rollout

    initial = np.empty((len(speeds), mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    for row, own in zip(initial, speeds, strict=True):
        data.qvel[len(data.qvel) - len(own) :] = own
        mujoco.mj_getState(model, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    options = {} if control is None else {"control": control}

    def roll(n_steps: int) -> object:
        if control is not None:
            options["control"] = control[:, :n_steps]
        return mujoco.rollout.rollout(model, data, initial, nstep=n_steps, **options)

    return roll


def _columns(bench: Bench, system: mb.System, states: States, n_steps: int, peer: Callable[[], Roll]) -> Columns:
    """Seconds of one step of one run; the first tenth of the steps, in which contacts begin, does not count. Exits if bits differ."""
    n, first = len(states), max(n_steps // 10, 1)
    ends: dict[str, bytes] = {}

    def ours(simd: str) -> Measure:
        long, short = (_ensemble(system, states, count * STEP, simd, integrator="velocity_level", step=STEP) for count in (n_steps, first))
        ends[simd] = np.stack([each.y for each in long().final_states]).tobytes()
        if len(set(ends.values())) > 1:
            raise SystemExit(f"the runs with {simd} have other bits")
        return without(calls(short, n * (n_steps - first)), calls(long, n * (n_steps - first)))

    def theirs() -> Measure:
        roll = peer()
        return without(calls(lambda: roll(first), n * (n_steps - first)), calls(lambda: roll(n_steps), n * (n_steps - first)))

    return {
        **{each.name: partial(ours, each.name) for each in available_simd()},
        "one after another": partial(ours, "none"),
        "MuJoCo's rollout": theirs,
    }
