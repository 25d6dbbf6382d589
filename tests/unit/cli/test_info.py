"""`mobod info`."""

import json
from math import cos
from pathlib import Path

import pytest

import mobod as mb
from mobod.cli.models.python_model import run_function


def test_json_lists_bodies_and_variables_with_units_and_start_values(run):
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


def test_info_shows_the_scales_and_what_they_were_estimated_from(run):
    told = json.loads(run("info", "models.py:crane", "--json").stdout)
    scales = mb.Simulation(run_function("models.py:crane")).scales
    assert [told["length_scale"], told["time_scale"], told["mass_scale"]] == [scales.length, scales.time, scales.mass]
    assert told["scales_from"]["time_scale"] == "the period of a pendulum as long as the length scale"
    assert (
        f"time scale: {scales.time:.4g} s (the period of a pendulum as long as the length scale)" in run("info", "models.py:crane").output
    )


def test_info_shows_degrees_of_freedom_and_redundant_rows_of_a_loop(run):
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


@pytest.fixture
def long_name(run, tmp_path):
    """The name of a body of the model models.py:build."""
    name = "a_body_with_a_name_that_is_longer_than_the_eighty_columns_that_a_pipe_was_taken_to_have"
    build = f"""
def build():
    system = crane()
    mb.Pin(system.matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="{name}")
    return system
"""
    with open(tmp_path / "models.py", "a") as models:
        models.write(build)
    return name


def test_names_are_not_cut_in_a_pipe(run, long_name):
    lines = run("info", "models.py:build").output.splitlines()

    assert [line.split()[0] for line in lines if long_name in line][:3] == [long_name, f"{long_name}.q", f"{long_name}.u"]


def test_final_values_are_not_cut_in_a_pipe(run, long_name):
    output = [f"--output={name}" for name in (f"{long_name}.q", f"der({long_name}.q)", f"der({long_name}.u)")]
    lines = run("simulate", "models.py:build", *output, "--until", "0.1").output.splitlines()

    for name in (f"{long_name}.q", f"der({long_name}.q)", f"der({long_name}.u)"):
        assert any(line.split()[:1] == [name] for line in lines)


def test_names_are_printed_one_per_line_without_anything_else(run):
    listed = json.loads(run("info", "models.py:crane", "--json").stdout)
    done = run("info", "models.py:crane", "--names")

    assert done.exit_code == 0
    assert done.output.splitlines() == [each["name"] for group in ("states", "parameters", "inputs", "outputs") for each in listed[group]]


def test_a_filter_shows_the_variables_that_match_a_pattern(run):
    names = run("info", "models.py:crane", "--names", "--filter", "load.?", "--filter", "*.force").output.splitlines()
    assert names == ["load.q", "load.u", "winch.force"]
    done = run("info", "models.py:crane", "--filter", "load.?")
    assert "load.q" in done.output
    for other in ("trolley", "bodies", "parameters"):
        assert other not in done.output
    listed = json.loads(run("info", "models.py:crane", "--filter", "*.force", "--json").stdout)
    assert [each["name"] for each in listed["inputs"]] == ["winch.force"]
    assert listed["states"] == []
    assert len(listed["bodies"]) == 2


def test_a_filter_without_a_match_and_two_formats_are_refused(run):
    done = run("info", "models.py:crane", "--filter", "laod.*")
    assert done.exit_code == 2
    assert "--filter 'laod.*': no variable of the model has such a name" in done.output
    assert run("info", "models.py:crane", "--names", "--json").exit_code == 2


@pytest.mark.slow
def test_info_lists_contacts_with_their_shapes_and_coefficients(run):
    Path("contacts.py").write_text(
        "import mobod as mb\n"
        "def model():\n"
        "    system = mb.MultibodySystem('crate')\n"
        "    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)\n"
        "    floor, crate = mb.contact.HalfSpace(), mb.contact.Box([0.1, 0.1, 0.1])\n"
        "    body = mb.Free(matter.ground, mb.MassProperties(1, [0, 0, 0], mb.Inertia.sphere(mass=1, radius=0.1)), name='body')\n"
        "    mb.RigidContact(matter.ground, floor, body, crate, static_friction=0.5, dynamic_friction=0.4, name='rigid')\n"
        "    material = mb.ContactMaterial(1e6, static_friction=0.3)\n"
        "    mb.HuntCrossleyForce(forces, matter.ground, floor, body, mb.contact.Sphere(0.1), material1=material, name='soft')\n"
        "    return system\n"
    )

    told = json.loads(run("info", "contacts.py:model", "--json").stdout)["contacts"]

    rigid, soft = told
    assert (rigid["name"], rigid["kind"], rigid["features"]) == ("rigid", "RigidContact", 8)
    assert (rigid["shape_1"], rigid["shape_2"]) == ("HalfSpace on ground", "Box on body")
    assert rigid["friction"] == {"static_friction": 0.5, "dynamic_friction": 0.4, "viscous_friction": 0.0}
    assert (soft["name"], soft["features"], soft["friction"]["static_friction1"]) == ("soft", 1, 0.3)
    assert "static 0.5, dynamic 0.4" in run("info", "contacts.py:model").output
