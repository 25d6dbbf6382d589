"""Auto-update variables, recorded and called back, give the same numbers in Simulations and FMUs."""

from itertools import pairwise
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.source import model_struct
from mobod.compilation.source.model_source import generate
from mobod.compilation.source.model_tables import auto_update_table
from mobod.cosim import FmuFile, Instance
from mobod.cosim.instance import StepDiscardedError
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError, InputError, IntegrationError, UnsupportedError
from mobod.scalar import clip, where
from mobod.system import Stage
from tests.fmu.python_instances import begun
from tests.fmu.stepped import start, walk, walked_thrice

RATE = 0.125  # largest change of the level in a step


class Sampler(mb.CustomSubsystem):
    """Follows sin(3 t) with a limited rate, turns a heater on and off with hysteresis, and counts steps; z relaxes to level and heater.

    level    at DYNAMICS, depends on itself
    heats    a truth value at DYNAMICS
    n        the number of steps, at TIME
    pair     two numbers that are swapped in each step, at TIME
    clock    the time at the start of the step, computed at TIME and read at DYNAMICS
    latched  twice the gain, computed at INSTANCE, and so updated once after each change of the gain
    """

    def realize_topology(self, state):
        self.gain = state.allocate_discrete_variable(self, "gain", 1.75, Stage.INSTANCE)
        self.level = self.updating(state, "level", 0.3, Stage.DYNAMICS)
        self.heats = self.updating(state, "heats", False, Stage.DYNAMICS)
        self.n = self.updating(state, "n", 0.0, Stage.TIME)
        self.pair = self.updating(state, "pair", np.array([0.7, -1.3]), Stage.TIME)
        self.clock = self.updating(state, "clock", -0.4, Stage.DYNAMICS, Stage.TIME)
        self.latched = self.updating(state, "latched", 0.1, Stage.DYNAMICS, Stage.INSTANCE)

    def updating(self, state, name, value, invalidates, depends_on=None):
        return state.allocate_auto_update_discrete_variable(self, name, value, invalidates, update_depends_on=depends_on or invalidates)

    def realize_model(self, state):
        state.allocate_z(self, 0.9, "z")

    def realize_instance(self, state):
        state.set_cached(self.latched.update, 2 * state.get(self.gain))

    def realize_time(self, state):
        n, pair = state.get(self.n), state.get(self.pair)
        state.set_cached(self.n.update, n + 1)
        state.set_cached(self.clock.update, state.time)
        state.set_cached(self.pair.update, [pair[1], pair[0]])

    def realize_dynamics(self, state):
        level, z = state.get(self.level), state.get(state.handle(self, "z"))
        state.set_cached(self.level.update, level + clip(np.sin(3 * state.time) - level, -RATE, RATE))
        state.set_cached(self.heats.update, where(state.get(self.heats), where(z < 0.4, 1.0, 0.0), where(z < -0.2, 1.0, 0.0)))

    def realize_acceleration(self, state):
        z = state.get(state.handle(self, "z"))
        heat = where(state.get(self.heats), 2.0, -2.0)
        state.set_rate(
            state.handle(self, "z"), heat + state.get(self.level) - 0.1 * z + 1e-3 * (state.get(self.latched) + state.get(self.clock))
        )


class CalledSampler(Sampler):
    recordable = False


NAMES = ["sampler.level", "sampler.heats", "sampler.n", "sampler.pair", "sampler.latched", "sampler.clock", "sampler.z"]
OUTPUTS = [*NAMES[:3], "sampler.pair[1]", "sampler.pair[2]", *NAMES[4:]]


def sampled(kind=Sampler):
    system = mb.System("sampled")
    return system, kind(system, "sampler")


def check_follows(results, turns=True):
    """Checks the level and the heater from step to step."""
    time, level, heats, z = results.time, results["sampler.level"], results["sampler.heats"], results["sampler.z"]
    assert_array_equal(results["sampler.n"], range(len(time)))
    for i in range(1, len(time)):
        wanted = level[i - 1] + np.clip(np.sin(3 * time[i - 1]) - level[i - 1], -RATE, RATE)
        assert level[i] == pytest.approx(wanted, abs=1e-15)  # the sine is another library's
        assert heats[i] == (z[i - 1] < (0.4 if heats[i - 1] else -0.2))
    assert set(heats) == {0, 1} or not turns
    pair = results["sampler.pair"]
    assert_array_equal(pair[::2], [[0.7, -1.3]] * len(pair[::2]))
    assert_array_equal(pair[1::2], [[-1.3, 0.7]] * len(pair[1::2]))
    assert_array_equal(results["sampler.clock"], [-0.4, *time[:-1]])
    assert_array_equal(results["sampler.latched"], [0.1, *[3.5] * (len(time) - 1)])


@pytest.mark.parametrize("kind", [Sampler, CalledSampler])
@pytest.mark.parametrize("integrator", ["RK45", "Rodas5P"])
def test_each_step_starts_with_the_next_values_of_the_previous_step(kind, integrator):
    system, _ = sampled(kind)
    check_follows(mb.Simulation(system, 1e-6, integrator=integrator, max_step=0.1).run(system.realize_topology(), 3.0))


