"""One grammar for the names of numbers: what one door takes, every door takes, and each door refuses a wrong name in the same way."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cli import main
from mobod.compilation.source.model_source import generate
from mobod.errors import UnknownNameError
from mobod.fmu.interface import make_interface
from mobod.system.named_numbers import numbers_of, places_by_name
from mobod.viewer.live_variables import shown_variables
from mobod.viewer.run_page import run_page
from tests.view.test_pages import data_of

MODEL = """
import mobod as mb
import numpy as np

def spun():
    system = mb.MultibodySystem("spun")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.3, [0.1, 0, 0], np.diag([0.4, 0.5, 0.6]))
    free = mb.Free(matter.ground, mass, name="free")
    mb.Pin(free, mass, name="pin")
    mb.ConstantForce(forces, free, [0.1, 0.2, 0.3], [0.5, -0.7, 0.9], name="wind")
    return system
"""


class Spun:
    """A body that spins and flies in a wind, and a pendulum on it."""

    def __init__(self, folder):
        (folder / "model.py").write_text(MODEL, encoding="utf-8")
        content = {}
        exec(MODEL, content)
        self.path, self.system = f"{folder / 'model.py'}:spun", content["spun"]()
        self.state = self.system.realize_topology()
        self.system.set_value(self.state, "free.u", [0.3, 0.2, -0.1, 0.5, 0.4, 0.6])
        self.simulation = mb.Simulation(self.system, backend="interpreted")
        self.results = self.simulation.run(self.state, 0.02)
        self.run = self.simulation.start(self.state)
        self.generated = generate(self.system, self.state)

    def simulated(self, *arguments):
        """The last values that the command line prints; its errors as exceptions."""
        done = CliRunner().invoke(main, ["simulate", self.path, "--until", "0.01", "--json", *arguments])
        if done.exit_code:
            raise UnknownNameError("", "", (), hint=done.output) if "is named" in done.output else AssertionError(done.output)
        return json.loads(done.output)["final"]


@pytest.fixture(scope="module")
def spun(tmp_path_factory):
    made = Spun(tmp_path_factory.mktemp("spun"))
    yield made
    made.run.close()


# name, that which mobod prints, the variable, the number in it
READ = [
    ("free.q[2]", "free.q[2]", "free.q", 1),
    ("free.R_GB[1,3]", "free.R_GB[1,3]", "free.R_GB", 2),
    ("free.R_GB[4]", "free.R_GB[2,1]", "free.R_GB", 3),
    ("der(free.q[2])", "der(free.q[2])", "der(free.q)", 1),
    ("der(free.q)[2]", "der(free.q[2])", "der(free.q)", 1),
    ("pin.q[1]", "pin.q", "pin.q", 0),
    ("der(pin.u)[1]", "der(pin.u)", "der(pin.u)", 0),
    ("wind.force[3]", "wind.force[3]", "wind.force", 2),
]
SET = [("free.q[6]", "free.q[6]", "free.q", 5), ("pin.u[1]", "pin.u", "pin.u", 0), ("wind.force[3]", "wind.force[3]", "wind.force", 2)]
WRONG = [
    "free.q[02]",
    "free.q[8]",
    "free.q[0]",
    "free.q[1,1]",
    "der(free.q[8])",
    "pin.q[2]",
    "free.R_GB[4,1]",
    "free[1]",
    "free.q[2",
    "fre.q[2]",
]


def doors_that_read(spun, name):
    """Functions that read a number by its name at the start, and the names that they print."""
    system, state, simulation = spun.system, spun.state, spun.simulation
    return {
        "results": lambda: (spun.results[name][0], name),
        "table": lambda: (spun.results.table(name)[name][0], name),
        "run": lambda: (spun.run[name], name),
        "variables": lambda: (spun.run.variables(name).get()[0], *spun.run.variables(name).names),
        "value": lambda: (system.value(state, name), system.variable(state, name).name),
        "linearize": lambda: (None, *system.linearize(state, outputs=[name]).outputs),
        "directional": lambda: (None, *system.directional_derivative(state, [name], {"free.u[2]": 1.0})),
        "sensitivities": lambda: (None, *mb.sensitivities(simulation, state, ["wind.force[3]"], [name], until=0.01).outputs),
        "ensemble": lambda: (mb.Ensemble(system, [state], outputs=[name], backend="interpreted").run(0.01)[name][0, 0], name),
        "sweep": lambda: (None, mb.sweep(system, {"wind.force[3]": [1.0]}, until=0.0, figures=[name], processes=1).figures[0]),
        "fmu": lambda: (None, *(row.name for row in make_interface(spun.generated, "m", outputs=[name]).rows if row.causality == "output")),
        "command line": lambda: (None, *spun.simulated("--output", name)),
    }


PRINTS_AS_GIVEN = {"results", "table", "run", "directional", "ensemble", "sweep", "command line"}


@pytest.mark.parametrize(("name", "printed", "variable", "entry"), READ)
def test_every_door_that_reads_takes_the_name_of_one_number(spun, name, printed, variable, entry):
    expected = spun.system.value(spun.state, variable).reshape(-1)[entry]
    assert name in spun.results
    for door, read in doors_that_read(spun, name).items():
        if door == "fmu" and variable.startswith("wind"):
            continue  # a parameter: no output
        value, shown = read()
        assert shown == (name if door in PRINTS_AS_GIVEN else printed), door
        assert value is None or np.isclose(value, expected, rtol=1e-12), door


def doors_that_set(spun, name, value):
    """Functions that set a number of a new start by its name, and return the State."""
    system, state, simulation = spun.system, spun.state, spun.simulation

    def of_state():
        changed = state.copy()
        system.set_value(changed, name, value)
        return changed

    def of_run():
        with simulation.start(state) as run:
            run.set(name, value)
            return run.state

    def of_ensemble():
        return mb.Ensemble(system, state, n=1, parameters={name: [value]}, backend="interpreted").run(0.0).final_states[0]

    def of_fit():
        data = mb.Table(np.array([0.0, 0.01]), {"pin.q[1]": np.array([0.0, 0.0])})
        with pytest.warns(mb.MobodWarning):
            found = mb.fit(simulation, data, [name], state=of_state(), bounds={name: (value - 1, value + 1)}, weights={"pin.q": 0.0})
        assert found[name] == value
        return found.state

    return [of_state, of_run, of_ensemble, of_fit]


@pytest.mark.parametrize(("name", "printed", "variable", "entry"), SET)
def test_every_door_that_sets_takes_the_name_of_one_number(spun, name, printed, variable, entry):
    expected = spun.system.value(spun.state, variable)
    expected.reshape(-1)[entry] = 0.25
    for door in doors_that_set(spun, name, 0.25):
        assert_array_equal(spun.system.value(door(), variable), expected, door.__name__)

    swept = mb.sweep(spun.system, {name: [0.25]}, until=0.0, figures=[printed], processes=1)
    assert swept[f"{name} at the end" if name == printed else printed][0] == 0.25
    found = mb.sensitivities(spun.simulation, spun.state, [name], [printed], until=0.01)
    assert found.parameters == [printed]
    assert_array_equal(found[name, name], found[printed, printed])
    assert spun.simulated("--set", f"{name}=0.25", "--output", printed)[printed] == pytest.approx(0.25, abs=0.05)  # after 0.01 s


@pytest.mark.parametrize("name", WRONG)
def test_every_door_refuses_a_wrong_name_and_offers_near_ones(spun, name):
    assert name not in spun.results
    for door, read in doors_that_read(spun, name).items():
        with pytest.raises(UnknownNameError, match=r"is named '.*' (has no element|Did you mean)|Did you mean") as raised:
            read()
        assert name in str(raised.value), door
    for door in (
        lambda: spun.system.set_value(spun.state, name, 1.0),
        lambda: spun.run.set(name, 1.0),
        lambda: spun.simulated("--set", f"{name}=1"),
    ):
        with pytest.raises(UnknownNameError):
            door()


def test_a_number_of_a_quaternion_is_set_with_its_other_numbers(spun):
    state = spun.state.copy()
    spun.system.set_value(state, "free.q[1]", 0.8)
    spun.system.set_value(state, "free.q[2]", 0.6)
    assert_array_equal(spun.system.value(state, "free.q")[:4], [0.8, 0.6, 0, 0])
    with pytest.raises(mb.errors.InputError, match="too long"):
        spun.system.set_value(state, "free.q[1]", 1e200)


def test_all_spellings_of_each_number_are_understood(spun):
    system, state = spun.system, spun.state
    numbers = numbers_of(system.variables(state))
    for name, place in places_by_name(numbers).items():
        found = system.variable(state, name)
        assert found.slot.size == 1
        assert (found.slot.offset, found.entry_names()) == (numbers[place].offset, [numbers[place].name])


def test_measured_columns_may_have_any_spelling(spun):
    """As Results write them, 'der(pin.q)[1]', and as FMUs do."""
    time = np.array([0.0, 0.01])
    rates = spun.simulation.run(spun.state, 0.01)["der(free.q)"][:, 4]
    for name in ("der(free.q)[5]", "der(free.q[5])"):
        found = mb.fit(spun.simulation, mb.Table(time, {name: rates}), ["free.u[4]"], state=spun.state)
        assert list(found.measured) == ["der(free.q[5])"]
        assert found["free.u[4]"] == pytest.approx(0.5, abs=1e-9)


def test_pages_plot_the_named_numbers(spun):
    names = ["free.q[2]", "der(free.q)[3]", "pin.q[1]", "free.p_GB[2]"]
    series = data_of(run_page(spun.results, *names))["series"]
    assert {each["name"] for each in series if each["isShown"]} == {"free.q[2]", "der(free.q[3])", "pin.q", "free.p_GB[2]"}
    assert len({each["name"] for each in series}) == len(series)
    of_live_page = [each.name for each in shown_variables(spun.system, spun.state, [*names, "free.p_GB"])]
    assert of_live_page[-2:] == ["der(free.q[3])", "free.p_GB"]  # the others are there anyway, or parts of these
    assert len(set(of_live_page)) == len(of_live_page)


def test_results_are_compared_with_columns_of_any_spelling(spun):
    results = spun.results
    table = mb.Table(results.time, {name: results[name] for name, *_ in READ})
    assert [each.name for each in results.compare(table).differences] == [name for name, *_ in READ]
    assert [each.name for each in results.compare(results, names=["der(free.q)[2]"]).differences] == ["der(free.q)[2]"]
