"""Compare mobod with reference data: all of a folder, or one file.

    python tests/reference/check.py FOLDER_OR_FILE [--only NAME] [--json]

One line for each case with its worst relative error and the quantity, then a summary. Cases that mobod cannot build or compare yet
count as failed. With --json a list of records {file, case, ok, worst, quantity, excluded} instead; worst is null where something was not
compared at all, and quantity then names it. A file of a schema that mobod does not support fails as a whole, by the schema's name.

Ends with 0 if everything agrees, 1 if something does not, 2 if there is nothing to compare.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # run as a script, this file's folder is on the path, not the checkout

from tests.reference.artisynth_runs import compare_run, read_run
from tests.reference.cases import Report, compare, read_cases
from tests.reference.contact_distances import compare_placement, read_distances
from tests.reference.contact_elements import compare_element, read_elements
from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.convex_pairs import compare_convex_pair, read_convex_pairs
from tests.reference.coupling_samples import compare_sample, read_samples
from tests.reference.exact_motions import compare_motion, read_motions
from tests.reference.flexible_bodies import compare_flexible, read_flexible
from tests.reference.formats import compare_format, read_formats
from tests.reference.frictional_problems import compare_problem, read_problems
from tests.reference.not_supported import why_not_supported
from tests.reference.quadratic_programs import compare_program, read_programs
from tests.reference.struck_piles import compare_struck_pile, read_struck_piles

READERS = (
    (read_cases, compare),
    (read_flexible, compare_flexible),
    (read_programs, compare_program),
    (read_run, compare_run),
    (read_samples, compare_sample),
    (read_motions, compare_motion),
    (read_elements, compare_element),
    (read_distances, compare_placement),
    (read_convex_pairs, compare_convex_pair),
    (read_problems, compare_problem),
    (read_struck_piles, compare_struck_pile),
    (read_contact_motions, compare_contact_motion),
    (read_formats, compare_format),
)

HELD = (
    "cases of schema simbody-ref/1, quadratic programs, ArtiSynth runs, samples of couplings, exact motions with stops, states "
    "and distances of contacts, convex shapes, problems and motions with friction, struck piles, states of robot files, flexible bodies"
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare mobod with reference data: all of a folder, or one file.")
    parser.add_argument("where", type=Path, metavar="FOLDER_OR_FILE", help=f"*.json files are read that hold {HELD}")
    parser.add_argument("--only", metavar="NAME", help="compare this case alone")
    parser.add_argument("--json", action="store_true", help="write records instead of lines")
    options = parser.parse_args(arguments)
    if not options.where.exists():
        parser.error(f"there is no folder or file '{options.where}'")

    records = []
    for path in sorted(options.where.glob("*.json")) if options.where.is_dir() else [options.where]:
        for report in reports(path, options.only):
            records.append(record(path.name, report))
            if not options.json:
                print(line(path.name, report), flush=True)
    if not records:
        parser.error(f"no case {f'named {options.only!r} ' if options.only else ''}in '{options.where}'")

    failed = [each for each in records if not each["ok"]]
    print(json.dumps(records, indent=1) if options.json else f"{len(records) - len(failed)} of {len(records)} cases agree")
    return 1 if failed else 0


def reports(path: Path, only: str | None) -> Iterator[Report]:
    try:
        if (why := why_not_supported(path)) is not None:
            yield Report("(the whole file)", trouble=why)
            return
        cases, compared = next(((list(cases), compared) for read, compared in READERS if (cases := read(path)) is not None), (None, None))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:  # exceptions for a malformed file
        yield Report("(the whole file)", trouble=trouble_of(error))
        return
    if cases is None or compared is None:
        print(f"{path.name}: none of {HELD}, not read", file=sys.stderr)
        return
    for case in cases:
        if only in (None, name_of(case)):
            yield attempted(compared, case)


def attempted(compared: Callable[[Any], Report], case: Any) -> Report:
    try:
        return compared(case)
    except Exception as error:  # any error in a case fails this case only
        return Report(name_of(case), trouble=trouble_of(error))


def trouble_of(error: Exception) -> str:
    return f"the key {error} is missing" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}"


def name_of(case: Any) -> str:
    return str(case["name"]) if isinstance(case, dict) and "name" in case else "(a case without a name)"


def record(file: str, report: Report) -> dict[str, Any]:
    worst, quantity = None, report.trouble or "not compared: " + ", ".join(report.not_compared)
    is_complete = report.trouble is None and not report.not_compared
    if report.worst is not None and (is_complete or not report.agrees):
        worst, quantity = report.worst.error if report.worst.error < float("inf") else None, report.worst.quantity
    return {"file": file, "case": report.name, "ok": report.ok, "worst": worst, "quantity": quantity, "excluded": report.excluded}


def line(file: str, report: Report) -> str:
    words = [] if report.trouble is None else [report.trouble]
    if report.worst is not None:
        words.append(f"worst {report.worst.error:.1e} of {report.worst.tolerance:.0e} in {report.worst.quantity}")
    if report.not_compared:
        words.append(f"not compared: {', '.join(report.not_compared)}")
    if report.excluded:
        words.append(f"excluded, upstream defect: {', '.join(report.excluded)}")
    return f"{'ok    ' if report.ok else 'FAILED'} {file} {report.name}: {'; '.join(words)}"


if __name__ == "__main__":
    sys.exit(main())
