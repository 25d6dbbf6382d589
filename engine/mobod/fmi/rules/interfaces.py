"""The rules for ModelExchange, CoSimulation and ScheduledExecution."""

import re

from lxml import etree

from mobod.fmi.rules.description import FILE, Description, place
from mobod.fmi.rules.rule import Rule, RuleFindings

INTERFACE = Rule("interface", "The FMU is for model exchange, co-simulation or scheduled execution.", "2.2.1", "2.4.1")
IDENTIFIER = Rule("model-identifier", "The modelIdentifier is an identifier of C.", "2.1.1", "2.4.2")
SERIALIZE = Rule("flag-serialize", "An FMU that serializes its state can also get and set it.", "4.3.1", "2.4.2")
SERIALIZE_MODEL = Rule("flag-serialize-me", "The same for model exchange.", "3.3.1", None)
EARLY_RETURN = Rule(
    "flag-early-return", "An FMU that returns early after an intermediate update provides intermediate updates.", None, "4.4"
)
EVENT_MODE = Rule("flag-event-mode", "An FMU for co-simulation with clocks has an Event Mode.", None, "4.4")
INTERMEDIATE = Rule(
    "flag-intermediate-update", "Variables have intermediateUpdate only if the FMU provides intermediate updates.", None, "4.4", "warning"
)
FIXED_STEP = Rule("flag-fixed-step", "fixedInternalStepSize is positive.", None, "4.4")

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def check(description: Description, found: RuleFindings) -> None:
    """Check each interface and its capability flags."""
    if not description.interfaces:
        names = "ModelExchange or CoSimulation" if description.version == "2" else "ModelExchange, CoSimulation or ScheduledExecution"
        found.add(INTERFACE, f"there is no interface. Add the element {names}.", FILE)
    for element in description.interfaces:
        identifier = element.get("modelIdentifier") or ""
        if not _IDENTIFIER.fullmatch(identifier):
            message = (
                f"the modelIdentifier {identifier!r} of {element.tag!s} is not an identifier of C. Use letters, digits and underscores."
            )
            found.add(IDENTIFIER, message, place(element))
        state = "FMUstate" if description.version == "2" else "FMUState"
        if _is_true(element, f"canSerialize{state}") and not _is_true(element, f"canGetAndSet{state}"):
            message = f"{element.tag!s} has canSerialize{state} without canGetAndSet{state}. Set both, or none."
            rule = SERIALIZE_MODEL if description.version == "2" and element.tag == "ModelExchange" else SERIALIZE
            found.add(rule, message, place(element))
    simulation = description.interface("CoSimulation")
    if description.version == "3" and simulation is not None:
        _check_co_simulation(description, simulation, found)


def _check_co_simulation(description: Description, element: "etree._Element", found: RuleFindings) -> None:
    updates = _is_true(element, "providesIntermediateUpdate")
    if _is_true(element, "canReturnEarlyAfterIntermediateUpdate") and not updates:
        message = "CoSimulation has canReturnEarlyAfterIntermediateUpdate without providesIntermediateUpdate. Set both, or none."
        found.add(EARLY_RETURN, message, place(element))
    if any(each.type == "Clock" for each in description.variables) and not _is_true(element, "hasEventMode"):
        found.add(EVENT_MODE, 'the FMU has clocks, but CoSimulation has no Event Mode. Set hasEventMode="true".', place(element))
    if not updates:
        for each in description.variables:
            if each.element.get("intermediateUpdate") in ("true", "1"):
                message = (
                    f"{each} has intermediateUpdate, but the FMU does not provide intermediate updates. Set providesIntermediateUpdate."
                )
                found.add(INTERMEDIATE, message, each.place)
    step = element.get("fixedInternalStepSize")
    try:
        positive = step is None or float(step) > 0
    except ValueError:
        return  # the schema's finding
    if not positive:
        found.add(FIXED_STEP, f"the fixedInternalStepSize is {step}. Give a positive number.", place(element))


def _is_true(element: "etree._Element", flag: str) -> bool:
    return element.get(flag) in ("true", "1")
