"""Checkpoint: a saved run of a network, as data that can be stored."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, final

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError

_T = TypeVar("_T")
_MOST_DONE = 2**53  # above this, not every whole number is a float
_MAGIC = b"mobod checkpoint 1\n"
_DAMAGED = "damaged: what it holds is not what was written. Take another copy of it, or run from the start."


@final
@dataclass(frozen=True)
class ComponentState:
    """The file of an FMU in the network, and its state as bytes, including its inputs."""

    guid: str
    data: bytes


@final
@dataclass(frozen=True)
class Checkpoint:
    """A saved co-simulation: the states of all FMUs and the position of the run. `Run.checkpoint` makes it, `Run.restore` takes it.

    components          state of each FMU, by component name
    time        s       time of the run
    origin      s       communication points are at origin + k * step
    done                number k of the last communication point
    step        s       communication step
    loops               what `Signals.memory` returned: of each algebraic loop
    algorithm           what the algorithm and the control of step sizes store

    The values of connections are inputs, which are part of the FMUs' states.
    """

    components: Mapping[str, ComponentState]
    time: float
    origin: float
    done: int
    step: float
    loops: Sequence[Mapping[str, object]] = ()
    algorithm: Mapping[str, object] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The checkpoint as bytes: a line with the format, the hash of the rest, a line of JSON, then the FMUs' states one after
        another.
        """
        header = {
            "time": self.time,
            "origin": self.origin,
            "done": self.done,
            "step": self.step,
            "loops": list(self.loops),
            "algorithm": dict(self.algorithm),
            "components": [{"name": name, "guid": state.guid, "size": len(state.data)} for name, state in self.components.items()],
        }
        body = json.dumps(header).encode() + b"\n" + b"".join(state.data for state in self.components.values())
        return _MAGIC + sha256(body).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> "Checkpoint":
        """The checkpoint that `to_bytes` wrote. Raises InputError for other bytes."""
        return cls._read(data, "these bytes")

    def save(self, path: str | PathLike[str]) -> None:
        """Write the checkpoint to a file. If writing fails, an existing file stays unchanged. Raises WriteError."""
        with whole_file(path) as temporary:
            temporary.write_bytes(self.to_bytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Checkpoint":
        """The checkpoint in a file that `save` wrote. Raises InputError for any other file."""
        return cls._read(Path(path).read_bytes(), str(path))

    @classmethod
    def _read(cls, data: bytes, where: str) -> "Checkpoint":
        if not data.startswith(_MAGIC):
            raise InputError(f"{where}: not a checkpoint of this version of mobod. Give a file that Checkpoint.save wrote.")
        digest, body = data[len(_MAGIC) : len(_MAGIC) + 32], data[len(_MAGIC) + 32 :]
        if sha256(body).digest() != digest:
            raise InputError(f"{where}: {_DAMAGED}")
        head, _, states = body.partition(b"\n")
        try:
            return cls._made_of(json.loads(head), states)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(f"{where}: {_DAMAGED}") from error

    @classmethod
    def _made_of(cls, head: Any, states: bytes) -> "Checkpoint":
        """Make the checkpoint. Raises ValueError, KeyError or TypeError for invalid content."""
        components: dict[str, ComponentState] = {}
        at = 0
        for each in _of_type(list, _of_type(dict, head)["components"]):
            entry = _of_type(dict, each)
            name, guid, size = _of_type(str, entry["name"]), _of_type(str, entry["guid"]), _of_type(int, entry["size"])
            if name in components or not 0 <= size <= len(states) - at:
                raise ValueError(f"component {name!r} of {size} bytes")
            components[name] = ComponentState(guid, states[at : at + size])
            at += size
        time, origin, step = (_of_type(float, head[name]) for name in ("time", "origin", "step"))
        done = _of_type(int, head["done"])
        if at != len(states) or not all(map(math.isfinite, (time, origin, step))) or step <= 0 or not 0 <= done <= _MOST_DONE:
            raise ValueError("invalid sizes or times")
        if not math.isclose(time, origin + done * step, rel_tol=1e-9, abs_tol=1e-9 * step):
            raise ValueError("a time that is not a communication point")
        loops = [_of_type(dict, each) for each in _of_type(list, head.get("loops", []))]
        return cls(components, time, origin, done, step, loops, _of_type(dict, head.get("algorithm", {})))


def _of_type(kind: type[_T], value: object) -> _T:
    if type(value) is not kind:
        raise TypeError(f"{value!r} is not a {kind.__name__}")
    return value
