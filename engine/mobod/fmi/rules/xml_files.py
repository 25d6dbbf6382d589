"""XML files of an FMU, read safely, and their schemas."""

from lxml import etree

from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.native_sources import fmpy_schema

WELL_FORMED = Rule("xml", "XML files are well-formed and have no document type declaration.", "2.2", "2.4")
ENCODING = Rule("xml-encoding", "XML files are encoded in UTF-8.", "2.2", "2.4")
ENCODING_DECLARED = Rule("xml-encoding-declared", "The first line of an XML file declares the encoding UTF-8.", "2.2", "2.4", "warning")
SCHEMA = Rule("schema", "modelDescription.xml conforms to its XML schema.", "2.2", "2.4")

_LAST_LINE = 65535  # libxml2 gives it for all later lines too


def parse(content: bytes, file: str, found: RuleFindings) -> "etree._Element | None":
    """The root element of an XML file; None if it is not well-formed, or has a document type declaration."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        found.add(WELL_FORMED, f"not well-formed: {error.msg}. Write well-formed XML.", f"{file}:{error.lineno}")
        return None
    # entities are the only way in which XML can read other files or grow
    if root.getroottree().docinfo.doctype:
        found.add(WELL_FORMED, "there is a document type declaration. Remove it: a file of an FMU needs no entities.", f"{file}:1")
        return None
    return root


def at_line(file: str, line: int | None) -> str:
    """The place of a finding: the file, and the line if it is known."""
    return file if line is None or line >= _LAST_LINE else f"{file}:{line}"


def check_encoding(root: "etree._Element", content: bytes, file: str, found: RuleFindings) -> None:
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    if encoding.upper() not in ("UTF-8", "UTF8", "ASCII", "US-ASCII"):
        found.add(ENCODING, f"the encoding is {encoding}. Write the file in UTF-8.", f"{file}:1")
    elif b"encoding" not in content[:200].partition(b"?>")[0]:
        message = 'the encoding is not declared. Begin the file with <?xml version="1.0" encoding="UTF-8"?>.'
        found.add(ENCODING_DECLARED, message, f"{file}:1")


def check_schema(root: "etree._Element", schema: str, rule: Rule, file: str, found: RuleFindings) -> bool:
    """Whether the file conforms to one of fmpy's schemas, such as "fmi3/fmi3BuildDescription.xsd"."""
    validator = fmpy_schema(f"schema/{schema}")
    if validator.validate(root):
        return True
    for error in validator.error_log:
        found.add(rule, f"{error.message.strip()}", at_line(file, error.line))
    return False
