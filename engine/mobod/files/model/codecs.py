"""Conversion between values and JSON in model files: writing, reading, and the JSON schema for each type of value."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.couplings.records import Range
from mobod.files.json_source import Json
from mobod.files.model.place import Place, as_list, as_object, check_keys, made, shown
from mobod.matter import Ground, MobilizedBody
from mobod.spatial import Transform
from mobod.system.measures import Measure

T = TypeVar("T")
Named = TypeVar("Named", MobilizedBody | Ground, Measure)
Schema = Mapping[str, Json]  # a JSON Schema (draft 2020-12)
Numbers = float | list["Numbers"]  # of any depth


class Codec(ABC, Generic[T]):
    """The type T of a value in a model file: its schema, and how it is written and read."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The JSON Schema (draft 2020-12) of such a value."""

    def write(self, value: T) -> Json:
        return value

    @abstractmethod
    def read(self, value: Json, place: Place) -> T:
        """The value from its JSON. Raises ModelFileError for invalid JSON."""


@final
class Number(Codec[float]):
    schema: ClassVar[Schema] = {"type": "number"}

    def write(self, value: float) -> Json:
        return float(value)

    def read(self, value: Json, place: Place) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            place.fail(f"a number is needed, not {shown(value)}.")
        try:
            return float(value)
        except OverflowError:
            place.fail("this number is too large.")


@final
class Integer(Codec[int]):
    schema: ClassVar[Schema] = {"type": "integer", "minimum": 0}

    def write(self, value: int) -> Json:
        return int(value)

    def read(self, value: Json, place: Place) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            place.fail(f"a whole number from 0 on is needed, not {shown(value)}.")
        return value


@final
class Boolean(Codec[bool]):
    schema: ClassVar[Schema] = {"type": "boolean"}

    def write(self, value: bool) -> Json:
        return bool(value)

    def read(self, value: Json, place: Place) -> bool:
        if not isinstance(value, bool):
            place.fail(f"true or false is needed, not {shown(value)}.")
        return value


@final
class TextCodec(Codec[str]):
    schema: ClassVar[Schema] = {"type": "string"}

    def read(self, value: Json, place: Place) -> str:
        if not isinstance(value, str):
            place.fail(f"a text is needed, not {shown(value)}.")
        return value


@final
@dataclass(frozen=True)
class Choice(Codec[str]):
    choices: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Json]:
        return {"enum": list(self.choices)}

    def read(self, value: Json, place: Place) -> str:
        if value not in self.choices:
            place.fail(f"it can be {', '.join(map(repr, self.choices))}, not {shown(value)}.")
        return str(value)


@final
@dataclass(frozen=True)
class NumbersCodec(Codec[list[float]]):
    """A row of numbers, with a given length or with any length."""

    length: int | None = None

    @property
    def schema(self) -> dict[str, Json]:
        size = {} if self.length is None else {"minItems": self.length, "maxItems": self.length}
        return {"type": "array", "items": NUMBER.schema, **size}

    def write(self, value: ArrayLike) -> Json:
        return np.asarray(value, dtype=float).tolist()

    def read(self, value: Json, place: Place) -> list[float]:
        items = as_list(value, place)
        if self.length is not None and len(items) != self.length:
            place.fail(f"{self.length} numbers are needed, not {len(items)}.")
        return [item if type(item) is float else NUMBER.read(item, place.at(number)) for number, item in enumerate(items)]


@final
class Values(Codec[Numbers]):
    """A number, or an array of them of any shape."""

    schema: ClassVar[Schema] = {"anyOf": [{"type": "number"}, {"type": "array"}]}

    def write(self, value: ArrayLike) -> Json:
        return np.asarray(value, dtype=float).tolist()

    def read(self, value: Json, place: Place) -> Numbers:
        if not isinstance(value, list):
            return NUMBER.read(value, place)
        found = [self.read(item, place.at(number)) for number, item in enumerate(value)]
        if len({np.shape(each) for each in found}) > 1:
            place.fail("its rows have different lengths.")
        return found


@final
@dataclass(frozen=True)
class ListOf(Codec[list[T]]):
    item: Codec[T]

    @property
    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": self.item.schema}

    def write(self, value: Iterable[T]) -> Json:
        return [self.item.write(each) for each in value]

    def read(self, value: Json, place: Place) -> list[T]:
        return [self.item.read(each, place.at(number)) for number, each in enumerate(as_list(value, place))]


@final
@dataclass(frozen=True)
class MapOf(Codec[dict[str, T]]):
    """A map from names to values."""

    item: Codec[T]

    @property
    def schema(self) -> dict[str, Json]:
        return {"type": "object", "additionalProperties": self.item.schema}

    def write(self, value: Mapping[str, T]) -> Json:
        return {name: self.item.write(each) for name, each in value.items()}

    def read(self, value: Json, place: Place) -> dict[str, T]:
        return {name: self.item.read(each, place.at(name)) for name, each in as_object(value, place).items()}


