"""C of the unilateral rows of a System: what unilateral_rows.h in fmu_src/native says."""

from mobod.compile.events_source import Events
from mobod.matter.contact_events import Contact
from mobod.system.layout import Layout


def contacts_c(events: Events, layout: Layout) -> str | None:
    """C that defines `contacts`, which follows `rows`; None if there are none."""
    numbers = {row.event.index: i for i, row in enumerate(events.rows)}
    found = [row.event for row in events.rows if isinstance(row.event, Contact)]
    if not found:
        return None
    constraints = list(dict.fromkeys(contact.constraint for contact in found))
    contacts = [contact for constraint in constraints for contact in constraint.contacts]
    blocks = constraints[0].matter.constraint_sweeps(layout).table.blocks
    block_of_flag = {block.enabled.offset: i for i, block in enumerate(blocks)}
    lines, of_event, of_block = [], [-1] * len(events.rows), [-1] * len(blocks)
    number_of = {(contact.constraint, contact.row): number for number, contact in enumerate(contacts)}
    for number, contact in enumerate(contacts):
        slots = contact.constraint.row_slots(layout, contact.row)
        block = block_of_flag[slots.active.offset]
        of_event[numbers[contact.index]] = of_block[block] = number
        offsets = (slots.enabled, slots.active, slots.distance, slots.rate, slots.restitution, slots.impulse, slots.engagement)
        opposite, of_same = contact.constraint.opposite(contact.row), contact.constraint.contacts
        of_constraint = (
            -1 if opposite is None else number_of.get((contact.constraint, opposite), -1),
            number_of[contact.constraint, of_same[0].row],
            len(of_same),
        )
        entries = (numbers[contact.index], block, *(slot.offset for slot in offsets), *of_constraint)
        lines.append(f"    {{{', '.join(map(str, entries))}}},")
    return "\n".join(
        [
            '#include "unilateral_rows.h"\n',
            "static const Contact contact_rows[] = {",
            *lines,
            "};",
            f"static const int contact_of_event[] = {{{', '.join(map(str, of_event))}}};",
            f"static const int contact_of_block[] = {{{', '.join(map(str, of_block))}}};",
            f"static const ContactTable contacts = {{{len(lines)}, contact_rows, {len(of_event)}, contact_of_event, contact_of_block}};\n",
        ]
    )
