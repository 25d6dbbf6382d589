"""The program lanes_driver.c, which integrates runs of a model alone or side by side in lanes, and the files that it reads."""

import subprocess
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

import mobod as mb
from mobod.compilation.source.model_source import start_values
from mobod.fmu.native_export import TABLES
from mobod.native_sources import native_file, native_files, native_folders, runtime_sources
from mobod.runtime.integrators import integrator_number
from tests.ensembles.mechanisms_with_events import Runs

HERE = Path(__file__).parent
_READER = tuple(name for name, path in native_files().items() if path.parent.name == "reading")  # reads tables, as interpreted FMUs do
SOURCES = [native_file(name) for name in (*runtime_sources("lanes"), *_READER) if name.endswith(".c")]
_FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off", "-fno-math-errno")
_FOLDERS = tuple(f"-I{folder}" for folder in native_folders())


@dataclass(frozen=True)
class ExportedRuns:
    """The tables of a mechanism, and the starts of its runs.

    numbers  as text: of the starts, the offset of computed numbers; the integrator, accuracy and step
    """

    name: str
    tables: Path
    starts: Path
    numbers: tuple[str, str, str, str, str]


@dataclass(frozen=True)
class LanesProgram:
    """command: runs it on this machine."""

    command: Sequence[str]

    def results(self, runs: ExportedRuns, mode: Literal["alone", "lanes"], until: float) -> str:
        """Outcomes, numbers of steps, and the bits of y at report times and at the end, of each run."""
        arguments = (mode, str(runs.tables), str(runs.starts), *runs.numbers[:2], str(until), *runs.numbers[2:])
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def export_runs(make: Callable[[int], Runs], count: int, folder: Path) -> ExportedRuns:
    """The files of so many runs of a mechanism."""
    name, runs = make.__name__, make(count)
    fmu = mb.export_fmu(runs.system, folder / f"{name}.fmu", outputs=[], state=runs.states[0], code="interpreted")
    tables, starts = folder / f"{name}.mobod", folder / f"{name}.starts"
    tables.write_bytes(zipfile.ZipFile(fmu).read(TABLES))
    starts.write_bytes(np.array([start_values(state) for state in runs.states]).tobytes())
    layout, options = runs.states[0].layout, mb.Simulation(runs.system, **runs.options).options
    first_computed = layout.discrete.offset + layout.discrete.size
    steps = (str(integrator_number(options.integrator)), repr(options.accuracy), repr(options.step))
    return ExportedRuns(name, tables, starts, (str(layout.size), str(first_computed), *steps))


def build_program(compiler: Sequence[str], flags: Sequence[str], folder: Path, emulator: Sequence[str] = ()) -> LanesProgram:
    """The program, built with these flags besides the usual ones."""
    program = folder / "lanes_driver"
    command = [*compiler, *_FLAGS, *_FOLDERS, *flags, *map(str, SOURCES), str(HERE / "lanes_driver.c"), "-o", str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return LanesProgram((*emulator, str(program)))
