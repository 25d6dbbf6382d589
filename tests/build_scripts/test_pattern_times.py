"""The script that finds slow regular expressions detects a quadratic one, and finds none in the package."""

import re

import pattern_times
import pytest
from pattern_times import Use, growth, texts


def worst(pattern, method):
    use = Use("here", re.compile(pattern), method)
    return max(growth(use, *each) for each in texts(use.pattern))


@pytest.mark.slow  # measures times
@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"[+-]?(\d+\.?\d*|\.\d+)x", "fullmatch"), (r"order\s*=?\s*(\d+)", "match"), (r"\s*[/^]\s*", "sub")],
)
def test_a_pattern_whose_time_grows_faster_than_its_text_is_found(pattern, method):
    assert worst(pattern, method) > pattern_times.MOST_GROWTH


@pytest.mark.slow  # measures times
@pytest.mark.parametrize(("pattern", "method"), [(r"[+-]?(\d+(\.\d*)?|\.\d+)x", "fullmatch"), (r"order(?:\s*=)?\s*(\d+)", "match")])
def test_a_pattern_that_reads_a_text_once_is_not(pattern, method):
    assert worst(pattern, method) <= pattern_times.MOST_GROWTH


@pytest.mark.slow  # 9 s of processor time
def test_the_package_has_no_such_pattern(capsys):
    assert pattern_times.main() == 0, capsys.readouterr().out


def test_texts_reach_each_repeated_part():
    assert texts(re.compile(r"m0\s*\((\d+)[, ]x*")) == [("m0", " ", "\x01"), ("m0 (", "1", "\x01"), ("m0 (1,", "x", "\x01")]
