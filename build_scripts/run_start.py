"""Follows the page Start in fresh environments, as a newcomer does, and prints what it took, by part.

    python build_scripts/run_start.py                  # with the C compiler of this machine, if there is one; needs pip's packages
    python build_scripts/run_start.py --ziglang-alone  # with the package ziglang in place of a C compiler

Makes a wheel of a copy of this checkout as `pip install .` does, installs it into a new virtual environment, runs `mobod demo`, then the
page's code as one program: the first of the user's own. All with an empty cache. Times are of processors, of all processes that a part
starts, and of the clock.

Exit code: 0 if the last lines of the program are those that the page shows and the limits hold (see LIMITS), 1 if not.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import final
from venv import EnvBuilder

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"both commands": 60.0, "the first own program": 3.0}
"""s of processors; both commands: without what pip downloads and unpacks."""

BUILD_REQUIREMENTS = ("hatchling>=1.27", "cffi", "fmpy>=0.3.26")  # and ziglang, see hatch_build.py


@final
class Parts:
    """The times of the parts: name -> s of processors, s."""

    def __init__(self) -> None:
        self.took: dict[str, tuple[float, float]] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        before, begin = _of_processes(), perf_counter()
        yield
        self.took[name] = of_processors, by_clock = _of_processes() - before, perf_counter() - begin
        print(f"{of_processors:>8.1f} s of processors, {by_clock:>6.1f} s: {name}", flush=True)


def _of_processes() -> float:
    """s of processors that all ended processes have taken; 0 on Windows."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> int:
    parser = argparse.ArgumentParser(description="Follow the page Start in a fresh environment.")
    parser.add_argument("--ziglang-alone", action="store_true", help="with the package ziglang in place of a C compiler")
    with_zig: bool = parser.parse_args().ziglang_alone
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"```python\n.*?```\n\n```\n(.*?)```", page, re.DOTALL))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra: list[str] = project["optional-dependencies"]["compiler"]
    parts = Parts()
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copy, wheels = folder / "mobod", folder / "wheels"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache"))
        python_of_build, python = _environment(folder / "of_build"), _environment(folder / "environment")
        variables = {**os.environ, "MOBOD_CACHE": str(folder / "cache"), "XDG_CACHE_HOME": str(folder)}
        for each in ("ZIG_GLOBAL_CACHE_DIR", "PYTHONPATH", *(["CC"] if with_zig else [])):
            variables.pop(each, None)
        pip_of_build, pip = ([str(each), "-m", "pip", "--quiet", "--disable-pip-version-check"] for each in (python_of_build, python))
        if with_zig:
            variables["PATH"] = str(python.parent)
        with parts.part("pip unpacks what the build requires"):
            of_zig = [] if variables.get("CC") else ["ziglang>=0.16"]
            subprocess.run([*pip_of_build, "install", *BUILD_REQUIREMENTS, *of_zig], check=True, env={**os.environ})
        with parts.part("pip unpacks dependencies"):
            subprocess.run([*pip, "install", *project["dependencies"], *(extra if with_zig else [])], check=True, env={**os.environ})
        with parts.part("pip install ."):
            options = ["wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(wheels), "."]
            subprocess.run([*pip_of_build, *options], cwd=copy, check=True, env=variables)
            subprocess.run([*pip, "install", "--no-deps", *map(str, wheels.glob("*.whl"))], check=True, env=variables)
        with parts.part("mobod demo"):
            mobod = python.with_name("mobod.exe" if sys.platform == "win32" else "mobod")
            subprocess.run([mobod, "demo"], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=variables)
        program = folder / "start.py"
        program.write_text("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
        with parts.part("the first own program"):
            own = subprocess.run([python, program], cwd=folder, check=True, capture_output=True, text=True, env=variables)
    print(own.stdout, end="")
    print("as the page shows" if own.stdout == shown else "NOT as the page shows")
    took = {name: seconds for name, (seconds, _) in parts.took.items()}
    took["both commands"] = took["pip install ."] + took["mobod demo"]
    over = [name for name, limit in LIMITS.items() if took[name] > limit]
    for name, limit in LIMITS.items():
        print(f"{name}: {took[name]:.1f} s of processors, wanted {limit:g}")
    return 0 if own.stdout == shown and not over else 1


def _environment(folder: Path) -> Path:
    """A new virtual environment; returns its Python."""
    EnvBuilder(with_pip=True).create(folder)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


if __name__ == "__main__":
    sys.exit(main())
