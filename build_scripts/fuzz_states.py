"""Readers of journals, checkpoints and saved States (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

import hashlib
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from fuzz_changes import changed_json, changed_json_lines
from fuzz_reader import Read, of_example, reader, written


def _journal_examples() -> Iterator[bytes]:
    from mobod.sweeps.journal import Journal

    rows = [(0, [1.5, float("nan")], ""), (3, [float("inf"), -2.0], ""), (1, [float("nan")] * 2, "no steps")]
    yield written(lambda path: Journal(path, "fingerprint", 5).add(rows))


def _seal_journal(data: bytes) -> bytes:
    """With the right checksum at the end of each line that has one."""
    head, *lines = data.split(b"\n")
    texts = [line.rpartition(b" ")[0] for line in lines]
    return b"\n".join([head, *(b"%b %08x" % (text, crc32(text)) if text else line for line, text in zip(lines, texts, strict=True))])


@reader(
    "journal",
    reads="journals of sweeps",
    suffix=".journal",
    modules=("mobod.sweeps",),
    examples=_journal_examples,
    change=changed_json_lines,
    seal=_seal_journal,
)
def _journal(folder: Path) -> Read:
    from mobod.sweeps.journal import Journal

    return lambda path: Journal(path, "fingerprint", 5)


def _checkpoint_examples() -> Iterator[bytes]:
    with _network().start() as run:
        run.until(0.1)
        yield run.checkpoint().to_bytes()


def _network() -> Any:
    import mobod as mb
    from mobod.cosim import Master, Network

    network = Network()
    for name in ("one", "two"):
        network.add(of_example("09_events.py", "bouncing_ball"), name)
    network.add(mb.Table._of(*_time_and_columns()), "inputs")
    return Master(network, step=0.05, algorithm="gauss-seidel")


def _time_and_columns() -> tuple[Any, Any]:
    import numpy as np

    from mobod.simulate.column import Column

    return np.array([0.0, 1.0]), [Column("a", np.array([1.0, 2.0]))]


def _seal_checkpoint(data: bytes) -> bytes:
    magic = b"mobod checkpoint 1\n"
    body = data[len(magic) + 32 :]
    return data if len(data) < len(magic) + 32 else magic + hashlib.sha256(body).digest() + body


def _change_checkpoint(data: bytes, random: Any) -> bytes | None:
    """Its head is a line of JSON."""
    start = len(b"mobod checkpoint 1\n") + 32
    head, end, states = data[start:].partition(b"\n")
    changed = changed_json(head, random)
    return None if changed is None else data[:start] + changed + end + states


@reader(
    "checkpoint",
    reads="checkpoints of co-simulations",
    suffix=".checkpoint",
    modules=("mobod.cosim", "mobod.system", "mobod.simulate"),
    examples=_checkpoint_examples,
    change=_change_checkpoint,
    seal=_seal_checkpoint,
)
def _checkpoint(folder: Path) -> Read:
    from mobod.cosim import Checkpoint

    run = _network().start().__enter__()
    return lambda path: run.restore(Checkpoint.load(path))


def _state_examples() -> Iterator[bytes]:
    for system in _systems_of_states():
        yield system.realize_topology().to_bytes()


def _systems_of_states() -> list[Any]:
    return [of_example("09_events.py", "bouncing_ball"), of_example("10_measures.py", "crane")]


def _seal_state(data: bytes) -> bytes:
    magic, header = b"mobod state\n", struct.Struct("<12sIQ32s")
    content = data[header.size :]
    return data if len(data) < header.size else header.pack(magic, 1, len(content), hashlib.sha256(content).digest()) + content


@reader("state", reads="States as bytes", suffix=".state", modules=("mobod.system",), examples=_state_examples, seal=_seal_state)
def _state(folder: Path) -> Read:
    from mobod import State
    from mobod.errors import MobodError

    systems = _systems_of_states()

    def read(path: Path) -> object:
        data = path.read_bytes()
        with suppress(MobodError):
            return State.from_bytes(systems[0], data)
        return State.from_bytes(systems[1], data)

    return read
