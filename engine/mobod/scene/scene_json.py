"""The JSON of a scene, as docs/concepts/scene.md describes it. What may be left out is NotRequired."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from mobod.disk.json_values import JsonObject


class QuantityData(TypedDict):
    """A number that a result file may contain; entry: its index if the variable is an array"""

    variable: str
    start: float | str
    entry: NotRequired[int]


class ProgramData(TypedDict):
    """X_FM of one kind of joint as instructions."""

    q: int
    parameters: int
    instructions: Sequence[Sequence[Any]]  # name, then numbers of registers; of a constant its value
    result: Sequence[int]
    tables: NotRequired[Sequence[Sequence[float | str]]]


class BodyData(TypedDict):
    """A body; parent and program are numbers, poses R by rows, then p. Ground has no parent."""

    name: str
    parent: NotRequired[int]
    X_PF: NotRequired[Sequence[float]]
    X_BM: NotRequired[Sequence[float]]
    program: NotRequired[int]
    q: NotRequired[Sequence[QuantityData]]
    parameters: NotRequired[Sequence[QuantityData]]
    shapes: NotRequired[Sequence[JsonObject]]


class SceneData(TypedDict):
    """A whole scene."""

    format: str
    version: int
    name: str
    up: Sequence[float]
    floor: NotRequired[float]
    programs: Sequence[ProgramData]
    bodies: Sequence[BodyData]
    connections: NotRequired[Sequence[JsonObject]]
