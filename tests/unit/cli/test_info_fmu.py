"""`mobod info` of FMUs: of mobod's own, and of others of FMI 2.0 and 3.0."""

import json
import zipfile

import pytest

from mobod.cli.fmu_info import GROUPS
from tests.importer.foreign_fmus import build_foreign_fmu


@pytest.fixture
def crane(run):
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--input", "winch.force", "--output", "load.q", "-q")
    assert done.exit_code == 0, done.output
    return "crane.fmu"


@pytest.mark.slow
def test_json_has_the_description_of_an_fmu_of_mobod(run, crane):
    done = run("info", crane, "--json")

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["name"], told["fmi_version"], told["interfaces"]) == ("crane", "2.0", ["co-simulation", "model-exchange"])
    assert told["generation_tool"].startswith("mobod ")
    assert told["runs_here"] == {"co-simulation": True, "model-exchange": True}
    assert told["continuous_states"] == 4
    assert told["capabilities"]["co-simulation"]["canGetAndSetFMUstate"] is True
    assert told["default_experiment"]["start"] == 0.0
    (force,) = told["inputs"]
    assert (force["name"], force["unit"], force["start"], force["type"], force["shape"]) == ("winch.force", "N", 0.0, "Real", [])
    stiffness = next(each for each in told["parameters"] if each["name"] == "spring.stiffness")
    assert (stiffness["min"], stiffness["max"], stiffness["variability"]) == (0.0, None, "tunable")
    assert [each["name"] for each in told["outputs"]] == ["load.q"]
    assert told["warnings"] == []


def test_json_has_arrays_enumerations_and_aliases_of_fmi_3(run, foreign):
    told = json.loads(run("info", foreign["tank"], "--json").stdout)

    assert (told["fmi_version"], told["interfaces"]) == ("3.0", ["co-simulation", "model-exchange"])
    assert (told["continuous_states"], told["event_indicators"], told["states"]) == (1, 1, ["level"])
    assert told["default_experiment"] == {"start": 0.0, "stop": 2.0, "tolerance": None, "step": 0.125}
    named = {each["name"]: each for group in GROUPS for each in told[group]}
    assert (named["gains"]["shape"], named["gains"]["start"]) == ([3], [1.0, 2.0, 3.0])
    assert named["table"]["shape"] == [2]
    assert named["method"]["items"] == {"slow": 1, "fast": 2}
    assert (named["small"]["max"], named["n"]["min"]) == (9.0, 1.0)
    assert named["height"]["unit"] == named["level"]["unit"] == "m"
    assert named["label"]["start"] == "tank"


def test_the_tables_show_every_variable_but_local_ones(run, foreign):
    fmu = foreign["tank"]
    told = json.loads(run("info", fmu, "--json").stdout)
    done = run("info", fmu)

    assert done.exit_code == 0, done.output
    assert done.output.startswith("Tank: an FMU of FMI 3.0 for co-simulation and model-exchange\n")
    for fact in ("by hand", "runs here           yes", "start 0 s, stop 2 s, step 0.125 s", "Float64[3]", "slow", "height of the water"):
        assert fact in done.output
    for group in ("parameters", "inputs", "outputs"):
        assert told[group]
        for each in told[group]:
            assert each["name"] in done.output
    assert "and 5 local variables" in done.output


def test_filter_and_names_work_as_for_a_system(run, foreign):
    fmu = foreign["ball"]

    assert run("info", fmu, "--names", "--filter", "?", "--filter", "der(h)").output.splitlines() == ["g", "e", "u", "h", "v", "der(h)"]
    assert "--filter 'x*': no variable of the model has such a name" in run("info", fmu, "--filter", "x*").stderr
    shown = run("info", fmu, "--filter", "der(?)").output
    assert "der(v)" in shown
    assert "an FMU of FMI" not in shown


def test_an_fmu_for_another_platform_is_described(run, foreign, tmp_path):
    path = tmp_path / "elsewhere.fmu"
    with zipfile.ZipFile(foreign["ball"]) as source, zipfile.ZipFile(path, "w") as target:
        target.writestr("modelDescription.xml", source.read("modelDescription.xml"))
        target.writestr("binaries/riscv64-plan9/ball.so", b"")
    done = run("info", path)

    assert done.exit_code == 0, done.output
    assert "riscv64-plan9" in done.output
    assert "no: it has no library for this platform" in done.output


def test_a_description_that_breaks_a_rule_is_shown_with_a_warning(run, tmp_path):
    fmu = build_foreign_fmu("ball", tmp_path / "ball.fmu", ('initial="exact"><Real start="0"/>', 'initial="exact"><Real/>'))
    done = run("info", fmu)
    assert done.exit_code == 0
    assert "its modelDescription.xml breaks rules of FMI 2.0" in done.stderr
    (warning,) = json.loads(run("info", fmu, "--json").stdout)["warnings"]
    assert "'v'" in warning
    assert "FMI 2.0.5, 2.2.7" in warning


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('fmiVersion="2.0"', 'fmiVersion="4.0"', "this is an FMU of FMI version 4.0. mobod reads FMI 1.0, 2.0 and 3.0"),
        ("<fmiModelDescription", '<!DOCTYPE x [<!ENTITY y "z">]><fmiModelDescription', "has a document type declaration"),
        ('modelIdentifier="ball"', 'modelIdentifier="../ball"', "is not an identifier of C"),
        ('<CoSimulation modelIdentifier="ball"', "<CoSimulation", "attribute 'modelIdentifier' is required but missing"),
        ('valueReference="3"', 'valueReference="three"', "'three' is not a valid value"),
        ('stopTime="1"', 'stopTime="soon"', "has the stopTime 'soon', which is not a number"),
    ],
)
def test_an_fmu_that_cannot_be_read_is_refused_in_one_message(run, tmp_path, old, new, message):
    done = run("info", build_foreign_fmu("ball", tmp_path / "ball.fmu", (old, new)))

    assert done.exit_code == 1
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_a_shape_or_an_alias_that_cannot_be_is_refused(run, tmp_path):
    fmu = build_foreign_fmu("tank", tmp_path / "tank.fmu", ('<Dimension start="3"/>', '<Dimension start="-3"/>'))
    assert "'gains' of tank.fmu has the shape [-3]" in run("info", fmu).stderr
    fmu = build_foreign_fmu("tank", tmp_path / "tank.fmu", ('<Alias name="height"/>', "<Alias/>"))
    assert "has a variable without a name" in run("info", fmu).stderr


def test_an_fmu_for_scheduled_execution_alone_and_a_bomb_are_refused(run, foreign, tmp_path):
    interfaces = ("ModelExchange", "CoSimulation")
    fmu = build_foreign_fmu("tank", tmp_path / "tank.fmu", *((f"<{each}", "<ScheduledExecution") for each in interfaces))
    assert "mobod has no scheduled execution" in run("info", fmu).stderr
    done = run("info", foreign["ball"], "--limit", "variables=3")
    assert done.exit_code == 1
    assert "it has 12 variables, and the limit is 3" in done.stderr


def test_options_of_systems_and_of_fmus_are_kept_apart(run):
    for arguments, message in (
        (("x.fmu", "--urdf", "motors=false"), "--urdf applies only to Systems"),
        (("models.py:crane", "--limit", "files=3"), "--limit applies only to FMUs"),
        (("none.fmu",), "none.fmu: the file does not exist"),
    ):
        done = run("info", *arguments)
        assert message in done.stderr
        assert done.exit_code in (1, 2)
