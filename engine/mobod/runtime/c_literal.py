"""Numbers in C."""


def c_literal(value: float) -> str:
    """A C expression of type double with exactly this value. Needs <math.h>."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)


def c_string(text: str) -> str:
    """A C string literal. Characters other than plain ASCII are octal escapes of their UTF-8 bytes."""
    return '"' + "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode()) + '"'
