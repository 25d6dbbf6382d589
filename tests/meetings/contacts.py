"""Random limits, contacts with friction and dry friction of joints: all that makes impacts, or is stiff for a short time."""

from collections.abc import Callable

import numpy as np

from mobod import contact
from tests.meetings.draft import Draft, NothingToDrawError, force_unit, needs
from tests.meetings.mechanism import Element, Quantity, frame, quantity

DrawElement = Callable[[Draft, str], Element]
FRAME = "mb.Transform(from_quaternion({%s_R}), {%s_p})"
GAPS = (0.0, 0.02, 0.2)  # m, between a shape and the plane below it at the start


def _limits(draft: Draft, name: str) -> Element:
    """Around the start value, or beginning there."""
    body, coordinate, unit = draft.coordinate()
    if any(each.kind == "Limits" and body in _bodies(each) for each in draft.mechanism.elements):
        raise NothingToDrawError
    q = draft.start_of(body)[0][coordinate]
    numbers = {"lower": quantity(q - draft.pick([0.0, 0.05, 0.5]), unit), "upper": quantity(q + draft.uniform(0.02, 0.5), unit)}
    if draft.rng.random() < 0.25:
        numbers["compliance"] = quantity(draft.uniform(1e-3, 1e-2), "m/N" if unit == "m" else "rad/(N.m)")
        how = "compliance={compliance}"
    else:
        how = f"restitution={draft.pick([0.0, 0.3, 0.7])}"
    text = f"joint{body}.set_limits({{lower}}, {{upper}}, {how}, coordinate={coordinate})"
    return Element("Limits", name, text, numbers, needs(body))


def _tendon_limits(draft: Draft, name: str) -> Element:
    """The range of a tendon around its length at the start, or beginning there."""
    (one, first, unit), (other, second, its) = draft.coordinate(), draft.coordinate()
    radii = [draft.uniform(0.1, 0.4), draft.uniform(-0.4, -0.1)]
    length = sum(r * draft.start_of(body)[0][at] for r, (body, at) in zip(radii, ((one, first), (other, second)), strict=True))
    numbers = {"lower": quantity(length - draft.pick([0.0, 0.02, 0.2]), "m"), "upper": quantity(length + draft.uniform(0.01, 0.2), "m")}
    numbers |= {each: quantity(r, "m/rad" if of == "rad" else "1") for each, r, of in zip(("one", "two"), radii, (unit, its), strict=True)}
    if draft.rng.random() < 0.25:
        numbers["compliance"] = quantity(draft.uniform(1e-3, 1e-2), "m/N")
        how = "compliance={compliance}"
    else:
        how = f"restitution={draft.pick([0.0, 0.3, 0.7])}"
    text = f'{name} = mb.FixedTendon(forces, [joint{one}, joint{other}], [{first}, {second}], [{{one}}, {{two}}], name="{name}")'
    text += f"\n{name}.set_limits({{lower}}, {{upper}}, {how})"
    return Element("FixedTendon with limits", name, text, numbers, needs(one, other))


def _bodies(element: Element) -> list[int]:
    return [int(each.removeprefix("body")) for each in element.needs if each.startswith("body")]


# text of a shape with its numbers in braces, its numbers, and its extent in a direction of its frame
def sphere(draft: Draft) -> tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]:
    r = draft.uniform(0.1, 0.4)
    return "contact.Sphere({radius})", {"radius": quantity(r, "m")}, lambda n: r


def box(draft: Draft) -> tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]:
    half = draft.uniform(0.1, 0.4, 3)
    return "contact.Box({half})", {"half": quantity(half, "m")}, lambda n: float(np.abs(n) @ half)


def capsule(draft: Draft) -> tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]:
    r, h = draft.uniform(0.1, 0.3), draft.uniform(0.1, 0.4)
    numbers = {"radius": quantity(r, "m"), "half": quantity(h, "m")}
    return "contact.Capsule({radius}, {half})", numbers, lambda n: r + h  # at most: whatever its axis


def cylinder(draft: Draft) -> tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]:
    r, h = draft.uniform(0.1, 0.4), draft.uniform(0.1, 0.3)
    numbers = {"radius": quantity(r, "m"), "half": quantity(h, "m")}
    return "contact.Cylinder({radius}, {half})", numbers, lambda n: float(np.hypot(r, h))


def ellipsoid(draft: Draft) -> tuple[str, dict[str, Quantity], Callable[[np.ndarray], float]]:
    radii = draft.uniform(0.15, 0.4, 3)
    return "contact.Ellipsoid({radii})", {"radii": quantity(radii, "m")}, lambda n: float(np.linalg.norm(radii * n))


SHAPES = (sphere, sphere, box, capsule, cylinder, ellipsoid)