def test_recorded_variables_do_not_call_python(monkeypatch):
    system, sampler = sampled()
    monkeypatch.setattr(mb.System, "auto_update_discrete_variables", None)
    results = mb.Simulation(system, 1e-6, max_step=0.1).run(system.realize_topology(), 0.5)
    assert results.final_state.get(sampler.n) == results.steps > 3


def test_numpy_code_gives_the_same_numbers():
    """In a separate thread, in which C has computed nothing before."""
    ends = []

    def run(as_text):
        system, _ = sampled()
        system.as_text = as_text
        final = mb.Simulation(system, 1e-6).run(system.realize_topology(), 1.0).final_state
        ends.append(np.hstack([np.ravel(system.value(final, name)) for name in NAMES]))

    for as_text in (True, False):
        thread = Thread(target=run, args=[as_text])
        thread.start()
        thread.join()
    assert_allclose(ends[1], ends[0], atol=1e-9)  # elementary functions are another library's


def set_by(sampler, recordable, system):
    """Handlers that set variables (the latched value and the clock) after their next values were computed. These are then not used."""

    def handle(state, event):
        state.set(sampler.latched, state.get(sampler.latched) + 0.25)
        state.set(sampler.level, -0.5)
        state.set(sampler.clock, -7.0)
        event.realize("DYNAMICS")

    def set_gain(state, event):
        state.set(sampler.gain, state.get(sampler.gain) + 0.5)

    mb.PeriodicEventHandler.of(system, 0.4, handle, name="sets", recordable=recordable)
    mb.PeriodicEventHandler.of(system, 0.9, set_gain, name="gains", recordable=recordable, sets=["sampler.gain"])


@pytest.mark.fast(3)
@pytest.mark.parametrize("report_every", [None, 0.13])
@pytest.mark.parametrize("has_handlers", [False, True])
def test_recorded_and_called_back_give_the_same_bits(has_handlers, report_every):
    runs = []
    for kind in (Sampler, CalledSampler):
        for recordable in (True, False) if has_handlers else (True,):
            system, sampler = sampled(kind)
            if has_handlers:
                set_by(sampler, recordable, system)
            results = mb.Simulation(system, 1e-6, integrator="RK45").run(system.realize_topology(), 2.0, report_every=report_every)
            values = [*(results[name] for name in NAMES), *(system.value(results.final_state, name) for name in NAMES)]
            runs.append((kind.__name__, recordable, np.hstack([np.ravel(each) for each in values])))
    for *which, run in runs[1:]:
        assert_array_equal(run, runs[0][-1], err_msg=str(which))


# FMUs

TIMES = np.linspace(0.0, 1.6, 9)
LATCHED = OUTPUTS.index("sampler.latched")


def with_handlers(kind=Sampler, recordable=True):
    system, sampler = sampled(kind)
    set_by(sampler, recordable, system)
    return system


@pytest.fixture(scope="module")
def fmu(tmp_path_factory):
    file = tmp_path_factory.mktemp("native") / "sampled.fmu"
    return FmuFile(mb.export_fmu(with_handlers(), file, code="interpreted", outputs=NAMES))


def test_a_native_fmu_gives_the_same_bits_as_a_simulation(fmu):
    with start(fmu, tolerance=1e-6) as instance:
        instance.step(0.0, 1.6)
        found = [instance.get(name) for name in OUTPUTS]
    system = with_handlers()
    final = mb.Simulation(system, 1e-6).run(system.realize_topology(), 1.6).final_state
    wanted = np.hstack([np.ravel(system.value(final, name)) for name in NAMES])
    assert_array_equal(found, wanted)
    assert wanted[OUTPUTS.index("sampler.n")] > 5


@pytest.mark.slow
def test_compiled_interpreted_and_python_fmus_give_the_same_bits(fmu, tmp_path):
    compiled = FmuFile(mb.export_fmu(with_handlers(), tmp_path / "compiled.fmu", code="compiled", outputs=NAMES))
    runs = []
    for file in (fmu, compiled):
        with start(file, tolerance=1e-7) as instance:  # as Python instances have it
            runs.append(walk(instance, TIMES, OUTPUTS))
    runs += [walk_in_python(with_handlers(kind, recordable)) for kind in (Sampler, CalledSampler) for recordable in (True, False)]
    for run in runs[1:]:
        assert_array_equal(run, runs[0])


def walk_in_python(system):
    """The same run by an instance of a Python FMU."""
    instance, references = begun(system, system.realize_topology(), outputs=NAMES)
    rows = []
    for time, after in pairwise(TIMES):
        instance.do_step(time, after - time)
        rows.append([instance.get([references[name]], "boolean" if name == "sampler.heats" else "real")[0] for name in OUTPUTS])
    return np.array(rows)


@pytest.mark.parametrize("middle", [1, 4])
def test_a_saved_state_continues_with_the_same_bits(fmu, middle):
    """At 0.8 s a handler has set the latched value. A restored state must keep it without an update."""
    first, again, elsewhere = walked_thrice(fmu, TIMES, middle, OUTPUTS)
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)
    assert len(set(first[:, LATCHED])) > 1


