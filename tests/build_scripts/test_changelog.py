"""The changelog has each entry once: merges put some in twice."""

import re
from itertools import combinations
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"


def test_no_entry_is_there_twice_also_if_one_has_a_few_words_more():
    entries = re.split(r"^- ", CHANGELOG.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    words = [frozenset(re.findall(r"\w{3,}", entry.lower())) for entry in entries]
    assert len(entries) > 100
    # two thirds of all words of the two are in both; of entries about different things it is half at most
    alike = [
        (entries[i], entries[j])
        for i, j in combinations(range(len(entries)), 2)
        if 3 * len(words[i] & words[j]) > 2 * len(words[i] | words[j])
    ]
    assert alike == []
