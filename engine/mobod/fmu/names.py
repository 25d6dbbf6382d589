"""How FMI spells the names of models and variables."""

import re

from mobod.errors import InputError

_PART = re.compile(r"(?P<base>.*?)(?P<indices>\[\d+(,\d+)*\])?")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTABLE = re.compile(r"[ -_a-~]+")  # printable ASCII but the backtick
_C_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return
    short signed sizeof static struct switch typedef union unsigned void volatile while
"""


def structured_name(name: str) -> str:
    """`name` by the grammar of FMI's naming convention "structured": a part that is no identifier is put in quotes.

    'upper arm.q[1]' becomes "'upper arm'.q[1]", and 'der(upper arm.q[1])' "der('upper arm'.q[1])".
    Raises InputError where a name has characters that cannot be quoted.

    Source: FMI specification 2.0.5, section 2.2.9.
    """
    if name.startswith("der(") and name.endswith(")"):
        return f"der({structured_name(name[4:-1])})"
    return ".".join(_structured_part(part, name) for part in name.split("."))


def _structured_part(part: str, name: str) -> str:
    match = _PART.fullmatch(part)
    base, indices = (match["base"], match["indices"] or "") if match else (part, "")
    if _IDENTIFIER.fullmatch(base):
        return base + indices
    if not _QUOTABLE.fullmatch(base):
        raise InputError(
            f"variable '{name}': an FMU's names are made of printable ASCII characters, and no part is empty. Rename '{part}'."
        )
    quoted = re.sub(r"([\\'\"])", r"\\\1", base)
    return f"'{quoted}'{indices}"


def model_identifier(model_name: str) -> str:
    """The C identifier that names an FMU's library: spaces, dots and hyphens of the model's name become underscores.

    Raises InputError where that does not make an identifier of C.
    """
    identifier = re.sub(r"[ .-]", "_", model_name)
    if not _IDENTIFIER.fullmatch(identifier):
        raise InputError(
            f"model '{model_name}': an FMU needs a name that begins with a letter and goes on with letters of ASCII, digits, "
            "spaces, dots, hyphens or underscores. Rename the System, or give another name: export_fmu(..., name=...)."
        )
    if identifier in _C_KEYWORDS.split():
        raise InputError(
            f"model '{model_name}': an FMU cannot be named like a keyword of C. Rename the System, or give another name: "
            "export_fmu(..., name=...)."
        )
    return identifier
