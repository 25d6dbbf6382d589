"""Values of variables over a run: one call of the C runtime computes all points, with the same bits as a State."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.laws.random_states import random_state
from mobod.scalar.kernel_calls import KernelCalls
from mobod.simulate.sampling import can_sample
from tests.laws.mechanisms import random_mechanism


def at_each_point(results, name):
    """The values by realizing a State at each point."""
    state = results.final_state.copy()
    values = results._realized(state, [results.system.variable(state, name)])
    return values[:, 0] if values.shape[1] == 1 else values


def four_bar():
    system = mb.MultibodySystem("four_bar")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    gravity = mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    bar = mb.MassProperties(1.0, [0, 0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, 0.5, 0]))
    crank = mb.Pin(matter.ground, bar, name="crank")
    coupler = mb.Pin(crank, bar, X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    mb.Rod(coupler, [0, 1, 0], matter.ground, [2, 0, 0], 1.5, name="rod")
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: gravity.set_magnitude(s, gravity.magnitude(s) + 1.0), name="heavier")
    state = system.realize_topology()
    crank.set_q(state, 0.3)
    coupler.set_q(state, -1.2)
    return system, mb.Assembler(system).assemble(state)


def tree():
    system = random_mechanism(3, n_bodies=8).system
    return system, random_state(system, np.random.default_rng(2))


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", [four_bar, tree])
def test_sampled_variables_match_those_of_a_state_bit_for_bit(make):
    system, state = make()
    results = mb.Simulation(system, accuracy=1e-5, backend="interpreted").run(state, state.time + 0.25, report_every=0.05)

    assert can_sample(system, results.final_state)
    for name in results.names:
        assert_array_equal(results[name], at_each_point(results, name), err_msg=name)


def test_parameters_changed_by_handlers_act_from_then_on():
    system, state = four_bar()
    results = mb.Simulation(system, accuracy=1e-5, backend="interpreted").run(state, 0.25, report_every=0.04)

    found = results["gravity.magnitude"]
    assert found[-1] - found[0] == pytest.approx(3.0)  # 1 each at 0, 0.1 and 0.2 s
    assert_array_equal(found, at_each_point(results, "gravity.magnitude"))


def test_a_value_that_is_infinite_at_one_point_is_infinite_in_the_results():
    system = mb.MultibodySystem("spring")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.measures.Custom(system, lambda state: 1 / slider.q(state)[0], stage=mb.Stage.POSITION, name="inverse")
    mb.MobilityForce(forces, slider, name="motor")
    state = system.realize_topology()
    slider.set_u(state, 0.5)
    results = mb.Simulation(system, backend="interpreted").run(state, 1.0, report_every=0.5)

    assert_array_equal(results["inverse.value"], at_each_point(results, "inverse.value"))
    assert np.isinf(results["inverse.value"][0])


def repeater():
    """A Delay keeps the runtime from computing points one by one."""
    system = mb.MultibodySystem("repeater")
    wave = mb.measures.Sinusoid(system, 2.0, 3.0, 0.1, name="wave")
    mb.measures.Delay(system, wave, 0.1, name="late")
    arm = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="arm")
    state = system.realize_topology()
    arm.set_u(state, 0.7)
    return system, state


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", [four_bar, tree, repeater])
def test_a_table_has_the_bits_of_each_variable_by_itself(make):
    system, state = make()
    run = mb.Simulation(system, accuracy=1e-5, backend="interpreted").run
    together, alone = (run(state.copy(), state.time + 0.25, report_every=0.05) for _ in range(2))

    table = together.table(*together.names[::-1], together.names[0])
    assert list(table) == together.names[::-1]
    for name in alone.names:
        assert_array_equal(table[name], alone[name], strict=True, err_msg=name)


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", [four_bar, tree])
def test_one_call_for_equal_discrete_variables_computes_all_named_variables(make, monkeypatch):
    system, state = make()
    results = mb.Simulation(system, accuracy=1e-5, backend="interpreted").run(state, state.time + 0.25, report_every=0.05)
    calls = []
    sample = KernelCalls.sample
    monkeypatch.setattr(KernelCalls, "sample", lambda *arguments: calls.append(1) or sample(*arguments))

    results.table(*results.names)
    assert len(calls) == len({id(each) for each in results._discrete})
    results.table(*results.names)
    assert len(calls) == len({id(each) for each in results._discrete})  # the values are kept


def test_without_sampling_each_point_is_computed_once_for_all_variables(monkeypatch):
    system, state = repeater()
    one, all_of_them = (mb.Simulation(system, backend="interpreted").run(state.copy(), 0.25, report_every=0.05) for _ in range(2))
    moves = []
    move_to = mb.State.move_to
    monkeypatch.setattr(mb.State, "move_to", lambda *arguments: moves.append(1) or move_to(*arguments))

    one.table("late.value")
    of_one = len(moves)
    assert of_one >= len(one.time)
    all_of_them.table(*all_of_them.names)
    assert len(moves) == 2 * of_one
