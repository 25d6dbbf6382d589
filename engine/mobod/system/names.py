"""Names that users give."""

import unicodedata

from mobod.errors import InputError

# control characters, halves of characters, separators of lines and paragraphs, characters that Unicode does not define
_REFUSED = {"Cc", "Cs", "Zl", "Zp", "Cn"}


def check_name(name: object, what: str) -> str:
    """The name, if it is a text that files, FMUs and messages can hold; letters of any alphabet are fine.

    what  the user's word for the thing that it names

    Raises InputError.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"{what} cannot be named {name!r}: a name is a text, and not an empty one.")
    for character in name:
        if unicodedata.category(character) in _REFUSED:
            raise InputError(
                f"{what} cannot be named {name!a}: it has the character {character!a}, which cannot be printed. Give it a name without."
            )
    return name
