"""Random sensors that are read at times, with noise, and a force that one of them drives."""

from collections.abc import Callable

from tests.meetings.draft import Draft, NothingToDrawError, needs
from tests.meetings.mechanism import Element, Quantity, quantity

DrawElement = Callable[[Draft, str], Element]
CONTACTS = ("RigidContact", "HuntCrossleyForce", "CompliantContact")
FED_BACK = ("Imu", "FrameSensor", "RangeFinder", "Touch")  # what they show does not depend on which body is the parent


def _sampled(draft: Draft, kind: str, name: str, sensor: str, numbers: dict[str, Quantity], needed: tuple[str, ...]) -> Element:
    numbers |= {"period": quantity(draft.uniform(0.03, 0.2), "s")}
    text = f'{name} = mb.Sampled(system, {sensor}, {{period}}, bias=0.01, noise_density=0.02, seed={draft.rng.integers(9)}, name="{name}")'
    return Element(kind, name, text, numbers, needed, has_units=False)


def _on_body(kind: str) -> DrawElement:
    def draw(draft: Draft, name: str) -> Element:
        body = draft.movable()
        numbers = {"p": quantity(draft.normal(0.3, 3), "m")}
        return _sampled(draft, kind, name, f"mb.{kind}(system, body{body}, mb.Transform(p={{p}}))", numbers, needs(body))

    return draw


def _joint(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    numbers = {"count": quantity(draft.pick([0.0, 0.05]), unit)}
    sensor = f"mb.JointSensor(system, joint{body}, {coordinate}, resolution={{count}})"
    return _sampled(draft, "JointSensor", name, sensor, numbers, needs(body))


def _range(draft: Draft, name: str) -> Element:
    if draft.n_bodies < 2:
        raise NothingToDrawError
    one, other = draft.two()
    numbers = {"direction": quantity(draft.direction(), "1"), "radius": quantity(draft.uniform(0.3, 1.0), "m")}
    sensor = f"mb.RangeFinder(system, body{one}, ball_on(body{other}, {{radius}}), direction={{direction}}, range=3.0)"
    return _sampled(draft, "RangeFinder", name, sensor, numbers, needs(one, other))


def _touch(draft: Draft, name: str) -> Element:
    there = [each.name for each in draft.mechanism.elements if each.kind.startswith(CONTACTS)]
    if not there:
        raise NothingToDrawError
    contact = str(draft.pick(there))
    return _sampled(draft, "Touch", name, f"mb.Touch(system, {contact})", {}, (contact,))


def _drive(draft: Draft, name: str) -> Element:
    there = [each.name for each in draft.mechanism.elements if each.kind in FED_BACK]
    if not there:
        raise NothingToDrawError
    measure, body = str(draft.pick(there)), draft.movable()
    text = f'OwnFollower(forces, body=body{body}, measure={measure}, gain=0.3, name="{name}")'
    return Element("OwnFollower of a sensor", name, text, {}, (measure, *needs(body)), has_units=False)


# in the order in which they are drawn
SENSORS: dict[str, DrawElement] = {
    "Imu": _on_body("Imu"),
    "ForceTorque": _on_body("ForceTorque"),
    "FrameSensor": _on_body("FrameSensor"),
    "JointSensor": _joint,
    "RangeFinder": _range,
    "Touch": _touch,
    "OwnFollower of a sensor": _drive,
}
