"""The time of tests by their folder, from the file that `pytest --junit-xml FILE` writes.

    python build_scripts/times_by_folder.py FILE

prints folders with their tests and seconds, the slowest first, and adds them to build/slow_times.csv (date, commit, folder, tests,
seconds), so that runs can be compared. Seconds are those that passed in a test, with its fixtures, summed over all processes.
`check.py slow` does this.
"""

import csv
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "build" / "slow_times.csv"


def times_by_folder(results: Path) -> list[tuple[str, int, float]]:
    """Folder, number of tests, seconds; the slowest first."""
    times: dict[str, list[float]] = {}
    for case in ElementTree.parse(results).iter("testcase"):
        times.setdefault(_folder(case.get("classname", "")), []).append(float(case.get("time", "0")))
    return sorted(((folder, len(seconds), sum(seconds)) for folder, seconds in times.items()), key=lambda row: -row[2])


def _folder(module: str) -> str:
    """Of `tests.unit.numerics.test_friction`, which may end with a class."""
    parts = module.split(".")
    is_file = [part.startswith("test_") for part in parts]
    return "/".join(parts[: is_file.index(True)] if True in is_file else parts)


def main(results: Path, record: Path = RECORD) -> int:
    if not results.exists():
        print(f"{results} does not exist: pytest was stopped before its end")
        return 1
    rows = times_by_folder(results)
    for folder, n, seconds in [*rows, ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))]:
        print(f"{folder:32}{n:7,} tests{seconds:10.1f} s")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    is_new = not record.exists()
    record.parent.mkdir(parents=True, exist_ok=True)
    with record.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(("date", "commit", "folder", "tests", "seconds"))
        now = datetime.now().isoformat(timespec="seconds")
        writer.writerows((now, commit, folder, n, f"{seconds:.2f}") for folder, n, seconds in rows)
    print(f"added to {record}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
