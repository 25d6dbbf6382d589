"""Load every MJCF file of a folder, compare its numbers with MuJoCo, run it and export it.

    python build_scripts/mjcf_files.py FOLDER... [--only TEXT] [--run] [--export] [--limit SECONDS] [--json FILE] [--table]

For each MJCF file that MuJoCo itself compiles: the mass matrix, bias less passive forces, and accelerations at random states, relative to
their largest entry, with contacts, limits, friction, equalities and what mobod leaves out switched off in both; the actuator forces; the
sensors. --run simulates 1 s from the keyframe (or qpos0), --export writes the FMU and validates it. Each file has a process of its own,
which --limit ends. Prints a line for each file; --table prints the rows of docs/validation/robot_files.md.
"""

import argparse
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mjcf_comparison import Differences, differences

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled import compiled
from mobod.files.mjcf.mjcf import load_mjcf
from mobod.fmu.names import usable_model_name

HARMLESS = {"mujoco", "soft", "name", "start", "mesh", "margin", "ignored", "condim", "collision", "mocap", "sensor"}
ACCURACY = 1e-4  # of the run
UNTIL = 1.0  # s
RAN, VALID = r"\d+\.\d s", "valid"


@dataclass
class Row:
    """What was found of one file.

    error    why it does not load, or cannot be compared
    run      '0.12 s' of processor time, or the error
    export   'valid', or what validation finds, or the error
    findings counts by kind
    """

    file: str
    dofs: int = 0
    error: str = ""
    differences: Differences = field(default_factory=Differences)
    build_time: float = float("nan")  # s
    run: str = ""
    export: str = ""
    findings: dict[str, int] = field(default_factory=dict)

    @property
    def is_equal(self) -> bool:
        return not self.error and self.differences.is_equal

    @property
    def is_whole(self) -> bool:
        """Whether all that changes the motion is there, apart from condim 4 and 6 and pairs of shapes without a distance in mobod."""
        return not self.error and not set(self.findings) - HARMLESS

    @property
    def has_run(self) -> bool:
        return re.fullmatch(RAN, self.run) is not None

    @property
    def is_valid(self) -> bool:
        return self.export == VALID

    def line(self) -> str:
        numbers = " ".join(f"{each:8.1e}" for each in self.differences.numbers())
        what = self.error[:200] or ", ".join(f"{kind} {n}" for kind, n in self.findings.items() if kind not in ("soft", "name"))
        mark = "FAILED" if self.error or not self.is_equal else "whole " if self.is_whole else "part  "
        return f"{mark} {self.file[-60:]:60} {self.dofs:4d} {numbers} {self.run:7} {self.export:7} {what}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path contains this")
    parser.add_argument("--contact", action="store_true", help="make contacts too, for their findings and for the run")
    parser.add_argument("--integrator", choices=["error_control", "velocity_level"], default="error_control", help="of the run")
    parser.add_argument("--most-dofs", type=int, default=150, help="leave out larger models")
    parser.add_argument("--run", action="store_true", help="simulate 1 s")
    parser.add_argument("--export", action="store_true", help="write an FMU and validate it")
    parser.add_argument("--limit", type=float, default=600.0, metavar="SECONDS", help="for each file")
    parser.add_argument("--debug", action="store_true", help="stop at the first error")
    parser.add_argument("--json", type=Path, help="write the rows there")
    parser.add_argument("--table", action="store_true", help="print the counts of each folder as rows of a table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    by_folder = {folder: list(_rows(folder, options)) for folder in options.folders}
    rows = [row for each in by_folder.values() for row in each]
    print(_counts(rows))
    if options.table:
        for folder, each in by_folder.items():
            print(f"| {folder.name} | {' | '.join(map(str, _numbers(each)))} |")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    return 0 if all(row.is_equal for row in rows) else 1


def _rows(folder: Path, options: argparse.Namespace) -> Iterator[Row]:
    for path in mjcf_files(folder):
        if options.only in str(path):
            row = _row(path, folder, options) if options.debug else _in_a_process(path, folder, options)
            if row is not None:
                print(row.line(), flush=True)
                yield row


def _numbers(rows: list[Row]) -> tuple[int, ...]:
    """Files, equal, whole, that ran, valid."""
    return len(rows), *(sum(getattr(row, what) for row in rows) for what in ("is_equal", "is_whole", "has_run", "is_valid"))


def _counts(rows: list[Row]) -> str:
    files, equal, whole, ran, valid = _numbers(rows)
    return f"{files} files, {equal} equal, {whole} whole, {ran} ran, {valid} valid, {sum(bool(row.error) for row in rows)} not loaded"


def mjcf_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.xml")) if folder.is_dir() else [folder]:
        if "<mujoco" in (text := path.read_text(encoding="utf-8", errors="replace")) and "<mujocoinclude" not in text:
            yield path


def _in_a_process(path: Path, folder: Path, options: argparse.Namespace) -> Row | None:
    """The row, which a process of its own makes and sends whenever it has more of it."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_send_row, args=(sender, path, folder, options))
    process.start()
    sender.close()
    row, doing, end = Row(str(path)), "compiling", time.monotonic() + options.limit
    while doing != "done":
        if not receiver.poll(max(end - time.monotonic(), 0.0)):
            _kill(process)
            _set_trouble(row, doing, f"{doing} takes longer than {options.limit:g} s")
            break
        try:
            row, doing = receiver.recv()
        except EOFError:
            _set_trouble(row, doing, f"the process ended while {doing}")
            break
    process.join()
    return row


def _set_trouble(row: Row, doing: str, trouble: str) -> None:
    setattr(row, {"running": "run", "exporting": "export"}.get(doing, "error"), trouble)


def _kill(process: multiprocessing.Process) -> None:
    """With the processes that it has started."""
    if hasattr(os, "killpg") and process.pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _send_row(sender: Connection, path: Path, folder: Path, options: argparse.Namespace) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    row = _row(path, folder, options, lambda row, doing: sender.send((row, doing)))
    sender.send((row, "done"))


def compiled_model(path: Path, folder: Path) -> Any:
    """None for a file that MuJoCo does not compile, such as a fragment, or without joints."""
    try:
        m = compiled(path, [folder], Findings(path, strict=False))
    except mb.MobodError as error:
        if "refuses it" not in str(error):
            print(f"       {path}: {error}")
        return None
    return m if m.nv else None


def _row(path: Path, folder: Path, options: argparse.Namespace, report: Any = lambda row, doing: None) -> Row | None:
    """None for a file that is not tried."""
    m = compiled_model(path, folder)
    if m is None or m.nv > options.most_dofs:
        return None
    row = Row(str(path), dofs=m.nv)
    try:
        report(row, "building")
        _build(row, path, folder, has_contact=options.contact)
        report(row, "comparing")
        row.differences = differences(path, folder, m)
        if options.run:
            report(row, "running")
            row.run = simulated(path, folder, m, options)
        if options.export:
            report(row, "exporting")
            row.export = exported(path, folder, m)
    except Exception as error:  # one file is one row
        row.error = f"{type(error).__name__}: {error}".replace("\n", " ")
        if options.debug:
            raise
    return row


def _build(row: Row, path: Path, folder: Path, *, has_contact: bool) -> None:
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", mb.ModelFileWarning)
        load_mjcf(path, folders=[folder], contact="rigid" if has_contact else None)
    row.build_time = time.perf_counter() - begin
    row.findings = dict(Counter(each.kind for warning in caught for each in getattr(warning.message, "findings", ())))


def simulated(path: Path, folder: Path, m: Any, options: argparse.Namespace) -> str:
    """'0.12 s' of processor time, or the error."""
    begin = time.process_time()
    try:
        system = load_mjcf(path, folders=[folder], keyframe=0 if m.nkey else None, contact="rigid" if options.contact else None)
        if options.integrator == "velocity_level":
            simulation = mb.Simulation(system, integrator="velocity_level", step=float(m.opt.timestep))
        else:
            simulation = mb.Simulation(system, accuracy=ACCURACY)
        simulation.run(system.realize_topology(), until=UNTIL)
    except mb.MobodError as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")
    return f"{time.process_time() - begin:.1f} s"


def exported(path: Path, folder: Path, m: Any) -> str:
    """'valid', or what validation finds, or the error."""
    with tempfile.TemporaryDirectory() as temporary:
        try:
            system = load_mjcf(path, folders=[folder], keyframe=0 if m.nkey else None)
            state = system.realize_topology()
            variables = system.variables(state)
            fmu = Path(temporary) / "robot.fmu"
            name = usable_model_name(system.name)
            inputs, outputs = ([each.name for each in variables if each.role == role] for role in ("input", "state"))
            mb.export_fmu(system, fmu, inputs=inputs, outputs=outputs, code="interpreted", reference=False, name=name)
        except mb.MobodError as error:
            return f"{type(error).__name__}: {error}".replace("\n", " ")
        report = validate_fmu(fmu)
        wrong = [f"{check.name}: {each.message}" for check in report.checks for each in check.findings if each.severity == "error"]
        return VALID if report.is_valid else "; ".join(wrong)


if __name__ == "__main__":
    sys.exit(main())
