"""`mobod info`."""

import json
from math import cos
from pathlib import Path

import pytest


def test_json_tells_bodies_and_variables_with_units_and_start_values(run):
    done = run("info", "models.py:crane", "--json")

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["name"], told["nq"], told["nu"], told["nz"]) == ("crane", 2, 2, 0)
    assert told["bodies"] == [
        {"index": 1, "name": "trolley", "mobilizer": "Slider", "parent": "ground", "nq": 1, "nu": 1, "mass": 2.5},
        {"index": 2, "name": "load", "mobilizer": "Pin", "parent": "trolley", "nq": 1, "nu": 1, "mass": 1.3},
    ]
    parameters = {each["name"]: (each["start"], each["unit"]) for each in told["parameters"]}
    assert parameters["gravity.magnitude"] == (9.7, "m/s2")
    assert parameters["gravity.down"] == ([0.0, -1.0, 0.0], "1")
    assert parameters["spring.q_zero"] == (0.1, "rad")
    assert parameters["spring.enabled"] == (True, "1")
    assert [(each["name"], each["start"], each["unit"]) for each in told["inputs"]] == [("winch.force", 0.0, "N")]
    assert [(each["name"], each["start"]) for each in told["states"]] == [
        ("trolley.q", [0.0]),
        ("trolley.u", [0.0]),
        ("load.q", [0.0]),
        ("load.u", [0.0]),
    ]
    outputs = {each["name"]: (each["shape"], each["unit"]) for each in told["outputs"]}
    assert outputs["load.p_GB"] == ([3], "m")
    assert outputs["load.R_GB"] == ([3, 3], "1")
    assert outputs["energy"] == ([], "J")


def test_the_tables_show_every_name_of_the_catalogue(run):
    told = json.loads(run("info", "models.py:crane", "--json").stdout)
    done = run("info", "models.py:crane")

    assert done.exit_code == 0
    assert done.output.startswith("crane: 2 bodies, 2 coordinates q, 2 speeds u")
    for group in ("bodies", "states", "parameters", "inputs", "outputs"):
        assert told[group]
        for each in told[group]:
            assert each["name"] in done.output


def test_a_model_with_a_loop_tells_its_degrees_of_freedom_and_redundant_rows(run):
    models = Path("models.py")
    models.write_text(
        models.read_text()
        + """
def parallelogram():
    system = mb.MultibodySystem("parallelogram")
    matter = mb.MatterSubsystem(system)
    bar = mb.MassProperties.point(1.3, [0.2, 0, 0])
    left = mb.Pin(matter.ground, bar, name="left")
    coupler = mb.Pin(left, bar, X_PF=mb.Transform(p=[0.5, 0, 0]), name="coupler")
    right = mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[1.2, 0, 0]), name="right")
    mb.BallConstraint(coupler, [1.2, 0, 0], right, [0.5, 0, 0], name="loop")
    for body, angle in ((left, 1.1), (coupler, -1.1), (right, 1.2)):
        body.set_default_q(angle)
    return system
"""
    )
    told = json.loads(run("info", "models.py:parallelogram", "--json").stdout)

    assert told["constraints"] == [{"name": "loop", "kind": "BallConstraint", "bodies": "coupler, right", "equations": 3, "enabled": True}]
    assert (told["degrees_of_freedom"], told["constraint_equations"], told["independent_equations"]) == (1, 3, 2)
    assert told["redundant_rows"] == ["loop[3]"]
    assert told["position_error"] == pytest.approx(0.5 * (cos(1.1) - cos(1.2)))  # along x, in the base's or Ground's frame
    lines = " ".join(run("info", "models.py:parallelogram").output.split())
    assert "1 degrees of freedom; 3 constraint equations, 2 of them independent; redundant at the start: loop[3]" in lines
    assert "degrees of freedom" not in run("info", "models.py:crane").output
