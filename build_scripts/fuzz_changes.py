"""Random changes of files that keep their form: JSON, XML, rows of cells. Changes of bytes alone hardly get past their parsers."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

from lxml import etree

Change = Callable[[bytes, Random], bytes | None]
"""The bytes after a change; None if they do not have the form."""

# texts where readers expect numbers, names, paths or something else
_TEXTS = (
    *(
        "",
        " ",
        "0",
        "-0",
        "-1",
        "1",
        "2",
        "3",
        "7",
        "0.5",
        "1e308",
        "-1e308",
        "1e309",
        "1e-320",
        "nan",
        "inf",
        "-inf",
        "1e",
        "0x10",
        "1_0",
        "1,5",
    ),
    *(
        "99999999999999999999",
        "9223372036854775807",
        "4294967296",
        "true",
        "false",
        "1 2 3",
        "1 2",
        "0 0 0",
        "\u0661",
        "\u00b2",
        "\u202e",
        "\ufffe",
    ),
    *("../x", "/x", "a/b", "a.b", "a[1]", "[", "%00", "%zz", "#", "http://[", "file:///x", "{0}", "%s", "$(find x)", "${1/0}", "a" * 300),
)
_JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 0.5, -0.0, 1e308, 1e-320, 2**31, 2**63, 10**400, [], {}, [[]], [None], [0, 0, 0], [1, 2], {"": 0}),
    *(_TEXTS),
)


def changed_json(data: bytes, random: Random) -> bytes | None:
    """JSON with a value replaced, removed, repeated or moved."""
    try:
        document = json.loads(data)
        return json.dumps(_change_value(document, random)).encode()
    except (ValueError, OverflowError, RecursionError):  # also what cannot be a number after a change
        return None


def _change_value(document: Any, random: Random) -> Any:
    places = _places(document)
    if not places:
        return random.choice(_JSON)
    holder, key = random.choice(places)
    match random.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), holder[key])
        case 1:
            holder[random.choice([*_TEXTS, *(other for _, other in places if isinstance(other, str))])] = holder.pop(key)
        case 2 if isinstance(holder[key], (int, float)):
            holder[key] = -holder[key] if random.random() < 0.5 else holder[key] * random.choice([1e3, 1e-3, 1e200, 2, 0.5])
        case 3:
            other, other_key = random.choice(places)
            holder[key] = json.loads(json.dumps(other[other_key]))
        case _:
            holder[key] = random.choice(_JSON)
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Each list or dictionary with each of its keys."""
    found, to_visit = [], [document]
    while to_visit:
        holder = to_visit.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            found.append((holder, key))
            to_visit.append(holder[key])
    return found


def changed_xml(data: bytes, random: Random) -> bytes | None:
    """XML with an attribute or a text replaced, or an element removed, repeated, moved or renamed."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
        elements = [each for each in root.iter() if isinstance(each.tag, str)]
        _change_element(random.choice(elements), elements, random)
        return etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    except (etree.XMLSyntaxError, ValueError, TypeError):  # also a text or name that XML cannot hold
        return None


def _change_element(element: "etree._Element", elements: "list[etree._Element]", random: Random) -> None:
    other = random.choice(elements)
    parent = element.getparent()
    names = list(element.attrib)
    match random.randrange(8):
        case 0 if parent is not None:
            parent.remove(element)
        case 1 if parent is not None:
            parent.insert(random.randrange(len(parent) + 1), _copy(element))
        case 2 if element not in other.iterancestors() and element is not other:
            other.append(_copy(element))
        case 3:
            element.tag = other.tag
        case 4:
            element.text = random.choice(_TEXTS) if random.random() < 0.5 else other.text
        case 5 if names:
            del element.attrib[random.choice(names)]
        case 6 if other.attrib:
            name = random.choice(list(other.attrib))
            element.set(str(name) if random.random() < 0.7 or not names else str(random.choice(names)), str(other.get(name)))
        case _ if names:
            element.set(str(random.choice(names)), random.choice(_TEXTS))


def _copy(element: "etree._Element") -> "etree._Element":
    return etree.fromstring(etree.tostring(element, with_tail=False))


def changed_cells(data: bytes, random: Random) -> bytes | None:
    """Rows of cells with a cell or a row replaced, removed or repeated."""
    try:
        rows = [line.split(",") for line in data.decode().split("\n")]
    except UnicodeDecodeError:
        return None
    row = random.randrange(len(rows))
    cell = random.randrange(len(rows[row]))
    match random.randrange(5):
        case 0 if len(rows) > 1:
            del rows[row]
        case 1:
            rows.insert(random.randrange(len(rows) + 1), list(rows[row]))
        case 2:
            del rows[row][cell]
        case 3:
            rows[row].insert(cell, random.choice(rows[random.randrange(len(rows))] or [""]))
        case _:
            rows[row][cell] = random.choice([*_TEXTS, '"', '"\n', "#", "\r", "\0"])
    return "\n".join(map(",".join, rows)).encode()


def changed_json_lines(data: bytes, random: Random) -> bytes | None:
    """Lines of JSON with a change in one of them."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines))
    changed = changed_json(lines[number], random)
    if changed is None:
        return None
    return b"\n".join([*lines[:number], changed, *lines[number + 1 :]])
