"""Speed of mobod relative to other engines, which are measured in the same run.

    python build_scripts/benchmark.py [--list] [--short] [--only TEXT]... [--json FILE] [--page FILE]... [--from FILE]

Each case is printed when it is measured. --only measures the cases with a text in their group or title ("loops", "closed loops: 100 four").
--page replaces the tables of a page whose groups were measured whole: docs/benchmarks.md, and ensembles.md,
flexible_bodies.md and friction_and_contact.md of docs/concepts have such tables. With --from the rows of an earlier --json are taken.
Peers that are not installed are left out, and the row says so; `python -m pip install -e ".[bench]"` installs them. The cases are in
the folder benchmarks.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks import report
from benchmarks.harness import CASES, Case, Row, run

GROUPS = {  # -> the files of the folder benchmarks that have their cases, in the order in which they are measured
    "forward dynamics": ("evaluations",),
    "closed loops": ("closed_loops",),
    "runs": ("runs", "stiff"),
    "fixed steps": ("quadruped", "fixed_steps"),
    "mixed shapes": ("bin_of_shapes",),
    "contact schemes": ("contact_schemes",),
    "overheads": ("overheads",),
    "starts": ("starts",),
    "flexible bodies": ("flexible",),
    "FMUs": ("fmus",),
    "masters": ("masters",),
    "models": ("models",),
    "ensembles": ("ensembles", "ensembles_with_contacts"),
    "environments": ("environments",),
}
for _file in (name for files in GROUPS.values() for name in files):
    import_module(f"benchmarks.{_file}")  # adds its cases


def chosen(only: list[str], *, is_short: bool) -> list[Case]:
    """The cases with one of these texts in their group and title."""
    cases = [case for group in GROUPS for case in CASES if case.group == group and (case.in_short if is_short else case.in_full)]
    return [case for case in cases if not only or any(text.lower() in f"{case.group}: {case.title}".lower() for text in only)]


def measured(cases: list[Case], *, is_short: bool) -> tuple[list[Row], dict[str, str]]:
    """Rows, and the conditions of each group. Each row is printed when it is ready."""
    rows, conditions = list[Row](), dict[str, str]()
    for case in cases:
        if case.group not in conditions:
            conditions[case.group] = report.machine()
            print(f"{case.group}: {conditions[case.group]}", flush=True)
        rows.append(run(case, is_short=is_short))
        print(report.line(rows[-1]), flush=True)
    return rows, conditions


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Speed, as ratios against peers measured in the same run.")
    parser.add_argument("--list", action="store_true", help="print the cases and their peers, and measure nothing")
    parser.add_argument("--short", action="store_true", help="little of everything, to see that it runs")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="the cases with this text in `GROUP: TITLE`")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument(
        "--page", action="append", default=[], type=Path, metavar="FILE", help="write the tables of measured groups into this page"
    )
    parser.add_argument("--from", type=Path, metavar="FILE", dest="stored", help="take the rows from a file of --json")
    options = parser.parse_args(arguments)
    cases = chosen(options.only, is_short=options.short)
    if not cases:
        parser.error(f"no case has {' or '.join(map(repr, options.only))} in its group or title; --list prints them")
    if options.list:
        for case in cases:
            print(f"{case.group}: {case.title}" + (f" (peers: {', '.join(case.peers)})" if case.peers else ""))
        return 0
    if options.stored:
        rows, conditions = report.from_json(options.stored.read_text())
    else:
        rows, conditions = measured(cases, is_short=options.short)
    if options.json is not None:
        options.json.write_text(report.as_json(rows, conditions))
    wanted = {(case.group, case.title) for case in chosen([], is_short=options.short)}
    partial = {group for group, title in wanted - {(row.group, row.title) for row in rows}}
    whole = [row for row in rows if row.group not in partial]
    for page in options.page:
        page.write_text(report.with_tables(page.read_text(), whole, conditions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
