"""The benchmark lists and runs its cases, prints each row at once, and writes what it measured. Its times are not tested."""

import json
import re
from contextlib import suppress
from pathlib import Path

import benchmark
import pytest
from benchmarks import report
from benchmarks.harness import CASES, Case, Row, run
from benchmarks.mixed_trees import MOBILIZERS, mixed_tree

import mobod as mb
from tests.laws import mechanisms

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs" / name
    for name in ("benchmarks.md", "concepts/ensembles.md", "concepts/flexible_bodies.md", "concepts/friction_and_contact.md")
]
FIELDS = {"group", "title", "unit", "costs", "ratios", "figures", "missing"}


def made_up(columns, **options):
    return Case(
        **{
            "group": "g",
            "title": "t",
            "peers": (),
            "unit": "us",
            "is_once": True,
            "in_short": True,
            "in_full": True,
            **options,
            "columns": columns,
        }
    )


def constant(seconds):
    return lambda: lambda n: seconds


def not_installed():
    raise ImportError("no module named 'engine'")


def test_every_case_of_the_folder_is_listed_once(capsys):
    files = {
        path.stem for path in (ROOT / "build_scripts" / "benchmarks").glob("*.py") if re.search(r"^@case", path.read_text(), re.MULTILINE)
    }
    assert files == {name for names in benchmark.GROUPS.values() for name in names}

    assert benchmark.main(["--list"]) == 0

    listed = [line.partition(" (peers")[0] for line in capsys.readouterr().out.splitlines()]
    assert sorted(listed) == sorted(f"{case.group}: {case.title}" for case in CASES if case.in_full)
    assert len(set(listed)) == len(listed) > 90


def test_one_case_is_chosen_by_its_name_and_written_as_json(tmp_path, capsys):
    file = tmp_path / "rows.json"

    assert benchmark.main(["--short", "--only", "system of 10 joints", "--json", str(file)]) == 0

    stored = json.loads(file.read_text())
    (row,) = stored["rows"]
    assert set(row) == FIELDS
    assert (row["group"], row["title"], row["unit"]) == ("models", "System of 10 joints from a list", "us")
    assert row["costs"]["Python"] > 0
    assert "cores" in stored["conditions"]["models"]
    assert row["title"] in capsys.readouterr().out
    assert report.from_json(file.read_text())[0] == [Row(**row)]


def test_a_text_that_no_case_has_is_refused(capsys):
    with suppress(SystemExit):
        benchmark.main(["--only", "square wheel"])
    assert "no case has 'square wheel'" in capsys.readouterr().err


def test_each_row_is_printed_before_the_next_case_begins(capsys):
    printed = []

    def second(bench):
        printed.append(capsys.readouterr().out)
        return {"own": constant(2e-6)}

    benchmark.measured([made_up(lambda bench: {"own": constant(1e-6)}, title="first"), made_up(second, title="second")], is_short=True)

    assert "first" in printed[0]
    assert "own 1.00 us" in printed[0]


def test_a_row_has_the_ratio_to_each_peer_and_says_which_is_not_installed():
    columns = {"own": constant(1e-6), "engine": constant(4e-6), "other": not_installed}
    row = run(made_up(lambda bench: columns, peers=("engine", "other")), is_short=True)

    assert row.ratios == {"own / engine": pytest.approx(0.25)}
    assert row.missing == {"other": "not installed: no module named 'engine'"}
    assert "other not installed" in report.line(row)

    with pytest.raises(ImportError):  # what is no peer is not left out
        run(made_up(lambda bench: {"own": not_installed}), is_short=True)


def test_a_case_that_needs_what_is_not_installed_says_so_and_measures_nothing():
    row = run(made_up(lambda bench: {"own": not_installed}, needs=("json", "an_absent_module")), is_short=True)

    assert (row.costs, row.missing) == ({}, {"an_absent_module": "not installed"})
    assert report.line(row).endswith("an_absent_module not installed")


def test_tables_are_written_between_the_markers_of_a_page():
    page = (
        "Words.\n<!-- benchmark: g -->\nold\n<!-- end of benchmark -->\n<!-- benchmark: other -->\nkept\n<!-- end of benchmark -->\nMore."
    )
    rows = [
        Row("g", "a", "us", {"own": 1.5, "peer": 3000.0}, {"own / peer": 5e-4}, {}, {}),
        Row("g", "b", "us", {"own": 2e6}, {}, {"steps": 7.0}, {}),
        Row("g", "c", "us", {"other": 1.0}, {}, {}, {}),
    ]

    written = report.with_tables(page, rows, {"g": "today"})

    assert written.startswith("Words.\n<!-- benchmark: g -->\n\n| | own | peer | own / peer | steps |\n|---|")
    assert (
        "| a | 1.50 us | 3.00 ms | 0.0005 | |\n| b | 2.00 s | | | 7 |\n\n| | other |\n|---|---|\n| c | 1.00 us |\n\nMeasured: today.\n"
        in written
    )
    assert written.endswith("<!-- benchmark: other -->\nkept\n<!-- end of benchmark -->\nMore.")
    assert report.with_tables(written, rows, {"g": "today"}) == written


