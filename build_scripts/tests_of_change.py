"""Runs the tests, slow ones too, of what a change touches, and prints what it did not run and how long ago that ran.

    python build_scripts/tests_of_change.py                # of what is not committed
    python build_scripts/tests_of_change.py --base REV     # of all since REV
    python build_scripts/tests_of_change.py --list         # print the files, run nothing

`python build_scripts/check.py changed --base REV` does the same. A change touches

- a file of tests that changed, and those that import a changed module of tests or of build_scripts, or name a changed file of another kind;
- the tests in the row of its folder in WATCHED_BY, the longest that fits;
- for a file of one element (a force, a mobilizer, a constraint ...): the laws, the tests of its folder, and each test that names it itself.

Exit code: 0 if all passed; 1 if a test failed or a file of the change has no tests.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import slow_suite

ROOT = Path(__file__).resolve().parents[1]

RUNS = ("analytic", "ensembles", "flexible", "fmu", "laws", "meetings", "reference", "unit/simulate")
ALL_MATTER = (
    *RUNS,
    "equivalence",
    "jax",
    "native",
    "unit/analysis",
    "unit/contact",
    "unit/couplings",
    "unit/matter",
    "unit/test_sensors.py",
)
ALL_CODE = (*ALL_MATTER, "unit/compilation", "unit/elements", "unit/forces", "unit/scalar", "unit/system", "view")

WATCHED_BY: dict[str, tuple[str, ...]] = {
    "engine/mobod": ("unit",),
    "engine/mobod/acceptance": ("acceptance", "fmu/test_reference.py"),
    "engine/mobod/analysis": ("unit/analysis", "unit/simulate", "jax"),
    "engine/mobod/arguments": ("unit",),
    "engine/mobod/cli": ("unit/cli", "examples"),
    "engine/mobod/compilation": ALL_CODE,
    "engine/mobod/contact": (*RUNS, "native", "unit/contact", "unit/files", "view"),
    "engine/mobod/cosim": ("cosim",),
    "engine/mobod/couplings": ("laws", "reference", "fmu", "unit/couplings"),
    "engine/mobod/disk": ("unit/runtime", "sweeps", "cosim"),
    "engine/mobod/ensembles": ("ensembles", "meetings"),
    "engine/mobod/files": ("unit/files", "unit/cli", "flexible", "reference", "fmu/test_mjcf_robots.py"),
    "engine/mobod/flexible": ("flexible", "jax/test_flexible_jax.py", "view/test_flexible_pages_in_chromium.py"),
    "engine/mobod/fmi": ("importer", "cosim", "acceptance"),
    "engine/mobod/fmu": ("fmu", "importer", "acceptance", "native"),
    "engine/mobod/forces": ("laws", "unit/forces", "equivalence", "meetings", "fmu", "reference"),
    "engine/mobod/functions": ("unit/functions", "laws", "reference"),
    "engine/mobod/graph": ("unit/graph", "reference/test_graphs.py"),
    "engine/mobod/gym": ("unit/test_gym.py", "ensembles", "examples"),
    "engine/mobod/importer": ("importer", "cosim", "acceptance", "fmu"),
    "engine/mobod/jax": ("jax",),
    "engine/mobod/laws": ("laws", "unit/laws"),
    "engine/mobod/linear": ("unit/analysis", "importer"),
    "engine/mobod/matter": ALL_MATTER,
    "engine/mobod/maximal": ("unit/maximal", "reference"),
    "engine/mobod/notices": ("unit/test_notices.py", "fmu/test_archive.py"),
    "engine/mobod/numerics": ("unit/numerics", "native", "reference"),
    "engine/mobod/runtime": (*ALL_CODE, "unit/runtime"),
    "engine/mobod/scalar": ALL_CODE,
    "engine/mobod/scene": ("unit/scene", "view", "unit/contact"),
    "engine/mobod/sensors": ("unit", "laws", "fmu", "meetings", "reference"),
    "engine/mobod/simulate": (*RUNS, "jax", "unit/cli", "sweeps"),
    "engine/mobod/spatial": (*ALL_MATTER, "unit/spatial"),
    "engine/mobod/sweeps": ("sweeps",),
    "engine/mobod/system": ALL_CODE,
    "engine/mobod/viewer": ("view", "unit/scene"),
    "fmu_src": ("native", "fmu"),
    "fmu_src/native": (*ALL_MATTER, "importer", "view"),
    "fmu_src/native/bare": ("fmu/bare", "native/test_bare.py"),
    "fmu_src/native/constraints": (*RUNS, "equivalence", "jax", "native", "unit/matter"),
    "fmu_src/native/contact": (*RUNS, "native", "unit/contact"),
    "fmu_src/native/derivatives": ("equivalence", "fmu", "native", "unit/analysis"),
    "fmu_src/native/elementary": ALL_CODE,
    "fmu_src/native/events": (*RUNS, "native", "unit/system", "cosim"),
    "fmu_src/native/failures": (*RUNS, "native"),
    "fmu_src/native/fmi": ("native", "fmu", "importer", "acceptance"),
    "fmu_src/native/friction_solver": (*RUNS, "native", "unit/numerics", "unit/contact"),
    "fmu_src/native/impacts": (*RUNS, "native", "unit/matter"),
    "fmu_src/native/instance": ("native", "fmu", "importer", "acceptance", "cosim", "meetings"),
    "fmu_src/native/integration": (*RUNS, "native", "unit/matter", "cosim"),
    "fmu_src/native/lanes": ("ensembles", "native", "meetings", "unit/test_gym.py"),
    "fmu_src/native/linear_algebra": (*ALL_MATTER, "unit/numerics"),
    "fmu_src/native/projection": (*RUNS, "native", "unit/matter", "unit/analysis"),
    "fmu_src/native/python": (*RUNS, "native", "unit/runtime", "unit/system"),
    "fmu_src/native/random": ("native", "unit/test_sensors.py", "unit/test_sampled.py", "meetings"),
    "fmu_src/native/reading": ("native", "fmu", "view"),
    "fmu_src/native/shape_kernels": ("native", "analytic", "meetings", "reference", "unit/contact", "unit/test_range_finder.py", "fmu"),
    "fmu_src/native/shapes": ("native", "analytic", "meetings", "reference", "unit/contact", "unit/test_distances_of_convex_shapes.py"),
    "fmu_src/native/terrain": (
        "native",
        "analytic/test_terrain.py",
        "analytic/test_smooth_terrain.py",
        "meetings",
        "reference",
        "unit/contact",
    ),
    "fmu_src/native/velocity_level": (*RUNS, "native", "unit/contact", "unit/test_gym.py"),
    "fmu_src/python": ("fmu",),
    "fmu_src/web": ("view", "native"),
    "build_scripts": ("build_scripts",),
    "docs": ("examples/test_docs.py", "build_scripts/test_reference_pages.py"),
    "examples": ("examples",),
    "packaging": ("build_scripts/test_release_files.py",),
}
"""Folders of sources: the tests, folders or files in tests/, that a change in it touches."""

ELEMENTS: dict[str, tuple[str, ...]] = {
    "engine/mobod/contact/shapes": ("laws", "unit/contact"),
    "engine/mobod/couplings/kinds": ("laws", "unit/couplings"),
    "engine/mobod/forces": ("laws", "unit/forces"),
    "engine/mobod/functions": ("laws", "unit/functions"),
    "engine/mobod/matter/constraints": ("laws", "unit/matter"),
    "engine/mobod/matter/mobilizers": ("laws", "unit/matter"),
    "engine/mobod/matter/motions": ("laws", "unit/matter"),
    "engine/mobod/sensors": ("laws", "unit/test_sensors.py"),
}
"""Folders in which a file that defines a public class is one element."""

WITHOUT_TESTS = (
    "CHANGELOG.md",
    "LICENSE",
    ".gitignore",
    "tests/slow_suite.json",
    "docs/validation/slow_suite.md",
    ".ci/run",
    ".github/workflows/ci.yml",
)
"""Files that no single test watches: `.ci/run` runs whole, and build_scripts/test_*.py read the rest."""


@dataclass(frozen=True)
class Touched:
    """What a change touches.

    files    of tests, relative to the checkout
    unwatched  files of the change without any tests
    """

    files: frozenset[str]
    unwatched: tuple[str, ...]


class TestTree:
    """The files of tests, which of them import each other, and their texts."""

    __test__ = False  # its name begins as those of pytest do

    def __init__(self, root: Path = ROOT):
        self.root = root

    @cached_property
    def texts(self) -> dict[str, str]:
        return {str(path.relative_to(self.root)): path.read_text(encoding="utf-8") for path in sorted((self.root / "tests").rglob("*.py"))}

    @cached_property
    def importers(self) -> dict[str, set[str]]:
        """By a module of tests or of build_scripts: the modules of tests that import it themselves."""
        result: dict[str, set[str]] = {}
        for file, text in self.texts.items():
            for name in _imported(text):
                for path in (name.replace(".", "/") + ".py", "build_scripts/" + name.replace(".", "/") + ".py"):
                    if (self.root / path).exists():
                        result.setdefault(path, set()).add(file)
        return result

    def tests(self, files: Iterable[str]) -> set[str]:
        """Of these modules, those that are tests, and all tests that import one of them, also through others."""
        seen, left = set(), list(files)
        while left:
            file = left.pop()
            if file not in seen:
                seen.add(file)
                left += self.importers.get(file, ())
        return {file for file in seen if Path(file).name.startswith("test_") and file in self.texts}

    def below(self, places: Iterable[str]) -> set[str]:
        """The tests in these files and folders of tests/."""
        paths = tuple(f"tests/{place}" for place in places)
        found = {file for file in self.texts if file.startswith(tuple(f"{path}/" for path in paths)) or file in paths}
        return {file for file in found if Path(file).name.startswith("test_")}

    def naming(self, names: Iterable[str]) -> set[str]:
        """The modules of tests in which one of these words stands."""
        words = "|".join(map(re.escape, names))
        return {file for file, text in self.texts.items() if words and re.search(rf"\b(?:{words})\b", text)}


def touched(changed: Iterable[str], tree: TestTree) -> Touched:
    """The tests that a change of these files touches."""
    files: set[str] = set()
    unwatched = []
    for path in changed:
        found = _of_one(path, tree)
        if not found and path not in WITHOUT_TESTS and not path.startswith("tests/"):
            unwatched.append(path)
        files |= found
    return Touched(frozenset(files), tuple(unwatched))


def _of_one(path: str, tree: TestTree) -> set[str]:
    if path == "pyproject.toml" or path == "tests/conftest.py":
        return tree.below({file.split("/")[1] for file in tree.texts if file.count("/") > 1})
    if path.startswith(("tests/", "build_scripts/")) and path.endswith(".py"):
        found = tree.tests({path})
        return found or (tree.below(("build_scripts",)) if path.startswith("build_scripts/") else set())
    if path.startswith("tests/"):
        return tree.tests(tree.naming([Path(path).name])) or tree.below((str(Path(path).parent.relative_to("tests")).split("/")[0],))
    if of_element := _element(path, tree):
        return of_element
    folder = next((str(each) for each in Path(path).parents if str(each) in WATCHED_BY), None)
    own = tree.below(WATCHED_BY[folder]) if folder else set()
    return own | (tree.tests(tree.naming([Path(path).name])) if not path.endswith((".py", ".c", ".h")) else set())


def _element(path: str, tree: TestTree) -> set[str]:
    """The tests of a file of one element; none if it is not such a file."""
    folder = next((each for each in ELEMENTS if path.startswith(each + "/")), None)
    file = tree.root / path
    if folder is None or not path.endswith(".py") or path.endswith("__init__.py") or not file.exists():
        return set()
    body = ast.parse(file.read_text(encoding="utf-8")).body
    names = [node.name for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    lists = [each / "__init__.py" for each in (file.parent, tree.root / folder)]
    public = [
        name for name in names if any(each.exists() and re.search(rf"\b{name}\b", each.read_text(encoding="utf-8")) for each in lists)
    ]
    if not public:
        return set()  # what several elements share
    return tree.below(ELEMENTS[folder]) | {file for file in tree.naming(public) if Path(file).name.startswith("test_")}


def _imported(text: str) -> set[str]:
    """Names of modules, and of what is imported from them, since that may be a module."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def changed_files(base: str) -> list[str]:
    """Files that differ from a revision, and files that git does not track yet."""
    differ = _git("diff", "--name-only", base).splitlines()
    return sorted({*differ, *_git("ls-files", "--others", "--exclude-standard").splitlines()})


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def left_out(counts: dict[str, int], chosen: Iterable[str], record: slow_suite.Record) -> list[str]:
    """A line for each folder with slow tests that are not chosen: how many, and when and at which commit they ran last."""
    folders: dict[str, list[str]] = {}
    for file in sorted(set(counts) - set(chosen)):
        folders.setdefault(file.rpartition("/")[0], []).append(file)
    lines = []
    for folder, files in folders.items():
        runs = [record[file] for file in files if file in record]
        n = sum(counts[file] for file in files)
        oldest = min(runs, key=lambda each: each.date, default=None)
        when = f"last run {oldest.date} or later, at {oldest.commit}{_since(oldest.commit)}" if oldest else "no run is recorded"
        missing = len(files) - len(runs)
        lines.append(f"{folder}: {n} slow tests; {when}" + (f"; {missing} files never" if missing and oldest else ""))
    return lines


