"""Reads modelDescription.xml of FMUs of all tools, also where it breaks rules of the standard that other tools forgive."""

# Decision: docs/decisions/167-forgiven-rules.md

from collections.abc import Sequence

from fmpy.model_description import ModelDescription
from lxml import etree

from mobod.errors import FmuFileError, MobodWarning
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.mended_description import MENDS, mended_description
from mobod.fmi.rules.description import FILE, Description
from mobod.fmi.rules.description_rules import check_description
from mobod.fmi.rules.finding import AcceptanceFinding
from mobod.fmi.rules.interfaces import IDENTIFIER
from mobod.fmi.rules.rule import RuleFindings
from mobod.fmi.rules.versions import rules_version

_NEVER_FORGIVEN = (IDENTIFIER,)  # it becomes the name of the library that is loaded
_READINGS = {rule.name: mend.reading for rule, mend in MENDS.items()}


def read_description(archive: FmuArchive, *, strict: bool = False) -> tuple[ModelDescription, list[AcceptanceFinding]]:
    """The description, and the rules that it breaks.

    A file that FMPy accepts is read as it is: `mobod validate` checks all rules, and some that FMUs often break harm no tool. One that FMPy
    refuses is checked by the rules of `mobod.fmi.rules`. What can be read nevertheless is read, as MENDS says.

    strict  whether a file that breaks rules is refused

    Raises FmuFileError.
    """
    try:
        return archive.description(), []
    except FmuFileError as error:
        refused = error
    version = rules_version(archive.fmi_version)
    if version is None:
        raise refused
    found = RuleFindings(version)
    description = Description(archive.root, version)
    check_description(description, found)
    broken = [each for each in found.all() if each.severity == "error"]
    meaningless = _without_meaning(description)
    if broken and (strict or meaningless or any(each.rule == rule.name for each in broken for rule in _NEVER_FORGIVEN)):
        raise _refusal(archive, broken, meaningless)
    try:
        xml = etree.tostring(mended_description(archive.root, version), encoding="UTF-8", xml_declaration=True)
        return archive.description(xml, validate=False), broken
    except FmuFileError as error:
        raise (_refusal(archive, broken, str(error)) if broken else refused) from error


def breaches_text(archive: FmuArchive, broken: Sequence[AcceptanceFinding]) -> str:
    """A warning that names the clauses, and how the file is read."""
    return "\n  ".join(
        [
            f"{archive.path}: its modelDescription.xml breaks rules of FMI {archive.fmi_version}. mobod reads it nevertheless; strict=True "
            "(--strict) refuses it, and `mobod validate` lists all:",
            *_lines(broken),
        ]
    )


def warn_of_breaches(archive: FmuArchive, broken: Sequence[AcceptanceFinding]) -> None:
    """A MobodWarning if the description breaks rules."""
    if broken:
        MobodWarning.warn(breaches_text(archive, broken))


def _refusal(archive: FmuArchive, broken: Sequence[AcceptanceFinding], reason: str = "") -> FmuFileError:
    lines = [
        f"{archive.path}: its modelDescription.xml breaks the rules of FMI {archive.fmi_version}:",
        *_lines(broken, with_reading=False),
    ]
    return FmuFileError("\n  ".join([*lines, *([reason] if reason else [])]))


def _lines(broken: Sequence[AcceptanceFinding], *, with_reading: bool = True) -> list[str]:
    """The first finding of each rule, and how many there are."""
    by_rule: dict[str, list[AcceptanceFinding]] = {}
    for each in broken:
        by_rule.setdefault(each.rule, []).append(each)
    lines = []
    for rule, findings in by_rule.items():
        more = f" And {len(findings) - 1} more of this rule." if findings[1:] else ""
        reading = f" mobod: {_READINGS[rule]}." if with_reading and rule in _READINGS else ""
        lines.append(f"{findings[0]}{more}{reading}")
    return lines


def _without_meaning(description: Description) -> str:
    """What nobody can read or run: no token, or a variable without a name, a reference or a type."""
    token = "guid" if description.version == "2" else "instantiationToken"
    if description.root.get(token) is None:
        return f"{FILE}: it has no {token}, without which the FMU cannot be instantiated."
    for each in description.variables:
        if not each.name or each.reference is None or (description.version == "2" and each.typed is each.element):
            what = "name" if not each.name else "valueReference that is a number" if each.reference is None else "type"
            return f"{each.place}: variable {each.index} has no {what}."
    return ""