def test_rows_with_an_error_for_each_cost_are_columns():
    rows = [
        Row("g", "a", "us", {"exact": 1.5, "coarse": 0.5}, {}, {"error of exact": 1e-9, "error of coarse": 0.02}, {}),
        Row("g", "b", "us", {"exact": 3e3}, {}, {"error of exact": 0.0}, {}),
    ]
    assert report.tables(rows).splitlines() == [
        "| | a | b |",
        "|---|---|---|",
        "| exact | 1.50 us, 1.0e-09 | 3.00 ms, 0.0e+00 |",
        "| coarse | 0.50 us, 2.0e-02 | |",
    ]


def test_the_tables_of_the_pages_have_all_cases_of_every_group_once():
    marked = [
        found
        for page in PAGES
        for found in re.findall(r"<!-- benchmark: (.+?) -->\n(.*?)<!-- end of benchmark -->", page.read_text(), re.DOTALL)
    ]
    assert sorted(group for group, _ in marked) == sorted(benchmark.GROUPS)
    for group, table in marked:
        cells = {cell.strip() for cell in table.replace("\n", "|").split("|")}
        assert {case.title for case in CASES if case.group == group and case.in_full} <= cells, group


@pytest.mark.slow
def test_the_short_benchmark_measures_everything(tmp_path, capsys):
    assert benchmark.main(["--short", "--json", str(tmp_path / "rows.json")]) == 0

    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert {(row["group"], row["title"]) for row in rows} == {(case.group, case.title) for case in CASES if case.in_short}
    assert all(cost > 0 for row in rows if row["unit"] == "us" for cost in row["costs"].values())
    assert all(row["title"] in capsys.readouterr().out for row in rows[:1])


@pytest.mark.slow
def test_the_benchmark_of_contacts_has_the_error_of_each_scheme():
    (case,) = benchmark.chosen(["contact schemes: bowling ball"], is_short=True)
    row = run(case, is_short=True)

    errors = {name.removeprefix("error of "): figure for name, figure in row.figures.items()}
    assert set(errors) == set(row.costs)
    assert errors["rigid, accuracy 1e-8"] < 1e-9
    assert 80 < errors["rigid, steps of 1 ms"] / errors["rigid, steps of 0.1 ms"] < 120  # of second order
    assert 1e-4 < errors["forces, Rodas5P, accuracy 1e-6"] < 1e-2


@pytest.mark.slow
def test_a_mixed_tree_has_every_mobilizer_in_both_directions_and_every_force_but_contacts_and_drives():
    system, _ = mixed_tree(2 * len(MOBILIZERS))
    every = {name.split()[0] for name in mechanisms.MOBILIZERS}
    for direction in (False, True):
        assert {type(body).__name__ for body in system.matter.bodies if body.is_reversed is direction} == every
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    of_contact = {each for each in mechanisms.FORCES if "Contact" in each or "Friction" in each}
    of_contact |= {"HuntCrossleyForce", "SmoothSphereHalfSpaceForce", "ElasticFoundationForce"}  # measured by themselves
    # of later versions: with them, figures could not be compared with earlier ones
    of_drives = {"DriveLimit", "FixedTendon", "GearPair", "MotorDC", "Servo", "SiteServo"}
    assert {type(force).__name__ for force in forces.elements} == set(mechanisms.FORCES) - of_contact - of_drives


def test_batches_are_chosen_by_the_time_of_calls_not_by_their_cost(monkeypatch):
    """The cost of a call that takes 1 ms may be that of one of its thousand steps."""
    spent, calls = [0.0], [0]

    def measure(n):
        spent[0] += 1e-3 * n
        calls[0] += n
        return 1e-6

    monkeypatch.setattr("benchmarks.harness.perf_counter", lambda: spent[0])
    row = run(made_up(lambda bench: {"compiled": lambda: measure}, is_once=False), is_short=False)

    assert row.costs["compiled"] == pytest.approx(1.0)
    assert 100 < calls[0] < 1000
