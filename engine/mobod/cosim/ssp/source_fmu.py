"""An FMU without inputs whose outputs are the columns of a table."""

import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path

import numpy as np
from fmpy.model_description import Unit
from lxml import etree

from mobod.cosim.ssp.units import base_unit
from mobod.cosim.table_source import ROUND_OFF, TableSource
from mobod.cosim.variable import NetworkVariable
from mobod.errors import UnsupportedError
from mobod.fmu.archive import write_archive
from mobod.fmu.export import export_fmu
from mobod.fmu.names import is_structured, model_identifier
from mobod.fmu.native_export import Code
from mobod.scalar import Scalar, StaticTable, interval, lookup, where
from mobod.system import Stage, State, System
from mobod.system.measures import Custom


def source_fmu(source: TableSource, name: str, path: Path, *, platforms: str | Iterable[str], code: Code) -> Path:
    """Write an FMU of FMI 2.0 with the values of a table of real numbers, bit for bit, within its rows. Beyond them it holds the values.

    Raises UnsupportedError for columns that are not real.
    """
    others = [column for column, variable in source.variables.items() if variable.kind != "float"]
    if others:
        raise UnsupportedError(
            f"{source.origin}: only real columns can be written as an FMU, not {', '.join(others)} "
            f"({source.variables[others[0]].type}). Give them as real numbers."
        )
    system = System(name)
    spelled: dict[str, NetworkVariable] = {}
    for k, (column, variable) in enumerate(source.variables.items()):
        Custom(system, _function(source, column), stage=Stage.TIME, name=f"column{k + 1}")
        spelled[f"column{k + 1}.value"] = variable
    with tempfile.TemporaryDirectory(prefix="mobod_") as folder:
        made = export_fmu(
            system, Path(folder) / f"{model_identifier(name)}.fmu", outputs=list(spelled), platforms=platforms, code=code, reference=False
        )
        with zipfile.ZipFile(made) as archive:
            write_archive(path, {entry: _renamed(entry, archive.read(entry), spelled) for entry in archive.namelist()})
    return path


def _function(source: TableSource, column: str) -> Callable[[State], Scalar]:
    """The value of `TableSource.value`, as a function that can be recorded."""
    values = source.columns[column]
    is_last = np.append(np.diff(source.time) > 0, True)  # of rows of the same time
    is_first = np.append(True, np.diff(source.time) > 0)
    times, after, before = source.time[is_last], values[is_last], values[is_first]
    if len(times) == 1:
        return lambda state: 0.0 * state.time + after[0]
    at, left, right = StaticTable(times), StaticTable(after[:-1]), StaticTable(before[1:])
    starts, ends = StaticTable(times[:-1]), StaticTable(times[1:])

    def value(state: State) -> Scalar:
        t = state.time
        k = interval(at, t + ROUND_OFF * abs(t))
        begin, end = lookup(starts, k), lookup(ends, k)
        held = lookup(left, k)
        if source.is_held[column]:
            between = held
        else:
            weight = (t - begin) / (end - begin)
            between = where(t <= begin, held, (1 - weight) * held + weight * lookup(right, k))
        return where(t + ROUND_OFF * abs(t) >= times[-1], after[-1], between)

    return value


def _renamed(entry: str, content: bytes, spelled: Mapping[str, NetworkVariable]) -> bytes:
    """A file of the FMU with the names and units of columns as those of variables."""
    if entry == "modelDescription.xml":
        return _description(content, spelled)
    if not entry.endswith(".html"):
        return content
    return re.sub(r"column\d+\.value", lambda match: escape(spelled[match[0]].name), content.decode()).encode()


def _description(content: bytes, spelled: Mapping[str, NetworkVariable]) -> bytes:
    root = etree.fromstring(content)
    units: dict[str, Unit] = {}
    for element in root.iterfind("ModelVariables/ScalarVariable"):
        variable = spelled.get(element.get("name", ""))
        if variable is None:
            continue
        element.set("name", variable.name)
        real = element[0]
        real.attrib.pop("unit", None)
        if variable.unit is not None and variable.unit.baseUnit is not None:
            real.set("unit", variable.unit.name)
            units[variable.unit.name] = variable.unit
    listed = root.find("UnitDefinitions")
    if listed is None:
        listed = etree.Element("UnitDefinitions")
        root.insert(0, listed)
    for known in listed:
        units.pop(known.get("name", ""), None)
    for name, unit in units.items():
        etree.SubElement(etree.SubElement(listed, "Unit", {"name": name}), "BaseUnit", base_unit(unit))
    if not all(is_structured(each.name) for each in spelled.values()):
        root.set("variableNamingConvention", "flat")
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
