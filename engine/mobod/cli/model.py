"""The argument MODEL: makes a System from `path.py:function`, a model file or a URDF file."""

import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from mobod.cli.options import two_sides
from mobod.cli.script import script_errors
from mobod.cli.urdf import load_urdf_file
from mobod.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from mobod.system import State, System


URDF_SUFFIXES = (".urdf", ".xacro")


def is_file_of_data(model: str) -> bool:
    """Whether the MODEL is a file to read, not a function to call."""
    return Path(model).suffix.lower() in (".json", *URDF_SUFFIXES)


def load_system(
    model: str,
    urdf_settings: Sequence[str] = (),
    *,
    strict: bool = False,
    allow_imports: bool = False,
    allow_macros: bool = False,
    found: list[dict[str, Any]] | None = None,
) -> "System":
    """The System of a model file or a URDF file, or the result of the function.

    urdf_settings  how to read a URDF file, name=value
    strict         whether a URDF file that must be changed is refused
    allow_imports  whether a model file may name Python code
    allow_macros   whether macros of a URDF file may be expanded, which executes Python code that it contains
    found          receives changes and omissions of a URDF file, as JSON; without it, a summary goes to the error stream

    Raises InputError for an invalid argument and a function that returns something else, UnknownNameError for a function that does not
    exist, ScriptError for an error in the file's code, ModelFileError.
    """
    suffix = Path(model).suffix.lower()
    if strict:
        urdf_settings = (*urdf_settings, "strict=true")
    if allow_macros:
        urdf_settings = (*urdf_settings, "allow_macros=true")
    if suffix in URDF_SUFFIXES:
        return load_urdf_file(Path(model), urdf_settings, found)
    if urdf_settings:
        raise InputError(f"MODEL '{model}' is not a URDF file, and --urdf, --strict and --allow-macros apply only to URDF files.")
    if suffix == ".json":
        if not Path(model).is_file():
            raise InputError(f"MODEL '{model}': the file does not exist.")
        from mobod.files import load_model

        return load_model(model, allow_imports=allow_imports)
    file, colon, name = model.rpartition(":")
    if suffix == ".py" or not colon:
        raise InputError(
            f"MODEL '{model}' names no function. Write path.py:function, a function that returns a System, or a .json or .urdf file."
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
    function = getattr(module, name)
    if not callable(function):
        raise InputError(f"'{name}' of {path} is of type {type(function).__name__}. Name a function that returns a System.")
    return function


def _checked(system: object, model: str) -> "System":
    from mobod.system import System

    if not isinstance(system, System):
        raise InputError(f"MODEL '{model}': the function returns {type(system).__name__}, not a System.")
    return system


def apply_settings(system: "System", state: "State", settings: Sequence[str]) -> None:
    """Apply each setting `name=value`. A value is a number, numbers separated by commas, true or false.

    A name may be that of one element of an array: `gravity.down[2]`.
    """
    for setting in settings:
        name, text = two_sides("--set", setting)
        system.set_value(state, name, _parsed(setting, text))


def _parsed(setting: str, text: str) -> float | bool | list[float]:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--set {setting}: '{text}' is not a number, a list of numbers such as 1,2,3, true or false.") from None
    return numbers[0] if len(numbers) == 1 else numbers
