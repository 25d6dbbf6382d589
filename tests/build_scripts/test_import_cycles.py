"""The script that checks the imports of the package."""

import pytest

from build_scripts.import_cycles import faults_of_imports_by_name, faults_of_late_imports, import_cycles, late_imports, read_modules


@pytest.fixture
def read(tmp_path):
    """read({"name": text}) reads modules of a package."""

    def modules(texts):
        for name, text in {"__init__": "", **texts}.items():
            file = tmp_path / "package" / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return read_modules(tmp_path)

    return modules


def test_cycles_through_types_functions_relative_imports_and_names_are_found(read):
    modules = read(
        {
            "__init__": "from package.last import nothing",
            "types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package import inside",
            "inside": "def f():\n    import package.types",
            "deep/__init__": "",
            "deep/relative": "from .. import absolute",
            "absolute": "from package.deep.relative import x",
            "named": "FOLDER = 'package.deep'\ndef f(x):\n    return late_import(f'{FOLDER}.{x}')\nf('checks:check')",
            "deep/checks": "from package.named import late_import",
            "last": "import numpy\nfrom package import types\nfrom package.deep import y",
        }
    )
    assert import_cycles(modules) == [
        ["package.absolute", "package.deep.relative"],
        ["package.deep.checks", "package.named"],
        ["package.inside", "package.types"],
    ]


LATE = {("package.low", "package.high")}
FOR_TYPES = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package import high\n"


@pytest.mark.parametrize(
    ("low", "is_right"),
    [
        ("def f():\n    from package.high import x", True),
        ("from package.high import x", False),
        (f"{FOR_TYPES}def f():\n    from package import high", False),
        ("", False),
    ],
)
def test_a_late_import_of_the_table_is_no_cycle_and_must_be_in_a_function(read, low, is_right):
    modules = read({"low": low, "high": "import package.low"})
    assert not import_cycles(modules, LATE)
    assert bool(import_cycles(modules)) == bool(low)
    assert (not list(faults_of_late_imports(modules, LATE))) == is_right


@pytest.mark.parametrize(
    "text",
    [
        "from importlib import import_module",
        "import importlib\nx = importlib.import_module('json')",
        "x = __import__('json')",
        "import runpy\nrunpy.run_module('json')",
    ],
)
def test_an_import_by_name_fails_outside_the_module_for_it(read, text):
    assert list(faults_of_imports_by_name(read({"low": text})))


def test_a_name_of_another_folder_must_be_imported_by_a_statement_too(read):
    named = "x = late_import('package.other.high:x')"
    assert len(list(faults_of_imports_by_name(read({"low/one": named, "other/high": ""})))) == 1
    statement = "\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.other.high import x"
    assert not list(faults_of_imports_by_name(read({"low/one": named + statement, "other/high": ""})))


def test_the_table_is_that_of_the_contract_on_the_layers_of_the_package(tmp_path):
    text = """
        [tool.importlinter]
        root_package = "a"
        contracts = [{containers = ["a.d"], ignore_imports = ["a.d -> a.e"]}, {containers = ["a"], ignore_imports = ["a.b -> a.c"]}]
    """
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert late_imports(tmp_path / "pyproject.toml") == {("a.b", "a.c")}
