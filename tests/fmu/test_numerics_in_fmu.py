"""The settings of the integration, parameters of an FMU: their description, their effect, fixed steps, and what is refused."""

import re
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import fmpy
import numpy as np
import pytest
from lxml import html
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.cosim import FmuFile
from mobod.cosim.instance import StepDiscardedError
from mobod.cosim.saved_state import SavedState
from mobod.errors import FmuError
from mobod.fmu.interface import make_interface
from mobod.runtime.integrators import FIXED_STEP_METHODS, INTEGRATORS, RUNGE_KUTTA_METHODS, integrator_number, method_of
from mobod.simulate.step_options import StepOptions
from tests.fmu.python_instances import begun, instance_of
from tests.fmu.stepped import start, walk, walked_thrice
from tests.unit.simulate.event_systems import bouncing_mass
from tests.unit.simulate.test_integrators import driven, pendulums

NAMES = ["pin0.q", "pin1.q", "pin0.u", "pin1.u"]


def export(path, made, **options):
    system, state = made
    return FmuFile(mb.export_fmu(system, path, outputs=[], state=state, code="interpreted", **options))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Two pendulums, with error control as exported."""
    return export(tmp_path_factory.mktemp("pendulums") / "pendulums.fmu", pendulums())


@pytest.fixture(scope="module")
def forced(tmp_path_factory):
    """x' = -20 (x - cos t) - sin t with steps of 1 ms: the rates depend on time."""
    return export(tmp_path_factory.mktemp("forced") / "forced.fmu", driven(fast=20.0, start=1.5), integrator="RK4", step=1e-3)


def simulated(integrator, accuracy=1e-6, until=0.5, **options):
    system, state = pendulums()
    simulation = mb.Simulation(system, accuracy, integrator=integrator, backend="interpreted", **options)
    return simulation.run(state, until).final_state.y


def logged(instance):
    return [line.message for line in instance.log.lines if line.category == "logSteps"]


# Description


@pytest.mark.slow
def test_the_settings_are_described(file):
    description = fmpy.read_model_description(str(file.path))
    found = {each.name: each for each in description.modelVariables if each.name.startswith("numerics.")}
    assert [name.removeprefix("numerics.") for name in found] == [
        "integrator",
        "tolerance",
        "constraint_tolerance",
        "largest_step",
        "fixed_step",
    ]
    integrator = found["numerics.integrator"]
    assert (integrator.type, integrator.causality, integrator.variability, integrator.start) == ("Enumeration", "parameter", "fixed", "1")
    items = {item.name: int(item.value) for item in integrator.declaredType.items}
    assert items == {name: integrator_number(name) for name in INTEGRATORS}
    assert (int(integrator.min), int(integrator.max)) == (min(items.values()), max(items.values()))
    for name in ("tolerance", "constraint_tolerance", "largest_step", "fixed_step"):
        row = found[f"numerics.{name}"]
        assert (row.type, row.variability, float(row.start), float(row.min)) == ("Real", "tunable", 0.0, 0.0)
    assert found["numerics.fixed_step"].unit == found["numerics.largest_step"].unit == "s"
    assert fmpy.validation.validate_fmu(str(file.path)) == []


@pytest.mark.slow
def test_an_fmu_at_velocity_level_has_only_the_settings_that_it_uses(tmp_path):
    fixed = export(tmp_path / "fixed.fmu", pendulums(), integrator="velocity_level", step=1e-3)
    names = [each.name for each in fixed.description.modelVariables]
    assert [name for name in names if name.startswith("numerics.")] == ["numerics.tolerance", "numerics.constraint_tolerance"]
    assert "Operations of a fixed step" not in page_of(fixed)


def test_export_chooses_the_start_values(forced):
    with start(forced) as instance:
        assert instance.get("numerics.integrator") == integrator_number("RK4")
        assert instance.get("numerics.fixed_step") == 1e-3


