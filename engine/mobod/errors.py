"""The exceptions of mobod.

MobodError
|-- InputError (ValueError)      a given value cannot be used; the message names it, its value and its unit
|   |-- UnknownNameError         no object has this name; the message offers the nearest name
|   |-- ArgumentsError (TypeError) too many positional arguments, or an unknown keyword; the message lists the valid keywords
|   |-- DuplicateNameError       the name is already in use
|   |-- MassPropertiesError      not the mass, mass center and inertia of a rigid body
|   |-- FmuFileError             a file is not an FMU, or is damaged or malicious
|   |-- SspFileError             a file is not a system of FMUs (SSP), or is damaged, malicious or inconsistent
|   |-- ModelFileError           a model file or URDF file is damaged, malicious or invalid; the message gives the place
|   `-- ConnectionError          two variables of FMUs cannot be connected
|-- StageError                   a value was asked for before the State was realized to its stage
|-- StateError                   a State of another System, or made before the System's topology changed
|-- GraphError                   a multibody graph was read before it was generated, or its input changed afterwards
|-- RecordingError (TypeError)   recorded code made a decision that depends on a value
|-- ElementError                 the Python code of a user's element raised an error; the message names the element and the time
|-- SingularMechanismError       the equations have no solution for the accelerations; the message names the mobilizer
|   `-- InconsistentConstraintsError  constraints contradict each other; the message names them
|-- AssemblyError                no coordinates near the start satisfy the constraints; the message names the worst one
|-- EquilibriumError             no equilibrium was found near the start; the message names what still accelerates most
|-- ComplementarityError         a quadratic program of unilateral rows was not solved; the error holds the problem
|   `-- InfeasibleError          its rows contradict each other; the error holds their numbers
|-- IntegrationError             no step size reaches the accuracy, or a value is not finite
|-- EventError                   an event handler did something illegal, or events follow each other without end
|   `-- FrictionParadoxError     no forces satisfy the laws of dry friction; the message names the contact, the time and the coefficient
|-- AlgebraicLoopError           outputs and inputs of connected components have no values that fit each other; the message names them
|-- StepSizeError                adaptive communication steps cannot keep their tolerance; the message names the output, input or bond
|-- UnsupportedError             mobod does not support this (yet); the message says what to do instead
|-- ScriptError                  a user's Python file failed when the command line ran it; the message gives the place
|-- WriteError (OSError)         a file could not be written; the message names it and says what the path contains now
|-- CompileError                 generated C did not compile
|   `-- NoCompilerError          no C compiler was found
`-- FmuError                     a call of an FMU failed; the message contains the FMU's own messages
    `-- FmuCallError             an FMI function was called in a mode in which it is illegal

MobodWarning (UserWarning)       the result is probably not the wanted one; the message says what to do
"""

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from re import fullmatch, split


class MobodError(Exception):
    """Base class of all errors that mobod raises on purpose."""


class MobodWarning(UserWarning):
    """Base class of mobod's warnings. To turn all of them into errors: `warnings.simplefilter("error", mb.MobodWarning)`."""

    @classmethod
    def warn(cls, message: str, *, stacklevel: int = 2) -> None:
        """Give this warning. stacklevel: that of warnings.warn, from the caller on"""
        warnings.warn(message, cls, stacklevel=stacklevel + 1)


class InputError(MobodError, ValueError):
    """A given value cannot be used. The message names it, its value and its unit."""


class UnknownNameError(InputError):
    """No object has this name. `thing` is the kind of object that was looked for, `known` the existing names, offered in this order.

    hint  what to do, if that is not to choose the nearest of the known names
    """

    def __init__(self, thing: str, name: object, known: Iterable[str], *, hint: str = ""):
        if isinstance(name, str):
            super().__init__(f"no {thing} is named '{name}'. {hint or _hint(name, list(known))}")
        else:
            super().__init__(f"a {thing} is found by its name, a text, not by {described(name)}.")

    @classmethod
    def check(cls, thing: str, name: object, known: Collection[str]) -> None:
        """Raise this error unless the name is among the known ones."""
        if name not in known:
            raise cls(thing, name, known)


