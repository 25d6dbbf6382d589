"""The module that pythonfmu's library imports: it looks whether what the FMU needs is there, and hands all calls to mobod.

The FMU's loader (fmu_src/python/loader) runs it as a program, which describes the Python that runs it.
"""

import ctypes
import site
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# what the FMU was made with: the version of mobod; that of Python, if the model has code of its own
NEEDS: dict = {}

# The library runs this text each time that it makes an instance, and each time drops a reference to this namespace that it does not own.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(globals()))


def check_needs():
    """Raises ImportError with what is missing."""
    try:
        found = version("mobod")
    except PackageNotFoundError:
        found = None
    if found != NEEDS["mobod"]:
        raise ImportError(
            f"this FMU was made with mobod {NEEDS['mobod']}, and {f'mobod {found}' if found else 'no mobod'} is in the Python environment "
            f"{sys.prefix}. "
            f"Install it there: python -m pip install mobod=={NEEDS['mobod']}. See documentation/externalDependencies.txt."
        )
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if NEEDS["python"] not in (None, running):
        raise ImportError(
            f"this FMU holds code of a model for Python {NEEDS['python']}, and this is Python {running} ({sys.prefix}). Run it with "
            f"Python {NEEDS['python']}, or export it with this one. See documentation/externalDependencies.txt."
        )


def shared_library():
    """The path of this Python's library: libpython or python3xx.dll. Raises ImportError if there is none."""
    if sys.platform == "win32":
        path = ctypes.create_unicode_buffer(2048)
        ctypes.windll.kernel32.GetModuleFileNameW(ctypes.c_void_p(sys.dllhandle), path, len(path))
        return path.value
    loaded = [line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines() if "/libpython3." in line]
    name, folder = sysconfig.get_config_var("INSTSONAME"), Path(sysconfig.get_config_var("LIBDIR"))
    folders = (folder / (sysconfig.get_config_var("MULTIARCH") or ""), folder, Path(sys.base_prefix, "lib"))
    found = [*loaded, *(str(folder / name) for folder in folders if ".so" in name and (folder / name).is_file())]
    if not found:
        raise ImportError(
            f"Python {sys.version.split()[0]} in {sys.base_prefix} has no shared library (libpython), which a host that is not Python "
            "needs. Install it, from the package libpython3 of the system for instance, or use a Python that has it."
        )
    return found[0]


def check_can_be_loaded(loaded):
    """Raises ImportError if a host cannot use this Python. loaded: the version of Python whose library the host has already, or ''."""
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED") or sys.maxsize < 2**32:
        raise ImportError(f"{sys.version} is not CPython of 64 bits with a global lock, which the library of pythonfmu needs")
    if loaded not in ("", running):
        raise ImportError(f"this is Python {running}, but the process has loaded the library of Python {loaded}")


def describe(loaded, library):
    """Prints what the loader needs to know, a line for each thing. library: the one that the user has chosen, or ''."""
    problem = ""
    try:
        check_can_be_loaded(loaded)
        check_needs()
        library = library or shared_library()
    except ImportError as error:
        problem = str(error).replace("\n", " ")
    folders = [folder for folder in (*site.getsitepackages(), site.getusersitepackages()) if folder in sys.path]
    # the thread that starts Python imports threading and signal, which take it for the main thread; Ctrl-C is left to the host
    preparation = (
        f"import signal, site, sys, threading; sys.executable = {sys.executable!a}; "
        "signal.getsignal(signal.SIGINT) is signal.default_int_handler and signal.signal(signal.SIGINT, signal.SIG_DFL); "
        f"[site.addsitedir(each) for each in {folders!a} if each not in sys.path]; "
        "[each.reconfigure(line_buffering=True) for each in (sys.stdout, sys.stderr) if each]"
    )
    lines = ("python for mobod:", problem, sys.version.split()[0], sys.executable, library, preparation)
    sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    describe(*sys.argv[1:])
else:
    check_needs()

    from mobod.fmu.python.slave import PythonSlave

    class Slave(PythonSlave):
        """The class that the library instantiates."""