def _since(commit: str) -> str:
    try:
        return f", {int(_git('rev-list', '--count', commit.rstrip('+') + '..HEAD'))} commits ago"
    except (subprocess.CalledProcessError, ValueError):
        return ", a commit that is not here"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--base", metavar="REV", default="HEAD", help="the change is all since this revision (default HEAD)")
    parser.add_argument("--list", action="store_true", help="print the files of tests and run nothing")
    given = parser.parse_args()
    change = touched(changed_files(given.base), TestTree())
    files = sorted(change.files)
    counts, record = slow_suite.collected([]), slow_suite.read_record()
    slow = [file for file in files if file in counts]
    known = sum(record[file].seconds for file in slow if file in record)
    print(
        f"{len(files)} files of tests; {sum(counts[file] for file in slow)} slow tests, {known / 60:.0f} minutes of them known", flush=True
    )
    status = 0
    if given.list:
        print(*files, sep="\n")
    elif files:
        fast = subprocess.run(
            [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadfile", *files], cwd=ROOT, check=False
        ).returncode
        status = max(0 if fast == 5 else fast, slow_suite.run(slow, counts, record))
    print("\nnot run:", *left_out(counts, slow, slow_suite.read_record()), sep="\n  ")
    if change.unwatched:
        print(
            "\nno tests watch these files; add their folder to WATCHED_BY in build_scripts/tests_of_change.py:",
            *change.unwatched,
            sep="\n  ",
        )
    return 1 if status or change.unwatched else 0


if __name__ == "__main__":
    sys.exit(main())
