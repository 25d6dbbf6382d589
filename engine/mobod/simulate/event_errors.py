"""What goes wrong with events, in words."""

from collections.abc import Iterator
from contextlib import contextmanager

from mobod.errors import ElementError, EventError, MobodError, StageError
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


@contextmanager
def told_of(what: str, time: float) -> Iterator[None]:
    """Errors of a user's function within, with whose it is and the time."""
    try:
        yield
    except StageError as error:
        raise StageError(f"at {time:.9g} s {what} failed: {error}") from error
    except MobodError as error:
        raise EventError(f"at {time:.9g} s {what} failed: {error}") from error
    except Exception as error:  # whatever a user's function raises
        raise ElementError(f"at {time:.9g} s {what} failed: {type(error).__name__}: {error}") from error


def outside(contact: Contact, state: State) -> str:
    """state: realized to POSITION"""
    why = contact.constraint.why_outside(state, contact.row)
    return f"at {state.time:.9g} s {why}. Start, or go on from an event, where no distance is below zero."


def endless_contact(contact: Contact, time: float) -> str:
    return f"at {time:.9g} s '{contact.name}' is met and let go without end, however large the speed that counts as rest."


def unsolved_contact(contact: Contact, time: float) -> str:
    return (
        f"at {time:.9g} s unilateral constraints have no impulses or forces: '{contact.name}' cannot be met with the others. Look for a "
        "motion or a lock that drives it below zero."
    )
