"""Licences of an FMU, and what a Python FMU needs. The page that describes it is in index_page.py."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution

from mobod.errors import MobodError
from mobod.native_sources import native_sources
from mobod.version import mobod_version

_GENERATED_CODE = """\
The C files in sources/ and the binaries made of them are part of mobod, a multibody dynamics engine, under the licence below.
Those that say that mobod made them (model.c, kernels_1.c, variables.c, ...) were generated from a model: mobod claims no right in them,
they belong to the author of the model.

"""


_PYTHON_FMU = """\
This FMU was made by mobod, a multibody dynamics engine, which it needs where it runs. The files in resources/ hold the model, which
belongs to its author. The binaries are those of pythonfmu, under the first licence that follows. The module in resources/ is part of
mobod, under the second one.

"""


def licence_text() -> bytes:
    """documentation/licenses/license.txt"""
    return (_GENERATED_CODE + _licence_of_mobod()).encode()


def licence_of_python_fmu() -> bytes:
    """documentation/licenses/license.txt of an FMU that contains the binaries of pythonfmu and a module of mobod."""
    text = distribution("pythonfmu").read_text("licenses/LICENSE")
    if text is None:
        raise MobodError("the licence of pythonfmu, which each Python FMU contains, is missing. Reinstall pythonfmu 0.7.0 or later.")
    return f"{_PYTHON_FMU}pythonfmu\n\n{text}\n\nmobod\n\n{_licence_of_mobod()}".encode()


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

The library of the FMU is that of pythonfmu. It runs in the Python of the process that loads it, or starts one:

- A host that is Python itself (FMPy, mobod's master) needs nothing more: its own environment is the one of 2.
- Another host on Linux loads libpython before the FMU, since the library does not name it:

       LD_PRELOAD=/path/to/libpython3.x.so PYTHONPATH=/path/to/site-packages host ...

  On Windows python3.dll must be found by PATH. If the host has a Python of another version inside, run the FMU in a process of its own.
- The library reads the folder that the FMU is unzipped to from a URI, of which it decodes spaces alone: letters beyond ASCII and
  characters such as # ( ) % in that path crash it. Choose a folder with plain letters, by TMPDIR or TEMP for instance.
- Free each instance (fmi2FreeInstance) before the process ends; without that the library may abort there. A host that is not Python may end
  with a crash nonetheless, after all calls have succeeded: the library ends Python in another thread than the one that imported SciPy.
  What was computed is right; an exit code of the host is not to be relied on.

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
