"""Reader: what `fuzz.py` gives changed files to, and small examples to begin with. `reader` adds one to READERS.

Readers import mobod within functions: the fuzzer counts the branches of modules that are imported after it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

from fuzz_changes import Change

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
FMI_MODULES = ("mobod.fmi", "mobod.importer", "mobod.cosim", "fmpy")  # whose branches are counted for FMUs and their systems

Read = Callable[[Path], object]
Prepare = Callable[[Path], Read]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A reader of files.

    reads     what it reads, for people
    suffix    of its files
    modules   whose branches are counted
    examples  makes files that it accepts
    prepare   makes the function that reads a file; its argument is a folder for other files that this needs
    change    changes that keep the form of the file; None: bytes are changed
    seal      makes checksums right, which no random change does
    needs     a package that it needs
    """

    reads: str
    suffix: str
    modules: tuple[str, ...]
    examples: Callable[[], Iterator[bytes]]
    prepare: Prepare
    change: Change | None = None
    seal: Callable[[bytes], bytes] = bytes
    needs: str = ""


READERS: dict[str, Reader] = {}
"""By name."""


def reader(name: str, **fields: Any) -> Callable[[Prepare], Prepare]:
    """Decorate the `prepare` of a new reader. fields: the others of Reader"""

    def add(prepare: Prepare) -> Prepare:
        READERS[name] = Reader(prepare=prepare, **fields)
        return prepare

    return add


def written(write: Callable[[Path], object], suffix: str = "") -> bytes:
    """The content of the file that a function writes, which has this suffix."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"written{suffix}"
        write(path)
        return path.read_bytes()


def of_example(file: str, function: str, *arguments: Any) -> Any:
    return run_path(str(EXAMPLES / file))[function](*arguments)
