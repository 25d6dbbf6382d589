"""mobod's couplings compared with samples of ArtiSynth's couplings."""

import copy
from pathlib import Path

import pytest

from tests.reference.coupling_samples import compare_sample, read_samples

DATA = Path(__file__).parent / "data" / "couplings"
SAMPLES = {sample["name"]: sample for sample in read_samples(DATA / "coupling_samples.json")}


@pytest.mark.fast(14)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_coupling_matches_artisynth(name):
    report = compare_sample(SAMPLES[name])

    assert report.trouble is None
    assert [each for each in report.compared if not each.error <= each.tolerance] == []


def test_a_wrong_wrench_is_found():
    sample = copy.deepcopy(SAMPLES["SlottedHinge[12]"])
    assert sample["coupling"] == "SlottedHinge"
    sample["constraints"][0]["wrenchG"][1] += 1e-11

    assert [each.quantity for each in compare_sample(sample).compared if each.error > each.tolerance] == ["wrenches"]


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({"coupling": "Gear"}, "coupling Gear"),
        ({"coupling": "SlottedHinge_width3"}, "coupling SlottedHinge_width3 with width"),
        ({"coupling": "SlottedHinge_?"}, "coupling SlottedHinge_?: ?"),
        ({"temperature": 20.0}, "a sample with temperature"),
        ({"coupling": "Hinge"}, "Hinge with constraints [3, 3, 5, 5, 18, 20], which are [3, 3, 3, 5, 5, 20] here"),
    ],
)
def test_unsupported_samples_are_named(change, trouble):
    assert compare_sample(SAMPLES["SlottedHinge[12]"] | change).trouble == f"not in mobod yet: {trouble}"


@pytest.mark.slow
def test_parameters_follow_from_the_name():
    sample = SAMPLES["Universal_ZY_skew0.3[20]"]

    assert compare_sample(sample).ok
    wrong = compare_sample(sample | {"coupling": "Universal_ZY_skew0.31"})
    assert wrong.trouble is None
    assert not wrong.agrees
