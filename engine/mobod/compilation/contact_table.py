"""The table of a System's unilateral rows for the C runtime: unilateral_rows.h in fmu_src/native."""

from mobod.compilation.events_source import Events
from mobod.matter.unilateral.contact_events import Contact
from mobod.runtime.tables import Struct, StructArray
from mobod.system.layout import Layout

_SLOTS = ("enabled", "active", "distance", "rate", "restitution", "impulse", "engagement")


def contact_table(events: Events, layout: Layout) -> Struct | None:
    """The `ContactTable`; None if there are no unilateral rows."""
    numbers = {row.event.index: i for i, row in enumerate(events.rows)}
    found = [row.event for row in events.rows if isinstance(row.event, Contact)]
    if not found:
        return None
    constraints = list(dict.fromkeys(contact.constraint for contact in found))
    contacts = [contact for constraint in constraints for contact in constraint.contacts]
    blocks = constraints[0].matter.constraint_sweeps(layout).table.blocks
    block_of_flag = {block.enabled.offset: i for i, block in enumerate(blocks)}
    rows, of_event, of_block = [], [-1] * len(events.rows), [-1] * len(blocks)
    number_of = {(contact.constraint, contact.row): number for number, contact in enumerate(contacts)}
    for number, contact in enumerate(contacts):
        slots = contact.constraint.row_slots(layout, contact.row)
        block = block_of_flag[slots.active.offset]
        of_event[numbers[contact.index]] = of_block[block] = number
        opposite, of_same = contact.constraint.opposite(contact.row), contact.constraint.contacts
        row = Struct(
            "Contact",
            event=numbers[contact.index],
            block=block,
            **{name: getattr(slots, name).offset for name in _SLOTS},
            opposite=-1 if opposite is None else number_of.get((contact.constraint, opposite), -1),
            first=number_of[contact.constraint, of_same[0].row],
            n=len(of_same),
        )
        rows.append(row)
    return Struct(
        "ContactTable",
        n=len(rows),
        contacts=StructArray("Contact", rows),
        n_events=len(of_event),
        contact_of_event=of_event,
        contact_of_block=of_block,
    )
