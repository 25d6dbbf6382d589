"""Mixed shapes that tumble into a bin: fixed steps of 1 ms with contacts that share slots, and MuJoCo."""

from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from mobod.contact import Box, Capsule, ConvexMesh, Cylinder, Sphere

STEP, FRICTION = 1e-3, 0.5  # s, 1
SHAPES = (
    Box((0.05, 0.06, 0.08)),
    Sphere(0.06),
    Capsule(0.04, 0.07),
    Cylinder(0.05, 0.06),
    ConvexMesh(((0.08, 0, 0), (-0.08, 0, 0), (0, 0.08, 0), (0, -0.08, 0), (0, 0, 0.08), (0, 0, -0.08))),
)
WALLS = (  # half lengths and centers, m: a floor and four walls
    ((0.4, 0.4, 0.05), (0.0, 0.0, -0.05)),
    ((0.05, 0.4, 1.2), (0.3, 0.0, 1.2)),
    ((0.05, 0.4, 1.2), (-0.3, 0.0, 1.2)),
    ((0.4, 0.05, 1.2), (0.0, 0.3, 1.2)),
    ((0.4, 0.05, 1.2), (0.0, -0.3, 1.2)),
)


@case("mixed shapes", "{} shapes tumble into a bin", 10, 50, 200, short=(2,), peers=("MuJoCo",))
def steps_of_shapes(bench: Bench, n: int) -> Columns:
    duration = 0.05 if bench.is_short else 2.0  # s; they rest after about 1.5 s
    return {"compiled": partial(_ours, bench, n, duration), "MuJoCo": partial(_in_mujoco, bench, n, duration)}


def _places(n: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Quaternion, center in m, speeds in rad/s and m/s of each shape, one above the other."""
    random = np.random.default_rng(5)
    found = []
    for i in range(n):
        e = random.normal(size=4)
        center = np.array([*random.uniform(-0.1, 0.1, 2), 0.15 + 0.2 * i])
        found.append((e / np.linalg.norm(e), center, random.uniform(-2, 2, 6)))
    return found


def bin_of_shapes(n: int) -> tuple[mb.MultibodySystem, mb.State]:
    system = mb.MultibodySystem("bin")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    contacts = mb.ContactSet(matter)
    for half, center in WALLS:
        contacts.add(matter.ground, Box(half), mb.Transform(p=center), friction=FRICTION)
    bodies = []
    for i in range(n):
        shape = SHAPES[i % len(SHAPES)]
        bodies.append(mb.Free(matter.ground, _mass(shape), name=f"piece{i}"))
        contacts.add(bodies[-1], shape, friction=FRICTION)
    contacts.rigid(slots=4 * n + 8)  # as many as these shapes need
    state = system.realize_topology()
    for body, (e, place, u) in zip(bodies, _places(n), strict=True):
        body.set_q(state, [*e, *place])
        body.set_u(state, u)
    return system, state


def _mass(shape: Any) -> mb.MassProperties:
    """As of a ball of 1 kg about its center; MuJoCo has the same."""
    return mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=shape_radius(shape)))


def shape_radius(shape: Any) -> float:
    """m, of a ball of about the same size."""
    match shape:
        case Box():
            return float(np.mean(shape.half_lengths))
        case ConvexMesh():
            return float(np.abs(shape.vertices).max())
        case _:
            return float(shape.radius + getattr(shape, "half_length", 0.0) / 2)


def _ours(bench: Bench, n: int, duration: float) -> Measure:
    system, state = bin_of_shapes(n)
    simulation = mb.Simulation(system, integrator="velocity_level", step=STEP, backend="compiled")
    names = [f"{each.name}.distance" for each in system.matter.constraints]
    results = simulation.run(state, duration, report_every=10 * STEP)
    least = np.minimum.reduce([results[name].reshape(len(results.time), -1).min(axis=1) for name in names])
    _note(bench, "", np.maximum(0, -least))
    return calls(partial(simulation.run, state, duration, report_every=duration), round(duration / STEP))


def _in_mujoco(bench: Bench, n: int, duration: float) -> Measure:
    import mujoco

    model = mujoco_bin(n)
    data = mujoco.MjData(model)
    _start(model, data, n)
    n_steps, depths = round(duration / STEP), []
    for _ in range(n_steps // 10):
        mujoco.mj_step(model, data, 10)
        depths.append(max(0.0, -min(data.contact.dist[: data.ncon], default=0.0)))
    _note(bench, " of MuJoCo", np.array(depths))

    def run() -> None:
        _start(model, data, n)
        mujoco.mj_step(model, data, n_steps)

    return calls(run, n_steps)


def _note(bench: Bench, whose: str, depths: np.ndarray) -> None:
    bench.figures[f"deepest penetration{whose}, mm"] = 1e3 * float(depths.max())
    bench.figures[f"penetration at the end{whose}, mm"] = 1e3 * float(depths[-1])


def mujoco_bin(n: int) -> Any:
    """The same bin with its default solver and elliptic cones of friction."""
    import mujoco

    kinds = mujoco.mjtGeom
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.cone = STEP, mujoco.mjtCone.mjCONE_ELLIPTIC
    friction = [FRICTION, 5e-3, 1e-4]
    for half, center in WALLS:
        spec.worldbody.add_geom(type=kinds.mjGEOM_BOX, size=half, pos=center, friction=friction)
    vertices = next(each.vertices for each in SHAPES if isinstance(each, ConvexMesh))
    spec.add_mesh(name="hull", uservert=np.ravel(vertices).tolist())
    for i, (e, place, _) in enumerate(_places(n)):
        shape = SHAPES[i % len(SHAPES)]
        inertia = 0.4 * shape_radius(shape) ** 2
        body = spec.worldbody.add_body(pos=place, quat=e, mass=1.0, inertia=[inertia] * 3, ipos=[0, 0, 0], explicitinertial=True)
        body.add_freejoint()
        match shape:
            case Box():
                geometry: dict[str, Any] = {"type": kinds.mjGEOM_BOX, "size": shape.half_lengths}
            case Sphere():
                geometry = {"type": kinds.mjGEOM_SPHERE, "size": [shape.radius, 0, 0]}
            case Capsule():
                geometry = {"type": kinds.mjGEOM_CAPSULE, "size": [shape.radius, shape.half_length, 0]}
            case Cylinder():
                geometry = {"type": kinds.mjGEOM_CYLINDER, "size": [shape.radius, shape.half_length, 0]}
            case _:
                geometry = {"type": kinds.mjGEOM_MESH, "meshname": "hull"}
        body.add_geom(friction=friction, **geometry)
    return spec.compile()


def _start(model: Any, data: Any, n: int) -> None:
    import mujoco

    mujoco.mj_resetData(model, data)
    for i, (e, _, u) in enumerate(_places(n)):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, e)
        data.qvel[6 * i : 6 * i + 3] = u[3:]
        data.qvel[6 * i + 3 : 6 * i + 6] = R.reshape(3, 3).T @ u[:3]  # in the frame of the body
