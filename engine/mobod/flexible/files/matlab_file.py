"""Matrices of MATLAB files of version 4 to 7: real, dense or sparse.

    version 5 to 7   128 bytes of header, then elements: type, number of bytes, content; a matrix is an element of elements, and may be
                     compressed by zlib
    version 4        matrices one after another: type, rows, columns, whether it is complex, length of the name; the name; numbers

A reader of its own, because SciPy's can end the program at damaged files. Each size is checked before it is used.

Source: The MathWorks, MAT-File Format (R2023a).
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, final

import numpy as np
from scipy import sparse

from mobod.errors import ModelFileError, UnsupportedError
from mobod.flexible.files.fields import MOST_BYTES

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}  # types of elements
_MATRIX, _COMPRESSED = 14, 15
_SPARSE, _FIRST_DENSE, _LAST_DENSE, _COMPLEX = 5, 6, 15, 0x0800  # classes of matrices, and a flag
_NUMBERS_OF_4 = ("f8", "f4", "i4", "i2", "u2", "u1")
_MOST_ROWS = 10**7
_NO_SPARSE = "it is a sparse matrix whose indices do not fit"


def read_matlab(path: Path, names: tuple[str, ...]) -> Mapping[str, Any]:
    """The matrices with these names. Raises ModelFileError, which names the file and the matrix; UnsupportedError for version 7.3."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}.") from None
    if content.startswith(b"MATLAB 7.3") or content[124:128] in (b"\x00\x02IM", b"\x02\x00MI"):
        raise UnsupportedError(f"{path} is a MATLAB file of version 7.3, which is HDF5. Save it with '-v7'.")
    reader = _MatlabReader(path, names)
    found = reader.of_version_4(content) if 0 in content[:4] or not content else reader.of_version_5(content)
    return dict(found)


