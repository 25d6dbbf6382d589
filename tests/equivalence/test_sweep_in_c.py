"""A sweep written by hand, in which rows overlap, add and fold: NumPy text, programs and the generated C give the same numbers."""

import numpy as np
from numpy.testing import assert_allclose

from mobod.scalar import norm, where
from mobod.scalar.slot import Slot
from mobod.system import Stage, Subsystem, System, Variable
from tests.equivalence.compiled_system import CompiledSystem


class Machine(Subsystem):
    """Parameters p (4,), results r (6,) and s (); r is swapped in part, s is added to by several rows."""

    def realize_topology(self, state):
        self.p = state.allocate_discrete_variable(self, "p", np.array([0.3, -1.2, 2.5, 0.7]), Stage.POSITION)
        self.r = state.allocate_cache_entry(self, "r", Stage.POSITION, shape=(6,), computed_by=Stage.POSITION)
        self.s = state.allocate_cache_entry(self, "s", Stage.POSITION, shape=(), computed_by=Stage.POSITION)

    def tabulate(self, layout):
        p, r, s = (layout.slots[handle] for handle in (self.p, self.r, self.s))
        front, back = (Slot(r.offset + start, (3,)) for start in (0, 3))
        sweep = self._sweep(layout, Stage.POSITION)
        sweep.clears.append(s)
        sweep.add(outward, [p], [front, back], constants=layout.constants)
        sweep.add(swapped, [front, back], [front, back], constants=layout.constants)
        sweep.add(stretched, [Slot(r.offset, (4,))], [Slot(r.offset + 1, (4,))], structure=(-0.5,), constants=layout.constants)
        sweep.add(lengths, [front, back], [s, s], constants=layout.constants, adds=(0, 1))
        sweep.add(lengths, [back, front], [s, r[0]], constants=layout.constants, adds=(0,))

    def variables(self, layout):
        p, r, s = (layout.slots[handle] for handle in (self.p, self.r, self.s))
        common = {"stage": Stage.POSITION, "role": "output", "units": ("1",)}
        return [
            Variable(name="p", slot=p, stage=Stage.MODEL, role="parameter", units=("1",), description="p", invalidates=Stage.POSITION),
            Variable(name="r", slot=r, description="r", **common),
            Variable(name="s", slot=s, description="s", **common),
        ]


def outward(p):
    return np.array([p[0] * p[1], 2.0, where(p[2] > 0, p[2], -p[2])]), np.array([0.0, p[3], p[3] - p[0]])


def swapped(x, y):
    return y, x


def stretched(factor, x):
    return factor * x + 1


def lengths(x, y):
    return norm(x), x @ y


def by_hand(p):
    r = np.concatenate(outward(p))
    r = np.concatenate([r[3:], r[:3]])
    r[1:5] = -0.5 * r[:4] + 1
    s = np.linalg.norm(r[:3]) + r[:3] @ r[3:] + np.linalg.norm(r[3:])
    r[0] = r[3:] @ r[:3]
    return {"p": p, "r": r, "s": s}


def test_a_sweep_gives_the_same_numbers_by_hand_by_text_by_programs_and_in_c():
    system = System("machine")
    machine = Machine(system, "machine")
    state = system.realize_topology()
    compiled = CompiledSystem(system)
    for p in (state.get(machine.p), np.array([-0.4, 0.9, -1.1, 3.2])):
        state.set(machine.p, p)
        by_programs = {variable.name: system.value(state, variable) for variable in system.variables(state)}
        system.as_text = True
        as_text = state.copy()
        as_text.invalidate(Stage.POSITION)
        by_text = {variable.name: system.value(as_text, variable) for variable in system.variables(as_text)}
        system.as_text = False
        in_c = compiled.values(state)

        for name, expected in by_hand(p).items():
            for actual in (by_text, by_programs, in_c):
                assert_allclose(actual[name], expected, rtol=1e-14, atol=1e-14)  # some rounding errors