# Effect


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_master_chooses_the_integrator_with_the_bits_of_a_simulation(file, integrator):
    step = {"step": 1e-2} if integrator in FIXED_STEP_METHODS else {}
    number = integrator_number(integrator)
    with start(file, 1e-6, numerics__integrator=number, numerics__fixed_step=1e-2) as instance:
        (row,) = walk(instance, [0.0, 0.5], NAMES)
        assert re.search(rf"integrator {integrator}, .*tolerance 1e-06, constraint tolerance 1e-07", logged(instance)[0])
    assert_array_equal(row, simulated(integrator, **step))


def test_tolerances_and_the_largest_step_are_those_of_a_simulation(file):
    with start(file, 1e-4, numerics__tolerance=1e-9) as instance:
        (row,) = walk(instance, [0.0, 0.5], NAMES)
    assert_array_equal(row, simulated("auto", 1e-9))
    with start(file, 1e-6, numerics__largest_step=1e-3) as instance:
        (row,) = walk(instance, [0.0, 0.5], NAMES)
        assert re.search(r"largest step 0\.001 s", logged(instance)[0])
        assert re.search(r"in 50\d steps with \d+ evaluations, 0 refused", logged(instance)[1])
    assert_array_equal(row, simulated("auto", 1e-6, max_step=1e-3))
    with start(file, 1e-6, numerics__constraint_tolerance=3e-5) as instance:
        assert "constraint tolerance 3e-05" in logged(instance)[0]


def test_a_setting_may_change_during_the_simulation_and_is_logged_once(file):
    with start(file, 1e-6) as instance:
        instance.step(0.0, 0.1)
        instance.set({"numerics.tolerance": 1e-9})
        instance.step(0.1, 0.1)
        instance.step(0.2, 0.1)
        found = [message for message in logged(instance) if "tolerance" in message]
    assert [re.search(r"tolerance (\S+),", message)[1] for message in found] == ["1e-06", "1e-09"]


def test_a_smaller_largest_step_takes_effect_at_once(file):
    with start(file, 1e-4) as instance:
        instance.step(0.0, 1.0)
        instance.set({"numerics.largest_step": 1e-3})
        instance.step(1.0, 0.1)
        last = logged(instance)[-1]
    assert re.search(r"in (99|100) steps with \d+ evaluations, 0 refused", last)  # the last one may be longer by a hundredth


def test_results_depend_on_the_communication_step_by_less_than_the_accuracy_explains(file):
    ends = []
    for number in (1, 10, 100):
        with start(file, 1e-6) as instance:
            ends.append(walk(instance, np.linspace(0, 0.5, number + 1), NAMES)[-1])
    assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-4)  # 100 times the accuracy


# Fixed steps


@pytest.mark.parametrize("integrator", FIXED_STEP_METHODS)
@pytest.mark.parametrize("number", [1, 3, 10, 300])
def test_communication_steps_that_are_multiples_give_the_same_bits(forced, integrator, number):
    """0.001 has no exact binary representation, nor have the times that a master computes."""
    times = [k * (0.3 / number) for k in range(number + 1)]
    with start(forced, numerics__integrator=integrator_number(integrator)) as instance:
        x = walk(instance, times, ["driven.x"])[-1, 0]
    system, state = driven(fast=20.0, start=1.5)
    results = mb.Simulation(system, integrator=integrator, step=1e-3, backend="interpreted").run(state, 0.3)
    assert results.steps == 300
    assert x == results.y[-1, 0]


@pytest.mark.slow
def test_a_master_that_sums_up_its_steps_gets_one_step_for_each(forced):
    """After 20,000 sums of 0.001 its time is 6e-12 s away from a multiple, where round-off of one number is 2e-15 s."""
    with start(forced) as instance:
        time = 0.0
        for _ in range(20000):
            instance.step(time, 1e-3)
            time += 1e-3
        assert all(message.endswith("in 1 steps.") for message in logged(instance)[1:])
        assert abs(time - 20.0) > 1e-12
        assert_allclose(instance.get("driven.x"), np.cos(time), atol=1e-8)


