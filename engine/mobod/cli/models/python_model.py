"""`path.py:function` as MODEL."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mobod.cli.script import script_errors
from mobod.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from mobod.system import System


def run_function(model: str) -> "System":
    """The result of the function.

    Raises InputError for an invalid argument and a function that returns something else, UnknownNameError for a function that does not
    exist, ScriptError for an error in the file's code.
    """
    file, colon, name = model.rpartition(":")
    if Path(model).suffix.lower() == ".py" or not colon:
        raise InputError(
            f"MODEL '{model}' names no function. Write path.py:function, a function that returns a System, or a .json, .urdf, .sdf or "
            "MJCF (.xml) file."
        )
    path = Path(file)
    if path.suffix.lower() != ".py":
        raise InputError(f"MODEL '{model}': {file} is not a Python file. Write path.py:function.")
    if not path.is_file():
        raise InputError(f"MODEL '{model}': the file {file} does not exist.")
    function = _function(_run(path), path, name)
    with script_errors(path):
        system = function()
    return _checked(system, model)


def _run(path: Path) -> ModuleType:
    """Run the file as a module. It can import modules from its folder."""
    spec = importlib.util.spec_from_file_location(f"mobod_model_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    with script_errors(path):
        spec.loader.exec_module(module)
    return module


def _function(module: ModuleType, path: Path, name: str) -> Callable[[], object]:
    candidates = {
        key: value for key, value in vars(module).items() if callable(value) and getattr(value, "__module__", "") == module.__name__
    }
    if name not in vars(module):
        raise UnknownNameError(f"function of {path}", name, candidates)
    function: object = getattr(module, name)
    if not callable(function):
        raise InputError(f"'{name}' of {path} is of type {type(function).__name__}. Name a function that returns a System.")
    return function


def _checked(system: object, model: str) -> "System":
    from mobod.system import System

    if not isinstance(system, System):
        raise InputError(f"MODEL '{model}': the function returns {type(system).__name__}, not a System.")
    return system
