"""What a release has beside its wheels: bill of materials, hashes, recipe, citation, addresses, and the workflow of a public host."""

import fnmatch
import hashlib
import json
import re
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from readme_links import relative_links, with_addresses
from release_checks import _functions_of_musl
from release_documents import RECIPE, bill_of_materials, notices, recipe, sums
from release_metadata import PYTHONS, check_metadata, check_version

from mobod.notices import NOTICES
from mobod.runtime.packaged import WHEEL_TAGS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ON_CONDA_FORGE = {"matplotlib": "matplotlib-base"}  # without windows on a screen


def metadata(**changed):
    """Of a wheel, as the build makes it."""
    source = PROJECT["urls"]["Source"]
    message = Message()
    fields = {
        "Name": ["mobod"],
        "Version": [PROJECT["version"]],
        "Summary": [PROJECT["description"]],
        "Author": ["The mobod authors"],
        "License-Expression": ["Apache-2.0"],
        "License-File": ["LICENSE", *(f"engine/mobod/notices/{each.file}" for each in NOTICES)],
        "Project-URL": [f"{name}, {address}" for name, address in PROJECT["urls"].items()],
        "Classifier": PROJECT["classifiers"],
        "Requires-Dist": [*PROJECT["dependencies"], "pandas>=2.2; extra == 'data'"],
    }
    for name, values in {**fields, **changed}.items():
        for value in values:
            message[name] = value
    message.set_payload(with_addresses(README, source, PROJECT["version"]))
    return message


def wheel(folder, message):
    path = folder / "mobod-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mobod-1.dist-info/METADATA", message.as_bytes())
    return path


def test_all_places_have_the_version_of_the_project():
    assert check_version().partition(", but")[0] == PROJECT["version"]


def test_the_metadata_of_the_project_passes_and_placeholders_are_named(tmp_path):
    assert "placeholders" in check_metadata(wheel(tmp_path, metadata()))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Classifier": [*PROJECT["classifiers"], "Operating System :: OS Independent"]}, "for all systems"),
        ({"Classifier": ["Programming Language :: Python :: 3.11"]}, "versions"),
        ({"Project-URL": ["Source, https://repository.example/mobod"]}, "addresses"),
        ({"License-File": ["LICENSE"]}, "files of licences"),
    ],
)
def test_metadata_with_a_fault_is_refused(tmp_path, changed, said):
    with pytest.raises(ValueError, match=said):
        check_metadata(wheel(tmp_path, metadata(**changed)))


def test_each_relative_link_of_the_readme_is_a_file_and_has_an_address_on_an_index():
    places = relative_links(README)
    whole = with_addresses(README, "https://repository.example/mobod", "1.2.3")

    assert len(places) > 15
    assert [place for place in places if not (ROOT / place.partition("#")[0]).exists()] == []
    assert relative_links(whole) == []
    assert (
        "![The angles of a double pendulum over five seconds](https://repository.example/mobod/raw/v1.2.3/docs/double_pendulum.png)"
        in whole
    )
    assert "[Start](https://repository.example/mobod/blob/v1.2.3/docs/start.md)" in whole


def test_code_headings_and_addresses_of_a_page_stay_as_they_are():
    text = "[a](#b) [c](https://d.example/e)\n```python\nx = y[0](z)\n```\n"

    assert with_addresses(text, "https://repository.example", "1") == text


def test_the_bill_of_materials_has_files_with_hashes_what_is_bundled_and_what_is_needed(tmp_path):
    file = tmp_path / "mobod-1.tar.gz"
    file.write_bytes(b"content")

    text = bill_of_materials(metadata(), [file], 1_700_000_000)

    bill = json.loads(text)
    (listed,) = bill["metadata"]["component"]["components"]
    assert listed["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"content").hexdigest()}]
    needed = {each["name"]: each["scope"] for each in bill["components"] if "purl" in each}
    assert needed == {**{Requirement(each).name: "required" for each in PROJECT["dependencies"]}, "pandas": "optional"}
    bundled = {each["name"] for each in bill["components"] if "purl" not in each}
    assert bundled == {each.work for each in NOTICES if each.work != "three.js"}  # which pages take from the package trimesh
    assert "#".join(bill["dependencies"][0]["dependsOn"]).count("pandas") == 0
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(set(references)) == len(references)
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert text == bill_of_materials(metadata(), [file], 1_700_000_000)


def test_the_list_of_hashes_is_that_of_sha256sum(tmp_path):
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)

    assert sums([tmp_path / "b", tmp_path / "a"]).splitlines() == [f"{hashlib.sha256(n.encode()).hexdigest()}  {n}" for n in ("a", "b")]


