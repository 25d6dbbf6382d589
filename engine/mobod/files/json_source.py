"""JSON of unknown origin, read within limits; and JSON as it is written: numbers without loss, rows of numbers on one line."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mobod.errors import ModelFileError
from mobod.files.xml_source import MAX_BYTES

Json = Any  # dict, list, str, float, int, bool or None


def read_json(path: Path) -> Json:
    """Raises ModelFileError, with the line, for what is no JSON, is too large or nested too deeply, has a key twice, numbers that are
    not finite, or texts that are no Unicode.
    """
    if not path.is_file():
        raise ModelFileError(f"{path}: there is no such file.")
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise ModelFileError(f"{path}: it has {size} bytes. At most {MAX_BYTES} are read.")

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
        check_texts(found)
        return found
    except json.JSONDecodeError as error:
        raise ModelFileError(f"{path}, line {error.lineno}, column {error.colno}: it is no JSON: {error.msg}.") from error
    except TextError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path}: it is no text in UTF-8: byte {error.start} is {error.object[error.start]:#x}.") from error
    except RecursionError as error:
        raise ModelFileError(f"{path}: it is nested too deeply.") from error
    except ValueError as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path}: it has a number that cannot be read: {error}.") from error


class TextError(Exception):
    """A text that no file in UTF-8 can have; names its place."""


def check_texts(value: Json) -> None:
    """Raises TextError for a text with half of a surrogate pair, which JSON can write and UTF-8 cannot."""
    waiting = [("", value)]
    while waiting:
        pointer, each = waiting.pop()
        if isinstance(each, str):
            try:
                each.encode("utf-8")
            except UnicodeEncodeError as error:
                raise TextError(
                    f"{pointer or '/'}: the text {each[:40]!a} has {each[error.start]!a}, which is half of a character. "
                    "Write the whole one."
                ) from error
        elif isinstance(each, Mapping):
            waiting += [(f"{pointer}/{ascii(key)[1:-1]}", part) for key, inner in each.items() for part in (key, inner)]
        elif isinstance(each, Sequence):
            waiting += [(f"{pointer}/{number}", inner) for number, inner in enumerate(each)]


def json_text(value: Json) -> str:
    """Objects and lists of objects over several lines, all else on one; the same value gives the same text."""
    return _text(value, "") + "\n"


def _text(value: Json, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        lines = [f"{inner}{json.dumps(key)}: {_text(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, Sequence) and not isinstance(value, str) and any(map(_has_lines, value)):
        return "[\n" + ",\n".join(f"{inner}{_text(each, inner)}" for each in value) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _has_lines(value: Json) -> bool:
    if isinstance(value, Mapping):
        return bool(value)
    return isinstance(value, Sequence) and not isinstance(value, str) and any(map(_has_lines, value))
