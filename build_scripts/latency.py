"""How long single steps take in a C host, and whether they allocate memory or call the operating system.

    python build_scripts/latency.py                       # 100,000 steps of each model
    python build_scripts/latency.py --steps 10000 arm     # some

Each model is exported as a compiled FMU with `bounded=True`, and stepped by tests/fmu/timed_host.c. Needs Linux, glibc and a C compiler.
The table is that of docs/concepts/real_time.md. On a machine that does other work too, the largest times are those of interruptions; those
by the clock of the thread leave out what others take.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy
from benchmarks.ensembles import four_bar
from benchmarks.quadruped import quadruped

import mobod as mb

ROOT = Path(__file__).resolve().parents[1]
HOST = ROOT / "tests" / "fmu" / "timed_host.c"
ARM = ROOT / "examples" / "arm.urdf"
STEP = 1e-3  # s


def arm() -> tuple[mb.System, mb.State]:
    system = mb.load_urdf(ARM)
    return system, system.realize_topology()


def servos() -> tuple[mb.System, mb.State]:
    """The arm with a servo on each joint, with ranges of joints and of drives."""
    system = mb.load_urdf(ARM)
    assert isinstance(system, mb.MultibodySystem)
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    for body in system.matter.bodies:
        if isinstance(body, mb.Pin):
            mb.Servo(forces, body, kp=200.0, kd=8.0, force_low=-60.0, force_high=60.0, name=f"{body.name}_servo")
    return system, system.realize_topology()


MODELS: dict[str, tuple[Callable[[], tuple[mb.System, mb.State]], str]] = {
    "arm": (arm, "RK4"),
    "quadruped that walks": (lambda: quadruped("walks"), "velocity_level"),
    "four-bar": (four_bar, "RK4"),
    "arm with servos": (servos, "velocity_level"),
}


@dataclass
class Latency:
    """ns, of steps; n_calls: of the allocator within steps"""

    first: float
    median: float
    of_ten_thousand: float
    largest: float
    largest_of_thread: float
    n_calls: int
    n_overruns: float
    makes_no_system_call: bool


def export(system: mb.System, state: mb.State, folder: Path, **options: Any) -> tuple[Path, str, str, int]:
    """The library of its FMU, unpacked into the folder, with its GUID, the URI of its resources, and the reference of the counter."""
    path = mb.export_fmu(system, folder / "plant.fmu", state=state, outputs=[], code="compiled", reference=False, bounded=True, **options)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "plant")
    described = fmpy.read_model_description(path)
    (overrun,) = [each.valueReference for each in described.modelVariables if each.name == "numerics.overrun"]
    (library,) = (folder / "plant" / "binaries").rglob("*.so")
    return library, described.guid, (folder / "plant" / "resources").as_uri(), overrun


def host(folder: Path) -> Path:
    """The compiled host."""
    program = folder / "timed_host"
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-std=c99", "-O2", str(HOST), "-o", str(program), "-ldl"], check=True)
    return program


def measured(program: Path, fmu: tuple[Path, str, str, int], n_steps: int, step: float) -> Latency:
    """Steps of an FMU in the host."""
    command = [str(program), *map(str, fmu[:3]), str(n_steps), repr(step), str(fmu[3])]
    timed = subprocess.run(command, capture_output=True, text=True, check=True)
    sealed = subprocess.run([*command, "sealed"], capture_output=True, text=True, check=False)
    first, median, most, largest, of_thread, n_calls, overruns = map(float, timed.stdout.split())
    is_sealed = sealed.returncode == 0 and sealed.stdout == "no system call\n"
    return Latency(first, median, most, largest, of_thread, int(n_calls), overruns, is_sealed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help=f"any of: {', '.join(MODELS)}")
    parser.add_argument("--steps", type=int, default=100_000)
    given = parser.parse_args()
    print("| model | integrator | median | 99.99 % | largest | largest, of the thread | first | allocator | system calls | overruns |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        program = host(Path(folder))
        for number, name in enumerate(given.models or MODELS):
            make, integrator = MODELS[name]
            own = Path(folder) / str(number)
            own.mkdir()
            found = measured(program, export(*make(), own, integrator=integrator, step=STEP), given.steps, STEP)
            times = (found.median, found.of_ten_thousand, found.largest, found.largest_of_thread, found.first)
            cells = [name, integrator, *(f"{each / 1000:.1f} us" for each in times), f"{found.n_calls} calls"]
            cells += ["none" if found.makes_no_system_call else "yes", f"{found.n_overruns:.0f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
