"""variables.c: the table of FMU variables as the C runtime reads it."""

from math import inf

from mobod.fmu.interface import Interface, Row
from mobod.scalar.c_literal import c_literal, c_string


def variables_c(interface: Interface) -> str:
    """The text of variables.c, which defines `mobod_interface` of model.h."""
    rows = "\n".join(_variable(row) for row in interface.rows)
    return f"""/* Made by mobod.fmu.variables_source from the interface of the model. Not to be edited. */
#include "model.h"

#include <math.h>

/* name, at, stage, invalidates, settable, type, least, greatest */
static const Variable variables[] = {{
{rows}
}};

const Interface mobod_interface = {{
    {c_string(interface.model_name)}, /* model_name */
    {c_string(interface.token)}, /* token */
    {interface.tolerance!r}, /* tolerance */
    {len(interface.rows)}, /* n_variables */
    variables,
    NULL, /* fixed_steps */
}};
"""


def _variable(row: Row) -> str:
    stages = f"STAGE_{row.stage.name}, STAGE_{row.invalidates.name}"
    least = c_literal(-inf if row.minimum is None else row.minimum)
    greatest = c_literal(inf if row.maximum is None else row.maximum)
    kind = f"{row.settable.value}, TYPE_{row.type.upper()}"
    return f"    {{{c_string(row.name)}, {row.at}, {stages}, {kind}, {least}, {greatest}}},"
