"""Load all robot files of a folder, and count: python build_scripts/robot_files.py FOLDER [--paths MODELS ...] [--simulate] [--list].

Prints how many files of each format load, the kinds of findings with the number of files that have them, and the reasons of errors.
"""

import argparse
import re
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import final

from lxml import etree

import mobod as mb
from mobod.errors import MobodError
from mobod.files import ModelFileWarning

SUFFIXES = {".urdf", ".sdf", ".world", ".xml"}
LONGEST = 120  # s, for one file


@final
@dataclass
class Count:
    """Of the files of one format."""

    loaded: int = 0
    simulated: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    errors: list[tuple[Path, str]] = field(default_factory=list)


class TooLongError(Exception):
    """A file takes longer than LONGEST."""


def loaders(paths: list[Path]) -> dict[str, Callable[[Path], mb.MultibodySystem]]:
    """By root element."""
    return {"robot": mb.load_urdf, "sdf": partial(mb.load_sdf, paths=paths), "mujoco": partial(mb.load_mjcf, folders=paths)}


def files_of(folder: Path, roots: set[str]) -> Iterator[tuple[Path, str]]:
    """The files of the folder that have one of these root elements, with it."""
    for path in sorted(each for each in folder.rglob("*") if each.suffix in SUFFIXES and each.is_file()):
        try:
            _, first = next(etree.iterparse(str(path), events=("start",), recover=True, resolve_entities=False, no_network=True))
        except (etree.XMLSyntaxError, StopIteration):
            continue
        root = etree.QName(first).localname
        if root in roots:
            yield path, root


def tried(path: Path, load: Callable[[Path], mb.MultibodySystem], count: Count, *, simulate: bool) -> None:
    """Load a file, and simulate it for 1 s."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            system = load(path)
            state = system.realize_topology()
        count.loaded += 1
        found = [each.message for each in caught if isinstance(each.message, ModelFileWarning)]
        count.findings.update({finding.kind for each in found for finding in each.findings})
        if simulate:
            mb.Simulation(system, integrator="velocity_level", step=1e-3).run(state, until=1.0)
            count.simulated += 1
    except MobodError as error:
        count.errors.append((path, f"{type(error).__name__}: {error}"))
    except TooLongError:
        count.errors.append((path, f"it takes longer than {LONGEST} s"))
    except Exception as error:  # whatever is no error of mobod is a fault of mobod, which is counted
        where = traceback.extract_tb(error.__traceback__)[-1]
        count.errors.append((path, f"FAULT {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}"))


def reason(message: str, path: Path) -> str:
    """The message without what differs from file to file."""
    text = message.replace(str(path), "FILE")
    text = re.sub(r"/[^ ]*/", "", re.sub(r"'[^']*'", "'...'", text))
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "N", text)[:160]


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLongError


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--paths", type=Path, nargs="*", default=[], help="folders of models for <include>")
    parser.add_argument("--simulate", action="store_true", help="run each for 1 s by velocity_level")
    parser.add_argument("--list", action="store_true", help="show each error with its file")
    arguments = parser.parse_args()
    known, counts = loaders(arguments.paths), dict[str, Count]()
    signal.signal(signal.SIGALRM, _stop)
    for path, root in files_of(arguments.folder, set(known)):
        signal.alarm(LONGEST)
        tried(path, known[root], counts.setdefault(root, Count()), simulate=arguments.simulate)
        signal.alarm(0)
    for root, count in counts.items():
        total = count.loaded + sum(1 for _, message in count.errors if message)
        print(f"<{root}>: {count.loaded} load, {count.simulated} run, {len(count.errors)} errors, of {total} files")
        print("  findings:", ", ".join(f"{kind} {n}" for kind, n in count.findings.most_common()))
        for text, n in Counter(reason(message, path) for path, message in count.errors).most_common():
            print(f"  {n:4d} {text}")
        if arguments.list:
            for path, message in count.errors:
                print(f"  {path}: {message}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
