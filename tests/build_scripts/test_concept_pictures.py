"""The scripts that draw pictures of concepts, and the marks that show them."""

from pathlib import Path

import pytest
from concept_pictures import PICTURES, with_pictures
from lxml import etree
from themed_plots import THEMES, themed_svgs

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.fast(1)
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_an_svg_file_for_light_and_for_dark_pages_with_text_as_text(name):
    light, dark = themed_svgs(*PICTURES[name]).values()

    for svg, theme in ((light, THEMES["light"]), (dark, THEMES["dark"])):
        root = etree.fromstring(svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.findall(".//{*}text")
        assert theme.text in svg.decode()
    assert len(light) < 100_000
    assert light != dark


def test_each_picture_is_on_one_page():
    pages = [page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")]
    for name in PICTURES:
        assert sum(page.count(f"<!-- picture: {name}: ") for page in pages) == 1
    for page in pages:
        assert "<!-- picture" not in with_pictures(page, "pictures")


def test_a_mark_becomes_an_image_for_light_and_one_for_dark_pages():
    images = with_pictures("Above\n\n<!-- picture: limits: A bar -->\n\nBelow", "../pictures")

    first, second = (
        "```{image} ../pictures/limits_%s.svg\n:alt: A bar\n:class: only-%s diagram\n:width: 95%%\n```" % (2 * (each,)) for each in THEMES
    )
    assert images == f"Above\n\n{first}\n\n{second}\n\nBelow"
    with pytest.raises(KeyError):
        with_pictures("<!-- picture: nothing: of it -->", "pictures")
