"""Datasets of an HDF5 file of unknown origin, checked before their content is read."""

import math
import os
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, NoReturn, Protocol, final

import numpy as np

from mobod.errors import InputError
from mobod.late_imports import needed_package
from mobod.simulate.column import Column
from mobod.simulate.table_files.unpacked_size import check_unpacked, most_unpacked

_NUMBERS = "biuf"  # kinds of NumPy's types


class Dataset(Protocol):
    """What is used of an h5py.Dataset. external: its other files; asstr: the same with entries of type str"""

    shape: tuple[int, ...]
    dtype: np.dtype
    attrs: Mapping[str, Any]
    external: Sequence[tuple[str, int, int]] | None
    is_virtual: bool

    def __getitem__(self, rows: slice, /) -> np.ndarray: ...
    def asstr(self) -> "Dataset": ...


@final
class Hdf5Datasets:
    """The datasets of an open file. Nothing outside of the file is read: no links, external storage and virtual datasets.

    path  of the file, for messages
    file  an h5py.File
    """

    def __init__(self, path: str | PathLike[str], file: Any) -> None:
        self._path, self._file = path, file
        self._h5py = needed_package("h5py", "from_hdf5", "data")

    def time(self) -> np.ndarray:
        """(m,) s. Raises InputError if the dataset 'time' does not exist, or is not one column of numbers."""
        dataset = self._dataset("time")
        if len(dataset.shape) != 1 or dataset.dtype.kind not in "fiu":
            self._fail("time", f"it has shape {dataset.shape} and type {dataset.dtype}. One number for each row is needed")
        check_unpacked(self._path, _bytes_of(dataset), ", /time")
        return np.asarray(dataset[:], dtype=float)

    def columns(self, names: Sequence[tuple[str, str]], rows: int) -> list[Column]:
        """The columns. names: (key in the file, name) of each. Raises InputError."""
        datasets = {key: self._dataset(key) for key, _ in names}
        for key, dataset in datasets.items():
            if len(dataset.shape) not in (1, 2) or dataset.shape[0] != rows:
                self._fail(key, f"it has shape {dataset.shape}, but there are {rows} points in time")
        total = 0
        for key, dataset in datasets.items():
            total += _bytes_of(dataset)
            check_unpacked(self._path, total, f", /{key}")
        return [self._column(datasets[key], key, name) for key, name in names]

    def _dataset(self, key: str) -> Dataset:
        link = self._file.get(key, getlink=True)
        if link is None:
            self._fail(key, "there is no such dataset")
        if not isinstance(link, self._h5py.HardLink):
            self._fail(key, "it is a link, which is not followed, as it may lead to another file")
        dataset = self._file[key]
        if not isinstance(dataset, self._h5py.Dataset):
            self._fail(key, f"it is a {type(dataset).__name__.lower()}, not a dataset")
        if dataset.shape is None or not dataset.shape:
            self._fail(key, "it has no rows. A dataset with one number for each point in time is needed")
        if dataset.external:
            self._fail(key, f"its numbers are in other files, such as {dataset.external[0][0]!r}, which are not read")
        if dataset.is_virtual:
            self._fail(key, "it is a virtual dataset, whose numbers are in other files, which are not read")
        if dataset.dtype.kind not in _NUMBERS and not self._is_text(dataset):
            self._fail(key, f"its type is {dataset.dtype}. Numbers or texts are needed")
        return dataset

    def _is_text(self, dataset: Dataset) -> bool:
        return self._h5py.check_string_dtype(dataset.dtype) is not None

    def _column(self, dataset: Dataset, key: str, name: str) -> Column:
        names, units = (self._texts(dataset, key, f"component_{what}") for what in ("names", "units"))
        if len(names) != len(units) or (names and dataset.shape[1:] != (len(names),)):
            self._fail(key, f"it has shape {dataset.shape}, {len(names)} names of components and {len(units)} units")
        return Column(
            name,
            self._all_texts(dataset, key) if self._is_text(dataset) else dataset[:],
            unit=self._text(dataset, key, "units"),
            components=tuple(zip(names, units, strict=True)),
            description=self._text(dataset, key, "description") or "",
            is_parameter=dataset.attrs.get("is_parameter", False) in (True,),
        )

    def _all_texts(self, dataset: Dataset, key: str) -> np.ndarray:
        """Texts, a few at a time: many entries can be the same long text, which the file has once."""
        texts = dataset.asstr()
        size = os.path.getsize(self._path)
        allowed = most_unpacked(size)
        at_once = max(1, allowed // max(1, size * math.prod(dataset.shape[1:])))
        parts, found = [np.empty((0, *dataset.shape[1:]), dtype=object)], 0
        for start in range(0, dataset.shape[0], at_once):
            part = texts[start : start + at_once]
            found += sum(len(text) for text in part.flat)
            check_unpacked(self._path, found, f", /{key}")
            parts.append(part)
        return np.concatenate(parts)

    def _text(self, dataset: Dataset, key: str, attribute: str) -> str | None:
        value = dataset.attrs.get(attribute)
        if value is not None and not isinstance(value, str):
            self._fail(key, f"its attribute '{attribute}' is no text")
        return value

    def _texts(self, dataset: Dataset, key: str, attribute: str) -> list[str]:
        values = np.asarray(dataset.attrs.get(attribute, ()))
        if values.ndim != 1 or not all(isinstance(each, str) for each in values.tolist()):
            self._fail(key, f"its attribute '{attribute}' is no list of texts")
        return list(map(str, values.tolist()))

    def _fail(self, key: str, message: str) -> NoReturn:
        raise InputError(f"{self._path}, /{key}: {message}.")


def _bytes_of(dataset: Dataset) -> int:
    return math.prod(dataset.shape) * int(dataset.dtype.itemsize)
