"""What goes wrong with events, in words."""

from mobod.matter.contact_events import Contact
from mobod.system import State
from mobod.system.events import Event

ENDLESS = 100  # times in sequence at practically one time: there will be no end of it


def endless(event: Event, time: float, interval: float, *, is_zeno: bool) -> str:
    return (
        f"{event.told} has happened again {interval:.3g} s after the last time, at {time:.9g} s, and there is no end of it: "
        + ("each time it is sooner. " if is_zeno else f"{ENDLESS} times already. ")
        + "Have its handler end what it does when the changes become small: by event.terminate_when(condition), by disabling the event, or "
        "by enabling a constraint that takes its place."
    )


def outside(contact: Contact, state: State) -> str:
    """state: realized to POSITION"""
    why = contact.constraint.why_outside(state, contact.row)
    return f"at {state.time:.9g} s {why}. Start, or go on from an event, where no distance is below zero."


def ambiguous_impacts(names: list[str], time: float) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return (
        f"at {time:.9g} s impacts of {listed} follow each other too fast to tell their order, which decides on the motion from there on: "
        "it may depend on the accuracy. Compare with a run at another accuracy. A restitution of 0, or limits that give way (compliance), "
        "have one result."
    )


def endless_contact(contact: Contact, time: float) -> str:
    return f"at {time:.9g} s '{contact.name}' is met and let go without end, however large the speed that counts as rest."


def unsolved_contact(contact: Contact, time: float) -> str:
    return (
        f"at {time:.9g} s unilateral constraints have no impulses or forces: '{contact.name}' cannot be met with the others. Look for a "
        "motion or a lock that drives it below zero."
    )
