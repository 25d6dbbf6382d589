"""The rules for the lists of ModelStructure."""

from collections.abc import Iterable

from lxml import etree

from mobod.errors import first_of
from mobod.fmi.rules.description import FILE, DescribedVariable, Description, integer, place
from mobod.fmi.rules.rule import Rule, RuleFindings

UNKNOWN = Rule("structure-reference", "Each entry of ModelStructure refers to a variable.", "2.2.8", "2.4.8")
TWICE = Rule("structure-unique", "No variable is listed twice in a list of ModelStructure.", "2.2.8", "2.4.8")
OUTPUTS = Rule("structure-outputs", "ModelStructure lists exactly the variables with causality output.", "2.2.8", "2.4.8")
DERIVATIVES = Rule(
    "structure-derivatives",
    "The listed derivatives are continuous, and are derivatives of local variables or outputs, each of another one.",
    "2.2.8",
    "2.4.8",
)
INITIAL_UNKNOWNS = Rule(
    "structure-initial-unknowns",
    "The initial unknowns are exactly the calculated outputs, calculated parameters, and calculated states and their derivatives; "
    "in FMI 3.0 also clocked variables.",
    "2.2.8",
    "2.4.8",
)
ORDER = Rule("structure-order", "Initial unknowns are ordered by the index of their variables.", "2.2.8", None)
CLOCKED_STATES = Rule("structure-clocked-states", "A clocked state is discrete, clocked, no clock, and has previous.", None, "2.4.8")
CLOCKED_STATE_MISSING = Rule(
    "structure-clocked-state-missing", "Each variable with previous is listed as a clocked state.", None, "2.4.8", "warning"
)
EVENT_INDICATORS = Rule(
    "structure-event-indicators", "Event indicators are continuous floating-point variables, local or outputs.", None, "2.4.8"
)

_LISTS = {
    "2": ("Outputs", "Derivatives", "InitialUnknowns"),
    "3": ("Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator"),
}
_NAMED = 10  # variables in one message


def check(description: Description, found: RuleFindings) -> None:
    """Check each list of the model structure."""
    lists = {name: _variables(description, name, found) for name in _LISTS[description.version]}
    outputs, derivatives, *_ = lists.values()
    structure = description.root.find("ModelStructure")
    where = FILE if structure is None else place(structure)
    _check_outputs(description, outputs, where, found)
    _check_derivatives(description, derivatives, found)
    initial = lists["InitialUnknowns" if description.version == "2" else "InitialUnknown"]
    _check_initial_unknowns(description, initial, where, found)
    if description.version == "3":
        _check_clocked_states(description, lists["ClockedState"], found)
        _check_event_indicators(lists["EventIndicator"], found)


_Listed = list[tuple["etree._Element", DescribedVariable]]


def _variables(description: Description, name: str, found: RuleFindings) -> _Listed:
    """The entries of a list with their variables; those of no variable and second ones are left out."""
    listed: _Listed = []
    seen = set[DescribedVariable]()
    for element in description.listed(name):
        variable = description.unknown(element)
        if variable is None:
            kind = "index" if description.version == "2" else "valueReference"
            found.add(UNKNOWN, f"{name} has the {kind} {element.get(kind)}, which no variable has. Correct it.", place(element))
        elif variable in seen:
            found.add(TWICE, f"{variable} is listed twice in {name}. Remove one.", place(element))
        else:
            seen.add(variable)
            listed.append((element, variable))
    return listed


def _check_outputs(description: Description, listed: _Listed, where: str, found: RuleFindings) -> None:
    for element, variable in listed:
        if variable.causality != "output":
            message = f"{variable} is listed as an output, but has causality {variable.causality}. Remove it from the list."
            found.add(OUTPUTS, message, place(element))
    there = {variable for _, variable in listed}
    missing = [each for each in description.variables if each.causality == "output" and each not in there]
    if missing:
        name = "ModelStructure/Outputs" if description.version == "2" else "the outputs of ModelStructure"
        found.add(OUTPUTS, f"{name} does not list the output{_names(missing)}. Add {_it(missing)}.", where)


