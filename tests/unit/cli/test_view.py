"""`mobod view`."""

import json
import re

import pytest

import mobod as mb


@pytest.fixture
def browser(monkeypatch):
    """Keeps the addresses that would be opened."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    return opened


def data_of(path):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1]
    )


def test_a_page_of_a_system_is_opened(run, tmp_path, browser):
    result = run("view", "models.py:crane", "--until", "0.5", "--set", "load.q=0.3")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("wrote crane.html (")
    assert browser == [(tmp_path / "crane.html").as_uri()]
    data = data_of(tmp_path / "crane.html")
    assert data["times"][-1] == 0.5
    assert len(data["times"]) == 31
    assert [each["name"] for each in data["series"] if each["isShown"]] == ["trolley.q", "load.q"]


def test_a_named_page_is_not_opened(run, tmp_path, browser):
    assert run("view", "models.py:crane", "--until", "0.1", "-o", "a.html", "--output", "energy", "-q").output == ""
    assert browser == []
    assert [each["name"] for each in data_of(tmp_path / "a.html")["series"] if each["isShown"]] == ["energy"]
    assert run("view", "models.py:crane", "--until", "0.1", "-o", "a.html", "--open").exit_code == 0
    assert len(browser) == 1


def test_a_page_of_fixed_steps_has_rows_at_their_ends(run, tmp_path, browser):
    """Boxes that touch each other need fixed steps."""
    options = ["--integrator", "velocity_level", "--step", "0.007"]
    result = run("view", "models.py:crane", *options, "--until", "0.07", "-o", "a.html")
    assert result.exit_code == 0, result.output
    assert data_of(tmp_path / "a.html")["times"] == pytest.approx([0.0, 0.014, 0.028, 0.042, 0.056, 0.07])


@pytest.mark.slow
def test_a_page_of_an_fmu(run, tmp_path):
    system = crane()
    mb.export_fmu(system, tmp_path / "crane.fmu", outputs=["load.q"], inputs=["winch.force"], code="interpreted")
    assert run("view", "crane.fmu", "--until", "0.2", "-o", "own.html").exit_code == 0
    own = data_of(tmp_path / "own.html")
    assert [each["name"] for each in own["scene"]["bodies"]] == ["ground", "trolley", "load"]
    assert isinstance(own["poses"][2], dict)
    assert run("simulate", "crane.fmu", "--until", "0.2", "--output", "load.q", "--output", "trolley.q", "-o", "run.csv").exit_code == 0
    assert run("view", "crane.fmu", "--csv", "run.csv", "-o", "file.html").exit_code == 0
    assert data_of(tmp_path / "file.html")["poses"] == own["poses"]


def crane():
    system = mb.MultibodySystem("crane")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    trolley = mb.Slider(matter.ground, mb.MassProperties.point(2.5, [0, 0, 0]), name="trolley")
    load = mb.Pin(trolley, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="load")
    load.set_default_q(0.3)
    mb.MobilityForce(forces, trolley, name="winch")
    return system


@pytest.mark.fast(3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["models.py:crane", "--csv", "models.py"], "--csv applies only to FMUs"),
        (["models.py:crane", "--output", "load.z"], "load.z"),
        (["models.py:crane", "-o", "a.gif"], ".html, .png or .mp4"),
        (["models.py:crane", "--until", "-1"], "-1"),
        (["models.py:crane", "--integrator", "RK4", "--step", "nan"], "positive and finite step"),
        (["models.py:crane", "--integrator", "RK4", "--step", "0.01", "--live", "--bounded"], "hard real time"),
    ],
)
def test_wrong_use_says_what_is_wrong(run, arguments, message):
    result = run("view", *arguments)
    assert result.exit_code == 2
    assert message in result.output
