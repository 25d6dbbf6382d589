"""Fixed steps of the quadruped of examples/19_quadruped.py, which stands or walks, here and in MuJoCo.

MuJoCo's model is made from the same URDF file: bodies, joints with their limits, four balls and a box above a plane, and servos with the
same gains, whose targets are computed before. Its settings are those that come nearest to steps at velocity level: the integrator Euler
(semi-implicit, first order, forces of the servos at the start of the step), elliptic cones with the same coefficient (Coulomb's law without
facets), Newton's method with its default tolerance of 1e-8. Its contacts are soft, with its defaults; ours are rigid.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case, without

_EXAMPLES = Path(__file__).parents[2] / "examples"
STEP = 1e-3  # s
Place = Literal["begin", "middle"]  # of `constraints_at`
STRIDES = {"stands": 0.0, "walks": 0.1}  # rad
_TIMES = (1.0, 3.0)  # s; the steps between them are counted
_FRICTION = 1.0  # of load_urdf, and of MuJoCo
_NEAR = {
    "stands": 0.01,
    "walks": 0.1,
}  # m, the largest distance between the bodies of both engines at the end: soft contacts sink in and slide slowly


@case("fixed steps", "the quadruped {}", *STRIDES, peers=("MuJoCo", "compiled at begin"))
def steps(bench: Bench, motion: str) -> Columns:
    return {
        "compiled": partial(steps_of_quadruped, motion, "compiled"),
        "interpreted": partial(steps_of_quadruped, motion, "interpreted"),
        "compiled at begin": partial(steps_of_quadruped, motion, "compiled", "begin"),
        "interpreted at begin": partial(steps_of_quadruped, motion, "interpreted", "begin"),
        "MuJoCo": partial(steps_in_mujoco, motion),
    }


def steps_of_quadruped(motion: str, backend: Literal["interpreted", "compiled"], place: Place = "middle") -> Measure:
    system, state = quadruped(motion)
    simulation = mb.Simulation(system, integrator="velocity_level", step=STEP, backend=backend, constraints_at=place)
    return seconds_of_a_step(simulation, state, 2000)


def seconds_of_a_step(simulation: mb.Simulation, state: mb.State, n_steps: int) -> Measure:
    """Continues a run by n_steps."""
    run = simulation.start(state)

    return calls(lambda: run.step(n_steps * STEP), n_steps)


def steps_in_mujoco(motion: str) -> Measure:
    """The same as steps_of_quadruped, in MuJoCo, called once for all steps of a run. Exits if its robot ends elsewhere."""
    import mujoco
    import mujoco.rollout

    system, state = quadruped(motion)
    model, data, targets = quadruped_in_mujoco(motion, system, state, round(_TIMES[1] / STEP))
    start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)

    def run(end: float) -> np.ndarray:
        states, _ = mujoco.rollout.rollout(model, data, start[None], targets[None, : round(end / STEP)])
        return np.asarray(states[0, -1])

    theirs = run(_TIMES[1])[1:4]
    simulation = mb.Simulation(system, integrator="velocity_level", step=STEP, backend="compiled")
    ours = simulation.run(state, _TIMES[1], report_every=_TIMES[1])["body.p_GB"][-1]
    if not np.linalg.norm(theirs - ours) < _NEAR[motion]:
        raise SystemExit(f"the quadruped that {motion} ends at {theirs} m in MuJoCo, and at {ours} m here. It is not the same model.")
    return _between(run, _TIMES)


def quadruped_in_mujoco(motion: str, system: mb.MultibodySystem, state: mb.State, n_steps: int) -> tuple[Any, Any, np.ndarray]:
    """Its model, data at the start, and the targets of its servos (n_steps, joints)."""
    import mujoco

    matter, forces = system.matter, system.subsystems[-1]
    assert isinstance(forces, mb.ForceSubsystem)
    gait: Any = forces.elements[-1]  # it declares its parameters
    model = model_in_mujoco(gait.stiffness(state), gait.damping(state))
    data = mujoco.MjData(model)
    data.qpos[:3], data.qpos[3:7] = state.q[4:7], state.q[:4]
    data.qpos[7:] = [matter.body(name).q(state)[0] for name in joint_names()]
    return model, data, _targets(STRIDES[motion], n_steps)


def _between(run: Callable[[float], object], times: tuple[float, float]) -> Measure:
    """The start of a run does not count."""
    n_steps = round((times[1] - times[0]) / STEP)
    return without(calls(lambda: run(times[0]), n_steps), calls(lambda: run(times[1]), n_steps))


@cache
def example(name: str) -> Any:
    """The module of an example."""
    sys.path.insert(0, str(_EXAMPLES))
    return import_module(name)


def _example() -> Any:
    return example("19_quadruped")


def quadruped(motion: str) -> tuple[mb.MultibodySystem, mb.State]:
    system = _example().quadruped()
    state = system.realize_topology()
    system.subsystems[-1].elements[-1].set_stride(state, STRIDES[motion])
    return system, state


def joint_names() -> list[str]:
    """In the order of MuJoCo's joints."""
    return [f"{leg}_{joint}" for leg in _example().LEGS for joint in _example().JOINTS]


def _targets(stride: float, n: int) -> np.ndarray:
    """The angles of the scripted gait at the start of n steps, as Gait.calc_force has them."""
    gait, times = _example(), STEP * np.arange(n)
    targets = np.empty((n, len(gait.LEGS), 3))
    for number in range(len(gait.LEGS)):
        phase = 2 * np.pi * gait.FREQUENCY * times + (np.pi if number in (1, 2) else 0.0)
        lift, swing = stride * np.maximum(np.sin(phase), 0.0), stride * np.cos(phase)
        targets[:, number] = gait.STANCE + np.stack([0 * lift, 1.5 * lift + swing, -3.0 * lift], axis=1)
    return targets.reshape(n, -1)


def model_in_mujoco(stiffness: float, damping: float) -> Any:
    """The compiled model."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(_EXAMPLES / "quadruped.urdf"))
    spec.option.timestep, spec.option.gravity = STEP, [0, 0, -9.81]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.body("body").add_freejoint()
    for geom in spec.geoms:  # the robot touches the plane alone
        geom.contype, geom.conaffinity, geom.friction[0] = 0, 1, _FRICTION
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], contype=1, conaffinity=0, friction=[_FRICTION, 0, 0])
    for name in joint_names():
        spec.joint(name).actfrclimited = False
        servo = spec.add_actuator(target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=stiffness, kv=damping)
    return spec.compile()