@final
class _MatlabReader:
    """path: for messages; names: of the matrices that are read"""

    def __init__(self, path: Path, names: tuple[str, ...]):
        self._path, self._names = path, names
        self._order = "<"
        self._left = MOST_BYTES

    # version 5 to 7
    def of_version_5(self, content: bytes) -> Iterator[tuple[str, Any]]:
        order = content[126:128]
        if len(content) < 128 or order not in (b"IM", b"MI"):
            self._fail("it is no MATLAB file: its header is not one of version 4 to 7")
        self._order = "<" if order == b"IM" else ">"
        for kind, data in self._elements(content[128:]):
            if kind == _COMPRESSED:
                kind, data = next(self._elements(self._unpacked(data)), (0, b""))
            if kind == _MATRIX and (found := self._matrix(data)) is not None:
                yield found

    def _elements(self, content: bytes) -> Iterator[tuple[int, bytes]]:
        at = 0
        while at < len(content):
            if len(content) - at < 8:
                self._fail("it is cut off")
            kind, size = struct.unpack_from(f"{self._order}II", content, at)
            if kind >> 16:  # a small element: number of bytes and type in 4 bytes, then the content
                kind, size, start, end = kind & 0xFFFF, kind >> 16, at + 4, at + 8
                if size > 4:
                    self._fail("it is damaged: a small element has more than 4 bytes")
            else:
                start = at + 8
                end = start + size + (0 if kind == _COMPRESSED else -size % 8)
            if start + size > len(content):
                self._fail("it is cut off")
            yield kind, content[start : start + size]
            at = end

    def _unpacked(self, data: bytes) -> bytes:
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(data, self._left)
        except zlib.error as error:
            self._fail(f"it is damaged: {error}")
        if not unpacking.eof and (unpacking.unconsumed_tail or len(content) >= self._left):
            self._fail(f"it has more than {MOST_BYTES >> 30} GB")
        if not unpacking.eof:
            self._fail("it is cut off")
        self._left -= len(content)
        return content

    def _matrix(self, data: bytes) -> tuple[str, Any] | None:
        """None: another name, or a kind of array without numbers."""
        parts = self._elements(data)
        flags, sizes, name = (next(parts, (0, b"")) for _ in range(3))
        text = name[1].decode("latin-1")
        if text not in self._names:
            return None
        if len(flags[1]) < 8 or sizes[0] != 5 or len(sizes[1]) % 4:
            self._fail("it is damaged: its flags or sizes are cut off", text)
        flag = struct.unpack_from(f"{self._order}I", flags[1])[0]
        shape = [int(each) for each in np.frombuffer(sizes[1], f"{self._order}i4")]
        kind = flag & 0xFF
        if flag & _COMPLEX or not (kind == _SPARSE or _FIRST_DENSE <= kind <= _LAST_DENSE):
            self._fail("it is no matrix of real numbers", text)
        if len(shape) != 2 or min(shape) < 0 or max(shape) > _MOST_ROWS:
            self._fail(f"its sizes are {shape}", text)
        if kind != _SPARSE:
            return text, self._dense(self._numbers(next(parts, (0, b"")), text), shape, text)
        rows, starts, values = (self._numbers(next(parts, (0, b"")), text) for _ in range(3))
        return text, self._sparse(rows, starts, values, shape, text)

    def _numbers(self, element: tuple[int, bytes], name: str) -> np.ndarray:
        kind, data = element
        if kind not in _NUMBERS:
            self._fail("it is damaged: numbers are missing", name)
        dtype = np.dtype(f"{self._order}{_NUMBERS[kind]}")
        if len(data) % dtype.itemsize:
            self._fail("it is damaged: a number is cut off", name)
        return np.frombuffer(data, dtype)

    def _dense(self, numbers: np.ndarray, shape: list[int], name: str) -> np.ndarray:
        if numbers.size != shape[0] * shape[1]:
            self._fail(f"it has {numbers.size} numbers, not {shape[0]} x {shape[1]}", name)
        return numbers.astype(float).reshape(shape, order="F")

    def _sparse(self, rows: np.ndarray, starts: np.ndarray, values: np.ndarray, shape: list[int], name: str) -> sparse.csc_array:
        whole, ends = rows.dtype.kind in "iu" and starts.dtype.kind in "iu", starts.astype(np.int64)
        if not whole or ends.size != shape[1] + 1 or ends[0] != 0 or (np.diff(ends) < 0).any():
            self._fail(_NO_SPARSE, name)
        n = int(ends[-1])
        if n > min(rows.size, values.size):
            self._fail(_NO_SPARSE, name)
        at = rows[:n].astype(np.int64)
        if n and not (at.min() >= 0 and at.max() < shape[0]):
            self._fail(_NO_SPARSE, name)
        return sparse.csc_array((values[:n].astype(float), at, ends), shape=tuple(shape))

    # version 4
    def of_version_4(self, content: bytes) -> Iterator[tuple[str, Any]]:
        at = 0
        while at < len(content):
            if len(content) - at < 20:
                self._fail("it is cut off, or no MATLAB file")
            self._order = "<" if struct.unpack_from("<I", content, at)[0] < 5000 else ">"
            code, rows, columns, is_complex, length = struct.unpack_from(f"{self._order}5i", content, at)
            order, number, kind = code // 1000, code // 10 % 10, code % 10
            is_known = order == (self._order == ">") and code // 100 % 10 == 0 and number < len(_NUMBERS_OF_4) and kind <= 2
            has_sizes = min(rows, columns) >= 0 and max(rows, columns) <= _MOST_ROWS and 1 <= length <= 1000 and is_complex in (0, 1)
            if not is_known or not has_sizes:
                self._fail("it is no MATLAB file: its header is not one of version 4 to 7")
            dtype = np.dtype(f"{self._order}{_NUMBERS_OF_4[number]}")
            start, count = at + 20 + length, rows * columns
            end = start + count * dtype.itemsize * (1 + is_complex)
            if end > len(content):
                self._fail("it is cut off")
            name = content[at + 20 : start].split(b"\0")[0].decode("latin-1")
            at = end
            if name not in self._names:
                continue
            if is_complex or kind == 1:
                self._fail("it is no matrix of real numbers", name)
            numbers = self._dense(np.frombuffer(content, dtype, count, start), [rows, columns], name)
            yield name, numbers if kind == 0 else self._sparse_of_4(numbers, name)

    def _sparse_of_4(self, entries: np.ndarray, name: str) -> sparse.csc_array:
        """entries (n + 1, 3): row, column, number; in the last row the sizes."""
        if entries.shape[1] != 3 or not len(entries):
            self._fail("it is no sparse matrix of real numbers", name)
        at, shape = entries[:-1, :2], entries[-1, :2]
        if not (np.isfinite(entries[:, :2]).all() and (entries[:, :2] == np.round(entries[:, :2])).all()):
            self._fail(_NO_SPARSE, name)
        if not (shape >= 0).all() or shape.max() > _MOST_ROWS or (at < 1).any() or (at > shape).any():
            self._fail(_NO_SPARSE, name)
        i, j = at.T.astype(int) - 1
        return sparse.csc_array((entries[:-1, 2], (i, j)), shape=tuple(shape.astype(int)))

    def _fail(self, what: str, name: str | None = None) -> NoReturn:
        of = "" if name is None else f", '{name}'"
        raise ModelFileError(f"{self._path}{of}: {what}.")
