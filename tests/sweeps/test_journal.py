"""The journal of a sweep: a damaged line is refused by its number, half a line at the end is dropped."""

import math

import pytest

from mobod.errors import InputError
from mobod.sweeps.journal import Journal

HEAD = b'{"sweep": "f"}\n'


@pytest.mark.parametrize(
    "line",
    [
        b'[3, [1.5], [1.5], ""]',
        b"[3, [1.5]",
        b'["3", [1.5], ""]',
        b'[-1, [1.5], ""]',
        b"[3, [1.5], null]",
        b'[3, 1.5, ""]',
        b'[3, [1e400, "x"], ""]',
        b"[3, [" + b"9" * 400 + b'], ""]',
        b"[" * 10_000,
        b"",
        b"\xff",
    ],
)
def test_a_damaged_line_is_refused_with_its_number(line, tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(HEAD + b'[0, [0.5], ""]\n' + line + b'\n[1, [2.5], ""]\n')

    with pytest.raises(InputError, match="journal', line 3: not a run"):
        Journal(path, "f")


def test_half_a_line_at_the_end_is_dropped(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(HEAD + b'[2, [0.5, null, Infinity], "why"]\n[3, [1.')

    rows = Journal(path, "f").rows

    assert list(rows) == [2]
    assert rows[2][1][0] == 0.5
    assert math.isnan(rows[2][1][1])
    assert rows[2][1:][0][2] == math.inf
    assert path.read_bytes().endswith(b'"why"]\n')
