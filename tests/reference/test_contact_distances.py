"""mobod compared with the distances of data/contact, and tests of the comparison."""

import copy
import json
from pathlib import Path

import pytest

from tests.reference.check import main
from tests.reference.contact_distances import compare_placement, read_distances

FILE = Path(__file__).parent / "data" / "contact" / "distances.json"
PLACEMENTS = {placement["name"]: placement for placement in read_distances(FILE)}


@pytest.mark.slow
def test_every_placement_agrees():
    reports = [compare_placement(placement) for placement in PLACEMENTS.values()]

    assert len(reports) == 12 * 14 + 11
    assert [(each.name, each.trouble, each.worst) for each in reports if not each.ok] == []


@pytest.mark.parametrize("quantity", ["distance", "normal", "point1", "point2", "distance_rate"])
def test_a_number_off_by_ten_tolerances_is_found(quantity):
    placement = copy.deepcopy(PLACEMENTS["capsule-capsule[3]"])
    content = placement["content"]
    if isinstance(content[quantity], list):
        content[quantity][1] += 1e-9 * max(1, max(map(abs, content[quantity])))
    else:
        content[quantity] += 1e-9 * max(1, abs(content[quantity]))

    assert [each.quantity for each in compare_placement(placement).compared if each.error > each.tolerance] == [quantity]


def test_unsupported_content_is_named():
    given = PLACEMENTS["box-sphere[0]"]
    of_cone = given | {"content": given["content"] | {"shape1": {"type": "cone", "radius": 1.0}}}
    with_friction = given | {"content": given["content"] | {"friction": 0.1}}

    assert compare_placement(of_cone).trouble == "not in mobod yet: a shape of type cone"
    assert compare_placement(with_friction).trouble == "not in mobod yet: a placement with friction"


@pytest.mark.slow
def test_check_accepts_the_distances(tmp_path, capsys):
    content = json.loads(FILE.read_text())
    some = {"pairs": {pair: placements[:1] for pair, placements in content["pairs"].items()}, "singular": content["singular"][:1]}
    (tmp_path / "distances.json").write_text(json.dumps(some))

    assert main([str(tmp_path)]) == 0
    assert "13 of 13 cases agree" in capsys.readouterr().out
