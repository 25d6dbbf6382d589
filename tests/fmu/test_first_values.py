"""What is read from Initialization Mode to the first step equals the first row of a Simulation, in every mode and interface."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import functions, measures
from mobod.cosim import Master, Network
from mobod.cosim.system_model import SystemModel
from mobod.errors import FmuError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance
from tests.fmu.python_instances import instance_of

START, TOLERANCE = 0.3, 1e-8
# both sides project and solve by the same code: differences are round-off of the order in which kernels were called
EXACT = 1e-12
CHANGED = r"the start .*did not satisfy the constraints, and was changed: 'follower\.[qu]' from"


def driven_machine():
    """Motions and locks of each level, a prescribed and a closed coordinate, a limit at rest, and measures with a delay.

    The start violates the constraints: the gear's follower is 3 mm and 0.04 m/s away from where it must be.
    """
    system = mb.MultibodySystem("driven machine")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.1, -1, 0.2], magnitude=9.7, name="gravity")
    inertia = mb.MassProperties(1.3, [0.1, -0.4, 0.2], np.diag([0.7, 0.6, 0.8]))
    place = mb.Transform(p=[0.1, -1.0, 0.2])
    body = {}
    for chain, kinds in (("abc", [mb.Pin, mb.Pin, mb.Slider]), ("def", [mb.Pin, mb.Pin, mb.Slider]), ("ghi", [mb.Pin, mb.Pin, mb.Ball])):
        parent = matter.ground
        for name, kind in zip(chain, kinds, strict=True):
            parent = body[name] = kind(parent, inertia, place, name=name)
    mb.SinusoidMotion(body["a"], amplitude=0.7, rate=1.3, phase=0.4)
    mb.SteadyMotion(body["b"], 2.2)
    mb.FunctionMotion(body["c"], [functions.Polynomial([0.3, 0.2, 0.1])], level="position")
    mb.FunctionMotion(body["d"], [functions.Polynomial([0.3, 0.2])], level="velocity")
    mb.SinusoidMotion(body["e"], amplitude=0.7, rate=1.3, phase=0.4, level="acceleration")
    mb.InputMotion(body["f"], q=0.35)
    for name in "gh":
        body[name].set_lockable_by_default(True)
    driven = mb.Slider(matter.ground, inertia, name="driven")
    mb.PrescribedMotion(matter, functions.Polynomial([0.5, 0.2]), driven, 0, name="drive")
    follower = mb.Slider(matter.ground, inertia, name="follower")
    mb.CoordinateCoupler(matter, functions.Linear([1.0, -2.0, 0.0]), [driven, follower], [0, 0], name="gear")
    upwards = mb.Transform(R=np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]))
    mb.Slider(matter.ground, inertia, upwards, name="resting").set_limits(0.0, 3.0)
    height = measures.Custom(system, lambda state: body["h"].X_GB(state).p[1], stage=mb.Stage.POSITION, unit="m", name="height")
    measures.Differentiate(system, height, name="climb")
    measures.Integrate(system, height, initial=0.2, name="area")
    measures.Delay(system, height, 0.2, name="late")
    measures.Maximum(system, height, name="most")

    state = system.realize_topology()
    state.time = START
    for name, q, u in (("a", 0.2, 0.3), ("d", 0.6, 0.1), ("e", 0.1, -0.4)):
        body[name].set_q(state, q)
        body[name].set_u(state, u)
    body["g"].lock_at(state, 0.25, "position")
    body["h"].lock_at(state, 1.7, "velocity")
    body["i"].set_u(state, [0.1, 0.2, 0.3])
    for each, factor in ((driven, 1.0), (follower, 0.5)):
        each.set_q(state, factor * (0.5 * START + 0.2))
        each.set_u(state, factor * 0.5)
    follower.set_q(state, follower.q(state) + 3e-3)
    follower.set_u(state, follower.u(state) + 0.04)
    return system, state


@pytest.fixture(scope="module")
def first_row():
    """The System, its start, the names of all computed variables, and the first row of a Simulation by the names of single numbers."""
    system, state = driven_machine()
    with pytest.warns(mb.MobodWarning, match=CHANGED):
        results = mb.Simulation(system, TOLERANCE, backend="interpreted").run(state, until=START + 1e-3, report_every=1e-3)
    chosen = [each for each in system.variables(state) if each.role in ("state", "derivative", "output")]
    names = [each.name for each in chosen]
    table = results.table(*names)
    row = {name: float(value) for each in chosen for name, value in zip(each.entry_names(), np.ravel(table[each.name][0]), strict=True)}
    assert row["a.q"] == pytest.approx(0.7 * np.sin(1.3 * START + 0.4), abs=1e-15)
    assert row["follower.q"] == pytest.approx(0.5 * (0.5 * START + 0.2), abs=1e-14)
    assert row["resting.limit.force"] == pytest.approx(1.3 * 9.7 / np.sqrt(1.05), rel=1e-12)
    return system, state, names, row


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(request, first_row, tmp_path_factory):
    system, state, names, _ = first_row
    path = tmp_path_factory.mktemp("first") / f"machine_{request.param}.fmu"
    mb.export_fmu(system, path, outputs=names, state=state, code="interpreted", fmi_version=request.param, reference=False)
    return FmuModel(path)


def read_one_by_one(instance):
    """All computed numbers by their names; each variable is read alone, states first, so that none is computed because of others."""
    found = {}
    for each in instance.model.variables.values():
        if each.causality == "output":
            values = instance.values([each]).get()[0]
            name = each.name
            head, end = (name[:-1], ")") if name.startswith("der(") else (name, "")
            shape = instance.model.shape(each)
            indices = [",".join(str(i + 1) for i in entry) for entry in np.ndindex(*shape)]
            names = [f"{head}[{index}]{end}" for index in indices] if shape else [name]
            found.update(zip(names, values, strict=True))
    return found


def assert_equals(found, row):
    assert set(found) == set(row)
    for name, value in row.items():
        assert_allclose(found[name], value, rtol=EXACT, atol=EXACT * 100, err_msg=name)  # forces of 100 N cancel


@pytest.mark.fast(2)
@pytest.mark.parametrize("interface", ["co-simulation", "model-exchange"])
def test_first_values_of_an_fmu_are_the_first_row_of_a_simulation(fmu, interface, first_row):
    row = first_row[-1]
    with FmuInstance(fmu, interface) as instance:
        instance.enter_initialization(START, None, TOLERANCE, {})
        assert_equals(read_one_by_one(instance), row)
        instance.exit_initialization()
        assert_equals(read_one_by_one(instance), row)
        if interface == "model-exchange":
            instance.update_discrete_states()
            assert_equals(read_one_by_one(instance), row)
            instance.call("EnterContinuousTimeMode")
            assert_equals(read_one_by_one(instance), row)


def test_first_values_of_a_python_fmu_are_the_first_row_of_a_simulation_after_a_restored_state_too(first_row):
    system, state, names, row = first_row
    instance, references = instance_of(system, state, outputs=names)
    instance.set_up_experiment(START, None, None)
    instance.enter_initialization()
    assert_equals({name: instance.get([references[name]], "real")[0] for name in row}, row)
    as_set = instance.save()
    instance.exit_initialization()
    saved = instance.save()
    for _ in range(2):
        assert_equals({name: instance.get([references[name]], "real")[0] for name in row}, row)
        instance.do_step(START, 0.01)
        instance.restore(saved)
    instance.restore(as_set)
    assert_equals({name: instance.get([references[name]], "real")[0] for name in row}, row)


def test_a_master_shows_the_same_first_values_of_a_system_and_of_its_fmu(fmu, first_row):
    system, state, _, row = first_row
    names = ["a.q", "a.u", "b.u", "c.q", "d.u", "f.q", "g.q", "h.u", "driven.q"]
    network = Network()
    network.add(system, "system", state=state, outputs=names)
    network.add(fmu.path, "fmu")
    with pytest.warns(mb.MobodWarning, match=CHANGED):
        table = Master(network, step=0.01).run(START + 0.01, start=START)
    for name in names:
        assert_array_equal(table[f"system.{name}"][0], row[name])
        assert_array_equal(table[f"fmu.{name}"][0], row[name])


def test_runs_of_an_ensemble_and_stepped_runs_show_the_same_first_values(first_row):
    system, state, names, row = first_row
    ensemble = mb.Ensemble(system, state, n=2, outputs=names, accuracy=TOLERANCE, backend="interpreted")
    with pytest.warns(mb.MobodWarning, match=CHANGED):
        ensemble.reset()
    for observed in ensemble.observations:
        assert_equals(dict(zip(ensemble.names, observed, strict=True)), row)
    with pytest.warns(mb.MobodWarning, match=CHANGED):
        run = mb.Simulation(system, TOLERANCE, backend="interpreted").start(state)
    shown = run.variables(*names)
    assert_equals(dict(zip(shown.names, shown.get(), strict=True)), row)


def test_a_prescribed_coordinate_follows_a_parameter_that_was_set_since(first_row, fmu):
    """No step was made since: what is read is computed from what was set."""
    system, state, *_ = first_row
    expected = 0.9 * np.sin(1.3 * START + 0.4)
    with pytest.warns(mb.MobodWarning, match=CHANGED):
        run = mb.Simulation(system, TOLERANCE, backend="interpreted").start(state)
    run.set("a.motion.amplitude", 0.9)
    assert run["a.q"] == pytest.approx(expected, abs=1e-15)
    with FmuInstance(fmu, "co-simulation") as instance:
        instance.initialize(START, None, TOLERANCE, {})
        amplitude, coordinate = fmu.variable("a.motion.amplitude"), fmu.variable("a.q")
        instance.values([amplitude]).set([[0.9]])
        assert instance.values([coordinate]).get()[0][0] == pytest.approx(expected, abs=1e-15)


def test_a_system_in_a_network_shows_the_first_values_during_its_initialization(first_row):
    system, state, _, row = first_row
    model = SystemModel(system, state, mb.Simulation(system, TOLERANCE, backend="interpreted"))
    with model.instance("machine") as instance:
        instance.set_up(START, None, None)
        instance.enter_initialization()
        shown = instance.batch(row)
        assert_equals(dict(zip(row, shown.get(), strict=True)), row)
        instance.set({"a.motion.amplitude": 0.9})
        assert shown.get()[list(row).index("a.q")] == pytest.approx(0.9 * np.sin(1.3 * START + 0.4), abs=1e-15)
        assert instance.batch(["follower.q"]).get() == [row["follower.q"]]


@pytest.mark.parametrize("interface", ["co-simulation", "model-exchange"])
def test_what_is_set_during_the_initialization_changes_what_is_read_and_is_read_as_set(fmu, interface, first_row):
    row = first_row[-1]
    with FmuInstance(fmu, interface) as instance:
        instance.enter_initialization(START, None, TOLERANCE, {})
        start, resting, driven = (
            instance.values([fmu.variable(name)]) for name in ("resting.q_start", "resting.limit.force", "follower.q")
        )
        assert resting.get()[0][0] == pytest.approx(row["resting.limit.force"], rel=EXACT)
        start.set([[0.5]])
        assert resting.get()[0][0] == 0.0  # it no longer rests
        assert start.get() == [[0.5]]
        offset = instance.values([fmu.variable("follower.q_start")])
        assert offset.get()[0][0] == pytest.approx(row["follower.q"] + 3e-3, abs=1e-15)
        offset.set([[row["follower.q"] - 2e-3]])
        assert driven.get()[0][0] == pytest.approx(row["follower.q"], abs=1e-14)
        start.set([[0.0]])
        instance.exit_initialization()
        assert_equals(read_one_by_one(instance), row)


def test_start_values_without_a_start_are_read_as_set_and_fail_when_the_initialization_ends(first_row):
    system, state, names, row = first_row
    instance, references = instance_of(system, state, outputs=names)
    instance.set_up_experiment(START, None, None)
    instance.enter_initialization()
    instance.set([references["resting.q_start"]], [-0.1], "real")  # below its limit
    for name, value in (("resting.q", -0.1), ("follower.q", row["follower.q"] + 3e-3)):
        assert instance.get([references[name]], "real")[0] == pytest.approx(value, abs=1e-15)
    (warning,) = instance.messages
    assert warning.category == "logStatusWarning"
    assert "the values that were set give no start" in warning.text
    with pytest.raises(FmuError, match=r"its distance .* must not be below zero"):
        instance.exit_initialization()
    instance.set([references["resting.q_start"]], [0.0], "real")
    assert_equals({name: instance.get([references[name]], "real")[0] for name in row}, row)
    instance.exit_initialization()
    assert_equals({name: instance.get([references[name]], "real")[0] for name in row}, row)


@pytest.mark.parametrize("recordable", [True, False])
def test_handlers_that_are_due_at_the_start_act_when_the_initialization_ends(recordable):
    """0.7 m/s; the handler of the initialization adds 0.3 m/s, and one that is due at the start doubles the speed."""
    system = mb.MultibodySystem("handled")
    matter = mb.MatterSubsystem(system)
    mass = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="mass")
    calls = []  # of plain Python

    def add(state, event):
        if not recordable:
            calls.append("initialization")
        mass.set_u(state, mass.u(state) + 0.3)

    def double(state, event):
        if not recordable:
            calls.append("due")
        mass.set_u(state, 2 * mass.u(state))

    mb.InitializationEventHandler.of(system, add, name="add", recordable=recordable)
    mb.PeriodicEventHandler.of(system, 0.1, double, name="double", recordable=recordable)
    state = system.realize_topology()
    mass.set_u(state, 0.7)

    simulation = mb.Simulation(system, backend="interpreted")
    assert simulation.run(state, until=0.05, report_every=0.05)["mass.u"][0] == 1.0  # before the handlers that are due
    assert simulation.start(state)["mass.u"] == 2.0

    instance, references = instance_of(system, state)
    instance.set_up_experiment(0.0, None, None)
    instance.enter_initialization()
    with SystemModel(system, state, simulation).instance("part") as part:
        part.set_up(0.0, None, None)
        part.enter_initialization()
        calls.clear()
        shown = 1.0 if recordable else 0.7  # plain Python may have effects elsewhere, and waits
        for _ in range(2):
            assert instance.get([references["mass.u"]], "real") == [shown]
            assert part.batch(["mass.u"]).get() == [shown]
            instance.set([references["mass.u_start"]], [0.5], "real")
            instance.set([references["mass.u_start"]], [0.7], "real")
            part.set({"mass.u": 0.5})
            part.set({"mass.u": 0.7})
        assert calls == []
        instance.exit_initialization()
        part.exit_initialization()
        assert calls == ([] if recordable else ["initialization", "due"])  # by the System; the FMU has a copy of its own
        assert instance.get([references["mass.u"]], "real") == [2.0]
        assert part.batch(["mass.u"]).get() == [2.0]
