"""All imports by name. Other modules import by statements, which checkers of layers, cycles and types read.

late_import       modules of mobod that are loaded when they are first needed, for a quick start
optional_package, needed_package
                  packages that only some features need
users_module      code that a model file names

build_scripts/import_cycles.py reads the names that are given to `late_import`, and refuses imports by name elsewhere.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

from mobod.errors import MobodError


def late_import(place: str) -> Any:
    """The module, or the object at 'module:name'."""
    module, _, name = place.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found


def optional_package(name: str) -> ModuleType | None:
    """The package, or None if it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{name}.".startswith(f"{missing.name}."):
            raise
        return None


def needed_package(name: str, what: str, extra: str) -> ModuleType:
    """The package. Raises MobodError, which says how to install it.

    what   the feature that needs it
    extra  the extra of mobod that contains it
    """
    package = optional_package(name)
    if package is None:
        raise MobodError(f"{what} needs the package {name}, which is not installed. Run: pip install '{name}', or 'mobod[{extra}]'.")
    return package


def users_module(name: str) -> ModuleType:
    """The module. Whoever calls this has asked the user, and turns all errors into messages: it may raise anything."""
    return import_module(name)