def first_of(texts: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first texts in one line, and how many there are beside: "a, b and 3 more"."""
    rest = f"{separator.rstrip(', ')} and {len(texts) - most} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + rest


def _hint(name: str, known: Sequence[str]) -> str:
    parts = [each for each in known if each.startswith(f"{name}.")]
    near = parts[0] if parts else nearest(name, known)
    if near is not None:
        others = f" '{name}' also has: {', '.join(parts[1:])}." if parts[1:] else ""
        return f"Did you mean '{near}'?{others}"
    if len(known) <= _MOST_LISTED:
        return f"There are: {', '.join(sorted(known))}." if known else "There are none."
    owners = dict.fromkeys(each.rpartition("(")[2].partition(".")[0].rstrip(")") for each in known)
    return f"There are {len(known)} names, which belong to: {', '.join(owners)}."


_MOST_LISTED = 100  # the largest number of names that a message lists in full
_LEAST_SIMILAR = 0.5  # smallest similarity, from 0 to 1, of a name that is offered


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar name, ignoring case; the first of equally similar ones. None if none is similar.

    Of a derivative in another spelling, 'arm.u_dot', 'arm.qddot' or 'arm.u_dot[2]', that in mobod's, 'der(arm.u)'.
    """
    known = list(known)
    if (derivative := next((each for each in _derivatives(name) if each in known), None)) is not None:
        return derivative
    best, best_ratio = None, _LEAST_SIMILAR
    matcher = SequenceMatcher(b=name.lower())
    for each in known:
        matcher.set_seq1(each.lower())
        if matcher.real_quick_ratio() < best_ratio or matcher.quick_ratio() < best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio or (best is None and ratio == best_ratio):
            best, best_ratio = each, ratio
    return best


def _derivatives(name: str) -> list[str]:
    """Names of the derivative that a name in another spelling may mean."""
    found = fullmatch(r"(.+\.)(q|u|z)_?(d|dot|dd|ddot)(\[[0-9, ]+\])?", name)
    if found is None:
        return []
    owner, of, dots, entry = found.groups("")
    of = "u" if dots in ("dd", "ddot") else of
    return [f"der({owner}{of}{entry})", f"der({owner}{of})", f"der({owner}{of}[1])"]


_MOST_SHOWN = 80  # longest text of a value in a message, in characters


def described(value: object) -> str:
    """A user's value for a message: 0.1 (float), 'a text' (str), the class System, Pin 'upper' on ground."""
    if isinstance(value, type):
        return f"the class {value.__name__} (an object of it is needed)"
    text = " ".join(repr(value).split())
    kind = type(value).__name__
    if text.startswith(kind):  # the text begins with the kind: leave out its details
        text = split(r", | with ", text)[0]
    elif len(text) > _MOST_SHOWN:
        text = f"{text[:_MOST_SHOWN]}..."
    return text if kind in text or value is None else f"{text} ({kind})"


class ArgumentsError(InputError, TypeError):
    """Too many positional arguments, or an unknown keyword. The message lists the valid keywords."""


class DuplicateNameError(InputError):
    """The name is already in use."""


class MassPropertiesError(InputError):
    """The given mass, mass center and inertia are not those of a rigid body."""


class FmuFileError(InputError):
    """A file is not an FMU, or is a damaged or malicious one."""


class SspFileError(InputError):
    """A file is not an SSP, or is damaged or malicious, or its descriptions contradict each other. The message gives the place."""


class ModelFileError(InputError):
    """A model file or URDF file is damaged or malicious, or its content is invalid. The message gives the place in the file."""


class ConnectionError(InputError):  # noqa: A001 - clear inside its namespace
    """Two variables of FMUs cannot be connected."""


class StageError(MobodError):
    """A value was asked for before the State was realized to its stage."""


class StateError(MobodError):
    """A State belongs to another System, or was made before the System's topology changed."""


class GraphError(MobodError):
    """A multibody graph was read before it was generated, or its input was changed after it was generated."""


class RecordingError(MobodError, TypeError):
    """Recorded code made a decision that depends on a value."""


class ElementError(MobodError):
    """The Python code of a user's element raised an error. The message names the element and gives the time."""


class SingularMechanismError(MobodError):
    """The equations of motion have no solution for the accelerations, or rates of coordinates no derivatives. It names the mobilizer."""


class InconsistentConstraintsError(SingularMechanismError):
    """Constraints contradict each other. The message names them."""


class AssemblyError(MobodError):
    """No coordinates near the start satisfy the constraints. The message names the constraint with the largest error."""


class EquilibriumError(MobodError):
    """No equilibrium was found near the start. The message names what still accelerates most."""


class ComplementarityError(MobodError):
    """The complementarity problem was not solved. `problem` holds its arrays by name."""

    def __init__(self, message: str, problem: Mapping[str, object]):
        super().__init__(message)
        self.problem = problem


class InfeasibleError(ComplementarityError):
    """The constraints of a quadratic program contradict each other. `rows` are their numbers: equations first, then inequalities."""

    def __init__(self, message: str, rows: Sequence[int], problem: Mapping[str, object]):
        super().__init__(message, problem)
        self.rows = tuple(rows)


class IntegrationError(MobodError):
    """No step size reaches the accuracy, a value is not finite, or the motion diverges."""


class EventError(MobodError):
    """An event handler did something illegal, or events follow each other without end. The message names the event and gives the time."""


class FrictionParadoxError(EventError):
    """No finite forces satisfy the laws of dry friction, and no impulses are found: the paradox of Painleve, of one contact or of several.

    Under error control contacts have an impact without collision there. Loads of joints that jam have none.
    The message names the contact, the time and the coefficient.
    """


class AlgebraicLoopError(MobodError):
    """Outputs and inputs that depend on each other without delay have no values that fit, or infinitely many, or none were found."""


class StepSizeError(MobodError):
    """Adaptive communication steps cannot keep their tolerance. The message names what has the error, which may not fall with the step."""


class UnsupportedError(MobodError):
    """mobod does not support this (yet). The message says what to do instead."""


class ScriptError(MobodError):
    """A user's Python file failed when the command line ran it. The message gives the place."""


class WriteError(MobodError, OSError):
    """A file could not be written. `errno` is the operating system's error number."""

    def __init__(self, message: str, cause: OSError):
        super().__init__(message)
        self.errno = cause.errno


class CompileError(MobodError):
    """Generated C code did not compile."""


class NoCompilerError(CompileError):
    """No C compiler was found."""


class FmuError(MobodError):
    """A call of an FMU failed. The message contains the FMU's own messages."""


class FmuCallError(FmuError):
    """An FMI function was called in a mode in which it is illegal."""


__all__ = [
    "AlgebraicLoopError",
    "ArgumentsError",
    "AssemblyError",
    "CompileError",
    "ComplementarityError",
    "ConnectionError",
    "DuplicateNameError",
    "ElementError",
    "EventError",
    "FmuCallError",
    "FmuError",
    "FmuFileError",
    "FrictionParadoxError",
    "GraphError",
    "InconsistentConstraintsError",
    "InfeasibleError",
    "InputError",
    "IntegrationError",
    "MassPropertiesError",
    "MobodError",
    "ModelFileError",
    "NoCompilerError",
    "RecordingError",
    "ScriptError",
    "SingularMechanismError",
    "SspFileError",
    "StageError",
    "StateError",
    "StepSizeError",
    "UnknownNameError",
    "UnsupportedError",
]


def __dir__() -> list[str]:
    return sorted(__all__)
