"""XML from anywhere, without entities."""

from lxml import etree

from mobod.errors import InputError


def checked_xml(xml: bytes, what: str, noun: str, error: type[InputError]) -> "etree._Element":
    """The root element.

    what  the file, for messages: 'a.fmu: its modelDescription.xml'
    noun  what it belongs to: 'an FMU'

    Raises `error` for a text that is not well-formed, or has a document type declaration.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(xml, parser)
    except (etree.XMLSyntaxError, ValueError) as problem:
        raise error(f"{what} is not well-formed: {problem}.") from problem
    # entities are the only way in which XML can read other files or grow; descriptions need none
    if root.getroottree().docinfo.doctype:
        raise error(f"{what} has a document type declaration, which is not allowed in {noun}.")
    return root
