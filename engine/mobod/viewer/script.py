"""The script of a page: the modules of the folder page, joined into one text."""

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def page_file(name: str) -> str:
    """The text of a file of the folder page."""
    return files("mobod.viewer").joinpath("page", name).read_text(encoding="utf-8")


@cache
def joined_script(start: str) -> str:
    """The module `start` with all that it imports, each once and after what it imports itself, as one script without imports."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in parts:
            return
        parts[name] = ""  # a module that imports one that imports it meets this
        text = page_file(name)
        for imported in _IMPORT.findall(text):
            add(imported)
        del parts[name]
        parts[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(start)
    body = "".join(f"// {name}\n{text}\n" for name, text in parts.items())
    return f'(() => {{\n"use strict";\n{body}}})();\n'
