"""The rules for clocks and clocked variables of FMI 3.0."""

import math

from mobod.fmi.rules.description import DescribedVariable, Description, integer, integers
from mobod.fmi.rules.rule import Rule, RuleFindings

CLOCK = Rule("clock", "A clock is a discrete scalar that is an input, an output or local.", None, "2.4.7.4")
CLOCK_KIND = Rule("clock-kind", "Output clocks and local clocks are triggered.", None, "2.2.8.2")
CLOCK_INTERVAL = Rule("clock-interval", "A clock has the attributes of its interval variability, and no others.", None, "2.4.4")
CLOCK_PRIORITY = Rule(
    "clock-priority", "In scheduled execution, input clocks have a priority; output clocks never have one.", None, "2.4.4"
)
CLOCKS = Rule("clocks", "The attribute clocks of a discrete or tunable variable lists clocks.", None, "2.4.7.4")
PREVIOUS = Rule(
    "previous", "The attribute previous of a discrete clocked variable refers to another discrete one of its type.", None, "2.4.7.4"
)

_PERIODIC = ("constant", "fixed", "tunable")


def check(description: Description, found: RuleFindings) -> None:
    """Check clocks, and the attributes clocks and previous."""
    scheduled = description.interface("ScheduledExecution") is not None
    previous: dict[int, DescribedVariable] = {}
    for variable in description.variables:
        if variable.type == "Clock":
            _check_clock(variable, found)
            _check_interval(variable, found)
            _check_priority(variable, scheduled, found)
        _check_clocks(description, variable, found)
        if variable.element.get("previous") is not None:
            _check_previous(description, variable, previous, found)


def _check_clock(clock: DescribedVariable, found: RuleFindings) -> None:
    if clock.causality not in ("input", "output", "local"):
        found.add(CLOCK, f"the clock {clock} has causality {clock.causality}. Make it an input, an output or local.", clock.place)
    if clock.variability != "discrete":
        found.add(CLOCK, f"the clock {clock} is {clock.variability}. Make it discrete.", clock.place)
    for name in ("intermediateUpdate", "previous"):
        if clock.element.get(name) is not None:
            found.add(CLOCK, f"the clock {clock} has the attribute {name}. Remove it.", clock.place)
    if clock.element.find("Dimension") is not None:
        found.add(CLOCK, f"the clock {clock} has dimensions. Make it a scalar.", clock.place)
    kind = clock.get("intervalVariability")
    if clock.causality in ("output", "local") and kind != "triggered":
        message = f"the {clock.causality} clock {clock} has the interval variability {kind}. Make it triggered, or an input."
        found.add(CLOCK_KIND, message, clock.place)


def _check_interval(clock: DescribedVariable, found: RuleFindings) -> None:
    kind = clock.get("intervalVariability")
    interval, counter = _number(clock.get("intervalDecimal")), integer(clock.get("intervalCounter"))
    shift, shift_counter = _number(clock.get("shiftDecimal")), integer(clock.get("shiftCounter"))

    def add(problem: str, advice: str) -> None:
        found.add(CLOCK_INTERVAL, f"the clock {clock} ({kind}) {problem}. {advice}.", clock.place)

    # section 2.2.8.2 lets fixed and tunable clocks leave intervalDecimal out
    if kind == "constant" and interval is None:
        add("has no intervalDecimal", "Give the interval")
    if kind not in _PERIODIC:
        for name in ("intervalDecimal", "intervalCounter", "resolution"):
            if clock.get(name) is not None:
                add(f"is not periodic, but has {name}", "Remove it")
    if interval is not None and not interval > 0:
        add(f"has the intervalDecimal {interval:g}", "Give a positive number")
    if counter == 0:
        add("has the intervalCounter 0", "Give a positive number")
    if counter is not None and clock.get("supportsFraction") not in ("true", "1"):
        add("has intervalCounter, but not supportsFraction", 'Add supportsFraction="true"')
    if counter is not None and clock.get("resolution") is None:
        add("has intervalCounter, but no resolution", "Give the resolution")
    if shift is not None and interval is None:
        add("has shiftDecimal, but no intervalDecimal", "Give the interval")
    if shift is not None and not shift >= 0:
        add(f"has the shiftDecimal {shift:g}", "Give a number that is not negative")
    if shift_counter is not None and counter is None:
        add("has shiftCounter, but no intervalCounter", "Give intervalCounter")


def _check_priority(clock: DescribedVariable, scheduled: bool, found: RuleFindings) -> None:
    priority = clock.get("priority")
    if scheduled and clock.causality == "input" and priority is None:
        found.add(CLOCK_PRIORITY, f"the input clock {clock} has no priority, which scheduled execution needs. Add it.", clock.place)
    if clock.causality == "output" and priority is not None:
        found.add(CLOCK_PRIORITY, f"the output clock {clock} has a priority. Remove it.", clock.place)


def _check_clocks(description: Description, variable: DescribedVariable, found: RuleFindings) -> None:
    text = variable.element.get("clocks")
    if text is None:
        return
    if not text.split():
        found.add(CLOCKS, f"the attribute clocks of {variable} is empty. List clocks, or remove it.", variable.place)
    if variable.variability not in ("discrete", "tunable"):
        message = f"{variable} has the attribute clocks, but is {variable.variability}. Make it discrete or tunable."
        found.add(CLOCKS, message, variable.place)
    for reference in integers(text):
        clock = description.by_reference.get(reference)
        if clock is None or clock.type != "Clock":
            what = "no variable" if clock is None else f"{clock}, which is no clock,"
            found.add(CLOCKS, f"{variable} refers to the clock {reference}, but {what} has this value reference.", variable.place)
        elif clock is variable:
            found.add(CLOCKS, f"the clock {variable} is clocked by itself. Remove its value reference from clocks.", variable.place)
        elif clock.causality == "local" and variable.causality != "local":
            message = f"{variable} has causality {variable.causality}, but its clock {clock} is local. Make the variable local."
            found.add(CLOCKS, message, variable.place)


def _check_previous(description: Description, variable: DescribedVariable, seen: dict[int, DescribedVariable], found: RuleFindings) -> None:
    text = variable.element.get("previous")
    reference = integer(text)
    other = description.referred(text)
    problem = None
    if variable.element.get("clocks") is None:
        problem = "is not clocked. Add clocks"
    elif variable.variability != "discrete":
        problem = f"is {variable.variability}. Make it discrete"
    elif other is None:
        problem = f"refers to the value reference {text}, which no variable has. Correct it"
    elif other is variable:
        problem = "refers to itself. Refer to another variable"
    elif other.type != variable.type:
        problem = f"refers to {other} of type {other.type}. Refer to a variable of type {variable.type}"
    elif other.variability != "discrete" or other.causality == "input":
        problem = f"refers to {other}, which is {other.variability} and has causality {other.causality}. Refer to a discrete variable"
    elif reference in seen:
        problem = f"refers to the same variable as {seen[reference]}. Give each clocked state its own"
    if problem:
        found.add(PREVIOUS, f"{variable} has the attribute previous, but {problem}.", variable.place)
    if reference is not None:
        seen.setdefault(reference, variable)


def _number(text: str | None) -> float | None:
    try:
        number = None if text is None else float(text)
    except ValueError:
        return None  # the schema's finding
    return number if number is None or math.isfinite(number) else None
