"""Fuzzing: gives changed files to a reader, guided by the branches that they reach, and keeps what it should not have done.

    python build_scripts/fuzz.py urdf --minutes 10    # a reader in Python: needs the extra `fuzz`, which is the package atheris
    python build_scripts/fuzz.py tables --minutes 60  # the runtime in C: needs clang, with its sanitizers and libFuzzer
    python build_scripts/fuzz.py threads              # instances of the runtime in threads, under the thread sanitizer
    python build_scripts/fuzz.py --list               # all readers

A finding is an exception that is not a MobodError, a crash, what a sanitizer reports, a file that takes more than 30 s, or more memory than
4 GiB. build/fuzz/READER has the corpus, which grows from run to run, and the findings: the smallest input of each and a text about it.

Exit code: 0 if there is no finding, 1 if there is one, 2 if it cannot run.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import fuzz_native
from fuzz_reader import ROOT
from fuzz_readers import READERS
from fuzz_tools import MissingToolError

FOLDER = ROOT / "build" / "fuzz"
MOST_SECONDS = 30  # for one file


@dataclass
class Outcome:
    """What a run of libFuzzer has done.

    edges      of the control flow, reached
    findings   names of the files
    """

    executions: int = 0
    edges: int = 0
    seconds: float = 0.0
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        found = f"{len(self.findings)} findings" if len(self.findings) != 1 else "1 finding"
        return f"{self.executions} executions in {self.seconds:.0f} s, {self.edges} edges, {found}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Give changed files to a reader, guided by the branches that they reach.")
    kinds = {**{name: each.reads for name, each in READERS.items()}, **fuzz_native.READS, "threads": "nothing: runs instances in threads"}
    parser.add_argument("reader", nargs="?", choices=kinds, metavar="READER", help=f"any of: {', '.join(kinds)}")
    parser.add_argument("--minutes", type=float, default=10.0, help="default: 10")
    parser.add_argument("--runs", type=int, default=-1, help="the largest number of files; default: as many as there is time for")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers; default: another one each time")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for corpus and findings; default: build/fuzz")
    parser.add_argument("--list", action="store_true", help="list the readers, and do nothing else")
    chosen = parser.parse_args(arguments)
    if chosen.list or chosen.reader is None:
        print("\n".join(f"{name:12} {reads}" for name, reads in kinds.items()))
        return 0 if chosen.list else 2
    folder = chosen.folder.absolute() / chosen.reader
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    try:
        if chosen.reader == "threads":
            return fuzz_native.run_threads(folder)
        command, environment, examples = _program(chosen.reader, folder)
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 2
    largest = _write_examples(folder, examples)
    least = 2**16 if chosen.reader in fuzz_native.READS else 4096
    options = [f"-max_len={max(least, 2 * largest)}", f"-seed={chosen.seed}", f"-runs={chosen.runs}"]
    outcome = run(command, environment, folder, options, chosen.minutes * 60)
    print(f"{chosen.reader}: {outcome}", *(f"  {folder / 'findings' / name}" for name in outcome.findings), sep="\n")
    return 1 if outcome.findings else 0


def _program(name: str, folder: Path) -> tuple[list[str], Mapping[str, str], Iterable[bytes]]:
    """The command, its environment variables, and the first files. Raises MissingToolError."""
    if name in fuzz_native.READS:
        return fuzz_native.program(name, folder)
    reader = READERS[name]
    for package in ("atheris", *filter(None, [reader.needs])):
        if find_spec({"pycollada": "collada"}.get(package, package)) is None:
            extra = "fuzz" if package == "atheris" else "test"
            raise MissingToolError(f"{name} needs the package {package}, which is not installed. Run: pip install -e '.[{extra}]'")
    return [sys.executable, str(Path(__file__).parent / "fuzz_python.py"), name, str(folder)], {}, reader.examples()


def _write_examples(folder: Path, examples: Iterable[bytes]) -> int:
    """Returns the size of the largest one."""
    largest = 0
    for number, example in enumerate(examples):
        (folder / "corpus" / f"example{number}").write_bytes(example)
        largest = max(largest, len(example))
    return largest


def run(command: list[str], environment: Mapping[str, str], folder: Path, options: list[str], seconds: float) -> Outcome:
    """Run libFuzzer for this time. A crash or a hang ends its process: another one then goes on with the same corpus.

    command  the program, whose further arguments are those of libFuzzer
    """
    findings = folder / "findings"
    findings.mkdir(exist_ok=True)
    before = _sizes(findings)
    outcome, start = Outcome(), time.monotonic()
    while (left := seconds - (time.monotonic() - start)) > 1:
        options_of_time = [f"-max_total_time={int(left)}", f"-timeout={MOST_SECONDS}", "-rss_limit_mb=4096", "-print_final_stats=1"]
        artifacts = folder / "artifacts"
        artifacts.mkdir(exist_ok=True)
        log = folder / "log.txt"
        with log.open("wb") as stream:
            full = [*command, *options, *options_of_time, f"-artifact_prefix={artifacts}{os.sep}", str(folder / "corpus")]
            ended = subprocess.run(full, stdout=stream, stderr=subprocess.STDOUT, env={**os.environ, **environment}, check=False)
        text = log.read_text(encoding="utf-8", errors="replace")
        _count(text, outcome)
        if ended.returncode == 0:
            break
        if not _keep_artifacts(artifacts, findings, text):
            raise SystemExit(f"the fuzzer has ended with code {ended.returncode} and no input; the end of {log}:\n{text[-2000:]}")
    outcome.seconds = time.monotonic() - start
    outcome.findings = sorted(name for name, size in _sizes(findings).items() if before.get(name) != size)
    return outcome


def _sizes(folder: Path) -> dict[str, int]:
    return {each.name: each.stat().st_size for each in folder.iterdir() if each.suffix != ".txt"}


def _count(log: str, outcome: Outcome) -> None:
    executions = [int(each) for each in re.findall(r"^#(\d+)\s", log, flags=re.MULTILINE)]
    executions += [int(each) for each in re.findall(r"number_of_executed_units:\s*(\d+)", log)]
    outcome.executions += max(executions, default=0)
    outcome.edges = max([outcome.edges, *map(int, re.findall(r"\bcov: (\d+)", log))])


def _keep_artifacts(artifacts: Path, findings: Path, log: str) -> bool:
    """Keep the smallest input of each kind of crash. Returns whether there was one."""
    found = False
    for artifact in artifacts.iterdir():
        if artifact.name.startswith("slow-unit"):  # not too slow
            artifact.unlink()
            continue
        found = True
        summary = re.search(r"^SUMMARY: (.*)$", log, flags=re.MULTILINE)
        kind = re.sub(r"[^\w.]+", "-", summary[1].replace(str(ROOT), "") if summary else "ended")[-100:].strip("-")
        kept = findings / f"{artifact.name.partition('-')[0]}-{kind}.bin"
        if not kept.exists() or kept.stat().st_size > artifact.stat().st_size:
            artifact.replace(kept)
            kept.with_suffix(".txt").write_text(log[-20000:], encoding="utf-8")
        else:
            artifact.unlink()
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # examples of the tests
    sys.exit(main())
