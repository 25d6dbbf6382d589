"""The slow tests run in parts, and a record keeps what the last run of each file showed."""

import itertools

import check
import pytest
import slow_suite
from slow_suite import LastRun

RESULTS = """<testsuites><testsuite>
<testcase name="test_one[a]" file="tests/laws/test_energy.py" time="1.25"/>
<testcase name="test_two" file="tests/laws/test_energy.py" time="0.5"><failure message="no"/></testcase>
<testcase name="test_two" file="tests/laws/test_energy.py" time="0.25"><error message="at its end"/></testcase>
<testcase name="test_w" file="tests/fmu/test_x.py" time="0.1"><skipped type="pytest.skip" message="no Wine"/></testcase>
<testcase name="test_v" file="tests/fmu/test_x.py" time="2"><skipped type="pytest.xfail" message="later"/></testcase>
<testcase name="tests.jax.test_y" time="0"><skipped type="pytest.skip" message="no JAX"/></testcase>
</testsuite></testsuites>"""

LISTING = """tests/laws/test_energy.py::test_one[a]
tests/laws/test_energy.py::test_two[a::b]
tests/fmu/test_x.py::test_w

SKIPPED [1] tests/jax/test_y.py:12: needs the extra 'jax'
3/9 tests collected (6 deselected) in 1.00s
"""


@pytest.fixture
def record(tmp_path):
    results = tmp_path / "results.xml"
    results.write_text(RESULTS)
    return slow_suite.last_runs(slow_suite.cases(results), "0a1b2c3d", "2026-11-28")


def test_results_are_summed_by_file_and_a_test_counts_once(record):
    energy, fmu, jax = record["tests/laws/test_energy.py"], record["tests/fmu/test_x.py"], record["tests/jax/test_y.py"]

    assert (energy.seconds, energy.passed, energy.failed, energy.n_tests) == (2.0, 1, ["test_two"], 2)
    assert (fmu.passed, fmu.skipped, fmu.open) == (0, {"no Wine": 1}, {"later": 1})
    assert jax.skipped == {"no JAX": 1}


def test_a_record_is_read_as_it_was_written(record, tmp_path):
    path = tmp_path / "record.json"
    slow_suite.write_record(record, path)

    assert slow_suite.read_record(path) == record
    assert len(path.read_text().splitlines()) == 2 + len(record)
    assert slow_suite.read_record(tmp_path / "missing.json") == {}


def test_files_are_counted_also_those_that_are_skipped_as_a_whole():
    assert slow_suite.counts_of(LISTING) == {"tests/jax/test_y.py": 0, "tests/laws/test_energy.py": 2, "tests/fmu/test_x.py": 1}


def test_parts_keep_folders_together_and_hold_each_file_once():
    counts = {f"tests/{folder}/test_{i}.py": 1 for folder in ("a", "b", "c") for i in range(6)}
    seconds = {"a": 10.0, "b": 100.0, "c": 50.0}
    record = {file: LastRun("x", "y", seconds=seconds[file.split("/")[1]], passed=1) for file in counts}

    cut = slow_suite.parts(counts, record, 4)

    assert sorted(itertools.chain.from_iterable(cut)) == sorted(counts)
    order = [file.split("/")[1] for file in itertools.chain.from_iterable(cut)]
    assert order == 6 * ["b"] + 6 * ["c"] + 6 * ["a"]
    times = [sum(record[file].seconds for file in files) for files in cut]
    assert max(times) <= 960 / 4 + 100


def test_no_part_is_longer_than_twenty_minutes_on_two_cores():
    counts = {f"tests/a/test_{i}.py": 1 for i in range(40)}
    record = {file: LastRun("x", "y", seconds=301.0, passed=1) for file in counts}

    n = slow_suite.fewest_parts(counts, record)

    longest = max(sum(record[file].seconds for file in files) for files in slow_suite.parts(counts, record, n))
    assert longest <= 2400
    assert n == 6  # seven files a part


def test_the_page_names_failures_skips_and_files_that_never_ran(record):
    counts = {"tests/laws/test_energy.py": 2, "tests/fmu/test_x.py": 2, "tests/laws/test_new.py": 3}

    text = slow_suite.page(counts, record)

    assert "| 1/1 |" in text
    assert "| 7 | 0a1b2c3d | 2026-11-28; files that never ran: 1 | 0.1 | 1 |" in text
    assert "- `tests/laws/test_energy.py::test_two`" in text
    assert "- 1 test: no Wine" in text
    assert "- 1 test: later" in text


@pytest.mark.parametrize("text", ["0/3", "4/3", "2", "a/b", "-1/2", "1/0"])
def test_a_part_that_does_not_exist_is_refused(text, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["slow_suite.py", "--part", text])
    with pytest.raises(SystemExit):
        slow_suite.main()
    assert "is not K/N with 1 <= K <= N" in capsys.readouterr().err or text.startswith("-")


def test_check_gives_the_part_and_the_base_to_their_steps():
    commands = check.step_commands(part="2/8", base="v1")
    assert commands["slow"][0][-2:] == ["--part", "2/8"]
    assert commands["changed"][0][-2:] == ["--base", "v1"]


def test_each_file_of_the_record_exists():
    """Write the record again by a run, or take the line out, where a file of tests moves."""
    assert not [file for file in slow_suite.read_record() if not (slow_suite.ROOT / file).exists()]
