"""Runs of a sweep side by side: the same figures and messages as those of runs one by one."""

import numpy as np
import pytest

import mobod as mb
from mobod.sweeps import pool, runners, sweep
from mobod.sweeps.sweep import system_task
from tests.ensembles.models import Root, double_pendulum, four_bar, swing
from tests.sweeps.models import bouncing, deadly, pendulum
from tests.unit.simulate.event_systems import bouncing_mass

N = 11  # more than the lanes of any processor
OVER_TIME = ["max(lower.q)", "mean(lower.p_GB[2])", "rms(energy)", "lower.u"]


def uniform(low, high, seed=0):
    return np.random.default_rng(seed).uniform(low, high, N)


def assert_same_as_one_by_one(system, values, *, side_by_side=N, **arguments):
    """The rows of a chunk are those of chunks of one run. Returns them.

    side_by_side  the number of runs that need not be made alone
    """
    design = np.array(list(values.values())).T.tolist()
    task = system_task(system, values, **{"until": 1.0, **arguments})
    assert sum(each is not None for each in task.runner().run_side_by_side(design)) == side_by_side
    chunk, names = runners.run_rows(task, 0, design)
    alone = [runners.run_rows(task, number, [each])[0][0] for number, each in enumerate(design)]
    assert chunk == alone
    assert [np.array(row[1]).tobytes() for row in chunk] == [np.array(row[1]).tobytes() for row in alone]
    assert len(names) == len(arguments["figures"])
    return chunk


@pytest.mark.fast("figures0-options0", "figures1-options0")
@pytest.mark.parametrize("options", [{}, {"integrator": "RK4", "step": 0.007}, {"integrator": "velocity_level", "step": 0.01}])
@pytest.mark.parametrize("figures", [["lower.q", "lower.p_GB[2]", "energy"], OVER_TIME])
def test_figures_of_pendulums_with_stops(figures, options):
    values = {"spring.stiffness": uniform(1, 30), "upper.q": uniform(-1, 1, 1), "lower.u": uniform(-2, 2, 2)}
    options = {"backend": "interpreted", **options}
    assert_same_as_one_by_one(double_pendulum(stops=True), values, figures=figures, report_every=0.05, options=options)


@pytest.mark.fast(1)
@pytest.mark.parametrize("figure", ["rocker.q", "max(rocker.q)"])
@pytest.mark.filterwarnings("ignore:the state that was set at 0 s did not satisfy the constraints")
@pytest.mark.parametrize("values", [{"gravity.magnitude": uniform(5, 15)}, {"crank.q": uniform(1.1999, 1.2001), "crank.u": uniform(-1, 1)}])
def test_figures_of_a_closed_loop(values, figure):
    """Starts with another angle of the crank are projected. Runs with figures over time are then made alone, for their warnings."""
    system, state = four_bar()
    n = 0 if "crank.q" in values and figure.startswith("max") else N
    options = {"state": state, "figures": [figure, "energy"], "until": 0.5, "options": {"backend": "interpreted"}}
    assert_same_as_one_by_one(system, values, side_by_side=n, **options)


@pytest.mark.slow
@pytest.mark.parametrize("figures", [["ball.q", "ball.u"], ["max(ball.q)", "mean(ball.q)", "rms(ball.u)", "ball.u"]])
def test_points_after_events_at_the_end_are_part_of_figures(figures):
    system = bouncing()
    ball = system.matter.bodies[-1]
    mb.PeriodicEventHandler.of(system, 0.25, lambda state, event: ball.set_u(state, 0.9 * ball.u(state)), name="brake")  # also at the end
    options = {"backend": "interpreted"}
    assert_same_as_one_by_one(system, {"ball.q": uniform(0.2, 2)}, figures=figures, report_every=0.02, options=options)
    system, state, _ = bouncing_mass(stop_at=1)
    assert_same_as_one_by_one(system, {"ball.u": uniform(-1, 1)}, state=state, figures=figures, until=3.0, options=options)


@pytest.mark.slow
def test_runs_whose_results_have_a_point_after_the_end_are_made_alone():
    system = bouncing()
    ball = system.matter.bodies[-1]
    mb.TerminationEventHandler.of(system, lambda state, event: ball.set_u(state, 7.0), name="last")
    figures, options = ["max(ball.u)", "ball.u"], {"backend": "interpreted"}
    rows = assert_same_as_one_by_one(system, {"ball.q": uniform(0.2, 2)}, figures=figures, options=options, side_by_side=0)
    assert rows[0][1] == [7.0, 7.0]


@pytest.mark.slow
@pytest.mark.parametrize("figure", ["pin.q", "max(pin.q)"])
def test_runs_that_fail_have_the_same_messages(figure):
    options = {"backend": "interpreted"}
    rows = assert_same_as_one_by_one(swing(Root), {"pin.u": uniform(0, 4.5)}, figures=[figure], options=options, side_by_side=5)
    assert sum(error.startswith("IntegrationError: the integration stopped") for *_, error in rows) == N - 5
    values = {"gravity.magnitude": [-1.0, *uniform(1, 9)[1:]], "pin.q": uniform(-1, 1)}
    rows = assert_same_as_one_by_one(pendulum(), values, figures=[figure], options=options, side_by_side=N - 1)
    assert "least value" in rows[0][2]


def test_runs_in_plain_python_are_made_one_by_one():
    assert_same_as_one_by_one(deadly(), {"trap.danger": uniform(-2, 0.9)}, figures=["pin.q"], until=0.01, side_by_side=0)


@pytest.mark.slow
def test_a_table_of_many_runs_does_not_depend_on_chunks(tmp_path, monkeypatch):
    values, options = {"motor.force": "normal(0, 1)"}, {"runs": 300, "until": 0.2, "backend": "interpreted", "processes": 1}
    sweep(pendulum(), values, figures=["pin.q", "max(pin.u)"], file=tmp_path / "many.csv", report_every=0.1, **options)
    monkeypatch.setattr(runners, "FEWEST", 1000)
    sweep(pendulum(), values, figures=["pin.q", "max(pin.u)"], file=tmp_path / "alone.csv", report_every=0.1, **options)
    assert (tmp_path / "many.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


@pytest.mark.slow
def test_long_runs_are_made_some_at_a_time_so_that_they_go_side_by_side(monkeypatch):
    def chunks(runs, **options):
        done = []
        options = {"until": 1e-3, "backend": "interpreted", "processes": 1, "progress": lambda n, _: done.append(n), **options}
        sweep(pendulum(), {"pin.q": f"0:1:{runs}"}, figures=["pin.q"], **options)
        return np.diff(done).tolist()

    monkeypatch.setattr(pool, "_SECONDS", 0.0)  # every run takes longer
    assert chunks(24) == [1, 4, 8, 8, 3]
    assert chunks(7) == [1] * 7
    assert chunks(9, more_figures=lambda results: {"end": results.time[-1]}) == [1] * 9
