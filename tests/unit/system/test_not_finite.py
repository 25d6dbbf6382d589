"""Values that a subsystem declares finite, but that are not finite."""

import numpy as np
import pytest

from mobod.errors import StateError
from mobod.system import Stage, Subsystem, System


class Logarithm(Subsystem):
    """log(t), declared to be finite."""

    def realize_topology(self, state):
        self.entry = state.allocate_cache_entry(self, "log", Stage.TIME, shape=(), computed_by=Stage.TIME)

    def tabulate(self, layout):
        slot = layout.finite[self.index, Stage.TIME] = layout.slots[self.entry]
        self._sweep(layout, Stage.TIME).add(logarithm, [layout.time], [slot])


def logarithm(t):
    return np.log(t)


def test_a_subsystem_with_numbers_that_are_not_finite_is_named():
    system = System()
    subsystem = Logarithm(system, "logarithm")
    state = system.realize_topology()

    state.time = 2.0
    system.realize(state, Stage.TIME)
    assert state.cached(subsystem.entry) == np.log(2.0)

    state.time = 0.0
    with pytest.raises(StateError, match=r"subsystem 'logarithm' computes numbers that are not finite at time 0 s"):
        system.realize(state, Stage.TIME)
