"""The table of FMU variables for the C runtime: `Interface` of model.h."""

from math import inf

from mobod.fmu.arrays import array_sizes
from mobod.fmu.exported_model import ExportedSteps
from mobod.fmu.interface import Interface
from mobod.fmu.variables import FmuVariable
from mobod.runtime.library import constant
from mobod.runtime.tables import CSource, Struct, StructArray
from mobod.simulate.limits import number_of_impacts


def interface_table(interface: Interface) -> Struct:
    """`Interface` of model.h."""
    sized = zip(interface.rows, array_sizes(interface), strict=True)
    return Struct(
        "Interface",
        model_name=interface.model_name,
        token=interface.token,
        tolerance=interface.tolerance,
        impacts=number_of_impacts(interface.options.impacts),
        is_bounded=int(interface.options.is_bounded),
        ambiguous_is_an_error=int(interface.options.ambiguous_is_an_error),
        numerics_at=interface.numerics_at,
        numerics=interface.numerics.numbers(),
        n_inputs=len(interface.real_inputs),
        inputs=interface.real_inputs,
        input_derivatives_at=interface.input_derivatives_at,
        n_variables=len(interface.rows),
        variables=StructArray("Variable", [_variable(row, size, has_enumerations=interface.fmi_version == "3.0") for row, size in sized]),
        fixed_steps=None if interface.fixed_steps is None else _fixed_steps(interface.fixed_steps),
        **interface.warnings.fields(),
    )


def variables_c(interface: Interface) -> str:
    """The text of variables.c, which defines `mobod_interface` of model.h."""
    text = CSource()
    text.define("mobod_interface", interface_table(interface))
    return "\n".join(
        [
            "/* Made by mobod from the interface of the model: its variables, by value reference. */",
            '#include "model.h"',
            '#include "velocity_level.h"\n',
            "#include <math.h>\n",
            *text.lines,
        ]
    )


def _variable(row: FmuVariable, n: int, *, has_enumerations: bool) -> Struct:
    return Struct(
        "Variable",
        name=row.name,
        at=row.at,
        stage=int(row.stage),
        invalidates=int(row.invalidates),
        settable=constant(row.settable.value),
        type=constant(f"TYPE_{'ENUMERATION' if row.choices and has_enumerations else row.type.upper()}"),
        n=n,
        least=-inf if row.minimum is None else float(row.minimum),
        greatest=inf if row.maximum is None else float(row.maximum),
    )


def _fixed_steps(fixed: ExportedSteps) -> Struct:
    """`FixedSteps` of velocity_level_work.h."""
    steps = fixed.steps
    return Struct(
        "FixedSteps",
        step=steps.size,
        engagement=constant(f"ENGAGEMENT_{steps.engagement.upper()}"),
        constraints_at=constant(f"CONSTRAINTS_AT_{steps.constraints_at.upper()}"),
        position_iterations=steps.position_iterations,
        tolerances=list(map(float, fixed.tolerances)),
    )
