"""Checks of the metadata of wheels and of what else a package index and readers of a release see."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from readme_links import relative_links
from release_documents import ROOT, metadata_of

from mobod.notices import NOTICES

URLS = {"Source", "Documentation", "Changelog", "Issues"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SCHEMAS = {"github-workflows": ".github/workflows/ci.yml", "citation-file-format": "CITATION.cff"}
PLACEHOLDER = ".example"  # hosts with this end exist nowhere (RFC 2606)


def check_metadata(wheel: Path) -> str:
    """Checks what an index shows of a wheel. Raises ValueError. Returns a remark if addresses are placeholders."""
    metadata = metadata_of(wheel)
    classifiers = metadata.get_all("Classifier", [])
    _expect("Operating System :: OS Independent" not in classifiers, "a wheel with libraries says that it is for all systems")
    listed = {each.rpartition(" ")[2] for each in classifiers if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", each)}
    _expect(listed == set(PYTHONS), f"it names the versions {sorted(listed)} of Python")
    urls = dict(each.split(", ", 1) for each in metadata.get_all("Project-URL", []))
    _expect(urls.keys() == URLS, f"its addresses are {sorted(urls)}")
    _expect(metadata["Author"] == "The mobod authors", f"its author is {metadata['Author']}")
    files = {each.rpartition("/")[2] for each in metadata.get_all("License-File", [])}
    _expect(files == {"LICENSE", *(each.file for each in NOTICES)}, f"its files of licences are {sorted(files)}")
    text = str(metadata.get_payload())
    _expect(not relative_links(text), f"links of the readme lead nowhere on an index: {', '.join(relative_links(text))}")
    return "addresses are placeholders: set [project.urls]" if any(PLACEHOLDER in each for each in urls.values()) else "passed"


def check_version() -> str:
    """Checks that each place has the version of pyproject.toml. Raises ValueError. Returns it, and how many changes are not sorted yet."""
    number: str = tomllib.loads(_read("pyproject.toml"))["project"]["version"]
    found = {
        "CITATION.cff": re.findall(r"^version: (\S+)$", _read("CITATION.cff"), re.MULTILINE),
        "packaging/conda-forge/recipe.yaml": re.findall(r'^  version: "(\S+)"$', _read("packaging/conda-forge/recipe.yaml"), re.MULTILINE),
        "CHANGELOG.md": re.findall(r"^## \[(\d\S*)\]", _read("CHANGELOG.md"), re.MULTILINE)[:1],
    }
    wrong = {place: versions for place, versions in found.items() if versions != [number]}
    _expect(not wrong, f"pyproject.toml has the version {number}, but: {wrong}")
    unreleased = _read("CHANGELOG.md").partition("## [Unreleased]")[2].partition("\n## [")[0]
    n_entries = len(re.findall(r"^- ", unreleased, re.MULTILINE))
    return f"{number}, but {n_entries} entries are under Unreleased: run sort_changelog.py" if n_entries else number


def check_schemas() -> None:
    """Compares the workflow and the citation with their schemas, which the package check-jsonschema has. Raises CalledProcessError."""
    for schema, file in SCHEMAS.items():
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(ROOT / file)]
        subprocess.run(command, check=True, capture_output=True, text=True)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _expect(is_right: bool, message: str) -> None:
    if not is_right:
        raise ValueError(message)
