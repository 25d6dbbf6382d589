"""variables.c: the table of FMU variables as the C runtime reads it."""

from math import inf

from mobod.fmu.exported_model import ExportedSteps
from mobod.fmu.interface import Interface, Row
from mobod.runtime.c_literal import c_literal, c_string


def variables_c(interface: Interface) -> str:
    """The text of variables.c, which defines `mobod_interface` of model.h."""
    rows = "\n".join(_variable(row) for row in interface.rows)
    fixed_steps = _fixed_steps(interface.fixed_steps)
    return f"""/* Made by mobod.fmu.variables_source from the interface of the model. Not to be edited. */
#include "model.h"
#include "velocity_level.h"

#include <math.h>

/* name, at, stage, invalidates, settable, type, least, greatest */
static const Variable variables[] = {{
{rows}
}};
{fixed_steps}
const Interface mobod_interface = {{
    {c_string(interface.model_name)}, /* model_name */
    {c_string(interface.token)}, /* token */
    {interface.tolerance!r}, /* tolerance */
    {len(interface.rows)}, /* n_variables */
    variables,
    {"&fixed_steps" if fixed_steps else "NULL"}, /* fixed_steps */
}};
"""


def _fixed_steps(fixed: ExportedSteps | None) -> str:
    """C that defines `fixed_steps` of velocity_level.h; empty where steps follow their error."""
    if fixed is None:
        return ""
    steps = fixed.steps
    tolerances = ", ".join(map(c_literal, fixed.tolerances)) or "0"
    settings = f"{c_literal(steps.size)}, ENGAGEMENT_{steps.engagement.upper()}, {steps.position_iterations}"
    return f"""
static const double tolerances[] = {{{tolerances}}};
static const FixedSteps fixed_steps = {{{settings}, tolerances}};
"""


def _variable(row: Row) -> str:
    stages = f"STAGE_{row.stage.name}, STAGE_{row.invalidates.name}"
    least = c_literal(-inf if row.minimum is None else row.minimum)
    greatest = c_literal(inf if row.maximum is None else row.maximum)
    kind = f"{row.settable.value}, TYPE_{row.type.upper()}"
    return f"    {{{c_string(row.name)}, {row.at}, {stages}, {kind}, {least}, {greatest}}},"
