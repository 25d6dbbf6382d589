"""The catalogued variables of a constraint, for results, FMUs and the command line."""

from mobod.matter.constraint_rows.constraint_rows import ConstraintRows
from mobod.matter.constraint_rows.constraint_sweeps import ConstraintSweeps
from mobod.scalar.slot import Slot
from mobod.system import CatalogueVariable, DiscreteVariable, Layout, Stage

# unit of a multiplier, by the unit of its error (for velocity errors without the "/s")
MULTIPLIER_UNITS = {"m": "N", "rad": "N.m", "1": "J"}


def variables_of(
    constraint: ConstraintRows, sweeps: ConstraintSweeps, enabled: DiscreteVariable, layout: Layout
) -> list[CatalogueVariable]:
    equations = constraint.equations
    of_constraint = f"of constraint '{constraint.name}' ({type(constraint).__name__})"
    text = f"whether constraint '{constraint.name}' ({type(constraint).__name__}) holds"
    enabled_slot = layout.slots[enabled]
    variables = [CatalogueVariable.parameter(f"{constraint.name}.enabled", enabled_slot, "1", text, type="boolean", discrete=enabled)]
    offset = sweeps.part(constraint, "constraint_parameters").offset
    for parameter in equations.parameters:
        variables.append(
            CatalogueVariable.parameter(
                f"{constraint.name}.{parameter.name}",
                Slot(offset, parameter.shape),
                parameter.units,
                f"{parameter.description}, {of_constraint}",
                **parameter.range,
            )
        )
        offset += parameter.size
    of_position, of_velocity = equations.position_units, equations.velocity_units
    for name, table, stage, units, text in (
        ("position_error", "position_errors", Stage.POSITION, of_position, "position errors"),
        ("velocity_error", "velocity_errors", Stage.VELOCITY, (*map(_rate, of_position), *of_velocity), "velocity errors"),
        (
            "multiplier",
            "multipliers",
            Stage.ACCELERATION,
            tuple(MULTIPLIER_UNITS[unit.partition("/")[0]] for unit in (*of_position, *of_velocity, *equations.acceleration_units)),
            "multipliers (the forces that act are minus those of the multipliers)",
        ),
    ):
        if units:
            slot, description = sweeps.part(constraint, table), f"{text} {of_constraint}"
            variables.append(CatalogueVariable.output(f"{constraint.name}.{name}", slot, stage, units, description))
    return variables


def _rate(unit: str) -> str:
    return f"{unit}/s"
