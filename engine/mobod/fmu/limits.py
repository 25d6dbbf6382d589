"""The limits of coordinates, as an FMU declares them."""

from math import inf

from mobod.fmu.exported_model import ExportedModel
from mobod.matter import MatterSubsystem
from mobod.system.elements import NO_BOUND


def limits_of_coordinates(model: ExportedModel) -> dict[int, tuple[float, float]]:
    """(least, greatest) of coordinates with rigid limits that act, by their offset; without those whose start value lies beyond them.

    They are the start values of parameters, which a host may change.
    """
    by_name = {variable.name: variable for variable in model.variables}
    found = {}
    for matter in model.system.subsystems:
        for body in matter.bodies if isinstance(matter, MatterSubsystem) else ():
            for coordinate, limits in body.limits.items():
                acts, *bounds = (float(model.start[by_name[f"{limits.name}.{each}"].slot.offset]) for each in ("enabled", "lower", "upper"))
                at = by_name[f"{body.name}.q"].slot.offset + coordinate
                lower, upper = (bound if abs(bound) < NO_BOUND else inf if bound > 0 else -inf for bound in bounds)
                if acts and not limits.compliant_rows and lower <= model.start[at] <= upper:
                    found[at] = lower, upper
    return found
