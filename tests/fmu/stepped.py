"""FMUs stepped by `Instance`, and whether a saved state resumes with the same bits."""

from itertools import pairwise

import numpy as np
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cosim import Instance
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.saved_state import SavedState


def start(file, tolerance=1e-10, **values):
    """An instance in step mode at 0 s; values are set by names with __ instead of points."""
    instance = Instance(file, "it")
    instance.call(f"fmi{instance.fmi_version}SetDebugLogging", True, 0, None)  # all messages, not those of failures alone
    instance.set_up(0.0, None, tolerance)
    instance.set({name.replace("__", "."): value for name, value in values.items()})
    instance.enter_initialization()
    instance.exit_initialization()
    return instance


def walk(instance, times, names):
    """The values of these variables after each step."""
    rows = []
    for time, after in pairwise(times):
        instance.step(time, after - time)
        rows.append([instance.get(name) for name in names])
    return np.array(rows)


def walked_thrice(file, times, middle, names):
    """Values from times[middle] on in three runs: uninterrupted, from a restored state, and from its bytes in another instance."""
    with start(file) as instance:
        walk(instance, times[: middle + 1], names)
        with SavedState.of(instance) as saved:
            data = saved.to_bytes()
            first = walk(instance, times[middle:], names)
            saved.restore()
            again = walk(instance, times[middle:], names)
    with start(file) as another:
        with SavedState.from_bytes(another, data, times[middle]) as saved:
            saved.restore()
        elsewhere = walk(another, times[middle:], names)
    return first, again, elsewhere


def assert_bits_of_a_stepped_run(system, fmu, outputs, times, commands, **options):
    """An FMU that is stepped with commands has the bits of a run of its System. Returns the columns of the run, at its end.

    commands  called with a time; returns values by name
    options   of the Simulation
    """
    run = mb.Simulation(system, backend="interpreted", **options).start(system.realize_topology())
    columns = run.variables(*outputs)
    with start(FmuFile(fmu), options.get("accuracy", 1e-8)) as instance:
        for time, after in pairwise(times):
            for name, value in commands(time).items():
                run.set(name, value)
            instance.set(commands(time))
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
    return columns
