"""Names of models and variables in the spelling of FMI."""

# Decision: docs/decisions/084-fmu-names.md

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from mobod.errors import InputError
from mobod.system.names import check_characters

_PART = re.compile(r"(?P<base>.*?)(?P<indices>\[\d+(,\d+)*\])?")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
C_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return
    short signed sizeof static struct switch typedef union unsigned void volatile while
"""
# in Windows, a file of such a name with any ending is a device
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}

Spelling = Literal["structured", "flat"]
"""How the names of variables are spelled: 'lower.q[1]' or 'lower_q_1'."""

# grammar of names, FMI specification 2.0.5, section 2.2.9
_QUOTED = r"""'(?:[A-Za-z0-9_!#$%&()*+,\-./:;<>=?@\[\]^{}|~ ]|\\['"?\\abfnrtv])+'"""
_SUBSCRIPTED = rf"(?:[A-Za-z_][A-Za-z0-9_]*|{_QUOTED})(?:\[\d+(?:,\d+)*\])?"
_DOTTED = rf"{_SUBSCRIPTED}(?:\.{_SUBSCRIPTED})*"
_STRUCTURED = re.compile(rf"{_DOTTED}|der\({_DOTTED}(?:,\d+)?\)", re.ASCII)


def structured_name(name: str) -> str:
    """`name` in FMI's naming convention "structured": a part that is not an identifier is quoted.

    'upper arm.q[1]' becomes "'upper arm'.q[1]", and 'der(upper arm.q[1])' "der('upper arm'.q[1])". Letters beyond ASCII are not in that
    grammar; they are quoted too: see `naming_convention`.

    Source: FMI specification 2.0.5, section 2.2.9.
    """
    if name.startswith("der(") and name.endswith(")"):
        return f"der({structured_name(name[4:-1])})"
    return ".".join(map(_structured_part, name.split(".")))


def flat_name(name: str) -> str:
    """A structured name as one identifier: 'lower.q[1]' becomes 'lower_q_1', and 'der(upper.q)' 'der_upper_q'.

    Letters beyond ASCII are spelled as in `model_identifier`; other characters become underscores.
    """
    if name.startswith("der(") and name.endswith(")"):
        return f"der_{flat_name(name[4:-1])}"
    text = "".join(map(_in_ascii, re.sub(r"(?<!\\)'|\]|\\", "", name)))
    identifier = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return f"_{identifier}" if identifier[:1].isdigit() else identifier


def is_structured(name: str) -> bool:
    """Whether the name conforms to FMI's naming convention "structured"."""
    return _STRUCTURED.fullmatch(name) is not None


def naming_convention(names: Iterable[str]) -> Literal["structured", "flat"]:
    """The naming convention of these names: "flat", which allows any text, if a name contains letters beyond ASCII."""
    return "structured" if all(map(is_structured, names)) else "flat"


def _structured_part(part: str) -> str:
    match = _PART.fullmatch(part)
    base, indices = (match["base"], match["indices"] or "") if match else (part, "")
    if _IDENTIFIER.fullmatch(base):
        return base + indices
    quoted = re.sub(r"([\\'\"])", r"\\\1", base)
    return f"'{quoted}'{indices}"


def model_identifier(model_name: str) -> str:
    """The C identifier that names an FMU's library: spaces, dots and hyphens of the model's name become underscores.

    A letter beyond ASCII loses its accent ('Körper' becomes Korper) or becomes its Unicode number. The FMU's modelName keeps it.
    Raises InputError if the result is not a C identifier, and for the name of a Windows device.
    """
    check_characters(model_name, "a model")
    identifier = "".join(map(_in_ascii, re.sub(r"[ .-]", "_", model_name)))
    if not _IDENTIFIER.fullmatch(identifier):
        raise InputError(
            f"model '{model_name}': the name of an FMU must begin with a letter and contain only letters, digits, "
            "spaces, dots, hyphens or underscores. Rename the System, or give another name: export_fmu(..., name=...)."
        )
    if identifier in C_KEYWORDS.split():
        raise InputError(
            f"model '{model_name}': the name of an FMU cannot be a keyword of C. Rename the System, or give another name: "
            "export_fmu(..., name=...)."
        )
    if identifier.lower() in _DEVICES:
        raise InputError(
            f"model '{model_name}': this is the name of a device in Windows, so an FMU's library cannot have it. Rename the System, "
            "or give another name: export_fmu(..., name=...)."
        )
    return identifier


def usable_model_name(name: str) -> str:
    """The name, if an FMU can have it; else 'model NAME', with an underscore for each character that an FMU's name cannot have."""
    try:
        model_identifier(name)
    except InputError:
        return f"model {re.sub(r'[^A-Za-z0-9 ._-]', '_', name)}"
    return name


def _in_ascii(character: str) -> str:
    if character.isascii():
        return character
    letters = "".join(each for each in unicodedata.normalize("NFKD", character) if not unicodedata.combining(each))
    return letters if letters.isascii() else f"u{ord(character):04x}"
