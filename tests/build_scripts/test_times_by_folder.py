"""The slow tests' time by folder is printed and kept."""

import csv

import check
import times_by_folder

RESULTS = """<testsuites><testsuite>
<testcase classname="tests.unit.numerics.test_friction" name="test_one[a]" time="1.25"/>
<testcase classname="tests.unit.numerics.test_friction.TestClass" name="test_two" time="0.5"/>
<testcase classname="tests.laws.test_energy" name="test_three" time="30.0"><failure/></testcase>
</testsuite></testsuites>"""


def test_times_are_summed_by_folder_and_added_to_the_record(tmp_path, capsys):
    results, record = tmp_path / "results.xml", tmp_path / "build" / "times.csv"
    results.write_text(RESULTS)

    assert times_by_folder.times_by_folder(results) == [("tests/laws", 1, 30.0), ("tests/unit/numerics", 2, 1.75)]
    for _ in range(2):
        assert times_by_folder.main(results, record) == 0

    printed = capsys.readouterr().out
    assert printed.index("tests/laws") < printed.index("tests/unit/numerics") < printed.index("31.8 s")
    rows = list(csv.DictReader(record.read_text().splitlines()))
    kept = [(row["folder"], row["tests"], row["seconds"]) for row in rows]
    assert kept == 2 * [("tests/laws", "1", "30.00"), ("tests/unit/numerics", "2", "1.75")]


def test_a_run_that_was_stopped_has_no_times(tmp_path, capsys):
    assert times_by_folder.main(tmp_path / "missing.xml", tmp_path / "times.csv") == 1
    assert "was stopped before its end" in capsys.readouterr().out


def test_the_slow_step_writes_what_the_times_are_read_from():
    run, times = check.step_commands()["slow"]
    assert run[-2:] == ["--junit-xml", times[-1]]
