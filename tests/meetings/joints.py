"""Random bodies with joints of every kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tests.meetings.draft import Draft
from tests.meetings.mechanism import RIGID, Body, Quantity, quantity


@dataclass(frozen=True)
class Joint:
    """How a joint is written: `text(parent, mass, options, ...)`; options that begin with '=' come before the frames."""

    text: str
    options: str = ""
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    has_units: bool = True
    weight: float = 1.0


_FUNCTIONS = """functions=[functions.Linear([1.0, 0.1]), functions.Sinusoid(0.4, 1.1, 0.2), functions.Polynomial([0.2, -0.3, 0.1]),
        functions.Linear({slope}), functions.Linear([-0.2, 0.1]), functions.Sinusoid(0.1, 2.0, 0.5)], coordinate_indices=[[0]] * 6"""

# kind -> the joint; CouplingJoint and CustomMobilizer have other arguments, and stand below
JOINTS: dict[str, Joint] = {
    "Pin": Joint("mb.Pin", weight=4),
    "Slider": Joint("mb.Slider", weight=3),
    "Free": Joint("mb.Free", weight=3),
    "Ball": Joint("mb.Ball", weight=2),
    "Planar": Joint("mb.Planar", weight=2),
    "Translation": Joint("mb.Translation", weight=2),
    "Universal": Joint("mb.Universal"),
    "Cylinder": Joint("mb.Cylinder"),
    "Gimbal": Joint("mb.Gimbal"),
    "Bushing": Joint("mb.Bushing"),
    "BendStretch": Joint("mb.BendStretch"),
    "SphericalCoords": Joint("mb.SphericalCoords", "azimuth_offset=0.4, zenith_offset=-0.7, zenith_negated=True"),
    "Ellipsoid": Joint("mb.Ellipsoid", "radii={radii}", {"radii": quantity([0.4, 0.7, 1.1], "m")}),
    "Screw": Joint("mb.Screw", "pitch={pitch}", {"pitch": quantity(0.3, "m/rad")}),
    "FreeLine": Joint("mb.FreeLine"),
    "LineOrientation": Joint("mb.LineOrientation"),
    "Weld": Joint("mb.Weld"),
    "FunctionBased": Joint("mb.FunctionBased", _FUNCTIONS, {"slope": quantity([0.4, 0.2], "m")}, has_units=False),
    "CustomMobilizer": Joint(
        "mb.CustomMobilizer", "=OwnHelix({pitch}, {radius})", {"pitch": quantity(0.2, "m/rad"), "radius": quantity(0.3, "m")}
    ),
    "CouplingJoint": Joint("mb.CouplingJoint"),
}
COUPLINGS = (
    "mb.HingeCoupling()",
    "mb.SlottedHingeCoupling()",
    "mb.UniversalCoupling()",
    "mb.CylindricalCoupling()",
    "mb.PlanarCoupling()",
    "mb.GimbalCoupling()",
    "mb.SliderCoupling()",
)


def draw_body(
    draft: Draft,
    kind: str | None = None,
    parent: int | None = None,
    *,
    interface: str = "",
    content: str = RIGID,
    of_content: Mapping[str, Quantity] | None = None,
) -> None:
    """Adds a body on a random joint, with random coordinates and speeds.

    interface            of the parent, if it is flexible
    content, of_content  text and numbers of a body that is not rigid
    """
    rng = draft.rng
    if kind is None:
        weights = np.array([each.weight for each in JOINTS.values()])
        kind = str(rng.choice(list(JOINTS), p=weights / weights.sum()))
    number = draft.n_bodies + 1
    if parent is None:
        parent = int(rng.integers(number))
    joint = JOINTS[kind]
    mass = draft.mass()
    properties = quantity(round(mass.mass, 3), "kg"), quantity(np.round(mass.com, 4), "m"), quantity(np.round(mass.inertia, 4), "kg.m2")
    text, options = joint.text, joint.options
    if kind == "CouplingJoint":
        text = f"coupling_joint({draft.pick(COUPLINGS)})"
    body = Body(
        number, kind, text, parent, *properties, draft.frame(), draft.frame(), quantity([], "1"), quantity([], "1"), options,
        {**joint.numbers, **(of_content or {})}, bool(rng.integers(2)) and kind != "CouplingJoint", joint.has_units, content,
        interface=interface,
    )  # fmt: skip
    draft.add(body)
    system, state = draft.built
    made = draft.body(number)
    nq = len(made.q(state))  # that of quaternions or of Euler angles
    q, u = draft.start(made.equations_in(state)) if nq else (np.zeros(0), np.zeros(0))
    if made.equations_in(state).quaternion_at is not None:
        q[:4] /= np.linalg.norm(q[:4])
    units = {each.name: each for each in system.variables(state) if each.role == "state"}
    unit_of = [tuple(units[f"joint{number}.{what}"].unit(i) for i in range(n)) if n else "1" for what, n in (("q", nq), ("u", made.nu))]
    draft.replace_last_body(replace(body, q=quantity(q, unit_of[0]), u=quantity(u, unit_of[1])))