def test_auto_update_variables_are_not_parameters_of_an_fmu(fmu):
    variables = {each.name: each for each in fmu.description.modelVariables}
    for name in OUTPUTS[:-1]:
        assert (variables[name].causality, variables[name].variability) == ("output", "discrete")
    assert variables["sampler.gain"].causality == "local"  # set by a handler
    system, _ = sampled()
    with pytest.raises(
        InputError, match=r"input 'sampler.level': the model also sets it, by an event handler or at the start of each step"
    ):
        mb.export_fmu(system, "never.fmu", inputs=["sampler.level"], code="interpreted")


class Root(mb.CustomSubsystem):
    """An auto-update variable: the square root of the time left until 0.35 s."""

    def realize_topology(self, state):
        self.left = state.allocate_auto_update_discrete_variable(self, "left", 1.5, Stage.DYNAMICS, update_depends_on=Stage.TIME)

    def realize_model(self, state):
        state.allocate_z(self, 0.2, "z")

    def realize_time(self, state):
        state.set_cached(self.left.update, np.sqrt(0.35 - state.time))

    def realize_acceleration(self, state):
        state.set_rate(state.handle(self, "z"), state.get(self.left))


def test_a_next_value_that_is_not_finite_stops_a_simulation_and_is_named():
    system = mb.System("roots")
    Root(system, "root")
    with pytest.raises(IntegrationError, match=r"stopped at 0\.4\d* s: the next value of 'root\.left' is nan"):
        mb.Simulation(system, max_step=0.1).run(system.realize_topology(), 1.0)


def test_a_failed_step_does_not_change_the_variables_of_an_fmu(tmp_path):
    system = mb.System("roots")
    Root(system, "root")
    file = FmuFile(mb.export_fmu(system, tmp_path / "roots.fmu", code="interpreted", outputs=["root.left"]))
    with start(file) as instance:
        instance.step(0.0, 0.2)
        with SavedState.of(instance) as saved:
            instance.step(0.2, 0.1)
            wanted = instance.get("root.left"), instance.get("root.z")
            saved.restore()
            instance.step(0.2, 0.2)  # the next step begins after 0.35 s
            with pytest.raises((FmuError, StepDiscardedError), match=r"at time 0\.4 s the next value of 'root\.left' is -?nan"):
                instance.step(0.4, 0.1)
            saved.restore()
            instance.step(0.2, 0.1)
            assert (instance.get("root.left"), instance.get("root.z")) == wanted


class Words(Sampler):
    def realize_topology(self, state):
        super().realize_topology(state)
        self.updating(state, "word", "begin", Stage.DYNAMICS)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Words, "'word' of subsystem 'sampler' .* it holds no number and no array of numbers"),
        (CalledSampler, "'level' of subsystem 'sampler' .* subsystem 'sampler' computes in Python hooks"),
    ],
)
def test_unrecorded_updates_are_refused_by_native_fmus_with_the_reason(kind, why):
    with pytest.raises(UnsupportedError, match=f"discrete variable {why}. Export a Python FMU"):
        generate(sampled(kind)[0])


@pytest.mark.slow
def test_auto_update_variables_are_updated_in_fixed_steps(tmp_path):
    """The steps of a simulation, and of an FMU, which counts the same number."""
    system = mb.MultibodySystem("swing")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties(1.3, [0.2, 0.1, 0], mb.Inertia(np.eye(3))), name="pin")
    Sampler(system, "sampler")
    options = {"integrator": "velocity_level", "step": 0.01}
    results = mb.Simulation(system, **options).run(system.realize_topology(), 0.6)
    check_follows(results, turns=False)
    file = FmuFile(mb.export_fmu(system, tmp_path / "swing.fmu", code="interpreted", outputs=NAMES, **options))
    with start(file) as instance:
        instance.step(0.0, 0.6)
        assert instance.get("sampler.n") == results["sampler.n"][-1] == 60
        assert instance.get("sampler.level") == results["sampler.level"][-1]


@pytest.mark.fast("stage-10-at a stage that does not exist")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("at", -1, "outside of w"),
        ("n", 100_000, "outside of w"),
        ("next", 100_000, "outside of w"),
        ("used", -5, "outside of w"),
        ("used", 0, "in the place of a state"),
        ("at", 1, "in the place of a state"),
        ("stage", 10, "at a stage that does not exist"),
        ("invalidates", -1, "at a stage that does not exist"),
        ("is_boolean", 2, "of no kind"),
    ],
)
def test_tables_of_updates_are_checked_when_they_are_read(field, value, message, monkeypatch, tmp_path):
    def changed(system, layout):
        table = auto_update_table(system, layout)
        table.fields["updates"][1].fields[field] = value
        return table

    monkeypatch.setattr(model_struct, "auto_update_table", changed)
    file = FmuFile(mb.export_fmu(sampled()[0], tmp_path / "changed.fmu", code="interpreted", outputs=[], reference=False))
    with pytest.raises(FmuError, match=f"cannot be used: .*a variable that is updated {message}"):
        Instance(file, "it")