def test_the_notices_are_all_there():
    assert [each.work for each in NOTICES if each.text.strip() not in notices()] == []


def test_the_recipe_needs_what_the_project_needs_and_gets_the_version_and_the_hash():
    made = yaml.safe_load(recipe("1.2.3", "ab" * 32))

    expected = {ON_CONDA_FORGE.get(each.name, each.name): each.specifier for each in map(Requirement, PROJECT["dependencies"])}
    found = {each.name: each.specifier for each in map(Requirement, yaml.safe_load(RECIPE.read_text())["requirements"]["run"])}
    assert found.pop("python") == Requirement(f"python{PROJECT['requires-python']}").specifier
    assert found == expected
    assert (made["context"]["version"], made["source"]["sha256"]) == ("1.2.3", "ab" * 32)
    assert [file for file in made["about"]["license_file"] if not (ROOT / file).is_file()] == []
    assert len(made["about"]["license_file"]) == 1 + len(NOTICES)
    assert made["build"]["python"]["entry_points"] == [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]


def test_the_citation_names_the_authors_as_an_entity():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    assert citation["authors"] == [{"name": "The mobod authors"}] == PROJECT["authors"]
    assert citation["license"] == PROJECT["license"]
    assert (citation["repository-code"], citation["url"]) == (PROJECT["urls"]["Source"], PROJECT["urls"]["Documentation"])


def test_functions_of_glibc_alone_are_not_taken_for_those_of_musl():
    assert {"malloc", "memcpy", "fmax", "waitid", "__errno_location", "clock_gettime"} <= _functions_of_musl()
    assert not {"__memcpy_chk", "gnu_get_libc_version", "__isoc23_strtol"} & _functions_of_musl()


# the workflow


@pytest.fixture(scope="module")
def workflow():
    return yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))


def commands(job):
    return "\n".join(step["run"] for step in job["steps"] if "run" in step)


def test_every_job_has_a_machine_a_time_limit_and_steps_that_use_or_run_something(workflow):
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"] <= 360  # the most that a hosted machine has
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        assert {each for each in [job.get("needs")] if each} <= workflow["jobs"].keys()
    # the actions of the host itself, each of one major version
    uses = {step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step}
    assert [each for each in uses if not re.fullmatch(r"actions/[\w-]+@v\d+", each)] == []
    assert workflow["permissions"] == {"contents": "read"}


def test_values_that_jobs_use_are_those_of_their_matrix(workflow):
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        known = {*matrix, *(f"machine.{key}" for each in matrix.get("machine", []) for key in each)}
        assert set(re.findall(r"matrix\.([\w.]+)", json.dumps({k: v for k, v in job.items() if k != "strategy"}))) <= known


def test_ci_runs_for_each_change_and_the_slow_tests_of_each_folder(workflow):
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}

    assert commands(workflow["jobs"]["change"]) == "bash .ci/run"
    assert set(workflow["jobs"]["slow"]["strategy"]["matrix"]["folder"]) == folders


def test_the_wheel_of_each_platform_is_tried_with_each_python(workflow):
    matrix = workflow["jobs"]["try"]["strategy"]["matrix"]
    names = {platform: f"mobod-{PROJECT['version']}-py3-none-{tag}.whl" for platform, tag in WHEEL_TAGS.items()}

    assert tuple(matrix["python"]) == PYTHONS
    chosen = {
        each["platform"]: [platform for platform, name in names.items() if fnmatch.fnmatch(name, each["wheel"])]
        for each in matrix["machine"]
    }
    assert chosen == {platform: [platform] for platform in WHEEL_TAGS}
    (pattern,) = re.findall(r"dist/(\S+\.whl)", commands(workflow["jobs"]["musl"]))
    assert [platform for platform, name in names.items() if fnmatch.fnmatch(name, pattern)] == ["x86_64-linux"]
