"""Runs the slow tests in parts, and keeps a record of the last run of each file of tests.

    python build_scripts/slow_suite.py               # all
    python build_scripts/slow_suite.py --part 2/8    # the second of eight parts, each at most 20 minutes on two cores
    python build_scripts/slow_suite.py tests/laws    # the slow tests of files or folders
    python build_scripts/slow_suite.py --page        # write the page from the record, run nothing

Parts are cut by folders, the longest first, by the times of the record. The record, tests/slow_suite.json, has for each file the commit
and the day of its last whole run, its seconds, its failures and what was skipped. The page docs/validation/slow_suite.md is made from it.

`python build_scripts/check.py slow --part K/N` does the same. Exit code: 0 if all passed.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "slow_suite.json"
PAGE = ROOT / "docs" / "validation" / "slow_suite.md"
LONGEST_PART = 2 * 20 * 60.0  # seconds of tests, summed over two processes
UNKNOWN = 5.0  # seconds of a test that has never run, a guess

Case = tuple[str, str, float, str, str]
"""File, test, seconds, outcome, reason of a skip."""


@dataclass
class LastRun:
    """The last whole run of the slow tests of one file.

    commit   that was checked out; with a plus sign if other files had changes
    date     of its end
    seconds  in tests and their fixtures, summed over processes
    passed   number of tests
    failed   names of tests
    skipped  number of tests by reason
    open     number of tests that are expected to fail, by reason
    """

    commit: str
    date: str
    seconds: float = 0.0
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    open: dict[str, int] = field(default_factory=dict)

    def add(self, test: str, seconds: float, outcome: str, reason: str) -> None:
        self.seconds += seconds
        if outcome == "passed":
            self.passed += 1
        elif outcome == "failed":
            self.failed.append(test)
        else:
            counts = self.skipped if outcome == "skipped" else self.open
            counts[reason] = counts.get(reason, 0) + 1

    @property
    def n_tests(self) -> int:
        return self.passed + len(self.failed) + sum(self.skipped.values()) + sum(self.open.values())


Record = dict[str, LastRun]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files or folders of tests; all if left out")
    parser.add_argument("--part", metavar="K/N", type=_part, help="the K-th of N parts")
    parser.add_argument("--page", action="store_true", help="write the page from the record and run nothing")
    given = parser.parse_args()
    counts, record = collected(given.paths), read_record()
    if given.page:
        write_page(collected([]) if given.paths else counts, record)
        return 0
    files = list(counts)
    if given.part:
        k, n = given.part
        files = parts(counts, record, n)[k - 1]
    return run(files, counts, record)


def _part(text: str) -> tuple[int, int]:
    k, _, n = text.partition("/")
    if not (k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with 1 <= K <= N")
    return int(k), int(n)


def collected(paths: Iterable[str]) -> dict[str, int]:
    """Files with slow tests, and the number of these; 0 for a file that is skipped as a whole."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "slow", *paths]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 5):  # 5: there is none
        sys.exit(f"tests cannot be collected:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return counts_of(result.stdout)


def counts_of(listing: str) -> dict[str, int]:
    """Files and their number of tests in what `pytest --collect-only -q` prints."""
    tests = Counter(line.partition("::")[0] for line in listing.splitlines() if line.startswith("tests/") and "::" in line)
    skipped = {match[1]: 0 for match in re.finditer(r"^SKIPPED \[\d+\] (tests/\S+?\.py):", listing, flags=re.MULTILINE)}
    return {**skipped, **tests}


def parts(counts: dict[str, int], record: Record, n: int) -> list[list[str]]:
    """The files in n parts of about the same time: folders with the longest first, and so within a folder."""
    seconds = {file: _expected(file, counts, record) for file in counts}
    of_folder: defaultdict[str, float] = defaultdict(float)
    for file, each in seconds.items():
        of_folder[_folder(file)] += each
    files = sorted(counts, key=lambda file: (-of_folder[_folder(file)], _folder(file), -seconds[file], file))
    total, passed, result = sum(seconds.values()), 0.0, [[] for _ in range(n)]  # type: tuple[float, float, list[list[str]]]
    for file in files:
        middle = (passed + seconds[file] / 2) / total
        result[min(int(middle * n), n - 1)].append(file)
        passed += seconds[file]
    return result


def fewest_parts(counts: dict[str, int], record: Record) -> int:
    """The smallest number of parts of which none takes longer than LONGEST_PART, unless one file does."""
    total = sum(_expected(file, counts, record) for file in counts)
    n = max(1, ceil(total / LONGEST_PART))
    longest = max((_expected(file, counts, record) for file in counts), default=0.0)
    while n < len(counts) and _longest(parts(counts, record, n), counts, record) > max(LONGEST_PART, longest):
        n += 1
    return n


def _longest(of: list[list[str]], counts: dict[str, int], record: Record) -> float:
    return max(sum(_expected(file, counts, record) for file in files) for files in of)


def _expected(file: str, counts: dict[str, int], record: Record) -> float:
    last = record.get(file)
    if last is None or not last.n_tests:
        return UNKNOWN * counts[file]
    return last.seconds * counts[file] / last.n_tests


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def run(files: list[str], counts: dict[str, int], record: Record) -> int:
    """Runs the slow tests of these files, the longest first, and writes the record and the page."""
    if not files:
        print("no slow tests")
        return 0
    commit = current_commit()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        options = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "-o", "junit_family=xunit1", f"--junit-xml={results}"]
        status = subprocess.run([sys.executable, "-m", "pytest", "-m", "slow", *options, *files], cwd=ROOT, check=False).returncode
        if not results.exists():
            print("pytest was stopped before its end: nothing is recorded")
            return status or 1
        runs = last_runs(cases(results), commit, datetime.now(UTC).date().isoformat())
    record = {**read_record(), **{file: each for file, each in runs.items() if each.n_tests >= counts.get(file, 0)}}
    write_record({file: each for file, each in record.items() if (ROOT / file).exists()})
    for file, each in sorted(runs.items(), key=lambda item: -item[1].seconds):
        print(f"{file:72}{each.n_tests:6} tests{each.seconds:9.1f} s" + (f"   {len(each.failed)} FAILED" if each.failed else ""))
    print(f"{len(runs)} files, {sum(each.n_tests for each in runs.values())} tests, {sum(each.seconds for each in runs.values()):.0f} s")
    write_page(collected([]), read_record())
    return status


