"""All rules for modelDescription.xml."""

from mobod.fmi.rules import (
    aliases,
    arrays,
    causality,
    clocks,
    dependencies,
    derivatives,
    header,
    interfaces,
    model_structure,
    names,
    type_definitions,
    units,
    values,
)
from mobod.fmi.rules.description import FILE, Description
from mobod.fmi.rules.rule import RuleFindings
from mobod.fmi.rules.xml_files import SCHEMA, check_schema

_SCHEMAS = {"2": "fmi2/fmi2ModelDescription.xsd", "3": "fmi3/fmi3ModelDescription.xsd"}


def check_description(description: Description, found: RuleFindings) -> None:
    """Check the schema, and all that it does not express."""
    check_schema(description.root, _SCHEMAS[description.version], SCHEMA, FILE, found)
    for module in (
        header,
        interfaces,
        type_definitions,
        units,
        names,
        causality,
        values,
        derivatives,
        model_structure,
        dependencies,
        aliases,
    ):
        module.check(description, found)
    if description.version == "3":
        arrays.check(description, found)
        clocks.check(description, found)
