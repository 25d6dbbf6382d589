"""`mobod compare`."""

import json

import numpy as np
import pytest

from mobod.simulate.table import Table

TIME = np.linspace(0.0, 2.0, 21)


@pytest.fixture(autouse=True)
def files(run, tmp_path):
    """one.csv; two.mat, where q differs by 1e-3 from 1 s on; bad.csv, where q is infinite at the end."""
    late = np.where(TIME >= 1.0, 1e-3, 0.0)
    Table(TIME, {"q": np.cos(TIME), "u": TIME, "extra": TIME}).to_csv(tmp_path / "one.csv")
    Table(TIME, {"q": np.cos(TIME) + late, "u": TIME}, {"q": "rad"}).to_mat(tmp_path / "two.mat")
    Table(TIME, {"q": np.append(np.cos(TIME[:-1]), np.inf), "u": TIME}).to_csv(tmp_path / "bad.csv")


def test_equal_files_exit_0(run):
    for arguments in (("one.csv", "one.csv", "--rtol", "0", "--atol", "0"), ("one.csv", "two.mat", "--atol", "2e-3")):
        done = run("compare", *arguments)
        assert done.exit_code == 0, done.output
        assert "equal (rtol " in done.output
    assert run("compare", "one.csv", "two.mat", "--rtol", "0", "--output", "u").exit_code == 0
    assert run("compare", "one.csv", "one.csv", "--quiet").output == ""


def test_different_files_exit_1_with_a_table_and_the_first_time(run):
    done = run("compare", "one.csv", "two.mat")

    assert done.exit_code == 1
    assert done.output.startswith("one.csv and two.mat\n")
    (row,) = [line.split() for line in done.output.splitlines() if line.strip().startswith("q ")]
    assert row[:3] == ["q", "0.001", "rad"]
    assert float(row[-1]) == 1
    assert done.output.endswith(
        "only in the first, not compared: extra\n"
        "different (rtol 1e-06, atol 1e-06; 21 points from 0 s to 2 s): 'q' is the first, at 1 s\n"
    )  # fmt: skip
    quiet = run("compare", "one.csv", "two.mat", "-q")
    assert (quiet.exit_code, quiet.output) == (1, "")


def test_json_has_what_the_comparison_has(run, tmp_path):
    done = run("compare", "one.csv", "two.mat", "--json")
    expected = Table.from_csv(tmp_path / "one.csv").compare(Table.from_mat(tmp_path / "two.mat"))

    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert (told["equal"], told["first_time"], told["points"]) == (False, 1.0, 21)
    assert told["differences"][0] == {
        "name": "q",
        "unit": "rad",
        "largest": expected.differences[0].largest,
        "time": expected.differences[0].time,
        "value": expected.differences[0].value,
        "other": expected.differences[0].other,
        "first_time": 1.0,
    }
    assert told["differences"][1]["first_time"] is None
    assert (told["only_in_first"], told["only_in_second"]) == (["extra"], [])
    assert told["span"] == told["other_span"] == [0, 2]


def test_values_that_are_not_finite_are_text_in_json(run):
    told = json.loads(run("compare", "one.csv", "bad.csv", "--json").stdout)

    assert told["differences"][0]["largest"] == told["differences"][0]["other"] == "inf"
    assert told["first_time"] == 2.0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["one.csv", "two.mat", "--output", "qq"], 2, "no column is named 'qq'. Did you mean 'q'?"),
        (["one.csv", "two.mat", "--rtol", "-1"], 2, "rtol is -1.0"),
        (["one.csv", "models.py"], 2, "models.py: the name of a file with results must end with"),
        (["one.csv", "none.csv"], 2, "'none.csv' does not exist"),
        (["one.csv"], 2, "Missing argument 'SECOND'"),
    ],
)
def test_a_wrong_argument_exits_2(run, arguments, code, message):
    done = run("compare", *arguments)

    assert done.exit_code == code
    assert message in done.stderr


def test_a_file_without_a_table_exits_2(run, tmp_path):
    (tmp_path / "wrong.csv").write_text("time,q\n0,1,2\n")
    done = run("compare", "one.csv", "wrong.csv")

    assert done.exit_code == 2
    assert "wrong.csv, line 2: 3 cells, but the header has 2 names" in done.stderr
