"""Write a Python FMU: pythonfmu's library, the System, and their description."""

from collections.abc import Iterable
from pathlib import Path

import pythonfmu

from mobod.errors import InputError, MobodError, UnsupportedError
from mobod.fmu.archive import write_archive
from mobod.fmu.documentation import external_dependencies, index_html, licence_of_python_fmu
from mobod.fmu.interface import make_interface
from mobod.fmu.model_description import Capabilities, model_description
from mobod.fmu.names import model_identifier
from mobod.fmu.python_model import python_model
from mobod.fmu.python_resources import python_version, resource_files
from mobod.fmu.system_pickle import unpickle_system
from mobod.system import State, System

_LIBRARIES = {"linux64": ("libpythonfmu-export.so", ".so"), "win64": ("pythonfmu-export.dll", ".dll")}


def write_python_fmu(
    system: System, state: State, path: Path, name: str, *, inputs: Iterable[str] = (), outputs: Iterable[str] = ()
) -> Path:
    """Write a System as an FMU for co-simulation by FMI 2.0 that runs in Python; arguments and errors are those of export_fmu."""
    if not path.parent.is_dir():
        raise InputError(f"'{path}': there is no folder '{path.parent}' to write the FMU to.")
    identifier = model_identifier(name)
    _check_no_handlers(system)
    model = python_model(system, state)
    interface = make_interface(model, name, inputs=inputs, outputs=outputs)
    _check_that_it_comes_back(model.pickled.data, system, state)

    capabilities = Capabilities(
        log_categories={},
        needs_execution_tool=True,
        serializes_state=_is_plain_data(state),
        has_directional_derivatives=False,
    )
    entries = {
        "modelDescription.xml": model_description(interface, None, capabilities),
        "documentation/index.html": index_html(interface, needs_python=True),
        "documentation/externalDependencies.txt": external_dependencies(
            model.pickled.packages, python_version() if model.pickled.holds_code else None
        ),
        "documentation/licenses/license.txt": licence_of_python_fmu(),
    }
    entries |= {f"resources/{file}": content for file, content in resource_files(model.pickled, interface).items()}
    for folder, (file, suffix) in _LIBRARIES.items():
        entries[f"binaries/{folder}/{identifier}{suffix}"] = _library(folder, file)
    write_archive(path, entries)
    return path


def _check_no_handlers(system: System) -> None:
    """PythonInstance does not look for events; reporters are no part of an FMU."""
    handlers = [] if not system.has_events else [event for event in system.events.events if not event.is_reporter]
    if handlers:
        raise UnsupportedError(
            f"event handler '{handlers[0].name}' of System '{system.name}': a Python FMU does not handle events yet. Export it with "
            "kind='native'."
        )


def _check_that_it_comes_back(data: bytes, system: System, state: State) -> None:
    """What does not survive is told here, and not where the FMU runs."""
    try:
        again, its_state = unpickle_system(data)
    except Exception as error:  # whatever an object's own way to be unpickled raises
        raise UnsupportedError(
            f"System '{system.name}' cannot be carried into an FMU: what was pickled cannot be unpickled. {type(error).__name__}: {error}. "
            "Look at __getstate__, __setstate__ and __reduce__ of your elements' classes."
        ) from error
    theirs, ours = (
        [(each.name, each.slot) for each in each_system.variables(s)] for each_system, s in ((again, its_state), (system, state))
    )
    if theirs != ours or its_state.layout.size != state.layout.size:
        raise UnsupportedError(
            f"System '{system.name}' cannot be carried into an FMU: made again from what was pickled it has other variables. Let elements "
            "allocate what depends on them alone, not on the process."
        )


def _is_plain_data(state: State) -> bool:
    try:
        state.to_bytes()
    except UnsupportedError:
        return False
    return True


def _library(folder: str, file: str) -> bytes:
    path = Path(pythonfmu.__file__).parent / "resources" / "binaries" / folder / file
    if not path.is_file():
        raise MobodError(f"the library of pythonfmu is missing: {path}. Install pythonfmu 0.7.0 or later again.")
    return path.read_bytes()
