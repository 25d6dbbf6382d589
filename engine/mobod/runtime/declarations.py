"""What the headers of the C runtime declare, for cffi.

The headers (fmu_src/native/python/api.h and those that it includes) alone declare structures and functions. Reading them takes
as long as importing NumPy, so what cffi makes of them is kept as a Python module: in wheels, and in the cache of a checkout.
"""

import hashlib
import io
import re
from typing import Any

from mobod.late_imports import late_import
from mobod.native_sources import native_file
from mobod.runtime.library_cache import LibraryCache, cache_directory

IN_PACKAGE = "_native/declarations.py"
"""The place of the module inside the package mobod, in wheels."""

_INCLUDED = re.compile(r'^#include "(.*)"', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_OF_LANES = re.compile(r"^#ifdef MOBOD_LANES\n.*?^#else\n", re.DOTALL | re.MULTILINE)
_PREPROCESSOR = re.compile(r"^\s*#(?:.*\\\n)*.*$", re.MULTILINE)
_MACRO = re.compile(r"^#define (\w+)\(([\w, ]+)\)((?:.*\\\n)*.*)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_INLINE_FUNCTION = re.compile(r"^static inline (?:[^\n]*\}$|.*?^\}$)", re.DOTALL | re.MULTILINE)


def read_declarations() -> Any:
    """The FFI of cffi that knows the runtime's structures, enumerations and functions."""
    try:
        return late_import("mobod._native.declarations:ffi")  # a generated module of wheels
    except ModuleNotFoundError:  # a checkout
        names: dict[str, object] = {}
        exec(_of_checkout(), names)
        return names["ffi"]


def make_module() -> str:
    """The Python source that cffi makes of the headers."""
    import cffi  # with pycparser, which only this needs
    from cffi.recompiler import make_py_source

    parser = cffi.FFI()
    parser.cdef(_declarations("api.h"))
    source = io.StringIO()
    make_py_source(parser, "mobod_declarations", source, verbose=False)
    return source.getvalue()


def _of_checkout() -> bytes:
    """The module from the cache; it is made, and put there, if the headers have changed."""
    from importlib.metadata import version

    key = hashlib.sha256(f"cffi {version('cffi')}\n{_declarations('api.h')}".encode()).hexdigest()
    place = ("declarations", key, "declarations.py")
    try:
        cache = LibraryCache(cache_directory())
        if (kept := cache.content(*place)) is None:
            kept = make_module().encode()
            with cache.build_folder() as folder:
                cache.keep(kept, folder, *place)
    except OSError:  # a cache that cannot be used costs time alone; compiler.py warns of it
        kept = make_module().encode()
    return kept


def _declarations(header: str) -> str:
    """The declarations of a header of the runtime, and of those that it includes."""
    texts: dict[str, str] = {}
    lists: dict[str, tuple[str, str]] = {}

    def visit(name: str) -> None:
        if name in texts:
            return
        text = _OF_LANES.sub("", native_file(name).read_text(encoding="utf-8"))
        for included in _INCLUDED.findall(text):
            visit(included)
        text = expand_lists(_COMMENT.sub("", text), lists).replace("MOBOD_API ", "")
        texts[name] = _INLINE_FUNCTION.sub("", text)

    visit(header)
    return "\n".join(texts.values())


def expand_lists(text: str, lists: dict[str, tuple[str, str]]) -> str:
    """The text with the entries of its lists in place, as the C preprocessor writes them, and without lines of the preprocessor.

    A list is a macro that applies its argument to each entry, such as METHODS of method_list.h:

        #define COLOURS(COLOUR) COLOUR(RED, 1) COLOUR(BLUE, 7)
        #define NUMBERED(NAME, number) COLOUR_##NAME = number,
        enum { COLOURS(NUMBERED) N_COLOURS };                  ->  enum { COLOUR_RED = 1, COLOUR_BLUE = 7, N_COLOURS };

    text   without comments
    lists  name -> its argument and its entries, in headers before this text; those of the text are added
    """
    macros = {name: (parameters, body.replace("\\\n", " ")) for name, parameters, body in _MACRO.findall(text)}
    lists.update({name: macro for name, macro in macros.items() if re.search(rf"\b{macro[0]}\(", macro[1])})

    def entries(use: re.Match[str]) -> str:
        (entry, listed), (parameters, written) = lists[use[1]], macros[use[2]]
        return " ".join(filled(parameters, values, written) for values in re.findall(rf"\b{entry}\((.*?)\)", listed))

    def filled(parameters: str, values: str, written: str) -> str:
        given = dict(zip(_WORD.findall(parameters), _WORD.findall(values), strict=True))
        return _WORD.sub(lambda word: given.get(word[0], word[0]), written).replace("##", "")

    text = _PREPROCESSOR.sub("", text)
    return re.sub(rf"\b({'|'.join(lists)})\((\w+)\)", entries, text) if lists else text
