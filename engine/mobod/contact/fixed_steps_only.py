"""Contacts whose points the runtime decides once a step: they touch in fixed steps only, and have no derivatives."""

# Decision: docs/decisions/199-slots.md

from mobod.contact.contact_pool import ContactPool
from mobod.contact.features import has_exact_rows
from mobod.contact.rigid_contact import RigidContact
from mobod.errors import UnsupportedError
from mobod.matter import MultibodySystem
from mobod.system import System


def contacts_with_slots(system: System) -> list[RigidContact | ContactPool]:
    """The contacts of a System whose points of contact are slots."""
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        return []
    found = [each for each in system.matter.constraints if isinstance(each, (RigidContact, ContactPool))]
    return [each for each in found if isinstance(each, ContactPool) or each.slots is not None]


def check_error_control(system: System, what: str) -> None:
    """Raise UnsupportedError if the System has such contacts, for steps under error control."""
    for each in contacts_with_slots(system):
        raise UnsupportedError(
            f"{what}: contact '{each.name}': {_shapes(each)} touch in fixed steps only. Use integrator='velocity_level' with step=..., or "
            f"{_instead(each)}."
        )


def check_derivatives(system: System, what: str) -> None:
    """Raise UnsupportedError if the System has such contacts, for derivatives."""
    for each in contacts_with_slots(system):
        raise UnsupportedError(
            f"{what}: contact '{each.name}': the points at which {_shapes(each)} touch are decided once a step, and have no derivatives. "
            f"Leave the contact out, or use {_instead(each)}."
        )


def _instead(contact: RigidContact | ContactPool) -> str:
    if isinstance(contact, RigidContact) and has_exact_rows(contact.shape1, contact.shape2):
        return "in_fixed_steps=False for this contact"
    return "shapes that touch under error control (docs/concepts/contact_shapes.md)"


def _shapes(contact: RigidContact | ContactPool) -> str:
    if isinstance(contact, ContactPool):
        return "shapes that share slots"
    names = [type(each).__name__ for each in (contact.shape1, contact.shape2)]
    return " and ".join(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}" for name in names)
