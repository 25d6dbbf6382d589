"""The rules for causality, variability, initial, and whether a start value is present."""

from mobod.fmi.rules.description import DescribedVariable, Description
from mobod.fmi.rules.initial import INITIALS
from mobod.fmi.rules.rule import Rule, RuleFindings

COMBINATION = Rule("causality-variability", "Causality and variability are an allowed combination.", "2.2.7", "2.4.7.4")
CONTINUOUS = Rule("continuous-type", "Only variables of a floating-point type are continuous.", "2.2.7", "2.4.7.4")
INITIAL = Rule("initial", "The attribute initial is allowed for this causality and variability.", "2.2.7", "2.4.7.5")
START_MISSING = Rule(
    "start-missing", "Inputs, parameters, constants and variables with initial exact or approx have a start value.", "2.2.7", "2.4.7.5"
)
START_FORBIDDEN = Rule("start-forbidden", "Calculated variables and the independent variable have no start value.", "2.2.7", "2.4.7.5")
INDEPENDENT = Rule(
    "independent", "There is one independent variable (FMI 2.0: at most one), and it is of a floating-point type.", "2.2.7", "2.4.7.4"
)
MULTIPLE_SET = Rule(
    "multiple-set",
    "canHandleMultipleSetPerTimeInstant is an attribute of inputs, in FMI 2.0 only of FMUs for model exchange.",
    "2.2.7",
    "2.4.7.4",
)
INTERMEDIATE = Rule("intermediate-update", "Only continuous variables have intermediateUpdate.", None, "2.4.7.4")


def check(description: Description, found: RuleFindings) -> None:
    """Check each variable, and the number of independent variables."""
    for variable in description.variables:
        _check_tables(description, variable, found)
        _check_start(variable, found)
        _check_flags(description, variable, found)
    independent = [each for each in description.variables if each.causality == "independent"]
    for each in independent[1:]:
        found.add(INDEPENDENT, f"{each} is independent, and so is {independent[0]}. Keep one of them.", each.place)
    for each in independent:
        if not each.is_float:
            found.add(INDEPENDENT, f"{each} is independent and of type {each.type}. Give it a floating-point type.", each.place)
    if description.version == "3" and not independent:
        message = 'no variable is independent. Add a variable of type Float64 with causality="independent", for the time.'
        found.add(INDEPENDENT, message, "modelDescription.xml")


def _check_tables(description: Description, variable: DescribedVariable, found: RuleFindings) -> None:
    if variable.variability == "continuous" and not variable.is_float:
        message = f"{variable} of type {variable.type} is continuous. Give it another variability, such as discrete."
        if description.version == "2" and variable.element.get("variability") is None:
            message = f'{variable} of type {variable.type} has no variability, whose default is continuous. Add variability="discrete".'
        found.add(CONTINUOUS, message, variable.place)
    allowed = INITIALS[description.version].get((variable.causality, variable.variability))
    if allowed is None:
        message = f"{variable} has causality {variable.causality} and variability {variable.variability}, which exclude each other."
        found.add(COMBINATION, f"{message} Change one of them.", variable.place)
    elif variable.initial is not None and variable.initial not in allowed:
        choice = f"Use {' or '.join(allowed)}" if allowed else "Remove it"
        message = f'{variable} has initial="{variable.initial}" with causality {variable.causality} and variability {variable.variability}.'
        found.add(INITIAL, f"{message} {choice}.", variable.place)


def _check_start(variable: DescribedVariable, found: RuleFindings) -> None:
    if variable.type == "Clock":
        return
    has_start = variable.starts is not None
    if variable.causality == "independent" or variable.initial == "calculated":
        if has_start:
            reason = "is independent" if variable.causality == "independent" else "is calculated"
            found.add(START_FORBIDDEN, f"{variable} {reason} and has a start value. Remove it, or change initial.", variable.place)
    elif not has_start and (
        variable.initial in ("exact", "approx")
        or variable.causality in ("input", "parameter", "structuralParameter")
        or variable.variability == "constant"
    ):
        reason = f"has initial {variable.initial}" if variable.causality in ("output", "local") else f"has causality {variable.causality}"
        found.add(START_MISSING, f"{variable} {reason}, but no start value. Add start.", variable.place)


def _check_flags(description: Description, variable: DescribedVariable, found: RuleFindings) -> None:
    if variable.element.get("canHandleMultipleSetPerTimeInstant") is not None:
        if variable.causality != "input":
            message = f"{variable} is no input, but has canHandleMultipleSetPerTimeInstant. Remove it."
            found.add(MULTIPLE_SET, message, variable.place)
        elif description.version == "2" and description.interface("ModelExchange") is None:
            message = f"{variable} has canHandleMultipleSetPerTimeInstant in an FMU that is not for model exchange. Remove it."
            found.add(MULTIPLE_SET, message, variable.place)
    if description.version == "3" and variable.element.get("intermediateUpdate") in ("true", "1") and variable.variability != "continuous":
        message = f"{variable} has intermediateUpdate, but is {variable.variability}. Remove intermediateUpdate."
        found.add(INTERMEDIATE, message, variable.place)
