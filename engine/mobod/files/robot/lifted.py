"""Robots whose start overlaps a plane of Ground, which rigid contacts refuse: their free bases are lifted out of it."""

from mobod.contact import HalfSpace
from mobod.contact.rigid_contact import RigidContact
from mobod.files.findings import Findings
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.matter.mobilizers import Free
from mobod.system import Stage

CLEARANCE = 1e-6  # m above the plane
STEEPEST = 0.5  # cosine of a plane's angle to the horizontal


def lift_out_of_planes(system: MultibodySystem, findings: Findings) -> None:
    """Move the default coordinates of free bases up by as much as shapes on them overlap planes at the start, with a finding for each."""
    against = [
        (contact, base)
        for contact in system.matter.constraints
        if isinstance(contact, RigidContact) and isinstance(contact.shape1, HalfSpace) and isinstance(contact.body1, Ground)
        if (base := _free_base(contact.body2)) is not None
    ]
    if not against:
        return
    state, up = system.realize_topology(), system.up_direction
    system.realize(state, Stage.POSITION)
    lifts: dict[Free, float] = {}
    for contact, base in against:
        rise = float(contact.X_B1S1.R[:, 2] @ up)
        depth = -float(contact.distances(state).min())
        if depth > 0 and rise > STEEPEST:
            lifts[base] = max(lifts.get(base, 0.0), depth / rise + CLEARANCE)
    for base, lift in lifts.items():
        q = base.default_q.copy()
        q[4:] += lift * up
        base.set_default_q(q)
        findings.note(
            "start", f"joint '{base.name}' begins {lift:.3g} m higher, since shapes on it overlap a plane at the start.", joint=base.name
        )


def _free_base(body: MobilizedBody | Ground) -> Free | None:
    """The Free that carries a body on Ground."""
    while isinstance(body, MobilizedBody) and not isinstance(body.parent, Ground):
        body = body.parent
    return body if isinstance(body, Free) else None
