"""The examples of elements in docs/examples_of_elements: a file for each group of the reference, which the pages of public names show.

A file begins with a block of code, with which all of its examples begin. Each example is a heading, a block of code, and what it prints.
"""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "examples_of_elements"

_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
_EXAMPLE = re.compile(r"^## (\w+)\n\n```python\n(.*?)```(?:\n\n```\n(.*?)```)?\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """code: a whole program; printed: what it prints"""

    code: str
    printed: str


def examples_of(group: str) -> dict[str, Example]:
    """The examples of a group by the names of elements, as they are below `mb` or their module; none if the group has no file."""
    path = FOLDER / f"{group}.md"
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    beginning, _, rest = text.partition("\n## ")
    (first,) = _BLOCK.findall(beginning)
    return {name: Example(f"{first}\n{code}", printed) for name, code, printed in _EXAMPLE.findall("\n## " + rest)}
