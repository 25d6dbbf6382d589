"""Checks of names that users give."""

import unicodedata

from mobod.errors import InputError

# control characters, surrogates, line and paragraph separators, unassigned characters
_REFUSED = {"Cc", "Cs", "Zl", "Zp", "Cn"}


def check_name(name: object, what: str) -> str:
    """Return the name if it is a text that files, FMUs and messages can contain. Letters of any alphabet are allowed.

    what  the user's word for the named object

    Raises InputError.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"{what} cannot be named {name!r}: a name must be a text and not empty.")
    for character in name:
        if unicodedata.category(character) in _REFUSED:
            raise InputError(
                f"{what} cannot be named {name!a}: it contains the character {character!a}, which cannot be printed. Remove it."
            )
    return name
