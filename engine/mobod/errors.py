"""The exceptions of mobod.

MobodError
|-- InputError (ValueError)      what was given cannot be; the message names it, its value and its unit
|   |-- UnknownNameError         no such thing; the nearest name is offered
|   |-- ArgumentsError (TypeError) too many arguments by position, or one of an unknown name; those that must be named are listed
|   |-- DuplicateNameError       the name is taken
|   |-- MassPropertiesError      not the mass, mass center and inertia of a rigid body
|   |-- FmuFileError             a file that is no FMU, or a damaged or hostile one
|   |-- ModelFileError           a model file or URDF file that is damaged or hostile, or says what cannot be; the place is named
|   `-- ConnectionError          two variables of FMUs that cannot be connected
|-- StageError                   a value was asked for before the State was realized to its stage
|-- StateError                   a State of another System, or of this one before its topology changed
|-- GraphError                   a multibody graph was read before it was generated, or its input changed while there was one
|-- RecordingError (TypeError)   recorded code took a decision that only a value could take
|-- ElementError                 the Python code of a user's element raised an error; the message says which one and when
|-- SingularMechanismError       no acceleration solves the equations; the mobilizer is named
|   `-- InconsistentConstraintsError  constraints that contradict each other; they are named
|-- AssemblyError                no coordinates near the start satisfy the constraints; the worst one is named
|-- ComplementarityError         a quadratic program of unilateral rows was not solved; it holds the problem
|   `-- InfeasibleError          its rows contradict each other; they are named
|-- IntegrationError             a step that cannot reach its accuracy, or a value that is not finite
|-- EventError                   an event handler did what it must not, or events follow each other without end; named, with the time
|-- UnsupportedError             asked of mobod what it cannot do (yet); the message says what to do instead
|-- ScriptError                  a Python file of the user's, run by the command line, failed; the message says where
|-- WriteError (OSError)         a file could not be written; the message names it and says what is in its place
|-- CompileError                 generated C did not compile
|   `-- NoCompilerError          no C compiler was found
`-- FmuError                     a call into an FMU failed; the FMU's own messages are in the text
    `-- FmuCallError             an FMI call out of order

MobodWarning (UserWarning)       the work was done, but its result is probably not the wanted one; the message says what to do
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from re import split
from typing import Any


class MobodError(Exception):
    """Base class of all errors that mobod raises on purpose."""


class MobodWarning(UserWarning):
    """Base class of mobod's warnings. To turn all of them into errors: `warnings.simplefilter("error", mb.MobodWarning)`."""


class InputError(MobodError, ValueError):
    """A given value cannot be used. The message names it, its value and its unit."""


class UnknownNameError(InputError):
    """No object has this name. `thing` is the kind of object that was looked for, `known` the existing names, offered in this order."""

    def __init__(self, thing: str, name: object, known: Iterable[str]):
        if isinstance(name, str):
            super().__init__(f"no {thing} is named '{name}'. {_hint(name, list(known))}")
        else:
            super().__init__(f"a {thing} is found by its name, a text, not by {described(name)}.")


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


_MOST_LISTED = 100  # names that a message lists in full
_LEAST_SIMILAR = 0.5  # that a name is offered, from 0 to 1


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The most similar name, without regard to case; of equally similar ones the first."""
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


_MOST_SHOWN = 80  # characters of a value in a message


def described(value: object) -> str:
    """A value that a user gave, for a message: 0.1 (float), 'a text' (str), the class System, Pin 'upper' on ground."""
    if isinstance(value, type):
        return f"the class {value.__name__} (an object of it is needed)"
    text = " ".join(repr(value).split())
    kind = type(value).__name__
    if text.startswith(kind):  # one that says what it is: without its details
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


class ModelFileError(InputError):
    """A model file or URDF file is damaged or malicious, or its content is invalid. The message gives the place in the file."""


class ConnectionError(InputError):  # noqa: A001 - in its namespace it says just what it is
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
    """The equations of motion have no solution for the accelerations. The message names the mobilizer."""


class InconsistentConstraintsError(SingularMechanismError):
    """Constraints contradict each other. The message names them."""


class AssemblyError(MobodError):
    """No coordinates near the start satisfy the constraints. The message names the constraint with the largest error."""


class ComplementarityError(MobodError):
    """The complementarity problem was not solved. `problem` holds its arrays by name."""

    def __init__(self, message: str, problem: Mapping[str, Any]):
        super().__init__(message)
        self.problem = problem


class InfeasibleError(ComplementarityError):
    """The constraints of a quadratic program contradict each other. `rows` are their numbers: equations first, then inequalities."""

    def __init__(self, message: str, rows: Sequence[int], problem: Mapping[str, Any]):
        super().__init__(message, problem)
        self.rows = tuple(rows)


class IntegrationError(MobodError):
    """No step size reaches the accuracy, a value is not finite, or the motion diverges."""


class EventError(MobodError):
    """An event handler did something illegal, or events follow each other without end. The message names the event and gives the time."""


class UnsupportedError(MobodError):
    """mobod does not support this (yet). The message says what to do instead."""


class ScriptError(MobodError):
    """A user's Python file failed when the command line ran it. The message gives the place."""


class WriteError(MobodError, OSError):
    """`errno` is that of the cause."""

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
    "StageError",
    "StateError",
    "UnknownNameError",
    "UnsupportedError",
]


def __dir__() -> list[str]:
    return sorted(__all__)
