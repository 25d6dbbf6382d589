"""Speed of mobod relative to other engines, which are measured in the same run.

    python build_scripts/benchmark.py [--short] [--json FILE]

Measures: forward dynamics of the same mechanisms here (compiled and interpreted), in Pinocchio (aba) and in MuJoCo (forward); a
simulation of ten seconds; a simulation with limits; fixed steps of a quadruped on its feet, of balls and boxes; the benchmark problems of
IFToMM; a chain with and without rods that close loops; mechanisms with many loops, against MuJoCo; a user's force in Python and the same
force recorded; the overhead of Python in
realizations, short runs, witnesses and results; the time from the elements to the first accelerations; trees with every kind of element;
graphs of bodies and joints, and the Systems built from them; the export of a large FMU; a communication step of an FMU and of an empty
FMU; adjoint derivatives of an FMU, all at once and by columns; a stiff mechanism and CVODE. Peers that are not installed are omitted;
`python -m pip install -e ".[bench]"` installs them. Each time is the median of several batches. The batches of a measurement and of its
peers alternate, so that a slow period of the machine affects all of them. An empty call's time is subtracted from that of each.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import benchmark_loops
import numpy as np
from benchmark_fixed_steps import runs_of_contacts, runs_of_quadruped
from benchmark_fmus import derivatives_of_a_chain, steps_of_fmus
from benchmark_graphs import building_a_system, making_a_graph
from benchmark_iftomm import runs_of_iftomm
from benchmark_limits import run_of_fixed_steps, run_of_limits
from benchmark_mechanisms import Link, humanoid, in_mobod, pins, tree_of_33_dof
from benchmark_mixed_trees import mixed_tree
from benchmark_overheads import (
    N_POINTS,
    N_WITNESSES,
    memory_of_dropped_states,
    position_from_results,
    realizations,
    runs_of_sweep,
    runs_with_witnesses,
    short_run,
    steps_of_arm,
)
from benchmark_peers import PEERS
from benchmark_stiff import stiff_runs
from benchmark_unrecorded import simulations_with_a_force

import mobod as mb
from mobod.compilation.model_source import Code, generate, start_values
from mobod.compilation.native import NativeModel

REFERENCE = Path(__file__).parent.parent / "tests" / "reference" / "data"


@dataclass(frozen=True)
class Record:
    """Times in microseconds, and the number of steps of a run. None means not applicable, or peer not installed."""

    name: str
    ours_native_us: float | None = None
    ours_vm_us: float | None = None
    pinocchio_us: float | None = None
    mujoco_us: float | None = None
    steps: float | None = None


# measurements; each returns records


def forward_dynamics(name: str, links: list[Link], batches: int) -> Record:
    """One evaluation of all accelerations."""
    system, state = in_mobod(links)
    calls = {"ours_vm_us": _in_python(system, state)}
    overheads: dict[str, Callable[[int], float]] = {}
    with _in_c(system, state) as calls["ours_native_us"]:
        for peer in PEERS:
            if find_spec(peer.module) is not None:
                theirs = peer(links, state)
                _check_same(name, peer.__name__, theirs.u_dot(), state.u_dot)
                calls[peer.key], overheads[f"{peer.key} overhead"] = _repeated(theirs.call()), _repeated(peer([], None).call())
        times = _medians({**calls, **overheads}, batches)
    return Record(name, **{key: 1e6 * (times[key] - times.get(f"{key} overhead", 0.0)) for key in calls})


def with_rods(n: int, rods: int, batches: int) -> list[Record]:
    """A chain of pins with a rod from each third body to ground, and the same chain without rods."""
    links = pins(n, is_general=True)
    closed, opened = in_mobod(links, rods), in_mobod(links)
    with _in_c(*closed) as closed_in_c, _in_c(*opened) as opened_in_c:
        calls = {"rods": closed_in_c, "rods vm": _in_python(*closed), "none": opened_in_c, "none vm": _in_python(*opened)}
        times = {key: 1e6 * seconds for key, seconds in _medians(calls, batches).items()}
    return [
        Record(f"{n} pins with {rods} rods", times["rods"], times["rods vm"]),
        Record(f"{n} pins without the rods", times["none"], times["none vm"]),
    ]


def loops(batches: int, *, is_short: bool) -> list[Record]:
    """One evaluation of mechanisms with closed loops, here and in MuJoCo, whose loops are soft."""
    records = []
    for each in benchmark_loops.cases(is_short=is_short):
        system, state = benchmark_loops.in_mobod(each)
        with _in_c(system, state) as compiled, _in_c(system, state, "interpreted") as interpreted:
            calls = {"compiled": compiled, "interpreted": interpreted}
            if find_spec("mujoco") is not None:
                calls["MuJoCo"] = _repeated(benchmark_loops.in_mujoco(each))
            times = {key: 1e6 * seconds for key, seconds in _medians(calls, batches).items()}
        records.append(Record(each.name, times["compiled"], times["interpreted"], mujoco_us=times.get("MuJoCo")))
    return records


def mixed(n_bodies: int, batches: int) -> list[Record]:
    """A tree with every mobilizer and every force: time from the tables of the elements to a loaded library, and of one evaluation."""
    system, state = mixed_tree(n_bodies)
    compiling = _seconds(lambda: NativeModel(generate(system, state)))
    with _in_c(system, state) as call:
        running = _medians({"run": call}, batches)["run"]
    name = f"mixed tree of {n_bodies} bodies"
    return [Record(f"compile a {name}", ours_native_us=1e6 * compiling), Record(name, ours_native_us=1e6 * running)]


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
    keys = {"ours_native_us": "compiled", "ours_vm_us": "interpreted"}
    runs = {key: mb.Simulation(system, 1e-6, backend=backend) for key, backend in keys.items()}

    def time_of(simulation: mb.Simulation) -> Callable[[int], float]:
        return lambda n: _seconds(lambda: simulation.run(state, 10.0, report_every=10.0))

    calls = {key: time_of(simulation) for key, simulation in runs.items()}
    return Record("10 s of chain_Pin_7", **{key: 1e6 * seconds for key, seconds in _medians(calls, batches, calls_each=1).items()})


def limits(batches: int) -> list[Record]:
    """A coupling with limits, with impacts, rest and release: with events, and with fixed steps (about a hundred times as many)."""
    calls = {"compiled": run_of_limits("compiled"), "interpreted": run_of_limits("interpreted"), "steps": run_of_fixed_steps("compiled")}
    times = {key: 1e6 * seconds for key, seconds in _medians(calls, batches, calls_each=1).items()}
    return [
        Record("5 s of the custom joint demo", times["compiled"], times["interpreted"]),
        Record("the same by steps of 1 ms", times["steps"]),
    ]


def contacts(batches: int, *, is_short: bool) -> list[Record]:
    """Fixed steps of 1 ms of a quadruped, of balls on a floor and of stacks of boxes."""
    records = []
    for motion, runs in runs_of_quadruped().items():
        times = {key: 1e6 * seconds for key, seconds in _medians(runs, batches, calls_each=1).items()}
        records.append(Record(f"quadruped that {motion}: step", times["compiled"], times["interpreted"], mujoco_us=times.get("MuJoCo")))
    times = _medians(runs_of_contacts(is_short=is_short), batches, calls_each=1)
    return records + [Record(name, ours_native_us=1e6 * seconds) for name, seconds in times.items()]


def iftomm(accuracies: tuple[float, ...], batches: int) -> list[Record]:
    """The problems A01 to A05, each over its published time span."""
    records = []
    for accuracy in accuracies:
        for name, (steps, compiled, interpreted) in runs_of_iftomm(accuracy).items():
            times = _medians({"compiled": compiled, "interpreted": interpreted}, batches, calls_each=1)
            records.append(Record(name, 1e6 * times["compiled"], 1e6 * times["interpreted"], steps=steps))
    return records


def readiness(name: str, links: list[Link]) -> list[Record]:
    """Time from the elements to the first accelerations with bytecode, and from there to a loaded library."""
    seconds = _seconds(lambda: in_mobod(links))
    system, state = in_mobod(links)
    compiling = _seconds(lambda: NativeModel(generate(system, state)))
    return [Record(f"record and lower {name}", ours_vm_us=1e6 * seconds), Record(f"compile {name}", ours_native_us=1e6 * compiling)]


def export(n: int, folder: Path) -> Record:
    """The export of a chain of n pins as an interpreted FMU, whose library is compiled before."""
    system, _ = in_mobod(pins(n, is_general=True))
    small, _ = in_mobod(pins(1, is_general=True))

    def exported(each: mb.MultibodySystem) -> Path:
        return mb.export_fmu(each, folder / "pins.fmu", outputs=["b0.q"], code="interpreted")

    exported(small)
    return Record(f"export of {n:,} pins", ours_vm_us=1e6 * _seconds(lambda: exported(system)))


def do_step(batches: int, folder: Path) -> list[Record]:
    """A communication step of 1 ms through fmpy."""
    with steps_of_fmus(folder) as steps:
        times = _medians(steps, batches)
    return [Record(name, ours_native_us=1e6 * seconds) for name, seconds in times.items()]


def adjoints(n: int, batches: int, folder: Path) -> list[Record]:
    """The gradient of a sum of all derivatives of states of n pins with respect to all states, through fmpy."""
    times: dict[str, list[float]] = {}
    for code in ("compiled", "interpreted"):
        with derivatives_of_a_chain(n, code, folder) as calls:
            for name, seconds in _medians({name: _repeated(call) for name, call in calls.items()}, batches).items():
                times.setdefault(name, []).append(1e6 * seconds)
    return [Record(f"adjoint of {n} pins, {name}", *each) for name, each in times.items()]


def stiff(batches: int, folder: Path) -> list[Record]:
    """Two seconds of a pendulum in a rubber mount, by mobod and by CVODE with the same derivatives and at most the same error."""
    with stiff_runs(folder) as runs:
        times = _medians(runs, batches, calls_each=1)
    return [Record(name, ours_native_us=1e6 * seconds) for name, seconds in times.items()]


def overheads(batches: int) -> list[Record]:
    """Overhead of Python: realizing States, without the time to invalidate them; setting a coordinate; a short run; witnesses; results."""
    records = []
    for n in (1, 30):
        times = _medians({name: _repeated(call) for name, call in realizations(n).items()}, batches)
        compiled, interpreted = (1e6 * (times[code] - times["invalidate"]) for code in ("compiled", "interpreted"))
        records.append(Record(f"realize {n} pin{'s' if n > 1 else ''} to ACCELERATION", compiled, interpreted))
        records.append(Record(f"set_q of {n} pin{'s' if n > 1 else ''}", ours_native_us=1e6 * times["set_q"]))
    calls = {"0.01 s of one pin": short_run(), f"p_GB at {N_POINTS + 1:,} points": position_from_results(30)}
    calls |= {f"5 s of 7 pins, witnesses: {kind}": call for kind, call in runs_with_witnesses(7).items()}
    times = _medians({name: _repeated(call) for name, call in calls.items()}, batches)
    steps = _medians({backend: _repeated(steps_of_arm(backend)) for backend in ("compiled", "interpreted")}, batches)
    records.append(Record("set, step of 1 ms, read: 7 pins", *(1e6 * steps[backend] for backend in ("compiled", "interpreted"))))
    runs = runs_of_sweep()
    sweep = _medians({name: _repeated(call) for name, (_, call) in runs.items()}, batches)
    records += [Record(f"1 s of 7 pins, by {name}", ours_native_us=1e6 * seconds / runs[name][0]) for name, seconds in sweep.items()]
    return records + [Record(name, ours_native_us=1e6 * seconds) for name, seconds in times.items()]


def unrecorded(batches: int) -> list[Record]:
    """A force with `recordable = False`, and the same force recorded."""
    times = _medians(simulations_with_a_force(), batches, calls_each=1)
    return [Record(name, ours_vm_us=1e6 * seconds) for name, seconds in times.items()]


def graphs(n: int, batches: int) -> list[Record]:
    """In Python alone: making a graph of n bodies and joints, and a System of n/10."""
    calls = {f"graph of {n} bodies and joints": making_a_graph(n), f"building a System of {n // 10} joints": building_a_system(n // 10)}
    timed = {name: _repeated(call) for name, call in calls.items()}
    return [Record(name, ours_vm_us=1e6 * seconds) for name, seconds in _medians(timed, batches, calls_each=1).items()]


def _check_same(mechanism: str, peer: str, theirs: np.ndarray, ours: np.ndarray) -> None:
    """Exits if the accelerations of a peer differ from ours: times are comparable only for the same result."""
    worst = np.abs(theirs - ours).max() / np.abs(ours).max()
    if not worst < 1e-9:
        raise SystemExit(f"{mechanism}: {peer} has other accelerations, by {worst:.1e} of the largest. It is not the same mechanism.")


# measuring


def _in_python(system: mb.MultibodySystem, state: mb.State) -> Callable[[int], float]:
    """Evaluates all accelerations n times, and returns the seconds of one."""
    y = np.array(state.y)

    def evaluate() -> None:
        state.y = y
        system.realize(state, mb.Stage.ACCELERATION)

    return _repeated(evaluate)


@contextmanager
def _in_c(system: mb.MultibodySystem, state: mb.State, code: Code = "compiled") -> Iterator[Callable[[int], float]]:
    y = np.array(state.y)
    with NativeModel(generate(system, state), code).open(start_values(state), 1e-6) as run:
        yield lambda n: _seconds(lambda: run.rates(0.0, y, n)) / n


def _repeated(call: Callable[[], Any]) -> Callable[[int], float]:
    return lambda n: _seconds(lambda: [call() for _ in range(n)]) / n


def _seconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _medians(calls: dict[str, Callable[[int], float]], batches: int, calls_each: int | None = None) -> dict[str, float]:
    """Seconds per call. The batches of all functions alternate; a batch lasts about 2 ms."""
    for call in calls.values():
        call(1)  # makes and caches what the first call needs
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
    records.append(forward_dynamics("humanoid of 33 degrees of freedom", humanoid(), batches))
    records += with_rods(*((6, 2) if is_short else (30, 10)), batches)
    records += loops(min(batches, 31), is_short=is_short)
    records.append(simulation(1 if is_short else 5))
    records += limits(1 if is_short else 5)
    records += contacts(1 if is_short else 9, is_short=is_short)
    records += iftomm((1e-6,), 1) if is_short else iftomm((1e-6, 1e-8), 5)
    records += overheads(1 if is_short else 9)
    records += unrecorded(1 if is_short else 9)
    records += graphs(*((100, 1) if is_short else (10_000, 3)))
    with tempfile.TemporaryDirectory() as folder:

        def cache_for(what: str) -> AbstractContextManager[None]:
            """A context with an empty cache of compiled libraries. With --short, where times do not matter, the cache contains the
            runtime.
            """
            return _cache_in(Path(folder) / ("cache" if is_short else f"cache for {what}"))

        for n in (7,) if is_short else (30, 300, 1000):
            with cache_for(f"{n} pins"):
                records += readiness(f"{n} pins", pins(n, is_general=True))
        for n in (2,) if is_short else (30, 300, 1000):
            with cache_for(f"mixed {n}"):
                records += mixed(n, batches)
        with cache_for("steps"):
            records.append(export(7 if is_short else 3000, Path(folder)))
            records += do_step(batches, Path(folder))
            records += adjoints(3 if is_short else 30, batches, Path(folder))
            records += stiff(1 if is_short else 9, Path(folder))
    return records


@contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """A context in which libraries are cached in a folder of the benchmark."""
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
    print(f"{'':40}{'native':>16}{'interpreted':>16}{'Pinocchio':>12}{'MuJoCo':>12}{'native/Pin.':>13}{'native/MuJ.':>13}")
    for record in records:
        values = [record.ours_native_us, record.ours_vm_us, record.pinocchio_us, record.mujoco_us]
        widths = (16, 16, 12, 12)
        cells = "".join(f"{'-' if value is None else f'{value:.2f} us':>{width}}" for value, width in zip(values, widths, strict=True))
        ratios = "".join(f"{f'{record.ours_native_us / peer:.2f}' if peer and record.ours_native_us else '':>13}" for peer in values[2:])
        steps = "" if record.steps is None else f"  {record.steps:.0f} steps"
        print(f"{record.name:40}{cells}{ratios}{steps}")
    native = {record.name: record.ours_native_us for record in records if record.ours_native_us}
    chain = next((record for record in records if record.name == "30 pins"), None)
    if chain is not None and chain.pinocchio_us:
        for name in ("10 s of chain_Pin_7", "5 s of the custom joint demo", "the same by steps of 1 ms"):
            print(f"{name}, native, is {native[name] / chain.pinocchio_us:.0f} times Pinocchio's 30 pins")
    for name, seconds in native.items():
        if with_rods := re.fullmatch(r"(\d+ pins) with \d+ rods", name):
            print(f"{name}, native, is {seconds / native[f'{with_rods[1]} without the rods']:.2f} times the chain without them")
        if tree := re.fullmatch(r"mixed tree of (\d+) bodies", name):
            n_bodies, compiling = int(tree[1]), native[f"compile a {name}"]
            print(f"{name}, native, is {seconds / n_bodies:.3f} us a body; it compiles in {compiling / 1e6:.1f} s")
    for kind in ("q", "p_GB", "V_GB", "A_GB"):
        ratio = native[f"5 s of 7 pins, witnesses: {kind}"] / native["5 s of 7 pins, witnesses: none"]
        print(f"{N_WITNESSES} witnesses of {kind} that never cross: {ratio:.2f} times the run without them")
    recorded, in_python = (record.ours_vm_us for record in records if "with a force" in record.name)
    assert recorded is not None
    assert in_python is not None
    print(f"with a force in Python a simulation takes {in_python / recorded:.2f} times as long as with the same one recorded")
    of_fmi_2, of_fmi_3 = (native[f"doStep of a double pendulum{by}"] / native[f"doStep of an empty FMU{by}"] for by in ("", ", FMI 3.0"))
    print(f"doStep of a double pendulum is {of_fmi_2:.2f} times that of an empty FMU, and {of_fmi_3:.2f} times by FMI 3.0")
    together, by_columns = (seconds for name, seconds in native.items() if name.startswith("adjoint of"))
    print(f"adjoint derivatives all at once take {together / by_columns:.3f} of the time by columns")
    for name in ("mounted pendulum", "mounted pendulum as an FMU"):
        print(f"{name} takes {native[name] / native['mounted pendulum by CVODE']:.2f} times as long as CVODE with no more error")


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed, as ratios against peers measured in the same run.")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records")
    arguments = parser.parse_args()
    records = measure(is_short=arguments.short)
    show(records)
    n_states = 100 if arguments.short else 10_000
    print(f"{n_states:,} States made and dropped leave {memory_of_dropped_states(n_states):.1f} KiB")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(record) for record in records], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
