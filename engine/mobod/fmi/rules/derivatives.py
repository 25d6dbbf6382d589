"""The rules for the attributes derivative and reinit."""

from mobod.fmi.rules.description import DescribedVariable, Description
from mobod.fmi.rules.rule import Rule, RuleFindings

DERIVATIVE = Rule("derivative", "The attribute derivative refers to another continuous floating-point variable.", "2.2.7", "2.4.7.5")
DERIVATIVE_SIZE = Rule("derivative-size", "A derivative has the dimensions of its variable.", None, "2.4.7.5")
REINIT = Rule("reinit", "Only continuous states have reinit, in FMI 2.0 only in FMUs for model exchange.", "2.2.7", "2.4.7.5")


def check(description: Description, found: RuleFindings) -> None:
    """Check the derivative and reinit of each variable."""
    states = set(description.states)
    for variable in description.variables:
        text = variable.typed.get("derivative")
        if text is not None:
            _check_derivative(description, variable, text, found)
        if variable.typed.get("reinit") is None:
            continue
        if variable not in states:
            message = f"{variable} has reinit, but is no continuous state. Remove reinit, or list its derivative in ModelStructure."
            found.add(REINIT, message, variable.place)
        elif description.version == "2" and description.interface("ModelExchange") is None:
            found.add(REINIT, f"{variable} has reinit in an FMU that is not for model exchange. Remove reinit.", variable.place)


def _check_derivative(description: Description, variable: DescribedVariable, text: str, found: RuleFindings) -> None:
    of = description.referred(text)
    kind = "index" if description.version == "2" else "value reference"
    if of is None:
        found.add(DERIVATIVE, f"{variable} is the derivative of the {kind} {text}, which no variable has. Correct it.", variable.place)
    elif of is variable:
        found.add(DERIVATIVE, f"{variable} is the derivative of itself. Refer to another variable.", variable.place)
    elif not of.is_float or of.variability != "continuous":
        message = f"{variable} is the derivative of {of}, which is of type {of.type} and {of.variability}."
        found.add(DERIVATIVE, f"{message} Refer to a continuous floating-point variable.", variable.place)
    elif variable.variability != "continuous":
        message = f"{variable} is the derivative of {of}, but is {variable.variability}. Make it continuous."
        found.add(DERIVATIVE, message, variable.place)
    elif _sizes(of) != _sizes(variable):
        found.add(DERIVATIVE_SIZE, f"{variable} is the derivative of {of}, but has other dimensions. Give both the same.", variable.place)


def _sizes(variable: DescribedVariable) -> list[tuple[str | None, str | None]]:
    return [(each.get("start"), each.get("valueReference")) for each in variable.element.iterfind("Dimension")]
