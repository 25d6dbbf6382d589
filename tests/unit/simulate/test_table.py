"""The table of the recorded values of a run."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.errors import InputError, UnknownNameError
from mobod.simulate.table import Table

TIME = np.array([0.0, 0.1, 0.30000000000000004])


def test_a_column_is_found_by_name_and_an_unknown_name_gets_the_nearest():
    table = Table(TIME, {"lower.q": np.array([1.5, -2.0, 0.25])})
    assert_array_equal(table["lower.q"], [1.5, -2.0, 0.25])
    assert list(table) == ["lower.q"]
    assert "lower.q" in table
    assert "lower.u" not in table
    with pytest.raises(UnknownNameError, match=r"Did you mean 'lower\.q'"):
        table["lower.qq"]


@pytest.mark.parametrize("columns", [{"a": np.zeros(2)}, {"a": np.zeros((3, 2, 2))}, {"a": np.float64(3.0)}, {"time": np.zeros(3)}])
def test_a_column_of_wrong_length_is_refused(columns):
    with pytest.raises(InputError):
        Table(TIME, columns)


def test_a_unit_without_a_column_is_refused():
    with pytest.raises(UnknownNameError, match="'b'"):
        Table(TIME, {"a": TIME}, {"b": "m"})


def test_csv_restores_every_number_exactly(tmp_path):
    rng = np.random.default_rng(20)
    time = np.cumsum(rng.random(500))
    # random bit patterns: all magnitudes, subnormal numbers, and some NaN
    hard = rng.integers(0, 2**64, 500, dtype=np.uint64).view(float)
    special = np.resize([0.0, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan, 0.1], 500)
    table = Table(time, {"hard": hard, "special, with a comma": special, "p": rng.standard_normal((500, 3))})
    table.to_csv(tmp_path / "run.csv")
    again = Table.from_csv(tmp_path / "run.csv")
    assert list(again) == ["hard", "special, with a comma", "p[1]", "p[2]", "p[3]"]
    assert again.time.tobytes() == time.tobytes()
    assert_array_equal(np.column_stack([again[f"p[{k}]"] for k in (1, 2, 3)]), table["p"], strict=True)
    for name in ("hard", "special, with a comma"):
        assert_array_equal(again[name], table[name], strict=True)  # the bits of NaN are not written
        assert_array_equal(np.signbit(again[name][~np.isnan(again[name])]), np.signbit(table[name][~np.isnan(table[name])]))


def test_csv_has_the_usual_format(tmp_path):
    columns = {"on": np.array([True, False, True]), "n": np.array([3, -4, 5]), "word": np.array(["a", "b, c", 'd"'], dtype=object)}
    Table(TIME, columns).to_csv(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_bytes().decode() == 'time,on,n,word\n0.0,1,3,a\n0.1,0,-4,"b, c"\n0.30000000000000004,1,5,"d"""\n'
    assert Table.from_csv(tmp_path / "run.csv")["word"].tolist() == ["a", "b, c", 'd"']


def test_columns_with_equal_names_are_not_written(tmp_path):
    table = Table(TIME, {"p": np.ones((3, 2)), "p[2]": TIME})
    with pytest.raises(InputError, match=r"p\[2\]"):
        table.to_csv(tmp_path / "run.csv")
    assert not (tmp_path / "run.csv").exists()


@pytest.mark.parametrize("text", ["", "t,a\n0,1\n", "time,a,a\n0,1,1\n", "time,a\n0\n", "time,a\nsoon,1\n"])
def test_an_invalid_table_file_is_refused(tmp_path, text):
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"wrong\.csv"):
        Table.from_csv(path)


def test_components_without_a_column_or_of_wrong_number_are_refused():
    with pytest.raises(UnknownNameError, match="'b'"):
        Table(TIME, {"a": TIME}, components={"b": [("b x", "m")]})
    with pytest.raises(InputError, match="but 2 names of components are given"):
        Table(TIME, {"a": np.ones((3, 3))}, components={"a": [("a x", "m"), ("a y", "m")]})


def test_a_notebook_shows_the_first_and_the_last_rows_with_units():
    time = np.linspace(0, 1.1, 12)
    table = Table(time, {"p": np.arange(24.0).reshape(12, 2) / 7, "mode <1>": np.array(["a"] * 12)}, {"p": "m"})
    shown = table._repr_html_()
    assert (
        "<tr><th>time</th><th>p[1]</th><th>p[2]</th><th>mode &lt;1&gt;</th></tr><tr><th>s</th><th>m</th><th>m</th><th></th></tr>" in shown
    )
    assert shown.count("<tr>") == 2 + 5 + 1 + 5
    assert "<td>0.1</td><td>0.285714</td><td>0.428571</td><td>a</td>" in shown
    assert "<td>1.1</td><td>3.14286</td>" in shown
    assert "<td>0.5</td>" not in shown
    assert "12 rows, 4 columns" in shown


def test_a_notebook_shows_at_most_twelve_columns_and_says_how_many_there_are():
    shown = Table(np.zeros(2), {f"x{k}": np.zeros(2) for k in range(30)})._repr_html_()
    assert "x10</th>" in shown
    assert "x11</th>" not in shown
    assert "31 columns, of which 19 are not shown" in shown
