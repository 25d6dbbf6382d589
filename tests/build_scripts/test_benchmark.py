"""The benchmark runs. Its times are not tested."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mobod as mb
from build_scripts.benchmark_mixed_trees import MOBILIZERS, mixed_tree
from tests.laws import mechanisms

BENCHMARK = Path(__file__).parents[2] / "build_scripts" / "benchmark.py"


@pytest.mark.slow
def test_the_short_benchmark_measures_everything(tmp_path):
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--short", "--json", "records.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    records = {record.pop("name"): record for record in json.loads((tmp_path / "records.json").read_text())}
    assert all(set(record) == {"ours_native_us", "ours_vm_us", "pinocchio_us", "mujoco_us", "steps"} for record in records.values())
    names = (
        "1 pins",
        "7 pins",
        "7 pins, general frames",
        "humanoid of 33 degrees of freedom",
        "6 pins with 2 rods",
        "10 s of chain_Pin_7",
        "5 s of the custom joint demo",
        *(f"A0{i} at accuracy 1e-06" for i in range(1, 6)),
        "adjoint of 3 pins, all at once",
        "adjoint of 3 pins, by columns",
    )
    for name in names:
        assert records[name]["ours_native_us"] > 0
        assert records[name]["ours_vm_us"] > 0
        assert name in done.stdout
    for name in (
        "compile 7 pins",
        "compile a mixed tree of 2 bodies",
        "mixed tree of 2 bodies",
        "the same by steps of 1 ms",
        "doStep of a double pendulum",
        "doStep of a double pendulum, FMI 3.0",
        "doStep of an empty FMU",
        "doStep of an empty FMU, FMI 3.0",
        "mounted pendulum",
        "mounted pendulum as an FMU",
        "mounted pendulum by CVODE",
    ):
        assert records[name]["ours_native_us"] > 0
    for name in ("graph of 100 bodies and joints", "building a System of 10 joints", "export of 7 pins"):
        assert records[name]["ours_vm_us"] > 0
    assert "times that of an empty FMU" in done.stdout
    assert "of the time by columns" in done.stdout
    assert "times the chain without" in done.stdout
    assert "times as long as CVODE" in done.stdout
    assert "us a body" in done.stdout
    assert "times as long as with the same one recorded" in done.stdout


@pytest.mark.slow
def test_the_benchmark_of_contacts_measures_cost_and_error_of_each_scheme():
    command = [sys.executable, str(BENCHMARK.with_name("benchmark_contacts.py")), "--short", "--only", "bowling ball"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines() if "accuracy" in line or "steps" in line]
    errors = {scheme: float(error) for scheme, cost, error in rows if float(cost.replace(",", "")) > 0}
    assert len(errors) == 6
    assert errors["rigid, accuracy 1e-8"] < 1e-9
    assert 8 < errors["rigid, steps of 1 ms"] / errors["rigid, steps of 0.1 ms"] < 12  # of first order
    assert 1e-4 < errors["forces, Rodas5P, accuracy 1e-6"] < 1e-2


@pytest.mark.slow
def test_a_mixed_tree_has_every_mobilizer_in_both_directions_and_every_force():
    system, _ = mixed_tree(2 * len(MOBILIZERS))
    every = {name.split()[0] for name in mechanisms.MOBILIZERS}
    for direction in (False, True):
        assert {type(body).__name__ for body in system.matter.bodies if body.is_reversed is direction} == every
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    of_contact = {each for each in mechanisms.FORCES if "Contact" in each or "Friction" in each}
    of_contact |= {"HuntCrossleyForce", "SmoothSphereHalfSpaceForce", "ElasticFoundationForce"}  # measured by themselves
    assert {type(force).__name__ for force in forces.elements} == set(mechanisms.FORCES) - of_contact
