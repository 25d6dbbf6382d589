"""FMUs of FMI 1.0, of both kinds, made by hand in C: they are described, simulated and connected like those of FMI 2.0, never exported."""

import json
from math import exp, sqrt

import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

from mobod.cli import main
from mobod.cosim import Isolation, Master, Network
from mobod.errors import FmuError, FmuFileError, InputError, UnsupportedError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.input_table import read_input_table
from mobod.importer.linearize import linearize_fmu
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues
from tests.importer.foreign_fmus import build_foreign_fmu

ISOLATIONS = [None, Isolation(20.0)]


@pytest.fixture(scope="module")
def lag(tmp_path_factory):
    """A slave: tau y' = gain u - y."""
    return build_foreign_fmu("lag", tmp_path_factory.mktemp("lag") / "lag.fmu")


@pytest.fixture(scope="module")
def drop(tmp_path_factory):
    """A model: a ball that bounces, with a time event each quarter of a second."""
    return build_foreign_fmu("drop", tmp_path_factory.mktemp("drop") / "drop.fmu")


def run_of(fmu, *, isolation=None, outputs=(), inputs=None, start=(), **options):
    model = FmuModel(fmu, isolation=isolation)
    values = StartValues(model)
    for name, text in start:
        values.set(name, text)
    return FmuRun(model, values, inputs, outputs=outputs, **options).run()


def test_a_slave_and_a_model_are_described_in_the_terms_of_fmi_2(lag, drop):
    slave, model = FmuModel(lag), FmuModel(drop)
    assert (slave.interfaces, model.interfaces) == (("co-simulation",), ("model-exchange",))
    assert (slave.breaches, model.breaches) == ([], [])
    expected = {"canHandleVariableCommunicationStepSize": True, "canInterpolateInputs": True}
    assert slave.capabilities("co-simulation") == expected
    kinds = {each.name: (each.causality, each.variability, each.description.initial) for each in slave.variables.values()}
    assert kinds["u"][:2] == ("input", "continuous")
    assert kinds["gain"] == kinds["label"] == ("parameter", "fixed", "exact")
    assert kinds["y"] == ("output", "continuous", "approx")
    assert kinds["steps"] == ("output", "discrete", "calculated")
    assert kinds["moving"] == ("local", "discrete", "calculated")
    assert (slave.variables["y"].unit, slave.variables["u"].minimum, slave.variables["tau"].maximum) == ("K", -1000.0, 100.0)
    assert (model.description.numberOfContinuousStates, model.description.numberOfEventIndicators) == (2, 1)
    assert model.default_experiment() == {"start": 0.0, "stop": 0.6, "tolerance": 1e-8, "step": None}


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_slave_runs_with_parameters_of_each_type_and_negated_aliases(lag, isolation):
    start = [("u", "1.5"), ("tau", "0.4"), ("label", "größer")]
    table = run_of(lag, isolation=isolation, start=start, until=1.0, step=0.25, outputs=["y", "loss", "steps", "frozen", "moving", "label"])
    exact = 2 * 1.5 * (1 - exp(-1.0 / 0.4))
    assert_allclose([table["y"][-1], -table["loss"][-1]], exact, rtol=1e-14)  # solved exactly by the slave
    assert (table["steps"][-1], table["frozen"][-1], table["moving"][-1], table["label"][-1]) == (4, False, True, "größer")
    frozen = run_of(lag, isolation=isolation, start=[*start, ("frozen", "true")], until=0.5, step=0.25, outputs=["y", "moving"])
    assert (frozen["y"][-1], frozen["moving"][-1]) == (0.0, False)


def test_a_slave_interpolates_its_inputs(lag, tmp_path):
    (tmp_path / "ramp.csv").write_text("time,u\n0,0\n1,2\n")
    table = run_of(lag, inputs=read_input_table(tmp_path / "ramp.csv"), until=1.0, step=0.5, outputs=["y"])
    # u = 2 t: y = gain 2 (t - tau) + gain 2 tau exp(-t / tau), without an error of the step
    assert_allclose(table["y"], [4 * (t - 0.5) + 2 * exp(-t / 0.5) for t in (0.0, 0.5, 1.0)], atol=1e-14)


@pytest.mark.fast("None")
@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_model_is_integrated_with_its_state_and_time_events(drop, isolation):
    table = run_of(drop, isolation=isolation, start=[("h", "0.8")], accuracy=1e-10)
    fall = sqrt(2 * 0.8 / 9.81)
    rise = 0.6 - fall
    exact = 0.5 * 9.81 * fall * rise - 0.5 * 9.81 * rise**2
    assert_allclose([table["h"][-1], -table["depth"][-1]], exact, atol=1e-9)  # ten times the accuracy
    assert (table["bounces"][-1], table["quarters"][-1], table["falls"][-1], table["rises"][-1]) == (1, 2, False, True)
    assert_allclose(table["a"], -9.81)


