"""The exceptions of mobod.

MobodError
|-- InputError (ValueError)      what was given cannot be; the message names it, its value and its unit
|   |-- UnknownNameError         no such thing; the nearest name is offered
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
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


class MobodError(Exception):
    """Every error that mobod raises on purpose."""


class InputError(MobodError, ValueError):
    pass


class UnknownNameError(InputError):
    """`thing` names the kind of thing that was looked for, `known` the names there are."""

    def __init__(self, thing: str, name: str, known: Iterable[str]):
        known = sorted(known)
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        if near:
            hint = f"Did you mean '{near[0]}'?"
        elif known:
            hint = "There are: " + ", ".join(known[:12]) + (", ..." if len(known) > 12 else ".")
        else:
            hint = "There are none."
        super().__init__(f"no {thing} is named '{name}'. {hint}")


class DuplicateNameError(InputError):
    pass


class MassPropertiesError(InputError):
    pass


class FmuFileError(InputError):
    pass


class ModelFileError(InputError):
    pass


class ConnectionError(InputError):  # noqa: A001 - in its namespace it says just what it is
    pass


class StageError(MobodError):
    pass


class StateError(MobodError):
    pass


class GraphError(MobodError):
    pass


class RecordingError(MobodError, TypeError):
    pass


class ElementError(MobodError):
    pass


class SingularMechanismError(MobodError):
    pass


class InconsistentConstraintsError(SingularMechanismError):
    pass


class AssemblyError(MobodError):
    pass


class ComplementarityError(MobodError):
    """`problem` holds the arrays that were given, by name."""

    def __init__(self, message: str, problem: Mapping[str, Any]):
        super().__init__(message)
        self.problem = problem


class InfeasibleError(ComplementarityError):
    """`rows` are the numbers of those that contradict each other: equations first, then unilateral rows."""

    def __init__(self, message: str, rows: Sequence[int], problem: Mapping[str, Any]):
        super().__init__(message, problem)
        self.rows = tuple(rows)


class IntegrationError(MobodError):
    pass


class EventError(MobodError):
    pass


class UnsupportedError(MobodError):
    pass


class ScriptError(MobodError):
    pass


class WriteError(MobodError, OSError):
    """`errno` is that of the cause."""

    def __init__(self, message: str, cause: OSError):
        super().__init__(message)
        self.errno = cause.errno


class CompileError(MobodError):
    pass


class NoCompilerError(CompileError):
    pass


class FmuError(MobodError):
    pass


class FmuCallError(FmuError):
    pass
