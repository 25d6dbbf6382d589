"""Messages of errors and warnings of events and contacts."""

from mobod.matter.unilateral.contact_events import Contact
from mobod.system import State
from mobod.system.events import Event

MANY_SHORT = 100  # so many consecutive occurrences at practically the same time mean that the event chatters


def chattering_event(event: Event, time: float, interval: float, *, is_zeno: bool) -> str:
    return (
        f"{event.title} chatters: at {time:.9g} s it occurred again, {interval:.3g} s after the last time; "
        + ("each interval is shorter than the one before. " if is_zeno else f"it has done so {MANY_SHORT} times at practically one time. ")
        + "Let its handler stop the repetition when the changes become small: by event.terminate_when(condition), by disabling the event, "
        "or by enabling a constraint that replaces it."
    )


def outside(contact: Contact, state: State) -> str:
    """Message that a contact is violated. state: realized to POSITION."""
    why = contact.constraint.why_outside(state, contact.row)
    return f"at {state.time:.9g} s {why}. Start from a state without distances below zero, and let event handlers set only such states."


def overlapping(contact: Contact, time: float, distance: float) -> str:
    """Message that shapes overlap at the start of fixed steps."""
    unit = contact.constraint.equations.position_units[contact.row]
    return (
        f"at {time:.9g} s contact '{contact.name}' overlaps: its distance is {distance:.9g} {unit}, and no start may be below zero by "
        "more than ten tolerances. Move the bodies apart, by coordinates or by frames of the shapes, or set a larger tolerance of "
        f"'{contact.constraint.name}' (tolerance = ...)."
    )


_FIXED_POINTS = (
    "Give a circle or a cylinder points that are fixed on it (points=4; of a robot UrdfContact(cylinder_points=4)), and take a circle with "
    "points in place of a torus"
)


def flat_in_steps(contact: Event, time: float, turn: float) -> str:
    """turn: rad, by which the nearest point goes around the rim."""
    return (
        f"at {time:.9g} s contact '{contact.name}' lies flat, or nearly: its nearest point goes around its rim by {turn:.3g} rad in a "
        f"step. {_FIXED_POINTS}, or use shorter steps."
    )


def flat_at_end(contact: Event) -> str:
    """Message of a run under error control that fails where a rim lies flat."""
    return f"Contact '{contact.name}' lies flat, where the nearest point of its rim is not determined. {_FIXED_POINTS}."


def ambiguous_impacts(names: list[str], time: float) -> str:
    listed = ", ".join(f"'{name}'" for name in names)
    return (
        f"at {time:.9g} s impacts of {listed} follow each other too fast to tell their order. The later motion depends on this order, "
        "and so it may depend on the accuracy. Compare with a run at another accuracy. The motion is unique with a restitution of 0 or "
        "with compliant limits (compliance)."
    )


def chattering_contact(contact: Contact, time: float) -> str:
    return (
        f"at {time:.9g} s contact '{contact.name}' chatters: it opens and closes again and again, and a larger capture speed does not stop "
        "it. Give it a restitution of 0 or a compliance."
    )


def friction_paradox(event: Event, time: float, coefficient: float) -> str:
    return (
        f"contact '{event.name}' cannot slide on at t = {time:.9g} s: with mu = {coefficient:.6g} its normal force would grow without "
        "bound (Painleve). Lower the friction, or use integrator='velocity_level' or a compliant contact."
    )


def jammed_joint(constraint: str, time: float) -> str:
    return (
        f"at {time:.9g} s the friction of '{constraint}' has no solution: it grows with the load that it causes, or redundant constraints "
        "leave the load open. Lower the friction of the load, or lengthen the guide."
    )


def unsolved_friction(event: Event, time: float, residual: float) -> str:
    return (
        f"at {time:.9g} s no forces or impulses were found that satisfy the laws of dry friction: the best ones leave a relative residual "
        f"of {residual:.1e}, the largest one at '{event.name}'. Lower the friction, describe stacks and grasps by fewer points, or use "
        "integrator='velocity_level'."
    )


def unsolved_friction_of_step(event: Event, time: float, residual: float) -> str:
    return (
        f"at {time:.9g} s no impulses of the step were found that satisfy the laws of dry friction: the best ones leave a relative "
        f"residual of {residual:.1e}, the largest one at '{event.name}'. Take other steps, lower the friction, or describe stacks and "
        "grasps by fewer points."
    )


def unsolved_contact(contact: Contact, time: float) -> str:
    return (
        f"at {time:.9g} s the impulses or forces of unilateral constraints cannot be computed: '{contact.name}' contradicts other "
        "constraints. Look for a motion or a lock that drives its distance below zero."
    )
