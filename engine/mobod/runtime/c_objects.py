"""What cffi gives of C: objects, whose members have the types of the headers, and descriptions of types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol


class CObject(Protocol):
    """A library, a function, a structure, a pointer or an array. Its members and entries are numbers, or CObjects."""

    def __getattr__(self, name: str, /) -> Any: ...
    def __setattr__(self, name: str, value: object, /) -> None: ...
    def __getitem__(self, index: int | slice, /) -> Any: ...
    def __setitem__(self, index: int | slice, value: object, /) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __add__(self, n: int, /) -> "CObject": ...
    def __call__(self, *arguments: object) -> Any: ...


class CMember(Protocol):
    """A member of a structure."""

    type: "CType"
    offset: int


class CType(Protocol):
    """A type of the headers. kind: 'struct', 'pointer', 'function', 'array', 'enum' or 'primitive'; cname: as it is written in C"""

    kind: str
    cname: str
    item: "CType"
    length: int
    fields: Sequence[tuple[str, CMember]]
    relements: Mapping[str, int]
