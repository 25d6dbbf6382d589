"""Random forces of every kind."""

from collections.abc import Callable

import numpy as np

from tests.meetings.draft import Draft, NothingToDrawError, force_unit, needs
from tests.meetings.mechanism import Element, Quantity, frame, quantity

DrawElement = Callable[[Draft, str], Element]


def _of(number: float | np.ndarray, unit: str) -> Quantity:
    return quantity(number, unit)


def _gravity(draft: Draft, name: str) -> Element:
    numbers = {"down": _of(draft.direction(), "1"), "magnitude": _of(draft.uniform(2, 12), "m/s2")}
    return Element("Gravity", name, f'mb.Gravity(forces, matter, down={{down}}, magnitude={{magnitude}}, name="{name}")', numbers)


def _uniform_gravity(draft: Draft, name: str) -> Element:
    numbers = {"gravity": _of(draft.normal(4, 3), "m/s2")}
    return Element("UniformGravity", name, f'mb.UniformGravity(forces, matter, gravity={{gravity}}, name="{name}")', numbers)


def _global_damper(draft: Draft, name: str) -> Element:
    numbers = {"damping": _of(draft.uniform(0.1, 1), "1")}
    text = f'mb.GlobalDamper(forces, matter, damping={{damping}}, name="{name}")'
    return Element("GlobalDamper", name, text, numbers, has_units=False)


def _mobility(kind: str, units: Callable[[str], dict[str, tuple[float, float, str]]], index: str = "coordinate") -> DrawElement:
    """A force on one coordinate. units(unit of the coordinate): name -> bounds of a random number, and its unit"""

    def draw(draft: Draft, name: str) -> Element:
        body, coordinate, unit = draft.coordinate()
        numbers = {each: _of(draft.uniform(low, high), of) for each, (low, high, of) in units(unit).items()}
        more = "".join(f", {each}={{{each}}}" for each in numbers)
        text = f'{name} = mb.{kind}(forces, joint{body}, {index}={coordinate}{more}, name="{name}")'
        return Element(kind, name, text, numbers, needs(body))

    return draw


