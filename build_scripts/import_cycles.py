"""Checks the imports of the package: no modules import each other in a cycle, and imports by name are in the places for them.

    python build_scripts/import_cycles.py

Imports for types and imports within functions count too, and so do the names of modules in files that call `late_import`. Those that
[tool.importlinter] in pyproject.toml has as late imports are no part of cycles; each must be within a function.

Exit code: 0 if all is well. Remedies for a cycle, best first: move a name to the module where it belongs; split a file with two subjects;
pass the needed value instead of the whole object; write a Protocol or an abstract class for the needed part, beside its user.
"""

# Decision: docs/decisions/178-late-imports.md

import ast
import sys
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "engine"
BY_NAME = "mobod.late_imports"  # the module with all imports by name
FUNCTIONS_BY_NAME = ("import_module", "__import__", "run_module")

Import = tuple[str, str]
"""The importing and the imported module."""


@dataclass
class Module:
    """What a file imports.

    at_start     by statements at its top level, also for types
    in_functions by statements in functions
    by_name      by names in texts
    lines        of imports by name that are not done by BY_NAME
    """

    at_start: set[str] = field(default_factory=set)
    in_functions: set[str] = field(default_factory=set)
    by_name: set[str] = field(default_factory=set)
    lines: list[int] = field(default_factory=list)


def main() -> int:
    modules, late = read_modules(SOURCES), late_imports(ROOT / "pyproject.toml")
    faults = [f"{len(cycle)} modules import each other: {', '.join(cycle)}" for cycle in import_cycles(modules, late)]
    faults += [*faults_of_late_imports(modules, late), *faults_of_imports_by_name(modules)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


def late_imports(pyproject: Path) -> set[Import]:
    """The imports that the contract on the layers of the package ignores."""
    linter = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(each for each in linter["contracts"] if each.get("containers") == [linter["root_package"]])
    return {(importer, imported) for importer, _, imported in (each.partition(" -> ") for each in contract["ignore_imports"])}


def read_modules(sources: Path) -> dict[str, Module]:
    """The modules below a folder."""
    files = {module_name(path.relative_to(sources)): path for path in sources.rglob("*.py")}
    return {name: read_module(path, name, files) for name, path in files.items()}


def import_cycles(modules: dict[str, Module], late: Collection[Import] = ()) -> list[list[str]]:
    """The groups of modules that import each other."""
    names = sorted(modules)
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for i, name in enumerate(names):
        module = modules[name]
        imported = module.at_start | module.in_functions | module.by_name
        matrix[i] = [other in imported and (name, other) not in late for other in names]
    n, labels = connected_components(matrix, directed=True, connection="strong")
    groups = [[names[i] for i in np.flatnonzero(labels == label)] for label in range(n)]
    return sorted(group for group in groups if len(group) > 1)


def faults_of_late_imports(modules: dict[str, Module], late: Collection[Import]) -> Iterator[str]:
    """Those of the table that are not within a function."""
    for importer, imported in sorted(late):
        if importer.endswith("__main__"):
            continue
        if imported not in modules[importer].in_functions or imported in modules[importer].at_start:
            yield f"{importer}: the late import of {imported} must be a statement in a function, and only there"


def faults_of_imports_by_name(modules: dict[str, Module]) -> Iterator[str]:
    """Imports by name outside the module for them, and those of other folders that no statement shows to import-linter."""
    for name, module in sorted(modules.items()):
        if name != BY_NAME:
            yield from (f"{name}, line {line}: an import by name. Write a statement, or see {BY_NAME}" for line in module.lines)
        for imported in sorted(module.by_name - module.at_start - module.in_functions):
            if imported.split(".")[:2] != name.split(".")[:2]:
                yield f"{name}: it imports {imported} by name. Import it by a statement too, for types, so that the layers are checked"


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_module(path: Path, name: str, modules: Collection[str]) -> Module:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree, found = ast.parse(path.read_text(encoding="utf-8")), Module()
    in_functions = {id(node) for function in ast.walk(tree) if isinstance(function, FUNCTION) for node in ast.walk(function)}
    for node in ast.walk(tree):
        for imported in names_in(node, package):
            # `from package import name` imports a module of that name, or else a name defined in the package's own file
            module = imported if imported in modules else imported.rpartition(".")[0]
            (found.in_functions if id(node) in in_functions else found.at_start).add(module)
            if imported.rpartition(".")[2] in FUNCTIONS_BY_NAME and isinstance(node, ast.stmt):
                found.lines.append(node.lineno)
        if isinstance(node, ast.Call) and called(node) in FUNCTIONS_BY_NAME:
            found.lines.append(node.lineno)
    if any(isinstance(node, ast.Call) and called(node) == "late_import" for node in ast.walk(tree)):
        found.by_name = modules_in_texts(tree, modules)
    for group in (found.at_start, found.in_functions, found.by_name):
        group.discard(name)
    return found


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def called(node: ast.Call) -> str:
    """The name of the function, without its module."""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def modules_in_texts(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """The modules that texts name: 'package.module', 'package.module:name', or 'module:name' beside the text 'package'."""
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    packages = texts & set(modules)
    found = set[str]()
    for text in texts:
        module, colon, _ = text.partition(":")
        inside = [f"{package}.{module.strip('.')}" for package in packages] if colon else []
        found.update(name for name in (module, *inside) if name in modules)
    return found


def names_in(node: ast.AST, package: str) -> Iterator[str]:
    """The names that a statement imports, with their modules; empty for other statements."""
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
        module = ".".join([*above, *([node.module] if node.module else [])])
        yield from (f"{module}.{each.name}" for each in node.names)


if __name__ == "__main__":
    sys.exit(main())
