"""A plant beside a controller in the master, each FMU in a process of its own, at the pace of the clock for an hour.

    python build_scripts/check.py soak            # an hour
    python build_scripts/soak.py --minutes 5      # or another time

The plant has steps of bounded work. Once a second a row is checked: the memory of the master and of its processes stays within what they
had after the first tenth of the time, the time of the run stays at that of the clock, the log stays below its limit, and the pendulum at
its target. Exit code: 1 if anything else was found, which is printed.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import mobod as mb
from mobod.fmi.log_file import LogFile

STEP, OF_MASTER = 2e-3, 10e-3  # s, of plant and controller; of the master, which a busy machine reaches too
STIFFNESS, DAMPING, TARGET = 30.0, 5.0, 1.2  # N m/rad, N m s/rad, rad
LOG_LIMIT = 100_000  # bytes
MOST_GROWTH = 2_000_000  # bytes of memory, after the first tenth: allocators keep some
MOST_DRIFT = 0.05  # s, at the end of a second: what a busy machine delays, and no sum of such delays


@dataclass
class Row:
    """After a second: the run's time and that of the clock, s; resident bytes of all processes; bytes of the log; rad from the target."""

    time: float
    clock: float
    memory: int
    log: int
    error: float


def plant() -> mb.MultibodySystem:
    """A pendulum with a motor and a stop."""
    system = mb.MultibodySystem("plant")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0])
    arm = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, -0.5, 0], inertia), name="arm")
    arm.set_limits(-2.0, 2.0, 0.5)
    mb.MobilityForce(forces, arm, name="motor")
    return system


def controller() -> mb.MultibodySystem:
    """A torque that holds an angle: stiffness, damping, and the weight of the pendulum as an integral."""
    system = mb.MultibodySystem("controller")
    angle = mb.measures.Variable(system, 0.0, unit="rad", name="angle")
    rate = mb.measures.Variable(system, 0.0, unit="rad/s", name="rate")
    missing = mb.measures.Custom(system, lambda state: TARGET - angle.value(state), stage=mb.Stage.TIME, unit="rad", name="missing")
    total = mb.measures.Integrate(system, missing, name="total")

    def torque(state: mb.State) -> object:
        return STIFFNESS * ((TARGET - angle.value(state)) + total.value(state)) - DAMPING * rate.value(state)

    mb.measures.Custom(system, torque, stage=mb.Stage.ACCELERATION, unit="N.m", name="torque")
    return system


def network(folder: Path) -> mb.Network:
    """Both as isolated FMUs."""
    options = {"integrator": "RK4", "step": STEP, "reference": False}
    mb.export_fmu(plant(), folder / "plant.fmu", inputs=["motor.force"], outputs=["arm.q", "arm.u"], bounded=True, **options)  # type: ignore[arg-type]  # options of several types
    mb.export_fmu(controller(), folder / "controller.fmu", inputs=["angle.value", "rate.value"], outputs=["torque.value"], **options)  # type: ignore[arg-type]  # the same
    both = mb.Network()
    both.add(folder / "plant.fmu", isolate=True)
    both.add(folder / "controller.fmu", isolate=True)
    both.connect("plant.arm.q", "controller.angle.value")
    both.connect("plant.arm.u", "controller.rate.value")
    both.connect("controller.torque.value", "plant.motor.force")
    return both


def resident_bytes() -> int:
    """Of this process and all that it has started, on Linux."""
    found, pages = {Path("/proc/self").resolve().name}, 0
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[folder.name] = (folder / "stat").read_text().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue  # it has ended
    while more := {name for name, parent in parents.items() if parent in found} - found:
        found |= more
    for name in found:
        try:
            pages += int(Path(f"/proc/{name}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * 4096


def soak(minutes: float) -> list[Row]:
    """The rows of a run."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "run.log"
        master = mb.Master(network(Path(folder)), step=OF_MASTER)
        with master.start(outputs=["plant.arm.q"], log=LogFile(log, limit=LOG_LIMIT)) as run:
            run.until(1.0)  # the first second is not paced
            began = time.perf_counter()
            for second in range(1, round(60 * minutes) + 1):
                until = 1.0 + second
                left = began + second - time.perf_counter()
                table = run.until(until, pace=1.0 / max(left, 0.5))  # after a late second the next one is shorter
                angle = float(table["plant.arm.q"][-1])
                rows.append(Row(run.time - 1.0, time.perf_counter() - began, resident_bytes(), log.stat().st_size, abs(angle - TARGET)))
                if second % 60 == 0 or second == 1:
                    row = rows[-1]
                    print(
                        f"{row.time:7.0f} s, {row.clock - row.time:+.4f} s of the clock, {row.memory / 1e6:.1f} MB, log {row.log} bytes, "
                        f"{row.error:.1e} rad from the target",
                        flush=True,
                    )
    return rows


def findings(rows: list[Row]) -> list[str]:
    """What is wrong."""
    found, settled = [], rows[len(rows) // 10 :]
    growth = max(row.memory for row in settled) - settled[0].memory
    if growth > MOST_GROWTH:
        found.append(f"memory grew by {growth} bytes, from {settled[0].memory}")
    drift = rows[-1].clock - rows[-1].time
    if not abs(drift) <= MOST_DRIFT:
        found.append(f"the run is {drift:.3f} s behind the clock")
    if (largest := max(row.log for row in rows)) > 2 * LOG_LIMIT:
        found.append(f"the log has {largest} bytes, and its limit is {LOG_LIMIT}")
    if not max(row.error for row in settled) < 1e-3:
        found.append(f"the pendulum is {max(row.error for row in settled)} rad from its target")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    rows = soak(parser.parse_args().minutes)
    wrong = findings(rows)
    late = max(row.clock - row.time for row in rows)
    memory = [row.memory / 1e6 for row in rows[len(rows) // 10 :]]
    print(f"{len(rows)} s: at most {late:.4f} s late, memory {min(memory):.1f} to {max(memory):.1f} MB, log {rows[-1].log} bytes")
    print("\n".join(wrong) if wrong else "passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
