"""Random changes of files that keep their form: JSON, XML, rows of cells, HDF5, MATLAB. Changes of bytes alone hardly get past parsers."""

import json
from collections.abc import Callable
from io import BytesIO
from random import Random
from typing import Any

import numpy as np
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
    """Lines of JSON, which may have a checksum after a space, with a change in one of them."""
    lines = data.split(b"\n")
    number = random.randrange(len(lines))
    text, space, checksum = lines[number].rpartition(b" ") if number else (lines[number], b"", b"")
    changed = changed_json(text, random)
    if changed is None:
        return None
    return b"\n".join([*lines[:number], changed + space + checksum, *lines[number + 1 :]])


_ARRAYS: tuple[Any, ...] = (
    *(1.5, 3, True, "text", np.zeros(0), np.zeros(2), np.zeros((3, 0)), np.ones((3, 2)), np.ones((2, 1, 3)), np.array([1, 2**40, -3])),
    *(np.array([0.0, np.nan, np.inf]), np.array([1 + 2j, 0, 1]), np.array([True, False, True]), np.array(["a", "b", "c"])),
    *(np.array([b"a", b"\xff", b""]), np.array([5.0, 1.0, 3.0])),
)


def changed_hdf5(data: bytes, random: Random) -> bytes | None:
    """An HDF5 file with a dataset or an attribute replaced, removed or renamed; or a change of bytes."""
    import h5py

    if random.random() < 0.5:
        return None
    made = BytesIO(data)
    try:
        with h5py.File(made, "r+") as file:
            key = random.choice([*file, "new"])
            match random.randrange(7):
                case 0 if key in file:
                    del file[key]
                case 1 if key in file:
                    file.move(key, random.choice([*_TEXTS, "time", "b"]).replace("\0", ""))
                case 2 if key in file:
                    attributes = random.choice([file, file[key]]).attrs
                    name = random.choice(
                        [*attributes, "units", "component_names", "component_units", "description", "is_parameter", "format"]
                    )
                    attributes[name] = random.choice([*_ARRAYS[:4], "", 7, ["a"], ["a", "b"], [1, 2], h5py.Empty("f")])
                case kind:
                    if key in file:
                        del file[key]
                    _add_dataset(file, key, kind, random)
    except Exception:  # h5py raises errors of many kinds for damaged files
        return None
    return made.getvalue()


def _add_dataset(file: Any, key: str, kind: int, random: Random) -> None:
    import h5py

    match kind:
        case 3:
            file.create_group(key)
        case 4:
            file.create_dataset(key, shape=(10**14,), dtype="f8", chunks=(1000,))  # more than any memory
        case 5:
            file[key] = random.choice(
                [h5py.SoftLink("/time"), h5py.SoftLink(f"/{key}"), h5py.ExternalLink("other.h5", "/a"), h5py.Empty("f")]
            )
        case 6 if "time" in file:
            file.create_dataset(key, data=[file["time"].ref] * 3, dtype=h5py.ref_dtype)
        case _:
            values = random.choice(_ARRAYS)
            is_text = getattr(values, "dtype", np.dtype(float)).kind == "U"
            file.create_dataset(key, data=values, dtype=h5py.string_dtype() if is_text else None)


def changed_mat(data: bytes, random: Random) -> bytes | None:
    """A MATLAB file with a matrix replaced, removed or changed in one place; or a change of bytes."""
    from scipy.io import loadmat, savemat

    if random.random() < 0.5:
        return None
    try:
        matrices = {key: each for key, each in loadmat(BytesIO(data), chars_as_strings=False).items() if not key.startswith("__")}
        name = random.choice([*matrices, "data_3"])
        match random.randrange(4):
            case 0:
                matrices.pop(name, None)
            case 1 if name in matrices and matrices[name].size:
                place = tuple(random.randrange(n) for n in matrices[name].shape)
                is_text = matrices[name].dtype.kind == "U"
                matrices[name][place] = random.choice(" ax1\u00e9[" if is_text else [0, 1, 2, 3, -1, -7, 2**31 - 1])
            case 2 if name in matrices:
                matrices[name] = random.choice(
                    [matrices[name].T, matrices[name][:1], matrices[name][:, :0], matrices[random.choice([*matrices])]]
                )
            case _:
                matrices[name] = random.choice(_ARRAYS)
        made = BytesIO()
        savemat(made, matrices, format="4")
    except Exception:  # SciPy raises errors of many kinds for damaged files
        return None
    return made.getvalue()
