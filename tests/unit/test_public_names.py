"""The names of the package `mobod` itself."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import mobod


def test_every_public_name_is_there_and_is_imported_from_where_its_type_says():
    statements = ast.walk(ast.parse(Path(mobod.__file__).read_text(encoding="utf-8")))
    declared = {
        alias.name: statement.module for statement in statements if isinstance(statement, ast.ImportFrom) for alias in statement.names
    }

    for name in mobod.__all__:
        assert getattr(mobod, name) is getattr(importlib.import_module(declared[name]), name)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'mobod' has no attribute 'Pinn'"):
        mobod.Pinn  # noqa: B018 - reading it is what raises


def test_public_names_are_listed_before_they_are_used():
    listed = subprocess.run(
        [sys.executable, "-c", "import mobod; print(*dir(mobod))"], capture_output=True, text=True, timeout=60, check=True
    ).stdout.split()

    assert set(mobod.__all__) <= set(listed)


def test_importing_the_package_or_its_command_line_waits_for_no_numerics():
    program = "import sys, mobod.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout.split()

    assert not {"numpy", "scipy", "cffi", "fmpy", "lxml", "matplotlib", "pythonfmu"} & set(loaded)
