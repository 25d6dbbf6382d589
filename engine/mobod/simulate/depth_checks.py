"""Warnings of runs in which compliant contacts of convex shapes are deeper than their forces keep the energy."""

# Decision: docs/decisions/224-compliant-energy.md

import numpy as np

from mobod.contact.compliant_contact import CompliantContact
from mobod.forces import ForceSubsystem
from mobod.system import Layout, State, System

LARGEST_DEPTH = 0.045  # of the size of the smaller shape
_PART, _DEPTH = 6, 7  # of its hint: LARGEST_PART, LARGEST_DEPTH of pressed_pair.h


def pressed_contacts(system: System) -> list[CompliantContact]:
    """The compliant contacts of two convex shapes whose points the runtime finds."""
    subsystems = [each for each in system.subsystems if isinstance(each, ForceSubsystem)]
    elements = [each for subsystem in subsystems for each in subsystem.elements]
    return [each for each in elements if isinstance(each, CompliantContact) and each.hint is not None]


def largest_depths(system: System, state: State) -> np.ndarray:
    """(contacts, 2) the largest depths of the steps until now: relative to the size of the smaller shape, and in m."""
    hints = [each.hint for each in pressed_contacts(system) if each.hint is not None]
    return np.array([np.asarray(state.get(hint))[[_PART, _DEPTH]] for hint in hints]).reshape(-1, 2)


def offset_of_depth(contact: CompliantContact, layout: Layout) -> int:
    """The offset of both numbers in w."""
    assert contact.hint is not None
    return layout.slots[contact.hint].offset + _PART


def messages_of_depths(system: System, before: np.ndarray, now: np.ndarray) -> list[str]:
    """Of contacts that have become deeper than they may since a start; see largest_depths."""
    return [
        message_of_depth(contact.name, part, depth)
        for contact, (was, _), (part, depth) in zip(pressed_contacts(system), before, now, strict=True)
        if part > max(was, LARGEST_DEPTH)
    ]


def deep_contacts(system: System, state: State) -> list[str]:
    """Of contacts that have been deeper than they may in a State."""
    now = largest_depths(system, state)
    return messages_of_depths(system, np.zeros_like(now), now)


def message_of_depth(name: str, part: float, depth: float) -> str:
    """part: of the size of the smaller shape; depth: m"""
    return (
        f"compliant contact '{name}' has been {depth:.3g} m deep, {part:.2g} of the size of its smaller shape. Deeper than "
        f"{LARGEST_DEPTH:g} of it the energy is not kept where other features of the shapes begin to press: take a stiffer material."
    )
