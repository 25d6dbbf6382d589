"""Tables about a mechanism, for people: its bodies, the limits of its joints, and its events."""

from math import isfinite

from mobod.matter import UnilateralConstraint
from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.limit_constraint import LimitConstraint
from mobod.matter.unilateral.tendon_limits import TendonLimitConstraint
from mobod.scene.placement import matter_of
from mobod.system import State, System
from mobod.system.events.handlers import Event
from mobod.system.events.kinds import (
    InitializationEventHandler,
    Observer,
    ScheduledEvent,
    TerminationEventHandler,
    TimeAdvancedEventHandler,
    TriggeredEvent,
)

_KINDS: dict[type[Event], str] = {
    TriggeredEvent: "when its witness crosses zero",
    ScheduledEvent: "at times of its own",
    InitializationEventHandler: "at the start",
    TimeAdvancedEventHandler: "at the end of each integration step",
    TerminationEventHandler: "at the end",
}


def bodies(system: System, state: State) -> list[tuple[str, str, str, str, str]]:
    """Name, kind of joint, parent, number of coordinates, and mass."""
    matter = matter_of(system)
    if matter is None:
        return []
    tree = matter.tree(state.layout)
    return [
        (
            body.name,
            f"{type(body).__name__}{', reversed' if body.is_reversed else ''}",
            body.parent.name,
            str(tree.q(body).size),
            f"{float(state.view(tree.slots.mass[body.index])):g}",
        )
        for body in matter.bodies
    ]


def limits_of_motion(system: System, state: State) -> list[tuple[str, str, str, str]]:
    """Coordinate or length of a tendon, bounds and unit."""
    matter = matter_of(system)
    found = []
    for body in matter.bodies if matter else ():
        for number, limits in body.limits.items():
            least, greatest = (f"{bound:g}" if isfinite(bound) else "" for bound in limits.bounds(state))
            name = f"{body.name}.q" if body.equations.nq == 1 else f"{body.name}.q[{number + 1}]"
            found.append((name, least, greatest, body.equations.q_units[number]))
    for each in matter.constraints if matter else ():
        if isinstance(each, TendonLimitConstraint):
            least, greatest = (f"{bound:g}" if isfinite(bound) else "" for bound in each.bounds(state))
            found.append((f"{each.tendon}.length", least, greatest, each.unit))
    return found


def events(system: System, state: State) -> list[tuple[str, str]]:
    """Name and kind of the events that the FMU handles."""
    matter = matter_of(system)
    contacts = [each for each in (matter.constraints if matter else ()) if isinstance(each, UnilateralConstraint)]
    found = [(each.name, each.kind_of_limit if isinstance(each, LimitConstraint) else "contact") for each in contacts]
    rows = system.events.table(state.layout).rows if system.has_events else ()
    for row in rows:
        if not (row.event.is_reporter or row.event.only_ends_steps or isinstance(row.event, (Observer, Contact))):
            found += [(row.event.name, kind) for cls, kind in _KINDS.items() if isinstance(row.event, cls)]
    return found
