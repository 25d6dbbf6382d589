"""The C files of the runtime's elementary functions, for tests that compile parts of the runtime or recorded functions alone."""

from mobod.native_sources import native_sources

C_FILES = ("trigonometric.c", "inverse_trigonometric.c", "exponential.c", "power.c", "hyperbolic.c", "hypotenuse.c")
_HEADERS = ("elementary.h", "elementary_coefficients.h", "double_double.h", "exponential.h")


def elementary_sources() -> dict[str, str]:
    """File name -> text."""
    return {name: (native_sources() / name).read_text() for name in (*C_FILES, *_HEADERS)}
