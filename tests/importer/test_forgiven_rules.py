"""FMUs that break rules which other tools forgive: all commands read them alike, name the clause, and refuse them if asked."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cli import main
from mobod.errors import FmuFileError, MobodWarning
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.mended_description import MENDS, table_of_mends
from mobod.fmi.read_description import read_description
from mobod.fmi.rules.rule import Rule
from mobod.importer.fmu_model import FmuModel
from tests.importer.foreign_fmus import build_foreign_fmu

UNIT = ('<ScalarVariable name="u" valueReference="8" causality="input"><Real start="0"/>',
        '<ScalarVariable name="u" valueReference="8" causality="input"><Real start="0" unit="bar" displayUnit="psi"/>')  # fmt: skip
G = 'name="g" valueReference="6" causality="parameter" variability="tunable"><Real start="10"/>'
MOST = 'name="most" valueReference="9" causality="parameter" variability="fixed"><Integer start="1000"/>'


@pytest.fixture(scope="module")
def unit_fmu(tmp_path_factory):
    """A ball whose input has a unit without a definition; it falls by g = 10 from 1 m."""
    return build_foreign_fmu("ball", tmp_path_factory.mktemp("unit") / "ball.fmu", UNIT)


def _clause(rule: Rule) -> str:
    return f"[{rule.name}; {rule.clause('2')}]"


@pytest.mark.parametrize(
    ("rule", "change", "expected"),
    [
        ("unit", UNIT, lambda fmu: fmu.variables["u"].unit == "bar"),
        ("declared-type", (G, G.replace("<Real", '<Real declaredType="Gravity"')), lambda fmu: fmu.variables["g"].start_values == [10.0]),
        ("continuous-type", (MOST, MOST.replace(' variability="fixed"', "")), lambda fmu: fmu.variables["most"].variability == "fixed"),
        (
            "continuous-type",
            ('causality="output" variability="discrete"><Integer', 'causality="output"><Integer'),
            lambda fmu: fmu.variables["bounces"].variability == "discrete",
        ),
        (
            "causality-variability",
            (G, G.replace(' variability="tunable"', "")),
            lambda fmu: (fmu.variables["g"].variability, fmu.variables["g"].description.initial) == ("fixed", "exact"),
        ),
        (
            "causality-variability",
            ('causality="input"><Real', 'causality="input" variability="fixed"><Real'),
            lambda fmu: fmu.variables["u"].variability == "discrete",
        ),
        ("start-missing", (G, G.replace(' start="10"', "")), lambda fmu: fmu.variables["g"].start_values is None),
        ("name-unique", ('name="e" valueReference="7"', 'name="g" valueReference="7"'), lambda fmu: fmu.variables["g"].reference == 7),
        (
            "derivative",
            ("</ModelVariables>", '<ScalarVariable name="w" valueReference="30"><Real derivative="99"/></ScalarVariable></ModelVariables>'),
            lambda fmu: fmu.variables["w"].description.derivative is None,
        ),
        ("structure-reference", ('<Unknown index="11"/></Outputs>', '<Unknown index="99"/></Outputs>'), lambda fmu: len(fmu.states) == 3),
        (
            "dependency-reference",
            ('<Outputs><Unknown index="1"/>', '<Outputs><Unknown index="1" dependencies="99"/>'),
            lambda fmu: fmu.description.outputs[0].dependencies is None,
        ),
        (
            "schema",
            (G, G.replace("<Real", '<Real colour="red"').replace('causality="parameter"', 'causality="internal"')),
            lambda fmu: fmu.variables["g"].causality == "local",
        ),
        (
            "schema",
            (G, G.replace("<Real", '<Real min="low" max="11"')),
            lambda fmu: (fmu.variables["g"].minimum, fmu.variables["g"].maximum) == (None, 11.0),
        ),
        (
            "schema",
            ("<DefaultExperiment", '<UnitDefinitions><Unit name="m"><BaseUnit m="one"/></Unit></UnitDefinitions><DefaultExperiment'),
            lambda fmu: fmu.description.unitDefinitions[0].baseUnit is None,
        ),
    ],
)
def test_a_broken_rule_is_read_as_the_table_says_and_named_with_its_clause(tmp_path, rule, change, expected):
    path = build_foreign_fmu("ball", tmp_path / "ball.fmu", change)

    fmu = FmuModel(path)

    assert expected(fmu)
    assert rule in [each.rule for each in fmu.breaches]
    (known,) = [each for each in MENDS if each.name == rule]
    assert known.clause("2") in [each.clause for each in fmu.breaches]
    with pytest.raises(FmuFileError, match=rf"\[{rule}; FMI 2\.0\.5, "):
        FmuModel(path, strict=True)


def test_each_rule_of_the_table_has_a_case_above():
    cases = test_a_broken_rule_is_read_as_the_table_says_and_named_with_its_clause.pytestmark[0].args[1]
    assert {rule for rule, *_ in cases} == {rule.name for rule in MENDS}


def test_the_documentation_has_the_table():
    documentation = Path(__file__).parents[2] / "docs" / "how_do_i" / "simulating_fmus.md"
    assert table_of_mends() in documentation.read_text(encoding="utf-8")


def test_a_parameter_without_variability_can_be_set_in_fmi_3(tmp_path):
    old = 'name="rate" valueReference="4" causality="parameter" variability="fixed"'
    path = build_foreign_fmu("tank", tmp_path / "tank.fmu", (old, old.replace("fixed", "continuous")))
    fmu = FmuModel(path)
    fmu.variables["rate"].check_start_is_open()
    assert fmu.variables["rate"].variability == "fixed"
    assert [each.clause[:17] for each in fmu.breaches] == ["FMI 3.0.2, 2.4.7."]


def test_a_right_file_that_fmpy_cannot_read_is_read_without_a_warning(tmp_path):
    """Two blanks between numbers, and a comment as the first child of a type, are right XML."""
    path = build_foreign_fmu(
        "ball",
        tmp_path / "ball.fmu",
        ('<Outputs><Unknown index="1"/>', '<Outputs><Unknown index="1" dependencies="2  9" dependenciesKind="dependent  dependent"/>'),
        ("<DefaultExperiment", '<TypeDefinitions><SimpleType name="T"><!-- m --><Real/></SimpleType></TypeDefinitions><DefaultExperiment'),
    )
    description, breaches = read_description(FmuArchive(path), strict=True)
    assert breaches == []
    assert [each.name for each in description.outputs[0].dependencies] == ["v", "u"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' guid="{ball}"', "", "it has no guid"),
        ('name="g" valueReference="6"', 'name="g"', "has no valueReference that is a number"),
        ('<Real start="10"/>', "", "has no type"),
        ('modelIdentifier="ball" canHandle', 'modelIdentifier="../ball" canHandle', "is not an identifier of C"),
    ],
)
def test_what_has_no_meaning_is_refused_also_without_strict(tmp_path, old, new, message):
    with pytest.raises(FmuFileError, match=message):
        FmuModel(build_foreign_fmu("ball", tmp_path / "ball.fmu", (old, new)))


def _run(*arguments: object):
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="mobod")


@pytest.mark.parametrize("command", ["info", "simulate", "cosim", "ssp new", "bench"])
def test_each_command_runs_it_with_a_warning_and_refuses_it_with_strict(unit_fmu, tmp_path, command):
    arguments = {
        "info": ["info", unit_fmu],
        "simulate": ["simulate", unit_fmu, "--until", "0.1", "--no-isolate", "-o", tmp_path / "run.csv"],
        "cosim": ["cosim", unit_fmu, "--until", "0.1", "--no-isolate", "-o", tmp_path / "run.csv"],
        "ssp new": ["ssp", "new", tmp_path / "ball.ssp", unit_fmu],
        "bench": ["bench", unit_fmu, "--until", "0.1", "--no-isolate"],
    }[command]
    clause = "[unit; FMI 2.0.5, 2.2.3 Definition of Types (TypeDefinitions)]"

    done = _run(*arguments)
    assert done.exit_code == 0, done.output
    assert clause in done.stderr
    if command not in ("bench",):
        (warning,) = json.loads(_run(*arguments, "--json").stdout)["warnings"]
        assert clause in warning

    refused = _run(*arguments, "--strict")
    assert refused.exit_code == 1
    assert clause in refused.stderr


def test_python_calls_warn_and_refuse_with_strict(unit_fmu):
    for call in (lambda **strict: mb.Network().add(unit_fmu, **strict), lambda **strict: mb.linearize_fmu(unit_fmu, **strict)):
        with pytest.warns(MobodWarning, match=r"unit; FMI 2\.0\.5, 2\.2\.3"):
            call()
        with pytest.raises(FmuFileError, match=r"unit; FMI 2\.0\.5, 2\.2\.3"):
            call(strict=True)


def test_an_undefined_unit_has_the_meaning_of_its_name(unit_fmu):
    """2 bar are 2e5 Pa: the factor of the unit comes from its name."""
    network = mb.Network()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MobodWarning)
        ball = network.add(unit_fmu, "ball")
    base = ball.port("u").unit.baseUnit
    assert_allclose([base.factor, base.kg, base.m, base.s], [1e5, 1, -1, -2], rtol=1e-15)


def test_the_runs_of_simulate_and_cosim_agree_with_those_of_the_right_fmu(unit_fmu, tmp_path):
    right = build_foreign_fmu("ball", tmp_path / "right.fmu")
    for command in ("simulate", "cosim"):
        ends = []
        for name, fmu in (("broken", unit_fmu), ("right", right)):
            path = Path(tmp_path / f"{name}.csv")
            named = [f"ball={fmu}"] if command == "cosim" else [fmu]
            assert _run(command, *named, "--until", "0.3", "--step", "0.1", "--no-isolate", "-o", path).exit_code == 0
            ends.append(np.loadtxt(path, delimiter=",", skiprows=1)[-1])
        assert_allclose(ends[0], ends[1], rtol=0)  # the same FMU code, the same calls