def cases(results: Path) -> Iterable[Case]:
    """What a file of JUnit's format says of each test."""
    for case in ElementTree.parse(results).iter("testcase"):
        outcome, reason = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                outcome = "failed"
            elif child.tag == "skipped" and outcome == "passed":
                outcome = "open" if child.get("type") == "pytest.xfail" else "skipped"
                reason = child.get("message", "")
        # a file that is skipped as a whole has only a name; an interruption has none
        file = case.get("file") or case.get("name", "").replace(".", "/") + ".py"
        if file != ".py":
            yield file, case.get("name", ""), float(case.get("time", "0")), outcome, reason


def last_runs(results: Iterable[Case], commit: str, date: str) -> Record:
    """By file. A test with an error at its end appears twice, and counts once, as failed."""
    merged: dict[tuple[str, str], tuple[float, str, str]] = {}
    for file, test, seconds, outcome, reason in results:
        before = merged.get((file, test))
        worse = before is not None and before[1] == "failed"
        merged[file, test] = (seconds + (before[0] if before else 0), "failed" if worse else outcome, reason)
    runs: Record = {}
    for (file, test), (seconds, outcome, reason) in merged.items():
        runs.setdefault(file, LastRun(commit, date)).add(test, seconds, outcome, reason)
    return runs