def direction_of_gravity(draft: Draft) -> np.ndarray:
    """Where gravity points, or any direction."""
    for each in draft.mechanism.elements:
        if each.kind == "Gravity":
            down = np.array(each.numbers["down"].numbers)
            return down / np.linalg.norm(down)
    down = draft.direction()
    return down / np.linalg.norm(down)


def over_plane(draft: Draft, shapes: tuple[Callable[[Draft], tuple], ...] = SHAPES, *, depth: float = 0.0):
    """A shape of a body above a plane of Ground: the body, text of the shape, and numbers with the frames S of it and P of the plane."""
    body = draft.movable()
    shape, numbers, extent = draft.pick(shapes)(draft)
    S, down = draft.frame(0.2), direction_of_gravity(draft)
    X_GS = draft.X_GB(body) @ S
    point = X_GS.p + down * (extent(X_GS.R.T @ down) + draft.pick(GAPS) - depth)
    plane = contact.HalfSpace.frame(-down, point)
    return body, shape, {**numbers, **frame("S", S), **frame("P", plane)}


def _rigid_contact(draft: Draft, name: str) -> Element:
    body, shape, numbers = over_plane(draft)
    mu = draft.pick([0.0, 0.2, 0.7])
    friction = f"static_friction={mu + 0.2:.1f}, dynamic_friction={mu}" if mu else ""
    restitution = draft.pick([0.0, 0.0, 0.3, 0.6])
    moments = "torsional_friction={torsional}, rolling_friction={rolling}" if mu == 0.7 else ""
    if moments:
        numbers |= {"torsional": quantity(0.02, "m"), "rolling": quantity(0.01, "m")}
    more = ", ".join(filter(None, [friction, moments, f"restitution={restitution}" if restitution else "", f'name="{name}"']))
    text = (
        f"mb.RigidContact(body0, contact.HalfSpace(), body{body}, {shape},\n    X_B1S1={FRAME % ('P', 'P')},\n"
        f"    X_B2S2={FRAME % ('S', 'S')}, {more})"
    )
    return Element("RigidContact", name, text, numbers, needs(body))


def _two_spheres(draft: Draft, name: str) -> Element:
    """Spheres of two bodies that do not touch at the start."""
    one, other = draft.two()
    if not (one and other):
        raise NothingToDrawError
    S, T = draft.normal(0.2, 3), draft.normal(0.2, 3)
    distance = float(np.linalg.norm(draft.X_GB(one).apply(S) - draft.X_GB(other).apply(T)))
    if distance < 0.2:
        raise NothingToDrawError
    r = round(0.45 * distance, 3)
    text = (
        f"mb.RigidContact(body{one}, contact.Sphere({{radius}}), body{other}, contact.Sphere({{radius}}), X_B1S1=mb.Transform(p={{S}}), "
        f'X_B2S2=mb.Transform(p={{T}}), static_friction=0.5, dynamic_friction=0.4, restitution=0.3, name="{name}")'
    )
    return Element(
        "RigidContact", name, text, {"radius": quantity(r, "m"), "S": quantity(S, "m"), "T": quantity(T, "m")}, needs(one, other)
    )


def _compliant(kind: str, more: str, stiffness: str, shapes: tuple[Callable[[Draft], tuple], ...]) -> DrawElement:
    def draw(draft: Draft, name: str) -> Element:
        body, shape, numbers = over_plane(draft, shapes, depth=0.01)
        numbers |= {"stiffness": quantity(draft.uniform(5e3, 2e4), stiffness), "dissipation": quantity(draft.uniform(0.1, 0.5), "s/m")}
        numbers |= {"viscous": quantity(0.1, "s/m"), "transition": quantity(0.05, "m/s")}
        extra = more
        if "{bristle" in more:
            numbers |= {"bristle": quantity(500.0, "1/m"), "damp": quantity(5.0, "s/m"), "slow": quantity(0.05, "m/s")}
        text = (
            f"{name}_material = mb.ContactMaterial({{stiffness}}, {{dissipation}}, 0.7, 0.5, {{viscous}})\n"
            f"mb.{kind}(forces, body0, contact.HalfSpace(), body{body}, {shape}, material1={name}_material,\n    "
            f"X_B1S1={FRAME % ('P', 'P')},\n"
            f'    X_B2S2={FRAME % ("S", "S")}, transition_speed={{transition}}{extra}, name="{name}")'
        )
        return Element(kind, name, text, numbers, needs(body))

    return draw


