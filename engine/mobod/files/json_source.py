"""JSON of unknown origin, read within limits; and JSON as it is written: numbers without loss, rows of numbers on one line."""

import json
from pathlib import Path
from typing import Any

from mobod.errors import ModelFileError
from mobod.files.xml_source import MAX_BYTES

MAX_DEPTH = 32  # of nested objects and lists: NumPy's largest number of dimensions, and far more than models need
Json = Any  # dict, list, str, float, int, bool or None


def read_json(path: Path) -> Json:
    """The content of a JSON file. Raises ModelFileError, with the line, if the file is not JSON, is too large or nested too deeply, or has
    a repeated key, numbers that are not finite, or invalid Unicode.
    """
    if not path.is_file():
        raise ModelFileError(f"{path}: the file does not exist.")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ModelFileError(f"{path}: it has {size} bytes, and the limit is {MAX_BYTES}.")

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in items:
            if key in found:
                raise ModelFileError(f"{path}: an object has the key '{key}' twice.")
            found[key] = value
        return found

    def refuse(text: str) -> None:
        raise ModelFileError(f"{path}: it has the number {text}. Finite numbers are needed.")

    def finite(text: str) -> float:
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise ModelFileError(f"{path}: the number {text[:40]} is too large.")
        return number

    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=finite)
        check_content(found)
        return found
    except json.JSONDecodeError as error:
        raise ModelFileError(f"{path}, line {error.lineno}, column {error.colno}: it is not JSON: {error.msg}.") from error
    except ContentError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path}: it is not a text in UTF-8: byte {error.start} is {error.object[error.start]:#x}.") from error
    except RecursionError as error:
        raise ModelFileError(f"{path}: it is nested too deeply.") from error
    except ValueError as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path}: it has a number that cannot be read: {error}.") from error


class ContentError(Exception):
    """Content that no model file can have; the message names its place."""


def check_content(document: Json) -> None:
    """Raises ContentError for values nested too deeply, and for half of a surrogate pair, which JSON can write and UTF-8 cannot."""
    waiting: list[tuple[str, int, Json]] = [("", 0, document)] if isinstance(document, (str, dict, list)) else []
    while waiting:
        pointer, depth, each = waiting.pop()
        if isinstance(each, str):
            _check_text(each, pointer or "/")
            continue
        if depth == MAX_DEPTH:
            raise ContentError(f"{pointer}: it is nested too deeply: the limit is {MAX_DEPTH} levels of objects and lists.")
        if isinstance(each, dict):
            waiting += [(pointer, depth, key) for key in each]
        inner = each.items() if isinstance(each, dict) else enumerate(each)
        waiting += [(f"{pointer}/{_shown(key)}", depth + 1, part) for key, part in inner if isinstance(part, (str, dict, list))]


def _shown(key: str | int) -> str:
    return ascii(key).strip("'")


def _check_text(text: str, pointer: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(text[error.start])
        raise ContentError(
            f"{pointer}: the text {text[:40]!a} has {half}, which is half of a character. Write the complete character."
        ) from error


def json_text(value: Json) -> str:
    """JSON with objects and lists of objects over several lines, and everything else on one line; equal values give equal text."""
    return _text(value, "") + "\n"


def _text(value: Json, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(key)}: {_text(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(map(_has_lines, value)):
        return "[\n" + ",\n".join(f"{inner}{_text(each, inner)}" for each in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _has_lines(value: Json) -> bool:
    return bool(value) if isinstance(value, dict) else isinstance(value, list) and any(map(_has_lines, value))
