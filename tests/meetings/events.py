"""Random known motions, events and measures, delays among them."""

from collections.abc import Callable

from tests.meetings.draft import Draft, NothingToDrawError, needs
from tests.meetings.mechanism import Element, quantity

DrawElement = Callable[[Draft, str], Element]
BREAKABLE = (
    "Rod",
    "BallConstraint",
    "PointInPlane",
    "PointOnLine",
    "CustomConstraint",
    "RigidContact",
    "UnilateralConstraint",
    "CoordinateCoupler",
)
BREAKABLE += ("CoordinateCoupler", "RigidJointFriction", "WeldConstraint", "ConstantAngle", "HuntCrossleyForce", "CompliantContact")


def _one_coordinate(draft: Draft) -> tuple[int, str]:
    """A body on a Pin or a Slider without known motion, and the unit of its coordinate."""
    moved = {each.needs[0] for each in draft.mechanism.elements if each.kind.endswith("Motion") or each.kind == "Lock"}
    ones = [each for each in draft.mechanism.bodies if each.kind in ("Pin", "Slider") and each.name not in moved]
    if not ones:
        raise NothingToDrawError
    body = draft.pick(ones)
    return body.number, "rad" if body.kind == "Pin" else "m"


def _sinusoid(draft: Draft, name: str) -> Element:
    body, unit = _one_coordinate(draft)
    level = draft.pick(["position", "velocity", "acceleration"])
    of = {"position": unit, "velocity": f"{unit}/s", "acceleration": f"{unit}/s2"}[level]
    numbers = {"amplitude": quantity(draft.uniform(0.2, 0.6), of), "rate": quantity(draft.uniform(1, 5), "rad/s")}
    numbers["phase"] = quantity(draft.normal(), "rad")
    text = f'mb.SinusoidMotion(joint{body}, amplitude={{amplitude}}, rate={{rate}}, phase={{phase}}, level="{level}")'
    return Element("SinusoidMotion", name, text, numbers, needs(body))


def _steady(draft: Draft, name: str) -> Element:
    body, unit = _one_coordinate(draft)
    return Element(
        "SteadyMotion", name, f"mb.SteadyMotion(joint{body}, {{rate}})", {"rate": quantity(draft.normal(), f"{unit}/s")}, needs(body)
    )


def _function(draft: Draft, name: str) -> Element:
    body, unit = _one_coordinate(draft)
    numbers = {"terms": quantity([draft.normal(0.3), draft.normal(0.3), draft.normal(0.3)], (f"{unit}/s2", f"{unit}/s", unit))}
    return Element("FunctionMotion", name, f"mb.FunctionMotion(joint{body}, [functions.Polynomial({{terms}})])", numbers, needs(body))


def _input_motion(draft: Draft, name: str) -> Element:
    body, unit = _one_coordinate(draft)
    numbers = {"rate": quantity([draft.normal()], f"{unit}/s2")}
    return Element("InputMotion", name, f'mb.InputMotion(joint{body}, u_dot={{rate}}, level="acceleration")', numbers, needs(body))


def _lock(draft: Draft, name: str) -> Element:
    body, _ = _one_coordinate(draft)
    level = draft.pick(["position", "velocity", "acceleration"])
    return Element("Lock", name, f"joint{body}.set_lockable_by_default(True)", {}, needs(body), f'joint{body}.lock(state, "{level}")')


