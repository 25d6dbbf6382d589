"""mobod's couplings against samples of ArtiSynth's."""

import copy
from pathlib import Path

import pytest

from tests.reference.coupling_samples import compare_sample, read_samples

DATA = Path(__file__).parent / "data" / "couplings"
SAMPLES = {sample["name"]: sample for sample in read_samples(DATA / "coupling_samples.json")}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_coupling_is_that_of_artisynth(name):
    report = compare_sample(SAMPLES[name])

    assert report.trouble is None
    assert [each for each in report.compared if not each.error <= each.tolerance] == []


def test_a_wrench_that_is_off_is_found():
    sample = copy.deepcopy(SAMPLES["SlottedHinge[12]"])
    assert sample["coupling"] == "SlottedHinge"
    sample["constraints"][0]["wrenchG"][1] += 1e-11

    assert [each.quantity for each in compare_sample(sample).compared if each.error > each.tolerance] == ["wrenches"]
