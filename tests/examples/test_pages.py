"""The files and names that the pages on decisions, words and architecture mention exist."""

import ast
import re
from itertools import groupby
from pathlib import Path
from textwrap import dedent

import pytest
from narrow_code import BLOCK, narrowed, pages, wide_lines

from mobod.native_sources import native_folders

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
PATH = r"(?:engine|fmu_src|tests|build_scripts|examples|docs)/[\w./]+"


# of the files that READMEs and chapters name by their last part
FOLDERS = [*(REPOSITORY / folder for folder in ("", "engine/mobod", "engine/mobod/fmu")), *native_folders()]
READMES = [REPOSITORY / folder / "README.md" for folder in ("", "engine/mobod", "engine/mobod/fmu", "fmu_src/native")]
# validation.md cites files of other projects, and changes of a version name files of their time
CHAPTERS = [
    page
    for page in pages()
    if page.parent.name not in ("decisions", "coming_from") and page.name != "validation.md" and not page.name.startswith("changes_of_")
]

PAGES = [DOCS / "glossary.md", DOCS / "concepts" / "architecture.md"]


@pytest.mark.parametrize("walk", ["A joint's angle, from set_q to an FMU's output", "From export_fmu to the archive"])
def test_a_walk_through_the_code_enters_each_folder_once(walk):
    page = (DOCS / "concepts" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition(f"## {walk}\n")[2].partition("\n## ")[0]
    steps = "".join(paragraph for paragraph in section.split("\n\n") if re.match(r"\d+\. ", paragraph))
    entered = [folder for folder, _ in groupby(re.findall(r"`((?:engine/mobod|fmu_src/native)/\w+)", steps))]
    assert len(entered) > 5
    assert len(entered) == len(set(entered)), entered


@pytest.mark.parametrize("page", [*PAGES, *DECISIONS], ids=lambda page: page.stem)
def test_every_path_and_name_in_a_page_exists(page):
    text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    for path in re.findall(rf"`({PATH})`", text):
        assert (REPOSITORY / path).exists(), path
    for name, path in re.findall(rf"`([^`]+)` in `({PATH})`", text):
        assert re.search(rf"\b{re.escape(name)}\b", (REPOSITORY / path).read_text(encoding="utf-8")), f"{name} in {path}"


@pytest.mark.parametrize("page", [*READMES, *CHAPTERS], ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_source_file_named_in_a_page_exists(page):
    for name in re.findall(r"`([\w/]+\.(?:py|c|h))`", page.read_text(encoding="utf-8")):
        assert any((folder / name).is_file() for folder in FOLDERS), name


def test_each_decision_is_short_complete_and_indexed():
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    numbers = [decision.name[:3] for decision in DECISIONS]
    assert len(set(numbers)) == len(numbers)
    for decision in DECISIONS:
        lines = decision.read_text(encoding="utf-8").splitlines()
        title = lines[0].removeprefix(f"# {decision.name[:3]} ")
        assert len(lines) <= 15, decision.name
        assert re.fullmatch(r"\d{4}-\d\d-\d\d\. Status: in force\.", lines[2]), f"{decision.name}: others are in superseded.md"
        assert re.findall(r"^\*\*(\w+)\.\*\* ", "\n".join(lines), re.MULTILINE) == ["Context", "Decision", "Consequence"], decision.name
        assert f"| [{decision.name[:3]}]({decision.name}) | {title} |" in index, decision.name
    assert len(re.findall(r"\]\(\d{3}-", index)) == len(DECISIONS)


def test_superseded_decisions_are_on_one_page_and_indexed():
    index, page = ((DOCS / "decisions" / name).read_text(encoding="utf-8") for name in ("README.md", "superseded.md"))
    titles = re.findall(r"^## (\d{3}) (.+)$", page, re.MULTILINE)
    assert len(titles) == len(re.findall(r"Status: superseded by \[\d{3}\]\(\d{3}-[\w-]+\.md\)\.", page)) >= 4
    for number, title in titles:
        assert f"| [{number}](superseded.md#{number}-" in index
        assert f"| {title} (superseded) |" in index


def test_each_decision_is_linked_from_code_or_a_page_and_no_link_is_dead():
    files = [REPOSITORY / "README.md", *(page for page in pages() if page.parent.name != "decisions")]
    files += [
        path
        for folder in ("engine", "fmu_src", "build_scripts")
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in (".py", ".c", ".h", ".js", ".md")
    ]
    linked = {name for file in files for name in re.findall(r"decisions/(\d{3}-[\w-]+\.md)", file.read_text(encoding="utf-8"))}
    assert linked == {decision.name for decision in DECISIONS}


def test_code_fits_the_column_of_its_page():
    wide = {str(page.relative_to(REPOSITORY)): wide_lines(page.read_text(encoding="utf-8")) for page in pages()}
    assert {page: lines for page, lines in wide.items() if lines} == {}, "python build_scripts/narrow_code.py breaks them"


def test_broken_code_does_the_same():
    text = """
        def f(values, names):  # of values
            # above
            total = sum(value for value in values if value > 0) + 17 * len(values) + len(names)  # the sum of what is positive
            print(f"the sum of {len(values)} values is {total:.6f} and the first name is {names[0]}, the last one {names[-1]}")
            return [
                total, f(values[1:], names) if values[1:] else 0,  # the rest, which is shorter by a single value
                12345 * total,
            ]
        """
    page = f"# Page\n\n```python\n{dedent(text).lstrip()}```\n\nwords\n"
    made = narrowed(page)
    assert wide_lines(page)
    assert not wide_lines(made)
    (before,), (after,) = BLOCK.findall(page), BLOCK.findall(made)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(before))
    comments = [sorted(re.findall("# .*", code)) for code in (before, after)]
    assert comments[0] == comments[1]
    assert after.index("# the sum of what is positive") < after.index("total = sum")
    assert narrowed(made) == made
