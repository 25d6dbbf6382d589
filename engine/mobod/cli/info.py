"""The command `mobod info`."""

import json
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.failure import errors_as_messages
from mobod.cli.model import load_system
from mobod.cli.options import debug_option, json_option, model_argument
from mobod.cli.text_table import print_table

if TYPE_CHECKING:
    from mobod.system import State, System, Variable

# role in the catalogue -> what it is called here
GROUPS = {"state": "states", "parameter": "parameters", "input": "inputs", "output": "outputs"}


@click.command()
@model_argument
@json_option
@debug_option
def info(model: str, as_json: bool, debug: bool) -> None:
    """Show the bodies and variables of a MODEL.

    \b
    mobod info pendulum.py:build
    """
    with errors_as_messages(debug):
        described = _described(load_system(model))
    if as_json:
        click.echo(json.dumps(described, indent=2, allow_nan=False))
    else:
        _print(described)


def _described(system: "System") -> dict[str, Any]:
    state = system.realize_topology()
    variables = system.variables(state)
    return {
        "name": system.name,
        "nq": len(state.q),
        "nu": len(state.u),
        "nz": len(state.z),
        "bodies": _bodies(system),
        **{group: [_variable(system, state, each) for each in variables if each.role == role] for role, group in GROUPS.items()},
    }


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


def _variable(system: "System", state: "State", variable: "Variable") -> dict[str, object]:
    """Its start value unless it is computed; the derivative of a state goes by the name der(state) and is not listed."""
    told: dict[str, object] = {"name": variable.name, "unit": ", ".join(dict.fromkeys(variable.units)), "description": variable.description}
    if variable.role == "output":
        return {**told, "shape": list(variable.slot.shape)}
    value = system.value(state, variable)
    return {**told, "start": bool(value) if variable.is_boolean else value.tolist()}


def _print(described: dict[str, Any]) -> None:
    counts = f"{len(described['bodies'])} bodies, {described['nq']} coordinates q, {described['nu']} speeds u"
    click.echo(f"{described['name']}: {counts}")
    tables = {"bodies": ("name", "mobilizer", "parent", "mass")}
    for group in GROUPS.values():
        tables[group] = ("name", "shape" if group == "outputs" else "start", "unit", "description")
    for group, columns in tables.items():
        if described[group]:
            headings = ["mass (kg)" if column == "mass" else column for column in columns]
            print_table(group, headings, [[row[column] for column in columns] for row in described[group]])
