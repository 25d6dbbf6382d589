"""Which kinds of rows the events of a System decide: those of the tables in compilation/source/contact_table.py."""

from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.friction import FrictionEvent
from mobod.system import Layout, System


def has_contacts(system: System, layout: Layout) -> bool:
    """Whether there are contacts and other unilateral rows."""
    return _has_events(system, layout, Contact)


def has_dry_friction(system: System, layout: Layout) -> bool:
    """Whether contacts or joints have dry friction."""
    return _has_events(system, layout, FrictionEvent)


def _has_events(system: System, layout: Layout, kind: type) -> bool:
    return system.has_events and any(isinstance(row.event, kind) for row in system.events.table(layout).rows)
