"""Fields of a file with arrays: found by name, checked, with errors that name the file and the field."""

from collections.abc import Mapping
from pathlib import Path
from typing import final
from zipfile import ZipFile

import numpy as np

from mobod.errors import ModelFileError

MOST_BYTES = 2**33  # of all arrays of a file after unpacking


@final
class Fields:
    """Arrays of a file by name. path: of the file, for messages"""

    def __init__(self, path: Path, arrays: Mapping[str, np.ndarray]):
        self.path, self._arrays = path, arrays

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def numbers(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Real, finite numbers of a shape, in which -1 is any size. Raises ModelFileError."""
        found = self._found(name)
        if found.dtype.kind not in "fiu":
            raise self.error(name, f"has no real numbers, but {found.dtype}")
        if found.ndim != len(shape) or any(wanted not in (-1, has) for wanted, has in zip(shape, found.shape, strict=True)):
            wanted = ", ".join("n" if each < 0 else str(each) for each in shape)
            raise self.error(name, f"has shape {found.shape}, not ({wanted})")
        if not np.isfinite(found).all():
            raise self.error(name, "has numbers that are not finite")
        return found.astype(float)

    def whole_numbers(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """As numbers(). Raises ModelFileError."""
        found = self.numbers(name, shape)
        if (found != np.round(found)).any() or np.abs(found).max(initial=0.0) > 2**31:
            raise self.error(name, "has numbers that are not whole")
        return found.astype(int)

    def texts(self, name: str) -> list[str]:
        """Texts of a list, or one text. Raises ModelFileError."""
        found = self._found(name)
        if found.dtype.kind != "U" or found.ndim > 1:
            raise self.error(name, "is no list of texts")
        return [str(each) for each in np.atleast_1d(found)]

    def error(self, name: str, what: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: '{name}' {what}.")

    def _found(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise ModelFileError(
                f"{self.path}: there is no '{name}'. The file has {', '.join(map(repr, sorted(self._arrays))) or 'nothing'}."
            )
        return np.asarray(self._arrays[name])


def read_npz(path: Path) -> Mapping[str, np.ndarray]:
    """The arrays of an .npz file; arrays of Python objects are refused, because to read them would run code. Raises ModelFileError."""
    try:
        with ZipFile(path) as packed:
            if sum(each.file_size for each in packed.infolist()) > MOST_BYTES:
                raise ModelFileError(f"{path}: its arrays are larger than {MOST_BYTES / 2**30:g} GiB.")
        with np.load(path, allow_pickle=False) as loaded:
            return {name: _array(path, loaded, name) for name in loaded.files}
    except ModelFileError:
        raise
    except Exception as error:  # of damaged archives zipfile and zlib raise NotImplementedError, zlib.error and others
        raise ModelFileError(f"{path} is no .npz file that can be read: {error}") from None


def _array(path: Path, loaded: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    try:
        return loaded[name]
    except Exception:  # as above, and ValueError of objects
        raise ModelFileError(
            f"{path}: '{name}' is damaged, or has Python objects, which could run code; mobod reads arrays of numbers and texts."
        ) from None
