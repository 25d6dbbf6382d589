"""Tables as HDF5 files: a dataset for each column, with its unit, components and description as attributes.

The dataset `time` is the scale of the first dimension of all others. A column `a/b` is the dataset `a%2Fb`, since '/' separates groups.
"""

from collections.abc import Sequence
from os import PathLike

import numpy as np

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError, MobodError, UnknownNameError
from mobod.late_imports import needed_package
from mobod.simulate.column import Column
from mobod.simulate.table_files.hdf5_dataset import Hdf5Datasets

FORMAT = "mobod table 1"


def write_hdf5(path: str | PathLike[str], time: np.ndarray, columns: Sequence[Column], attributes: dict[str, str]) -> None:
    """Write columns of any type, text too, and the attributes of the file. Raises WriteError, MobodError without h5py."""
    h5py = needed_package("h5py", "to_hdf5", "data")
    with whole_file(path) as temporary, h5py.File(temporary, "w", track_order=True) as file:
        file.attrs["format"] = FORMAT
        file.attrs.update(attributes)
        scale = file.create_dataset("time", data=time)
        scale.attrs["units"] = "s"
        scale.make_scale("time")
        for column in columns:
            type_ = h5py.string_dtype() if column.is_text else column.values.dtype
            made = file.create_dataset(_escaped(column.name), data=np.asarray(column.values, dtype=type_))
            made.dims[0].attach_scale(scale)
            if column.unit is not None:
                made.attrs["units"] = column.unit
            if column.components:
                made.attrs["component_names"], made.attrs["component_units"] = map(list, zip(*column.components, strict=True))
            if column.description:
                made.attrs["description"] = column.description
            if column.is_parameter:
                made.attrs["is_parameter"] = True


def read_hdf5(path: str | PathLike[str], names: Sequence[str]) -> tuple[np.ndarray, list[Column], dict[str, str]]:
    """Time, columns and attributes of a file that `write_hdf5` wrote. Only the named columns are read; default: all.

    Raises InputError for another file, UnknownNameError, MobodError without h5py.
    """
    h5py = needed_package("h5py", "from_hdf5", "data")
    with open(path, "rb") as opened:
        try:
            with h5py.File(opened, "r") as file:
                attributes = {key: value for key, value in file.attrs.items() if isinstance(value, str)}
                if attributes.pop("format", None) != FORMAT:
                    raise InputError(f"{path}: an HDF5 file, but not one that `to_hdf5` wrote.")
                known = [_unescaped(key) for key in file if key != "time"]
                for name in names:
                    UnknownNameError.check("column", name, known)
                datasets = Hdf5Datasets(path, file)
                time = datasets.time()
                return time, datasets.columns([(_escaped(name), name) for name in dict.fromkeys(names or known)], len(time)), attributes
        except MobodError:
            raise
        except (
            OSError,
            LookupError,
            RuntimeError,
            ValueError,
            TypeError,
            AttributeError,
            MemoryError,
        ) as error:  # of h5py for damaged files
            raise InputError(f"{path}: not an HDF5 file, or a damaged one: {error}") from None


def _escaped(name: str) -> str:
    """A name without '/' and not '.', which have a meaning in HDF5."""
    text = name.replace("%", "%25").replace("/", "%2F")
    return text.replace(".", "%2E") if text.strip(".") == "" else text


def _unescaped(key: str) -> str:
    return key.replace("%2E", ".").replace("%2F", "/").replace("%25", "%")
