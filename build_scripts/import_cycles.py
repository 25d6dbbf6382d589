"""Finds modules of the package that import each other in a cycle. Imports for types and imports within functions count too.

    python build_scripts/import_cycles.py

Exit code: 0 if there is no cycle. Remedies, best first: move a name to the module where it belongs; split a file with two subjects; pass
the
needed value instead of the whole object; write a Protocol or an abstract class for the needed part, beside its user.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import connected_components

SOURCES = Path(__file__).resolve().parents[1] / "engine"


def main() -> int:
    cycles = import_cycles(SOURCES)
    for cycle in cycles:
        print(f"{len(cycle)} modules import each other: {', '.join(cycle)}")
    return 1 if cycles else 0


def import_cycles(sources: Path) -> list[list[str]]:
    """The groups of modules below a folder that import each other."""
    files = {module_name(path.relative_to(sources)): path for path in sources.rglob("*.py")}
    names = sorted(files)
    imports = np.array([[other in imported for other in names] for imported in (imported_by(files[name], name, files) for name in names)])
    n, labels = connected_components(imports, directed=True, connection="strong")
    groups = [[names[i] for i in np.flatnonzero(labels == label)] for label in range(n)]
    return sorted(group for group in groups if len(group) > 1)


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_by(path: Path, name: str, modules: dict[str, Path]) -> set[str]:
    """The modules that a module imports, at any place of its text."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for imported in names_in(node, package):
            # `from package import name` imports a module of that name, or else a name defined in the package's own file
            found.add(imported if imported in modules else imported.rpartition(".")[0])
    return found - {name}


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
