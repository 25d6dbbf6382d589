"""copy.deepcopy of a System, of a State, and of both."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.errors import StateError
from mobod.system import Stage


@pytest.fixture
def original():
    system = mb.MultibodySystem("crane")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    load = mb.MassProperties(mass=1.7, com=[0.1, -0.4, 0.2], inertia=mb.Inertia.sphere(mass=1.7, radius=0.3).shifted([0.1, -0.4, 0.2]))
    mb.Gravity(forces, matter, down=[0.2, -1, 0.3], magnitude=9.7, name="gravity")
    arm = mb.Pin(matter.ground, load, name="arm")
    mb.Free(arm, load, name="load")
    mb.MobilityLinearSpring(forces, arm, stiffness=3.1, q_zero=0.2, name="spring")
    return system


def gravity(system):
    return system.subsystems[2].elements[0]


def all_values(system, state):
    return {variable.name: system.value(state, variable).tobytes() for variable in system.variables(state)}


def moved(system):
    state = system.realize_topology()
    state.time, state.q, state.u = 0.7, np.linspace(0.2, 1.3, 8), np.linspace(-1, 1, 7)
    gravity(system).set_magnitude(state, 3.3)
    return state


def test_a_copied_system_computes_the_same(original):
    moved(original)
    twin = copy.deepcopy(original)
    assert all_values(twin, moved(twin)) == all_values(original, moved(original))


def test_every_part_of_a_copy_is_new(original):
    twin = copy.deepcopy(original)
    assert twin.matter is not original.matter
    assert all(subsystem.system is twin for subsystem in twin.subsystems)
    assert all(body.matter is twin.matter for body in twin.matter.bodies)
    assert [body.parent.name for body in twin.matter.bodies] == ["ground", "arm"]
    assert gravity(twin).forces.system is twin


def test_changes_of_topology_affect_only_one_of_the_two(original):
    twin = copy.deepcopy(original)
    state, other = original.realize_topology(), twin.realize_topology()
    gravity(twin).set_default_magnitude(1.62)
    mb.Pin(twin.matter.body("load"), twin.matter.body("arm").body, name="hook")
    original.realize(state, Stage.REPORT)
    assert gravity(original).default_magnitude == 9.7
    assert original.matter.n_bodies == 3
    with pytest.raises(StateError, match="the topology of System 'crane' changed"):
        twin.realize(other)
    assert len(twin.realize_topology().u) == 8


def test_states_are_refused_by_the_other_system(original):
    twin = copy.deepcopy(original)
    with pytest.raises(StateError, match="a State of another System of the same name was given to System 'crane'"):
        twin.realize(original.realize_topology())


def test_a_copy_has_its_own_counters_and_caches(original):
    state = moved(original)
    original.realize(state, Stage.POSITION)
    gravity(original).potential_energy(state)
    twin, other = copy.deepcopy((original, state))
    before = gravity(twin).num_evaluations
    twin.realize(other, Stage.POSITION)
    assert not gravity(twin).is_force_cache_valid(other)
    gravity(twin).potential_energy(other)
    assert gravity(twin).num_evaluations == before + 1
    assert gravity(original).num_evaluations == before


@pytest.mark.fast(1)
@pytest.mark.parametrize("together", [lambda s, x: copy.deepcopy((s, x)), lambda s, x: copy.deepcopy((x, s))[::-1]], ids=["first", "last"])
def test_a_state_copied_along_with_its_system_belongs_to_the_copy(original, together):
    state = moved(original)
    original.realize(state, Stage.REPORT)
    twin, other = together(original, state)
    assert other.system is twin is not original
    assert other.stage == Stage.MODEL
    assert all_values(twin, other) == all_values(original, state)

    gravity(twin).set_magnitude(other, 20.0)
    assert gravity(original).magnitude(state) == 3.3
    assert original.realize_topology().system is original


def test_copies_share_states_as_the_originals_do(original):
    first, second = moved(original), original.realize_topology()
    copies = copy.deepcopy([first, second, first])
    assert copies[0] is copies[2]
    assert copies[0].system is copies[1].system
    assert copies[0] != copies[1]


def test_a_state_copied_alone_gets_its_own_system(original):
    state = moved(original)
    other = copy.deepcopy(state)
    assert other.system is not original
    other.system.realize(other, Stage.REPORT)
    assert_array_equal(other.y, state.y)


def test_results_are_copied_with_their_system(original):
    results = mb.Simulation(original, backend="interpreted").run(moved(original), until=0.8, report_every=0.05)
    twin = copy.deepcopy(results)
    assert twin.system is twin.final_state.system is not original
    assert_array_equal(twin["energy"], results["energy"])


def test_copies_can_be_copied(original):
    twin = copy.deepcopy(copy.deepcopy(original))
    assert all_values(twin, moved(twin)) == all_values(original, moved(original))


# subsystems with hooks


@pytest.fixture
def counter(make):
    """A MODEL-stage option, objects, and a lazy entry that a closure over the subsystem computes."""

    def topology(subsystem, state):
        subsystem.is_wide = state.allocate_discrete_variable(subsystem, "is_wide", False, Stage.MODEL)
        subsystem.notes = state.allocate_discrete_variable(subsystem, "notes", [], Stage.REPORT)
        subsystem.total = state.allocate_cache_entry(
            subsystem, "total", Stage.POSITION, shape=(), compute=lambda state: subsystem.weight * state.q.sum()
        )

    def model(subsystem, state):
        state.allocate_q(subsystem, [1.0] * (3 if state.get(subsystem.is_wide) else 2))

    subsystem = make({"TOPOLOGY": topology, "MODEL": model}, name="counter")
    subsystem.weight = 2.0
    return subsystem


def test_a_closure_made_by_a_hook_refers_to_the_copy(system, counter):
    state = system.realize_topology()
    twin, other = copy.deepcopy((system, state))
    twin.subsystems[0].weight = 5.0
    system.realize(state)
    twin.realize(other)
    assert (state.cached(counter.total), other.cached(twin.subsystems[0].total)) == (4, 10)


def test_model_options_and_objects_are_copied(system, counter):
    state = system.realize_topology()
    state.set(counter.is_wide, True)
    system.realize_model(state)
    state.q = [1.0, 2.0, 3.0]
    state.set(counter.notes, [["seen"]])
    twin, other = copy.deepcopy((system, state))
    assert_array_equal(other.q, [1, 2, 3])
    other.get(twin.subsystems[0].notes)[0].append("twice")
    assert state.get(counter.notes) == [["seen"]]


@pytest.mark.slow
def test_an_outdated_state_cannot_be_copied(system, counter):
    state = system.realize_topology()
    counter.invalidate_topology()
    with pytest.raises(StateError, match="changed after this State was made"):
        copy.deepcopy(state)


def test_a_lambda_that_sees_elements_of_the_first_system_is_an_error_that_says_so():
    system = mb.MultibodySystem("arm")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0, -0.4, 0]), name="pin")
    mb.measures.Custom(system, lambda state: pin.q(state)[0], stage=Stage.POSITION, unit="rad", name="angle")
    copied = copy.deepcopy(system)
    with pytest.raises(
        mb.errors.RecordingError, match=r"'angle': it uses an element of another System of the name 'arm'. .* Write a class"
    ):
        copied.realize(copied.realize_topology(), Stage.POSITION)
