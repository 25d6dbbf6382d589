"""The words of failures, which the C runtime has for Python and for FMUs: failure_causes.h in fmu_src/native."""

# Decision: docs/decisions/180-words-of-failures.md

from collections.abc import Callable, Iterable

from mobod.runtime.c_objects import CObject
from mobod.runtime.library import constant, ffi, runtime


def written(write: Callable[[CObject, int], object]) -> str:
    """What a C function writes to a text of a size."""
    size = constant("LONGEST_CAUSE")
    text = ffi.new("char[]", size)
    write(text, size)
    return ffi.string(text).decode("utf-8", "replace")  # a text that is too long may be cut within a letter


def contradictions(names: Iterable[str], miss: float) -> str:
    """That constraints contradict each other. miss: the largest violation by the nearest accelerations."""
    return written(lambda text, size: runtime().word_contradictions(_listed(names), miss, text, size))


def ambiguous_impacts(names: Iterable[str]) -> str:
    """That the order of the impacts of these contacts is unknown."""
    return written(lambda text, size: runtime().word_ambiguous_impacts(_listed(names), text, size))


def sliding_impacts(names: Iterable[str]) -> str:
    """That these contacts had an impact without collision."""
    return written(lambda text, size: runtime().word_sliding_impacts(_listed(names), text, size))


def _listed(names: Iterable[str]) -> bytes:
    return ", ".join(f"'{name}'" for name in names).encode()
