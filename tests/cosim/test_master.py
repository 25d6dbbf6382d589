"""Runs of networks: known results, the start, the end, and failures."""

from math import pi

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.cosim import Master, Network
from mobod.errors import FmuError, InputError, UnknownNameError
from mobod.simulate.table import Table


@pytest.fixture
def controlled_mass(fmus):
    network = Network()
    network.add(fmus["spring_mass"], "mass", start={"x": -0.3, "coupling": 12.5})
    network.add(fmus["pd_controller"], "controller", start={"stiffness": 0.6, "damping": 0.1})
    network.connect("mass.x", "controller.position")
    network.connect("controller.force", "mass.other")
    return network


def test_jacobi_has_the_known_coupling_error_on_the_two_mass_oscillator(two_masses):
    results = Master(two_masses, step=0.01).run(until=0.9)
    # three independent masters agree on these 13 digits; the exact solution is (0.25, 0.559...)
    assert_allclose([results["left.x"][-1], results["right.x"][-1]], [0.0461304811826, 0.4928525856984], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_the_jacobi_error_on_the_two_mass_oscillator_matches_theory_and_is_of_first_order(two_masses):
    known = {1e-2: 4.0403e-1, 5e-3: 1.9860e-1, 2.5e-3: 9.8850e-2}
    for step, expected in known.items():
        results = Master(two_masses, step=step).run(until=1.0)
        t = results.time
        left = results["left.x"] - (np.cos(2 * pi * t) + np.cos(6 * pi * t)) / 2
        right = results["right.x"] - (np.cos(2 * pi * t) - np.cos(6 * pi * t)) / 2
        assert_allclose(np.abs([left, right]).max(), expected, rtol=2e-5)  # known to five digits


@pytest.mark.slow
def test_an_unconnected_fmu_runs_as_if_alone(fmus):
    network = Network()
    network.add(fmus["spring_mass"], "one", start={"mass": 2.0, "stiffness": 30.0, "coupling": 20.0, "x": 0.4, "v": -1.5, "other": 0.1})
    results = Master(network, step=0.013).run(until=1.3)
    omega, rest = np.sqrt(50.0 / 2.0), 20.0 * 0.1 / 50.0
    t = results.time
    exact = rest + (0.4 - rest) * np.cos(omega * t) - 1.5 / omega * np.sin(omega * t)
    assert_allclose(results["one.x"], exact, rtol=0, atol=1e-13)  # 100 steps of round-off


def test_two_runs_give_the_same_bits(controlled_mass):
    master = Master(controlled_mass, step=0.02)
    first, second = master.run(until=2.0), master.run(until=2.0)
    assert list(first) == list(second) == ["mass.x", "mass.v", "controller.force"]
    for name in first:
        assert first[name].tobytes() == second[name].tobytes()


@pytest.mark.slow
def test_results_read_from_csv_have_the_same_bits(controlled_mass, tmp_path):
    results = Master(controlled_mass, step=0.02).run(until=2.0)
    results.to_csv(tmp_path / "run.csv")
    again = Table.from_csv(tmp_path / "run.csv")
    assert again.time.tobytes() == results.time.tobytes()
    for name in results:
        assert again[name].tobytes() == results[name].tobytes()


def test_all_types_are_exchanged_and_recorded(fmus):
    network = Network()
    network.add(fmus["all_types"], "a", start={"real_in": 0.5, "integer_in": 3, "boolean_in": True, "string_in": "go"})
    network.add(fmus["all_types"], "b")
    for kind in ("real", "integer", "boolean", "string"):
        network.connect(f"a.{kind}_out", f"b.{kind}_in")
    outputs = [f"b.{kind}_out" for kind in ("real", "integer", "boolean", "string")]
    results = Master(network, step=0.1).run(until=0.2, outputs=[*outputs, "a.steps"])
    assert list(results) == [*outputs, "a.steps"]
    # at 0.1 b has made its step with the first outputs of a; at 0.2 with those of the first step
    assert results["b.real_out"].tolist() == [-1.25, -0.625, 0.125]
    assert results["b.integer_out"].tolist() == [41, 42, 5]
    assert results["b.boolean_out"].tolist() == [True, False, True]
    assert results["b.string_out"].tolist() == ["größe, 1", "größe, 1.", "go.."]
    assert results["a.steps"].tolist() == [0, 1, 2]


def test_columns_have_the_units_of_their_outputs(fmus, described):
    head = 'name="x" valueReference="4" causality="output" initial="exact">\n\t\t\t<Real'
    units = '<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions><LogCategories>'
    network = Network()
    network.add(described(fmus["spring_mass"], ("<LogCategories>", units), (head, head + ' unit="m"')), "one")
    assert Master(network).run(until=0.01).units == {"one.x": "m"}


# initialization ------------------------------------------------------------------------------------------------------------------------


def chain(fmus, order):
    """A chain source -> g0 -> g1 -> g2 with direct feedthrough; components are added and connected in the given order."""
    network = Network()
    for k in order:
        network.add(fmus["gain"], f"g{k}", start={"gain": k + 2.0, "u": 0.7})
    for k in order:
        if k > 0:
            network.connect(f"g{k - 1}.y", f"g{k}.u")
    return network


@pytest.mark.slow
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_initial_values_pass_through_a_chain_of_any_order(fmus, order):
    results = Master(chain(fmus, order)).run(until=0.01)
    assert results["g3.y"][0] == ((0.7 * 2.0) * 3.0) * 4.0 * 5.0


@pytest.mark.slow
def test_a_loop_that_exists_only_in_declarations_converges(fmus):
    # pythonfmu declares no dependencies, so each output may depend on each input; x and v of the mass do not
    network = Network()
    network.add(fmus["gain"], "gain", start={"gain": -3.0})
    network.add(fmus["spring_mass"], "mass", start={"x": 0.4})
    network.connect("gain.y", "mass.other")
    network.connect("mass.x", "gain.u")
    assert Master(network).run(until=0.01)["gain.y"][0] == -3.0 * 0.4


@pytest.mark.slow
@pytest.mark.parametrize("gain", [-0.5, -3.0])
def test_an_algebraic_loop_of_fmus_is_solved(fmus, gain):
    network = Network()
    network.add(fmus["gain"], "a", start={"gain": gain, "offset": 1.0})
    network.add(fmus["gain"], "b", start={"gain": 0.8, "offset": 0.3})
    network.connect("a.y", "b.u")
    network.connect("b.y", "a.u")
    results = Master(network).run(until=0.01)
    # y_a = 1 + gain (0.3 + 0.8 y_a)
    assert_allclose(results["a.y"], (1 + 0.3 * gain) / (1 - 0.8 * gain), rtol=1e-9)


def test_declared_dependencies_are_used_but_checked(fmus, described):
    # the description says that y (the 4th variable) depends on no input, which is wrong: the values must come out right all the same
    wrong = ("</Outputs>", '</Outputs><InitialUnknowns><Unknown index="4" dependencies=""/></InitialUnknowns>')
    network = Network()
    network.add(described(fmus["gain"], wrong), "late", start={"gain": 3.0})
    network.add(fmus["gain"], "early", start={"gain": 2.0, "u": 0.7})
    network.add(fmus["gain"], "last", start={"gain": 1.5})
    network.connect("late.y", "last.u")
    network.connect("early.y", "late.u")
    assert Master(network).run(until=0.01)["last.y"][0] == (0.7 * 2.0) * 3.0 * 1.5


# communication points --------------------------------------------------------------------------------------------------------------------


@pytest.mark.fast(1)
@pytest.mark.parametrize(("start", "until", "step"), [(0.0, 0.7, 0.1), (0.1, 0.4, 0.1), (-1.3, 2.9, 0.7), (1e5, 1e5 + 3, 0.3)])
def test_communication_points_are_multiples_of_the_step_and_end_at_the_end(fmus, start, until, step):
    network = Network()
    network.add(fmus["gain"])
    time = Master(network, step=step).run(until, start=start).time
    count = round((until - start) / step)
    assert len(time) == count + 1
    assert_array_equal(time[:-1], [start + k * step for k in range(count)])
    assert time[-1] == until


@pytest.mark.slow
def test_the_last_step_is_shorter_if_the_duration_is_no_multiple(fmus):
    network = Network()
    network.add(fmus["spring_mass"], "one", start={"other": 0.3})
    fine = Master(network, step=0.05).run(until=0.25)
    coarse = Master(network, step=0.1).run(until=0.25)
    assert_array_equal(coarse.time, [0.0, 0.1, 0.2, 0.25])
    assert_allclose(coarse["one.x"][-1], fine["one.x"][-1], rtol=1e-14)  # the mass is solved exactly for any step


def test_an_fmu_with_constant_steps_gets_no_shorter_step(fmus, described):
    rigid = described(
        fmus["gain"], ('canHandleVariableCommunicationStepSize="true"', 'canHandleVariableCommunicationStepSize="false"'), name="rigid.fmu"
    )
    network = Network()
    network.add(rigid)
    assert Master(network, step=0.1).run(until=0.3).time[-1] == 0.3
    with pytest.raises(InputError, match=r"'rigid'. Choose a duration that is a whole number of steps"):
        Master(network, step=0.1).run(until=0.25)


@pytest.mark.parametrize(
    ("step", "until", "message"),
    [
        (0.0, 1.0, "positive"),
        (-0.1, 1.0, "positive"),
        (float("nan"), 1.0, "finite"),
        (0.1, float("inf"), "finite"),
        (0.1, 0.0, "after its start"),
        (1e-12, 1.0, "1e\\+12 steps"),
    ],
)
def test_invalid_times_are_refused(fmus, step, until, message):
    network = Network()
    network.add(fmus["gain"])
    with pytest.raises(InputError, match=message):
        Master(network, step=step).run(until)


def test_unknown_algorithm_output_and_empty_network_are_refused(fmus):
    network = Network()
    with pytest.raises(InputError, match="no FMU"):
        Master(network).run(1.0)
    network.add(fmus["gain"])
    with pytest.raises(UnknownNameError, match="Did you mean 'jacobi'"):
        Master(network, algorithm="jakobi")
    with pytest.raises(InputError, match="tolerance"):
        Master(network, tolerance=-1e-6)
    with pytest.raises(UnknownNameError, match="variable of 'gain'"):
        Master(network).run(1.0, outputs=["gain.z"])


# failures --------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("manner", "message"),
    [
        ("raise", r"(?s)FMU 'bad'.*fmi2DoStep at 0\.2 s returned fatal.*the spring broke"),
        ("discard", r"FMU 'bad'.*fmi2DoStep at 0\.2 s returned discard"),
        ("nan", r"FMU 'bad'.*output 'y' at 0\.3 s is nan"),
    ],
)
def test_a_failing_fmu_ends_the_run_with_its_log_and_is_cleaned_up(fmus, tmp_path, monkeypatch, manner, message):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    network = Network()
    network.add(fmus["failing"], "bad", start={"manner": manner, "limit": 0.25})
    network.add(fmus["gain"], "good")
    network.connect("bad.y", "good.u")
    with pytest.raises(FmuError, match=message):
        Master(network, step=0.1).run(until=1.0)
    assert not list(tmp_path.glob("mobod_*"))
    # and the network can be run again
    assert Master(network, step=0.1).run(until=0.2)["good.y"][-1] == 2.5 * 0.5


def test_progress_is_reported_after_the_first_step_and_at_the_end(fmus):
    network = Network()
    network.add(fmus["gain"])
    told = []
    Master(network, step=0.25).run(until=1.0, progress=lambda done, steps: told.append((done, steps)))
    assert told[0] == (1, 4)
    assert told[-1] == (4, 4)
    assert len(set(told)) == len(told)
