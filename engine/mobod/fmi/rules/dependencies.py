"""The rules for dependencies and dependenciesKind in ModelStructure."""

from lxml import etree

from mobod.fmi.rules.description import DescribedVariable, Description, integers, place
from mobod.fmi.rules.rule import Rule, RuleFindings

EXISTS = Rule("dependency-reference", "Each dependency refers to a variable.", "2.2.8", "2.4.8")
KNOWN = Rule(
    "dependency-known",
    "Outputs and derivatives depend on inputs, continuous states and the independent variable, in FMI 3.0 also on parameters and discrete "
    "variables; initial unknowns on inputs, variables with initial exact and the independent variable.",
    "2.2.8",
    "2.4.8",
)
FROZEN = Rule(
    "dependency-frozen", "Dependencies on variables that change only at events or never are left out.", "2.2.8", "2.4.8", "warning"
)
ORDER = Rule("dependency-order", "The indices of dependencies are in ascending order.", "2.2.8", None, "warning")
TWICE = Rule("dependency-unique", "No dependency is listed twice.", "2.2.8", "2.4.8", "warning")
COUNT = Rule("dependencies-kind", "dependenciesKind has one entry for each dependency.", "2.2.8", "2.4.8")
FACTOR = Rule(
    "dependency-factor",
    "Only floating-point unknowns depend by a factor (constant, fixed, tunable, discrete).",
    "2.2.8",
    "2.4.8",
    "warning",
)
INITIAL_KIND = Rule("dependency-initial", "The dependencies of initial unknowns are dependent or constant.", "2.2.8", "2.4.8")

_LISTS = {
    "2": ("Outputs", "Derivatives", "InitialUnknowns"),
    "3": ("Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator"),
}
_WITHOUT_KNOWNS = ("ClockedState", "EventIndicator")  # the standard does not say on what they may depend


def check(description: Description, found: RuleFindings) -> None:
    """Check the dependencies of each list."""
    states = set(description.states)
    allowed = {
        initial: {each for each in description.variables if _is_known(description, each, states, initial)} for initial in (False, True)
    }
    for name in _LISTS[description.version]:
        initial = name.startswith("Initial")
        known = set(description.variables) if name in _WITHOUT_KNOWNS else allowed[initial]
        for element in description.listed(name):
            unknown = description.unknown(element)
            if unknown is not None:
                _check_list(description, unknown, element, known, initial, found)
                _check_kinds(unknown, element, initial, found)


def _is_known(description: Description, variable: DescribedVariable, states: set[DescribedVariable], initial: bool) -> bool:
    if variable.causality in ("input", "independent"):
        return True
    if initial:
        # a clock has no initial value, but clocked initial unknowns depend on it
        return variable.initial == "exact" or variable.type == "Clock"
    if variable in states:
        return True
    if description.version == "2":
        return False
    return variable.causality in ("parameter", "structuralParameter") or variable.variability == "discrete"


def _check_list(
    description: Description,
    unknown: DescribedVariable,
    element: "etree._Element",
    known: set[DescribedVariable],
    initial: bool,
    found: RuleFindings,
) -> None:
    numbers = integers(element.get("dependencies"))
    what = "index" if description.version == "2" else "value reference"
    for number in numbers:
        variable = description.referred(str(number))
        if variable is None:
            found.add(EXISTS, f"{unknown} depends on the {what} {number}, which no variable has. Correct it.", place(element))
        elif variable not in known:
            message = f"{unknown} depends on {variable}, which is no known there: it has causality {variable.causality}"
            message = f"{message}, variability {variable.variability} and initial {variable.initial}. Remove the dependency."
            found.add(KNOWN if initial or variable.variability == "continuous" else FROZEN, message, place(element))
    if len(set(numbers)) < len(numbers):
        found.add(TWICE, f"{unknown} lists a dependency twice. Remove one.", place(element))
    elif description.version == "2" and numbers != sorted(numbers):
        found.add(ORDER, f"the dependencies of {unknown} are not in ascending order. Order them.", place(element))


def _check_kinds(unknown: DescribedVariable, element: "etree._Element", initial: bool, found: RuleFindings) -> None:
    text = element.get("dependenciesKind")
    if text is None:
        return
    kinds = text.split()
    if element.get("dependencies") is None:
        found.add(COUNT, f"{unknown} has dependenciesKind without dependencies. Add them, or remove dependenciesKind.", place(element))
    elif len(kinds) != len((element.get("dependencies") or "").split()):
        message = f"{unknown} has {len(kinds)} entries of dependenciesKind, but another number of dependencies. Give one for each."
        found.add(COUNT, message, place(element))
    factors = [kind for kind in kinds if kind != "dependent"]
    if factors and not unknown.is_float:
        message = f"{unknown} of type {unknown.type} depends by the kind {factors[0]}. Write dependent."
        found.add(FACTOR, message, place(element))
    elif initial and any(kind in ("fixed", "tunable", "discrete") for kind in factors):
        kind = next(kind for kind in factors if kind != "constant")
        found.add(INITIAL_KIND, f"the initial unknown {unknown} depends by the kind {kind}. Write dependent.", place(element))
