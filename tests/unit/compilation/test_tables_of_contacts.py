"""The tables of Systems with many equal contacts."""

import numpy as np

import mobod as mb
from mobod.compilation.model_source import generate, start_values
from mobod.compilation.native import NativeModel


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


def test_a_run_begins_without_temporary_numbers_of_the_state():
    system, state = balls(2)
    model = NativeModel(generate(system, state, calls_back=True), "interpreted", follows_events=False)
    first, n = model.table.workspace_at, model.table.n_workspace
    values = start_values(state)
    values[first : first + n] = np.nan

    w = model.extended(values)

    assert n > 0
    assert not w[first : first + n].any()
    assert np.array_equal(np.delete(w[: len(values)], range(first, first + n)), np.delete(values, range(first, first + n)))
