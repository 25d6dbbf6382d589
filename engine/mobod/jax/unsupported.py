"""What of a System cannot become a function of JAX: whatever decides by values, or remembers."""

from collections.abc import Iterator

from mobod.contact.contact_pool import ContactPool
from mobod.contact.pair_force import PairForce
from mobod.contact.pairs import has_pair
from mobod.contact.rigid_contact import RigidContact
from mobod.errors import UnsupportedError
from mobod.forces import ForceSubsystem
from mobod.matter import Constraint, MultibodySystem
from mobod.matter.constraints.regularised_joint_friction import RegularisedJointFriction
from mobod.matter.constraints.rigid_joint_friction import RigidJointFriction
from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.simulate.delays import delay_rows
from mobod.system import State, System

_AT_EVENTS = "begins and ends to act at events"
_STOPS = "Use elastic stops or compliant contact, whose forces are smooth"
_KNOWN = "Use compliant contact of shapes that mb.contact.pair_of knows (docs/concepts/contact_shapes.md)"
_FOUND = f"{{}} and {{}} in the C runtime. {_KNOWN}"
_WHY_NOT: dict[type[Constraint], str] = {
    RigidJointFriction: "sticks and slips at events. Use a mb.JointFriction with a transition_speed",
    RegularisedJointFriction: "depends on a load that is found by iterations. Use a mb.JointFriction with constant limits",
}
_RUNS = "mb.Simulation and mb.Ensemble run it"


def check_supported(system: System, state: State) -> None:
    """Raises UnsupportedError, which names the elements and what to use instead."""
    found = list(_unsupported(system, state))
    if found:
        more = f"; and {len(found) - 4} others" if len(found) > 4 else ""
        raise UnsupportedError(f"to_jax: System '{system.name}' cannot become a pure function: {'; '.join(found[:4])}{more}.")


def _unsupported(system: System, state: State) -> Iterator[str]:
    events = [row.event for row in system.events.table(state.layout).rows] if system.has_events else []
    if isinstance(system, MultibodySystem) and system.has_matter:
        for constraint in filter(lambda each: each.is_unilateral, system.matter.constraints):
            what = f"{type(constraint).__name__} '{constraint.name}'"
            yield f"{what} {_WHY_NOT.get(type(constraint)) or f'{_AT_EVENTS}. {_smooth_instead(constraint)}'}; {_RUNS}"
    for delay in delay_rows(system, state):
        yield f"Delay '{delay.name}' remembers its input. {_RUNS}"
    for force in _finding_points(system):
        shapes = _FOUND.format(*(type(shape).__name__ for shape in force.pair))
        yield f"{type(force).__name__} '{force.name}' finds the points of {shapes}; {_RUNS}"
    updates = state.layout.auto_updates
    hints = {force.hint for force in _finding_points(system)}
    for variable in (*(each.variable for each in updates.in_c if each.variable not in hints), *updates.called_back):
        yield f"discrete variable '{variable.name}' gets a value at the start of each step. {_RUNS}"
    for errors in state.layout.errors:
        yield f"constraint errors '{errors.name}' of a subsystem are enforced by projection. {_RUNS}"
    for event in events:
        if not (event.only_ends_steps or event.is_reporter or isinstance(event, (Contact, FrictionEvent))):
            yield f"{event.title} changes the State at its events. {_RUNS}"


def _finding_points(system: System) -> list[PairForce]:
    """The forces whose points of contact the runtime finds."""
    forces = (force for part in system.subsystems if isinstance(part, ForceSubsystem) for force in part.elements)
    return [force for force in forces if isinstance(force, PairForce) and force.hint is not None]


def _smooth_instead(constraint: Constraint) -> str:
    """What acts smoothly in place of a unilateral constraint."""
    if isinstance(constraint, ContactPool):
        return _KNOWN
    if isinstance(constraint, RigidContact):
        shapes = constraint.shape1, constraint.shape2
        if not has_pair(*shapes):
            return _KNOWN
    return _STOPS