def test_a_communication_step_that_is_no_multiple_ends_with_a_shorter_step(forced):
    with start(forced) as instance:
        for k in range(4):
            instance.step(k * 0.0025, 0.0025)
        assert [re.search(r"to (\S+) s in (\d+) steps", message).groups() for message in logged(instance)[1:]] == [
            ("0.0025", "3"),
            ("0.005", "3"),
            ("0.0075", "3"),
            ("0.01", "3"),
        ]
        assert_allclose(instance.get("driven.x"), np.cos(0.01) + 0.5 * np.exp(-0.2), atol=1e-8)


def test_a_new_size_counts_steps_from_the_present_time(forced):
    with start(forced) as instance:
        instance.step(0.0, 0.0015)
        instance.set({"numerics.fixed_step": 0.004})
        instance.step(0.0015, 0.008)
        assert [re.search(r"in (\d+) steps", each)[1] for each in logged(instance) if "in" in each.split()] == ["2", "2"]


@pytest.mark.parametrize("times", [np.arange(7) * 0.01, np.arange(7) * 0.0137], ids=["multiples", "others"])
def test_restored_states_continue_with_the_same_bits(forced, times):
    first, again, another = walked_thrice(forced, times, 3, ["driven.x"])
    assert_array_equal(again, first)
    assert_array_equal(another, first)


def test_events_cut_fixed_steps(tmp_path):
    system, state, _ = bouncing_mass()
    bounce = export(tmp_path / "bounce.fmu", (system, state), integrator="RK4", step=4e-3)
    with start(bounce) as instance:
        (row,) = walk(instance, [0.0, 1.2], ["ball.q"])
    results = mb.Simulation(system, 1e-10, integrator="RK4", step=4e-3, backend="interpreted").run(state, 1.2)
    assert row[0] == results["ball.q"][-1]


def test_the_limit_of_steps_counts_fixed_steps(forced):
    with start(forced, max_steps=100) as instance, SavedState.of(instance) as before:
        with pytest.raises(StepDiscardedError, match=r"at time 0\.1 s 100 steps of 0\.001 s were tried"):
            instance.step(0.0, 0.101)
        before.restore()
        instance.step(0.0, 0.1)


def test_a_python_fmu_behaves_the_same(file):
    options = StepOptions(integrator="RK4", step=1e-2)
    instance, references = begun(*pendulums(), options=options)
    for time, end in pairwise([0.0, 0.2, 0.5]):
        instance.do_step(time, end - time)
    assert_array_equal(instance.get([references[name] for name in NAMES], "real"), simulated("RK4", step=1e-2))
    other, references = instance_of(*pendulums())
    other.set([references["numerics.integrator"]], [integrator_number("SemiImplicitEuler")], "integer")
    other.set([references["numerics.fixed_step"]], [1e-2], "real")
    other.set_up_experiment(0.0, None, None)
    other.enter_initialization()
    other.exit_initialization()
    other.do_step(0.0, 0.5)
    assert_array_equal(other.get([references[name] for name in NAMES], "real"), simulated("SemiImplicitEuler", step=1e-2))


# What is refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("integrator", 2, "can only be set before initialization ends"),
        ("tolerance", 1e-15, "cannot be set to 1e-15: round-off is larger; give 0, or at least 1e-14"),
        ("tolerance", 0.2, r"the greatest value is 0\.1"),
        ("constraint_tolerance", -1e-9, "the least value is 0"),
        ("largest_step", -1.0, "the least value is 0"),
        ("fixed_step", np.inf, "give a finite number"),
    ],
)
def test_values_out_of_bounds_are_refused(forced, name, value, message):
    with start(forced) as instance:
        instance.step(0.0, 0.01)
        with pytest.raises(FmuError, match=rf"'numerics\.{name}' .*{message}"):
            instance.set({f"numerics.{name}": value})
        instance.step(0.01, 0.01)


