"""variables.c: the table of FMU variables as the C runtime reads it."""

from mobod.fmu.interface import Interface, Row
from mobod.scalar.c_literal import c_string


def variables_c(interface: Interface) -> str:
    """The text of variables.c, which defines `mobod_interface` of model.h."""
    rows = "\n".join(_variable(row) for row in interface.rows)
    return f"""/* Made by mobod.fmu.variables_source from the interface of the model. Not to be edited. */
#include "model.h"

/* name, at, stage, invalidates, settable, is_boolean */
static const Variable variables[] = {{
{rows}
}};

const Interface mobod_interface = {{
    {c_string(interface.model_name)}, /* model_name */
    {c_string(interface.token)}, /* token */
    {interface.tolerance!r}, /* tolerance */
    {len(interface.rows)}, /* n_variables */
    variables,
}};
"""


def _variable(row: Row) -> str:
    stages = f"STAGE_{row.stage.name}, STAGE_{row.invalidates.name}"
    return f"    {{{c_string(row.name)}, {row.at}, {stages}, {row.settable.value}, {int(row.is_boolean)}}},"
