"""Tables of the C runtime, described once in Python. They become structures in memory or C source text.

The types of fields are read from the headers (library.py), so a table consists only of its values.
"""

# Decision: docs/decisions/013-tables.md

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, final

import numpy as np

from mobod.errors import MobodError
from mobod.runtime.c_literal import c_literal, c_string
from mobod.runtime.c_objects import CObject, CType
from mobod.runtime.library import ffi, members_of


@final
class Struct:
    """A structure of the runtime. Structs are compared by identity, since each is one place in memory.

    kind    its name in C
    fields  numbers; text; None for a null pointer; Struct for a structure or a pointer to one; a sequence, or StructArray, for a pointer to
            several; CFunction. A field that is left out is 0.
    """

    def __init__(self, kind: str, /, **fields: Any):
        if unknown := fields.keys() - members_of(kind).keys():
            raise MobodError(f"{kind} of the C runtime has no field '{min(unknown)}'. This is an error of mobod.")
        self.kind, self.fields = kind, fields
        self.made: dict[object, Any] = {}  # objects made from it, which live as long as it does


def same_named(source: object, *names: str) -> dict[str, Any]:
    """Fields whose values are attributes with these names: of a slot its offset, and -1 for None."""
    values = {name: getattr(source, name) for name in names}
    return {name: -1 if value is None else getattr(value, "offset", value) for name, value in values.items()}


@final
class StructArray:
    """Structures stored one after another."""

    def __init__(self, kind: str, structs: Sequence[Struct]):
        self.kind, self.structs = kind, list(structs)


@final
class CFunction:
    """A pointer to a C function, given by its name."""

    def __init__(self, name: str):
        self.name = name


class Memory:
    """Makes tables as structures in memory, which live as long as this object.

    function  name -> function pointer
    """

    def __init__(self, function: Callable[[str], CObject]):
        self._function = function
        self._made: dict[int, CObject] = {}
        self._kept: list[object] = []  # keeps alive the memory that pointers refer to, and objects whose ids are keys

    def struct(self, struct: Struct) -> CObject:
        """A pointer to the structure."""
        if id(struct) not in self._made:
            place = self._made[id(struct)] = ffi.new(f"{struct.kind} *")
            self._kept += [struct, place]
            self._fill(place, struct)
        return self._made[id(struct)]

    def array(self, array: StructArray) -> CObject:
        """A pointer to the first structure."""
        return self._array(array)

    def _fill(self, place: CObject, struct: Struct) -> None:
        types, numbers = members_of(struct.kind), _numbers_of(struct.kind)
        for name, value in struct.fields.items():
            if name in numbers:  # most of them
                setattr(place, name, value)
            else:
                self._set(place, name, types[name].type, value)

    def set(self, place: CObject, name: str, value: object) -> None:
        """Set a member of a structure that is in memory."""
        self._set(place, name, dict(ffi.typeof(place).item.fields)[name].type, value)

    def _set(self, place: CObject, name: str, kind: CType, value: Any) -> None:
        if kind.kind == "struct":
            self._fill(getattr(place, name), value)
        elif kind.kind in ("pointer", "function"):
            setattr(place, name, self._pointer(kind, value))
        else:
            setattr(place, name, value)

    def _pointer(self, kind: CType, value: Any) -> CObject:
        if type(value) is list:  # most of them
            return self._sequence(kind.item, value)
        if value is None:
            return ffi.NULL
        if isinstance(value, ffi.CData):  # a callback
            return self._keep(value)
        if isinstance(value, CFunction):
            return self._function(value.name)
        if isinstance(value, Struct):
            return self.struct(value)
        if isinstance(value, StructArray):
            return self._array(value)
        if isinstance(value, str):
            return self._keep(ffi.new("char[]", value.encode()))
        return self._sequence(kind.item, value)

    def _array(self, array: StructArray) -> CObject:
        if id(array) not in self._made:
            places = self._made[id(array)] = ffi.new(f"{array.kind}[]", max(1, len(array.structs)))
            self._kept += [array, places]
            for i, struct in enumerate(array.structs):
                self._made[id(struct)] = places + i
                self._kept.append(struct)
                self._fill(places[i], struct)
        return self._made[id(array)]

    def _sequence(self, item: CType, values: Sequence[Any]) -> CObject:
        """A pointer to the first of several numbers, texts, structures or pointers."""
        if item.kind == "primitive":
            numbers = np.ascontiguousarray(values, dtype=_DTYPES[item.cname])
            return self._keep(ffi.from_buffer(ffi.typeof(f"{item.cname}[]"), numbers if numbers.size else np.zeros(1, numbers.dtype)))
        if item.kind == "struct":
            return self._array(StructArray(item.cname, values))
        return self._keep(ffi.new(f"{item.cname}[]", [self._pointer(item, value) for value in values] or [ffi.NULL]))

    def _keep(self, place: CObject) -> CObject:
        self._kept.append(place)
        return place


