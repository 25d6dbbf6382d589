"""Touch: how hard contacts press on a body."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.contact.contact_force import ContactForce
from mobod.contact.contact_pool import ContactPool
from mobod.contact.rigid_contact import RigidContact
from mobod.contact.shapes import ContactShape
from mobod.errors import InputError, UnknownNameError
from mobod.forces import ForceSubsystem
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.scalar import Array, Scalar, Slot, StaticTable, lookup, minimum, where
from mobod.sensors.sensor import FrameOnBody, Sensor, SensorPart
from mobod.sensors.zones import inside
from mobod.spatial import Transform
from mobod.system import Layout, Stage, State, System
from mobod.system.elements import Given, Parameter, argument, parameter

AnyContact = RigidContact | ContactForce | ContactPool


@final
class Touch(Sensor):
    """The sum of the normal forces of contacts, such as those of a foot or of a finger tip.

    contacts  contacts, or their names: RigidContact, ContactPool, CompliantContact and the other contact forces; one, or a list of them,
              such as `contacts.rigid()` of a ContactSet gives. Those that are not of `body` do not count; of a ContactPool the slots that
              hold a point of the body do
    body      the body that is touched; default: all contacts count
    zone      a Sphere, Box, Capsule, Cylinder or Ellipsoid of mb.contact, fixed on the body: only points of contact in it count, as in the
              site of MuJoCo's touch sensor. The force jumps where a point enters or leaves it, and no step ends there
    frame     Transform  X_BS, the pose of the zone on the body; default: the body's own frame
    cutoff    N, the greatest force that it shows; 0: no bound

    The force is 0 without a contact and never negative. Impulses of impacts are no part of it under error control; fixed steps at velocity
    level have the mean force of each step, impacts included.

    Variable: '<name>.force', N.
    """

    contacts: Given[Sequence[str], str | AnyContact | Sequence[str | AnyContact]] = argument(
        "contacts, or their names; one or a list", kw_only=False
    )
    body: MobilizedBody | Ground | None = argument("the body that is touched; default: all contacts count", default=None, kw_only=False)
    zone: ContactShape | None = argument("shape on the body in which points of contact count; default: all count", default=None)
    frame: Transform | None = argument("frame of the zone on the body; default: the body's own", default=None)
    cutoff: Parameter[float] = parameter("N", "greatest force that it shows", default=0.0, least=0.0)
    set_cutoff, default_cutoff, set_default_cutoff = cutoff.accessors

    parts = (SensorPart("force", 1, "N", "normal force"),)

    def __post_init__(self) -> None:
        given: object = self.contacts
        listed = [given] if isinstance(given, (str, RigidContact, ContactPool, ContactForce)) else given
        if not isinstance(listed, Sequence) or not listed:
            raise InputError(f"Touch: contacts are contacts or their names, in a list of at least one, not {given!r}.")
        if not isinstance(self.system, MultibodySystem):
            raise InputError("Touch: it is a part of a MultibodySystem.")
        self.contacts = tuple(_name_of(each, self.system) for each in listed)
        if (self.zone is not None or self.frame is not None) and self.body is None:
            raise InputError("Touch: a zone is fixed on a body. Give body=... too.")
        if self.zone is not None:
            inside(self.zone, np.zeros(3))
        self.site = None if self.body is None else FrameOnBody(self.system, self.body, self.frame, "Touch")
        self._complete(Stage.ACCELERATION)

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        if self.site is not None:
            self.site.allocate(state, self, "frame")

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        slots = [slot for contact in self._counted() for slot in self._pressed(contact, layout)]
        sweep, cutoff = self.subsystem.sweep(layout, self.stage), self._parameter_slots(layout)
        if self.site is None or self.zone is None:
            sweep.add(pressed, [*cutoff, *slots[::2]], [self.slot(layout)[0]])
        else:
            sweep.add(pressed_in_zone, [*cutoff, *self.site.pose(layout), *slots], [self.slot(layout)[0]], structure=(self.zone,))

    # inside
    def _pressed(self, contact: AnyContact, layout: Layout) -> tuple[Slot, Slot]:
        """Its normal forces on the body, 0 of those on others, and their points."""
        forces, points = contact.pressed_slots(layout)
        if self.body is None or not isinstance(contact, ContactPool):
            return forces, points
        pairs, of_body = contact.slots_of_body(self.body, layout)
        own = layout.reserve(forces.shape)
        self.subsystem.sweep(layout, self.stage).add(of_these_pairs, [pairs, forces], [own], structure=(of_body,))
        return own, points

    def _counted(self) -> list[AnyContact]:
        """The contacts of the body. Raises InputError if there is none."""
        known = contacts_of(self.system)
        for name in self.contacts:
            UnknownNameError.check("contact", name, known)
        found = [known[name] for name in self.contacts if self.body is None or any(each is self.body for each in known[name].bodies)]
        if not found and self.body is not None:
            raise InputError(f"Touch '{self.name}': none of its contacts, {', '.join(self.contacts)}, is one of body '{self.body.name}'.")
        return found


def contacts_of(system: System) -> dict[str, AnyContact]:
    """The contacts of a System by name."""
    constraints = system.matter.constraints if isinstance(system, MultibodySystem) else ()
    subsystems = [each for each in system.subsystems if isinstance(each, ForceSubsystem)]
    elements = [*constraints, *(element for subsystem in subsystems for element in subsystem.elements)]
    return {each.name: each for each in elements if isinstance(each, (RigidContact, ContactForce, ContactPool))}


def _name_of(contact: object, system: System) -> str:
    if isinstance(contact, str):
        return contact
    if not isinstance(contact, (RigidContact, ContactForce, ContactPool)):
        raise InputError(
            f"Touch: {contact!r} is no contact. It takes RigidContact, ContactPool, CompliantContact and other contact forces."
        )
    if contacts_of(system).get(contact.name) is not contact:
        raise InputError(f"Touch: contact '{contact.name}' does not belong to System '{system.name}'.")
    return contact.name


def shown(cutoff: Scalar, force: Scalar) -> Scalar:
    return where(cutoff > 0, minimum(force, cutoff), force)


def of_these_pairs(counts: StaticTable, pairs: Array, forces: Array) -> Array:
    """(n,) N: the forces at slots that hold a pair which counts."""
    return np.array([lookup(counts, pair) * force for pair, force in zip(pairs, forces, strict=True)])


def pressed(cutoff: Scalar, *forces: Array) -> Scalar:
    return shown(cutoff, sum(np.sum(each) for each in forces))


def pressed_in_zone(
    zone: ContactShape, cutoff: Scalar, R_BS: Array, p_BS: Array, R_GB: Array, p_GB: Array, *forces_and_points: Array
) -> Scalar:
    """Of the points that lie in the zone, whose frame S is on the body."""
    R_GS, p_GS, total = R_GB @ R_BS, p_GB + R_GB @ p_BS, 0.0
    for forces, points in zip(forces_and_points[::2], forces_and_points[1::2], strict=True):
        for force, point in zip(forces, points, strict=True):
            total = total + where(inside(zone, R_GS.T @ (point - p_GS)) >= 0, force, 0.0)
    return shown(cutoff, total)
