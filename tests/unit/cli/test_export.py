"""`mobod export`."""

import json

import fmpy
import pytest
from fmpy.validation import validate_fmu

from mobod.fmu.platforms import fmi2_folders


@pytest.mark.slow
def test_the_fmu_has_the_chosen_inputs_outputs_start_values_and_name(run, tmp_path):
    done = run(
        *("export", "models.py:crane", "-o", "yard.fmu", "--name", "yard_crane"),
        *("--input", "winch.force", "--output", "load.q", "--output", "load.p_GB", "--set", "load.q=0.6", "--set", "gravity.magnitude=3.5"),
        "--json",
    )

    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["inputs"] == ["winch.force"]
    assert sorted(told["outputs"]) == ["load.p_GB[1]", "load.p_GB[2]", "load.p_GB[3]", "load.q"]
    assert told["bytes"] == (tmp_path / "yard.fmu").stat().st_size
    assert list(told["platforms"]) == sorted(fmi2_folders())
    assert validate_fmu(str(tmp_path / "yard.fmu")) == []
    description = fmpy.read_model_description(str(tmp_path / "yard.fmu"))
    assert description.modelName == "yard_crane"
    starts = {variable.name: variable.start for variable in description.modelVariables if variable.causality == "parameter"}
    assert sorted(starts) == sorted(told["parameters"])
    assert float(starts["load.q_start"]) == 0.6
    assert float(starts["gravity.magnitude"]) == 3.5


@pytest.mark.slow
def test_names_of_variables_can_be_flat(run):
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--output", "load.p_GB", "--names", "flat", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["outputs"] == ["load_p_GB_1", "load_p_GB_2", "load_p_GB_3"]


def test_export_reports_what_it_wrote_and_quiet_prints_nothing(run):
    assert run("export", "models.py:crane", "-o", "crane.fmu", "--quiet").output == ""
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--input", "winch.force")
    assert done.exit_code == 0
    assert "wrote crane.fmu: " in done.output
    assert "inputs: winch.force\noutputs: none\n" in done.output
    assert "note" not in done.output
    shown = run("export", "models.py:crane", "-o", "crane.fmu").stderr
    assert "note: it has no inputs or outputs, so it cannot be connected to others. Choose --input" in shown
    assert "platforms: " in done.output


@pytest.mark.slow  # zig compiles the C library of the platform
def test_an_fmu_for_one_other_platform_lists_it(run):
    done = run("export", "models.py:crane", "-o", "crane.fmu", "--code", "interpreted", "--platform", "aarch64-linux")
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("platforms: aarch64-linux (glibc 2.17 or later)\n")


@pytest.mark.slow
def test_export_reports_fixed_steps(run, tmp_path):
    done = run(
        *("export", "models.py:crane", "-o", "crane.fmu", "--integrator", "velocity_level", "--step", "0.002"), "--engagement=predictive"
    )
    assert done.exit_code == 0, done.output
    description = fmpy.read_model_description(str(tmp_path / "crane.fmu"))
    assert description.description == "Fixed steps of 0.002 s at velocity level, engagement 'predictive'."
    assert validate_fmu(str(tmp_path / "crane.fmu")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing option '-o'"),
        (["-o", "no/such/crane.fmu"], "no such folder"),
        (["-o", "/proc/x.fmu"], "'/proc/x.fmu' was not written"),
        (["-o", "crane.fmu", "--input", "winch.forse"], "Did you mean 'winch.force'?"),
        (["-o", "crane.fmu", "--output", "loadq"], "Did you mean 'load.q'?"),
        (["-o", "crane.fmu", "--set", "load.q=inf"], "not a finite number"),
        (["-o", "crane.fmu", "--fmi-version", "1.0"], "'1.0' is not one of '2.0', '3.0'"),
        (["-o", "crane.fmu", "--platform", "win46"], "Did you mean 'win64'?"),
        (["-o", "crane.fmu", "--integrator", "velocity_level"], "needs a positive and finite step"),
        (["-o", "crane.fmu", "--step", "0.01"], "step applies only to integrator='velocity_level'"),
    ],
)
def test_wrong_usage_exits_2_and_writes_nothing(run, tmp_path, arguments, message):
    done = run("export", "models.py:crane", *arguments)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.output
    assert not (tmp_path / "crane.fmu").exists()


@pytest.mark.slow
def test_a_missing_compiler_exits_1(run, monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")

    done = run("export", "models.py:crane", "-o", "crane.fmu")

    assert done.exit_code == 1
    assert "CC is set to 'no-such-compiler'" in done.stderr
