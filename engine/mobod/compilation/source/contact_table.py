"""The tables of unilateral rows and of dry friction for the C runtime: unilateral_rows.h and friction.h in fmu_src/native."""

from collections.abc import Sequence

from mobod.compilation.source.events_source import Events
from mobod.contact.contact_pool import ContactPool
from mobod.contact.rigid_contact import RigidContact
from mobod.matter.constraint_rows.row_slots import RowBlock
from mobod.matter.unilateral.contact_events import Contact
from mobod.matter.unilateral.friction import FrictionEvent, RowFriction
from mobod.runtime.tables import Struct, StructArray, same_named
from mobod.system.state.layout import Layout

_SLOTS = ("enabled", "active", "distance", "rate", "restitution", "impulse", "engagement", "lean", "presences")


def contact_tables(events: Events, layout: Layout) -> dict[str, Struct | None]:
    """The `ContactTable` and the `FrictionTable`; None if there are no unilateral rows, or no friction."""
    contacts = [row.event for row in events.rows if isinstance(row.event, Contact)]
    frictions = [row.event for row in events.rows if isinstance(row.event, FrictionEvent)]
    if not contacts and not frictions:
        return {"contacts": None, "frictions": None}
    matter = contacts[0].constraint.matter if contacts else frictions[0].friction.constraint.matter
    blocks = matter.constraint_sweeps(layout).table.blocks
    contacts = [contact for constraint in dict.fromkeys(each.constraint for each in contacts) for contact in constraint.contacts]
    of_friction = _friction_table(events, frictions, contacts, blocks, layout) if frictions else None
    pairs = _slot_pairs(contacts, [event.friction.constraint for event in frictions], layout)
    return {"contacts": _contact_table(events, contacts, pairs, blocks, layout), "frictions": of_friction}


def _slot_pairs(contacts: Sequence[Contact], with_friction: Sequence[object], layout: Layout) -> list[Struct]:
    """The `SlotPair`s and `SlotPool`s. with_friction: the constraint of each row of the table of friction"""
    pairs = []
    for constraint in dict.fromkeys(each.constraint for each in contacts):
        if isinstance(constraint, RigidContact):
            found = constraint.slot_table(layout)
        else:
            found = constraint.pool_table(layout) if isinstance(constraint, ContactPool) else None
        if found is not None:
            rows = [i for i, each in enumerate(contacts) if each.constraint is constraint]
            slips = [i for i, each in enumerate(with_friction) if each is constraint]
            found.fields.update(first=rows[0], n=len(rows), first_friction=slips[0], n_frictions=len(slips))
            pairs.append(found)
    return pairs


def _contact_table(
    events: Events, contacts: Sequence[Contact], pairs: Sequence[Struct], blocks: Sequence[RowBlock], layout: Layout
) -> Struct:
    numbers = {row.event.index: i for i, row in enumerate(events.rows)}
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
            **same_named(slots, *_SLOTS),
            opposite=-1 if opposite is None else number_of.get((contact.constraint, opposite), -1),
            first=number_of[contact.constraint, of_same[0].row],
            n=len(of_same),
            unit=contact.constraint.equations.position_units[contact.row],
        )
        rows.append(row)
    of_pairs, pools = ([each for each in pairs if each.kind == kind] for kind in ("SlotPair", "SlotPool"))
    return Struct(
        "ContactTable",
        n=len(rows),
        contacts=StructArray("Contact", rows),
        n_events=len(of_event),
        contact_of_event=of_event,
        contact_of_block=of_block,
        n_pairs=len(of_pairs),
        pairs=StructArray("SlotPair", of_pairs),
        n_pools=len(pools),
        pools=StructArray("SlotPool", pools),
    )


def _load(friction: RowFriction, layout: Layout) -> dict[str, int]:
    """The offsets of the load of a joint, and of its friction per load; -1: there is none."""
    if friction.load is None:
        return {"load": -1, "load_kinetic": -1, "load_static": -1}
    slots = friction.load.slots(layout)
    return {"load": slots.used.offset, "load_kinetic": slots.kinetic.offset, "load_static": slots.static.offset}


def _friction_table(
    events: Events, frictions: Sequence[FrictionEvent], contacts: Sequence[Contact], blocks: Sequence[RowBlock], layout: Layout
) -> Struct:
    numbers = {row.event.index: i for i, row in enumerate(events.rows)}
    number_of: dict[tuple[object, int], int] = {(contact.constraint, contact.row): number for number, contact in enumerate(contacts)}
    block_of_row = {block.first: i for i, block in enumerate(blocks)}
    rows, of_event, of_contact = [], [-1] * len(events.rows), [-1] * len(contacts)
    for number, event in enumerate(frictions):
        friction = event.friction
        own, slots = friction.rows[event.number], friction.slots(layout, event.number)
        first = friction.constraint.matter.constraint_sweeps(layout).lines(friction.constraint).start
        contact = -1 if own.normal is None else number_of[friction.constraint, own.normal]
        of_event[numbers[event.index]] = number
        if contact >= 0 and own.moment is None:
            of_contact[contact] = number
        row = Struct(
            "Friction",
            event=numbers[event.index],
            contact=contact,
            is_moment=int(own.moment is not None),
            n=len(own.tangents),
            block=block_of_row[first + own.tangents[0]],
            **same_named(slots, "enabled", "mode", "rates", "direction", "rest", "kinetic", "viscous", "impulse"),
            static_limit=slots.static.offset,
            **_load(friction, layout),
        )
        rows.append(row)
    return Struct(
        "FrictionTable",
        n=len(rows),
        frictions=StructArray("Friction", rows),
        n_events=len(of_event),
        friction_of_event=of_event,
        n_contacts=len(of_contact),
        friction_of_contact=of_contact,
    )