@pytest.mark.parametrize("isolate", [False, True])
def test_both_kinds_are_components_of_a_network(lag, drop, isolate):
    network = Network()
    network.add(drop, "ball", isolate=isolate)
    network.add(lag, "lag", start={"tau": 0.2, "u": 0.7}, isolate=isolate)
    network.add(lag, "second", start={"gain": 0.5}, isolate=isolate)
    network.connect("lag.y", "second.u")
    assert not any(network.components[name].model.capabilities.saves_state for name in ("ball", "lag"))
    table = Master(network, step=0.1, tolerance=1e-8).run(until=0.4)
    assert_allclose(table["ball.h"][-1], 1 - 0.5 * 9.81 * 0.4**2, atol=1e-7)  # ten times the tolerance
    y = [1.4 * (1 - exp(-0.1 * k / 0.2)) for k in range(5)]
    assert_allclose(table["lag.y"], y, rtol=1e-13)
    expected = 0.0
    for held in y[:4]:
        expected = 0.5 * held + (expected - 0.5 * held) * exp(-0.1 / 0.5)
    assert_allclose(table["second.y"][-1], expected, rtol=1e-13)
    with pytest.raises(UnsupportedError, match=r"algorithm 'newton' repeats steps, but these components cannot save their state.*: .*lag"):
        Master(network, step=0.1, algorithm="newton").run(until=0.2)


@pytest.mark.parametrize("isolate", [False, True])
def test_a_failed_initialization_names_the_function_of_fmi_1_and_ends_with_the_log(lag, isolate):
    network = Network()
    network.add(lag, "lag", start={"tau": 0.001}, isolate=isolate)
    network.components["lag"].start["tau"] = 0.0  # which its bounds forbid
    with pytest.raises(FmuError, match=r"fmiInitializeSlave at 0 s returned error\..*\n.*made lag\n.*tau must be positive at 0 s"):
        Master(network, step=0.1).run(until=0.2)


@pytest.mark.fast(1)
@pytest.mark.parametrize("function", ["InitializeSlave", "GetReal", "SetReal", "DoStep", "TerminateSlave", "FreeSlaveInstance"])
def test_a_crash_of_an_isolated_fmu_is_an_error_of_it_in_every_function(lag, function):
    network = Network()
    network.add(lag, "source", isolate=False)
    network.add(lag, f"crash_in_fmi{function}", isolate=Isolation(20.0))
    network.connect("source.y", f"crash_in_fmi{function}.u")
    with pytest.raises(FmuError, match=rf"FMU 'crash_in_fmi{function}' \(.*\): fmi{function}.* crashed\. Its process was ended by SIGABRT"):
        Master(network, step=0.1).run(until=0.2)


def test_what_is_not_in_fmi_1_is_refused(lag, drop, tmp_path):
    with pytest.raises(UnsupportedError, match=r"FMI 1\.0 does not say which variables are the states"):
        linearize_fmu(drop)
    with pytest.raises(InputError, match="'bounces' cannot be given a start value"):
        StartValues(FmuModel(drop)).set("bounces", "2")
    with pytest.raises(InputError, match="'g' cannot change during a run"):
        FmuModel(drop).variable("g").check_changes()
    broken = build_foreign_fmu("drop", tmp_path / "broken.fmu", ('valueReference="5"', 'valueReference="five"'))
    with pytest.raises(FmuFileError, match=r"modelDescription\.xml of FMI 1\.0 cannot be read: .*'five'"):
        FmuModel(broken)


@pytest.mark.fast("lag-co-simulation")
@pytest.mark.parametrize(("kind", "interface"), [("lag", "co-simulation"), ("drop", "model-exchange")])
def test_the_commands_info_simulate_and_cosim_take_it(request, tmp_path, kind, interface):
    fmu = str(request.getfixturevalue(kind))

    def run(*arguments):
        done = CliRunner().invoke(main, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done

    described = json.loads(run("info", fmu, "--json").stdout)
    assert (described["fmi_version"], described["interfaces"]) == ("1.0", [interface])
    run("simulate", fmu, "--until", "0.1", "-o", str(tmp_path / "one.csv"))
    run("cosim", f"one={fmu}", "--step", "0.1", "--until", "0.1", "-o", str(tmp_path / "two.csv"))
    assert (tmp_path / "one.csv").stat().st_size > 0
    assert (tmp_path / "two.csv").stat().st_size > 0