def current_commit() -> str:
    """The short name of HEAD, with a plus sign if files other than the record and the page have changes."""
    head = _git("rev-parse", "--short=8", "HEAD").strip()
    others = [f":!{path.relative_to(ROOT)}" for path in (RECORD, PAGE)]
    return head + "+" * bool(_git("status", "--porcelain", "--", ".", *others).strip())


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def read_record(path: Path = RECORD) -> Record:
    """What is kept of the last runs, by file of tests."""
    if not path.exists():
        return {}
    return {file: LastRun(**each) for file, each in json.loads(path.read_text(encoding="utf-8")).items()}


def write_record(record: Record, path: Path = RECORD) -> None:
    """One line a file, so that two runs differ in few lines."""
    lines = []
    for file, each in sorted(record.items()):
        kept = {name: value for name, value in asdict(each).items() if name in ("commit", "date") or value}
        lines.append(f"{json.dumps(file)}: {json.dumps({**kept, 'seconds': round(each.seconds, 1)})}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def write_page(counts: dict[str, int], record: Record, path: Path = PAGE) -> None:
    path.write_text(page(counts, record), encoding="utf-8")


def page(counts: dict[str, int], record: Record) -> str:
    """The page of the handbook: the last whole run of each part."""
    n = fewest_parts(counts, record)
    rows = [_row(k, n, files, counts, record) for k, files in enumerate(parts(counts, record, n), 1)]
    known = [record[file] for file in counts if file in record]
    failures = [f"`{file}::{test}`" for file in counts for test in (record[file].failed if file in record else [])]
    n_tests, n_failed = sum(counts.values()), sum(len(each.failed) for each in known)
    text = f"""# The slow suite

Written by `python build_scripts/check.py slow`; do not edit it.

{n_tests:,} slow tests in {len(counts)} files. `python build_scripts/check.py slow --part 1/{n}` runs the first part.
Parts are cut by folders, those that take longest first. Minutes are those of tests, summed over two processes: a part takes half
of them on two cores. A commit with a plus sign had changes that were not committed.

| part | folders (files) | tests | commit | last whole run | minutes | failed |
|---|---|---|---|---|---|---|
{chr(10).join(rows)}
| all | | {n_tests:,} | | | {sum(each.seconds for each in known) / 60:.0f} | {n_failed} |

"""
    text += _listed("Failed", failures, "Nothing failed.")
    text += _listed("Skipped", _reasons(known, lambda each: each.skipped), "Nothing was skipped.")
    text += _listed("Expected to fail, until what they name is mended", _reasons(known, lambda each: each.open), "")
    return text.rstrip("\n") + "\n"


def _row(k: int, n: int, files: list[str], counts: dict[str, int], record: Record) -> str:
    folders = Counter(_folder(file).removeprefix("tests/") for file in files)
    names = ", ".join(f"{folder} ({count})" for folder, count in folders.items())
    runs = [record.get(file) for file in files]
    known = [each for each in runs if each]
    commits = ", ".join(sorted({each.commit for each in known})) or "-"
    dates = sorted({each.date for each in known})
    when = " to ".join(dates[:: max(1, len(dates) - 1)]) or "never"
    if dates and len(known) < len(runs):
        when += f"; files that never ran: {len(runs) - len(known)}"
    minutes = sum(each.seconds for each in known) / 60
    failed = sum(len(each.failed) for each in known)
    return f"| {k}/{n} | {names} | {sum(counts[file] for file in files):,} | {commits} | {when} | {minutes:.1f} | {failed} |"


def _reasons(runs: Iterable[LastRun], of: Callable[[LastRun], dict[str, int]]) -> list[str]:
    total: Counter[str] = Counter()
    for each in runs:
        total.update(of(each))
    return [f"{count} tests: {reason}" if count > 1 else f"1 test: {reason}" for reason, count in total.most_common()]


def _listed(title: str, lines: list[str], none: str) -> str:
    if not lines:
        return f"{none}\n\n" if none else ""
    return f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n\n"


if __name__ == "__main__":
    sys.exit(main())
