"""The script that makes a page for each public name, and the one that builds the handbook."""

import re
from pathlib import Path

import pytest
from element_examples import FOLDER, examples_of
from element_pictures import element_pictures
from handbook import fetched_by
from reference_pages import GROUPS, PublicName, escaped, in_rst, public_modules, public_names, write_reference

import mobod as mb

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    write_reference(folder)
    return folder


@pytest.mark.slow
def test_each_public_name_has_a_page_that_its_group_lists(reference):
    names = public_names()
    groups = {group: (reference / f"{group}.rst").read_text(encoding="utf-8") for group in GROUPS}

    pages = {each.value if callable(each.value) else name: each.page for name, each in names.items()}
    modules = public_modules()
    assert {"cosim", "functions", "gym", "numerics", "scene"} <= set(modules)
    for name in set(mb.__all__) - set(modules):
        assert name in names
    for prefix, module in modules.items():
        for name in module.__all__:
            assert getattr(module, name) in pages, f"mb.{prefix}.{name}"
    for name, each in names.items():
        assert f"`{name} <{each.page}>`" in groups[each.group]
        assert f" {name}" in (reference / f"{each.page}.rst").read_text(encoding="utf-8")
    assert len({each.page.lower() for each in names.values()}) == len(names)  # also where upper case does not count


def test_what_pages_import_from_a_public_module_is_public():
    modules = public_modules()
    text = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    imported = set(re.findall(r"^from mobod\.(\w+) import (\([^)]*\)|.+)$", text, re.MULTILINE))
    assert {module for module, _ in imported} <= set(modules)
    for module, listed in imported:
        assert set(re.findall(r"\w+", listed)) <= set(modules[module].__all__)


def test_a_name_that_fits_no_group_is_an_error():
    with pytest.raises(LookupError, match=r"mb.new, of mobod.elsewhere, is in no group: add it to GROUPS"):
        PublicName("new", object, "mobod.elsewhere").group  # noqa: B018 - reading it is what raises


def test_the_page_of_an_element_has_its_arguments_methods_and_equations(reference):
    page = (reference / "mobilizers" / "Screw.rst").read_text(encoding="utf-8")

    given = "parent: MobilizedBody | Ground, body: RigidBody | FlexibleBody | MassProperties, X_PF: Transform | None = None"
    assert f".. py:class:: Screw({given}" in page
    assert "      * - ``pitch``\n        - m/rad: travel along the axis for each radian\n        - required\n" in page
    assert "*Equations*, ``ScrewEquations``:" in page
    assert "Derives from :doc:`MobilizedBody </reference/mobilizers/MobilizedBody>`." in page
    transform = (reference / "spatial" / "Transform.rst").read_text(encoding="utf-8")
    assert ".. py:class:: Transform(R: ArrayLike | None = None, p: ArrayLike | None = None)" in transform
    assert ".. py:method:: set_q(" in (reference / "mobilizers" / "MobilizedBody.rst").read_text(encoding="utf-8")


DRAWN = {mb.Pin: 2, mb.HingeCoupling: 2, mb.Rod: 2, mb.Gravity: 1, mb.functions.Step: 2, mb.SteadyMotion: 2, mb.measures.Delay: 2}


@pytest.mark.slow
def test_pictures_of_elements_are_on_their_pages(tmp_path):
    write_reference(tmp_path, lambda cls: element_pictures(cls) if cls in DRAWN else None)

    for name in public_names().values():
        files = [tmp_path / f"{name.page}_{i}.svg" for i in range(DRAWN.get(name.value, 0) if isinstance(name.value, type) else 0)]
        page = (tmp_path / f"{name.page}.rst").read_text(encoding="utf-8")
        assert [f".. image:: {each.name}\n" in page for each in files] == [True] * len(files)
        assert len({each.read_bytes() for each in files}) == len(files)
    plots = (tmp_path / "measures" / "measures.Delay.rst").read_text(encoding="utf-8")
    assert plots.index("measures.Delay_0.svg") < plots.index(":class: only-light") < plots.index("measures.Delay_1.svg")
    assert len(list(tmp_path.rglob("*.svg"))) == sum(DRAWN.values())
    write_reference(tmp_path)
    assert not list(tmp_path.rglob("*.svg"))


