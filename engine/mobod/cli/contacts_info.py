"""The pairs of shapes of a model, for `mobod info`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mobod.contact.rigid_contact import RigidContact
    from mobod.contact.shapes_in_contact import ShapesInContact
    from mobod.system import State, System

from mobod.disk.json_values import JsonObject


def contacts_of(system: "System", state: "State") -> list[JsonObject]:
    """Each contact of two shapes: its name and kind, both bodies with their shapes, the number of its features, and its coefficients of
    friction at rest and of a slip, by the name of their parameters.
    """
    from mobod.contact.rigid_contact import RigidContact
    from mobod.contact.shapes_in_contact import ShapesInContact
    from mobod.forces import ForceSubsystem
    from mobod.matter import MultibodySystem

    if not isinstance(system, MultibodySystem) or not system.has_matter:
        return []
    rigid = [each for each in system.matter.constraints if isinstance(each, RigidContact)]
    forces = [force for part in system.subsystems if isinstance(part, ForceSubsystem) for force in part.elements]
    compliant = [each for each in forces if isinstance(each, ShapesInContact)]
    found: list[RigidContact | ShapesInContact] = [*rigid, *compliant]
    return [_described(each, system, state) for each in found]


def _described(contact: "RigidContact | ShapesInContact", system: "System", state: "State") -> JsonObject:
    coefficients = {
        each.name.removeprefix(f"{contact.name}."): float(system.value(state, each))
        for each in system.variables(state)
        if each.name.startswith(f"{contact.name}.") and "_friction" in each.name and each.role == "parameter"
    }
    return {
        "name": contact.name,
        "kind": type(contact).__name__,
        "shape_1": f"{type(contact.shape1).__name__} on {contact.body1.name}",
        "shape_2": f"{type(contact.shape2).__name__} on {contact.body2.name}",
        "features": contact.n_features,
        "friction": coefficients,
    }


def coefficients_as_text(coefficients: dict[str, float]) -> str:
    """Those that are not 0, as 'static 0.5, dynamic 0.4'; of two materials each with its number."""
    shown = [f"{name.replace('_friction', ' ').strip()} {value:g}" for name, value in coefficients.items() if value]
    return ", ".join(shown) or "none"
