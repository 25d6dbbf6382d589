"""Gives changed files to a reader in Python, under atheris: fuzz.py starts it, once for each stretch between two crashes.

    python build_scripts/fuzz_python.py READER FOLDER OPTION...     # options of libFuzzer, then its corpus

FOLDER/findings gets the smallest input of each finding, and a text about it. An exception of mobod's own is what a reader is allowed to
raise; any other is a finding. Hangs and crashes end the process, as libFuzzer does it.
"""

import logging
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from fuzz_reader import ROOT, Reader
from fuzz_readers import READERS

MOST_MEMORY = 4 * 2**30  # bytes of addresses; more is a MemoryError, and so a finding


@dataclass(frozen=True)
class Finding:
    """An error that a reader should not raise. place: the innermost line of mobod in its traceback"""

    kind: str
    place: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.place}".replace("/", ".").replace(":", "-")


class Harness:
    """A reader that is watched.

    folder  for its findings
    work    for files while it reads
    """

    def __init__(self, reader: Reader, folder: Path, work: Path) -> None:
        self.reader = reader
        self.folder = folder
        self.read = reader.prepare(work)
        self._path = work / f"input{reader.suffix}"

    def take(self, data: bytes) -> Finding | None:
        """Have it read these bytes. A finding is kept if there is no smaller input for it."""
        from mobod.errors import MobodError

        sealed = self.reader.seal(data)
        self._path.write_bytes(sealed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a reader may warn
                self.read(self._path)
        except MobodError:
            return None
        except Exception as error:
            finding = _finding(error)
            self._keep(finding, sealed)
            return finding
        return None

    def _keep(self, finding: Finding, data: bytes) -> None:
        path = self.folder / f"{finding.name}{self.reader.suffix}"
        if not path.exists() or path.stat().st_size > len(data):
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(finding.text, encoding="utf-8", errors="backslashreplace")

    def change(self, data: bytes, most: int, random: Random) -> bytes | None:
        """The bytes after changes that keep their form; None if a change of bytes is to be made instead."""
        if self.reader.change is None or random.random() < 0.2:
            return None
        for _ in range(1 + random.randrange(3)):
            changed = self.reader.change(data, random)
            if changed is None or len(changed) > most:
                return None
            data = changed
        return data


def _finding(error: Exception) -> Finding:
    frames = traceback.extract_tb(error.__traceback__)
    of_mobod = [each for each in frames if "/engine/mobod/" in each.filename.replace("\\", "/")] or frames
    last = of_mobod[-1]
    place = f"{last.filename.replace(chr(92), '/').rpartition('/engine/mobod/')[2]}:{last.lineno}"
    return Finding(type(error).__name__, place, "".join(traceback.format_exception(error)))


def main(name: str, folder: Path, options: list[str]) -> None:
    import atheris

    logging.disable()
    _limit_memory()
    reader = READERS[name]
    with TemporaryDirectory(prefix="fuzz_") as work:
        with atheris.instrument_imports(include=list(reader.modules)):
            harness = Harness(reader, folder / "findings", Path(work))
            for example in sorted((folder / "corpus").glob("example*")):
                harness.take(example.read_bytes())  # imports all that it needs

        def change(data: bytes, most: int, seed: int) -> bytes:
            changed = harness.change(data, most, Random(seed))
            return atheris.Mutate(data, most) if changed is None else changed

        take: Callable[[bytes], object] = harness.take
        atheris.Setup([sys.argv[0], *options], lambda data: take(data) and None, custom_mutator=change)
        atheris.Fuzz()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # examples of the tests
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