def _joint_friction(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    limit = draft.uniform(0.3, 2)
    f, speed = force_unit(unit), f"{unit}/s"
    numbers = {"limit": _of(limit, f), "static_limit": _of(limit + 0.7, f), "viscous": _of(draft.uniform(0.1, 1), f"{f}.s/{unit}")}
    numbers |= {"stribeck_speed": _of(0.5, speed), "transition_speed": _of(0.05, speed)}
    more = ", ".join(f"{each}={{{each}}}" for each in numbers)
    text = f'mb.JointFriction(forces, joint{body}, coordinate={coordinate}, {more}, name="{name}")'
    return Element("JointFriction", name, text, numbers, needs(body))


def _bristles(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    limit = draft.uniform(0.3, 2)
    f, speed = force_unit(unit), f"{unit}/s"
    numbers = {"limit": _of(limit, f), "static_limit": _of(limit + 0.7, f), "stribeck_speed": _of(0.5, speed)}
    numbers |= {"stiffness": _of(draft.uniform(50, 300), f"{f}/{unit}"), "damping": _of(draft.uniform(0.5, 5), f"{f}.s/{unit}")}
    more = ", ".join(f"{each}={{{each}}}" for each in numbers)
    text = f'mb.LuGreFriction(forces, joint{body}, coordinate={coordinate}, {more}, name="{name}")'
    return Element("LuGreFriction", name, text, numbers, needs(body))


def _table_spring(draft: Draft, name: str) -> Element:
    body, coordinate, _ = draft.coordinate()
    text = f"curve_{name} = functions.Spline.fit([-2, -1, 0, 1, 2], [-40, -12, 0, 15, 50], degree={draft.pick([1, 3])})\n"
    text += f'mb.MobilityTableSpring(forces, joint{body}, curve_{name}, coordinate={coordinate}, name="{name}")'
    return Element("MobilityTableSpring", name, text, {}, needs(body), has_units=False)


def _two_point(kind: str, **units: tuple[float, float, str]) -> DrawElement:
    def draw(draft: Draft, name: str) -> Element:
        one, other = draft.two()
        numbers = {"point1": _of(draft.normal(0.5, 3), "m"), "point2": _of(draft.normal(0.5, 3), "m")}
        of_it = {each: _of(draft.uniform(low, high), unit) for each, (low, high, unit) in units.items()}
        more = "".join(f", {each}={{{each}}}" for each in of_it)
        text = f'{name} = mb.{kind}(forces, body{one}, {{point1}}, body{other}, {{point2}}{more}, name="{name}")'
        return Element(kind, name, text, numbers | of_it, needs(one, other))

    return draw


def _constant_force(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"station": _of(draft.normal(0.5, 3), "m"), "force": _of(draft.normal(3, 3), "N")}
    return Element(
        "ConstantForce", name, f'mb.ConstantForce(forces, body{body}, {{station}}, {{force}}, name="{name}")', numbers, needs(body)
    )


def _constant_torque(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"torque": _of(draft.normal(1, 3), "N.m")}
    return Element("ConstantTorque", name, f'mb.ConstantTorque(forces, body{body}, {{torque}}, name="{name}")', numbers, needs(body))


def _body_damping(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"angular": _of(draft.uniform(0.1, 1), "N.m.s/rad"), "linear": _of(draft.uniform(0.1, 1), "N.s/m")}
    text = f'mb.BodyDamping(forces, body{body}, angular_damping={{angular}}, linear_damping={{linear}}, name="{name}")'
    return Element("BodyDamping", name, text, numbers, needs(body))


def _bushing(draft: Draft, name: str) -> Element:
    one, other = draft.two()
    stiffness = quantity(draft.uniform(5, 30, 6), ("N.m/rad",) * 3 + ("N/m",) * 3)
    damping = quantity(draft.uniform(0.1, 1, 6), ("N.m.s/rad",) * 3 + ("N.s/m",) * 3)
    # frames that agree at the start, so that the angles are far from their singularity
    X_GB1, X_GB2, X_GF = draft.X_GB(one), draft.X_GB(other), draft.frame()
    frames = {**frame("F", X_GB1.inverse() @ X_GF), **frame("M", X_GB2.inverse() @ X_GF)}
    at = [f"mb.Transform(from_quaternion({{{each}_R}}), {{{each}_p}})" for each in "FM"]
    text = (
        f"mb.LinearBushing(forces, body{one}, body{other},\n    X_B1F={at[0]},\n    X_B2M={at[1]},\n"
        f'    stiffness={{stiffness}}, damping={{damping}}, name="{name}")'
    )
    return Element("LinearBushing", name, text, {"stiffness": stiffness, "damping": damping, **frames}, needs(one, other))


def _port(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"p": _of(draft.normal(0.3, 3), "m"), "torque": _of(draft.normal(0.5, 3), "N.m"), "force": _of(draft.normal(1, 3), "N")}
    text = f'mb.Port(body{body}, mb.Transform(p={{p}}), torque={{torque}}, force={{force}}, forces=forces, name="{name}")'
    return Element("Port", name, text, numbers, needs(body))


def _discrete_forces(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"force": quantity(draft.normal(1, 6), ("N.m",) * 3 + ("N",) * 3)}
    text = f'{name} = mb.DiscreteForces(forces, matter, name="{name}")\n{name}.set_default_body_force(body{body}, {{force}})'
    return Element("DiscreteForces", name, text, numbers, needs(body))


def _drag(kind: str, *, is_recorded: bool) -> DrawElement:
    def draw(draft: Draft, name: str) -> Element:
        body = draft.movable()
        text = f'{kind}(forces, body=body{body}, factor={{factor}}, name="{name}")'
        return Element(kind, name, text, {"factor": _of(draft.uniform(0.1, 1), "kg/m")}, needs(body), is_recorded=is_recorded)

    return draw


def _servo(draft: Draft, name: str) -> Element:
    """With ranges that it reaches; half of the joints limit their drives too."""
    body, coordinate, unit = draft.coordinate()
    f = force_unit(unit)
    numbers = {"kp": _of(draft.uniform(5, 40), f"{f}/{unit}"), "kd": _of(draft.uniform(0.1, 2), f"{f}.s/{unit}")}
    numbers |= {
        "command": _of(draft.uniform(-0.5, 0.5), unit),
        "force_low": _of(draft.uniform(-3, -1), f),
        "force_high": _of(draft.uniform(1, 3), f),
    }
    more = ", ".join(f"{each}={{{each}}}" for each in numbers)
    text = f'mb.Servo(forces, joint{body}, {coordinate}, {more}, name="{name}")'
    if draft.rng.integers(2):
        numbers |= {"least": _of(draft.uniform(-1.5, -0.5), f), "most": _of(draft.uniform(0.5, 1.5), f)}
        text += f"\njoint{body}.set_drive_limit({{least}}, {{most}}, speed={coordinate})"
    return Element("Servo", name, text, numbers, needs(body))


def _site_servo(draft: Draft, name: str) -> Element:
    body = draft.movable()
    numbers = {"p": _of(draft.normal(0.3, 3), "m"), "wrench": quantity(draft.normal(0.5, 6), ("m",) * 3 + ("1",) * 3)}
    numbers |= {"kd": _of(draft.uniform(0.1, 2), "N.s/m"), "command": _of(draft.uniform(-2, 2), "m/s"), "force_high": _of(1.0, "N")}
    more = ", ".join(f"{each}={{{each}}}" for each in ("wrench", "kd", "command", "force_high"))
    text = f'mb.SiteServo(forces, body{body}, mb.Transform(p={{p}}), control="velocity", {more}, name="{name}")'
    return Element("SiteServo", name, text, numbers, needs(body))


def _tendon(draft: Draft, name: str) -> Element:
    (one, first, unit), (other, second, its) = draft.coordinate(), draft.coordinate()
    numbers = {"stiffness": _of(draft.uniform(50, 300), "N/m"), "damping": _of(draft.uniform(0.5, 5), "N.s/m"), "slack": _of(0.05, "m")}
    radii = {each: _of(draft.uniform(-0.4, 0.4), "m/rad" if of == "rad" else "1") for each, of in (("one", unit), ("other", its))}
    more = "stiffness={stiffness}, damping={damping}, rest_high={slack}"
    text = f'mb.FixedTendon(forces, [joint{one}, joint{other}], [{first}, {second}], [{{one}}, {{other}}], {more}, name="{name}")'
    return Element("FixedTendon", name, text, numbers | radii, needs(one, other))


def _gear_pair(draft: Draft, name: str) -> Element:
    """With backlash, or none, between coordinates that start in any place of it."""
    (one, first, unit), (other, second, its) = draft.coordinate(), draft.coordinate()
    if (one, first) == (other, second):
        raise NothingToDrawError
    f = force_unit(unit)
    numbers = {
        "ratio": _of(draft.uniform(-2, 2), "1" if unit == its else f"{unit}/{its}"),
        "backlash": _of(draft.pick([0.0, 0.02, 0.3]), unit),
        "stiffness": _of(draft.uniform(50, 300), f"{f}/{unit}"),
        "dissipation": _of(draft.uniform(0.1, 0.3), f"s/{unit}"),
    }
    more = ", ".join(f"{each}={{{each}}}" for each in numbers)
    text = f'mb.GearPair(forces, joint{one}, joint{other}, coordinate1={first}, coordinate2={second}, {more}, name="{name}")'
    return Element("GearPair", name, text, numbers, needs(one, other))


def _motor_dc(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    numbers = {
        "torque_constant": _of(0.3, "N.m/A"),
        "resistance": _of(draft.uniform(0.5, 2), "Ohm"),
        "voltage": _of(draft.uniform(-3, 3), "V"),
    }
    numbers |= {"gear_ratio": _of(draft.uniform(1, 4), "1" if unit == "rad" else "rad/m"), "transition_speed": _of(0.5, f"{unit}/s")}
    if draft.rng.integers(2):
        numbers |= {"inductance": _of(draft.uniform(0.05, 0.2), "H")}
    more = ", ".join(f"{each}={{{each}}}" for each in numbers)
    text = f'mb.MotorDC(forces, joint{body}, speed={coordinate}, {more}, efficiency=0.8, name="{name}")'
    return Element("MotorDC", name, text, numbers, needs(body))


def _rotor(draft: Draft, name: str) -> Element:
    """With and without an axis on the parent."""
    body, coordinate, unit = draft.coordinate()
    numbers = {"inertia": _of(draft.uniform(0.01, 0.1), "kg.m2"), "ratio": _of(draft.uniform(1, 5), "1" if unit == "rad" else "rad/m")}
    axis = ""
    if draft.rng.integers(2):
        numbers |= {"axis": _of(draft.direction(), "1")}
        axis = ", axis={axis}"
    text = f"joint{body}.set_rotor_inertia({{inertia}}, {{ratio}}, speed={coordinate}{axis})"
    return Element("rotor", name, text, numbers, needs(body))


def _per(unit: str) -> str:
    return f"{force_unit(unit)}/{unit}"


FORCES: dict[str, DrawElement] = {
    "UniformGravity": _uniform_gravity,
    "GlobalDamper": _global_damper,
    "MobilityLinearSpring": _mobility("MobilityLinearSpring", lambda q: {"stiffness": (5, 50, _per(q)), "q_zero": (-0.5, 0.5, q)}),
    "MobilityLinearDamper": _mobility("MobilityLinearDamper", lambda q: {"damping": (0.1, 2, f"{force_unit(q)}.s/{q}")}, index="speed"),
    "MobilityConstantForce": _mobility("MobilityConstantForce", lambda q: {"force": (-2, 2, force_unit(q))}, index="speed"),
    "MobilityForce": _mobility("MobilityForce", lambda q: {"force": (-2, 2, force_unit(q))}, index="speed"),
    "Servo": _servo,
    "SiteServo": _site_servo,
    "FixedTendon": _tendon,
    "GearPair": _gear_pair,
    "MotorDC": _motor_dc,
    "rotor": _rotor,
    "MobilityLinearStop": _mobility(
        "MobilityLinearStop",
        lambda q: {"stiffness": (50, 300, _per(q)), "dissipation": (0.1, 0.3, f"s/{q}"), "q_low": (-0.4, -0.1, q), "q_high": (0.1, 0.4, q)},
    ),
    "MobilityTableSpring": _table_spring,
    "JointFriction": _joint_friction,
    "LuGreFriction": _bristles,
    "TwoPointLinearSpring": _two_point("TwoPointLinearSpring", stiffness=(5, 50, "N/m"), rest_length=(0.1, 1, "m")),
    "TwoPointLinearDamper": _two_point("TwoPointLinearDamper", damping=(0.1, 2, "N.s/m")),
    "TwoPointConstantForce": _two_point("TwoPointConstantForce", force=(-3, 3, "N")),
    "ConstantForce": _constant_force,
    "ConstantTorque": _constant_torque,
    "BodyDamping": _body_damping,
    "LinearBushing": _bushing,
    "Port": _port,
    "DiscreteForces": _discrete_forces,
    "OwnDrag": _drag("OwnDrag", is_recorded=True),
    "OwnUnrecordedDrag": _drag("OwnUnrecordedDrag", is_recorded=False),
}
GRAVITY: DrawElement = _gravity
