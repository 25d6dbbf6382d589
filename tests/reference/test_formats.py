"""MJCF files that were written for mobod have MuJoCo's numbers: data/formats, by the public loader."""

from pathlib import Path

import pytest

from tests.reference.check import reports

DATA = Path(__file__).parent / "data" / "formats"


@pytest.mark.parametrize("model", ["actuators", "defaults", "joints", "loops", "sensors", "tendons"])
def test_a_loaded_model_has_the_numbers_of_mujoco(model):
    for report in reports(DATA / f"{model}.json", None):
        assert report.ok, (report.name, report.worst, report.not_compared, report.trouble)
        assert len(report.compared) >= 4  # joints, mass matrix, forces, accelerations
