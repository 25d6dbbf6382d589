"""Speed, as ratios against peers measured in the same run.

    python build_scripts/benchmark.py [--short] [--json FILE]

Forward dynamics of the same mechanisms here (native and virtual machine), in Pinocchio (aba) and in MuJoCo (forward); a simulation of ten
seconds; the time to make a mechanism ready; a communication step of an FMU against that of an FMU that does nothing. Peers that are not
installed are left out: python -m pip install -e ".[bench]" brings them. Each time is the median of several batches, in turn with those of
its peers, so that a slow spell of the machine slows all of them; what a call of a peer costs that does nothing is subtracted.
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod.compile.compiler import build_library
from mobod.compile.model_source import generate, start_values
from mobod.compile.native import NativeModel

_FMI_HEADERS = Path(fmpy.__file__).parent / "c-code"
REFERENCE = Path(__file__).parent.parent / "tests" / "reference" / "data"


@dataclass(frozen=True)
class Record:
    """Microseconds; None where it does not apply or the peer is not installed."""

    name: str
    ours_native_us: float | None = None
    ours_vm_us: float | None = None
    pinocchio_us: float | None = None
    mujoco_us: float | None = None


# mechanisms: a list of joints, the parent of each and the placement of its frame in the parent's, the body's mass in its own frame


@dataclass(frozen=True)
class Link:
    parent: int  # number of the link; -1: ground
    is_free: bool
    R: np.ndarray
    p: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # about the mass center


def pins(n: int, is_general: bool) -> list[Link]:
    rng = np.random.default_rng(n)
    return [_pin(i - 1, is_general, rng, at_start=i == 0) for i in range(n)]


def tree_of_33_dof() -> list[Link]:
    """A free trunk with five branches of pins: the size of a humanoid."""
    rng = np.random.default_rng(33)
    links = [Link(-1, True, np.eye(3), np.zeros(3), 10.0, rng.normal(size=3) * 0.1, np.diag([0.9, 0.7, 0.5]))]
    for length in (6, 6, 6, 6, 3):
        parent = 0
        for _ in range(length):
            links.append(_pin(parent, True, rng, at_start=False))
            parent = len(links) - 1
    return links


def _pin(parent: int, is_general: bool, rng: np.random.Generator, *, at_start: bool) -> Link:
    if not is_general:
        return Link(
            parent, False, np.eye(3), np.array([0, 0.0 if at_start else -1.0, 0]), 1.0, np.array([0, -0.5, 0]), np.diag([0.08, 0.01, 0.08])
        )
    R, turn = (Rotation.random(random_state=rng).as_matrix() for _ in range(2))
    return Link(
        parent,
        False,
        R,
        rng.uniform(-0.5, 0.5, 3),
        rng.uniform(0.5, 2),
        rng.uniform(-0.3, 0.3, 3),
        turn @ np.diag([0.09, 0.07, 0.05]) @ turn.T,
    )


def in_mobod(links: list[Link]) -> tuple[mb.MultibodySystem, mb.State]:
    system = mb.MultibodySystem("benchmark")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    bodies: list[Any] = []
    for i, link in enumerate(links):
        about_origin = link.inertia + link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com))
        parent = matter.ground if link.parent < 0 else bodies[link.parent]
        mobilizer = mb.Free if link.is_free else mb.Pin
        bodies.append(mobilizer(parent, mb.MassProperties(link.mass, link.com, about_origin), mb.Transform(link.R, link.p), name=f"b{i}"))
    state = system.realize_topology()
    for i, body in enumerate(bodies):
        if not links[i].is_free:
            body.set_q(state, 0.3 + 0.02 * i)
        body.set_u(state, 0.2 - 0.01 * (i + np.arange(body.nu)))
    system.realize(state, mb.Stage.ACCELERATION)
    return system, state


# what is measured, a call of each in turn


def forward_dynamics(name: str, links: list[Link], batches: int) -> Record:
    """One evaluation of all accelerations."""
    system, state = in_mobod(links)
    calls: dict[str, Callable[[int], float]] = {"ours_vm_us": lambda n: _vm_time(system, state, n)}
    overheads: dict[str, Callable[[int], float]] = {}
    with NativeModel(generate(system, state)).open(start_values(state), 1e-6) as run:
        y = np.array(state.y)
        calls["ours_native_us"] = lambda n: _seconds(lambda: run.rates(0.0, y, n)) / n
        for peer, key in ((_Pinocchio, "pinocchio_us"), (_MuJoCo, "mujoco_us")):
            if find_spec(peer.module) is not None:
                ours = peer(links, state)
                _check_same(name, peer.__name__, ours.u_dot(), state.u_dot)
                calls[key], overheads[key] = ours.time, peer([], None).time
        times = _medians({**calls, **{f"{key} overhead": call for key, call in overheads.items()}}, batches)
    return Record(name, **{key: 1e6 * (times[key] - times.get(f"{key} overhead", 0.0)) for key in calls})


def simulation(batches: int) -> Record:
    """Ten seconds of the seven-pin chain of the reference data, at accuracy 1e-6."""
    case = json.loads((REFERENCE / "chains.json").read_text())["cases"][0]
    system = mb.MultibodySystem("chain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    gravity = case["model"]["forces"][0]
    mb.Gravity(forces, matter, down=gravity["down"], magnitude=gravity["g"])
    bodies: list[Any] = [matter.ground]
    for body in case["model"]["bodies"][1:]:
        mass = mb.MassProperties(body["mass"], body["com"], body["inertia_about_origin"])
        frames = [mb.Transform(body[frame]["R"], body[frame]["p"]) for frame in ("X_PF", "X_BM")]
        bodies.append(mb.Pin(bodies[body["parent"]], mass, *frames, name=body["name"]))
    state = system.realize_topology()
    state.q, state.u = case["states"][0]["q"], case["states"][0]["u"]
    runs = {f"ours_{backend}_us": mb.Simulation(system, 1e-6, backend=backend) for backend in ("native", "vm")}

    def time_of(simulation: mb.Simulation) -> Callable[[int], float]:
        return lambda n: _seconds(lambda: simulation.run(state, 10.0, report_every=10.0))

    calls = {key: time_of(simulation) for key, simulation in runs.items()}
    return Record("10 s of chain_Pin_7", **{key: 1e6 * seconds for key, seconds in _medians(calls, batches, calls_each=1).items()})


def readiness(name: str, links: list[Link], cache: Path) -> list[Record]:
    """From elements to the first accelerations on the virtual machine; from there to a loaded library, nothing of it cached."""
    seconds = _seconds(lambda: in_mobod(links))
    system, state = in_mobod(links)
    shutil.rmtree(cache, ignore_errors=True)
    compiling = _seconds(lambda: NativeModel(generate(system, state)))
    return [Record(f"record and lower {name}", ours_vm_us=1e6 * seconds), Record(f"compile {name}", ours_native_us=1e6 * compiling)]


def do_step(batches: int, folder: Path) -> list[Record]:
    """A communication step of 1 ms through fmpy: of a double pendulum, and of an FMU that does nothing."""
    system, state = in_mobod(pins(2, is_general=False))
    mb.export_fmu(system, folder / "pendulum.fmu", outputs=["b1.q"], state=state)
    unpacked = Path(fmpy.extract(str(folder / "pendulum.fmu"), unzipdir=str(folder / "pendulum")))
    description = fmpy.read_model_description(str(unpacked))
    empty = build_library("empty", {"empty.c": empty_fmu()})
    slaves = {
        "doStep of a double pendulum": FMU2Slave(
            guid=description.guid,
            unzipDirectory=str(unpacked),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="ours",
        ),
        "doStep of an empty FMU": FMU2Slave(
            guid="", unzipDirectory=str(unpacked), modelIdentifier="empty", instanceName="empty", libraryPath=str(empty)
        ),
    }
    times = dict.fromkeys(slaves, 0.0)
    for slave in slaves.values():
        slave.instantiate()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
    steps = dict.fromkeys(slaves, 0)

    def time_of(name: str) -> Callable[[int], float]:
        def call(n: int) -> float:
            slave, first = slaves[name], steps[name]
            steps[name] += n
            return (
                _seconds(lambda: [slave.doStep(currentCommunicationPoint=(first + k) * 1e-3, communicationStepSize=1e-3) for k in range(n)])
                / n
            )

        return call

    times = _medians({name: time_of(name) for name in slaves}, batches)
    slaves["doStep of a double pendulum"].terminate()
    for slave in slaves.values():
        slave.freeInstance()
    return [Record(name, ours_native_us=1e6 * seconds) for name, seconds in times.items()]


def empty_fmu() -> str:
    """C of an FMU whose functions do nothing: what a call through fmpy costs by itself."""
    header = (_FMI_HEADERS / "fmi2FunctionTypes.h").read_text()
    names = sorted({name for name in re.findall(r"\b(fmi2[A-Z]\w*)TYPE\b", header) if name != "fmi2Instantiate"})
    functions = [f"EXPORT int {name}(void) {{ return 0; }}" for name in names]
    export = '#ifdef _WIN32\n#define EXPORT __declspec(dllexport)\n#else\n#define EXPORT __attribute__((visibility("default")))\n#endif'
    return "\n".join([export, "static int instance;", "EXPORT void *fmi2Instantiate(void) { return &instance; }", *functions, ""])


# peers


class _Pinocchio:
    """Articulated-body algorithm, called from Python; without links, what such a call costs by itself."""

    module = "pinocchio"

    def __init__(self, links: list[Link], state: mb.State | None):
        import pinocchio as pin

        self.pin, self.model = pin, pin.Model()
        self.model.gravity.linear = np.array([0, -9.81, 0])
        joints: list[int] = []
        for i, link in enumerate(links):
            joint = pin.JointModelFreeFlyer() if link.is_free else pin.JointModelRZ()
            joints.append(self.model.addJoint(joints[link.parent] if link.parent >= 0 else 0, joint, pin.SE3(link.R, link.p), f"j{i}"))
            self.model.appendBodyToJoint(joints[-1], pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
        self.data = self.model.createData()
        self.q, self.v = np.zeros(self.model.nq), np.zeros(self.model.nv)
        self.is_free = bool(links) and links[0].is_free
        if state is not None:
            self.q[:], self.v[:] = state.q, state.u
            if self.is_free:  # position first, then the quaternion, its scalar last; velocities in the body's frame, here Ground's
                self.q[:7] = [*state.q[4:7], *state.q[1:4], state.q[0]]
                self.v[:6] = [*state.u[3:6], *state.u[:3]]
        self.tau = np.zeros(self.model.nv)

    def u_dot(self) -> np.ndarray:
        a = self.pin.aba(self.model, self.data, self.q, self.v, self.tau).copy()
        if self.is_free:
            a[:6] = [*a[3:6], *(a[:3] + np.cross(self.v[3:6], self.v[:3]))]  # theirs is the derivative in the moving frame
        return a

    def time(self, n: int) -> float:
        aba, arguments = self.pin.aba, (self.model, self.data, self.q, self.v, self.tau)
        return _seconds(lambda: [aba(*arguments) for _ in range(n)]) / n


class _MuJoCo:
    """Forward dynamics, called from Python; without links, what such a call costs by itself."""

    module = "mujoco"

    def __init__(self, links: list[Link], state: mb.State | None):
        import mujoco

        self.mujoco = mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = [0, -9.81, 0]
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        bodies: list[Any] = []
        for link in links:
            parent = bodies[link.parent] if link.parent >= 0 else spec.worldbody
            x, y, z, w = Rotation.from_matrix(link.R).as_quat()
            i = link.inertia
            body = parent.add_body(pos=link.p, quat=[w, x, y, z], mass=link.mass, ipos=link.com, explicitinertial=True)
            body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
            if link.is_free:
                body.add_freejoint()
            else:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
            bodies.append(body)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.is_free = bool(links) and links[0].is_free
        if state is not None:
            self.data.qpos[:], self.data.qvel[:] = state.q, state.u
            if self.is_free:
                self.data.qpos[:7] = [*state.q[4:7], *state.q[:4]]
                self.data.qvel[:6] = [*state.u[3:6], *state.u[:3]]

    def u_dot(self) -> np.ndarray:
        self.mujoco.mj_forward(self.model, self.data)
        a = self.data.qacc.copy()
        if self.is_free:
            a[:6] = [*a[3:6], *a[:3]]
        return a

    def time(self, n: int) -> float:
        forward, model, data = self.mujoco.mj_forward, self.model, self.data
        return _seconds(lambda: [forward(model, data) for _ in range(n)]) / n


def _check_same(mechanism: str, peer: str, theirs: np.ndarray, ours: np.ndarray) -> None:
    """A ratio of times means something only for the same result."""
    worst = np.abs(theirs - ours).max() / np.abs(ours).max()
    if not worst < 1e-9:
        raise SystemExit(f"{mechanism}: {peer} has other accelerations, by {worst:.1e} of the largest. It is not the same mechanism.")


# measuring


def _vm_time(system: mb.MultibodySystem, state: mb.State, n: int) -> float:
    y = np.array(state.y)

    def evaluate() -> None:
        for _ in range(n):
            state.y = y
            system.realize(state, mb.Stage.ACCELERATION)

    return _seconds(evaluate) / n


def _seconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _medians(calls: dict[str, Callable[[int], float]], batches: int, calls_each: int | None = None) -> dict[str, float]:
    """Seconds a call, the batches of all in turn. A batch lasts about 2 ms."""
    for call in calls.values():
        call(1)  # what is made on first use
    each = {key: calls_each or _calls_in_a_batch(call) for key, call in calls.items()}
    times: dict[str, list[float]] = {key: [] for key in calls}
    for _ in range(batches):
        for key, call in calls.items():
            times[key].append(call(each[key]))
    return {key: median(values) for key, values in times.items()}


def _calls_in_a_batch(call: Callable[[int], float]) -> int:
    few = max(1, int(2e-4 / max(call(1), 1e-8)))
    return max(1, int(2e-3 / max(call(few), 1e-8)))


def measure(*, is_short: bool) -> list[Record]:
    batches, sizes = (3, (1, 7)) if is_short else (101, (1, 7, 30, 100))
    records = []
    for n in sizes:
        records.append(forward_dynamics(f"{n} pins", pins(n, is_general=False), batches))
        records.append(forward_dynamics(f"{n} pins, general frames", pins(n, is_general=True), batches))
    if not is_short:
        records.append(forward_dynamics("tree of 33 degrees of freedom", tree_of_33_dof(), batches))
    records.append(simulation(1 if is_short else 5))
    with tempfile.TemporaryDirectory() as folder, _cache_in(Path(folder) / "cache"):
        for n in (7,) if is_short else (30, 300, 1000):
            records += readiness(f"{n} pins", pins(n, is_general=True), Path(folder) / "cache")
        records += do_step(batches, Path(folder))
    return records


@contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Libraries are cached in a folder of the benchmark's own, so that nothing is found compiled."""
    before = os.environ.get("MOBOD_CACHE")
    os.environ["MOBOD_CACHE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["MOBOD_CACHE"]
        else:
            os.environ["MOBOD_CACHE"] = before


def show(records: list[Record]) -> None:
    print(f"{'':40}{'native':>12}{'vm':>12}{'Pinocchio':>12}{'MuJoCo':>12}{'native/Pin.':>13}{'native/MuJ.':>13}")
    for record in records:
        values = [record.ours_native_us, record.ours_vm_us, record.pinocchio_us, record.mujoco_us]
        cells = "".join(f"{'-' if value is None else f'{value:.2f} us':>12}" for value in values)
        ratios = "".join(f"{f'{record.ours_native_us / peer:.2f}' if peer and record.ours_native_us else '':>13}" for peer in values[2:])
        print(f"{record.name:40}{cells}{ratios}")
    by_name = {record.name: record for record in records}
    run, chain = by_name["10 s of chain_Pin_7"], by_name.get("30 pins")
    if chain is not None and chain.pinocchio_us and run.ours_native_us:
        print(f"10 s of chain_Pin_7, native, is {run.ours_native_us / chain.pinocchio_us:.0f} times Pinocchio's 30 pins")
    ours, empty = by_name["doStep of a double pendulum"].ours_native_us, by_name["doStep of an empty FMU"].ours_native_us
    if ours and empty:
        print(f"doStep of a double pendulum is {ours / empty:.2f} times that of an empty FMU")


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed, as ratios against peers measured in the same run.")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records")
    arguments = parser.parse_args()
    records = measure(is_short=arguments.short)
    show(records)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(record) for record in records], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
