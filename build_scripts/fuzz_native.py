"""Fuzzing of the C runtime: its tables and saved states by libFuzzer, and instances in threads by the thread sanitizer."""

import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz_tools import MissingToolError

from mobod.native_sources import Use, runtime_sources

ROOT = Path(__file__).resolve().parents[1]
DRIVERS = ROOT / "tests" / "native"
EXAMPLES = ROOT / "examples"
READS = {"tables": "tables of models, by the runtime in C", "states": "saved states of FMUs, by the runtime in C"}

_MEMORY = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
_THREADS = ["-fsanitize=thread"]
_OF_FMUS = ("fmi", "resource_tables", "file_of_uri")  # sources that only FMUs need
_FIXED: dict[str, Any] = {"integrator": "velocity_level", "step": 0.01}
# a System of an example, and how it is exported: they reach most parts of the runtime
_MODELS: dict[str, tuple[str, str, tuple[float, ...], dict[str, Any]]] = {
    "events": ("09_events.py", "bouncing_ball", (), {"fmi_version": "3.0"}),
    "measures": ("10_measures.py", "crane", (), {"inputs": ["gain.value"]}),
    "loop": ("04_four_bar.py", "four_bar", (), {"integrator": "Rodas5P"}),
    "limits": ("13_joint_with_limits.py", "custom_joint_demo", (), {}),
    "limits in fixed steps": ("13_joint_with_limits.py", "custom_joint_demo", (), _FIXED),
    "friction": ("16_block_on_incline.py", "block_on_incline", (0.3,), {}),
    "friction in fixed steps": ("16_block_on_incline.py", "block_on_incline", (0.3,), _FIXED),
}
_MODEL_OF_STATES = "measures"


def program(name: str, folder: Path) -> tuple[list[str], Mapping[str, str], Iterator[bytes]]:
    """libFuzzer with the runtime: its command, its environment variables, and the first files. Raises MissingToolError."""
    clang = shutil.which("clang")
    if clang is None:
        raise MissingToolError(
            f"{name} needs clang, which is not on the PATH. Install the packages clang, with libFuzzer, and llvm, which names the lines: "
            "apt-get install clang libclang-rt-dev llvm"
        )
    built = folder / "build"
    objects = _runtime(clang, built, ["-fsanitize=fuzzer-no-link", *_MEMORY])
    fuzzer = _link([clang, "-fsanitize=fuzzer", *_MEMORY, f"-I{built}", str(DRIVERS / f"{name}_fuzzer.c"), *objects], built / name)
    environment = {"ASAN_OPTIONS": "allocator_may_return_null=1"}  # the runtime is to go on without memory
    if name == "tables":
        return [str(fuzzer)], environment, (tables for _, tables in tables_of_models())
    model = folder / "model"
    model.write_bytes(next(tables for each, tables in tables_of_models() if each == _MODEL_OF_STATES))
    return [str(fuzzer)], {**environment, "MOBOD_TABLES": str(model)}, iter(())


def tables_of_models() -> Iterator[tuple[str, bytes]]:
    """Names and tables of small models."""
    import mobod as mb
    from mobod.fmu.native_export import TABLES

    with TemporaryDirectory(prefix="fuzz_") as folder:
        for name, (file, function, arguments, options) in _MODELS.items():
            made = run_path(str(EXAMPLES / file))[function](*arguments)
            system = made[0] if isinstance(made, tuple) else made
            fmu = mb.export_fmu(system, Path(folder) / "model.fmu", outputs=[], code="interpreted", reference=False, **options)
            with zipfile.ZipFile(fmu) as archive:
                yield name, archive.read(TABLES)


def run_threads(folder: Path) -> int:
    """Run instances, and a network, in threads under the thread sanitizer. Returns 0 if it reports nothing. Raises MissingToolError."""
    compiler = next((path for name in ("clang", "gcc", "cc") if (path := shutil.which(name))), None)
    if compiler is None:
        raise MissingToolError("threads needs a C compiler with the thread sanitizer: none of clang, gcc, cc is on the PATH.")
    built = folder / "build"
    built.mkdir(parents=True, exist_ok=True)
    _check_thread_sanitizer(compiler, built)
    objects = _runtime(compiler, built, _THREADS, ("interpreted", "library"))
    models = []
    for name, tables in tables_of_models():
        models.append(folder / name)
        models[-1].write_bytes(tables)
    failed = 0
    for name, arguments in (("threads", models), ("exchange_threads", [])):
        driver = DRIVERS / f"{name}_driver.c"
        command = [compiler, *_THREADS, "-std=c99", "-g", "-O1", f"-I{built}", str(driver), *objects, "-pthread"]
        failed |= subprocess.run([_link(command, built / name), *arguments], check=False).returncode
    print("threads: nothing found" if not failed else "threads: see the reports above")
    return int(failed != 0)


def _check_thread_sanitizer(compiler: str, folder: Path) -> None:
    empty = folder / "empty.c"
    empty.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    built = subprocess.run([compiler, *_THREADS, empty, "-o", folder / "empty"], capture_output=True, check=False)
    if built.returncode != 0 or subprocess.run([folder / "empty"], capture_output=True, check=False).returncode != 0:
        raise MissingToolError(
            f"{compiler} has come without the thread sanitizer. Install its package: libtsan of gcc, libclang-rt-dev of clang."
        )


def _runtime(compiler: str, folder: Path, flags: Sequence[str], uses: Sequence[Use] = ("interpreted",)) -> list[str]:
    """Compile the runtime, of which only what has changed since the last time. Returns the names of its objects."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = {
        name: text for use in uses for name, text in runtime_sources(use).items() if not (name.startswith(_OF_FMUS) and name.endswith(".c"))
    }
    is_same = all((folder / name).is_file() and (folder / name).read_text(encoding="utf-8") == text for name, text in sources.items())
    for name, text in sources.items() if not is_same else ():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / f"{name}.o").unlink(missing_ok=True)

    def compiled(name: str) -> str:
        made = folder / f"{name}.o"
        if not made.is_file():
            _link([compiler, *flags, "-std=c99", "-O1", "-g", f"-I{folder}", "-c", str(folder / name)], made)
        return str(made)

    with ThreadPoolExecutor(cpu_count()) as pool:
        return list(pool.map(compiled, sorted(name for name in sources if name.endswith(".c"))))


def _link(command: Sequence[str], made: Path) -> Path:
    """Run a compiler. Raises MissingToolError, with its message."""
    result = subprocess.run([*command, "-o", made, *([] if "-c" in command else ["-lm"])], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        hint = " Install the package libclang-rt-dev." if "libclang_rt" in result.stderr else ""
        raise MissingToolError(f"{command[0]} has failed.{hint}\n{result.stderr[-3000:]}")
    return made
