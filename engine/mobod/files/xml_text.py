"""XML text, parsed as it is, or after the correction of mistakes that other readers tolerate."""

import re
from pathlib import Path

from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.findings import Findings

_DECLARATION = re.compile(r"^\s*<\?xml\b.*?\?>", re.DOTALL)
_ENCODING = re.compile(rb"""^\s*<\?xml\b[^>]*\bencoding\s*=\s*["']([\w.-]+)["']""")
_POSITION = re.compile(r", line \d+, column \d+$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def parse_xml(data: bytes, path: Path, findings: Findings) -> etree._Element:
    """The root element. Entities are not resolved, the network is not used, and declarations of entities are refused.

    Raises ModelFileError if it is not well-formed. Unless findings are strict, mistakes outside of elements are corrected first.
    """
    try:
        root = etree.fromstring(data, _parser())
    except etree.XMLSyntaxError as error:
        mended = None if findings.strict else _parse_mended(data, findings)
        if mended is None:
            raise ModelFileError(f"{path}, line {error.lineno}: it is not well-formed XML: {error.msg}.") from error
        root = mended
        wrong = _POSITION.sub("", error.msg or "")
        findings.note("xml", f"it is not well-formed XML: {wrong}. It was read all the same.", error.lineno or 1, path=path)
    _check_document_type(root, path, findings)
    _strip_namespace(root, path, findings)
    return root


def _parser(*, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True, recover=recover)


def _parse_mended(data: bytes, findings: Findings) -> etree._Element | None:
    """The root element, parsed without declaration, comments, and blanks and zero bytes around it, in any encoding that can be read.

    Lines keep their numbers. An undeclared prefix of a namespace is the only other error that is tolerated. None for other errors.
    """
    text = _decoded(data).strip("\ufeff\0")
    for pattern in (_COMMENT, _DECLARATION):
        text = pattern.sub(lambda match: "\n" * match[0].count("\n"), text)
    encoded = text.rstrip("\0 \t\r\n").encode()
    try:
        return etree.fromstring(encoded, _parser())
    except etree.XMLSyntaxError:
        pass  # the remaining errors may only be about namespaces, see below
    recovering = _parser(recover=True)
    try:
        root = etree.fromstring(encoded, recovering) if encoded else None
    except etree.XMLSyntaxError:
        return None  # nothing remains of it
    wrong = [entry for entry in recovering.error_log if entry.domain_name != "NAMESPACE"]
    return None if root is None or wrong else root


def _decoded(data: bytes) -> str:
    declared = _ENCODING.search(data)
    for encoding in ([declared[1].decode()] if declared else []) + ["utf-8"]:
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("latin-1")  # accepts any bytes


def _check_document_type(root: etree._Element, path: Path, findings: Findings) -> None:
    """Refuse entities, by which XML can read other files or expand without limit."""
    document = root.getroottree().docinfo
    if not document.doctype:
        return
    declares = document.system_url or document.public_id or (document.internalDTD is not None and any(document.internalDTD.iterentities()))
    if declares or findings.strict:
        raise ModelFileError(f"{path}: it has a document type declaration, which is not allowed. Remove it.")
    findings.note("xml", "the document type declaration is ignored.", path=path)


def _strip_namespace(root: etree._Element, path: Path, findings: Findings) -> None:
    """Names of elements without the namespace of a root element <robot xmlns="...">."""
    namespace, _, name = str(root.tag).rpartition("}")
    if not namespace or name != "robot" or findings.strict:
        return
    namespace = namespace[1:]
    for element in root.iter(f"{{{namespace}}}*"):
        element.tag = etree.QName(element).localname
    findings.note("xml", f"the namespace '{namespace}' of the elements is ignored.", root.sourceline or 1, path=path)