def _kick(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    nu = len(draft.start_of(body)[1])
    numbers = {"interval": quantity(draft.uniform(0.05, 0.3), "s"), "kick": quantity(draft.normal(), f"{unit}/s")}
    unit_vector = [1.0 if i == coordinate else 0.0 for i in range(nu)]
    text = (
        f"mb.PeriodicEventHandler.of(system, {{interval}}, lambda state, event: joint{body}.set_u(state, joint{body}.u(state) + "
        f'{{kick}} * np.array({unit_vector})), name="{name}")'
    )
    return Element("PeriodicEventHandler", name, text, numbers, needs(body))


def _trigger(draft: Draft, name: str) -> Element:
    """It is triggered by a coordinate, and lowers a speed."""
    body, coordinate, unit = draft.coordinate()
    q, u = (each[coordinate] for each in draft.start_of(body))
    numbers = {"at": quantity(q + draft.uniform(0.02, 0.3) * (1 if u > 0 else -1), unit)}
    more = "; event.project()" if draft.rng.random() < 0.3 else ""
    text = (
        f"def slow_{name}(state, event):\n    joint{body}.set_u(state, 0.6 * joint{body}.u(state)){more}\n\n"
        f"mb.TriggeredEventHandler.of(system, lambda state: joint{body}.q(state)[{coordinate}] - {{at}}, slow_{name}, "
        f'direction="{draft.pick(["rising", "falling", "either"])}", name="{name}")'
    )
    return Element("TriggeredEventHandler", name, text, numbers, needs(body))


def _switch(draft: Draft, name: str) -> Element:
    """Changes the stiffness of a spring at a time."""
    springs = [each for each in draft.mechanism.elements if each.kind in ("MobilityLinearSpring", "TwoPointLinearSpring")]
    if not springs:
        raise NothingToDrawError
    spring = draft.pick(springs).name
    numbers = {"at": quantity(draft.uniform(0.1, 0.4), "s")}
    text = (
        f"mb.ScheduledEventHandler.of(system, lambda state, includes_now: mb.scalar.where(state.time < {{at}}, {{at}}, mb.NEVER),\n"
        f'    lambda state, event: {spring}.set_stiffness(state, 2.0 * {spring}.stiffness(state)), name="{name}")'
    )
    return Element("ScheduledEventHandler", name, text, numbers, (spring,))


def _break(draft: Draft, name: str) -> Element:
    """Disables a constraint or a contact at a time."""
    parts = [each for each in draft.mechanism.elements if each.text.startswith(f"{each.name} = mb.") and each.kind in BREAKABLE]
    if not parts:
        raise NothingToDrawError
    broken = draft.pick(parts).name
    numbers = {"at": quantity(draft.uniform(0.1, 0.4), "s")}
    text = (
        f"mb.ScheduledEventHandler.of(system, lambda state, includes_now: mb.scalar.where(state.time < {{at}}, {{at}}, mb.NEVER),\n"
        f'    lambda state, event: {broken}.disable(state), name="{name}")'
    )
    return Element("handler that disables", name, text, numbers, (broken,))


def _end(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    q, u = (each[coordinate] for each in draft.start_of(body))
    numbers = {"at": quantity(q + 0.3 * (1 if u > 0 else -1), unit)}
    text = (
        f"mb.TriggeredEventHandler.of(system, lambda state: joint{body}.q(state)[{coordinate}] - {{at}}, "
        f'lambda state, event: event.terminate(), name="{name}")'
    )
    return Element("event.terminate", name, text, numbers, needs(body))


def _count(draft: Draft, name: str) -> Element:
    body, coordinate, _ = draft.coordinate()
    text = (
        f"{name} = mb.TriggeredEventHandler.of(system, lambda state: joint{body}.u(state)[{coordinate}], "
        f'lambda state, event: {name}.set_variable(state, "count", {name}.variable(state, "count") + 1), '
        f'name="{name}", variables={{{{"count": 0}}}})'
    )
    return Element("handler with a variable", name, text, {}, needs(body))


def _place(draft: Draft, name: str) -> Element:
    body, coordinate, unit = draft.coordinate()
    text = (
        f"{name} = measures.Custom(system, lambda state: joint{body}.q(state)[{coordinate}], stage=mb.Stage.POSITION, "
        f'unit="{unit}", name="{name}")'
    )
    return Element("Custom measure", name, text, {}, needs(body))


def _operand(draft: Draft) -> str:
    there = [each.name for each in draft.mechanism.elements if each.kind == "Custom measure"]
    if not there:
        raise NothingToDrawError
    return str(draft.pick(there))


def _of_measure(kind: str) -> DrawElement:
    def draw(draft: Draft, name: str) -> Element:
        operand = _operand(draft)
        return Element(kind, name, f'{name} = measures.{kind}(system, {operand}, name="{name}")', {}, (operand,))

    return draw


def _integral(draft: Draft, name: str) -> Element:
    operand = _operand(draft)
    return Element(
        "Integrate", name, f'{name} = measures.Integrate(system, {operand}, unit="1", name="{name}")', {}, (operand,), has_units=False
    )


def _sample(draft: Draft, name: str) -> Element:
    operand = _operand(draft)
    numbers = {"interval": quantity(draft.uniform(0.03, 0.2), "s")}
    return Element(
        "SampleAndHold", name, f'{name} = measures.SampleAndHold(system, {operand}, {{interval}}, name="{name}")', numbers, (operand,)
    )


def _delay(draft: Draft, name: str) -> Element:
    operand = _operand(draft)
    numbers = {"delay": quantity(draft.uniform(0.02, 0.2), "s")}
    return Element("Delay", name, f'{name} = measures.Delay(system, {operand}, {{delay}}, name="{name}")', numbers, (operand,))


def _follower(draft: Draft, name: str) -> Element:
    """A force in proportion to a delayed, sampled or present measure."""
    there = [each.name for each in draft.mechanism.elements if each.kind in ("Delay", "SampleAndHold", "Custom measure")]
    if not there:
        raise NothingToDrawError
    measure, body = str(draft.pick(there)), draft.movable()
    text = f'OwnFollower(forces, body=body{body}, measure={measure}, gain={{gain}}, name="{name}")'
    return Element("OwnFollower", name, text, {"gain": quantity(draft.uniform(1, 5), "N")}, (measure, *needs(body)), has_units=False)


MOTIONS: dict[str, DrawElement] = {
    "SinusoidMotion": _sinusoid,
    "SteadyMotion": _steady,
    "FunctionMotion": _function,
    "InputMotion": _input_motion,
    "Lock": _lock,
}
EVENTS: dict[str, DrawElement] = {
    "PeriodicEventHandler": _kick,
    "TriggeredEventHandler": _trigger,
    "ScheduledEventHandler": _switch,
    "handler that disables": _break,
    "event.terminate": _end,
    "handler with a variable": _count,
}
# in the order in which they are drawn
MEASURES: dict[str, DrawElement] = {
    "Custom measure": _place,
    "Delay": _delay,
    "SampleAndHold": _sample,
    "Integrate": _integral,
    "Maximum": _of_measure("Maximum"),
    "MinAbs": _of_measure("MinAbs"),
    "OwnFollower": _follower,
}