def _check_derivatives(description: Description, listed: _Listed, found: RuleFindings) -> None:
    states: dict[DescribedVariable, DescribedVariable] = {}
    for element, derivative in listed:
        state = description.derivative_of(derivative)
        if state is None:
            message = f"{derivative} is listed as a derivative, but has no valid attribute derivative. Add it."
            found.add(DERIVATIVES, message, place(element))
            continue
        if not derivative.is_float or derivative.variability != "continuous":
            message = f"{derivative} is listed as a derivative, but is of type {derivative.type} and {derivative.variability}."
            found.add(DERIVATIVES, f"{message} Make it a continuous floating-point variable.", place(element))
        if state.causality not in ("local", "output"):
            message = f"{state} is a continuous state, but has causality {state.causality}. Make it local or an output."
            found.add(DERIVATIVES, message, state.place)
        if state in states:
            found.add(
                DERIVATIVES, f"{states[state]} and {derivative} are both listed as the derivative of {state}. Remove one.", place(element)
            )
        states.setdefault(state, derivative)


def _check_initial_unknowns(description: Description, listed: _Listed, where: str, found: RuleFindings) -> None:
    state_variables = {*description.states, *description.derivatives}
    required = {
        each
        for each in description.variables
        if each.causality == "calculatedParameter"
        or (
            each.initial in ("approx", "calculated")
            and (each in state_variables or (each.causality == "output" and each.element.get("clocks") is None))
        )
    }
    for element, variable in listed:
        # section 2.4.8 does not say whether output clocks are initial unknowns
        optional = variable.element.get("clocks") is not None or (variable.type == "Clock" and variable.causality == "output")
        if variable not in required and not optional:
            message = f"{variable} is no initial unknown: it has causality {variable.causality} and initial {variable.initial}."
            found.add(INITIAL_UNKNOWNS, f"{message} Remove it from the initial unknowns.", place(element))
    there = {variable for _, variable in listed}
    missing = [each for each in description.variables if each in required and each not in there]
    if missing:
        kind = "InitialUnknowns" if description.version == "2" else "InitialUnknown"
        message = f"ModelStructure does not list the variable{_names(missing)} as {kind}. Add {_it(missing)}."
        found.add(INITIAL_UNKNOWNS, message, where)
    if description.version == "2":
        indices = [integer(element.get("index")) or 0 for element, _ in listed]
        for (element, variable), index, following in zip(listed[1:], indices, indices[1:], strict=False):
            if following < index:
                message = f"{variable} with the index {following} follows the index {index} in InitialUnknowns. Order the list by index."
                found.add(ORDER, message, place(element))


def _check_clocked_states(description: Description, listed: _Listed, found: RuleFindings) -> None:
    for element, variable in listed:
        if variable.type == "Clock" or variable.variability != "discrete" or not variable.clocks or not variable.element.get("previous"):
            message = f"{variable} is listed as a clocked state, but is of type {variable.type}, {variable.variability}"
            absent = [name for name in ("clocks", "previous") if not variable.element.get(name)]
            without = f", and without {' and '.join(absent)}" if absent else ""
            found.add(CLOCKED_STATES, f"{message}{without}. Correct it, or remove it from the list.", place(element))
    there = {variable for _, variable in listed}
    for variable in description.variables:
        if variable.element.get("previous") is not None and variable not in there:
            message = f"{variable} has the attribute previous, but is not listed as ClockedState. List it."
            found.add(CLOCKED_STATE_MISSING, message, variable.place)


def _check_event_indicators(listed: _Listed, found: RuleFindings) -> None:
    for element, variable in listed:
        if not variable.is_float or variable.variability != "continuous" or variable.causality not in ("local", "output"):
            message = f"{variable} is listed as an event indicator, but is of type {variable.type}, {variable.variability}"
            message = f"{message}, and has causality {variable.causality}. Remove it from the list."
            found.add(EVENT_INDICATORS, message, place(element))


def _names(variables: Iterable[DescribedVariable]) -> str:
    """ " 'a'" or "s 'a', 'b', ..."."""
    names = [str(each) for each in variables]
    return f"{'s' if len(names) > 1 else ''} {first_of(names, _NAMED)}"


def _it(variables: list[DescribedVariable]) -> str:
    return "it" if len(variables) == 1 else "them"
