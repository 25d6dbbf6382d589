"""A change runs the tests that watch what it touches."""

from pathlib import Path

import pytest
import tests_of_change
from slow_suite import LastRun
from tests_of_change import ELEMENTS, ROOT, WATCHED_BY, TestTree, touched

TREE = TestTree()


def files_of(*changed):
    return touched(changed, TREE).files


@pytest.mark.parametrize("table", [WATCHED_BY, ELEMENTS])
def test_the_tables_name_folders_and_tests_that_exist(table):
    assert not [folder for folder in table if not (ROOT / folder).is_dir()]
    assert not [place for places in table.values() for place in places if not TREE.below([place])]


def test_each_folder_of_the_package_and_of_the_runtime_has_tests():
    sources = {
        path.parent
        for folder in ("engine", "fmu_src")
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in (".py", ".c", ".h", ".mjs")
    }
    assert len(sources) > 80
    assert touched((f"{folder.relative_to(ROOT)}/a_new_file.c" for folder in sources), TREE).unwatched == ()


def test_each_folder_of_tests_watches_something():
    watching = {Path(file).parts[1] for places in (*WATCHED_BY.values(), *ELEMENTS.values()) for file in TREE.below(places)}
    folders = {file.split("/")[1] for file in TREE.texts if Path(file).name.startswith("test_")}
    assert folders == watching


def test_a_new_kind_of_force_runs_all_laws_and_each_test_that_names_it():
    files = files_of("engine/mobod/forces/drives/fixed_tendon.py")
    assert set(TREE.below(["laws", "unit/forces"])) < files
    elsewhere = files - TREE.below(["laws", "unit/forces"])
    assert elsewhere
    assert all("FixedTendon" in TREE.texts[file] for file in elsewhere)
    assert len(files) < len(files_of("engine/mobod/forces/force.py"))


def test_a_module_that_tests_import_runs_those_tests_also_through_others():
    assert "tests/laws/test_energy.py" in files_of("tests/laws/mechanisms.py")
    assert files_of("tests/laws/test_energy.py") == {"tests/laws/test_energy.py"}
    assert files_of("build_scripts/tests_of_change.py") == {"tests/build_scripts/test_tests_of_change.py"}


def test_the_longest_folder_decides():
    assert files_of("fmu_src/native/bare/bare_model.c") == TREE.below(WATCHED_BY["fmu_src/native/bare"])


def test_a_file_without_tests_is_named():
    path = "somewhere/" + ".".join(("new", "xyz"))  # in no text, this one included
    change = touched([path, ".gitignore"], TREE)
    assert (change.files, change.unwatched) == (frozenset(), (path,))


def test_what_did_not_run_is_listed_with_its_last_run():
    counts = {"tests/laws/test_a.py": 2, "tests/laws/test_b.py": 3, "tests/fmu/test_c.py": 1, "tests/fmu/test_d.py": 4}
    head = tests_of_change._git("rev-parse", "--short=8", "HEAD").strip()
    record = {"tests/fmu/test_c.py": LastRun(head, "2026-11-01", passed=1)}

    lines = tests_of_change.left_out(counts, ["tests/laws/test_a.py"], record)

    assert lines == [
        f"tests/fmu: 5 slow tests; last run 2026-11-01 or later, at {head}, 0 commits ago; 1 files never",
        "tests/laws: 3 slow tests; no run is recorded",
    ]
