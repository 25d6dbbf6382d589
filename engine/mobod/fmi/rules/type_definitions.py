"""The rules for type definitions and their use."""

from lxml import etree

from mobod.fmi.rules.description import Description, place
from mobod.fmi.rules.rule import Rule, RuleFindings

TYPE_UNIQUE = Rule("type-unique", "Each type has a name of its own.", "2.2.3", "2.4.4")
TYPE_NAME = Rule("type-name", "No type has the name of a variable.", "2.2.3", "2.4.4")
ITEMS_UNIQUE = Rule("enumeration-items", "The items of an enumeration have different names and different values.", "2.2.3", "2.4.4")
DECLARED = Rule("declared-type", "A declared type exists and is of the type of the variable.", "2.2.7", "2.4.7.5")
MIME_TYPE = Rule("mime-type", "The mimeType of a binary has the form type/subtype.", None, "2.4.4", "warning")


def check(description: Description, found: RuleFindings) -> None:
    """Check the type definitions, and declaredType of each variable."""
    seen = set[str]()
    for element in description.root.iterfind("TypeDefinitions/*"):
        name = element.get("name") or ""
        if name in seen:
            found.add(TYPE_UNIQUE, f"the type '{name}' is defined twice. Remove one.", place(element))
        seen.add(name)
        if name in description.names:
            found.add(TYPE_NAME, f"the type '{name}' has the name of a variable. Rename one.", place(element))
        _check_items(name, element, found)
    for variable in description.variables:
        declared = variable.typed.get("declaredType")
        if declared is None:
            if variable.type == "Enumeration":
                found.add(DECLARED, f"{variable} is an enumeration without declaredType. Define its type.", variable.place)
        elif declared not in description.types:
            found.add(DECLARED, f"{variable} has the type '{declared}', which is not defined. Define it.", variable.place)
        elif variable.declared is None:
            kind = description.types[declared].tag
            message = f"{variable} is of type {variable.type}, but its type '{declared}' is defined by {kind!s}. Declare another type."
            found.add(DECLARED, message, variable.place)
        mime = variable.get("mimeType") if variable.type == "Binary" else None
        if mime is not None and not all(mime.partition("/")):
            found.add(MIME_TYPE, f"{variable} has the mimeType '{mime}'. Write it as type/subtype.", variable.place)


def _check_items(name: str, element: "etree._Element", found: RuleFindings) -> None:
    enumeration = element if element.tag == "EnumerationType" else element.find("Enumeration")
    if enumeration is None:
        return
    items = enumeration.findall("Item")
    for attribute in ("name", "value"):
        seen = set[str]()
        for item in items:
            text = item.get(attribute) or ""
            if text in seen:
                found.add(ITEMS_UNIQUE, f"two items of the type '{name}' have the {attribute} '{text}'. Change one.", place(item))
            seen.add(text)
