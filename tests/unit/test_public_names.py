"""The names of the package `mobod` itself."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import mobod
from mobod.version import mobod_version

MODULES = {"contact", "errors", "functions", "maximal", "scalar", "spatial"}  # those that lie right below the package
PACKAGES = [mobod, *(getattr(mobod, name) for name in sorted({*MODULES, "measures", "decorations"}))]


FOLDERS = ("matter.mobilizers", "matter.constraints", "matter.motions", "forces", "couplings.kinds", "sensors")


def test_every_public_name_exists_and_is_imported_from_its_module():
    statements = ast.walk(ast.parse(Path(mobod.__file__).read_text(encoding="utf-8")))
    imports = [statement for statement in statements if isinstance(statement, ast.ImportFrom) and statement.level == 0]
    declared = {alias.asname: statement.module for statement in imports for alias in statement.names if alias.asname}
    folders = {statement.module for statement in imports for alias in statement.names if alias.name == "*"}

    assert folders == {f"mobod.{folder}" for folder in FOLDERS}
    for name in sorted(set(mobod.__all__) - MODULES):
        modules = [declared[name]] if name in declared else folders
        assert any(getattr(importlib.import_module(module), name, None) is getattr(mobod, name) for module in modules), name
    assert set(declared) < set(mobod.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'mobod' has no attribute 'Pinn'"):
        mobod.Pinn  # noqa: B018 - reading it is what raises


@pytest.mark.parametrize("name", mobod.maximal.__all__)
def test_a_name_that_has_moved_is_an_attribute_error_that_says_where_it_is(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'. '{name}' is now in mobod.maximal: write mb.maximal.{name}"):
        getattr(mobod, name)


def test_public_names_are_listed_before_they_are_used():
    listed = subprocess.run(
        [sys.executable, "-c", "import mobod; print(*dir(mobod))"], capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()

    assert set(listed) == {*mobod.__all__, "__version__"}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_public_package_lists_only_its_public_names(package):
    assert set(dir(package)) - {"__version__"} == set(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


# public ones in modules of their own, where users write the module's name too
SAME_NAMES = {"Constant": 2, "Sinusoid": 2, "Box": 2, "Cylinder": 3, "Ellipsoid": 3, "Sphere": 2}


def test_a_class_name_stands_for_one_class():
    """Of all classes of the package, private ones too."""
    sources = Path(mobod.__file__).parent.rglob("*.py")
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources]
    counts = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))

    assert {name: count for name, count in counts.items() if count > 1} == SAME_NAMES


def test_the_version_matches_that_of_the_installed_package():
    assert mobod.__version__ == mobod_version()


def own_functions(holder):
    """(qualified name, docstring) of a public class, function or constant's methods and properties that mobod itself defines."""
    if inspect.isfunction(holder):
        yield holder.__qualname__, holder.__doc__
    if not inspect.isclass(holder):
        return
    yield holder.__qualname__, holder.__dict__.get("__doc__")
    for base in holder.__mro__:
        for name, member in vars(base).items():
            function = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
            is_ours = base.__module__.startswith("mobod") and not name.startswith("_")
            if is_ours and (inspect.isfunction(function) or isinstance(member, property)):
                yield f"{base.__qualname__}.{name}", function.__doc__


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_public_method_has_a_docstring_of_its_own(package):
    found = dict(each for name in package.__all__ for each in own_functions(getattr(package, name)))

    assert [name for name, text in found.items() if not (text or "").strip()] == []
    assert package is not mobod or len(found) > 1000


def test_a_method_is_called_as_its_function_is():
    """Bodies and matter take methods from functions of other files: `lock = locks.lock`."""
    classes = [each for each in (getattr(mobod, name) for name in mobod.__all__) if inspect.isclass(each)]
    members = {member for each in classes for base in each.__mro__ for member in vars(base).items() if inspect.isfunction(member[1])}
    names = {(name, function.__name__) for name, function in members if not name.startswith("_")}

    assert {pair for pair in names if pair[0] != pair[1]} == set()
    assert ("lock_at", "lock_at") in names


@pytest.mark.slow
def test_importing_the_package_or_its_command_line_does_not_import_numerics():
    program = "import sys, mobod.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout.split()

    assert not {"numpy", "scipy", "cffi", "fmpy", "lxml", "matplotlib", "pythonfmu"} & set(loaded)
