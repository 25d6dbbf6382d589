"""Checks of names that users give."""

import unicodedata
from collections.abc import Container

from mobod.errors import InputError

# control characters, surrogates, line and paragraph separators, unassigned characters, and characters without a shape of their own, such as
# the marks of direction, by which a name can be shown as another one
_REFUSED = {"Cc", "Cs", "Zl", "Zp", "Cn", "Cf"}
_JOINERS = {"\u200c", "\u200d"}  # between letters of Persian and Indian scripts


def check_name(name: object, what: str) -> str:
    """Return the name if it is a text that files, FMUs and messages can contain. Letters of any alphabet are allowed.

    what  the user's word for the named object

    Raises InputError.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"{what} cannot be named {name!r}: a name must be a text and not empty.")
    return check_characters(name, what)


def numbered(name: str, taken: Container[str]) -> str:
    """The name if it is free, or else name_2, name_3, and so on."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def marked(name: str, taken: Container[str]) -> str:
    """The name if it is free, or else with as many '#' before it as it takes."""
    while name in taken:
        name = f"#{name}"
    return name


def check_characters(name: str, what: str) -> str:
    """Return a text, which may be empty, if it has no control characters, marks of direction or halves of characters. Raises InputError."""
    if name.isprintable():  # as most are
        return name
    for character in name:
        if unicodedata.category(character) in _REFUSED and character not in _JOINERS:
            raise InputError(
                f"{what} cannot be named {name!a}: it contains the character {character!a}, which cannot be printed. Remove it."
            )
    return name
