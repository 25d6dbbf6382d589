"""mobod compared with problems of piles that were struck (data/struck_piles), and tests of the comparison."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.reference.check import main
from tests.reference.struck_piles import compare_struck_pile, read_struck_piles

DATA = Path(__file__).parent / "data" / "struck_piles"
PROBLEMS = {problem["name"]: problem for problem in read_struck_piles(DATA / "index.json")}


@pytest.mark.parametrize("name", [each if each == "p13" else pytest.param(each, marks=pytest.mark.slow) for each in PROBLEMS])
def test_every_pile_is_solved(name):
    report = compare_struck_pile(PROBLEMS[name])
    assert (report.ok, report.trouble) == (True, None)
    assert [each.quantity for each in report.compared] == ["counts", "residual of the reference", "residual"]


def test_wrong_multipliers_are_found_and_check_reads_the_index(tmp_path, capsys):
    for file in DATA.glob("p13.npz"):
        shutil.copyfile(file, tmp_path / file.name)
    (tmp_path / "index.json").write_text((DATA / "index.json").read_text(encoding="utf-8"), encoding="utf-8")
    assert main([str(tmp_path), "--only", "p13"]) == 0
    numbers = dict(np.load(tmp_path / "p13.npz"))
    numbers["z"] = numbers["z"] * (1 + 1e-5)
    np.savez(tmp_path / "p13.npz", **numbers)
    assert main([str(tmp_path), "--only", "p13"]) == 1
    assert "in residual of the reference" in capsys.readouterr().out.splitlines()[-2]
