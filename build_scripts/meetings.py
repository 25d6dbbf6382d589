"""Meetings: random mechanisms with elements of every kind run by pairs of ways that must agree, and disagreements are kept.

    python build_scripts/meetings.py --seeds 100                          # each mechanism by some of the pairs, chosen by its seed
    python build_scripts/meetings.py --seeds 100 --only lanes --only page
    python build_scripts/meetings.py --seeds 1 --first 37 --only lanes --program    # the program of that mechanism
    python build_scripts/meetings.py --list                               # all pairs

A disagreement is an error of mobod, unless both runs end with the same named error, or starts that hardly differ lead to motions that do
(tests/meetings/within_tolerance.py). The smallest mechanism that shows it is written to build/meetings as a Python program.

Prints what it finds as it goes, then a table by pair, one by kind of element, and the named errors by kind.
Exit code: 0 without disagreements, 1 with one, 2 for wrong usage.
"""

# Decision: docs/decisions/175-meetings.md

import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # the tests
    sys.exit(import_module("tests.meetings.command").main(ROOT / "build" / "meetings"))
