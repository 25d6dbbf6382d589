"""What `mobod info` shows of an FMU."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.final_values import finite
from mobod.cli.text_table import cell_text, print_table

if TYPE_CHECKING:
    from mobod.importer.fmu_model import FmuModel
    from mobod.importer.kinds import Value
    from mobod.importer.variable import ForeignVariable

# causalities -> group
GROUPS = {
    "parameters": ("parameter", "calculatedParameter", "structuralParameter"),
    "inputs": ("input",),
    "outputs": ("output",),
    "locals": ("local", "independent"),
}
_COLUMNS = {
    "parameters": ("name", "start", "unit", "min", "max", "variability", "description"),
    "inputs": ("name", "start", "unit", "min", "max", "variability", "description"),
    "outputs": ("name", "type", "unit", "description"),
    "locals": ("name", "type", "unit", "description"),
}


def described_fmu(fmu: "FmuModel", variables: "Sequence[ForeignVariable]") -> dict[str, Any]:
    """The FMU and these variables as data."""
    description = fmu.description
    return {
        "name": fmu.name,
        "description": description.description or "",
        "fmi_version": fmu.archive.fmi_version,
        "interfaces": list(fmu.interfaces),
        "generation_tool": description.generationTool or "",
        "generation_time": description.generationDateAndTime or "",
        "version": description.version or "",
        "author": description.author or "",
        "copyright": description.copyright or "",
        "license": description.license or "",
        "token": description.guid,
        "platforms": fmu.archive.platforms,
        "missing_library": next((fmu.missing_library(each) for each in fmu.interfaces if not fmu.runs_here(each)), ""),
        "runs_here": {interface: fmu.runs_here(interface) for interface in fmu.interfaces},
        "continuous_states": description.numberOfContinuousStates,
        "event_indicators": description.numberOfEventIndicators,
        "states": [state.name for state in fmu.states],
        "capabilities": {interface: fmu.capabilities(interface) for interface in fmu.interfaces},
        "default_experiment": {name: finite(value) for name, value in fmu.default_experiment().items()},
        **{group: [_variable(fmu, each) for each in variables if each.causality in causalities] for group, causalities in GROUPS.items()},
    }


def _variable(fmu: "FmuModel", variable: "ForeignVariable") -> dict[str, object]:
    entry: dict[str, object] = {
        "name": variable.name,
        "type": variable.type,
        "unit": variable.unit,
        "description": variable.description.description or "",
        "causality": variable.causality,
        "variability": variable.variability,
        "shape": list(fmu.shape(variable)),
        "start": finite(_start(variable)),
        "min": finite(variable.minimum),
        "max": finite(variable.maximum),
    }
    return {**entry, "items": variable.items} if variable.items else entry


def _start(variable: "ForeignVariable") -> "Value | list[Value] | None":
    values = variable.start_values
    if values is None or variable.is_array:
        return values
    return values[0]


def print_fmu(described: dict[str, Any], *, only_variables: bool) -> None:
    if not only_variables:
        _print_summary(described)
    for group, columns in _COLUMNS.items():
        rows = described[group]
        if group == "locals" and rows and not only_variables:
            click.echo(f"and {len(rows)} local variables, which --filter '*' and --json show")
        elif rows:
            # columns without an entry are left out
            shown = [column for column in columns if column == "name" or any(row[column] not in (None, "") for row in rows)]
            print_table(group, shown, [[_cell(row, column) for column in shown] for row in rows])


def _cell(row: dict[str, Any], column: str) -> object:
    if column == "type" and row["shape"]:
        return f"{row['type']}[{','.join(map(str, row['shape']))}]"
    if column == "start" and "items" in row:
        names = {number: name for name, number in row["items"].items()}
        numbers = row["start"] if row["shape"] else [row["start"]]
        return "" if row["start"] is None else [names.get(number, number) for number in numbers]
    return "" if row[column] is None else row[column]


def _print_summary(described: dict[str, Any]) -> None:
    click.echo(f"{described['name']}: an FMU of FMI {described['fmi_version']} for {' and '.join(described['interfaces'])}")
    here = [interface for interface, runs in described["runs_here"].items() if runs]
    facts = {
        "description": described["description"],
        "made by": " ".join(part for part in (described["generation_tool"], described["generation_time"]) if part),
        "version": described["version"],
        "author": described["author"],
        "copyright": described["copyright"],
        "license": described["license"],
        "platforms": ", ".join(described["platforms"]) or "none",
        "runs here": "yes"
        if len(here) == len(described["interfaces"])
        else " and ".join(here) or f"no: it has no library for this platform. {described['missing_library']}.",
        "continuous states": described["continuous_states"],
        "event indicators": described["event_indicators"],
        "default experiment": _experiment(described["default_experiment"]),
        "read as": described["trust"],
    }
    for interface, capabilities in described["capabilities"].items():
        # true ones by their name, numbers with their value
        facts[interface] = ", ".join(
            name if value is True else f"{name}={value}" for name, value in capabilities.items() if value is not False and value != 0
        )
    rows = [(name, value) for name, value in facts.items() if value != ""]
    widest = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"  {name:<{widest}}  {value}")
    click.echo()


def _experiment(declared: dict[str, object]) -> str:
    units = {"start": " s", "stop": " s", "tolerance": "", "step": " s"}
    return ", ".join(f"{name} {cell_text(value)}{units[name]}" for name, value in declared.items() if value is not None)
