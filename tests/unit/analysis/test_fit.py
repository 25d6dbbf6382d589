"""Fits of parameters, inputs and start values to measured values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, MobodWarning, UnknownNameError
from tests.unit.analysis.moving_systems import bouncing_ball, double_pendulum, four_bar, in_a_plane, pendulum

FIVE = ("gravity.magnitude", "shoulder.damping", "elbow.damping", "upper.q", "lower.q")


def interpreted(system, accuracy=1e-8, **options):
    return mb.Simulation(system, accuracy, backend="interpreted", **options)


def changed(system, state, names, factors):
    """A copy of the State in which numbers are multiplied by factors."""
    copy = state.copy()
    for name, factor in zip(names, factors, strict=True):
        system.set_value(copy, name, system.value(copy, name) * factor)
    return copy


def swing():
    """A pendulum with a motor that was released at 0.9 rad: (system, state, motor)."""
    system, pin, motor = pendulum()
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    return system, state, motor


def noisy(run, names, deviation, seed):
    """A Table of variables with normal errors. run: Results, or Sensitivities of these variables."""
    rng, columns = np.random.default_rng(seed), {}
    for i, name in enumerate(names):
        exact = run[name] if isinstance(run, mb.Results) else run.values[:, i]
        columns[name] = exact + deviation * rng.normal(size=exact.shape)
    return mb.Table(run.time, columns)


def test_exact_data_give_the_parameters_of_a_double_pendulum_back():
    system, state = double_pendulum()
    simulation = interpreted(system)
    results = simulation.run(state, 1.5, 0.05)
    fit = mb.fit(simulation, results, FIVE, state=changed(system, state, FIVE, [0.9, 1.5, 0.5, 1.1, 0.8]))
    assert fit.has_converged
    assert fit.method == "tangents of the steps"
    for name in FIVE:
        assert_allclose(fit[name], float(system.value(state, name).item()), rtol=1e-5)  # the accuracy of runs, 1e-8, over that of the data
    assert_allclose(simulation.run(fit.state, 1.5).y[-1], results.y[-1], atol=1e-6)
    assert list(fit.weights) == ["upper.q", "upper.u", "lower.q", "lower.u"]


def test_standard_errors_are_those_of_the_linear_model_and_intervals_of_student():
    system, state = double_pendulum()
    simulation, deviation = interpreted(system), 0.01
    results = simulation.run(state, 1.5, 0.05)
    fit = mb.fit(simulation, noisy(results, ["upper.q", "lower.q"], deviation, seed=4), FIVE, state=state)
    exact = mb.sensitivities(simulation, fit.state, FIVE, ["upper.q", "lower.q"], until=1.5, report_every=0.05)
    jacobian = exact.derivatives.reshape(-1, 5)
    assert_allclose(fit.covariance, fit.variance * np.linalg.inv(jacobian.T @ jacobian), rtol=1e-4)
    residuals = np.array([fit.residuals["upper.q"], fit.residuals["lower.q"]])
    assert fit.n == residuals.size == 62
    assert_allclose(fit.variance, (residuals**2).sum() / (62 - 5), rtol=1e-9)
    assert np.sqrt(fit.variance) == pytest.approx(deviation, rel=0.25)
    half = 2.0024654592910065 * fit.standard_errors  # the quantile 0.975 of Student's distribution with 57 degrees of freedom
    assert_allclose(fit.intervals, np.column_stack([fit.values - half, fit.values + half]), rtol=1e-12)
    assert fit.interval("upper.q") == tuple(fit.intervals[3])
    assert_allclose(np.diag(fit.correlation), 1)
    assert repr(fit).splitlines()[0] == f"FitResult to 62 values, converged after {fit.runs} runs"
    assert repr(fit).splitlines()[1].split() == ["value", "standard", "error", "95", "%", "interval"]
    assert repr(fit).splitlines()[2].split()[-1] == "m/s2"


@pytest.mark.slow
def test_intervals_of_five_parameters_of_a_noisy_double_pendulum_cover_the_truth_as_often_as_they_claim():
    system, state = double_pendulum()
    simulation = mb.Simulation(system, 1e-6)
    truth = np.array([float(system.value(state, name).item()) for name in FIVE])
    names = ["upper.q", "lower.q"]
    exact = mb.sensitivities(simulation, state, FIVE, names, until=3.0, report_every=0.02)
    jacobian = exact.derivatives.reshape(-1, 5)
    inverse = np.linalg.inv(jacobian.T @ jacobian)
    start = changed(system, state, FIVE, [0.9, 1.5, 0.5, 1.1, 0.8])
    covers, covers_by_linear_model, widths, linear_widths = [], [], [], []
    for seed in range(1000):  # among 200 one of five rates may be off by 6 % by chance
        data = noisy(exact, names, 0.02, seed)
        # the same errors in a model that is linear in the parameters: Student's distribution is exact there
        errors = (np.column_stack([data[name] for name in names]) - exact.values).ravel()
        moved = inverse @ jacobian.T @ errors
        variance = ((errors - jacobian @ moved) ** 2).sum() / (errors.size - 5)
        linear_widths.append(1.968 * np.sqrt(variance * np.diag(inverse)))
        covers_by_linear_model.append(np.abs(moved) <= linear_widths[-1])
        if seed < 100:  # coverage follows from the widths, which are compared to 1 %; a fit takes 0.1 s
            low, high = mb.fit(simulation, data, FIVE, state=start).intervals.T
            covers.append((low <= truth) & (truth <= high))
            widths.append((high - low) / 2)
    rates = np.mean(covers_by_linear_model, axis=0)
    assert ((rates >= 0.90) & (rates <= 0.98)).all(), rates
    # the pendulum is not quite linear
    n = len(covers)
    assert np.abs(np.sum(covers, axis=0) - np.sum(covers_by_linear_model[:n], axis=0)).max() <= 0.02 * n
    assert_allclose(np.mean(np.array(widths) / linear_widths[:n], axis=0), 1.0, atol=0.01)


def test_a_csv_file_with_inputs_and_empty_cells(tmp_path):
    system, state, _ = swing()
    time = 0.05 * np.arange(31)
    force = 2.0 * np.sin(5.0 * time) + 0.5
    with interpreted(system, 1e-10).start(state) as run:
        rows = []
        for i, t in enumerate(time):  # between rows the input is a straight line: many short steps
            rows.append((float(t), float(run["pin.q"][0]), float(run["pin.p_GB"][0]), float(force[i])))
            for k in range(200 if i < 30 else 0):
                run.set("motor.force", force[i] + (k + 0.5) / 200 * (force[i + 1] - force[i]))
                run.step_to(t + 0.05 * (k + 1) / 200)
    path = tmp_path / "measured.csv"
    lines = [f"{t!r},{'' if i % 3 == 1 else repr(q)},{x!r},{f!r}" for i, (t, q, x, f) in enumerate(rows)]
    path.write_text("\n".join(["time,angle,pin.p_GB[1],motor.force", *lines]) + "\n", encoding="utf-8")
    names = ["spring.stiffness", "damper.damping", "pin.q"]
    columns = {"angle": "pin.q", "motor.force": "motor.force"}
    fit = mb.fit(interpreted(system), str(path), names, state=changed(system, state, names, [1.4, 0.6, 0.9]), columns=columns)
    assert fit.n == 21
    assert_allclose(fit.values, [2.0, 0.3, 0.9], rtol=1e-4)  # the 200 constant forces differ from a straight line by 1e-5
    assert np.isnan(fit.residuals["pin.q"]).sum() == 0
    with pytest.raises(InputError, match=r"'motor.force' follows the data and cannot be fitted too"):
        mb.fit(interpreted(system), str(path), ["motor.force"], state=state, columns=columns)
    path.write_text("time;pin.q\n# of Monday\n0,0;0,9\n0,1;fast\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"measured.csv, line 4, column 'pin.q': 'fast' is not a number"):
        mb.fit(interpreted(system), path, names, state=state)


def test_tables_with_different_times_and_an_input_that_jumps():
    system, state, _ = swing()
    inputs = mb.Table(np.array([0.0, 0.5, 0.5, 1.0]), {"motor.force": np.array([0.0, 1.0, -2.0, -2.0])})
    simulation = interpreted(system, 1e-10)
    with simulation.start(state) as run:
        fast, slow = [], []
        for k in range(1, 1001):
            middle = (k - 0.5) * 1e-3
            run.set("motor.force", 2 * middle if middle < 0.5 else -2.0)
            run.step_to(k * 1e-3)
            if k % 50 == 0:
                fast.append((run.time, float(run["pin.q"][0])))
            if k % 130 == 0:
                slow.append((run.time, float(run["pin.u"][0])))
    tables = [mb.Table(*np.array(rows).T[:1], {name: np.array(rows)[:, 1]}) for name, rows in (("pin.q", fast), ("pin.u", slow))]
    names = ["spring.stiffness", "damper.damping"]
    fit = mb.fit(simulation, tables, names, state=changed(system, state, names, [1.3, 0.5]), inputs=inputs)
    assert (fit.n, len(fit.measured.time)) == (27, 26)  # one time is in both
    assert_allclose(fit.values, [2.0, 0.3], rtol=1e-5)
    assert_allclose(fit.weights["pin.q"], 1 / np.std(np.array(fast)[:, 1]))  # the units differ


def test_the_restitution_and_the_height_of_a_floor_are_fitted_across_impacts():
    system, state = bouncing_ball(restitution=0.8)
    simulation = interpreted(system, 1e-9)
    data = simulation.run(state, 1.6, 0.04).table("ball.q")
    data = mb.Table(data.time, {"ball.q[2]": data["ball.q"][:, 1]})
    limit = next(each.name for each in system.variables(state) if each.name.endswith(".restitution"))
    names = [limit, limit.replace("restitution", "lower"), "ball.u[2]"]
    start = changed(system, state, names[:1], [0.93])
    system.set_value(start, names[1], -0.03)
    system.set_value(start, "ball.u", [0, 0.5, 0])
    fit = mb.fit(simulation, data, names, state=start)
    assert "saltation" in fit.method
    assert_allclose(fit.values, [0.8, 0.0, 0.4], atol=1e-6)


@pytest.mark.slow
def test_a_motor_and_a_damper_of_a_closed_loop_are_fitted():
    system, state = four_bar()
    names = ["motor.force", "damper.damping", "crank.u"]
    for name, value in zip(names, [2.0, 0.4, 1.0], strict=True):
        system.set_value(state, name, value)
    simulation = interpreted(system, 1e-9)
    state = mb.Assembler(system).assemble(state, keep=["crank.u"])  # the speed of the crank moves the whole loop
    data = simulation.run(state, 1.0, 0.05).table("rocker.q", "coupler.q")
    fit = mb.fit(simulation, data, names, state=changed(system, state, names, [0.5, 2.0, 1.0]))
    assert_allclose(fit.values[:2], [2.0, 0.4], rtol=1e-5)


def test_numbers_that_the_data_do_not_determine_are_named():
    system, matter, forces = in_a_plane("two dampers")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.2, p=[0, -0.7, 0]), name="pin")
    for name in ("inner", "outer"):
        mb.MobilityLinearDamper(forces, pin, damping=0.2, name=name)
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    simulation = interpreted(system)
    data = noisy(simulation.run(state, 2.0, 0.1), ["pin.q"], 1e-3, seed=1)
    names = ["inner.damping", "outer.damping", "gravity.magnitude"]
    with pytest.warns(MobodWarning, match=r"the data do not determine 0.71 inner.damping - 0.71 outer.damping"):
        fit = mb.fit(simulation, data, names, state=changed(system, state, names, [1.5, 1.5, 1.1]))
    assert fit["inner.damping"] + fit["outer.damping"] == pytest.approx(0.4, abs=0.01)
    assert_allclose(fit.standard_errors[:2], np.inf)
    assert 0 < fit.standard_errors[2] < 0.1
    assert "inf" in repr(fit)


def test_a_bound_that_is_active_is_named():
    system, state, _ = swing()
    simulation = interpreted(system)
    data = simulation.run(state, 1.0, 0.05).table("pin.q")
    start = changed(system, state, ["spring.stiffness"], [0.5])
    with pytest.warns(MobodWarning, match=r"'spring.stiffness' is at its greatest value, 1.5 N.m/rad"):
        fit = mb.fit(simulation, data, ["spring.stiffness"], state=start, bounds={"spring.stiffness": (0.1, 1.5)})
    assert fit["spring.stiffness"] == pytest.approx(1.5, abs=1e-6)
    with pytest.raises(InputError, match=r"'spring.stiffness' is 2 N.m/rad at the start of the search, which is not from 0.1 to 1.5"):
        mb.fit(simulation, data, ["spring.stiffness"], state=state, bounds={"spring.stiffness": (0.1, 1.5)})


def test_trials_at_which_a_run_fails_are_refused_and_said():
    system, pin, _ = pendulum()
    mb.TriggeredEventHandler.of(
        system, lambda state: pin.q(state)[0] - 3.0, lambda state, event: event.terminate_when(True), name="over the top"
    )
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    pin.set_u(state, 9.0)
    simulation = interpreted(system)
    data = simulation.run(state, 1.5, 0.05).table("pin.q")
    pin.set_u(state, 0.1)  # on the way to 9.0 rad/s the search tries 9.5 rad/s, with which the pendulum turns over
    with pytest.warns(MobodWarning, match=r"1 trial runs failed and were refused. The last one: event 'over the top' ends the run at"):
        fit = mb.fit(simulation, data, ["pin.u"], state=state)
    assert (fit.failed_runs, fit.has_converged) == (1, True)
    assert "'over the top'" in fit.last_failure
    assert fit["pin.u"] == pytest.approx(9.0, abs=1e-5)


def test_a_search_that_ends_early_says_so():
    system, state, _ = swing()
    simulation = interpreted(system)
    data = simulation.run(state, 1.0, 0.05).table("pin.q")
    with pytest.warns(MobodWarning, match=r"the search ended early"):
        fit = mb.fit(simulation, data, ["spring.stiffness"], state=changed(system, state, ["spring.stiffness"], [8.0]), max_runs=1)
    assert not fit.has_converged
    assert "did not converge" in repr(fit)


def test_outliers_count_less_with_another_loss():
    system, state, _ = swing()
    simulation = interpreted(system)
    data = noisy(simulation.run(state, 1.5, 0.05), ["pin.q"], 1e-3, seed=2)
    data["pin.q"][::7] += 0.3
    start = changed(system, state, ["spring.stiffness"], [1.2])
    plain = mb.fit(simulation, data, ["spring.stiffness"], state=start)
    robust = mb.fit(simulation, data, ["spring.stiffness"], state=start, loss="soft_l1", loss_scale=3e-3)
    assert abs(robust["spring.stiffness"] - 2.0) < 0.1 * abs(plain["spring.stiffness"] - 2.0)


def test_wrong_arguments_are_named():
    system, state, _ = swing()
    simulation = interpreted(system)
    data = simulation.run(state, 0.5, 0.1).table("pin.q")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'pin.q'"):
        mb.fit(simulation, mb.Table(data.time, {"pin.p": data["pin.q"]}), ["pin.q"], state=state)
    with pytest.raises(UnknownNameError, match=r"no fitted number with bounds is named 'pin.u'"):
        mb.fit(simulation, data, ["pin.q"], state=state, bounds={"pin.u": (0, 1)})
    with pytest.raises(InputError, match=r"weights has no entry for 'pin.q'"):
        mb.fit(simulation, data, ["pin.q"], state=state, weights={})
    with pytest.raises(InputError, match=r"there is no measured value at or after the start of the run"):
        mb.fit(simulation, mb.Table(data.time, {"pin.q": np.full(len(data.time), np.nan)}), ["pin.q"], state=state)
    with pytest.raises(InputError, match=r"loss must be one of 'linear', 'soft_l1'"):
        mb.fit(simulation, data, ["pin.q"], state=state, loss="square")
    with pytest.raises(InputError, match=r"data takes a Table, Results, or the path of a CSV file"):
        mb.fit(simulation, 3.0, ["pin.q"], state=state)
    with pytest.raises(InputError, match=r"'pin.q' is given twice"):
        mb.fit(simulation, data, ["pin.q", "pin.q"], state=state)
