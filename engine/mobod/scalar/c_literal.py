"""Numbers in C."""


def c_literal(value: float) -> str:
    """A C expression of type double with exactly this value. Needs <math.h>."""
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(value)
