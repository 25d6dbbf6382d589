"""A class that grows becomes two: one has a part that is the other."""

import ast
from pathlib import Path

import mobod

MOST = 350  # lines


def test_no_class_has_more_lines_than_a_reader_keeps_in_mind():
    found = []
    for path in Path(mobod.__file__).parent.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if source.count("\n") > MOST:
            classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
            found += [f"{path.name}: {each.name}" for each in classes if (each.end_lineno or 0) - each.lineno >= MOST]
    assert found == []
