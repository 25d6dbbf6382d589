"""All rules, by the files that state them."""

from types import ModuleType

from mobod.acceptance.rules import documentation, extra, libraries, second_opinion, sources, terminals, zip_entries
from mobod.fmi.rules import (
    aliases,
    arrays,
    causality,
    clocks,
    dependencies,
    derivatives,
    header,
    interfaces,
    model_structure,
    names,
    type_definitions,
    units,
    values,
    versions,
    xml_files,
)
from mobod.fmi.rules.rule import Rule

# title of a table in the documentation, and the files
_CHAPTERS: dict[str, tuple[ModuleType, ...]] = {
    "The archive": (versions, zip_entries),
    "XML files": (xml_files,),
    "The model description": (header, interfaces, second_opinion),
    "Units and types": (units, type_definitions),
    "Variables": (names, causality, values, derivatives, aliases, arrays, clocks),
    "ModelStructure": (model_structure, dependencies),
    "Sources and libraries": (sources, libraries),
    "Documentation, terminals, icons and extra files": (documentation, terminals, extra),
}


def declared_rules() -> dict[str, list[Rule]]:
    """All rules by the title of their table in the documentation."""
    return {title: [rule for module in modules for rule in _rules_of(module)] for title, modules in _CHAPTERS.items()}


def table_of_rules() -> str:
    """The tables of docs/validation/acceptance.md."""
    lines = list[str]()
    for title, rules in declared_rules().items():
        lines += [f"### {title}", "", "| rule | FMI 2.0.5 | FMI 3.0.2 | severity | meaning |", "|---|---|---|---|---|"]
        lines += [f"| {each.name} | {each.fmi2 or '-'} | {each.fmi3 or '-'} | {each.severity} | {each.meaning} |" for each in rules]
        lines.append("")
    return "\n".join(lines)


def _rules_of(module: ModuleType) -> list[Rule]:
    return [value for value in vars(module).values() if isinstance(value, Rule)]
