"""The folder documentation/ of an FMU: a page that describes it, and its licences."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple
from importlib.metadata import PackageNotFoundError, distribution
from typing import Literal

from lxml import etree
from lxml.html import builder

from mobod.compilation.operation_counts import OperationCounts, StepOperations
from mobod.errors import MobodError
from mobod.fmu.interface import Interface
from mobod.fmu.variables import FmuVariable, Settable
from mobod.native_sources import native_sources
from mobod.runtime.integrators import FIXED_STEP_METHODS
from mobod.version import mobod_version

_STYLE = (
    "body { font: 16px sans-serif; margin: 2em } td, th { padding: 0.2em 1em; text-align: left } tr:nth-child(even) { background: #eee }"
)

_GENERATED_CODE = """\
The C files in sources/ and the binaries made of them are part of mobod, a multibody dynamics engine, under the licence below.
Those that say that mobod made them (model.c, kernels_1.c, variables.c, ...) were generated from a model: mobod claims no right in them,
they belong to the author of the model.

"""


_PYTHON_FMU = """\
This FMU was made by mobod, a multibody dynamics engine, which it needs where it runs. The files in resources/ hold the model, which
belongs to its author. The library with the name of the model is part of mobod, under the first licence below. pythonfmu-export is the
library of pythonfmu, under the second one.

"""

_COMPILED = "A multibody model. Its bodies, forces and equations were made into C by mobod; it runs without Python."
_INTERPRETED = (
    "A multibody model. Its bodies, forces and equations lie in resources/model.mobod, and the library interprets them; it runs without "
    "Python. Compiled code gives the same numbers in a fourth to a fifth of the time."
)
_FIXED_STEPS = (
    "A communication step is made of them, the last one being cut short where its end asks for it: give communication steps that are "
    "whole multiples. The tolerance that a master asks for is that of constraints at the start alone."
)
_OPERATIONS = (
    "RK4 evaluates the rates four times in a step, SemiImplicitEuler once, and the rates of coordinates a second time. The numbers include "
    "the sums of the method. Sine and cosine of an angle are two elementary functions. Witnesses and actions of events are not counted."
)
_UNCOUNTED = (
    "Nor are {} parts of an evaluation that decide by values, such as the multipliers of constraints, and the projection onto constraints "
    "at the end of each step."
)
_PYTHON = "A multibody model. It runs in Python, with mobod; what it needs stands in externalDependencies.txt."


def index_html(
    interface: Interface, *, code: Literal["compiled", "interpreted", "python"], operations: StepOperations | None = None
) -> bytes:
    """documentation/index.html: the variables that can be set and read, and the operations of a step of fixed size, if they are given."""
    rows = interface.rows
    page = builder.HTML(
        builder.HEAD(builder.META(charset="utf-8"), builder.TITLE(interface.model_name), builder.STYLE(_STYLE)),
        builder.BODY(
            builder.H1(interface.model_name),
            builder.P({"compiled": _COMPILED, "interpreted": _INTERPRETED, "python": _PYTHON}[code]),
            *([] if interface.fixed_steps is None else [builder.P(f"{interface.fixed_steps.description} {_FIXED_STEPS}")]),
            *_section("Inputs", (row for row in rows if row.causality == "input")),
            *_section("Outputs", (row for row in rows if row.causality == "output")),
            *_section(
                "Initial conditions and settings, to be set before the start",
                (row for row in rows if row.settable is Settable.BEFORE_START and row.variability == "fixed"),
            ),
            *_section(
                "Parameters, to be set at any time", (row for row in rows if row.causality == "parameter" and row.variability == "tunable")
            ),
            *_section(
                "Set by events, while time goes on; their start values before it",
                (row for row in rows if row.variability == "discrete" and row.settable is Settable.BEFORE_START),
            ),
            *([] if operations is None or interface.fixed_steps is not None else _section_of_operations(operations)),
        ),
    )
    return etree.tostring(page, method="html", encoding="UTF-8", doctype="<!DOCTYPE html>", pretty_print=True)


def licence_text() -> bytes:
    """documentation/licenses/license.txt"""
    return (_GENERATED_CODE + _licence_of_mobod()).encode()


def licence_of_python_fmu() -> bytes:
    """documentation/licenses/license.txt of an FMU that contains the binaries of pythonfmu."""
    text = distribution("pythonfmu").read_text("licenses/LICENSE")
    if text is None:
        raise MobodError("the licence of pythonfmu, which each Python FMU contains, is missing. Reinstall pythonfmu 0.7.0 or later.")
    return (_PYTHON_FMU + _licence_of_mobod() + "\n" + text).encode()


def external_dependencies(packages: Mapping[str, str], python: str | None) -> bytes:
    """documentation/externalDependencies.txt: what a Python FMU needs where it runs.

    packages  name of a distribution -> version, of the packages that the model's own code imports
    python    the version of Python for which it contains code, if it contains any
    """
    which_python = f"Python {python} (the model has code of its own, made for this version)" if python else "Python 3.11 or later"
    others = "".join(f"\n  {name} {number}" for name, number in packages.items())
    return f"""\
