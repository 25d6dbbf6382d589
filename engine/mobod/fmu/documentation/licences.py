"""Licences of an FMU, and what a Python FMU needs. The page that describes it is in index_page.py."""

from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution

from mobod.errors import MobodError
from mobod.native_sources import native_sources
from mobod.notices import joined, notices_of_libraries
from mobod.version import mobod_version

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


_OF_OTHERS = """

Works of others
========================

"""


def licence_text(libraries: Iterable[str]) -> bytes:
    """documentation/licenses/license.txt of an FMU with these libraries."""
    return (_GENERATED_CODE + _licence_of_mobod() + _OF_OTHERS + joined(notices_of_libraries(libraries))).encode()


def licence_of_python_fmu(libraries: Iterable[str]) -> bytes:
    """documentation/licenses/license.txt of an FMU that contains these libraries, pythonfmu's among them, and a module of mobod."""
    text = distribution("pythonfmu").read_text("licenses/LICENSE")
    if text is None:
        raise MobodError("the licence of pythonfmu, which each Python FMU contains, is missing. Reinstall pythonfmu 0.7.0 or later.")
    others = joined(notices_of_libraries(libraries))
    return f"{_PYTHON_FMU}mobod\n\n{_licence_of_mobod()}\n\npythonfmu\n\n{text}{_OF_OTHERS}{others}".encode()


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

The model itself lies in resources/: loading this FMU runs its code.

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
