"""The tables of Systems with many equal contacts."""

import numpy as np

import mobod as mb
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.source.copied_ranges import copied_ranges
from mobod.compilation.source.model_source import generate, start_values


def balls(n):
    """A System of balls on a floor, and its State."""
    system = mb.MultibodySystem("balls")
    matter = mb.MatterSubsystem(system)
    for i in range(n):
        ball = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name=f"ball{i}")
        mb.RigidContact(matter.ground, mb.contact.HalfSpace(), ball, mb.contact.Sphere(0.1), static_friction=0.5, name=f"floor{i}")
    return system, system.realize_topology()


def programs(system, state):
    """The programs of kernels and of tangents, each once."""
    table = generate(system, state, calls_back=True).interpreted()
    kernels = [*table.fields["kernels"].structs, *table.fields["tangents"].structs]
    return {id(context) for each in kernels if (context := each.fields.get("context")) is not None and context.kind == "Program"}


def test_further_equal_contacts_need_no_further_programs():
    assert len(programs(*balls(3))) == len(programs(*balls(2))) > 0


def without_temporary(values, temporary):
    return np.delete(values, range(temporary.start, temporary.stop))


def test_a_run_begins_without_temporary_numbers_of_the_state():
    system, state = balls(2)
    model = NativeModel(generate(system, state, calls_back=True), "interpreted", follows_events=False)
    temporary = state.layout.temporary
    values = start_values(state)
    values[temporary] = np.nan

    w = model.extended(values)

    assert temporary.stop > temporary.start
    assert not w[temporary].any()
    assert np.array_equal(without_temporary(w[: len(values)], temporary), without_temporary(values, temporary))


def test_a_copy_of_a_state_is_without_temporary_numbers():
    _, state = balls(2)
    temporary = state.layout.temporary
    state.values[temporary] = np.nan

    copy = state.copy()

    assert not copy.values[temporary].any()
    assert np.array_equal(without_temporary(copy.values, temporary), without_temporary(state.values, temporary))


def rods(n):
    """A System of balls, each of which a rod holds, and its State, with accelerations."""
    system = mb.MultibodySystem("rods")
    matter = mb.MatterSubsystem(system)
    for i in range(n):
        ball = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name=f"ball{i}")
        mb.Rod(matter.ground, [0.1, 0.2, -0.3], ball, [0.1, 0.05, 0.02], float(np.hypot(0.15, 0.32)), name=f"rod{i}")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    return system, state


def test_copies_are_without_workspaces_and_without_zeros_outside_the_paths_of_rows():
    state = rods(5)[1]
    copied = np.zeros(state.layout.size, dtype=bool)
    for first, count in copied_ranges(state.layout, state.layout.size):
        copied[first : first + count] = True
    E = state.layout.c_tables["rows"].fields["E"]

    assert not copied[state.layout.temporary].any()
    assert (~copied[E : E + 5 * 30]).sum() == 5 * 24  # each row has the speeds of one ball
    assert np.count_nonzero(state.values[E : E + 5 * 30]) > 0
    assert not state.values[E : E + 5 * 30][~copied[E : E + 5 * 30]].any()


def test_a_saved_run_grows_with_the_number_of_rows():
    def size(n):
        system, state = rods(n)
        return len(mb.Simulation(system, backend="interpreted").start(state).save().data)

    few, more, most = size(4), size(8), size(12)

    assert most - more <= 1.1 * (more - few)  # with all of E it is 1.3