@cache
def _numbers_of(kind: str) -> frozenset[str]:
    """The members of a structure that are numbers."""
    return frozenset(name for name, member in members_of(kind).items() if member.type.kind not in ("struct", "pointer", "function"))


_DTYPES = {"int": np.intc, "double": np.float64, "int32_t": np.int32, "uint32_t": np.uint32}


class CSource:
    """C source that defines tables. In `lines` each object is defined before it is used. Objects without a given name are static."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.functions: dict[str, None] = {}
        self._names: dict[int, str] = {}
        self._kept: list[object] = []  # keeps alive the objects whose ids are keys
        self._n_names = 0

    def define(self, name: str, struct: Struct) -> None:
        """Define a structure with a name that other files can use."""
        self.lines.append(f"const {struct.kind} {name} = {self._initializer(struct)};\n")

    def _struct(self, struct: Struct) -> str:
        """An expression for the address of a structure."""
        if id(struct) not in self._names:
            text = self._initializer(struct)
            name = self._new_name(struct.kind)
            self.lines.append(f"static const {struct.kind} {name} = {text};\n")
            self._names[id(struct)] = f"&{name}"
            self._kept.append(struct)
        return self._names[id(struct)]

    def _initializer(self, struct: Struct) -> str:
        types = members_of(struct.kind)
        entries = [f".{name} = {self._value(types[name].type, value)}" for name, value in struct.fields.items()]
        return f"{{{', '.join(entries) or '0'}}}"

    def _value(self, kind: CType, value: Any) -> str:
        if kind.kind == "struct":
            return self._initializer(value)
        if kind.kind in ("pointer", "function"):
            return self._pointer(kind, value)
        return _number(value)

    def _pointer(self, kind: CType, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, CFunction):
            self.functions[value.name] = None
            return value.name
        if isinstance(value, Struct):
            return self._struct(value)
        if isinstance(value, StructArray):
            return self._array(value)
        if isinstance(value, str):
            return c_string(value)
        return self._sequence(kind.item, value)

    def _array(self, array: StructArray) -> str:
        if id(array) not in self._names:
            rows = [f"    {self._initializer(struct)}," for struct in array.structs]
            name = self._names[id(array)] = self._new_name(array.kind)
            self._kept.append(array)
            self.lines.append("\n".join([f"static const {array.kind} {name}[] = {{", *(rows or ["    {0},"]), "};\n"]))
        return self._names[id(array)]

    def _sequence(self, item: CType, values: Any) -> str:
        if item.kind == "struct":
            return self._array(StructArray(item.cname, values))
        if item.kind == "pointer":
            item_kind, entries = item.cname.replace(" *", " *const"), [self._pointer(item, value) for value in values]
        elif isinstance(values, np.ndarray):
            item_kind, entries = item.cname, [f"[{i}] = {_number(values[i])}" for i in np.flatnonzero(values)]
        else:
            item_kind, entries = item.cname, [_number(value) for value in values]
        name = self._new_name("numbers" if item.kind == "primitive" else "pointers")
        lines = [", ".join(entries[i : i + 24]) for i in range(0, len(entries), 24)] or ["0"]
        self.lines.append(f"static const {item_kind} {name}[{max(1, len(values))}] = {{\n    " + ",\n    ".join(lines) + "\n};\n")
        return name

    def _new_name(self, kind: str) -> str:
        self._n_names += 1
        return f"{kind.lower()}_{self._n_names}"


def _number(value: Any) -> str:
    return c_literal(float(value)) if isinstance(value, (float, np.floating)) else str(int(value))
