"""The tables of a model as bytes, which the C runtime can read on every platform: fmu_src/native/reading/blob.h.

The headers define the members of a table. build_scripts/generate_table_fields.py writes a list of them for the reader in C.
"""

# Decision: docs/decisions/014-interpreted-fmu.md

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any, final

import numpy as np

from mobod.errors import MobodError
from mobod.runtime.c_objects import CType
from mobod.runtime.library import runtime, type_of
from mobod.runtime.tables import CFunction, Struct, StructArray
from mobod.scalar.instructions import INSTRUCTIONS

MAGIC = b"mobodtab"
NUMBERS = {"char": "TEXT", "int": "INTS", "uint32_t": "WORDS", "double": "REALS"}
"""The first types of objects: lists of these."""
POINTERS = 0x100
"""Added to the type of the items if an object is a list of pointers."""

_ROOTS = (
    "Model",
    "Interface",
    "Program",
    "ChangeOfProcedure",
    "GatherTable",
    "MatrixProduct",
    "SumInverse",
    "PressedPair",
    "SeenTerrain",
    "ShapeGap",
)
_DTYPES = {"INTS": "<i4", "WORDS": "<u4", "REALS": "<f8"}
_PACKED = {"INT": "<i", "WORD": "<I", "BYTE": "<B", "REAL": "<d"}


@dataclass(frozen=True)
class Member:
    """A member of a table, or of a structure inside a table.

    path  as in C: 'handling.n'
    kind  INT, WORD, BYTE, REAL; POINTER to one or several; FUNCTION; CONTEXT of a kernel
    type  of a POINTER: the type that it points to
    """

    path: str
    kind: str
    type: str = ""
    is_list_of_pointers: bool = False


@cache
def table_types() -> dict[str, tuple[Member, ...]]:
    """All types of tables in a model, with their members in order."""
    found: dict[str, tuple[Member, ...]] = {}

    def visit(name: str) -> None:
        if name not in found:
            found[name] = tuple(_fields(type_of(name)))
            for field in found[name]:
                if field.type and field.type not in NUMBERS.values():
                    visit(field.type)

    for root in _ROOTS:
        visit(root)
    return found


def _fields(table: CType, prefix: str = "") -> Iterator[Member]:
    for name, field in table.fields:
        path, kind = prefix + name, field.type
        if kind.kind == "struct":
            yield from _fields(kind, f"{path}.")
        elif kind.kind == "function" or (kind.kind == "pointer" and kind.item.kind == "function"):
            yield Member(path, "FUNCTION")
        elif kind.kind == "pointer" and kind.item.kind == "void":
            yield Member(path, "CONTEXT")
        elif kind.kind == "pointer" and kind.item.kind == "pointer":
            yield Member(path, "POINTER", _name(kind.item.item), is_list_of_pointers=True)
        elif kind.kind == "pointer":
            yield Member(path, "POINTER", _name(kind.item))
        else:
            yield Member(path, {"uint32_t": "WORD", "unsigned char": "BYTE", "double": "REAL"}.get(kind.cname, "INT"))


def _name(kind: CType) -> str:
    return NUMBERS.get(kind.cname, kind.cname.removeprefix("struct "))


@cache
def type_numbers() -> dict[str, int]:
    """Numbers of the types of objects: text, lists of numbers, tables."""
    return {name: number for number, name in enumerate([*NUMBERS.values(), *table_types()])}


@cache
def blob_format() -> int:
    """Format number, which differs if the members of tables or the instructions of programs differ."""
    tables = [(name, [astuple(member) for member in members]) for name, members in table_types().items()]
    content = repr((tables, [(each.name, each.c) for each in INSTRUCTIONS]))
    return int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "little")


def blob(model: Struct, interface: Struct | None = None) -> bytes:
    """The bytes of `Model` and `Interface`, whose kernels must be programs or procedures of the runtime. Only an FMU needs an interface."""
    writer = _BlobWriter()
    roots = [0 if table is None else writer.one(table)[0] for table in (model, interface)]
    body = struct.pack("<III", len(writer.objects), *roots) + b"".join(writer.objects)
    return MAGIC + struct.pack("<QQ", blob_format(), runtime().mobod_hash_of_bytes(body, len(body))) + body


@final
class _BlobWriter:
    """Writes objects as bytes, each after those that it refers to. A reference is (number of the object from 1, index of the item)."""

    def __init__(self) -> None:
        self.objects: list[bytes] = []
        self._made: dict[int, tuple[int, int]] = {}
        self._kept: list[object] = []  # keeps the objects whose ids are keys alive

    def one(self, table: Struct) -> tuple[int, int]:
        if id(table) not in self._made:
            self._made[id(table)] = self._add(table.kind, 1, self._members(table))
            self._kept.append(table)
        return self._made[id(table)]

    def _array(self, array: StructArray) -> tuple[int, int]:
        if id(array) not in self._made:
            members = b"".join(self._members(each) for each in array.structs)
            place = self._made[id(array)] = self._add(array.kind, len(array.structs), members)
            self._made |= {id(each): (place[0], i) for i, each in enumerate(array.structs)}
            self._kept.append(array)
        return self._made[id(array)]

    def _add(self, kind: str, count: int, content: bytes, *, flag: int = 0) -> tuple[int, int]:
        self.objects.append(struct.pack("<II", type_numbers()[kind] | flag, count) + content)
        return len(self.objects), 0

    def _members(self, table: Struct) -> bytes:
        if table.kind == "Model":  # write first the tables to which the model's kernels refer
            for name in ("rows", "delays"):
                if table.fields.get(name) is not None:
                    self.one(table.fields[name])
        return b"".join([self._member(field, table) for field in table_types()[table.kind]])

    def _member(self, field: Member, table: Struct) -> bytes:
        value: Any = table
        for name in field.path.split("."):
            value = value.fields.get(name) if value is not None else None
        if field.kind in _PACKED:
            return struct.pack(_PACKED[field.kind], value or 0)
        if field.kind == "FUNCTION":
            return struct.pack("<I", self._text(self._function(value))[0] if value is not None else 0)
        if value is None:
            return struct.pack("<II", 0, 0)
        return struct.pack("<II", *(self.one(value) if field.kind == "CONTEXT" else self._pointer(field, value)))

    @staticmethod
    def _function(value: object) -> str:
        if not isinstance(value, CFunction):
            raise MobodError("a function of Python or of compiled C cannot be written as bytes. This is an error of mobod.")
        return value.name

    def _pointer(self, field: Member, value: Any) -> tuple[int, int]:
        if field.is_list_of_pointers:
            one = self._text if field.type == "TEXT" else self.one
            places = [(0, 0) if each is None else one(each) for each in value]
            return self._add(field.type, len(places), struct.pack(f"<{2 * len(places)}I", *sum(places, ())), flag=POINTERS)
        if isinstance(value, Struct):
            return self.one(value)
        if isinstance(value, StructArray):
            return self._array(value)
        if isinstance(value, str):
            return self._text(value)
        if field.type in _DTYPES:
            return self._numbers(field.type, value)
        return self._array(StructArray(field.type, value))

    def _numbers(self, kind: str, values: Sequence[object]) -> tuple[int, int]:
        numbers = np.asarray(values, dtype=_DTYPES[kind])
        return self._add(kind, numbers.size, numbers.tobytes())

    def _text(self, text: str) -> tuple[int, int]:
        content = text.encode() + b"\0"
        return self._add("TEXT", len(content), content)
