"""The command `mobod info`."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from mobod.cli.command_output import Output, json_options
from mobod.cli.contacts_info import coefficients_as_text, contacts_of
from mobod.cli.fmu_info import GROUPS as GROUPS_OF_FMU
from mobod.cli.fmu_info import described_fmu, print_fmu
from mobod.cli.models.model import Model, model_options
from mobod.cli.text_table import print_table
from mobod.errors import InputError

if TYPE_CHECKING:
    from mobod.system import CatalogueVariable, State, System

# role in the catalogue -> its name here
GROUPS = {"state": "states", "parameter": "parameters", "input": "inputs", "output": "outputs"}


@click.command()
@model_options(fmus="described")
@click.option(
    "--filter",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Show only the variables whose names match: 'elbow.*', '*.force'; repeatable.",
)
@click.option("--names", "only_names", is_flag=True, help="Print only the names of the variables, one per line.")
@json_options
def info(
    model: Model,
    patterns: tuple[str, ...],
    only_names: bool,
    out: Output,
) -> None:
    """Show the bodies, constraints and variables of a MODEL; of an FMU, its description.

    A PATTERN is as in shells: * matches any text, ? any character, [ab] one of these characters. A literal [ is written [[].

    \b
    mobod info pendulum.py:build
    mobod info arm.urdf --filter 'elbow.*'
    mobod info arm.urdf --names
    mobod info plant.fmu
    """
    if only_names and out.as_json:
        raise click.UsageError("--names and --json exclude each other.")
    if model.is_fmu:
        _info_of_fmu(model, patterns, only_names=only_names, out=out)
        return
    system = model.system(as_json=out.as_json)
    state = system.realize_topology()
    variables = _chosen(system.variables(state), patterns)
    described = {} if only_names else {**_described(system, state, variables), "trust": model.kind.trust}
    if only_names:
        for role in GROUPS:
            for variable in variables:
                if variable.role == role:
                    click.echo(variable.name)
    elif out.as_json:
        out.json({**described, "warnings": model.warnings})
    else:
        _print(described, only_variables=bool(patterns))


def _info_of_fmu(model: Model, patterns: Sequence[str], *, only_names: bool, out: Output) -> None:
    fmu, warnings = model.fmu(as_json=out.as_json)
    variables = _matching(list(fmu.variables.values()), patterns)
    described = {} if only_names else {**described_fmu(fmu, variables), "trust": model.kind.trust}
    if only_names:
        for causalities in GROUPS_OF_FMU.values():
            for variable in variables:
                if variable.causality in causalities:
                    click.echo(variable.name)
    elif out.as_json:
        out.json({**described, "warnings": warnings})
    else:
        print_fmu(described, only_variables=bool(patterns))


def _chosen(variables: "Sequence[CatalogueVariable]", patterns: Sequence[str]) -> "list[CatalogueVariable]":
    return _matching([each for each in variables if each.role in GROUPS], patterns)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_V = TypeVar("_V", bound=_Named)


def _matching(shown: Sequence[_V], patterns: Sequence[str]) -> list[_V]:
    """All variables, or those that match one of the patterns. Raises InputError for a pattern without a match."""
    for pattern in patterns:
        if not any(fnmatchcase(each.name, pattern) for each in shown):
            raise InputError(f"--filter '{pattern}': no variable of the model has such a name. `mobod info MODEL --names` lists all.")
    return [each for each in shown if not patterns or any(fnmatchcase(each.name, pattern) for pattern in patterns)]


def _described(system: "System", state: "State", variables: "Sequence[CatalogueVariable]") -> dict[str, Any]:
    return {
        "name": system.name,
        "nq": len(state.q),
        "nu": len(state.u),
        "nz": len(state.z),
        **_scales(system),
        "bodies": _bodies(system),
        **_constraints(system, state),
        "contacts": contacts_of(system, state),
        **{group: [_variable(system, state, each) for each in variables if each.role == role] for role, group in GROUPS.items()},
    }


def _scales(system: "System") -> dict[str, Any]:
    """The scales, to which errors and tolerances are relative, and from what they were estimated."""
    from mobod.compilation.source.scales import estimated_scales
    from mobod.system.scales import NAMES

    found = estimated_scales(system)
    values = dict(zip(NAMES, (found.scales.length, found.scales.time, found.scales.mass), strict=True))
    return {**values, "scales_from": {name: found.sources[name] for name in NAMES}}


def _bodies(system: "System") -> list[dict[str, object]]:
    from mobod.matter import MultibodySystem

    if not isinstance(system, MultibodySystem):
        return []
    return [
        {
            "index": body.index,
            "name": body.name,
            "mobilizer": type(body).__name__,
            "parent": body.parent.name,
            "nq": body.nq,
            "nu": body.nu,
            "mass": body.body.mass_properties.mass,
        }
        for body in system.matter.bodies
    ]


def _constraints(system: "System", state: "State") -> dict[str, Any]:
    """Degrees of freedom and redundant rows at the default State; empty if there are no constraints."""
    from mobod.matter import MultibodySystem
    from mobod.system import Stage

    if not isinstance(system, MultibodySystem) or not system.has_matter or not system.matter.constraints:
        return {}
    system.realize(state, Stage.DYNAMICS)
    analysis = system.matter.analyze_constraints(state)
    constraints = [
        {
            "name": constraint.name,
            "kind": type(constraint).__name__,
            "bodies": ", ".join(dict.fromkeys(body.name for body in constraint.bodies)),
            "equations": constraint.equations.n,
            "enabled": not constraint.is_disabled(state),
        }
        for constraint in system.matter.constraints
    ]
    return {
        "constraints": constraints,
        "degrees_of_freedom": analysis.degrees_of_freedom,
        "constraint_equations": len(analysis.rows),
        "independent_equations": analysis.rank,
        "redundant_rows": list(analysis.redundant),
        "position_error": max(map(abs, system.matter.constraint_position_errors(state).tolist()), default=0.0),
    }


def _variable(system: "System", state: "State", variable: "CatalogueVariable") -> dict[str, object]:
    """A variable with its start value, unless it is computed. Derivatives of states are not listed; they are named der(state)."""
    entry: dict[str, object] = {
        "name": variable.name,
        "unit": ", ".join(dict.fromkeys(variable.units)),
        "description": variable.description,
    }
    if variable.role == "output":
        return {**entry, "shape": list(variable.slot.shape)}
    value = system.value(state, variable)
    whole = {"boolean": bool, "integer": int}.get(variable.type)
    return {**entry, "start": whole(value) if whole else value.tolist()}


def _print(described: dict[str, Any], *, only_variables: bool) -> None:
    tables: dict[str, tuple[str, ...]] = {}
    if not only_variables:
        _print_summary(described)
        tables = {"bodies": ("name", "mobilizer", "parent", "mass"), "constraints": ("name", "kind", "bodies", "equations", "enabled")}
    for group in GROUPS.values():
        tables[group] = ("name", "shape" if group == "outputs" else "start", "unit", "description")
    for group, columns in tables.items():
        if described.get(group):
            headings = ["mass (kg)" if column == "mass" else column for column in columns]
            print_table(group, headings, [[row[column] for column in columns] for row in described[group]])
        if group == "constraints" and not only_variables and described["contacts"]:
            _print_contacts(described["contacts"])


def _print_contacts(contacts: list[dict[str, Any]]) -> None:
    columns = ("name", "kind", "shape_1", "shape_2", "features")
    rows = [[*(row[column] for column in columns), coefficients_as_text(row["friction"])] for row in contacts]
    print_table("contacts", ["name", "kind", "shape 1", "shape 2", "features", "friction"], rows)


def _print_summary(described: dict[str, Any]) -> None:
    counts = f"{len(described['bodies'])} bodies, {described['nq']} coordinates q, {described['nu']} speeds u"
    click.echo(f"{described['name']}: {counts}")
    click.echo(f"read as {described['trust']}")
    for name, unit in (("length_scale", "m"), ("time_scale", "s"), ("mass_scale", "kg")):
        click.echo(f"{name.replace('_', ' ')}: {described[name]:.4g} {unit} ({described['scales_from'][name]})")
    if "constraints" in described:
        redundant = f"; redundant at the start: {', '.join(described['redundant_rows'])}" if described["redundant_rows"] else ""
        click.echo(
            f"{described['degrees_of_freedom']} degrees of freedom; {described['constraint_equations']} constraint equations, "
            f"{described['independent_equations']} of them independent{redundant}; "
            f"largest error at the start: {described['position_error']:.3g}"
        )
