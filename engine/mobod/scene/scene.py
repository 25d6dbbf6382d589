"""Scene: the bodies of a System as plain data. docs/concepts/scene.md describes its JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Literal, cast, final

import numpy as np

from mobod.disk.json_values import JsonObject
from mobod.matter.bodies.decorations import Geometry, Triple
from mobod.scene.scene_json import BodyData, ProgramData, QuantityData, SceneData
from mobod.spatial import Transform

FORMAT = "mobod scene"
VERSION = 1


@final
@dataclass(frozen=True)
class Quantity:
    """A number that a result file may contain.

    variable  its name there
    start     its value at the start
    entry     the index of the number, from 0, if the variable is an array
    """

    variable: str
    start: float
    entry: int | None = None


@final
@dataclass(frozen=True)
class JointProgram:
    """X_FM of one kind of joint as a list of instructions.

    The registers are numbered: the coordinates come first, then the parameters, then one for each instruction. An instruction is the name
    of an operation (mobod.scalar.operations) and the numbers of the registers that it reads. `constant` has a number instead; `interval`
    and `lookup` have the number of a table first.

    result  the registers of R_FM by rows, then of p_FM
    """

    n_q: int
    n_parameters: int
    instructions: tuple[tuple[str, *tuple[float, ...]], ...]
    result: tuple[int, ...]
    tables: tuple[tuple[float, ...], ...] = ()


Role = Literal["axis", "limit", "constraint", "mass", "contact", "floor", "sensor"]
ConnectionKind = Literal["spring", "damper", "rod", "line"]


@final
@dataclass(frozen=True)
class Shape:
    """A shape at the pose X in the frame of its body.

    is_stand_in  drawn only by a viewer that cannot read the mesh file of the body
    role         what it stands for, so that a viewer may hide it: the axis of a joint, a limit, a constraint, a mass, the shape
                 of a contact, the part of a half-space that is drawn, a sensor; None: a body
    """

    geometry: Geometry
    X: Transform
    is_stand_in: bool = False
    role: Role | None = None


@final
@dataclass(frozen=True)
class SceneBody:
    """A body. Ground has no parent and no program; a body without coordinates has a program too."""

    name: str
    parent: int | None
    X_PF: Transform
    X_BM: Transform
    program: int | None
    q: tuple[Quantity, ...]
    parameters: tuple[Quantity, ...]
    shapes: tuple[Shape, ...]


@final
@dataclass(frozen=True)
class ConnectingLine:
    """A straight line between a point of each of two bodies, which are given by their numbers; the points are in the bodies' frames.

    kind    spring, damper, rod, or line: another force or constraint
    radius  of the spring, damper or rod, m
    """

    name: str
    kind: ConnectionKind
    body1: int
    point1: Triple
    body2: int
    point2: Triple
    radius: float


@final
@dataclass(frozen=True)
class Scene:
    """bodies: Ground first, parents before their children; up: a unit vector in Ground; floor: m, its height along `up`, if it is known"""

    name: str
    up: Triple
    programs: tuple[JointProgram, ...]
    bodies: tuple[SceneBody, ...]
    connections: tuple[ConnectingLine, ...]
    floor: float | None = None

    def to_data(self) -> SceneData:
        """The content of the JSON."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "up": list(self.up),
            **({} if self.floor is None else {"floor": self.floor}),
            "programs": [_program_data(each) for each in self.programs],
            "bodies": [_body_data(each) for each in self.bodies],
            "connections": [_connection_data(each) for each in self.connections],
        }
        return cast(SceneData, data)

    def to_json(self) -> str:
        """One line of JSON. Equal scenes give the same text."""
        return json.dumps(self.to_data(), separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _program_data(program: JointProgram) -> ProgramData:
    data: ProgramData = {
        "q": program.n_q,
        "parameters": program.n_parameters,
        "instructions": [[name, *map(_number, operands)] for name, *operands in program.instructions],
        "result": list(program.result),
    }
    return {**data, "tables": [list(map(_number, table)) for table in program.tables]} if program.tables else data


def _body_data(body: SceneBody) -> BodyData:
    """What is empty, or the identity, is left out."""
    data: BodyData = {"name": body.name}
    if body.parent is not None:
        data["parent"] = body.parent
    if (X_PF := _pose(body.X_PF)) is not None:
        data["X_PF"] = X_PF
    if (X_BM := _pose(body.X_BM)) is not None:
        data["X_BM"] = X_BM
    if body.program is not None:
        data["program"] = body.program
    if body.q:
        data["q"] = [_quantity_data(each) for each in body.q]
    if body.parameters:
        data["parameters"] = [_quantity_data(each) for each in body.parameters]
    if body.shapes:
        data["shapes"] = [_shape_data(each) for each in body.shapes]
    return data


def _quantity_data(quantity: Quantity) -> QuantityData:
    data: QuantityData = {"variable": quantity.variable, "start": _number(quantity.start)}
    return data if quantity.entry is None else {**data, "entry": quantity.entry}


def _shape_data(shape: Shape) -> JsonObject:
    data: JsonObject = {"type": type(shape.geometry).__name__}
    data |= {field.name: getattr(shape.geometry, field.name) for field in fields(shape.geometry)}
    if (numbers := _pose(shape.X)) is not None:
        data["X"] = numbers
    if shape.role is not None:
        data["role"] = shape.role
    return {**data, "stand_in": True} if shape.is_stand_in else data


def _connection_data(connection: ConnectingLine) -> JsonObject:
    return {field.name: getattr(connection, field.name) for field in fields(connection)}


def _pose(X: Transform) -> list[float] | None:
    """R by rows, then p; None for the identity."""
    numbers: list[float] = np.concatenate([X.R.ravel(), X.p]).tolist()
    return None if numbers == _IDENTITY else numbers


_IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _number(value: float) -> float | str:
    """JSON has no infinity and no NaN: they are the texts 'inf', '-inf' and 'nan'."""
    return value if isfinite(value) else repr(float(value))


def pose_of(numbers: Sequence[float] | None) -> Transform:
    """The Transform of a pose in the JSON."""
    if numbers is None:
        return Transform()
    return Transform.of(np.array(numbers[:9], dtype=float).reshape(3, 3), np.array(numbers[9:], dtype=float))
