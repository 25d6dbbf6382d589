"""Counts that are held in memory are refused above 10^7, before memory is taken, with the count and how to allow it."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

import mobod as mb
from mobod.analysis import sensitivity
from mobod.arguments.held_counts import VARIABLE, check_held_count
from mobod.cli import main
from mobod.errors import InputError
from mobod.runtime import simd
from mobod.sweeps.design import axes_of, design
from mobod.system import measures


@pytest.fixture(scope="module")
def pendulum():
    system = mb.MultibodySystem("pendulum")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -0.7, 0]), name="pin")
    return system


def ensemble(system, n):
    return mb.Ensemble(system, system.realize_topology(), n=n, backend="interpreted")


def delayed(capacity):
    system = mb.MultibodySystem("delayed")
    return measures.Delay(system, measures.Time(system), 0.1, capacity=capacity)


CALLS = {
    "reports of a run": (lambda system: mb.Simulation(system).run(system.realize_topology(), 1.0, 1e-12), "1e+12"),
    "reports of fixed steps": (
        lambda system: mb.Simulation(system, integrator="velocity_level", step=1e-12).run(system.realize_topology(), 1.0, 1e-12),
        "1e+12",
    ),
    "members of an ensemble": (lambda system: ensemble(system, 10**12), "1e+12"),
    "reports of sensitivities": (
        lambda system: sensitivity.sensitivities(
            mb.Simulation(system), system.realize_topology(), ["pin.q"], ["pin.u"], until=1.0, report_every=1e-12
        ),
        "1e+12",
    ),
    "values of a sweep": (lambda system: mb.sweep(system, {"pin.q": "1:2:1000000000000"}, until=1.0), "1e+12"),
    "samples of a sweep": (lambda system: mb.sweep(system, {"pin.q": "uniform(0, 1)"}, runs=10**11, until=1.0), "1e+11"),
    "all values of a sweep": (lambda system: mb.sweep(system, dict.fromkeys("ab", "1:2:10000"), until=1.0), "1e+08"),
    "rows of runs of a sweep": (
        lambda system: mb.sweep(system, {"pin.q": [1.0]}, until=1.0, figures=["max(pin.q)"], report_every=1e-9),
        "1e+09",
    ),
    "entries of a delay": (lambda _: delayed(10**12), "1e+12"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_large_count_is_refused_with_the_count_and_how_to_allow_it(pendulum, name, monkeypatch):
    monkeypatch.setenv(simd.VARIABLE, "none")  # without the library of lanes, which takes long to build
    call, count = CALLS[name]
    with pytest.raises(InputError, match=re.escape(f"there would be {count}, all held in memory, and the limit is 1e+07")) as error:
        call(pendulum)
    assert f"set the environment variable {VARIABLE}={count.replace('1e', '1.0e')}" in str(error.value)


def test_the_environment_variable_allows_the_count_that_the_message_names(monkeypatch):
    for count in (10**7 + 1, 123456789, 9.99e11, 10**12):
        monkeypatch.delenv(VARIABLE, raising=False)
        with pytest.raises(InputError) as error:
            check_held_count(count, "the runs", "Choose fewer")
        monkeypatch.setenv(VARIABLE, str(error.value).rpartition("=")[2].rstrip("."))
        check_held_count(count, "the runs", "Choose fewer")
    monkeypatch.setenv(VARIABLE, "50")
    with pytest.raises(InputError, match="there would be 51"):
        design(axes_of({"a": np.arange(51.0)}), None, "random", 0)
    for text in ("many", "nan", "-1", "0"):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(InputError, match=f"the environment variable {VARIABLE} is '{text}'"):
            check_held_count(1, "the runs", "Choose fewer")


def test_steps_are_not_counted(pendulum):
    simulation = mb.Simulation(pendulum, max_steps=10**9, max_step=1e-3, backend="interpreted")
    assert simulation.run(pendulum.realize_topology(), 0.01).steps >= 10


def test_the_command_line_says_so_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.json").write_text('{"format": "mobod-model", "version": 1, "name": "m"}')
    done = CliRunner().invoke(main, ["simulate", "m.json", "--report-every", "1e-12"])
    assert done.exit_code != 0
    assert "there would be 1e+12, all held in memory" in done.output
