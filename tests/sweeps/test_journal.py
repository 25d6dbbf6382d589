"""The journal of a sweep: a spoiled end is repeated, and damage before it is refused by its line."""

import math
import zlib

import pytest

from mobod.errors import InputError
from mobod.sweeps.journal import Journal

ROWS = [(0, [1.25, math.inf], ""), (2, [-0.1, 3e-300], ""), (1, [], "run failed:\n\x85 \u2028 'grün'"), (4, [5.0, math.nan], "")]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "table.csv.unfinished"
    Journal(path, "f", 6).add(ROWS[:3])
    Journal(path, "f", 6).add(ROWS[3:])
    return path


def _line(text):
    return text + b" " + f"{zlib.crc32(text):08x}".encode() + b"\n"


def rows_of(path):
    return list(Journal(path, "f", 6).rows.values())


def test_a_journal_restores_every_bit(path):
    assert repr(rows_of(path)) == repr(ROWS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1],
        lambda text: text[:-4],
        lambda text: text + b'[5, [1.0], ""]',
        lambda text: text + b"   \n",
        lambda text: text + bytes(4096),
        lambda text: text + bytes(20) + b"\n" + b"\xff\xfe\n[\n",
        lambda text: text + _line(b'[5, [1%s], ""]' % (400 * b"0")),
        lambda text: text.replace(b"5.0", b"5.5"),
        lambda text: text.replace(b"[4, [5.0", b"[3, [5.0"),
    ],
    ids=[
        "no line end",
        "cut",
        "half a line",
        "blanks",
        "zeros of a full disk",
        "several lines",
        "a number beyond floats",
        "another number",
        "another run",
    ],
)
def test_a_spoiled_end_is_cut_off_and_its_runs_are_repeated(path, spoil):
    path.write_bytes(spoil(path.read_bytes()))
    kept = rows_of(path)
    assert repr(kept) in (repr(ROWS), repr(ROWS[:3]))
    Journal(path, "f", 6).add([(5, [7.0, 8.0], "")])
    assert repr(rows_of(path)) == repr([*kept, (5, [7.0, 8.0], "")])


def test_names_of_figures_are_kept(path):
    journal = Journal(path, "f", 6)
    journal.add([(3, [1.0, 2.0, 3.0], "")], ["a", "b", "c"])
    journal.add([(5, [4.0, 5.0, 6.0], "")], ["a", "b", "c"])
    again = Journal(path, "f", 6)
    assert again.figures == ["a", "b", "c"]
    assert repr(list(again.rows.values())) == repr([*ROWS, (3, [1.0, 2.0, 3.0], ""), (5, [4.0, 5.0, 6.0], "")])


def test_every_cut_of_a_journal_keeps_whole_runs(path):
    text = path.read_bytes()
    for length in range(len(text)):
        path.write_bytes(text[:length])
        whole = text[:length].count(b"\n") - 1
        assert repr(rows_of(path)) == repr(ROWS[: max(0, whole)])


def test_every_changed_byte_is_noticed(path):
    text = path.read_bytes()
    first, last = text.index(b"\n") + 1, text.rindex(b"\n", 0, -1)
    for at in range(first, len(text)):
        path.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
        if at < last:
            with pytest.raises(InputError, match=rf"line {text[:at].count(chr(10).encode()) + 1}: it is damaged"):
                rows_of(path)
        else:
            assert repr(rows_of(path)) == repr(ROWS[: 2 if at == last else 3])  # at == last: two lines become one


@pytest.mark.parametrize("line", [b'{"sweep": "f"}', b'{"sweep": "g", "lines": "checked"}'])
def test_another_sweep_or_version_is_refused(path, line):
    path.write_bytes(line + path.read_bytes()[path.read_bytes().index(b"\n") :])
    with pytest.raises(InputError, match="the runs of another sweep"):
        rows_of(path)


@pytest.mark.parametrize(
    "text", [b"\0\0\0\n", b"time,x\n0,1\n", b"[]\n", b"7\n", b"[" * 10**5 + b"\n", b"\xff\n", b"notes of mine", b'{"sweeq"']
)
def test_a_file_that_is_no_journal_is_refused_and_kept(path, text):
    path.write_bytes(text)
    with pytest.raises(InputError, match="line 1: it is not the beginning of the journal"):
        rows_of(path)
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    "text", [b'[6, [1.0], ""]', b'[-1, [1.0], ""]', b'[true, [1.0], ""]', b'[5, ["a"], ""]', b"[5, [1.0], 3]", b"[5]", b"7"]
)
def test_a_line_that_no_sweep_wrote_counts_as_damaged(path, text):
    with path.open("ab") as file:
        file.write(text + f" {zlib.crc32(text):08x}\n".encode())
    assert repr(rows_of(path)) == repr(ROWS)
