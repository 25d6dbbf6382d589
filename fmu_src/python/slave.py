"""The module that pythonfmu's library imports: it looks whether what the FMU needs is there, and hands all calls to mobod."""

import ctypes
import sys
from importlib.metadata import PackageNotFoundError, version

# what the FMU was made with: the version of mobod; that of Python, if the model has code of its own
NEEDS: dict = {}

# The library runs this text each time that it makes an instance, and each time drops a reference to this namespace that it does not own.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))


def check_needs():
    """Raises ImportError with what is missing."""
    try:
        found = version("mobod")
    except PackageNotFoundError:
        found = "not installed"
    if found != NEEDS["mobod"]:
        raise ImportError(
            f"this FMU was made with mobod {NEEDS['mobod']}, and mobod {found} is in the Python environment {sys.prefix}. "
            f"Install it there: python -m pip install mobod=={NEEDS['mobod']}. See documentation/externalDependencies.txt."
        )
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if NEEDS["python"] not in (None, running):
        raise ImportError(
            f"this FMU holds code of a model for Python {NEEDS['python']}, and this is Python {running} ({sys.prefix}). Run it with "
            f"Python {NEEDS['python']}, or export it with this one. See documentation/externalDependencies.txt."
        )


check_needs()

from mobod.fmu.python_slave import PythonSlave  # noqa: E402 - once it is known that it is the right one


class Slave(PythonSlave):
    """The class that the library instantiates."""
