"""Makes all files of a release, checks each, and tries those that can run here.

    python build_scripts/release.py                      # into the folder dist
    python build_scripts/release.py --twice              # also builds from the sdist, with an empty cache, and compares all bytes
    python build_scripts/release.py --python python3.13  # also tries the wheel in a fresh environment of another Python

The files are the wheels, the sdist, a bill of materials (CycloneDX), the notices of what is bundled, a recipe for conda-forge, and the
list of their SHA-256. An upload needs the wheels and the sdist alone: `twine upload dist/*.whl dist/*.tar.gz`.

Needs the extra `release`. Each wheel contains the runtime for its platform and the libraries of interpreted FMUs for all platforms, all
compiled by ziglang. The first time, zig compiles the C library of each platform, which takes a few minutes. Times in the archives are
SOURCE_DATE_EPOCH if it is set, else the time of the last commit. QEMU and Wine run the libraries for other platforms, if they are
installed, and the loader of musl those for Linux: apt-get install wine64 qemu-user libc6-arm64-cross musl.

Exit code: 0 if all is right, 1 if not.
"""

# Decision: docs/decisions/210-release.md

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from release_checks import check_wheel, try_other_wheel, try_sdist, try_wheel, try_with_python
from release_documents import SUMS, bill_of_materials, fault_in_bill, metadata_of, notices, recipe, sums
from release_metadata import check_metadata, check_schemas, check_version

from mobod.runtime.packaged import WHEEL_TAGS
from mobod.runtime.targets import host_target

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the wheels and the sdist of a release, and try each that can run.")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist", help="where to put them  [default: dist]")
    parser.add_argument("--twice", action="store_true", help="build them again from the sdist, with an empty cache, and compare all bytes")
    parser.add_argument(
        "--python", action="append", default=[], metavar="PROGRAM", help="another Python to try the wheel with; can be repeated"
    )
    options = parser.parse_args()
    folder = options.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", _time_of_last_commit())

    report = Report()
    report.do("version in all places", check_version)
    report.do("workflow and citation, by their schemas", check_schemas)
    built = build(ROOT, folder, report)
    if report.failures:
        report.summarise(built)
        return 1
    report.do("metadata, by twine", partial(_check_by_twine, list(built.values())))
    for platform in WHEEL_TAGS:
        report.do(f"metadata of the wheel for {platform}", partial(check_metadata, built[platform]))
        report.do(f"structure of the wheel for {platform}", partial(check_wheel, built[platform], platform))
    report.do("what goes with them", partial(_write_documents, built))
    with tempfile.TemporaryDirectory() as scratch:
        for platform in WHEEL_TAGS:
            if platform == host_target().platform:
                report.do(f"wheel for {platform}, installed", partial(try_wheel, built[platform], Path(scratch)))
                for python in options.python:
                    report.do(f"wheel for {platform}, {python}", partial(try_with_python, built[platform], python, Path(scratch)))
            else:
                report.do(f"runtime for {platform}", partial(try_other_wheel, built[platform], platform, Path(scratch)))
        report.do("sdist, installed", partial(try_sdist, built["sdist"], Path(scratch)))
        if options.twice:
            report.do("the same bytes again", partial(_compare_with_second_build, built, Path(scratch)))
    report.summarise(built)
    return 1 if report.failures else 0


class Report:
    """Does the parts of the work with a line for each, and keeps what failed."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self._results: list[str] = []

    def do(self, what: str, work: Callable[[], str | None]) -> None:
        """Work that returns a remark for the summary. An exception is a failure; the next part follows."""
        print(f"--- {what}", flush=True)
        start = time.monotonic()
        try:
            outcome = work() or "passed"
        except Exception as error:  # of any kind: the summary names the part that failed, and the other parts follow
            self.failures.append(what)
            said = getattr(error, "stderr", None) or ""
            outcome = f"FAILED: {error} {said}".strip()
        self._results.append(f"{what:44} {time.monotonic() - start:6.0f} s   {outcome}")
        print(self._results[-1], flush=True)

    def summarise(self, built: dict[str, Path]) -> None:
        print("\nsummary")
        print("\n".join(self._results))
        for file in built.values():
            print(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.stat().st_size / 1e6:.2f} MB  {file.name}")
        print(f"failed: {', '.join(self.failures)}" if self.failures else "all passed")


def build(checkout: Path, folder: Path, report: Report) -> dict[str, Path]:
    """Platform, or "sdist" -> file. Those that cannot be built are left out."""
    built: dict[str, Path] = {}

    def make(name: str) -> str:
        built[name] = _built(checkout, folder, name)
        return built[name].name

    for name in ("sdist", *WHEEL_TAGS):
        report.do(f"building {name}", partial(make, name))
    return built


def _built(checkout: Path, folder: Path, name: str) -> Path:
    before = set(folder.iterdir())
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if name != "sdist":
        environment["MOBOD_WHEEL_FOR"] = name
    kind = "sdist" if name == "sdist" else "wheel"
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)], cwd=checkout, env=environment, check=True)
    (made,) = set(folder.iterdir()) - before
    return made


def _compare_with_second_build(built: dict[str, Path], scratch: Path) -> str:
    with tarfile.open(built["sdist"]) as archive:
        archive.extractall(scratch / "from sdist", filter="data")
    (checkout,) = (scratch / "from sdist").iterdir()
    (scratch / "again").mkdir()
    report = Report()
    os.environ |= {"MOBOD_CACHE": str(scratch / "another cache"), "ZIG_GLOBAL_CACHE_DIR": str(scratch / "zig")}
    again = build(checkout, scratch / "again", report)
    if report.failures:
        raise ValueError(f"failed: {', '.join(report.failures)}")
    different = [file.name for name, file in built.items() if file.read_bytes() != again[name].read_bytes()]
    if different:
        raise ValueError(f"built again they have other bytes: {', '.join(different)}")
    return f"{len(built)} files"


def _write_documents(built: dict[str, Path]) -> str:
    """Beside the wheels and the sdist."""
    metadata = metadata_of(built[host_target().platform])
    name = f"{metadata['Name']}-{metadata['Version']}"
    bill = bill_of_materials(metadata, list(built.values()), int(os.environ["SOURCE_DATE_EPOCH"]))
    if fault := fault_in_bill(bill):
        raise ValueError(f"the bill of materials does not fit its schema: {fault}")
    texts = {
        f"{name}.cdx.json": bill,
        f"{name}-notices.txt": notices(),
        f"{name}-recipe.yaml": recipe(metadata["Version"], hashlib.sha256(built["sdist"].read_bytes()).hexdigest()),
    }
    folder = built["sdist"].parent
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    listed = [*built.values(), *(folder / file for file in texts)]
    (folder / SUMS).write_text(sums(listed), encoding="utf-8")
    return ", ".join([*texts, SUMS])


def _check_by_twine(files: list[Path]) -> None:
    _run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)])


def _time_of_last_commit() -> str:
    return _run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]).strip()


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
