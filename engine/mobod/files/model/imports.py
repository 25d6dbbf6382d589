"""Python code that a model file names: `package.module:name`."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from mobod.errors import ModelFileError, UnsupportedError
from mobod.files.model.place import Place, made
from mobod.late_imports import users_module

T = TypeVar("T")


def import_path(target: object, what: str) -> str:
    """The import path of a class or function. Raises UnsupportedError, which names `what`, if it cannot be imported."""
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    if module is None or name is None or "<" in name:
        raise UnsupportedError(
            f"{what} cannot be saved: its code, {name or target!r}, is a lambda or is defined inside a function, so that it cannot be "
            "imported. "
            "Define it at the top level of a module."
        )
    if module == "__main__":
        raise UnsupportedError(
            f"{what} cannot be saved: '{name}' is defined in the running script. Move it to a module that can be imported."
        )
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not target:
        raise UnsupportedError(f"{what} cannot be saved: {module}:{name} is another object.")
    return f"{module}:{name}"


def imported(path: str, place: Place, base: type | None = None) -> Any:
    """The class, derived from `base`, or the function at an import path.

    Raises ModelFileError if importing is not allowed, fails, or gives something else.
    """
    if not place.allow_imports:
        place.fail(f"it needs the Python code {path}. If you trust it, write load_model(..., allow_imports=True).")
    module, _, name = path.partition(":")
    try:
        found: Any = users_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # the module is the user's: it may raise anything
        place.fail(f"{path} cannot be imported: {type(error).__name__}: {error}.")
    if base is not None and not (isinstance(found, type) and issubclass(found, base)):
        place.fail(f"{path} is no subclass of {base.__name__}.")
    if base is None and not callable(found):
        place.fail(f"{path} is no function but of type {type(found).__name__}.")
    return found


def made_by_users(path: str, place: Place, make: Callable[[], T]) -> T:
    """The result of `make`, which runs the code at an import path. Its errors become errors at the place."""
    try:
        return made(place, make)
    except ModelFileError:
        raise
    except Exception as error:  # the code is the user's: it may raise anything
        place.fail(f"{path} raised {type(error).__name__}: {error}.")
