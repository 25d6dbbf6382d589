"""What depends on the type of an element, a drawn shape or a subsystem is a method of it, or a table by type."""

import ast
import re
from pathlib import Path

import pytest

import mobod as mb
from mobod import registry
from mobod.matter import MatterSubsystem
from mobod.system.events.subsystem import EventSubsystem
from mobod.system.measures import MeasureSubsystem

PACKAGE = Path(mb.__file__).parent
MOST = 2  # such types among which a function may decide by itself
SUBSYSTEMS = (MatterSubsystem, mb.ForceSubsystem, MeasureSubsystem, EventSubsystem)
TABLES = [table for name, table in vars(registry).items() if name.isupper()]
KINDS = {name for table in TABLES for name in table} | {each.__name__ for each in SUBSYSTEMS}
TESTED = re.compile(r"isinstance\([^()]*, \(?([\w, ]+)|case ([\w| ()]+)\(")


def types_decided_by(function):
    """Names of the types that tests of `isinstance` and patterns of `match` in a function ask for."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name))
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            yield node.cls.id


def ladders(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and len(KINDS & set(types_decided_by(node))) > MOST:
            yield node.name


def may_have_one(source):
    """A quick look, so that few files are parsed."""
    names = {name for match in TESTED.findall(source) for part in match for name in re.findall(r"\w+", part)}
    return len(KINDS & names) > MOST


def test_no_function_decides_among_many_types_of_elements():
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    found = [f"{path.name}: {name}" for path, source in sources.items() if may_have_one(source) for name in ladders(source)]
    assert found == []


@pytest.mark.parametrize(
    "body",
    [
        "if isinstance(x, Pin):\n  pass\n elif isinstance(x, Ball):\n  pass\n elif isinstance(x, (Screw, Free)):\n  pass",
        "match x:\n  case Rod():\n   pass\n  case BallConstraint() | WeldConstraint():\n   pass",
        "return 1 if isinstance(x, Box) else 2 if isinstance(x, Sphere) else 3 * isinstance(x, Mesh)",
    ],
)
def test_ladders_are_found(body):
    source = f"def f(x):\n {body}"
    assert may_have_one(source)
    assert list(ladders(source)) == ["f"]
