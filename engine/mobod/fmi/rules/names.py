"""The rules for names of variables."""

from mobod.fmi.rules.description import Description, place
from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.fmu.names import is_structured

UNIQUE = Rule("name-unique", "Each variable and each alias has a name of its own.", "2.2.7", "2.4.7.4")
EMPTY = Rule("name-empty", "The names of variables are not empty.", "2.2.9", "2.4")
CHARACTERS = Rule("name-characters", "A name has no carriage return, line feed or tab.", "2.2.9", "2.4.7.5.1")
STRUCTURED = Rule("name-structured", 'With variableNamingConvention="structured", names conform to its grammar.', "2.2.9", "2.4.7.5.1")
DERIVATIVE_NAME = Rule(
    "name-derivative", "With structured names, a name der(...) is that of a floating-point variable.", "2.2.9", "2.4.7.5.1"
)


def check(description: Description, found: RuleFindings) -> None:
    """Check all names."""
    structured = description.root.get("variableNamingConvention") == "structured"
    seen = dict[str, str]()
    for variable in description.variables:
        aliases = variable.element.findall("Alias") if description.version == "3" else []
        for element in (variable.element, *aliases):
            name, where = element.get("name") or "", place(element)
            if name in seen:
                found.add(UNIQUE, f"the name '{name}' is also that of the variable at {seen[name]}. Rename one.", where)
            seen.setdefault(name, where)
            if not name:
                found.add(EMPTY, "a variable has no name. Give it one.", where)
            elif any(character in name for character in "\r\n\t"):
                found.add(CHARACTERS, f"the name {name!r} has a line end or a tab. Rename the variable.", where)
            elif structured and not is_structured(name):
                message = f"the name '{name}' is not a structured name. Quote its parts with ', or use variableNamingConvention=\"flat\"."
                found.add(STRUCTURED, message, where)
            elif structured and name.startswith("der(") and not variable.is_float:
                found.add(DERIVATIVE_NAME, f"'{name}' is named as a derivative, but is of type {variable.type}. Rename it.", where)
