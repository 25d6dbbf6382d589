"""`mobod info`."""

import json


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
