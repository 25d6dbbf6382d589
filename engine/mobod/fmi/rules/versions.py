"""The versions of FMI that have rules, and the rule for a file that is not an FMU at all."""

import re

from mobod.fmi.rules.rule import Rule, Version

UNREADABLE = Rule("unreadable", "The file is an FMU that can be read safely, within the limits for its size.", "2.3", "2.5")


def rules_version(fmi_version: str | None) -> Version | None:
    """The version whose rules hold for an FMU with this fmiVersion; None if there are none."""
    if fmi_version == "2.0":
        return "2"
    return "3" if fmi_version is not None and fmi_version.startswith("3.") else None


def fmi_version(start: bytes) -> str | None:
    """The fmiVersion in the first bytes of modelDescription.xml, without parsing it; None if it is not there."""
    match = re.search(rb"""\bfmiVersion\s*=\s*["']([^"'<]*)["']""", start)
    return None if match is None else match[1].decode(errors="replace")