@pytest.mark.slow
def test_all_elements_that_a_picture_explains_have_one():
    drawn = {group: [each.name for each in public_names().values() if each.group == group and has_pictures(each.value)] for group in GROUPS}

    assert {group: len(names) for group, names in drawn.items() if names} == {
        "mobilizers": 17,
        "couplings": 15,
        "constraints": 12,
        "motions": 3,
        "forces": 24,
        "functions": 6,
        "measures": 12,
    }


def has_pictures(value):
    return isinstance(value, type) and element_pictures(value) is not None


NOT_ELEMENTS = {
    *(
        "Ground",
        "MobilizedBody",
        "Constraint",
        "ConstraintAnalysis",
        "Motion",
        "Force",
        "ForceParameter",
        "ForceSubsystem",
        "SegmentedBeam",
    ),
    *("measures.MeasureSubsystem", "BILATERAL", "LINEAR", "ROTARY"),
}
WITH_EXAMPLES = ("mobilizers", "constraints", "motions", "forces", "couplings", "events", "measures", "sensors", "functions")


def test_each_element_has_an_example_on_its_page(reference):
    assert {path.stem for path in FOLDER.glob("*.md")} == set(WITH_EXAMPLES)
    elements = [each for each in public_names().values() if each.group in WITH_EXAMPLES and each.name not in NOT_ELEMENTS]
    for group in WITH_EXAMPLES:
        names = {each.name.rpartition(".")[2] for each in elements if each.group == group}
        assert set(examples_of(group)) == names
    page = (reference / "constraints" / "Rod.rst").read_text(encoding="utf-8")
    assert "\n   .. code-block:: python\n\n      import numpy as np\n      import mobod as mb\n" in page
    assert "\n   It prints\n\n   ::\n\n      tension 19.62 N\n" in page


@pytest.mark.fast("motions", "functions")
@pytest.mark.parametrize("group", WITH_EXAMPLES)
def test_examples_of_elements_run_and_print_what_is_shown(group, capsys):
    for name, example in examples_of(group).items():
        exec(compile(example.code, name, "exec"), {"__name__": name})
        assert (name, capsys.readouterr().out) == (name, example.printed)


@pytest.mark.slow
def test_pages_of_names_that_are_gone_are_removed(tmp_path):
    (tmp_path / "motions").mkdir()
    (tmp_path / "motions" / "Gone.rst").write_text("Gone")

    write_reference(tmp_path)

    assert not (tmp_path / "motions" / "Gone.rst").exists()
    assert (tmp_path / "motions" / "SteadyMotion.rst").exists()


def test_tables_and_code_of_a_docstring_stay_so_and_prose_is_escaped():
    table = "    mass, com  (3,)  kg\n               of `all`\n               'x': none\n    long_name\n        below"
    rows = ["``mass, com``\n     - (3,) · kg\n       of ``all``\n\n       'x': none", "``long_name``\n     - below"]
    assert in_rst(table) == ".. list-table::\n   :widths: 22 78\n\n   * - " + "\n   * - ".join(rows)
    assert in_rst("    with view:\n        x = 1  # one") == "::\n\n   with view:\n       x = 1  # one"
    assert in_rst("Reads `a*b` of *all*.") == "Reads ``a*b`` of \\*all\\*."
    assert escaped("x_, `a`s") == "x\\_, ``a``\\ s"


@pytest.mark.slow
def test_what_a_page_fetches_is_found_and_what_a_reader_follows_is_not():
    fetches = '<script src="https://a.org/x.js"></script><link href="//b.org/y.css"><style>@import "https://c.org/z.css";</style>'

    assert [address.split("/")[2].strip('";') for address in fetched_by(fetches)] == ["a.org", "b.org", "c.org"]
    assert fetched_by('<a href="https://a.org">a</a><img src="x.png">') == []
