"""Validation of SSP files by the schemas of SSP 1.0, which come with fmpy. There are none of 2.0."""

from lxml import etree

from mobod.errors import SspFileError
from mobod.native_sources import fmpy_schema

_FILES = {
    "SystemStructureDescription": "SystemStructureDescription.xsd",
    "ParameterSet": "SystemStructureParameterValues.xsd",
    "ParameterMapping": "SystemStructureParameterMapping.xsd",
    "SignalDictionary": "SystemStructureSignalDictionary.xsd",
}
_MOST_SHOWN = 8  # problems in a message


def validate(root: "etree._Element", file: str) -> None:
    """Raise SspFileError unless a file of SSP 1.0 conforms to its schema. file: its name, for messages"""
    schema = fmpy_schema(f"ssp/schema/{_FILES[etree.QName(root).localname]}")
    if not schema.validate(root):
        problems = [f"line {each.line}: {each.message}" for each in schema.error_log]
        more = f"\n  and {len(problems) - _MOST_SHOWN} more" if len(problems) > _MOST_SHOWN else ""
        raise SspFileError(f"{file}: it breaks the schema of SSP 1.0:\n  " + "\n  ".join(problems[:_MOST_SHOWN]) + more)
