"""The benchmark runs: how fast anything is, is not asserted."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "build_scripts" / "benchmark.py"


def test_its_short_form_measures_every_kind_of_thing(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--short", "--json", "records.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    records = {record.pop("name"): record for record in json.loads((tmp_path / "records.json").read_text())}
    assert all(set(record) == {"ours_native_us", "ours_vm_us", "pinocchio_us", "mujoco_us"} for record in records.values())
    for name in ("1 pins", "7 pins", "7 pins, general frames", "10 s of chain_Pin_7"):
        assert records[name]["ours_native_us"] > 0
        assert records[name]["ours_vm_us"] > records[name]["ours_native_us"]  # compiled is faster than recorded
        assert name in done.stdout
    for name in ("compile 7 pins", "doStep of a double pendulum", "doStep of an empty FMU"):
        assert records[name]["ours_native_us"] > 0
    assert "times that of an empty FMU" in done.stdout