@pytest.mark.parametrize("number", [0, len(INTEGRATORS) + 1])
def test_an_integrator_that_does_not_exist_is_refused(file, number):
    with pytest.raises(FmuError, match=rf"'numerics\.integrator' cannot be set to {number}"):
        start(file, numerics__integrator=number)


def test_fixed_steps_without_a_size_are_refused(file, forced):
    message = r"this integrator takes fixed steps; give 'numerics\.fixed_step' their size in s"
    with pytest.raises(FmuError, match=message):
        start(file, numerics__integrator=integrator_number("RK4"))
    with start(forced) as instance:
        instance.set({"numerics.fixed_step": 0.0})
        with pytest.raises(FmuError, match=message):
            instance.step(0.0, 0.1)
        instance.set({"numerics.fixed_step": 1e-3})
        instance.step(0.0, 0.1)


@pytest.mark.slow
def test_too_many_states_for_implicit_steps_are_refused():
    """Memory for implicit steps is allocated when the instance is made, and only for models that are small enough."""
    system = mb.MultibodySystem("many")
    mb.MatterSubsystem(system)

    class Many(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, np.zeros(1001), "x")

        def realize_acceleration(self, state):
            x = state.handle(self, "x")
            state.set_rate(x, -state.get(x))

    Many(system, "many")
    instance, references = instance_of(system, system.realize_topology())
    rodas, at = integrator_number("Rodas5P"), references["numerics.integrator"]
    with pytest.raises(FmuError, match="too many states for implicit steps, unless it is exported with this integrator"):
        instance.set([at], [rodas], "integer")
    begun(system, system.realize_topology(), options=StepOptions(integrator="Rodas5P"))


# The operations of a step


def page_of(file):
    return ZipFile(Path(file.path)).read("documentation/index.html").decode()


def test_operations_are_counted_in_the_recordings():
    class Sums(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, [1.0, 2.0, 3.0], "x")

        def realize_acceleration(self, state):
            x = state.handle(self, "x")
            a, b, c = state.get(x)
            state.set_rate(x, [a * b * c + b - c, np.sin(a) / (b * b), np.sqrt(c) + np.abs(a)])

    system = mb.MultibodySystem("sums")
    mb.MatterSubsystem(system)
    Sums(system, "sums")
    state = system.realize_topology()
    model = generate(system, state)
    operations = model.step_operations(make_interface(model, "sums").offsets)
    evaluation = operations.evaluation
    assert (evaluation.multiplications, evaluation.additions, evaluation.divisions) == (3, 3, 1)
    assert (evaluation.square_roots, evaluation.elementary_functions, evaluation.others) == (1, 1, 1)
    assert operations.n_uncounted == 0
    # the four sums have 1 to 4 slopes, are multiplied by the step and added to y, for three states
    assert operations.of_step("RK4").multiplications == 4 * 3 + 3 * (2 + 3 + 4 + 5)
    assert operations.of_step("SemiImplicitEuler").multiplications == 3 + 3


def test_the_documentation_has_the_operations_of_a_step(file):
    page = html.fromstring(page_of(file))
    (heading,) = (each for each in page.iterfind(".//h2") if each.text == "Operations of a fixed step")
    rows = [[cell.text for cell in row] for row in heading.getnext().getnext().iterfind(".//tr")]
    assert rows[0][1:4] == ["multiplications", "additions", "divisions"]
    one, *steps = (np.array(row[1:], dtype=int) for row in rows[1:])
    assert (one[:2] > 100).all()
    assert [row[0] for row in rows[2:]] == [f"a step of {integrator}" for integrator in FIXED_STEP_METHODS]
    for integrator, step in zip(FIXED_STEP_METHODS, steps, strict=True):
        evaluations = method_of(integrator).last
        assert f"{integrator} {evaluations}" in heading.getnext().text
        assert (step >= evaluations * one).all()
        if integrator in RUNGE_KUTTA_METHODS:  # its own sums have neither divisions nor functions
            assert_array_equal(step[2:], evaluations * one[2:])