@final
@dataclass(frozen=True)
class TupleOf(Codec[tuple[object, ...]]):
    """A list with one value for each codec."""

    items: tuple[Codec, ...]

    @property
    def schema(self) -> dict[str, Json]:
        n = len(self.items)
        return {"type": "array", "prefixItems": [each.schema for each in self.items], "minItems": n, "maxItems": n}

    def write(self, value: Iterable[object]) -> Json:
        return [codec.write(each) for codec, each in zip(self.items, value, strict=True)]

    def read(self, value: Json, place: Place) -> tuple[object, ...]:
        listed = as_list(value, place)
        if len(listed) != len(self.items):
            place.fail(f"a list of {len(self.items)} is needed, not of {len(listed)}.")
        return tuple(codec.read(each, place.at(number)) for number, (codec, each) in enumerate(zip(self.items, listed, strict=True)))


@final
class RangeCodec(Codec[tuple[float, float]]):
    """[lower, upper], null where there is no bound: JSON has no word for infinity."""

    schema: ClassVar[Schema] = {"type": "array", "items": {"type": ["number", "null"]}, "minItems": 2, "maxItems": 2}

    def write(self, value: tuple[float, float]) -> Json:
        lower, upper = map(float, value)
        return [lower if lower != -np.inf else None, upper if upper != np.inf else None]

    def read(self, value: Json, place: Place) -> tuple[float, float]:
        if not isinstance(value, list) or len(value) != 2:
            place.fail("a list of two is needed, [lower, upper], null where there is no bound.")
        lower, upper = (None if each is None else NUMBER.read(each, place.at(number)) for number, each in enumerate(value))
        return -np.inf if lower is None else lower, np.inf if upper is None else upper


@final
class Units(Codec[str | tuple[str, ...]]):
    """One unit, or one for each entry."""

    schema: ClassVar[Schema] = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

    def write(self, value: str | tuple[str, ...]) -> Json:
        return value[0] if len(value) == 1 else list(value)

    def read(self, value: Json, place: Place) -> str | tuple[str, ...]:
        return TEXT.read(value, place) if not isinstance(value, list) else tuple(ListOf(TEXT).read(value, place))


@final
class FrameCodec(Codec[Transform]):
    """A Transform: {"R": rows of the rotation matrix, "p": position in m}; each may be left out."""

    @property
    def schema(self) -> dict[str, Json]:
        rows = {"type": "array", "items": NumbersCodec(3).schema, "minItems": 3, "maxItems": 3}
        return {"type": "object", "properties": {"R": rows, "p": NumbersCodec(3).schema}, "additionalProperties": False}

    def write(self, value: Transform) -> Json:
        parts = {"R": (value.R, np.eye(3)), "p": (value.p, np.zeros(3))}
        return {name: part.tolist() for name, (part, default) in parts.items() if not same_bits(part, default)}

    def read(self, value: Json, place: Place) -> Transform:
        parts = as_object(value, place)
        check_keys(parts, ("R", "p"), place)
        R = (
            [NumbersCodec(3).read(row, place.at("R").at(number)) for number, row in enumerate(as_list(parts["R"], place.at("R")))]
            if "R" in parts
            else None
        )
        p = NumbersCodec(3).read(parts["p"], place.at("p")) if "p" in parts else None
        if R is not None and len(R) != 3:
            place.at("R").fail(f"three rows are needed, not {len(R)}.")
        return made(place, lambda: Transform(R, p))


@final
@dataclass(frozen=True)
class NameOf(Codec[Named]):
    """The name of an element that stands before. known: the elements by name"""

    what: str
    known: Callable[[Place], Mapping[str, Named]]
    schema: ClassVar[Schema] = {"type": "string"}

    def write(self, value: Named) -> Json:
        return value.name

    def read(self, value: Json, place: Place) -> Named:
        name, known = TEXT.read(value, place), self.known(place)
        if name not in known:
            place.unknown(self.what, name, list(known))
        return known[name]


def same_bits(one: ArrayLike, other: ArrayLike) -> bool:
    """Equal, and -0 is not 0."""
    return np.asarray(one, dtype=float).tobytes() == np.asarray(other, dtype=float).tobytes()


NUMBER, INTEGER, BOOLEAN, TEXT = Number(), Integer(), Boolean(), TextCodec()
VALUES, UNITS, FRAME = Values(), Units(), FrameCodec()
BODY: NameOf[MobilizedBody | Ground] = NameOf("body", lambda place: place.bodies)
MEASURE: NameOf[Measure] = NameOf("measure before this one", lambda place: place.measures)
VECTOR, RANGE = NumbersCodec(3), RangeCodec()
# the codecs of values with these type annotations
OF_TYPES: Mapping[object, Codec] = {
    bool: BOOLEAN,
    int: INTEGER,
    float: NUMBER,
    str: TEXT,
    Sequence[float]: NumbersCodec(),
    Transform: FRAME,
    Range: RANGE,
    Any: VALUES,
    np.ndarray: VALUES,
}
