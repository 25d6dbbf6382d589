"""States of FMUs take start values themselves where nothing else determines them, in any order with their initial conditions."""

import ctypes
import itertools

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import mobod as mb
from mobod import functions, measures
from mobod.cli import main
from mobod.compilation.source.model_source import generate
from mobod.cosim import Master, Network
from mobod.errors import FmuError
from mobod.fmu.arrays import arrays, name_of
from mobod.fmu.interface import make_interface
from mobod.fmu.names import structured_name
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance
from tests.fmu.bouncing_sphere import sphere
from tests.fmu.python_instances import instance_of
from tests.laws.mechanisms import random_mechanism

TOLERANCE = 1e-9
# both sides find the start by the same code: differences are round-off of the order in which kernels were called
EXACT = 1e-12
BODY = mb.MassProperties(1.3, [0.1, -0.4, 0.2], np.diag([0.7, 0.6, 0.8]))
INDEPENDENT = {"arm.q", "arm.u", "stone.q", "stone.u", "resting.q", "resting.u", "top.q", "top.u", "area.value"}
DETERMINED = {f"{name}.{each}" for name in ("moved", "locked", "driving", "driven") for each in "qu"}


def machine():
    """A pin, a free body, a ball, a slider that rests on its limit, and an integral; and coordinates that a motion, a lock and a gear
    determine.
    """
    system = mb.MultibodySystem("machine")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.2], magnitude=9.7, name="gravity")
    place = mb.Transform(p=[0.1, -1.0, 0.2])
    arm = mb.Pin(matter.ground, BODY, place, name="arm")
    stone = mb.Free(arm, BODY, place, name="stone")
    mb.Ball(matter.ground, BODY, name="top")
    upwards = mb.Transform(R=np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    mb.Slider(matter.ground, BODY, upwards, name="resting").set_limits(0.0, 3.0)
    mb.SteadyMotion(mb.Pin(stone, BODY, place, name="moved"), 0.3)
    locked = mb.Pin(stone, BODY, place, name="locked")
    locked.set_lockable_by_default(True)
    driving, driven = (mb.Slider(stone, BODY, place, name=name) for name in ("driving", "driven"))
    mb.CoordinateCoupler(matter, functions.Linear([1.0, -2.0, 0.0]), [driving, driven], [0, 0], name="gear")
    height = measures.Custom(system, lambda state: stone.X_GB(state).p[1], stage=mb.Stage.POSITION, unit="m", name="height")
    measures.Integrate(system, height, initial=0.2, name="area")
    state = system.realize_topology()
    arm.set_q(state, 0.5)
    stone.set_q(state, [0.5, -0.5, 0.5, 0.5, 0.1, 0.2, 0.3])
    stone.set_u(state, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    return system, state


def other(system, state):
    """Another State of the machine, and the values by which an FMU starts there. The quaternions have no unit length."""
    values = {"arm.q": [-0.8], "arm.u": [0.7], "resting.q": [0.4], "resting.u": [0.3], "area.value": [0.6]}
    values |= {"stone.q": [0.9, -0.2, 0.4, 0.3, 0.4, -0.2, 0.7], "stone.u": [0.3, -0.4, 0.6, 0.2, 0.1, -0.5]}
    values |= {"top.q": [0.2, -0.7, 0.5, 0.6], "top.u": [0.7, 0.3, -0.4]}
    state = state.copy()
    for name in ("arm", "stone", "resting", "top"):
        system.matter.body(name).set_q(state, values[f"{name}.q"])
        system.matter.body(name).set_u(state, values[f"{name}.u"])
    state.z = [0.6]
    return state, values


@pytest.fixture(scope="module")
def made():
    """The machine, its State, the names of its computed variables, another State with its values, and the first row of its Simulation."""
    system, state = machine()
    changed, values = other(system, state)
    names = [each.name for each in system.variables(state) if each.role in ("state", "derivative", "output")]
    return system, state, names, values, first_row(system, changed, names)


def first_row(system, state, names):
    """Flat values by name."""
    shown = mb.Simulation(system, TOLERANCE, backend="interpreted").start(state).variables(*names)
    found = {}
    for name, value in zip(shown.names, shown.get(), strict=True):
        base = name.partition("[")[0]
        found.setdefault(base + ")" if base.startswith("der(") and not base.endswith(")") else base, []).append(value)
    return found


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(request, made, tmp_path_factory):
    """With single numbers in FMI 2.0, and vectors in FMI 3.0."""
    system, state, names, *_ = made
    path = tmp_path_factory.mktemp("start") / f"machine_{request.param}.fmu"
    options = {"code": "interpreted", "fmi_version": request.param, "reference": False}
    return mb.export_fmu(system, path, outputs=names, state=state, **options)


def given_to(model, values):
    """Values as lists of elements of an FMU's variables: vectors that are no arrays are given number by number."""
    numbers = {name: {f"{name}[{i + 1}]": [each] for i, each in enumerate(of)} for name, of in values.items()}
    return {key: of for name, each in numbers.items() for key, of in ({name: values[name]} if name in model.variables else each).items()}


def read(instance, row):
    """Flat values of the variables of the row, by name."""
    found = {}
    for name, values in row.items():
        known = instance.model.variables
        if name in known:
            names = [name]
        else:
            head, end = (name[:-1], ")") if name.startswith("der(") else (name, "")
            names = [each for each in known if each.startswith(f"{head}[") and each.endswith(f"]{end}")]
        found[name] = np.concatenate(instance.values([known[each] for each in names]).get())
        assert len(found[name]) == len(values)
    return found


def assert_equal_rows(found, row):
    for name, values in row.items():
        assert_allclose(found[name], values, rtol=EXACT, atol=100 * EXACT, err_msg=name)  # forces of 100 N cancel


@pytest.mark.fast(2)
@pytest.mark.parametrize("interface", ["co-simulation", "model-exchange"])
def test_states_that_are_set_begin_a_run_as_those_of_a_simulation(fmu, made, interface):
    *_, values, row = made
    with FmuInstance(FmuModel(fmu), interface) as instance:
        given = given_to(instance.model, values)
        early = dict(itertools.islice(given.items(), len(given) // 2))  # before Initialization Mode, the others in it
        instance.enter_initialization(0.0, None, TOLERANCE, early)
        assert read(instance, {"arm.q": [0]})["arm.q"] == -0.8
        late = {name: value for name, value in given.items() if name not in early}
        instance.values([instance.model.variable(name) for name in late]).set(list(late.values()))
        assert_equal_rows(read(instance, row), row)
        instance.exit_initialization()
        assert_equal_rows(read(instance, row), row)


def test_start_values_of_states_are_kept_in_saved_states_and_end_with_a_reset(fmu, made):
    *_, values, row = made
    few = {name: row[name] for name in ("arm.q", "stone.q", "top.q", "der(stone.u)")}
    with FmuInstance(FmuModel(fmu), "co-simulation") as instance:
        given = given_to(instance.model, values)

        def begin(values):
            instance.enter_initialization(0.0, None, TOLERANCE, values)
            return read(instance, few)

        described = begin({})
        instance.exit_initialization()
        instance.call("Reset")
        assert_equal_rows(begin(given), few)
        place = ctypes.c_void_p()
        name = "State" if instance.fmi_version == "3" else "state"
        instance.call(f"GetFMU{name}", ctypes.byref(place))
        arm = instance.values([instance.model.variable("arm.q")])
        arm.set([[0.1]])
        assert arm.get() == [[0.1]]
        instance.call(f"SetFMU{name}", place)
        assert_equal_rows(read(instance, few), few)
        instance.exit_initialization()
        assert_equal_rows(read(instance, few), few)
        instance.call("Terminate")
        instance.call(f"SetFMU{name}", place)  # in Initialization Mode again
        assert_equal_rows(read(instance, few), few)
        instance.call(f"FreeFMU{name}", ctypes.byref(place))
        instance.call("Reset")
        assert_equal_rows(begin({}), described)
        instance.exit_initialization()


@pytest.mark.fast("2.0-True", "3.0-False")
@pytest.mark.parametrize("isolate", [False, True])
def test_a_network_starts_states_of_fmus_as_those_of_systems(fmu, made, isolate):
    system, state, _, values, row = made
    start = {f"{name}[{i + 1}]" if len(of) > 1 else name: each for name, of in values.items() for i, each in enumerate(of)}
    network = Network()
    network.add(system, "system", state=state, start=start)
    network.add(fmu, "fmu", start=start, isolate=isolate)
    table = Master(network, step=0.01, tolerance=TOLERANCE).run(0.02)

    def column(component, name):
        base, _, number = name.rstrip("]").partition("[")
        whole = f"{component}.{base}"
        return table[whole][:, int(number) - 1] if number and whole in table else table[f"{component}.{name}"]

    for name in start:
        assert_allclose(column("fmu", name)[0], column("system", name)[0], rtol=EXACT, atol=EXACT)
        assert_allclose(column("fmu", name), column("system", name), atol=1e-7)  # 100 times the tolerance
    assert table["fmu.arm.q"][0] == row["arm.q"][0]


def test_mobod_simulate_takes_start_values_of_states(fmu, tmp_path):
    path = tmp_path / "run.csv"
    arguments = ["simulate", str(fmu), "--set", "arm.q=-0.8", "--set", "stone.u[2]=0.4", "--until", "0.01", "-o", str(path)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    table = mb.Table.from_csv(path)
    assert (table["arm.q"][0], table["stone.u[2]"][0], table["stone.u[1]"][0]) == (-0.8, 0.4, 0.1)
    refused = CliRunner().invoke(main, [*arguments[:-2], "--set", "driven.q=0.1"])
    assert "'driven.q' cannot be given a start value" in refused.output


@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [3, 7])
def test_in_any_mechanism_states_that_are_set_equal_those_of_a_simulation(seed):
    """Each state is set itself, or by its initial condition if a motion or a lock may determine it."""
    mechanism, chance = random_mechanism(seed, n_bodies=4), np.random.default_rng(seed)
    start, state = mechanism.random_state(chance), mechanism.random_state(chance)
    state.time = start.time
    variables = [each for each in mechanism.system.variables(start) if each.role == "state"]
    moved = {body.name for body in (*mechanism.lockable.values(), *(motion.body for motion in mechanism.motions.values()))}
    taking = [each for each in variables if each.name.rpartition(".")[0] not in moved]
    independent = generate(mechanism.system, start).independent_states()
    assert independent == {offset for each in taking for offset in each.slot.offsets}
    assert 0 < len(independent) < start.layout.n_y

    instance, references = instance_of(mechanism.system, start)
    entries = [(each, *entry) for each in variables for entry in zip(each.entry_names(), each.slot.offsets, strict=True)]
    instance.set_up_experiment(start.time, None, None)
    for i, k in enumerate(chance.permutation(len(entries))):
        variable, name, offset = entries[k]
        if i == len(entries) // 2:
            instance.enter_initialization()
        chosen = name if variable in taking else f"{variable.name}_start{name.removeprefix(variable.name)}"
        instance.set([references[structured_name(chosen)]], [state.values[offset]], "real")
        if i > len(entries) // 2:
            instance.get([references[structured_name(f"der({name})")]], "real")  # which finds a start
    expected = first_row(mechanism.system, state, [name for each in variables for name in (each.name, f"der({each.name})")])
    names = [name for each in variables for name in (*each.entry_names(), *(f"der({entry})" for entry in each.entry_names()))]
    read = [references[structured_name(name)] for name in names]
    for end in (instance.exit_initialization, instance.terminate):
        assert_allclose(instance.get(read, "real"), np.concatenate(list(expected.values())), rtol=EXACT, atol=100 * EXACT)
        end()


@pytest.fixture
def pendulum():
    """An instance in Initialization Mode of a pin of which q is 0.5 rad, and its value references."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Pin(matter.ground, BODY, name="arm").set_default_q(0.5)
    instance, references = instance_of(system, system.realize_topology(), outputs=["arm.R_GB"])
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    return instance, references


def test_of_a_state_and_its_initial_condition_the_one_counts_that_differs_from_its_start_value(pendulum):
    """In any order, with any reads and saved states in between; what was set earlier has no effect."""
    instance, references = pendulum
    chance = np.random.default_rng(5)
    last, n_conflicts = {"arm.q": 0.5, "arm.q_start": 0.5}, 0
    kept = instance.save(), dict(last)
    for _ in range(200):
        name, value = chance.choice(list(last)), float(chance.choice([0.5, 0.9, 1.3]))
        instance.set([references[name]], [value], "real")
        last[name] = value
        if chance.random() < 0.2:
            instance.restore(kept[0])
            last = dict(kept[1])
        elif chance.random() < 0.2:
            kept = instance.save(), dict(last)
        changed = {value for value in last.values() if value != 0.5}
        if chance.random() < 0.7:
            continue
        instance.messages.clear()
        (sine,) = instance.get([references["arm.R_GB[2,1]"]], "real")
        assert instance.get([references["arm.q_start"]], "real") == [last["arm.q_start"]]
        assert len(instance.messages) == (len(changed) == 2)  # the warning that there is no start
        if len(changed) == 2:
            n_conflicts += 1
            continue
        expected = changed.pop() if changed else 0.5
        assert instance.get([references["arm.q"]], "real") == [expected]
        assert sine == pytest.approx(np.sin(expected), abs=1e-15)
    assert 5 < n_conflicts < 30


@pytest.mark.parametrize("names", [["arm.q", "arm.q_start"], ["arm.q_start", "arm.q"]])
def test_a_state_and_its_initial_condition_that_differ_are_an_error_with_both_names(pendulum, names):
    instance, references = pendulum
    values = {"arm.q": 1.25, "arm.q_start": 0.75}
    for name in names:
        instance.set([references[name]], [values[name]], "real")
    with pytest.raises(
        FmuError, match=r"'arm\.q' was set to 1\.25, and its initial condition 'arm\.q_start' to 0\.75\. Set one of them, and"
    ):
        instance.exit_initialization()
    instance.set([references["arm.q_start"]], [0.5], "real")
    instance.exit_initialization()
    assert instance.get([references["arm.q"]], "real") == [1.25]
    with pytest.raises(FmuError, match=r"'arm\.q' can only be set before initialization ends"):
        instance.set([references["arm.q"]], [0.5], "real")


def test_a_start_value_that_was_written_with_fifteen_digits_is_that_of_the_model_description(pendulum):
    instance, references = pendulum
    instance.set([references["arm.q"]], [np.radians(np.degrees(0.5)) * (1 + 5e-15)], "real")
    instance.set([references["arm.q_start"]], [0.75], "real")
    instance.exit_initialization()
    assert instance.get([references["arm.q"]], "real") == [0.75]


def rows_of(system, state=None, **options):
    return {row.name: row for row in make_interface(generate(system, state), "it", **options).rows}


def test_states_take_start_values_where_nothing_else_determines_them():
    system, state = machine()
    rows = rows_of(system, state)
    base = {name: name.partition("[")[0] for name, row in rows.items() if row.is_state}
    assert {base[name] for name in base if rows[name].initial == "exact"} == INDEPENDENT
    assert {base[name] for name in base if rows[name].initial == "calculated"} == DETERMINED
    assert rows["arm.q"].start == rows["arm.q_start"].start == 0.5
    assert rows["driven.q"].start is None
    # during the initialization both are known
    names = list(rows)
    assert {names[i] for i in rows["der(arm.q)"].starts_from} == {"arm.u", "arm.u_start"}


def test_a_vector_takes_start_values_as_a_whole():
    """A constraint of one of its entries determines it, so that it is an array of FMI 3.0 in any case."""
    system, state = machine()
    whole = make_interface(generate(system, state), "it", fmi_version="3.0")
    found = {name_of(whole, reference, size): whole.rows[reference].initial for reference, size in arrays(whole)}
    assert (found["top.q"], found["top.u"]) == ("exact", "exact")
    mb.ConstantSpeed(system.matter.body("top"), 1, 0.3)
    whole = make_interface(generate(system), "it", fmi_version="3.0")
    found = {name_of(whole, reference, size): whole.rows[reference].initial for reference, size in arrays(whole)}
    assert (found["top.q"], found["top.u"], found["arm.u"]) == ("exact", "calculated", "exact")


def test_a_state_that_a_handler_of_the_initialization_sets_takes_none():
    system = mb.MultibodySystem("handled")
    matter = mb.MatterSubsystem(system)
    one, two = (mb.Slider(matter.ground, BODY, name=name) for name in ("one", "two"))
    mb.InitializationEventHandler.of(system, lambda state, event: one.set_u(state, one.u(state) + 0.3), name="push", recordable=True)
    mb.PeriodicEventHandler.of(system, 0.1, lambda state, event: two.set_u(state, 0.2), name="pull", recordable=True)
    exact = {name for name, row in rows_of(system).items() if row.is_state and row.initial == "exact"}
    assert exact == {"one.q", "two.q", "two.u"}


def test_limits_contacts_and_friction_leave_states_their_start_values():
    system, _ = sphere()
    slider = mb.Slider(system.matter.ground, BODY, name="slider")
    slider.set_limits(-1.0, 1.0)
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    mb.JointFriction(forces, slider, limit=3.0, transition_speed=None, name="brake")
    rows = [row for row in rows_of(system).values() if row.is_state]
    assert len(rows) == 15
    assert {row.initial for row in rows} == {"exact"}