def _foundation(draft: Draft, name: str) -> Element:
    body, _, numbers = over_plane(draft, (sphere,), depth=0.01)
    r = numbers.pop("radius").numbers
    corners = r * np.array([[1, 0, -0.7], [-1, 0, -0.7], [0, 1, 0.7], [0, -1, 0.7]]) / np.sqrt(1.49)
    numbers |= {"corners": quantity(corners, "m"), "stiffness": quantity(2e4, "N/m3"), "dissipation": quantity(0.2, "s/m")}
    numbers |= {"transition": quantity(0.05, "m/s")}
    text = (
        f"{name}_mesh = contact.TriangleMesh({{corners}}, [[0, 3, 1], [0, 1, 2], [0, 2, 3], [1, 3, 2]])\n"
        f"mb.ElasticFoundationForce(forces, body0, contact.HalfSpace(), body{body}, {name}_mesh, "
        "material=mb.ContactMaterial({stiffness}, {dissipation}, 0.7, 0.5),\n"
        f'    X_B1S1={FRAME % ("P", "P")},\n    X_B2S2={FRAME % ("S", "S")}, transition_speed={{transition}}, name="{name}")'
    )
    return Element("ElasticFoundationForce", name, text, numbers, needs(body))


def _smooth_sphere(draft: Draft, name: str) -> Element:
    body, _, numbers = over_plane(draft, (sphere,), depth=0.01)
    center = numbers["S_p"]
    numbers = {"radius": numbers["radius"], "P_R": numbers["P_R"], "P_p": numbers["P_p"], "center": center}
    text = (
        f"mb.SmoothSphereHalfSpaceForce(forces, body0, body{body}, radius={{radius}}, center={{center}}, X_B1S1={FRAME % ('P', 'P')},\n"
        "    stiffness=1e4, dissipation=0.3, dynamic_friction=0.4, static_friction=0.6, viscous_friction=0.1, transition_speed=0.05, "
        f'name="{name}")'
    )
    return Element("SmoothSphereHalfSpaceForce", name, text, numbers, needs(body), has_units=False)


def _own_wall(draft: Draft, name: str) -> Element:
    body = draft.movable()
    height = float(draft.X_GB(body).p[1]) - draft.pick([0.0, 0.1])
    text = f'mb.UnilateralConstraint(OwnWall({{height}}), [body0, body{body}], restitution={draft.pick([0.0, 0.5])}, name="{name}")'
    return Element("UnilateralConstraint", name, text, {"height": quantity(height, "m")}, needs(body))


def _rigid_joint_friction(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    limit = draft.uniform(0.3, 2)
    f = force_unit(unit)
    numbers = {"limit": quantity(limit, f), "static_limit": quantity(limit + draft.pick([0.0, 0.5]), f)}
    text = f'mb.RigidJointFriction(joint{body}, limit={{limit}}, static_limit={{static_limit}}, coordinate={coordinate}, name="{name}")'
    return Element("RigidJointFriction", name, text, numbers, needs(body))


def _loaded_friction(draft: Draft, name: str) -> Element:
    """Dry friction in proportion to the reaction of the joint."""
    ones = [each for each in draft.mechanism.bodies if each.kind in ("Pin", "Slider")]
    if not ones:
        raise NothingToDrawError
    body = draft.pick(ones)
    numbers = {"size": quantity(draft.uniform(0.01, 0.05), "m")}
    load = "mb.BearingLoad(friction=0.2, radius={size})" if body.kind == "Pin" else "mb.GuideLoad(friction=0.2, half_length={size})"
    text = f'mb.RigidJointFriction(joint{body.number}, load={load}, name="{name}")'
    return Element("RigidJointFriction with load", name, text, numbers, needs(body.number))


CONTACTS: dict[str, DrawElement] = {
    "Limits": _limits,
    "FixedTendon with limits": _tendon_limits,
    "RigidContact": _rigid_contact,
    "RigidContact of spheres": _two_spheres,
    "HuntCrossleyForce": _compliant("HuntCrossleyForce", "", "Pa", (sphere, ellipsoid)),
    "CompliantContact": _compliant("CompliantContact", "", "Pa", (sphere, ellipsoid)),
    "CompliantContact, linear": _compliant(
        "CompliantContact", ', normal="linear", friction="stribeck", stribeck_speed={transition}', "N/m", (box, capsule)
    ),
    "CompliantContact, bristles": _compliant(
        "CompliantContact",
        ', friction="lugre", bristle_stiffness={bristle}, bristle_damping={damp}, stribeck_speed={slow}',
        "Pa",
        (sphere,),
    ),
    "ElasticFoundationForce": _foundation,
    "SmoothSphereHalfSpaceForce": _smooth_sphere,
    "UnilateralConstraint": _own_wall,
    "RigidJointFriction": _rigid_joint_friction,
    "RigidJointFriction with load": _loaded_friction,
}
