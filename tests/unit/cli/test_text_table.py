"""Tables in the terminal never truncate a cell."""

import re

import pytest

from mobod.cli.text_table import print_table

LONG = "left_hind_leg.upper_link.elastic_limit.stiffness"
OTHER = "right_hind_leg_of_the_robot"
TEXT = "stiffness of the elastic limit of the upper link, as its manufacturer gives it"


@pytest.fixture
def lines_in_terminal(monkeypatch, capsys):
    """lines_in_terminal(60): the output in a terminal of 60 columns, without colours."""

    def lines(width):
        monkeypatch.setenv("FORCE_COLOR", "1")  # takes the output for a terminal
        monkeypatch.setenv("COLUMNS", str(width))
        print_table("parameters", ("name", "body", "description"), [(LONG, OTHER, TEXT)])
        return re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()

    return lines


def test_in_a_pipe_each_row_is_one_line_however_long(monkeypatch, capsys):
    for variable in ("FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    print_table("parameters", ("name", "body", "description"), [(LONG, OTHER, TEXT)])
    (row,) = [line for line in capsys.readouterr().out.splitlines() if LONG in line]
    assert row.split(maxsplit=2) == [LONG, OTHER, TEXT + "  "]


def test_in_a_terminal_the_description_wraps_between_words(lines_in_terminal):
    lines = lines_in_terminal(110)
    assert all(len(line) <= 110 for line in lines)
    assert any(LONG in line and OTHER in line for line in lines)
    shown = " ".join(word for line in lines[4:] for word in line.split() if word not in (LONG, OTHER))
    assert shown == TEXT


@pytest.mark.parametrize("width", [60, 20])
def test_in_a_narrow_terminal_a_list_replaces_the_table(lines_in_terminal, width):
    assert lines_in_terminal(width)[:4] == ["parameters", f"  {LONG}", f"    body         {OTHER}", f"    description  {TEXT}"]
