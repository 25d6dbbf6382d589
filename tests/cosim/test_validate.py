"""validate_fmu accepts correct FMUs, and each check finds its fault."""

import zipfile
from pathlib import Path

import pytest
from fmpy import validation
from pythonfmu.builder import FmuBuilder

from mobod.cosim import FmuLimits, validate_fmu
from mobod.cosim.fmu_archive import FmuArchive
from mobod.cosim.validate import BY_RUNNING, BYTES, DESCRIPTION, RUNS, STATE, STEPS, TWO
from mobod.errors import FmuFileError, InputError
from tests.cosim.conftest import SAVES_STATE, SLAVES


@pytest.fixture
def decay(described, tmp_path):
    """The FMU of slaves/decay.py with this fault and the flag that it can save its state."""

    def build(fault):
        module = tmp_path / f"mobod_test_slave_decay_{fault.replace(' ', '_')}.py"
        module.write_text((SLAVES / "decay.py").read_text().replace('FAULT = ""', f'FAULT = "{fault}"'))
        built = FmuBuilder.build_FMU(module, dest=tmp_path / f"{module.stem}_built.fmu")
        clock = ('name="time" valueReference="0" causality="local"', 'name="time" valueReference="0" causality="independent"')
        return described(Path(built), *SAVES_STATE, clock, name=f"{module.stem}.fmu")

    return build


def outcomes(report):
    return {check.claim: check.outcome for check in report.checks}


def test_a_valid_fmu_passes_all_checks(saving):
    report = validate_fmu(saving("spring_mass"), until=0.6)
    assert outcomes(report) == dict.fromkeys((DESCRIPTION, *BY_RUNNING), "passed")
    assert report.is_valid
    # it is exact for any step, to the round-off of 400 steps
    assert {each.output: each.verdict for each in report.differences} == {"x": "agree", "v": "agree"}
    assert all(each.fine < 1e-13 for each in report.differences)


def test_an_fmu_with_first_order_convergence_passes(decay):
    report = validate_fmu(decay(""), until=1.0, step=0.1)
    assert outcomes(report) == dict.fromkeys((DESCRIPTION, *BY_RUNNING), "passed")
    (x,) = report.differences
    exact = [1.3 * (1 - 5.0 * 0.1 / parts) ** (parts * 2) for parts in (1, 2, 4)]  # at 0.2 s, where it differs most
    assert x.coarse == pytest.approx(exact[1] - exact[0], rel=1e-12)
    assert x.fine == pytest.approx(exact[2] - exact[1], rel=1e-12)
    assert x.verdict == "converge"
    assert "converging: x" in report.checks[2].detail


@pytest.mark.parametrize(
    ("fault", "failing", "message"),
    [
        ("counts steps", {STEPS}, "does not bring these together: x."),
        ("forgets", {STATE, BYTES}, "'x' at 0.8 s is "),
        ("shared", {TWO}, "'x' at 0.2 s is "),
        ("overshoots", {RUNS, STATE, BYTES}, "did not end at its communication point: 'time' is 0.11"),
        ("not finite", {RUNS}, "steps of 0.025 s'"),
        # a do_step of pythonfmu that returns False ends the simulation
        ("refuses small steps", {RUNS}, "It ends the simulation at 0.025 s or at 1 s, depending on the step."),
    ],
)
def test_each_fault_is_found_by_the_intended_check(decay, fault, failing, message):
    report = validate_fmu(decay(fault), until=1.0, step=0.1)
    assert {check.claim for check in report.checks if check.outcome == "failed"} == failing
    assert not report.is_valid
    assert all(message in check.detail for check in report.checks if check.outcome == "failed")


def test_checks_that_need_a_run_are_skipped_if_it_failed(decay):
    report = validate_fmu(decay("refuses small steps"), until=1.0, step=0.1)
    assert outcomes(report) == {
        DESCRIPTION: "passed",
        RUNS: "failed",
        STEPS: "not checked",
        STATE: "passed",
        BYTES: "passed",
        TWO: "not checked",
    }


def test_capabilities_that_the_fmu_does_not_declare_are_not_checked(fmus, described):
    once = described(fmus["spring_mass"], ('canBeInstantiatedOnlyOncePerProcess="false"', 'canBeInstantiatedOnlyOncePerProcess="true"'))
    report = validate_fmu(once)
    assert outcomes(report) == {
        DESCRIPTION: "passed", RUNS: "passed", STEPS: "passed", STATE: "not checked", BYTES: "not checked", TWO: "not checked"
    }  # fmt: skip
    assert report.is_valid


