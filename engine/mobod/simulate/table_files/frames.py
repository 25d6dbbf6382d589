"""Tables as data frames of pandas and datasets of xarray."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mobod.late_imports import needed_package
from mobod.simulate.column import Column

if TYPE_CHECKING:
    import pandas
    import xarray


def to_dataframe(time: np.ndarray, columns: Sequence[Column]) -> "pandas.DataFrame":
    """A frame of flat columns whose index is the time. `attrs["units"]` has the known units by name."""
    pd = needed_package("pandas", "to_dataframe", "data")
    frame: pandas.DataFrame = pd.DataFrame({column.name: column.values for column in columns}, index=pd.Index(time, name="time"))
    frame.attrs["units"] = {column.name: column.unit for column in columns if column.unit is not None}
    return frame


def to_xarray(time: np.ndarray, columns: Sequence[Column], attributes: dict[str, str]) -> "xarray.Dataset":
    """A Dataset over time. Columns whose entries have the same labels share a dimension."""
    xr = needed_package("xarray", "to_xarray", "data")
    coordinates: dict[str, tuple[str, object, dict[str, str]]] = {"time": ("time", time, {"units": "s"})}
    variables = {}
    for column in columns:
        dimensions = ["time"]
        if column.values.ndim == 2:
            labels = column.labels()
            dimensions.append(_dimension(labels))
            coordinates[dimensions[1]] = (dimensions[1], labels, {})
        units = [unit for _, unit in column.components]
        unit = column.unit if column.unit is not None or not units else units[0] if len(set(units)) == 1 else units
        attributes_of = {"units": unit, "description": column.description or None}
        values = column.values.astype(object) if column.is_text else column.values
        variables[column.name] = (dimensions, values, {key: value for key, value in attributes_of.items() if value is not None})
    made: xarray.Dataset = xr.Dataset(variables, coordinates, attributes)
    return made


def _dimension(labels: Sequence[str]) -> str:
    """The name of a dimension with these labels: 'xyz', 'Mx_My_Mz_Fx_Fy_Fz', 'entry_4' for numbers, 'entry_3_3' for a matrix."""
    if not labels:
        return "entry_0"
    if labels[-1].replace(",", "").isdigit():
        return f"entry_{labels[-1].replace(',', '_')}"
    return ("" if max(map(len, labels)) == 1 else "_").join(labels)
