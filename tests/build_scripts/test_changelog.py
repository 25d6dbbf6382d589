"""The changelog has each entry once: merges put some in twice. build_scripts/sort_changelog.py moves entries to the page of a version."""

import re
from itertools import combinations
from pathlib import Path

from sort_changelog import entries_of, page_of, sorted_by_topic, topic_of

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"
PAGES = sorted(ROOT.glob("docs/changes_of_*.md"))

SHORT = """# Changelog

## [Unreleased]

### Added

- A `Servo` drives a joint
  ([docs/drives.md](docs/drives.md)).
- Entirely unrelated.

### Fixed

- A box that slips on a box.
- An old entry.

## [1.2.0]

See docs.
"""
PAGE = """# Changes of 1.2

## Contact and friction

### Fixed

- An earlier one about contact.

## Simulation

### Fixed

- An old entry.
"""


def test_no_entry_is_there_twice_also_if_one_has_a_few_words_more():
    texts = [path.read_text(encoding="utf-8") for path in (CHANGELOG, *PAGES)]
    entries = [entry for text in texts for entry in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
    words = [frozenset(re.findall(r"\w{3,}", entry.lower())) for entry in entries]
    assert len(entries) > 100
    # two thirds of all words of the two are in both; of entries about different things it is half at most
    alike = [
        (entries[i], entries[j])
        for i, j in combinations(range(len(entries)), 2)
        if 3 * len(words[i] & words[j]) > 2 * len(words[i] | words[j])
    ]
    assert alike == []


def test_the_newest_version_has_a_page():
    assert page_of(CHANGELOG.read_text(encoding="utf-8")) in PAGES


def test_entries_are_moved_to_the_heads_of_their_topics_and_nothing_is_lost():
    changelog, page, moved = sorted_by_topic(SHORT, PAGE)

    assert [topic for topic, _ in moved] == ["Forces, drives and tendons", "there already", "Contact and friction"]
    assert entries_of(changelog, "Added") == ["- Entirely unrelated.\n"]  # it has no word of a topic
    assert entries_of(changelog, "Fixed") == []
    contact, drives, simulation = page.split("\n## ")[1:]
    assert entries_of(contact, "Fixed") == ["- A box that slips on a box.\n", "- An earlier one about contact.\n"]
    assert entries_of(drives, "Added") == ["- A `Servo` drives a joint\n  ([docs/drives.md](drives.md)).\n"]
    assert entries_of(simulation, "Fixed") == ["- An old entry.\n"]
    assert sorted_by_topic(changelog, page) == (changelog, page, [])


def test_words_at_the_beginning_of_an_entry_count_most():
    text = "- `mobod export` of an FMU: " + "its description " * 12 + "contact contact contact\n"

    assert topic_of(text) == "FMUs"
