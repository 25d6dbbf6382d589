"""The script that checks the folders of the C runtime."""

import re
from pathlib import Path

import pytest

from build_scripts.native_layers import LAYERS, MOST_FILES, SOURCES, faults_of

README = " ".join(f"`{folder}/`" for folder in LAYERS)
RIGHT = {
    "state/tree.h": "int realize(int stage);\nint observed(void);",
    "state/tree.c": '#include "tree.h"\nstatic int next(int stage) { return stage + 1; }\nint realize(int stage) { return next(stage); }',
    "events/events.h": '#include "tree.h"\nint is_due(void);',
    "events/events.c": '#include "events.h"\nint is_due(void) { return realize(2); /* observed() */ }',
    "events/witnesses.c": '#include "events.h"\nint observed(void) { return 1; }',
}


def test_files_that_use_what_lies_below_are_right():
    assert list(faults_of(RIGHT, README)) == []


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        ({"state/tree.h": '#include "events.h"\n'}, "state/tree.h includes events.h of events/, which lies above state/"),
        (
            {"state/delays.c": '#include "tree.h"\nint delay(void) { return observed(); }'},
            "state/delays.c calls observed of events/witnesses.c, which lies above state/",
        ),
        (
            {
                "events/witnesses.c": "int observed(void) {\n    return is_due();\n}",
                "events/events.c": "int is_due(void) { return observed(); }",
            },
            "2 units call each other: events, witnesses",
        ),
        ({"velocity_level/events.c": ""}, "velocity_level/events.c has the name of events/events.c: FMUs have all files in one folder"),
        ({"new/file.c": ""}, "file.c: 'new' is no folder of LAYERS"),
        ({"file.c": ""}, "file.c: '' is no folder of LAYERS"),
        (
            {f"contact/file{i}.c": "" for i in range(MOST_FILES + 1)},
            f"contact/ has {MOST_FILES + 1} files; at most 30 are easy to look through",
        ),
    ],
    ids=["include", "call", "circle", "name", "folder", "top", "files"],
)
def test_a_planted_fault_is_found(planted, fault):
    assert list(faults_of(RIGHT | planted, README)) == [fault]


def test_a_folder_that_the_readme_does_not_describe_is_found():
    assert list(faults_of(RIGHT, README.replace("`state/`", ""))) == ["the README does not describe state/"]


def test_every_file_of_the_runtime_that_a_text_names_exists():
    root = SOURCES.parents[1]
    texts = [
        path for folder in ("engine", "fmu_src", "build_scripts", "docs", "tests") for path in (root / folder).rglob("*") if is_text(path)
    ]
    missing = {
        f"{path.relative_to(root)}: {name}"
        for path in texts
        for name in re.findall(r"fmu_src/native/[\w/]+\.[ch]\b", path.read_text(encoding="utf-8"))
        if not (root / name).is_file()
    }
    assert missing == set()
    assert len(texts) > 1000


def is_text(path: Path) -> bool:
    return path.suffix in (".py", ".md", ".c", ".h", ".mjs", ".toml") and "node_modules" not in path.parts
