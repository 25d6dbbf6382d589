"""The rules for value references and aliases."""

from collections import defaultdict

from mobod.fmi.rules.description import DescribedVariable, Description
from mobod.fmi.rules.rule import Rule, RuleFindings

REFERENCE_UNIQUE = Rule("value-reference-unique", "Each variable has a value reference of its own.", None, "2.4.7.4")
ALIAS_SETTABLE = Rule("alias-settable", "At most one variable of an alias set can be set.", "2.2.7", None)
ALIAS_START = Rule("alias-start", "At most one variable of an alias set that is not constant has a start value.", "2.2.7", None)
ALIAS_CONSTANT = Rule("alias-constant", "An alias of a constant is a constant with the same value.", "2.2.7", None)
ALIAS_UNIT = Rule("alias-unit", "Aliases have the same unit.", "2.2.7", None)
ALIAS_VARIABILITY = Rule("alias-variability", "Aliases have the same variability.", "2.2.7", None, "warning")

_ENUMERATIONS = {"Enumeration": "Integer"}


def check(description: Description, found: RuleFindings) -> None:
    """Check variables that share a value reference."""
    sharing = defaultdict[tuple[str, int], list[DescribedVariable]](list)
    for variable in description.variables:
        if variable.reference is not None:
            # in FMI 2.0, references are those of a base type
            base = _ENUMERATIONS.get(variable.type, variable.type) if description.version == "2" else ""
            sharing[base, variable.reference].append(variable)
    for (_, reference), variables in sharing.items():
        if len(variables) == 1:
            continue
        if description.version == "3":
            for each in variables[1:]:
                message = f"{each} has the value reference {reference}, and so has {variables[0]}. Use <Alias> for aliases."
                found.add(REFERENCE_UNIQUE, message, each.place)
        else:
            _check_aliases(variables, found)


def _check_aliases(variables: list[DescribedVariable], found: RuleFindings) -> None:
    constant = [each for each in variables if each.variability == "constant"]
    changing = [each for each in variables if each.variability != "constant"]
    if constant and changing:
        message = f"{constant[0]} is constant, and its alias {changing[0]} is not. Give them different value references."
        found.add(ALIAS_CONSTANT, message, changing[0].place)
    for each in constant[1:]:
        if each.starts != constant[0].starts:
            message = f"the constants {constant[0]} and {each} are aliases, but have different start values. Give them the same."
            found.add(ALIAS_CONSTANT, message, each.place)
    settable = [each for each in changing if each.causality in ("parameter", "input", "independent")]
    for each in settable[1:]:
        message = (
            f"{settable[0]} ({settable[0].causality}) and {each} ({each.causality}) are aliases. Give them different value references."
        )
        found.add(ALIAS_SETTABLE, message, each.place)
    started = [each for each in changing if each.starts is not None]
    if len(settable) < 2:
        for each in started[1:]:
            message = f"{started[0]} and {each} are aliases, and both have a start value. Remove one start value."
            found.add(ALIAS_START, message, each.place)
    for each in variables[1:]:
        if each.is_float and each.get("unit") != variables[0].get("unit"):
            units = f"{variables[0].get('unit')!r} and {each.get('unit')!r}"
            message = f"{variables[0]} and {each} are aliases with the units {units}. Give both the same."
            found.add(ALIAS_UNIT, message, each.place)
        if each.variability != "constant" and changing and each.variability != changing[0].variability:
            message = (
                f"{changing[0]} ({changing[0].variability}) and {each} ({each.variability}) are aliases. Give both the same variability."
            )
            found.add(ALIAS_VARIABILITY, message, each.place)