What this FMU needs where it runs
=================================

1. {which_python}, for a process of 64 bits on x86_64, on Linux (glibc 2.32 and libstdc++ 6.0.30 or later) or Windows.
2. In that Python: mobod {mobod_version()}, exactly, with all that it depends on:

       python -m pip install mobod=={mobod_version()}

   The model was made with these packages, and other versions of them may do:{others or " none"}

The model itself lies in resources/: whoever loads this FMU runs its code.

The library of the FMU uses the Python that its process has. A host that is Python itself (FMPy, mobod's master) needs nothing more: its own
environment is the one of 2. In another host the first instance starts a Python of the machine:

1. the one that the environment variable MOBOD_PYTHON names, if it is set: a program, such as /path/to/venv/bin/python. It may also be the
   shared library of Python; then the program of the same version is looked for as follows;
2. otherwise the first that has what stands above, of the active virtual environment (VIRTUAL_ENV) and those on PATH (python3, python, and
   on Windows the launcher py).

That Python must have a shared library: libpython, in a package of its own in some systems (libpython3.11), or python3xx.dll. PYTHONPATH and
other variables work as usual. With loggingOn the log says which Python runs. If there is none, fmi2Instantiate returns no instance, and the
log says what was tried and what is missing.

- The FMU may be unzipped to any folder, with letters beyond ASCII and characters such as # ( ) % in its path.
- If the host has a Python of another version inside, run the FMU in a process of its own.
- A Python that the FMU has started runs until the process ends, and is not finalized: functions registered with atexit do not run.

Errors: a call that fails returns fmi2Fatal, since the library knows no other status for an error; the message is handed to the logger.
A step that a shorter one could replace is no exception: with fmi2Discard the library would say that the simulation has terminated.
Ends: a step in which an event ends the simulation returns fmi2Discard, and fmi2Terminated is true. fmi2LastSuccessfulTime is then the
start of the step, since the library knows no other; the variable time, as all others, is that of the event.
States are saved, restored and serialised with all that the integration remembers.
""".encode()


def _licence_of_mobod() -> str:
    try:
        text = distribution("mobod").read_text("licenses/LICENSE")
    except PackageNotFoundError:
        checkout = native_sources().parent.parent / "LICENSE"
        text = checkout.read_text(encoding="utf-8") if checkout.is_file() else None
    if text is None:
        raise MobodError(
            "the file LICENSE of mobod, which each FMU contains, is missing. Install mobod again, from a wheel or from a whole checkout."
        )
    return text


def _section_of_operations(operations: StepOperations) -> list[etree._Element]:
    names = OperationCounts.names()
    table = builder.TABLE(builder.TR(*map(builder.TH, ("", *names))))
    counts = {"one evaluation of the rates": operations.evaluation}
    counts |= {f"a step of {integrator}": operations.of_step(integrator) for integrator in FIXED_STEP_METHODS}
    for what, count in counts.items():
        table.append(builder.TR(builder.TD(what), *(builder.TD(str(each)) for each in astuple(count))))
    text = _OPERATIONS if operations.n_uncounted == 0 else f"{_OPERATIONS} {_UNCOUNTED.format(operations.n_uncounted)}"
    return [builder.H2("Operations of a fixed step"), builder.P(text), table]


def _section(title: str, rows: Iterable[FmuVariable]) -> list[etree._Element]:
    listed = list(rows)
    if not listed:
        return [builder.H2(title), builder.P("none")]
    table = builder.TABLE(builder.TR(*map(builder.TH, ("name", "start", "unit", "least", "greatest", "meaning"))))
    for row in listed:
        kinds = {"real": row.unit, "boolean": "true or false", "integer": "whole number"}
        unit = ", ".join(f"{value}: {name}" for value, name in enumerate(row.choices, start=1)) or kinds[row.type]
        cells = (row.name, _value(row, row.start), unit, _value(row, row.minimum), _value(row, row.maximum), row.description)
        table.append(builder.TR(*map(builder.TD, cells)))
    return [builder.H2(title), table]


def _value(row: FmuVariable, value: float | None) -> str:
    if value is None:
        return ""
    return {"real": repr(value), "boolean": str(bool(value)).lower(), "integer": f"{value:g}"}[row.type]