def test_an_fmu_with_a_wrong_description_is_run_anyway(fmus):
    report = validate_fmu(fmus["gain"])  # pythonfmu does not list the initial unknowns of its calculated outputs
    assert outcomes(report) == {
        DESCRIPTION: "failed",
        STATE: "not checked",
        BYTES: "not checked",
        **dict.fromkeys((RUNS, STEPS, TWO), "passed"),
    }
    assert "InitialUnknowns" in report.checks[0].detail
    assert not report.is_valid


def test_an_fmu_for_other_platforms_is_validated_by_its_description(fmus, tmp_path):
    path = tmp_path / "elsewhere.fmu"
    with zipfile.ZipFile(fmus["spring_mass"]) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.infolist():
            target.writestr(
                entry.filename.replace("linux64", "plan9").replace("win64", "plan9").replace("darwin64", "plan9"), source.read(entry)
            )
    report = validate_fmu(path)
    assert outcomes(report) == {DESCRIPTION: "passed", **dict.fromkeys(BY_RUNNING, "not checked")}
    assert all("no library for this platform" in check.detail for check in report.checks[1:])
    assert report.is_valid


def test_an_archive_with_paths_outside_its_folder_is_not_read_further(tmp_path):
    path = tmp_path / "hostile.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", "<fmiModelDescription/>")
        archive.writestr("../outside", "x")
    report = validate_fmu(path)
    assert outcomes(report) == {DESCRIPTION: "failed"}
    assert "could leave the folder" in report.checks[0].detail


def test_the_default_experiment_determines_the_run(fmus, described):
    experiment = '<DefaultExperiment startTime="0.5" stopTime="1.25" stepSize="0.125" tolerance="1e-5"/><ModelVariables>'
    ran = validate_fmu(described(fmus["spring_mass"], ("<ModelVariables>", experiment))).experiment
    assert (ran.start, ran.stop, ran.step, ran.tolerance) == (0.5, 1.25, 0.125, 1e-5)
    ran = validate_fmu(fmus["spring_mass"], until=0.3).experiment
    assert (ran.start, ran.points, ran.tolerance) == (0.0, 100, None)


def test_a_step_longer_than_half_the_run_is_shortened_to_half(fmus):
    ran = validate_fmu(fmus["spring_mass"], until=0.3, step=2.0).experiment
    assert (ran.points, ran.step) == (2, 0.15)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"until": 0.0}, "finite end after"), ({"until": float("inf")}, "finite end"), ({"step": -0.1}, "finite positive")],
)
def test_invalid_times_are_refused(fmus, options, message):
    with pytest.raises(InputError, match=message):
        validate_fmu(fmus["spring_mass"], **options)


def test_an_fmu_is_unpacked_once_and_its_names_are_not_parsed_one_by_one(saving, monkeypatch):
    unpacked, extract = [], FmuArchive._extract

    def counted(file, folder):
        unpacked.append(folder)
        extract(file, folder)

    def slow(*_):
        raise AssertionError("FMPy's parser of names takes a millisecond for each")

    monkeypatch.setattr(FmuArchive, "_extract", counted)
    monkeypatch.setattr(validation, "_validate_variable_names", slow)
    told = []
    report = validate_fmu(saving("spring_mass"), until=0.3, step=0.1, progress=lambda done, of: told.append(done / of))
    assert report.is_valid
    assert len(unpacked) == 1
    assert not unpacked[0].exists()
    assert told == sorted(told)
    assert len(set(told)) >= 12  # each of six checks, and each point of three runs
    assert 0 < told[0] < told[-1] < 1


def test_a_name_that_breaks_the_naming_convention_is_a_problem(fmus, described):
    fmu = described(
        fmus["spring_mass"],
        ('name="x"', 'name="x y"'),
    )
    assert '"x y" (line' in validate_fmu(fmu, until=0.3, step=0.1).checks[0].detail


def test_an_fmu_that_exceeds_the_limits_is_not_read_further(fmus):
    report = validate_fmu(fmus["spring_mass"], limits=FmuLimits(variables=2))
    assert outcomes(report) == {DESCRIPTION: "failed"}
    assert "--limit variables=" in report.checks[0].detail


def test_a_file_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(FmuFileError, match="the file does not exist"):
        validate_fmu(tmp_path / "none.fmu")


def test_no_temporary_folder_remains(decay, tmp_path, monkeypatch):
    fmu = decay("refuses small steps")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    validate_fmu(fmu, until=0.3, step=0.1)
    assert not list(tmp_path.glob("mobod_*/"))
